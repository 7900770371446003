/* winner: chooses the race's entrants, runs the race and names the winner. Each finalist's
 * kernel is compiled again in a unit of its own; a variant whose machine code was not proven in
 * this run is proven in the race. */
#include "autotune/search/winner.h"

#include "autotune/search/queued_unit.h"
#include "autotune/search/replies.h"
#include "autotune/search/shortlist.h"

#include <stdlib.h>
#include <string.h>

static const double SIMPLER_MAY_LOSE = 1.005; /* measured so: a tie may be slower than that */

static bool is_host(const struct search *search)
{
    return search->job->info->target.is_host;
}

/* --- The race ----------------------------------------------------------------------------- */

/* Compiles the variants of these candidates, each alone, and keeps the units. A variant that
 * does not compile any more is judged on the way. */
static int compile_entrants(struct search *search, const size_t *candidates, size_t count,
                            struct error *error)
{
    const struct points *points = &search->result->points;
    search->keeps_units = true;
    search->next = points->variant_count;
    search_free_units(search);
    for (size_t i = 0; i < count; i++) {
        const struct search_unit alone = {.variants = {trials_find_variant(points,
                                                                           candidates[i])},
                                          .count = 1};
        bool is_listed = false;
        for (size_t k = 0; k < search->retry_count; k++)
            is_listed |= search->retries[k].variants[0] == alone.variants[0];
        if (!is_listed && search_retry_alone(search, &alone, error))
            return -1;
    }
    return search_run(search, error);
}

/* Lists the units that take part: those of `candidates` that compiled, without candidates that
 * run the very same code and launches as another. */
static int list_units(struct search *search, const size_t *candidates, size_t count,
                      struct job_unit *units, uint64_t *unit_count, struct error *error)
{
    struct trials_index seen = {0};
    int failed = 0;
    *unit_count = 0;
    for (struct queued_unit *p = search->queued_units; p && !failed; p = p->next) {
        struct job_variant *variant = &p->unit.variants[0];
        if (variant->compiled.is_failed)
            continue;
        failed = queued_unit_choose(search, p, 0, candidates, count, &seen, error);
        variant->is_proven = trials_index_find(&search->proven, queued_unit_hash(p, 0)) != NULL;
        if (variant->count)
            units[(*unit_count)++] = p->unit;
    }
    trials_index_dispose(&seen);
    return failed;
}

static int send_race(struct search *search, size_t slot, const size_t *candidates, size_t count,
                     struct error *error)
{
    struct job_unit *units = calloc(search->queued_count + 1, sizeof *units);
    struct job_race race = {.units = units, .seconds = search->options->race_s};
    struct frame frame = {.kind = JOB_RACE};
    if (!units)
        return error_memory(error, search->queued_count * sizeof *units);
    int failed = list_units(search, candidates, count, units, &race.count, error) ||
                 job_code_race(&frame, &race, search->result->points.width, false, error) ||
                 search->ops->send(search->pool, slot, &frame, error);
    frame_dispose(&frame);
    free(units);
    search->workers[slot].state = WORKER_BUSY;
    search->workers[slot].at = SEARCH_NOWHERE;
    search->ops->set_deadline(search->pool, slot, SEARCH_LOAD_S);
    return failed;
}

/* Judges the entrants that the lost worker had announced; none when it was killed, since a kill
 * from outside says nothing about a kernel. */
static bool faults_lost(struct search *search, const size_t *candidates, size_t count)
{
    const struct job_at at = search->lost.at;
    const struct points *points = &search->result->points;
    bool is_blamed = false;
    for (size_t i = 0; i < count && !search->lost.was_killed; i++) {
        struct job_trial trial = search->lost.trial;
        trial.candidate = candidates[i];
        if (at.candidate != candidates[i] &&
            (at.candidate != JOB_NO_CANDIDATE ||
             at.variant != trials_find_variant(points, candidates[i])))
            continue;
        replies_judge(search, &trial);
        is_blamed = true;
    }
    return is_blamed;
}

