/* many_keep: results wait by kind of device, so that those which came together are saved together; a rank
 * has its next problem once its last is saved. */
#include "autotune/many/many_keep.h"

#include "autotune/cli/output.h"
#include "autotune/cli/problem_file.h"
#include "autotune/cli/setup.h"
#include "autotune/device/monotonic.h"
#include "autotune/many/many_deal.h"
#include "autotune/many/many_files.h"
#include "autotune/print/csv.h"
#include "autotune/tune/tune_list_line.h"
#include "autotune/tune/tune_replay.h"
#include "cache/file.h"
#include "generator/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_CHARS = 64, RECORDS_BYTES_MAX = 256 << 20 };

struct rank {
    char host[HOST_CHARS];
    int kind;
    struct text hello; /* until all have come */
    bool has_hello, waits, has_records, has_stopped;
    bool has_result; /* which waits for being saved */
};

/* What a rank has sent of a problem. */
struct result {
    uint32_t rank, problem;
    enum list_outcome outcome;
    double seconds;
    const struct record *known; /* of LIST_KNOWN */
    size_t record;              /* of `records`, where it is new */
    struct error error;         /* of LIST_FAILED */
};

struct kind {
    char gpu[128];
    bool is_host;
    enum { NEW, IS_LOOKED_AT, IS_DEALT } state;
    struct text bytes;               /* of its record file as it was */
    struct records known;            /* the same */
    char (*problems)[PROBLEM_CHARS]; /* of these */
    struct result *results;          /* that wait for being saved */
    size_t result_count;
    struct records records; /* of these */
};

struct many_keep {
    struct many_keep_options options;
    struct many_files files;
    struct many_deal *deal;
    struct rank *ranks;
    uint32_t hello_count;
    struct kind *kinds;
    size_t kind_count, next_kind; /* next_kind: whose results are saved next */
    struct tune_list_lines lines;
    double start;
    bool is_stopped;
    struct error end;     /* why not all was done */
    struct error output;  /* of the lines */
    bool has_lost_trials; /* which was told */
};

static void send(struct many_keep *keep, uint32_t rank, enum many_letter kind,
                 struct text *letter)
{
    const struct many_post *post = keep->options.post;
    post->send(post->context, rank, kind, letter);
}

/* The first reason counts. */
static void end_all(struct many_keep *keep, const struct error *cause)
{
    if (keep->end.code == ERROR_NONE)
        keep->end = *cause;
    many_keep_stop(keep);
}

static void dispose_kind(struct kind *kind)
{
    text_dispose(&kind->bytes);
    store_dispose(&kind->known);
    free(kind->problems);
    free(kind->results);
    store_dispose(&kind->records);
}

static void dispose(struct many_keep *keep)
{
    for (size_t i = 0; i < keep->kind_count; i++)
        dispose_kind(&keep->kinds[i]);
    free(keep->kinds);
    for (uint32_t i = 0; keep->ranks && i < keep->options.ranks; i++)
        text_dispose(&keep->ranks[i].hello);
    free(keep->ranks);
    many_deal_close(keep->deal);
    many_files_close(&keep->files);
    tune_list_lines_dispose(&keep->lines);
    free(keep);
}

/* --- Lines -------------------------------------------------------------------------------- */

static void add_line(struct many_keep *keep, uint32_t problem, const char *host,
                     const struct record *record, enum list_outcome outcome, double seconds,
                     const struct error *cause)
{
    const struct tune_list_line result = {.place = problem,
                                          .count = keep->options.file->count,
                                          .record = record,
                                          .outcome = outcome,
                                          .seconds = seconds,
                                          .cause = cause,
                                          .host = host};
    struct error ignored;
    const bool is_first = keep->output.code == ERROR_NONE;
    tune_list_lines_add(&keep->lines, &result, is_first ? &keep->output : &ignored);
}

static void add_failure(struct many_keep *keep, size_t kind, uint32_t problem, const char *host,
                        const struct error *cause)
{
    struct record record = {.problem = keep->options.file->at[problem].problem};
    snprintf(record.gpu, sizeof record.gpu, "%s", keep->kinds[kind].gpu);
    many_deal_settle(keep->deal, kind, problem);
    add_line(keep, problem, host, &record, LIST_FAILED, 0, cause);
}

