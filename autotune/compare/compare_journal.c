/* compare_journal: reads the journal that belongs to a record. A missing journal is no error:
 * its figures are unknown. */
#include "autotune/compare/compare_journal.h"

#include "autotune/compare/compare_kernel.h"
#include "autotune/compare/ranks.h"
#include "autotune/print/figures.h"

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

uint64_t compare_journal_least(const struct trial *trial)
{
    uint64_t least = 0;
    for (size_t i = 0; i < trial->time_count; i++)
        if (!least || trial->times_ps[i] < least)
            least = trial->times_ps[i];
    return least;
}

/* The bounds and priors of a journal's candidates, and their speeds, for candidates where all
 * are known. */
struct ranking {
    const struct analysis_subject *subject; /* its config changes with each candidate */
    double *bounds, *priors, *codes, *speeds;
    size_t count;
    struct code { /* of one variant, for all its launches */
        uint64_t variant;
        struct analysis analysis;
    } *codes_known;
    size_t code_count;
};

/* The bound of a trial by its machine code; 0 = unknown. Compiles the first of its variant. */
static double bound_by_code(struct ranking *ranking, const struct analysis_subject *subject,
                            uint64_t variant)
{
    struct analysis analysis;
    struct error ignored;
    size_t i = 0;
    while (i < ranking->code_count && ranking->codes_known[i].variant != variant)
        i++;
    struct code *code = &ranking->codes_known[i];
    if (i == ranking->code_count) {
        ranking->code_count++;
        code->variant = variant;
        if (analysis_run(&code->analysis, subject, &ignored))
            code->analysis = (struct analysis){.is_compiled = false};
    }
    return analysis_rerun(&analysis, &code->analysis, subject, &ignored) ? 0 : analysis.bound;
}

/* Adds a trial whose time, bounds and prior are known. */
static void add_trial(struct ranking *ranking, const struct journal_trial *trial)
{
    int64_t config[SPACE_NAMES_MAX];
    struct analysis_subject subject = *ranking->subject;
    struct error ignored;
    const uint64_t ps = compare_journal_least(&trial->trial);
    const struct space *space = subject.context->space;
    const size_t at = ranking->count;
    memcpy(config, subject.config, space->param_count * sizeof *config);
    subject.config = config;
    if (!ps || !trial->trial.registers || point_parse(space, trial->params, config, &ignored) ||
        analysis_bound(&ranking->bounds[at], &subject, (int)trial->trial.registers, &ignored) ||
        ranking->bounds[at] <= 0)
        return;
    if (subject.nvrtc)
        ranking->codes[at] = bound_by_code(ranking, &subject, trial->variant);
    if (subject.nvrtc && ranking->codes[at] <= 0)
        return;
    ranking->priors[at] = trial->prior;
    ranking->speeds[at] = figures_gbs(subject.context->problem, ps);
    ranking->count++;
}

/* Candidates that are faster than their bound. */
static size_t count_above(const struct ranking *ranking, const double *bounds)
{
    const double peak = (double)ranking->subject->peak_bytes / 1e9;
    size_t above = 0;
    for (size_t i = 0; i < ranking->count; i++)
        above += ranking->speeds[i] > bounds[i] * peak;
    return above;
}

static void correlate(struct compare_evidence *out, const struct ranking *ranking)
{
    const size_t count = ranking->count;
    const double *const speeds = ranking->speeds;
    struct error ignored;
    if (!count || ranks_correlation(&out->bound, ranking->bounds, speeds, count, &ignored) ||
        ranks_correlation(&out->prior, ranking->priors, speeds, count, &ignored) ||
        ranks_correlation(&out->code, ranking->codes, speeds, count, &ignored))
        return;
    out->has_code = ranking->subject->nvrtc != NULL;
    out->above = count_above(ranking, out->has_code ? ranking->codes : ranking->bounds);
    out->count = count;
}

static void rank(struct compare_evidence *out, const struct journal *journal,
                 const struct analysis_subject *subject, struct terminal_progress *progress)
{
    const size_t most = journal->count + 1;
    struct ranking ranking = {.subject = subject,
                              .bounds = calloc(4 * most, sizeof *ranking.bounds),
                              .codes_known = calloc(most, sizeof *ranking.codes_known)};
    if (ranking.bounds && ranking.codes_known) {
        ranking.priors = ranking.bounds + most;
        ranking.codes = ranking.priors + most;
        ranking.speeds = ranking.codes + most;
        for (size_t i = 0; i < journal->count; i++) {
            add_trial(&ranking, &journal->trials[i]);
            terminal_progress_show(progress, i + 1, journal->count, "candidates ranked");
        }
        correlate(out, &ranking);
    }
    free(ranking.bounds);
    free(ranking.codes_known);
}

void compare_journal_rank(struct compare_evidence *out, const char *cache,
                          const struct record *record, const struct compare_input *input,
                          bool with_code, struct terminal_progress *progress)
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
                                                 .config = kernel.rung.config,
                                                 .peak_bytes = input->side.peak_bytes,
                                                 .clock_khz = input->clock_khz,
                                                 .nvrtc = with_code ? input->nvrtc : NULL};
        rank(out, &journal, &subject, progress);
        compare_kernel_close(&kernel);
    }
    journal_close(&journal);
}