/* One race on a device: 1 = it ran, 0 = its worker was lost. */
static int run_once(struct search *search, const size_t *candidates, size_t count,
                    struct job_raced *out, struct error *error)
{
    bool is_sent = false;
    search->lost.is_lost = false;
    for (int got = 0; got == 0 && !search->lost.is_lost;) {
        const size_t slot = search_first_measurer(search);
        if (search_check_stop(search, error))
            return -1;
        if (!is_sent && search->workers[slot].state == WORKER_IDLE) {
            if (send_race(search, slot, candidates, count, error))
                return -1;
            is_sent = true;
        }
        got = search_step(search, out, error);
        if (got < 0)
            return -1;
    }
    return !search->lost.is_lost;
}

/* Is another attempt worth it after a loss? A loss without a faulty candidate is forgiven
 * once. */
static int judge_loss(struct search *search, const size_t *candidates, size_t count,
                      unsigned *forgiven, struct error *error)
{
    const char *reason = search->lost.trial.reason;
    if (faults_lost(search, candidates, count))
        return 0;
    if (search->lost.code == ERROR_WRONG) /* the default itself */
        return error_set(error, ERROR_WRONG, "%s", reason);
    if (++*forgiven == 1)
        return 0;
    return error_set(
        error, ERROR_FAILED,
        "the race of the finalists was lost twice: %s; what was measured is kept: end what "
        "else uses this device and run the same command again",
        reason);
}

static bool is_right(const struct tune_result *result, const struct job_entrant *entrant)
{
    return entrant->candidate == JOB_NO_CANDIDATE ||
           result->trials[entrant->candidate].status == TRIAL_MEASURED;
}

/* Fails without a measured candidate: there is nothing to race. */
static int check_measured(const struct search *search, struct error *error)
{
    struct tune_result *result = search->result;
    if (result->counts[TRIAL_MEASURED])
        return 0;
    result->is_spent = result->is_cut && !result->reason_count;
    if (result->is_spent)
        return error_set(error, ERROR_FAILED,
                         "the budget was over before a candidate was measured: "
                         "give more time with --budget, or leave it out");
    return error_set(error, ERROR_WRONG, "none of %zu candidates is right; the first: %s",
                     result->points.count, result->reason_count ? result->reasons[0] : "");
}

/* Runs the race, and again while an entrant drops out: does not compile any more, ends the
 * worker, or comes in first and is wrong. */
static int run_race(struct search *search, struct job_raced *raced, struct error *error)
{
    size_t candidates[SHORTLIST_MAX], count = 0;
    unsigned forgiven = 0;
    for (;;) {
        const size_t measured = search->result->counts[TRIAL_MEASURED];
        if (check_measured(search, error) ||
            shortlist_choose(search, candidates, &count, error) ||
            compile_entrants(search, candidates, count, error))
            return -1;
        if (search->result->counts[TRIAL_MEASURED] < measured)
            continue;
        const int got = run_once(search, candidates, count, raced, error);
        if (got < 0 || (got == 0 && judge_loss(search, candidates, count, &forgiven, error)))
            return -1;
        if (got && is_right(search->result, &raced->entrants[raced->result.places[0].entrant]))
            break;
    }
    search->result->entrants = raced->count;
    if (!raced->result.is_noisy || search->options->is_proof || is_host(search))
        return 0;
    return error_set(error, ERROR_NOISY,
                     "too noisy to decide: %s; end what else uses this GPU and run "
                     "the same command again%s",
                     raced->result.why,
                     search_keeps_trials(search) ? ": what was measured is kept" : "");
}

/* --- The winner --------------------------------------------------------------------------- */

static void add_finalist(struct search *search, const struct race_place *place,
                         const struct job_entrant *entrant, bool is_proven)
{
    struct tune_result *result = search->result;
    const bool is_the_default = entrant->candidate == JOB_NO_CANDIDATE;
    result->finalists[result->finalist_count++] =
        (struct finalist){.config = is_the_default ? search->job->context->space->default_config
                                                   : tune_config(result, entrant->candidate),
                          .median_ps = place->median_ps,
                          .low_ps = place->low_ps,
                          .high_ps = place->high_ps,
                          .ratio = place->ratio,
                          .is_proven = is_proven,
                          .rounds = place->rounds,
                          .is_tie = place->is_tie,
                          .is_default = is_the_default,
                          .registers = entrant->registers,
                          .height = entrant->height,
                          .error = entrant->error,
                          .bound = entrant->bound};
}

