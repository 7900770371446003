/* tune_replay: reads journals in place of measuring. As a finished run one has no race, so that the
 * least median wins. */
#include "autotune/tune/tune_replay.h"

#include "autotune/cli/output.h"
#include "autotune/measure/stats.h"
#include "autotune/print/figures.h"
#include "autotune/search/replay.h"
#include "autotune/tune/tune_save.h"
#include "cache/journal.h"
#include "cache/journal_header.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* --- A record ----------------------------------------------------------------------------- */

/* Loads the journal of the record's key; the record gets when the file was written. */
static int load(struct journal *journal, struct record *out, const char *folder,
                struct error *error)
{
    struct text path = {0};
    struct record found;
    struct stat status;
    struct tm utc;
    int failed = journal_path(&path, folder, out, error) ||
                 journal_load(journal, &found, path.at, error);
    const char *other =
        failed ? NULL : journal_header_difference(JOURNAL_HEADER_READ, &found, out);
    if (other) {
        failed = error_set(error, ERROR_IO, "%s: its %s is another: tune without --replay",
                           path.at, other);
        journal_close(journal);
    }
    if (!failed && stat(path.at, &status) == 0 && gmtime_r(&status.st_mtime, &utc))
        strftime(out->tuned, sizeof out->tuned, "%Y-%m-%dT%H:%M:%SZ", &utc);
    text_dispose(&path);
    return failed ? -1 : 0;
}

static uint64_t median(const struct journal_trial *line)
{
    const struct trial *trial = &line->trial;
    uint64_t times[TRIAL_SAMPLES];
    if (trial->status != TRIAL_MEASURED || trial->time_count == 0)
        return 0;
    memcpy(times, trial->times_ps, trial->time_count * sizeof *times);
    return stats_median(times, trial->time_count);
}

/* A later trial of the same identity is in its place. */
static bool is_replaced(const struct journal *journal, const struct journal_trial *line)
{
    for (const struct journal_trial *later = line + 1; later < journal->trials + journal->count;
         later++)
        if (later->identity == line->identity)
            return true;
    return false;
}

/* Of those that took so long the first by its params, in whatever order they were tried. */
static const struct journal_trial *find_trial(const struct journal *journal, uint64_t ps)
{
    const struct journal_trial *best = NULL;
    for (size_t i = 0; i < journal->count; i++) {
        const struct journal_trial *line = &journal->trials[i];
        if (median(line) == ps && (!best || strcmp(line->params, best->params) < 0) &&
            !is_replaced(journal, line))
            best = line;
    }
    return best;
}

static int take(struct record *out, const struct setup *setup, const struct journal_trial *line,
                struct error *error)
{
    const struct trial *trial = &line->trial;
    int64_t config[SPACE_NAMES_MAX];
    if (point_parse_record(setup->space, line->params, config, error))
        return -1;
    out->space_hash = setup->space->hash;
    tune_save_config(out, setup, config);
    out->median_ps = out->low_ps = out->high_ps = median(line);
    for (size_t i = 0; i < trial->time_count; i++) {
        out->low_ps = trial->times_ps[i] < out->low_ps ? trial->times_ps[i] : out->low_ps;
        out->high_ps = trial->times_ps[i] > out->high_ps ? trial->times_ps[i] : out->high_ps;
    }
    out->registers = trial->registers;
    return 0;
}

int tune_replay_record(struct record *out, const struct setup *setup, const char *folder,
                       struct error *error)
{
    const struct replay_options options = {.strategy = STRATEGY_EXHAUSTIVE, .compilers = 1};
    struct replay_result all;
    struct journal journal;
    setup_record(out, setup);
    if (load(&journal, out, folder, error))
        return -1;
    int failed = replay_run(&all, &journal, &options, error);
    const struct journal_trial *best = failed ? NULL : find_trial(&journal, all.best_ps);
    assert(failed || best);
    if (best) {
        failed = take(out, setup, best, error);
        out->candidates = (unsigned)all.candidates;
    }
    journal_close(&journal);
    return failed;
}