/* --- Greetings ---------------------------------------------------------------------------- */

static int check_hello(const struct many_keep *keep, uint32_t rank, struct error *error)
{
    const struct text *hello = &keep->ranks[rank].hello, *first = &keep->ranks[0].hello;
    const char *version = many_letter_string(hello, "version");
    const int code = (int)many_letter_number(hello, "code");
    char name[96];
    snprintf(name, sizeof name, "rank %" PRIu32 " on %s", rank, keep->ranks[rank].host);
    if (strcmp(version, VERSION) != 0)
        return error_set(error, ERROR_USAGE,
                         "%s has version %s of autotune: start the same everywhere", name,
                         version);
    if (code != ERROR_NONE)
        return error_set_lines(error, (enum error_code)code, "%s: %s", name,
                               many_letter_string(hello, "error"));
    if (many_letter_number(hello, "count") != keep->options.file->count ||
        many_letter_number(hello, "hash") != many_letter_number(first, "hash"))
        return error_set(error, ERROR_USAGE,
                         "%s has other templates, spaces, options or another list than "
                         "rank 0: give all the same",
                         name);
    return 0;
}

/* The texts of the known records' problems, by which lines are compared with them. */
static int format_known(struct kind *kind, struct error *error)
{
    kind->problems = calloc(kind->known.count + 1, sizeof *kind->problems);
    if (!kind->problems)
        return error_memory(error, (kind->known.count + 1) * sizeof *kind->problems);
    for (size_t i = 0; i < kind->known.count; i++)
        problem_format(kind->problems[i], &kind->known.at[i].problem);
    return 0;
}

static int load_kind(const struct many_keep *keep, struct kind *kind, struct error *error)
{
    struct text path = {0};
    int failed = many_files_path(&path, &keep->files, kind->gpu, error);
    if (!failed && file_read(&kind->bytes, path.at, RECORDS_BYTES_MAX, error) == FILE_REFUSED) {
        output_warn("%s", error->text);
        text_clear(&kind->bytes);
    }
    failed = failed ||
             (kind->bytes.length && store_load_bytes(&kind->known, path.at, kind->bytes.at,
                                                     kind->bytes.length, error)) ||
             format_known(kind, error);
    text_dispose(&path);
    return failed ? -1 : 0;
}

static int join(struct many_keep *keep, uint32_t number, struct error *error)
{
    struct rank *rank = &keep->ranks[number];
    rank->kind =
        many_deal_join(keep->deal, number, many_letter_string(&rank->hello, "kind"), error);
    if (rank->kind < 0)
        return -1;
    if ((size_t)rank->kind < keep->kind_count)
        return 0;
    if (array_grow(&keep->kinds, keep->kind_count, sizeof *keep->kinds, error))
        return -1;
    struct kind *kind = &keep->kinds[keep->kind_count++];
    *kind = (struct kind){.state = NEW};
    kind->is_host = many_letter_number(&rank->hello, "is_host");
    snprintf(kind->gpu, sizeof kind->gpu, "%s", many_letter_string(&rank->hello, "gpu"));
    return load_kind(keep, kind, error);
}

/* Nothing is begun before all were found to have the same. */
static void greet_all(struct many_keep *keep)
{
    struct error error;
    int failed = 0;
    for (uint32_t i = 0; i < keep->options.ranks && !failed; i++)
        failed = check_hello(keep, i, &error);
    for (uint32_t i = 0; i < keep->options.ranks && !failed; i++)
        failed = join(keep, i, &error);
    for (uint32_t i = 0; i < keep->options.ranks; i++)
        text_dispose(&keep->ranks[i].hello);
    if (failed)
        end_all(keep, &error);
}

static void take_hello(struct many_keep *keep, uint32_t number, struct text *letter)
{
    struct rank *rank = &keep->ranks[number];
    if (rank->has_hello)
        return;
    rank->has_hello = true;
    rank->hello = *letter;
    *letter = (struct text){0};
    snprintf(rank->host, sizeof rank->host, "%s", many_letter_string(&rank->hello, "host"));
    if (++keep->hello_count == keep->options.ranks)
        greet_all(keep);
}

/* --- Giving problems out ------------------------------------------------------------------ */

