/* finalists: who is raced, what the race says, who has won. Every finalist's kernel is compiled again, as
 * itself alone; one whose machine code was not proven in this run is proven in the race. */
#include "autotune/tune/finalists.h"

#include "autotune/tune/parcel.h"
#include "autotune/tune/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTRANTS_MIN = 12,  /* that the race begins with, where there are so many */
    ENTRANTS_MAX = 31,  /* beside the default: more would leave each too few rounds */
    ENTRANTS_HOST = 8,  /* the emulator is slow, and no model of speed anyway */
};
_Static_assert((int)ENTRANTS_MAX < (int)RACE_ENTRANTS_MAX, "the default races too");

static const double MARGIN = 0.015;          /* in the race are those so close to the best time ... */
static const double MARGIN_NOISES = 3;       /* ... or so many spreads of the reference */
static const double SIMPLER_MAY_LOSE = 1.01; /* noise must not make a slow one the winner */
static const double OPENING_LIMIT = 30;      /* seconds until the worker turns to the first of them */

/* --- Who is in --------------------------------------------------------------------------------- */

static bool is_host(const struct search *search)
{
    return search->job->info->target.is_host;
}

static bool is_default(const struct search *search, size_t candidate)
{
    return memcmp(tune_row(search->result, candidate), search->job->context->space->default_row,
                  search->result->points.width * sizeof(int64_t)) == 0;
}

struct ranked {
    size_t candidate;
    uint64_t score;
};

