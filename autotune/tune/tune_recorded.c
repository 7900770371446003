/* tune_recorded: reads a journal as a finished run. There is no race, so the least median wins. */
#include "autotune/tune/tune_recorded.h"

#include "autotune/measure/stats.h"
#include "autotune/search/replay.h"
#include "autotune/tune/tune_save.h"
#include "cache/journal.h"
#include "cache/journal_header.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Loads the journal of the setup's problem; `out` gets the key, and when the file was written. */
static int load(struct journal *journal, struct record *out, const struct setup *setup,
                const char *folder, struct error *error)
{
    struct text path = {0};
    struct record found;
    struct stat status;
    struct tm utc;
    setup_record(out, setup);
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

int tune_recorded_make(struct record *out, const struct setup *setup, const char *folder,
                       struct error *error)
{
    const struct replay_options options = {.strategy = STRATEGY_EXHAUSTIVE, .compilers = 1};
    struct replay_result all;
    struct journal journal;
    if (load(&journal, out, setup, folder, error))
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

double tune_recorded_seconds(const struct setup *setup, const char *folder, unsigned compilers)
{
    const struct replay_options options = {.strategy = STRATEGY_EXHAUSTIVE,
                                           .compilers = compilers};
    struct replay_result all;
    struct journal journal;
    struct record key;
    struct error ignored;
    if (load(&journal, &key, setup, folder, &ignored))
        return 0;
    const int failed = replay_run(&all, &journal, &options, &ignored);
    journal_close(&journal);
    return failed ? 0 : all.seconds;
}