static void add_records(struct many_keep *keep, struct rank *rank, struct text *letter)
{
    const struct kind *kind = &keep->kinds[rank->kind];
    if (rank->has_records || !kind->known.count)
        return;
    rank->has_records = true;
    many_letter_addf(letter, "gpu", "%s", kind->gpu);
    many_letter_add(letter, "records", kind->bytes.at, kind->bytes.length);
}

/* The known record of a problem and a space; NULL. Where the space is NULL, for it is not known: that of the
 * problem, unless there are some of several spaces. */
static const struct record *find_known(const struct kind *kind, const char *problem,
                                       const char *space)
{
    const struct record *found = NULL;
    for (size_t i = 0; i < kind->known.count; i++) {
        const struct record *record = &kind->known.at[i];
        if (strcmp(kind->problems[i], problem) != 0)
            continue;
        if (space && strcmp(record->space, space) == 0)
            return record;
        if (!space && found && strcmp(record->space, found->space) != 0)
            return NULL;
        if (!space && !found)
            found = record;
    }
    return found;
}

/* From now on problems of the kind are given out. What one takes is not known but where there are trials of
 * a record that does not answer any more; else it goes by its bytes. */
static void begin_dealing(struct many_keep *keep, size_t number)
{
    struct kind *kind = &keep->kinds[number];
    const struct problem_file *file = keep->options.file;
    char text[PROBLEM_CHARS];
    kind->state = IS_DEALT;
    for (uint32_t i = 0; i < file->count; i++) {
        const struct problem *problem = &file->at[i].problem;
        const uint64_t n =
            file->at[i].has_n ? dims_n(&problem->dims) : setup_usual_n(kind->is_host);
        const struct record *record =
            many_deal_is_done(keep->deal, number, i)
                ? NULL
                : find_known(kind, problem_format(text, problem), NULL);
        many_deal_expect(keep->deal, number, i,
                         record ? tune_replay_seconds(record, keep->files.read_from.at, 1) : 0,
                         (double)n * problem_types[problem->type].bytes);
    }
}

/* Which problems are known only a process with the device can say; there is one for all, where any can
 * be. */
static void give(struct many_keep *keep, uint32_t number)
{
    struct rank *rank = &keep->ranks[number];
    struct kind *kind = &keep->kinds[rank->kind];
    const struct request *request = keep->options.request;
    struct text letter = {0};
    uint32_t problem;
    if (kind->state == NEW && kind->known.count && !request->retune) {
        kind->state = IS_LOOKED_AT;
        add_records(keep, rank, &letter);
        rank->waits = false;
        send(keep, number, MANY_PLAN, &letter);
        return;
    }
    if (kind->state == NEW)
        begin_dealing(keep, (size_t)rank->kind);
    if (kind->state != IS_DEALT || !many_deal_next(keep->deal, number, &problem))
        return;
    many_letter_addf(&letter, "problem", "%" PRIu32, problem);
    add_records(keep, rank, &letter);
    rank->waits = false;
    send(keep, number, MANY_TUNE, &letter);
}

static void give_all(struct many_keep *keep)
{
    for (uint32_t i = 0; i < keep->options.ranks && keep->kind_count && !keep->is_stopped; i++)
        if (keep->ranks[i].waits)
            give(keep, i);
}

/* --- Trials ------------------------------------------------------------------------------- */

static void answer(struct many_keep *keep, uint32_t number, const struct text *letter)
{
    struct text out = {0}, bytes = {0};
    struct error error;
    uint64_t time;
    many_letter_addf(&out, "problem", "%s", many_letter_string(letter, "problem"));
    if (many_files_read_journal(&bytes, &time, &keep->files,
                                many_letter_string(letter, "journal"), &error))
        output_warn("%s", error.text);
    else if (bytes.length) {
        many_letter_add(&out, "bytes", bytes.at, bytes.length);
        many_letter_addf(&out, "time", "%" PRIu64, time);
    }
    text_dispose(&bytes);
    send(keep, number, MANY_ANSWER, &out);
}

/* That trials cannot be kept costs no result. */
static void keep_trials(struct many_keep *keep, const struct text *letter)
{
    struct error error;
    size_t length, at = 0;
    const char *bytes = many_letter_next(letter, "bytes", &length, &at);
    if (keep->options.request->replay || !bytes ||
        many_files_append(&keep->files, many_letter_string(letter, "journal"), bytes, length,
                          many_letter_number(letter, "from"),
                          many_letter_number(letter, "time"), &error) == 0)
        return;
    if (!keep->has_lost_trials)
        output_warn("%s: trials are not kept", error.text);
    keep->has_lost_trials = true;
}

