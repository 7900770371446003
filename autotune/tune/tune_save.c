/* tune_save: writes the winner's record and opens the journal. Params are text in a record, the
 * only part that can be too long for it. */
#include "autotune/tune/tune_save.h"

#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/device/monotonic.h"
#include "autotune/print/figures.h"
#include "autotune/verify/check_small.h"
#include "cache/code.h"
#include "cache/verified.h"
#include "generator/operation_param.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    LOOK_MS = 200,   /* between looks at a journal that another process has */
    STALLED_S = 600, /* without a trial */
};

/* --- The record --------------------------------------------------------------------------- */

int tune_save_check(const struct space *space, struct error *error)
{
    enum { HOLDS = sizeof((struct record *)0)->params - 1 };
    size_t length = 0;
    for (size_t i = 0; i < space->param_count; i++) {
        const struct param *param = &space->params[i];
        size_t longest = 0;
        for (size_t k = 0; k < param->count; k++) {
            struct text value = {0};
            point_format_value(&value, param, param->values[k]);
            longest = value.length > longest ? value.length : longest;
            text_dispose(&value);
        }
        length += strlen(param->name) + 2 + longest; /* '=' and the blank before the next */
    }
    if (length <= HOLDS + 1)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "%s: the params of a variant may take %zu characters, and a "
                     "record holds %d: shorten names and values",
                     space->file, length - 1, HOLDS);
}

/* Candidates without any result, because the budget was over or the compiler lacked
 * something; 0 when all were tried that are to be tried. */
static uint64_t count_untried(const struct tune_result *result)
{
    uint64_t untried = result->points.count;
    for (size_t i = 0; i < TRIAL_STATUSES; i++)
        untried -= result->counts[i];
    return result->is_cut || result->lacking.code != ERROR_NONE ? untried : 0;
}

/* With which params times were measured. */
static void save_given(struct record *record, const struct problem *problem)
{
    struct text given = {0};
    problem_add_params(&given, problem);
    snprintf(record->given, sizeof record->given, "%s", given.at ? given.at + 1 : "");
    text_dispose(&given);
}

void tune_save_config(struct record *record, const struct setup *setup, const int64_t *config)
{
    struct text params = {0};
    struct error ignored; /* it was compiled, so emitting it cannot fail */
    point_format(&params, setup->space, config, true);
    snprintf(record->params, sizeof record->params, "%s", params.at ? params.at : "");
    text_dispose(&params);
    save_given(record, &setup->problem);
    if (code_hash(&record->code, record, config, &setup->context, &setup->sources, &ignored))
        record->code = 0;
}

/* What another config took by turns with the winner, had it the winner's time, with the 95 % interval
 * of their ratio. */
struct beside {
    uint64_t ps, low_ps, high_ps; /* 0 = it was not there */
};

static struct beside beside_winner(const struct tune_result *result, const int64_t *config)
{
    const struct finalist *winner = &result->finalists[result->winner];
    const double unit = (double)winner->median_ps / winner->ratio;
    const struct tune_place *place = tune_result_place(result, config);
    return place ? (struct beside){(uint64_t)llround(unit * place->ratio),
                                   (uint64_t)llround(unit * place->ratio_low),
                                   (uint64_t)llround(unit * place->ratio_high)}
                 : (struct beside){0, 0, 0};
}

void tune_save_shipped(struct record *record, const struct tune_result *result,
                       const int64_t *config)
{
    record->shipped_ps = beside_winner(result, config).ps;
}

void tune_save_note_replaced(const struct request *request, const struct record *record,
                             const struct tune_result *result,
                             const struct find_result *replaced)
{
    const struct beside before = beside_winner(result, replaced->config);
    char was[NUMBER_CHARS], is[NUMBER_CHARS], low[NUMBER_CHARS], high[NUMBER_CHARS];
    figures_us(is, record->median_ps);
    if (strcmp(record->params, replaced->record.params) == 0)
        output_note(
            &request->out,
            "replaces  a record of the same params: it said %s us, of %.10s, and now it is %s "
            "us; times of two days differ by clocks and temperature, too\n",
            figures_us(was, replaced->record.median_ps), replaced->record.tuned, is);
    else if (before.ps)
        output_note(
            &request->out,
            "replaces  a record: was %s us (95 %% interval %s to %s), is %s us, by turns\n",
            figures_us(was, before.ps), figures_us(low, before.low_ps),
            figures_us(high, before.high_ps), is);
}