static int by_score(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->score != y->score ? (x->score < y->score ? -1 : 1)
                                : (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* The measured candidates, best first; the default races anyway. */
static size_t rank(const struct search *search, struct ranked *out)
{
    const struct tune_result *result = search->result;
    size_t count = 0;
    for (size_t i = 0; i < result->points.count; i++)
        if (result->trials[i].is_judged && result->trials[i].status == TRIAL_MEASURED &&
            !is_default(search, i))
            out[count++] = (struct ranked){i, result->trials[i].score};
    qsort(out, count, sizeof *out, by_score);
    return count;
}

/* Those that noise alone may have kept from being the best. */
static int choose_entrants(struct search *search, size_t out[ENTRANTS_MAX], size_t *out_count,
                           struct error *error)
{
    struct ranked *ranked = malloc((search->result->points.count + 1) * sizeof *ranked);
    const double margin = fmax(MARGIN, MARGIN_NOISES * search_noise(search));
    const size_t most = is_host(search) ? ENTRANTS_HOST : ENTRANTS_MAX;
    if (!ranked)
        return error_memory(error, search->result->points.count * sizeof *ranked);
    const size_t count = rank(search, ranked);
    *out_count = 0;
    for (size_t i = 0; i < count && i < most; i++)
        if (i < ENTRANTS_MIN || (double)ranked[i].score <= (1 + margin) * (double)ranked[0].score)
            out[(*out_count)++] = ranked[i].candidate;
    free(ranked);
    return 0;
}

/* --- The race ---------------------------------------------------------------------------------- */

/* Compiles the variants of these candidates, each alone, and keeps them. */
static int compile_entrants(struct search *search, const size_t *candidates, size_t count,
                            struct error *error)
{
    const struct points *points = &search->result->points;
    search->keeps_parcels = true;
    search->next = points->variant_count;
    search_free_parcels(search);
    for (size_t i = 0; i < count; i++) {
        const struct search_unit alone = {.variants = {trials_find_variant(points, candidates[i])},
                                          .count = 1};
        bool is_listed = false;
        for (size_t k = 0; k < search->retry_count; k++)
            is_listed |= search->retries[k].variants[0] == alone.variants[0];
        if (!is_listed && search_retry_alone(search, &alone, error))
            return -1;
    }
    return search_run(search, error);
}

static int send_race(struct search *search, const size_t *candidates, size_t count,
                     struct error *error)
{
    struct job_unit *units = calloc(search->parcel_count + 1, sizeof *units);
    struct job_race race = {.units = units, .seconds = search->options->race_s};
    struct frame frame = {.kind = JOB_RACE};
    int failed = units ? 0 : error_memory(error, search->parcel_count * sizeof *units);
    for (struct search_parcel *p = search->parcels; p && !failed; p = p->next) {
        struct job_variant *variant = &p->unit.variants[0];
        if (variant->compiled.is_failed)
            continue;
        failed = parcel_choose(search, p, 0, candidates, count, error);
        variant->is_proven = trials_index_has(&search->proven, parcel_hash(p, 0));
        if (variant->count)
            units[race.count++] = p->unit;
    }
    failed = failed ||
             job_code_race(&frame, &race, search->result->points.width, false, error) ||
             crew_send(search->crew, 0, &frame, error);
    frame_dispose(&frame);
    free(units);
    search->workers[0].state = WORKER_BUSY;
    search->workers[0].at = (struct job_at){PHASE_LOAD, JOB_NO_CANDIDATE, JOB_NO_CANDIDATE};
    crew_set_deadline(search->crew, 0, OPENING_LIMIT);
    search->is_race_lost = false;
    return failed;
}

/* Takes the guilty out of the list. None may be known: once is forgiven. */
static int drop_guilty(struct search *search, size_t *candidates, size_t *count, unsigned *forgiven,
                       struct error *error)
{
    const struct job_at at = search->workers[0].at;
    const struct points *points = &search->result->points;
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        const bool is_guilty = at.candidate == candidates[i] ||
                               (at.candidate == JOB_NO_CANDIDATE &&
                                at.variant == trials_find_variant(points, candidates[i]));
        search->lost.candidate = candidates[i];
        if (is_guilty)
            verdict_judge(search, &search->lost);
        else
            candidates[kept++] = candidates[i];
    }
    if (kept == *count && ++*forgiven > 1)
        return error_set(error, ERROR_FAILED, "the race of the finalists was lost twice: %s",
                         search->lost.reason);
    *count = kept;
    return 0;
}

/* A finalist that crashes is judged so and taken out, and the race is run without it. */
static int race(struct search *search, size_t *candidates, size_t *count, struct job_raced *out,
                struct error *error)
{
    unsigned forgiven = 0;
    if (compile_entrants(search, candidates, *count, error))
        return -1;
    for (int got = 0; got == 0;) {
        if (search_check_stop(search, error) ||
            (search->workers[0].state == WORKER_IDLE &&
             send_race(search, candidates, *count, error)))
            return -1;
        got = search_step(search, out, error);
        if (got < 0)
            return -1;
        if (search->is_race_lost && drop_guilty(search, candidates, count, &forgiven, error))
            return -1;
        search->is_race_lost = false;
        if (got)
            search->workers[0].state = WORKER_IDLE;
    }
    return 0;
}

static bool is_right(const struct tune_result *result, const struct job_entrant *entrant)
{
    return entrant->candidate == JOB_NO_CANDIDATE ||
           result->trials[entrant->candidate].status == TRIAL_MEASURED;
}

/* The race, again while the one that came in first turns out wrong. */
static int run_race(struct search *search, struct job_raced *raced, struct error *error)
{
    size_t candidates[ENTRANTS_MAX], count = 0;
    do {
        if (choose_entrants(search, candidates, &count, error))
            return -1;
        if (count == 0 && search->result->counts[TRIAL_MEASURED] == 0)
            return error_set(error, ERROR_WRONG, "none of %zu candidates is right; the first: %s",
                             search->result->points.count,
                             search->result->reason_count ? search->result->reasons[0] : "");
        if (race(search, candidates, &count, raced, error))
            return -1;
        search->result->entrants = count + 1;
    } while (!is_right(search->result, &raced->entrants[raced->result.places[0].entrant]));
    if (!raced->result.is_noisy || is_host(search))
        return 0;
    return error_set(error, ERROR_NOISY,
                     "too noisy to decide: %s; end what else uses this GPU and run the same command "
                     "again: what was measured is kept",
                     raced->result.why);
}

/* --- The winner -------------------------------------------------------------------------------- */

static void add_finalist(struct search *search, const struct race_place *place,
                         const struct job_entrant *entrant)
{
    struct tune_result *result = search->result;
    const bool is_the_default = entrant->candidate == JOB_NO_CANDIDATE;
    result->finalists[result->finalist_count++] = (struct finalist){
        .row = is_the_default ? search->job->context->space->default_row
                          : tune_row(result, entrant->candidate),
        .median_ps = place->median_ps, .low_ps = place->low_ps, .high_ps = place->high_ps,
        .ratio = place->ratio, .ratio_low = place->ratio_low, .ratio_high = place->ratio_high,
        .rounds = place->rounds, .is_tie = place->is_tie, .is_default = is_the_default,
        .registers = entrant->registers, .height = entrant->height, .error = entrant->error,
        .bound = entrant->bound};
}

static int by_ratio(const void *a, const void *b)
{
    const struct finalist *x = a, *y = b;
    return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

/* The first places, which are proven further, and the default wherever it came in. */
static void list_finalists(struct search *search, const struct job_raced *raced)
{
    const struct race_result *race = &raced->result;
    size_t right = 0;
    for (size_t i = 0; i < race->count; i++) {
        const struct job_entrant *entrant = &raced->entrants[race->places[i].entrant];
        if (!is_right(search->result, entrant))
            continue;
        if (right++ < FINALS_PROVEN || entrant->candidate == JOB_NO_CANDIDATE)
            add_finalist(search, &race->places[i], entrant);
    }
    if (search->result->finalist_count) /* the default stays in the race, however slow it is */
        qsort(search->result->finalists + 1, search->result->finalist_count - 1,
              sizeof search->result->finalists[0], by_ratio);
    search->result->ties = race->ties;
    search->result->rounds = race->rounds;
    search->result->repeated = race->repeated;
    search->result->past_32_bits = raced->past_32_bits;
    search->result->proofs += raced->proofs;
}

/* How far from simple a row is: values stand from simple to elaborate in a space file. */
static size_t complexity(const struct space *space, const int64_t *row)
{
    size_t sum = 0;
    for (size_t i = 0; i < space->param_count; i++)
        for (size_t k = 0; k < space->params[i].count; k++)
            if (space->params[i].values[k] == row[i])
                sum += k;
    return sum;
}

/* The simplest of those tied with the fastest. */
static void name_winner(struct search *search)
{
    struct tune_result *result = search->result;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < result->finalist_count && i < FINALS_PROVEN; i++) {
        const struct finalist *finalist = &result->finalists[i];
        const size_t effort = complexity(search->job->context->space, finalist->row);
        const bool is_eligible =
            i == 0 || (finalist->is_tie && finalist->ratio <= SIMPLER_MAY_LOSE);
        if (is_eligible && effort < least) {
            least = effort;
            result->winner = i;
        }
    }
}

int finalists_run(struct search *search, struct error *error)
{
    struct job_raced *raced = calloc(1, sizeof *raced);
    if (!raced)
        return error_memory(error, sizeof *raced);
    int failed = run_race(search, raced, error);
    if (!failed) {
        list_finalists(search, raced);
        name_winner(search);
    }
    free(raced);
    return failed;
}