/* --- Results ------------------------------------------------------------------------------ */

/* The rows of a plan: those that are done are so, but where a problem has records of several spaces: the rank
 * that gets it says which. Where the look failed, there are none. */
static void take_plan(struct many_keep *keep, uint32_t number, const struct text *letter)
{
    const size_t kind = (size_t)keep->ranks[number].kind;
    const size_t count = keep->options.file->count;
    struct csv csv;
    struct error ignored;
    size_t length, at = 0;
    const char *plan = many_letter_next(letter, "plan", &length, &at);
    if (!length || csv_load(&csv, "plan", plan, length, &ignored)) {
        begin_dealing(keep, kind);
        return;
    }
    const int line = csv_find(&csv, "line"), state = csv_find(&csv, "state");
    const int problem = csv_find(&csv, "problem");
    for (size_t row = 0; row < csv.rows; row++) {
        const uint32_t place = (uint32_t)strtoul(csv_at(&csv, row, line), NULL, 10) - 1;
        const struct record *record =
            find_known(&keep->kinds[kind], csv_at(&csv, row, problem), NULL);
        if (strcmp(csv_at(&csv, row, state), "done") != 0 || !record || place >= count)
            continue;
        many_deal_settle(keep->deal, kind, place);
        add_line(keep, place, keep->ranks[number].host, record, LIST_KNOWN, 0, NULL);
    }
    csv_dispose(&csv);
    begin_dealing(keep, kind);
}

/* A process that gave no result would give none of the next problem either: others have it. */
static void lose(struct many_keep *keep, uint32_t number, const char *why)
{
    const struct rank *rank = &keep->ranks[number];
    const size_t kind = (size_t)rank->kind;
    struct error error;
    uint32_t problem;
    const bool has = many_deal_has(keep->deal, number, &problem);
    const bool waits = many_deal_lose(keep->deal, number);
    output_warn("rank %" PRIu32 " on %s gets no more to do: its autotune %s", number,
                rank->host, why);
    if (has && !waits) {
        error_set(&error, ERROR_FAILED, "%d ranks gave no result: the last one's autotune %s",
                  MANY_DEAL_TRIES, why);
        add_failure(keep, kind, problem, rank->host, &error);
    }
    error_set(&error, ERROR_NO_DEVICE, "no rank with such a device is left: start it again");
    int64_t open;
    while (!many_deal_serving(keep->deal, kind) &&
           (open = many_deal_open_problem(keep->deal, kind)) >= 0)
        add_failure(keep, kind, (uint32_t)open, rank->host, &error);
}

/* The record of a result goes to those that wait. */
static int take_record(struct result *out, struct kind *kind, const struct text *letter,
                       struct error *error)
{
    struct records one;
    size_t length, at = 0;
    const char *bytes = many_letter_next(letter, "record", &length, &at);
    if (!bytes)
        return error_set(error, ERROR_FAILED, "it came without its record");
    if (store_load_bytes(&one, "a rank's record", bytes, length, error))
        return -1;
    const int failed =
        one.count != 1
            ? error_set(error, ERROR_FAILED, "its record came damaged: %.300s", one.reason.text)
            : store_copy(&kind->records, &one, &one.at[0], error);
    store_dispose(&one);
    out->record = kind->records.count - 1;
    return failed;
}

static bool is_new(const struct result *result)
{
    return result->outcome == LIST_TUNED || result->outcome == LIST_RECORDED;
}

/* What became of the problem that the rank had. */
static void read_result(struct result *out, struct kind *kind, const struct text *letter)
{
    struct error *error = &out->error;
    out->outcome = tune_list_line_outcome(many_letter_string(letter, "outcome"));
    out->seconds = strtod(many_letter_string(letter, "seconds"), NULL);
    int failed = 0;
    if (is_new(out)) {
        failed = take_record(out, kind, letter, error);
    } else if (out->outcome == LIST_KNOWN) {
        out->known = find_known(kind, many_letter_string(letter, "text"),
                                many_letter_string(letter, "space"));
        if (!out->known)
            failed = error_set(error, ERROR_FAILED, "it is known, but not to rank 0");
    } else {
        const unsigned code = (unsigned)many_letter_number(letter, "code");
        failed = error_set_lines(error, code ? (enum error_code)code : ERROR_FAILED, "%s",
                                 many_letter_string(letter, "error"));
    }
    if (failed)
        out->outcome = LIST_FAILED;
}