static int by_ratio(const void *a, const void *b)
{
    const struct finalist *x = a, *y = b;
    return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

/* Lists the first places, which get the finalist checks, and the default wherever it came
 * in. */
static void list_finalists(struct search *search, const struct job_raced *raced)
{
    const struct race_result *race = &raced->result;
    size_t right = 0, ties = 0;
    for (size_t i = 0; i < race->count; i++) {
        const struct job_entrant *entrant = &raced->entrants[race->places[i].entrant];
        if (!is_right(search->result, entrant))
            continue;
        const bool is_proven = right++ < FINAL_RACE_PROVEN;
        ties += race->places[i].is_tie;
        if (is_proven || entrant->candidate == JOB_NO_CANDIDATE)
            add_finalist(search, &race->places[i], entrant, is_proven);
    }
    if (search->result->finalist_count) /* the default stays in the race, however slow it is */
        qsort(search->result->finalists + 1, search->result->finalist_count - 1,
              sizeof search->result->finalists[0], by_ratio);
    search->result->ties = ties - 1; /* beside the fastest, which ties with itself */
    search->result->rounds = race->rounds;
    search->result->repeated = race->repeated;
    search->result->past_32_bits = raced->past_32_bits;
    if (!is_host(search)) /* whose kernels run in the worker's own memory */
        search->result->reading = raced->reading;
    search->result->proofs += raced->proofs;
}

static void add_place(struct tune_result *result, const int64_t *config,
                      const struct race_place *place, const struct job_entrant *entrant)
{
    result->places[result->place_count++] =
        (struct tune_place){config,         place->median_ps, place->low_ps,
                            place->high_ps, place->ratio,     entrant->registers};
}

/* Lists all right entrants; a config asked for that equals an entrant shares its place. */
static int list_places(struct search *search, const struct job_raced *raced,
                       struct error *error)
{
    struct tune_result *result = search->result;
    const size_t most = raced->result.count * (1 + search->options->config_count);
    result->places = calloc(most + 1, sizeof *result->places);
    if (!result->places)
        return error_memory(error, most * sizeof *result->places);
    for (size_t i = 0; i < raced->result.count; i++) {
        const struct race_place *place = &raced->result.places[i];
        const struct job_entrant *entrant = &raced->entrants[place->entrant];
        const bool is_the_default = entrant->candidate == JOB_NO_CANDIDATE;
        if (!is_right(result, entrant) || place->rounds == 0)
            continue;
        add_place(result,
                  is_the_default ? search->job->context->space->default_config
                                 : tune_config(result, entrant->candidate),
                  place, entrant);
        for (size_t k = 0; k < search->options->config_count && !is_the_default; k++) {
            const int64_t *config = search->options->configs + k * result->points.width;
            if (shortlist_asked(search, k) == entrant->candidate &&
                memcmp(config, tune_config(result, entrant->candidate),
                       result->points.width * sizeof *config) != 0)
                add_place(result, config, place, entrant);
        }
    }
    return 0;
}

/* How far from simple a config is: a space file lists values from simple, or preferred, to
 * elaborate. */
static size_t complexity(const struct space *space, const int64_t *config)
{
    size_t sum = 0;
    for (size_t i = 0; i < space->param_count; i++)
        for (size_t k = 0; k < space->params[i].count; k++)
            if (space->params[i].values[k] == config[i])
                sum += k;
    return sum;
}

/* Names the simplest of the finalists tied with the fastest. */
static void name_winner(struct search *search)
{
    struct tune_result *result = search->result;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < result->finalist_count; i++) {
        const struct finalist *finalist = &result->finalists[i];
        const size_t effort = complexity(search->job->context->space, finalist->config);
        const bool is_eligible = i == 0 || (finalist->is_tie && finalist->is_proven &&
                                            finalist->ratio <= SIMPLER_MAY_LOSE);
        if (is_eligible && effort < least) {
            least = effort;
            result->winner = i;
        }
    }
}

int winner_choose(struct search *search, struct error *error)
{
    struct job_raced *raced = calloc(1, sizeof *raced);
    if (!raced)
        return error_memory(error, sizeof *raced);
    int failed = run_race(search, raced, error);
    if (!failed) {
        list_finalists(search, raced);
        name_winner(search);
        failed = list_places(search, raced, error);
    }
    free(raced);
    return failed;
}