void tune_save_make(struct record *record, const struct setup *setup,
                    const struct tune_result *result)
{
    const struct finalist *winner = &result->finalists[result->winner];
    setup_record(record, setup);
    record->space_hash = setup->space->hash;
    tune_save_config(record, setup, winner->config);
    record->median_ps = winner->median_ps;
    record->low_ps = winner->low_ps;
    record->high_ps = winner->high_ps;
    const struct beside untuned = beside_winner(result, setup->space->default_config);
    record->default_ps = untuned.ps;
    record->default_low_ps = untuned.low_ps;
    record->default_high_ps = untuned.high_ps;
    record->ties = (unsigned)result->ties;
    record->registers = winner->registers;
    record->sm_mhz = result->reading.sm_mhz;
    record->memory_mhz = result->reading.memory_mhz;
    record->celsius = result->reading.celsius;
    record->milliwatts = result->reading.milliwatts;
    record->candidates = (unsigned)result->counts[TRIAL_MEASURED];
    record->untried = count_untried(result);
    if (winner->error >= 0)
        snprintf(record->error, sizeof record->error, "%.1e", winner->error);
    check_words(record->proof, &record->problem);
    tune_save_now(record->tuned);
}

void tune_save_now(char out[TUNE_SAVE_TIME_CHARS])
{
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(out, TUNE_SAVE_TIME_CHARS, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* One sentence for one fault, though the file was read and then moved. */
static void warn_of_file(const struct error *earlier, const struct error *moved)
{
    const bool has_moved = moved->code != ERROR_NONE;
    if (earlier && earlier->code != ERROR_NONE &&
        !(has_moved && strncmp(moved->text, earlier->text, strlen(earlier->text)) == 0))
        output_warn("%s", earlier->text);
    if (has_moved)
        output_warn("%s", moved->text);
}

/* That an operation's kernels of ours were proven; what keeps it from being noted is told of the records. */
static void note_proven(const char *folder, const struct record *record)
{
    const struct verified what = {&record->problem, record->gpu, record->driver};
    struct error ignored;
    if (record->problem.op->is_own &&
        strcmp(record->space, problem_space(&record->problem)) == 0)
        (void)verified_add(folder, &what, &ignored);
}

void tune_save_proven(const struct request *request, const struct setup *setup)
{
    struct text folder = {0};
    struct record record;
    struct error ignored;
    setup_record(&record, setup);
    if (!setup->sources.has_own_template && !setup->sources.has_own_space &&
        store_folder(&folder, request->cache, &ignored) == 0 && !folder.failed)
        note_proven(folder.at, &record);
    text_dispose(&folder);
}

int tune_save_write(struct text *path, const struct request *request,
                    const struct records *records, const struct error *earlier,
                    struct error *error)
{
    struct text folder = {0};
    struct error moved = {.code = ERROR_NONE};
    int failed = store_folder(&folder, request->cache, error) ||
                 store_path(path, folder.at, records->at->gpu, error) ||
                 store_save(path->at, records, &moved, error);
    if (!failed)
        warn_of_file(earlier, &moved);
    for (size_t i = 0; i < records->count && !failed; i++)
        note_proven(folder.at, &records->at[i]);
    text_dispose(&folder);
    return failed ? -1 : 0;
}

int tune_save_record(const struct request *request, const struct record *record,
                     const struct error *earlier, struct error *error)
{
    struct records one = {.count = 0};
    struct text path = {0};
    struct error cause;
    int failed = 0;
    if (dims_n(&record->problem.dims) == 0) { /* no request could be answered from it */
        output_note(&request->out,
                    "record    none is kept of n = 0, whose result is the identity\n");
    } else if (store_add(&one, record, &cause) ||
               tune_save_write(&path, request, &one, earlier, &cause)) {
        failed = error_set(error, ERROR_IO, "the record is not kept: %s", cause.text);
    } else {
        output_note(&request->out, "record    %s\n", path.at);
    }
    store_dispose(&one);
    text_dispose(&path);
    return failed;
}

/* --- The journal -------------------------------------------------------------------------- */

static void note_journal(const struct request *request, const struct journal *journal,
                         const char *path, const char *changed)
{
    if (*changed)
        output_note(&request->out,
                    "journal   %s: its %s is another now; set aside as %s and begun anew\n",
                    path, changed, journal->aside.at);
    else if (journal->count)
        output_note(&request->out, "journal   %s: %zu trials\n", path, journal->count);
    if (journal->skipped)
        output_warn("%s: %zu damaged lines are left out", path, journal->skipped);
}

static int find_journal(struct text *path, const struct request *request,
                        const struct record *key, struct error *error)
{
    struct text folder = {0};
    int failed = store_folder(&folder, request->cache, error) ||
                 journal_path(path, folder.at, key, error);
    text_dispose(&folder);
    return failed;
}

/* A finished tuning writes its record after the journal's last line. One from a future, of a clock that
 * was set back since, says nothing: no record would ever be newer. */
static bool is_older(const struct request *request, const struct setup *setup,
                     const struct record *record)
{
    struct text path = {0};
    struct record key;
    struct error ignored;
    struct stat status;
    struct tm utc = {0};
    setup_record(&key, setup);
    const bool is_there = find_journal(&path, request, &key, &ignored) == 0 &&
                          lstat(path.at, &status) == 0 && S_ISREG(status.st_mode);
    text_dispose(&path);
    return is_there && strptime(record->tuned, "%Y-%m-%dT%H:%M:%SZ", &utc) &&
           status.st_mtime > timegm(&utc) && status.st_mtime <= time(NULL);
}

const char *tune_save_unfinished(const struct request *request, const struct setup *setup,
                                 const struct record *record)
{
    if (problem_is_on_host(&record->problem))
        return NULL; /* it is of no search */
    if (record->untried && request->budget_s <= 0)
        return "of a search that left candidates untried";
    if (record->raced_only)
        return "of a sweep that raced what was at hand here, and did not search";
    if (record->space_hash != setup->space->hash)
        return "of the space before it was changed";
    return is_older(request, setup, record) ? "older than a tuning that was interrupted" : NULL;
}

/* Could the record be written? */
static int check_record(const struct request *request, const struct record *key,
                        struct error *error)
{
    struct text folder = {0}, path = {0};
    const int failed = store_folder(&folder, request->cache, error) ||
                       store_path(&path, folder.at, key->gpu, error) ||
                       store_check(path.at, error);
    text_dispose(&folder);
    text_dispose(&path);
    return failed;
}

/* Before the work: what cannot be kept of it. `trials`: why they cannot; NULL where they can. */
static void warn_lost(const struct request *request, const struct record *key,
                      const struct error *trials, struct tune_save_told *told)
{
    struct error record;
    const bool has_lost_record = check_record(request, key, &record) != 0;
    const bool has_trials = trials && !told->trials;
    const bool has_record = has_lost_record && !told->record;
    if (has_trials && has_record)
        output_warn("neither the trials nor the record can be kept: %s", trials->text);
    else if (has_trials)
        output_warn("the trials cannot be kept: %s", trials->text);
    else if (has_record)
        output_warn("the record cannot be kept: %s", record.text);
    told->trials = told->trials || has_trials;
    told->record = told->record || has_record;
}

void tune_save_warn(const struct request *request, const struct setup *setup)
{
    struct tune_save_told told = {.record = false};
    struct record key;
    setup_record(&key, setup);
    warn_lost(request, &key, NULL, &told);
}

/* What changes while its owner gets on: it is another file, or longer. */
struct progress {
    ino_t inode;
    off_t bytes;
    double since; /* s, by monotonic_s */
};

static bool has_stalled(struct progress *last, const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 &&
        (status.st_ino != last->inode || status.st_size != last->bytes))
        *last = (struct progress){status.st_ino, status.st_size, monotonic_s()};
    return monotonic_s() - last->since > STALLED_S;
}

/* Its owner is gone, or has the record, when the lock is free. */
static int wait_for_journal(struct journal *out, bool *has_waited, const char *path,
                            const struct request *request, const struct record *key,
                            char changed[32], struct error *error)
{
    const struct timespec step = {.tv_nsec = LOOK_MS * 1000000L};
    struct progress last = {.since = monotonic_s()};
    char problem[PROBLEM_CHARS];
    while (journal_open(out, path, key, request->retune, changed, error)) {
        if (error->code != ERROR_BUSY)
            return -1;
        if (has_stalled(&last, path))
            return error_set(error, ERROR_BUSY,
                             "another autotune is tuning %s on %s and has tried nothing for %d "
                             "minutes: end it, or wait for it (its journal: %.1000s)",
                             problem_format(problem, &key->problem), key->gpu, STALLED_S / 60,
                             path);
        if (interrupt_came())
            return error_set(error, ERROR_INTERRUPTED,
                             "interrupted while another autotune is tuning %s: nothing was "
                             "measured; run the same command again",
                             problem_format(problem, &key->problem));
        if (!*has_waited)
            output_note(&request->out,
                        "waiting   for another autotune, which is tuning %s on %s\n",
                        problem_format(problem, &key->problem), key->gpu);
        *has_waited = true;
        nanosleep(&step, NULL);
    }
    return 0;
}

int tune_save_journal(struct journal *out, struct tune_save_opened *opened,
                      const struct request *request, const struct setup *setup,
                      struct tune_save_told *told, struct error *error)
{
    struct text path = {0};
    struct record key;
    struct error cause;
    char changed[32] = "";
    *opened = (struct tune_save_opened){.is_open = false};
    if (dims_n(&setup->problem.dims) == 0)
        return 0;
    setup_record(&key, setup);
    const int failed =
        find_journal(&path, request, &key, &cause) ||
        wait_for_journal(out, &opened->has_waited, path.at, request, &key, changed, &cause);
    const bool is_error = failed && cause.code != ERROR_IO;
    if (!failed) {
        opened->is_open = true;
        note_journal(request, out, path.at, changed);
    } else if (is_error) {
        *error = cause;
    }
    if (!is_error)
        warn_lost(request, &key, failed ? &cause : NULL, told);
    text_dispose(&path);
    return is_error ? -1 : 0;
}
