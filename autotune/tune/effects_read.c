/* effects_read: copies times of trials, and of the race where they were in it. */
#include "autotune/tune/effects_read.h"

#include "autotune/measure/stats.h"
#include "autotune/search/trials.h"

#include <stdlib.h>
#include <string.h>

/* --- A search ----------------------------------------------------------------------------- */

static void take_place(struct effects_trial *out, const struct tune_place *place)
{
    out->times = (unsigned)place->rounds;
    out->raced_ps = place->median_ps;
    out->ratio = place->ratio;
    out->ratio_low = place->ratio_low;
    out->ratio_high = place->ratio_high;
    out->choice = place->choice;
}

static bool has_time(const struct tune_trial *trial)
{
    return trial->is_judged && trial->score &&
           (trial->status == TRIAL_MEASURED || trial->status == TRIAL_EQUAL);
}

int effects_read_result(struct effects *out, const struct tune_result *result,
                        struct error *error)
{
    out->candidates = result->points.count;
    out->noise = result->noise;
    for (size_t i = 0; i < result->points.count; i++) {
        const struct tune_trial *trial = &result->trials[i];
        if (!has_time(trial))
            continue;
        const size_t runs = trial->status == TRIAL_EQUAL ? trial->equal_to : i;
        const struct tune_place *place =
            tune_result_place(result, tune_result_config(result, runs));
        struct effects_trial taken = {.ps = trial->score,
                                      .times = trial->times,
                                      .registers = trial->registers};
        if (place)
            take_place(&taken, place);
        if (effects_add(out, tune_result_config(result, i), &taken, error))
            return -1;
    }
    return effects_find(out, error);
}

/* --- A journal ---------------------------------------------------------------------------- */

/* 0 where it has no time. One that equals another has that one's. */
static uint64_t median_of(const struct trial *trial)
{
    uint64_t times[TRIAL_SAMPLES];
    if ((trial->status != TRIAL_MEASURED && trial->status != TRIAL_EQUAL) || !trial->time_count)
        return 0;
    memcpy(times, trial->times_ps, trial->time_count * sizeof *times);
    return stats_median(times, trial->time_count);
}

/* Would the space try these params? */
static bool is_of_space(int64_t *config, const struct point_context *context,
                        const char *params)
{
    struct error ignored;
    return point_parse_record(context->space, params, config, &ignored) == 0 &&
           point_prune(context, config, &ignored) == POINT_VALID;
}

/* As the search did. */
static int find_noise(double *out, const struct journal *journal, struct error *error)
{
    uint64_t *times = malloc((journal->count + 1) * sizeof *times);
    size_t count = 0;
    if (!times)
        return error_memory(error, journal->count * sizeof *times);
    for (size_t i = 0; i < journal->count; i++)
        if (journal->trials[i].trial.reference_ps)
            times[count++] = journal->trials[i].trial.reference_ps;
    *out = stats_spread(times, count);
    free(times);
    return 0;
}

static int add_trials(struct effects *out, struct trials_index *known,
                      const struct point_context *context, const struct journal *journal,
                      struct error *error)
{
    for (size_t i = journal->count; i-- > 0;) { /* the last of an identity counts */
        const struct journal_trial *line = &journal->trials[i];
        const struct effects_trial taken = {.ps = median_of(&line->trial),
                                            .times = (unsigned)line->trial.time_count,
                                            .registers = line->trial.registers};
        int64_t config[SPACE_NAMES_MAX];
        uint64_t ignored;
        const int was_there = trials_index_add(known, line->identity, i, &ignored, error);
        if (was_there < 0)
            return -1;
        if (!was_there && taken.ps && is_of_space(config, context, line->params) &&
            effects_add(out, config, &taken, error))
            return -1;
    }
    return 0;
}

int effects_read_journal(struct effects *out, const struct point_context *context,
                         const struct journal *journal, struct error *error)
{
    struct trials_index known = {0};
    const int failed = find_noise(&out->noise, journal, error) ||
                       add_trials(out, &known, context, journal, error);
    trials_index_dispose(&known);
    return failed ? -1 : effects_find(out, error);
}