static void take_next(struct many_keep *keep, uint32_t number, const struct text *letter)
{
    struct rank *rank = &keep->ranks[number];
    struct kind *kind = rank->kind < 0 ? NULL : &keep->kinds[rank->kind];
    struct error error;
    uint32_t problem;
    const bool has = kind && many_deal_has(keep->deal, number, &problem);
    rank->waits = !has;
    if (kind && kind->state == IS_LOOKED_AT && *many_letter_string(letter, "is_plan"))
        take_plan(keep, number, letter);
    if (!has || rank->has_result || problem != many_letter_number(letter, "problem"))
        return;
    if (*many_letter_string(letter, "lost")) {
        lose(keep, number, many_letter_string(letter, "lost"));
    } else if (array_grow(&kind->results, kind->result_count, sizeof *kind->results, &error)) {
        end_all(keep, &error);
    } else {
        struct result *result = &kind->results[kind->result_count++];
        *result = (struct result){.rank = number, .problem = problem};
        read_result(result, kind, letter);
        rank->has_result = true;
    }
}

/* All that wait of a kind, in one write; then their ranks are free. */
static void save(struct many_keep *keep, struct kind *kind)
{
    struct text path = {0};
    struct error lost, moved = {.code = ERROR_NONE};
    const int failed =
        kind->records.count && (many_files_path(&path, &keep->files, kind->gpu, &lost) ||
                                store_save(path.at, &kind->records, &moved, &lost));
    text_dispose(&path);
    if (!failed && moved.code != ERROR_NONE)
        output_warn("%s", moved.text);
    for (size_t i = 0; i < kind->result_count; i++) {
        struct result *result = &kind->results[i];
        struct rank *rank = &keep->ranks[result->rank];
        if (is_new(result) && failed) {
            result->outcome = LIST_FAILED;
            result->error = lost;
        }
        many_deal_done(keep->deal, result->rank);
        if (result->outcome == LIST_FAILED)
            add_failure(keep, (size_t)rank->kind, result->problem, rank->host, &result->error);
        else
            add_line(keep, result->problem, rank->host,
                     result->known ? result->known : &kind->records.at[result->record],
                     result->outcome, result->seconds, NULL);
        rank->has_result = false;
        rank->waits = true;
    }
    kind->result_count = 0;
    store_dispose(&kind->records);
    kind->records = (struct records){.count = 0};
}

/* --- Letters and steps -------------------------------------------------------------------- */

void many_keep_take(struct many_keep *keep, uint32_t rank, enum many_letter kind,
                    struct text *letter)
{
    switch (kind) {
    case MANY_HELLO: take_hello(keep, rank, letter); break;
    case MANY_NEXT: take_next(keep, rank, letter); break;
    case MANY_ASK: answer(keep, rank, letter); break;
    case MANY_TRIALS: keep_trials(keep, letter); break;
    case MANY_STOPPED: keep->ranks[rank].has_stopped = true; break;
    default: break;
    }
}

void many_keep_step(struct many_keep *keep)
{
    for (size_t i = 0; i < keep->kind_count; i++) {
        struct kind *kind = &keep->kinds[keep->next_kind++ % keep->kind_count];
        if (!kind->result_count)
            continue;
        save(keep, kind);
        break;
    }
    give_all(keep);
}

void many_keep_stop(struct many_keep *keep)
{
    if (keep->is_stopped)
        return;
    keep->is_stopped = true;
    for (uint32_t i = 0; i < keep->options.ranks; i++) {
        struct text letter = {0};
        send(keep, i, MANY_STOP, &letter);
    }
}

static bool is_saved(const struct many_keep *keep)
{
    for (size_t i = 0; i < keep->kind_count; i++)
        if (keep->kinds[i].result_count)
            return false;
    return true;
}

