/* compare_journal: reads the journal that belongs to a record. What is not there is not known,
 * and no error. */
#include "autotune/command/compare_journal.h"

#include "autotune/command/compare_kernel.h"
#include "autotune/report/ranks.h"

#include <stdlib.h>
#include <string.h>

bool compare_journal_load(struct journal *out, const char *cache, const struct record *record)
{
    struct text folder = {0}, path = {0};
    struct record key;
    struct error ignored;
    const bool is_there = store_folder(&folder, cache, &ignored) == 0 &&
                          journal_path(&path, folder.at, record, &ignored) == 0 &&
                          journal_load(out, &key, path.at, &ignored) == 0;
    text_dispose(&path);
    text_dispose(&folder);
    return is_there;
}

uint64_t compare_journal_least(const struct journal_trial *trial)
{
    uint64_t least = 0;
    for (size_t i = 0; i < trial->time_count; i++)
        if (!least || trial->times_ps[i] < least)
            least = trial->times_ps[i];
    return least;
}

bool compare_journal_loss(double *percent, const char *cache, const struct record *here,
                          const struct record *other)
{
    struct journal journal;
    uint64_t own = 0, others = 0;
    *percent = 0;
    if (strcmp(here->space, other->space) != 0)
        return false;
    if (strcmp(here->params, other->params) == 0)
        return true;
    if (!compare_journal_load(&journal, cache, here))
        return false;
    for (size_t i = 0; i < journal.count; i++) {
        const struct journal_trial *trial = &journal.trials[i];
        if (strcmp(trial->params, here->params) == 0)
            own = compare_journal_least(trial);
        if (strcmp(trial->params, other->params) == 0)
            others = compare_journal_least(trial);
    }
    journal_close(&journal);
    if (own && others)
        *percent = ((double)others / (double)own - 1) * 100;
    return own && others;
}

/* Bound and speed of one trial; false when one of them is not known. */
static bool judge(double *bound, double *speed, const struct journal_trial *trial,
                  const struct analysis_subject *subject)
{
    int64_t row[SPACE_NAMES_MAX];
    struct analysis_subject own = *subject;
    struct error ignored;
    const uint64_t ps = compare_journal_least(trial);
    const struct space *space = subject->context->space;
    memcpy(row, subject->row, space->param_count * sizeof *row);
    own.row = row;
    if (!ps || !trial->registers || point_parse(space, trial->params, row, &ignored) ||
        analysis_bound(bound, &own, (int)trial->registers, &ignored))
        return false;
    *speed = 1 / (double)ps;
    return *bound > 0;
}

static void rank(struct compare_evidence *out, const struct journal *journal,
                 const struct analysis_subject *subject)
{
    double *bounds = calloc(3 * journal->count + 1, sizeof *bounds);
    struct error ignored;
    size_t count = 0;
    if (!bounds)
        return;
    double *priors = bounds + journal->count, *speeds = priors + journal->count;
    for (size_t i = 0; i < journal->count; i++)
        if (judge(&bounds[count], &speeds[count], &journal->trials[i], subject))
            priors[count++] = journal->trials[i].prior;
    if (count && ranks_correlation(&out->bound, bounds, speeds, count, &ignored) == 0 &&
        ranks_correlation(&out->prior, priors, speeds, count, &ignored) == 0)
        out->count = count;
    free(bounds);
}

void compare_journal_rank(struct compare_evidence *out, const char *cache,
                          const struct record *record, const struct compare_input *input)
{
    const struct compare_winner winner = {.record = record};
    struct compare_kernel kernel;
    struct journal journal;
    struct error ignored;
    *out = (struct compare_evidence){.count = 0};
    if (!input->has_target || !compare_journal_load(&journal, cache, record))
        return;
    if (compare_kernel_open(&kernel, &winner, NULL, &record->problem, &input->target,
                            &ignored) == 0) {
        const struct point_context context = {kernel.rung.space, &record->problem,
                                              &input->target};
        const struct analysis_subject subject = {.context = &context,
                                                 .sources = &kernel.sources,
                                                 .row = kernel.rung.row,
                                                 .peak_bytes = input->side.peak_bytes};
        rank(out, &journal, &subject);
        compare_kernel_close(&kernel);
    }
    journal_close(&journal);
}