double tune_replay_seconds(const struct record *record, const char *folder, unsigned compilers)
{
    const struct replay_options options = {.strategy = STRATEGY_EXHAUSTIVE,
                                           .compilers = compilers};
    struct replay_result all;
    struct journal journal;
    struct record key = *record;
    struct error ignored;
    if (load(&journal, &key, folder, &ignored))
        return 0;
    const int failed = replay_run(&all, &journal, &options, &ignored);
    journal_close(&journal);
    return failed ? 0 : all.seconds;
}

/* --- Strategies --------------------------------------------------------------------------- */

enum { COMPILERS = 15 }; /* at a time: as on a machine of 16 cores and one GPU */

static const struct table_column columns[] = {
    {"strategy", "strategy", false},
    {"seed", "seed", true},
    {"evaluations", "evaluations", true},
    {"until near", "until_near", true},
    {"s", "seconds", true},
    {"s until near", "seconds_until_near", true},
    {"found us", "found_us", true},
    {"best us", "best_us", true},
    {"x best", "ratio", true},
};

static void add_strategy(struct table *table, const struct request *request,
                         enum strategy strategy, const struct replay_result *result)
{
    char found[NUMBER_CHARS], best[NUMBER_CHARS];
    table_add(table, strategy_names[strategy]);
    table_addf(table, "%" PRIu64, request->seed);
    table_addf(table, "%zu", result->tried);
    table_add_number(table, result->until_near > 0, 0, (double)result->until_near);
    table_addf(table, "%.2f", result->seconds);
    table_add_number(table, result->seconds_until_near >= 0, 2, result->seconds_until_near);
    table_add(table, result->found_ps ? figures_us(found, result->found_ps) : NULL);
    table_add(table, figures_us(best, result->best_ps));
    table_add_number(table, result->found_ps > 0, 4,
                     (double)result->found_ps / (double)result->best_ps);
}

/* The noise that the search used. */
static double find_noise(const struct journal *journal)
{
    uint64_t *times = malloc((journal->count + 1) * sizeof *times);
    size_t count = 0;
    for (size_t i = 0; times && i < journal->count; i++)
        if (journal->trials[i].trial.reference_ps)
            times[count++] = journal->trials[i].trial.reference_ps;
    const double noise = stats_spread(times, count);
    free(times);
    return noise;
}

static int replay_one(struct table *table, const struct request *request,
                      const struct journal *journal, enum strategy strategy,
                      struct error *error)
{
    const struct replay_options options = {.strategy = strategy,
                                           .seed = request->seed,
                                           .compilers = COMPILERS,
                                           .budget_s = request->budget_s,
                                           .noise = find_noise(journal)};
    struct replay_result result;
    if (replay_run(&result, journal, &options, error))
        return -1;
    add_strategy(table, request, strategy, &result);
    return 0;
}

static void note_journal(const struct request *request, const struct journal *journal,
                         const struct record *key)
{
    char problem[PROBLEM_CHARS];
    output_note(&request->out,
                "journal   %s on %s: %zu trials\n"
                "replay    'near' is within 1 %% of the best recorded; nothing is compiled or "
                "measured here:\n"
                "          seconds are what the journal's trials would take with %d processes "
                "that compile and one GPU\n",
                problem_format(problem, &key->problem), key->gpu, journal->count, COMPILERS);
    if (journal->skipped)
        output_warn("%zu damaged line%s left out", journal->skipped,
                    journal->skipped == 1 ? " is" : "s are");
}

int tune_replay(const struct request *request, struct error *error)
{
    struct table table = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    struct journal journal;
    struct record key;
    int failed = 0;
    if (journal_load(&journal, &key, request->replay, error))
        return -1;
    note_journal(request, &journal, &key);
    for (size_t i = 0; i < STRATEGY_COUNT && !failed; i++)
        if (request->has_strategy ? i == request->strategy : i != STRATEGY_COVER)
            failed = replay_one(&table, request, &journal, (enum strategy)i, error);
    if (!failed)
        failed = output_table(&request->out, &table, NULL, error);
    table_dispose(&table);
    journal_close(&journal);
    return failed;
}
