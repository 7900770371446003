/* winner: chooses the race's entrants, runs the race and names the winner. Each finalist's
 * kernel is raced from a unit of its own; a variant whose machine code was not proven in
 * this run is proven in the race. */
#include "autotune/search/winner.h"

#include "autotune/search/shortlist.h"

#include <stdlib.h>
#include <string.h>

static const double SIMPLER_MAY_LOSE = 1.005; /* measured so: a tie may be slower than that */

/* What is raced, where. */
struct ending {
    struct search *search;
    const struct tune_job *job;
    const struct tune_options *options;
    struct tune_result *result;
    struct job_raced *raced;
};

static bool is_host(const struct ending *ending)
{
    return ending->job->info->target.is_host;
}

/* --- The race ----------------------------------------------------------------------------- */

static bool is_right(const struct tune_result *result, const struct job_entrant *entrant)
{
    if (entrant->candidate == JOB_OLD_CODE)
        return !*result->old_reason;
    return entrant->candidate == JOB_NO_CANDIDATE ||
           result->trials[entrant->candidate].status == TRIAL_MEASURED;
}

/* Did a candidate run at all, to whatever end? */
static bool has_result(const struct tune_result *result)
{
    return result->counts[TRIAL_WRONG] || result->counts[TRIAL_CRASHED] ||
           result->counts[TRIAL_HUNG] || result->counts[TRIAL_TOO_FAST];
}

/* Fails without a measured candidate: there is nothing to race. */
static int check_measured(struct tune_result *result, struct error *error)
{
    if (result->counts[TRIAL_MEASURED])
        return 0;
    const char *const first = result->reason_count ? result->reasons[0] : "";
    if (!has_result(result) && result->lacking.code != ERROR_NONE)
        return error_set(error, result->lacking.code, "%s", result->lacking.text);
    if (!has_result(result))
        return error_set(error, ERROR_FAILED, "none of %zu candidates runs; the first: %s",
                         result->points.count, first);
    return error_set(error, ERROR_WRONG, "none of %zu candidates is right; the first: %s",
                     result->points.count, first);
}

/* Runs the race, and again while an entrant drops out: does not compile any more, ends the
 * worker, or comes in first and is wrong. */
static int run_race(const struct ending *ending, struct error *error)
{
    const struct job_raced *raced = ending->raced;
    size_t candidates[SHORTLIST_ROOM], count = 0;
    int got = 0;
    while (!got ||
           !is_right(ending->result, &raced->entrants[raced->result.places[0].entrant])) {
        if (check_measured(ending->result, error) ||
            shortlist_choose(ending->result, ending->job, ending->options, candidates, &count,
                             error))
            return -1;
        got = search_race(ending->search, candidates, count, ending->raced, error);
        if (got < 0)
            return -1;
    }
    ending->result->entrants = raced->count;
    if (!raced->result.is_noisy || ending->options->is_proof || is_host(ending))
        return 0;
    if (ending->options->is_comparison) {
        memcpy(ending->result->noise_why, raced->result.why, sizeof raced->result.why);
        return 0;
    }
    return error_set(error, ERROR_NOISY,
                     "too noisy to decide: %s; end what else uses this GPU and run "
                     "the same command again%s",
                     raced->result.why,
                     search_keeps_trials(ending->search) ? ": what was measured is kept" : "");
}

/* --- The winner --------------------------------------------------------------------------- */

static void add_finalist(const struct ending *ending, const struct race_place *place,
                         const struct job_entrant *entrant, bool is_proven)
{
    struct tune_result *result = ending->result;
    const bool is_the_default = entrant->candidate == JOB_NO_CANDIDATE;
    result->finalists[result->finalist_count++] =
        (struct finalist){.config = is_the_default
                                        ? ending->job->context->space->default_config
                                        : tune_result_config(result, entrant->candidate),
                          .median_ps = place->median_ps,
                          .low_ps = place->low_ps,
                          .high_ps = place->high_ps,
                          .ratio = place->ratio,
                          .choice = place->choice,
                          .is_proven = is_proven,
                          .rounds = place->rounds,
                          .is_tie = place->is_tie,
                          .is_default = is_the_default,
                          .registers = entrant->registers,
                          .height = entrant->height,
                          .error = entrant->error,
                          .bound = entrant->bound};
}

static int by_choice(const void *a, const void *b)
{
    const struct finalist *x = a, *y = b;
    return (x->choice > y->choice) - (x->choice < y->choice);
}

/* Lists the first places, which got the finalist checks, and the default wherever it came
 * in. */