bool many_keep_is_over(const struct many_keep *keep)
{
    if (!is_saved(keep) || keep->hello_count < keep->options.ranks)
        return false;
    for (uint32_t i = 0; keep->is_stopped && i < keep->options.ranks; i++)
        if (!keep->ranks[i].has_stopped)
            return false;
    for (size_t i = 0; !keep->is_stopped && i < keep->kind_count; i++)
        if (many_deal_open_problem(keep->deal, i) >= 0)
            return false;
    return true;
}

/* --- Begin and end ------------------------------------------------------------------------ */

/* Is it the first rank of a host that is not rank 0's? */
static bool is_first_of_host(const struct many_keep *keep, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++)
        if (strcmp(keep->ranks[i].host, keep->ranks[rank].host) == 0)
            return false;
    return rank > 0;
}

static void add_record_files(struct many_keep *keep, struct text *letter)
{
    for (size_t i = 0; i < keep->kind_count; i++) {
        struct text path = {0}, bytes = {0};
        struct error error;
        if (many_files_path(&path, &keep->files, keep->kinds[i].gpu, &error) ||
            file_read(&bytes, path.at, RECORDS_BYTES_MAX, &error) == FILE_REFUSED) {
            output_warn("%s", error.text);
        } else if (bytes.length) {
            many_letter_add(letter, "gpu", keep->kinds[i].gpu, strlen(keep->kinds[i].gpu));
            many_letter_add(letter, "records", bytes.at, bytes.length);
        }
        text_dispose(&bytes);
        text_dispose(&path);
    }
}

void many_keep_end(struct many_keep *keep)
{
    for (uint32_t i = 0; i < keep->options.ranks; i++) {
        struct text letter = {0};
        if (keep->options.is_broadcast && !keep->is_stopped && is_first_of_host(keep, i))
            add_record_files(keep, &letter);
        send(keep, i, MANY_END, &letter);
    }
}

struct many_keep *many_keep_open(const struct many_keep_options *options, struct error *error)
{
    const struct request *request = options->request;
    struct many_keep *keep = calloc(1, sizeof *keep);
    if (!keep) {
        error_memory(error, sizeof *keep);
        return NULL;
    }
    *keep = (struct many_keep){.options = *options,
                               .files = {.lock = -1},
                               .ranks = calloc(options->ranks, sizeof *keep->ranks),
                               .start = monotonic_s()};
    tune_list_lines_open(&keep->lines, &request->out);
    int failed = keep->ranks ? 0 : error_memory(error, options->ranks * sizeof *keep->ranks);
    for (uint32_t i = 0; !failed && i < options->ranks; i++)
        keep->ranks[i].kind = -1;
    keep->deal =
        failed ? NULL : many_deal_open(options->ranks, (uint32_t)options->file->count, error);
    if (keep->deal &&
        many_files_open(&keep->files, request->cache, request->replay, error) == 0)
        return keep;
    dispose(keep);
    return NULL;
}

/* Where ranks were refused nothing has begun. */
static void note_sum(const struct many_keep *keep)
{
    const uint32_t ranks = keep->options.ranks;
    const size_t *counts = keep->lines.counts;
    if (!keep->kind_count)
        return;
    output_note(&keep->options.request->out,
                "list      %zu tuned, %zu known, %zu failed by %" PRIu32
                " rank%s in %.2f s; records in %s\n",
                counts[LIST_TUNED] + counts[LIST_RECORDED], counts[LIST_KNOWN],
                counts[LIST_FAILED], ranks, ranks == 1 ? "" : "s", monotonic_s() - keep->start,
                keep->files.folder.at);
}

/* What ended the list before its end. */
static int find_end(const struct many_keep *keep, struct error *error)
{
    if (keep->end.code != ERROR_NONE)
        return error_set_lines(error, keep->end.code, "%s", keep->end.text);
    if (keep->is_stopped)
        return error_set(error, ERROR_INTERRUPTED,
                         "interrupted: what was measured is kept, and the same command goes on "
                         "from there");
    return 0;
}

int many_keep_close(struct many_keep *keep, struct error *error)
{
    note_sum(keep);
    int failed = find_end(keep, error);
    failed = tune_list_lines_end(&keep->lines, failed, error);
    if (!failed && keep->output.code != ERROR_NONE)
        failed = error_set_lines(error, keep->output.code, "%s", keep->output.text);
    dispose(keep);
    return failed ? -1 : 0;
}