static void list_finalists(const struct ending *ending)
{
    const struct job_raced *raced = ending->raced;
    struct tune_result *result = ending->result;
    const struct race_result *race = &raced->result;
    size_t right = 0, ties = 0;
    for (size_t i = 0; i < race->count; i++) {
        const struct job_entrant *entrant = &raced->entrants[race->places[i].entrant];
        if (!is_right(result, entrant))
            continue;
        const bool is_proven = right++ < raced->checked;
        ties += race->places[i].is_tie;
        if (entrant->candidate == JOB_OLD_CODE)
            continue;
        if (is_proven || entrant->candidate == JOB_NO_CANDIDATE)
            add_finalist(ending, &race->places[i], entrant, is_proven);
    }
    if (result->finalist_count) /* the default stays in the race, however slow it is */
        qsort(result->finalists + 1, result->finalist_count - 1, sizeof result->finalists[0],
              by_choice);
    result->ties = ties - 1; /* beside the fastest, which ties with itself */
    result->rounds = race->rounds;
    result->repeated = race->repeated;
    result->past_32_bits = raced->past_32_bits;
    if (!is_host(ending)) /* whose kernels run in the worker's own memory */
        result->reading = raced->reading;
    result->proofs += raced->proofs;
}

/* A dropped one has figures of all its rounds, others of the fresh ones: `fresh` many. */
static void add_place(struct tune_result *result, const int64_t *config,
                      const struct race_place *place, size_t fresh,
                      const struct job_entrant *entrant)
{
    result->places[result->place_count++] =
        (struct tune_place){.config = config,
                            .median_ps = place->median_ps,
                            .low_ps = place->low_ps,
                            .high_ps = place->high_ps,
                            .ratio = place->ratio,
                            .ratio_low = place->ratio_low,
                            .ratio_high = place->ratio_high,
                            .choice = place->choice,
                            .rounds = place->is_dropped ? place->rounds : fresh,
                            .registers = entrant->registers,
                            .is_old_code = entrant->candidate == JOB_OLD_CODE};
}

/* What an entrant runs. */
static const int64_t *config_of(const struct ending *ending, const struct job_entrant *entrant)
{
    if (entrant->candidate == JOB_OLD_CODE)
        return ending->options->configs;
    return entrant->candidate == JOB_NO_CANDIDATE
               ? ending->job->context->space->default_config
               : tune_result_config(ending->result, entrant->candidate);
}

/* Lists all right entrants; a config asked for that equals an entrant shares its place. */
static int list_places(const struct ending *ending, struct error *error)
{
    const struct job_raced *raced = ending->raced;
    struct tune_result *result = ending->result;
    const size_t most = raced->result.count * (1 + ending->options->config_count);
    result->places = calloc(most + 1, sizeof *result->places);
    if (!result->places)
        return error_memory(error, most * sizeof *result->places);
    for (size_t i = 0; i < raced->result.count; i++) {
        const struct race_place *place = &raced->result.places[i];
        const struct job_entrant *entrant = &raced->entrants[place->entrant];
        const bool is_listed =
            entrant->candidate != JOB_NO_CANDIDATE && entrant->candidate != JOB_OLD_CODE;
        if (!is_right(result, entrant) || place->rounds == 0)
            continue;
        add_place(result, config_of(ending, entrant), place, raced->result.fresh, entrant);
        for (size_t k = 0; k < ending->options->config_count && is_listed; k++) {
            const int64_t *config = ending->options->configs + k * result->points.width;
            if (shortlist_asked(result, ending->options, k) == entrant->candidate &&
                memcmp(config, tune_result_config(result, entrant->candidate),
                       result->points.width * sizeof *config) != 0)
                add_place(result, config, place, raced->result.fresh, entrant);
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
static void name_winner(const struct ending *ending)
{
    struct tune_result *result = ending->result;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < result->finalist_count; i++) {
        const struct finalist *finalist = &result->finalists[i];
        const size_t effort = complexity(ending->job->context->space, finalist->config);
        const bool is_eligible = i == 0 || (finalist->is_tie && finalist->is_proven &&
                                            finalist->choice <= SIMPLER_MAY_LOSE);
        if (is_eligible && effort < least) {
            least = effort;
            result->winner = i;
        }
    }
}

int winner_choose(struct search *search, const struct tune_job *job,
                  const struct tune_options *options, struct tune_result *result,
                  struct error *error)
{
    struct job_raced *raced = calloc(1, sizeof *raced);
    const struct ending ending = {search, job, options, result, raced};
    if (!raced)
        return error_memory(error, sizeof *raced);
    int failed = run_race(&ending, error);
    if (!failed) {
        list_finalists(&ending);
        name_winner(&ending);
        failed = list_places(&ending, error);
    }
    free(raced);
    return failed;
}
