/* tune_serve: keeps a cache of its own in a temporary folder, in which the record file and the journals
 * that rank 0 sends are put: all else reads and writes there as any tuning does. Journal lines go to
 * rank 0 as they are written. */
#include "autotune/tune/tune_serve.h"

#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/problem_file.h"
#include "autotune/device/cores.h"
#include "autotune/device/device.h"
#include "autotune/device/monotonic.h"
#include "autotune/device/temporary.h"
#include "autotune/embedded.h"
#include "autotune/share/share_message.h"
#include "autotune/share/wire_socket.h"
#include "autotune/tune/tune_list_devices.h"
#include "autotune/tune/tune_list_line.h"
#include "autotune/tune/tune_recorded.h"
#include "autotune/tune/tune_save.h"
#include "autotune/tune/tune_task.h"
#include "cache/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { LINES_BYTES = 1 << 16 };
static const double TELL_S = 1, LINES_S = 0.25, LISTEN_S = 0.05, ANSWER_S = 0.5;

struct serve {
    const struct request *request;
    struct wire_socket socket;
    struct problem_file file;
    struct device_set *device_set;
    struct device_info info;
    unsigned local;
    struct temporary folder; /* the cache */
    struct tune_parts parts;
    bool has_parts, is_ended;
    /* Of the problem at hand. */
    uint32_t problem;
    bool is_busy;
    const struct setup *setup;
    size_t wanted; /* slices that rank 0 asks for */
    bool is_asked; /* it does, and has no answer yet */
    double last_asked;
    uint32_t told_left;
    bool is_waiting; /* rank 0 was asked whether all slices are back */
    bool is_back;    /* they are */
    uint32_t *more;  /* variants that it is to try itself */
    size_t more_count;
    struct text sent_journal; /* as rank 0 has it */
    bool has_journal;         /* rank 0 has answered */
    bool is_slice;
    uint64_t journal_time;
    struct text lines; /* to be sent */
    double last_lines, last_tick, last_listen;
    struct journal returned;
    struct error error; /* of memory, on the way */
    struct wire next;   /* work that came while something else was waited for */
};

/* --- Messages ----------------------------------------------------------------------------- */

static void tell(struct serve *serve, struct wire *message)
{
    wire_socket_send(&serve->socket, message);
    wire_dispose(message);
}

static void send_lines(struct serve *serve)
{
    struct wire message = {.kind = SHARE_LINES};
    serve->last_lines = monotonic_s();
    if (!serve->lines.length)
        return;
    wire_put_u32(&message, serve->problem);
    wire_put_bytes(&message, serve->lines.at, serve->lines.length);
    text_clear(&serve->lines);
    tell(serve, &message);
}

static void answer_none(struct serve *serve)
{
    struct wire message = {.kind = SHARE_GAVE};
    wire_put_u32(&message, serve->problem);
    wire_put_bytes(&message, "", 0);
    wire_put_u32(&message, 0);
    serve->is_asked = false;
    serve->wanted = 0;
    tell(serve, &message);
}

static void take_give(struct serve *serve, struct wire *message)
{
    const uint32_t problem = wire_get_u32(message);
    serve->is_asked = true;
    serve->last_asked = monotonic_s();
    serve->wanted = wire_get_u32(message);
    if (!serve->is_busy || problem != serve->problem)
        answer_none(serve);
}

static void take_journal(struct serve *serve, struct wire *message)
{
    size_t length;
    wire_get_u32(message);
    serve->journal_time = wire_get_u64(message);
    const char *bytes = wire_get_bytes(message, &length);
    text_clear(&serve->sent_journal);
    text_add(&serve->sent_journal, bytes, length);
    serve->has_journal = true;
}

static void take_returned_lines(struct serve *serve, struct wire *message)
{
    size_t length;
    wire_get_u32(message);
    const char *lines = wire_get_bytes(message, &length);
    journal_take_lines(&serve->returned, lines, length, &serve->error);
}

/* The numbers of variants; NULL for what no rank sends, or for want of memory. */
static uint32_t *read_variants(size_t *count, struct wire *message)
{
    struct wire numbers = {.kind = 0};
    *count = wire_get_u32(message);
    numbers.body.at = (char *)(uintptr_t)wire_get_bytes(message, &numbers.body.length);
    uint32_t *out = numbers.body.length == 4 * *count ? calloc(*count + 1, sizeof *out) : NULL;
    for (size_t i = 0; out && i < *count; i++)
        out[i] = wire_get_u32(&numbers);
    return out;
}

/* The owner waits no more; what it had been asked before is asked again when it does. */
static void take_more(struct serve *serve, struct wire *message)
{
    wire_get_u32(message);
    free(serve->more);
    serve->more = read_variants(&serve->more_count, message);
    serve->is_waiting = false;
    if (!serve->more)
        serve->more_count = 0;
}

static size_t more(void *context, const uint32_t **variants)
{
    struct serve *serve = context;
    const size_t count = serve->more_count;
    *variants = serve->more;
    serve->more_count = 0;
    return count;
}

static void end(struct serve *serve)
{
    serve->is_ended = true;
    interrupt_note(SIGTERM);
}

/* Work itself is kept until the loop of serve asks for it. */
static void take(struct serve *serve, struct wire *message)
{
    switch (message->kind) {
    case SHARE_GIVE: take_give(serve, message); break;
    case SHARE_JOURNAL: take_journal(serve, message); break;
    case SHARE_LINES: take_returned_lines(serve, message); break;
    case SHARE_MORE: take_more(serve, message); break;
    case SHARE_BACK: serve->is_back = true; break;
    case SHARE_END: end(serve); break;
    default: serve->next = *message; *message = (struct wire){0};
    }
    wire_dispose(message);
}

/* Takes what has come, up to the next work; how many messages, -1 = no more will come. */
static int take_all(struct serve *serve)
{
    struct error error;
    struct wire message;
    int count = 0, took = 0;
    while (!serve->next.kind && (took = wire_take(&message, &serve->socket.in, &error)) > 0) {
        take(serve, &message);
        count++;
    }
    return took < 0 || (count == 0 && !serve->next.kind && serve->socket.is_closed) ? -1
                                                                                    : count;
}

/* The same, after waiting so long at most where nothing is there yet. */
static void listen_for(struct serve *serve, int wait_ms)
{
    int count = take_all(serve);
    if (count == 0 && !serve->next.kind) {
        wire_socket_pump(&serve->socket, wait_ms);
        count = take_all(serve);
    }
    if (count < 0)
        end(serve);
}

/* --- Sharing a search --------------------------------------------------------------------- */

static void send_tick(struct serve *serve, size_t variants, double left_s)
{
    struct wire message = {.kind = SHARE_TICK};
    serve->last_tick = monotonic_s();
    serve->told_left = (uint32_t)variants;
    wire_put_u32(&message, (uint32_t)variants);
    wire_put_real(&message, left_s);
    tell(serve, &message);
}

/* Of each event of a search. In its race nothing is given away. */
static void show(void *context, uint64_t done, uint64_t total, uint64_t best_ps)
{
    struct serve *serve = context;
    (void)done, (void)total, (void)best_ps;
    if (serve->socket.is_closed || monotonic_s() - serve->last_listen < LISTEN_S)
        return;
    serve->last_listen = monotonic_s();
    listen_for(serve, 0);
    if (serve->is_asked && monotonic_s() - serve->last_asked > ANSWER_S)
        answer_none(serve);
}

static size_t ask(void *context, size_t variants, double left_s)
{
    struct serve *serve = context;
    const double now = monotonic_s();
    listen_for(serve, 0);
    if (now - serve->last_lines > LINES_S)
        send_lines(serve);
    if (now - serve->last_tick > TELL_S || (serve->told_left && !variants) ||
        (!serve->told_left && variants))
        send_tick(serve, variants, left_s);
    if (serve->is_asked && variants < 2)
        answer_none(serve);
    return serve->is_asked ? serve->wanted : 0;
}

static void put_common(struct wire *out, const struct tune_gift *gift,
                       const struct space *space)
{
    struct text seed = {0};
    wire_put_u64(out, point_hash(gift->points));
    if (gift->seed_config)
        point_format(&seed, space, gift->seed_config, true);
    wire_put_string(out, seed.at);
    text_dispose(&seed);
    wire_put_u64(out, gift->best_ps);
    wire_put_u32(out, (uint32_t)gift->rule->count);
    for (size_t i = 0; i < gift->rule->count; i++)
        wire_put_real(out, gift->rule->gains[i]);
}

static void put_variants(struct wire *out, const uint32_t *variants, size_t count)
{
    struct wire numbers = {.kind = 0};
    for (size_t i = 0; i < count; i++)
        wire_put_u32(&numbers, variants[i]);
    wire_put_u32(out, (uint32_t)count);
    wire_put_bytes(out, numbers.body.at, numbers.body.length);
    wire_dispose(&numbers);
}

static int give(void *context, const struct tune_gift *gift, struct error *error)
{
    struct serve *serve = context;
    struct wire message = {.kind = SHARE_GAVE}, common = {.kind = 0};
    const uint32_t *at = gift->variants;
    send_lines(serve);
    put_common(&common, gift, serve->setup->space);
    wire_put_u32(&message, serve->problem);
    wire_put_bytes(&message, common.body.at, common.body.length);
    wire_put_u32(&message, (uint32_t)gift->slices);
    for (size_t i = 0; i < gift->slices; i++) {
        put_variants(&message, at, gift->counts[i]);
        at += gift->counts[i];
    }
    const int failed = text_check(&message.body, error);
    wire_dispose(&common);
    serve->is_asked = false;
    serve->wanted = 0;
    tell(serve, &message);
    return failed;
}

static bool is_back(void *context)
{
    struct serve *serve = context;
    if (!serve->is_waiting && !serve->more_count) {
        struct wire message = {.kind = SHARE_WORKED};
        send_lines(serve);
        wire_put_u32(&message, serve->problem);
        tell(serve, &message);
        serve->is_waiting = true;
        serve->is_back = false;
    }
    listen_for(serve, 0);
    if (serve->is_back)
        serve->is_waiting = false;
    return serve->is_back;
}

/* --- The journal -------------------------------------------------------------------------- */

static void add_line(void *context, const char *line, size_t length)
{
    struct serve *serve = context;
    text_add(&serve->lines, line, length);
    if (serve->lines.length > LINES_BYTES || monotonic_s() - serve->last_lines > LINES_S)
        send_lines(serve);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int find_journal(struct text *path, const struct serve *serve, const struct setup *setup,
                        struct error *error)
{
    struct record key;
    setup_record(&key, setup);
    return journal_path(path, serve->folder.path, &key, error);
}

static int write_file(const char *path, const char *bytes, size_t length, struct error *error)
{
    const int file = file_open(path, O_WRONLY | O_CREAT | O_TRUNC, error);
    if (file < 0)
        return -1;
    const int failed = file_write(file, bytes, length) ? file_error("write", path, error) : 0;
    close(file);
    return failed ? -1 : 0;
}

/* The time is that of the last trial, which a record made from the journal alone bears. */
static int put_journal(const struct serve *serve, const char *path, struct error *error)
{
    const struct timespec times[2] = {{.tv_sec = (time_t)serve->journal_time},
                                      {.tv_sec = (time_t)serve->journal_time}};
    if (!serve->sent_journal.length)
        return 0;
    return file_make_folder_of(path, error) ||
                   write_file(path, serve->sent_journal.at, serve->sent_journal.length,
                              error) ||
                   utimensat(AT_FDCWD, path, times, 0)
               ? -1
               : 0;
}

static int stopped(struct error *error)
{
    return error_set(error, ERROR_INTERRUPTED, "interrupted by rank 0");
}

static int fetch_from_rank_0(struct serve *serve, const struct setup *setup,
                             struct error *error)
{
    struct wire message = {.kind = SHARE_ASK};
    struct text path = {0};
    int failed = find_journal(&path, serve, setup, error);
    wire_put_u32(&message, serve->problem);
    wire_put_string(&message, failed ? "" : name_of(path.at));
    serve->has_journal = false;
    tell(serve, &message);
    while (!serve->has_journal && !serve->is_ended)
        listen_for(serve, -1);
    if (!failed)
        failed = serve->is_ended ? stopped(error) : put_journal(serve, path.at, error);
    text_dispose(&path);
    return failed;
}

static int fetch(void *context, const struct setup *setup, struct error *error)
{
    struct serve *serve = context;
    serve->setup = setup;
    return serve->is_slice ? 0 : fetch_from_rank_0(serve, setup, error);
}

/* Tells whether the journal goes on, or had to be begun anew. */
static int opened(void *context, const struct setup *setup, struct journal *journal,
                  struct error *error)
{
    struct serve *serve = context;
    struct wire message = {.kind = SHARE_BEGIN};
    struct text path = {0}, now = {0};
    const struct text *sent = &serve->sent_journal;
    journal->tell = add_line;
    journal->tell_context = serve;
    if (serve->is_slice)
        return 0;
    int failed = find_journal(&path, serve, setup, error) ||
                 text_read(&now, path.at, JOURNAL_BYTES_MAX, error);
    if (!failed) {
        const bool goes_on = sent->length && now.length >= sent->length &&
                             memcmp(now.at, sent->at, sent->length) == 0;
        wire_put_u32(&message, serve->problem);
        wire_put_string(&message, name_of(path.at));
        wire_put_u32(&message, !goes_on);
        wire_put_bytes(&message, now.at, goes_on ? 0 : now.length);
        tell(serve, &message);
    }
    text_dispose(&now);
    text_dispose(&path);
    return failed ? -1 : 0;
}

static void remove_journal(const struct serve *serve, const struct setup *setup)
{
    struct text path = {0};
    struct error ignored;
    if (find_journal(&path, serve, setup, &ignored) == 0) {
        unlink(path.at);
        text_adds(&path, ".old");
        if (!text_check(&path, &ignored))
            unlink(path.at);
    }
    text_dispose(&path);
}

/* --- A problem ---------------------------------------------------------------------------- */

static int put_record(struct wire *out, const struct serve *serve, const struct record *record,
                      struct error *error)
{
    struct records one = {.count = 0};
    struct text path = {0}, bytes = {0};
    text_addf(&path, "%s/one.ini", serve->folder.path);
    unlink(path.at);
    int failed = text_check(&path, error) || store_add(&one, record, error) ||
                 store_save(path.at, &one, NULL, error) ||
                 text_read(&bytes, path.at, JOURNAL_BYTES_MAX, error);
    wire_put_bytes(out, bytes.at, failed ? 0 : bytes.length);
    store_dispose(&one);
    text_dispose(&bytes);
    text_dispose(&path);
    return failed ? -1 : 0;
}

static void put_cells(struct wire *out, const struct table *table)
{
    wire_put_u32(out, (uint32_t)table->column_count);
    for (size_t i = 0; i < table->column_count; i++) {
        const char *cell = table_cell(table, 0, i);
        wire_put_u32(out, cell != NULL);
        wire_put_string(out, cell);
    }
}

static void send_done(struct serve *serve, const struct record *record,
                      enum share_outcome outcome, double start, const struct error *cause)
{
    struct wire message = {.kind = SHARE_DONE};
    struct table table = tune_list_line_table();
    struct text line = {0};
    struct error lost = {.code = ERROR_NONE};
    struct wire body = {.kind = 0};
    const bool is_kept = outcome == SHARE_TUNED || outcome == SHARE_RECORDED;
    if (is_kept && dims_n(&record->problem.dims) && put_record(&body, serve, record, &lost)) {
        outcome = SHARE_FAILED;
        cause = &lost;
    }
    const struct tune_list_line result = {.place = serve->problem,
                                          .count = serve->file.count,
                                          .record = record,
                                          .outcome = outcome,
                                          .seconds = monotonic_s() - start,
                                          .cause = cause};
    send_lines(serve);
    tune_list_line_text(&line, &result);
    tune_list_line_cells(&table, &result);
    wire_put_u32(&message, serve->problem);
    wire_put_u32(&message, outcome);
    wire_put_u32(&message, cause ? (uint32_t)cause->code : ERROR_NONE);
    wire_put_string(&message, cause ? cause->text : "");
    wire_put_string(&message, line.at);
    put_cells(&message, &table);
    if (body.body.length)
        text_add(&message.body, body.body.at, body.body.length);
    else
        wire_put_bytes(&message, "", 0);
    wire_dispose(&body);
    table_dispose(&table);
    text_dispose(&line);
    tell(serve, &message);
}

/* The record of a task that was run, or that answered; false where it is to be told as `cause`. */
static bool take_result(struct record *out, enum share_outcome *outcome, struct tune_task *task,
                        struct error *cause)
{
    if (task->failed) {
        *cause = task->error;
        return false;
    }
    if (tune_task_take(out, task, cause))
        return false;
    *outcome = task->is_answered ? SHARE_KNOWN : SHARE_TUNED;
    return true;
}

static void tune(struct serve *serve, struct request *own)
{
    const struct tune_sharing sharing = {.context = serve,
                                         .ask = ask,
                                         .give = give,
                                         .is_back = is_back,
                                         .more = more,
                                         .returned = &serve->returned};
    const struct tune_task_link link = {.context = serve,
                                        .fetch = fetch,
                                        .opened = opened,
                                        .sharing = &sharing,
                                        .progress = {show, serve}};
    struct tune_task task = {.request = own,
                             .kind = &serve->device_set->kinds[0],
                             .parts = &serve->parts,
                             .link = &link};
    struct record record = {.problem = own->problem};
    struct error cause;
    enum share_outcome outcome = SHARE_FAILED;
    const double start = monotonic_s();
    const bool is_ready = tune_task_prepare(&task, serve->local, &cause) == 0;
    if (task.setup.device)
        setup_record(&record, &task.setup);
    if (is_ready)
        tune_task_run(&task, 1);
    const bool is_there = is_ready && take_result(&record, &outcome, &task, &cause);
    if (serve->is_ended)
        send_lines(serve);
    else
        send_done(serve, &record, is_there ? outcome : SHARE_FAILED, start,
                  is_there ? NULL : &cause);
    if (task.setup.device)
        remove_journal(serve, &task.setup);
    tune_task_close(&task);
}

/* As tune_list does for --replay, from the journal that rank 0 has. */
static void replay(struct serve *serve, struct request *own)
{
    struct record record = {.problem = own->problem};
    struct find_result found;
    struct setup setup;
    struct error cause, warning;
    enum share_outcome outcome = SHARE_RECORDED;
    const double start = monotonic_s();
    own->device = serve->device_set->kinds[0].list[0];
    int failed = setup_open(&setup, own, true, &cause);
    if (failed) {
        send_done(serve, &record, SHARE_FAILED, start, &cause);
        return;
    }
    setup_record(&record, &setup);
    failed = tune_parts_find(&found, &serve->parts, &setup, &warning, &cause);
    if (!failed && found.grade == SELECTOR_EXACT && !own->retune) {
        record = found.record;
        outcome = SHARE_KNOWN;
    } else {
        failed = failed || fetch_from_rank_0(serve, &setup, &cause) ||
                 tune_recorded_make(&record, &setup, serve->folder.path, &cause);
    }
    if (!serve->is_ended)
        send_done(serve, &record, failed ? SHARE_FAILED : outcome, start,
                  failed ? &cause : NULL);
    remove_journal(serve, &setup);
    setup_close(&setup);
}

/* --- A slice ------------------------------------------------------------------------------ */

struct slice {
    struct tune_sharing sharing;
    struct strategy_rule rule;
    const char *seed;
    uint32_t *variants;
};

static int read_slice(struct slice *out, struct wire *message, struct error *error)
{
    size_t count;
    struct wire common = {.kind = 0};
    common.body.at = (char *)(uintptr_t)wire_get_bytes(message, &common.body.length);
    out->variants = read_variants(&count, message);
    out->sharing.points_hash = wire_get_u64(&common);
    out->seed = wire_get_string(&common);
    out->sharing.best_ps = wire_get_u64(&common);
    out->rule.count = wire_get_u32(&common);
    if (out->rule.count > STRATEGY_LESSONS_MAX || !out->variants)
        return error_set(error, ERROR_FAILED, "a slice came that no rank gives");
    for (size_t i = 0; i < out->rule.count; i++)
        out->rule.gains[i] = wire_get_real(&common);
    out->sharing.only = out->variants;
    out->sharing.only_count = count;
    out->sharing.rule = &out->rule;
    return 0;
}

static void try_slice(struct serve *serve, struct request *own, struct slice *slice)
{
    const struct tune_task_link link = {.context = serve,
                                        .fetch = fetch,
                                        .opened = opened,
                                        .sharing = &slice->sharing,
                                        .progress = {show, serve},
                                        .seed = slice->seed};
    struct tune_task task = {.request = own,
                             .kind = &serve->device_set->kinds[0],
                             .parts = &serve->parts,
                             .link = &link};
    struct error cause;
    if (tune_task_prepare(&task, serve->local, &cause) == 0) {
        tune_task_run(&task, 1);
        if (task.failed)
            cause = task.error;
    }
    if (task.failed && !serve->is_ended)
        output_warn("a slice of problem %u ended early: %s", (unsigned)serve->problem + 1,
                    cause.text);
    if (task.setup.device)
        remove_journal(serve, &task.setup);
    tune_task_close(&task);
}

static void help(struct serve *serve, struct request *own, struct wire *message)
{
    struct slice slice = {.sharing = {.context = serve, .ask = ask, .give = give}};
    struct wire answer = {.kind = SHARE_RETURNED};
    struct error error;
    if (read_slice(&slice, message, &error) == 0)
        try_slice(serve, own, &slice);
    else
        output_warn("%s", error.text);
    free(slice.variants);
    send_lines(serve);
    wire_put_u32(&answer, serve->problem);
    tell(serve, &answer);
}

/* --- The loop ----------------------------------------------------------------------------- */

static void work(struct serve *serve, struct wire *message)
{
    struct request own;
    serve->problem = wire_get_u32(message);
    if (message->is_short || serve->problem >= serve->file.count) {
        end(serve);
        return;
    }
    own = serve->file.at[serve->problem];
    own.cache = serve->folder.path;
    own.quiet = true;
    own.has_part = false;
    serve->is_busy = true;
    serve->is_slice = message->kind == SHARE_HELP;
    serve->is_waiting = serve->is_back = false;
    serve->told_left = 0;
    serve->last_lines = serve->last_tick = monotonic_s();
    text_clear(&serve->sent_journal);
    if (serve->is_slice)
        help(serve, &own, message);
    else if (serve->request->replay)
        replay(serve, &own);
    else
        tune(serve, &own);
    serve->is_busy = false;
    if (serve->is_asked)
        answer_none(serve);
    free(serve->returned.trials);
    serve->returned = (struct journal){.file = -1};
}

/* Merges records of another node into the cache here. */
static void take_broadcast(struct serve *serve, struct wire *message)
{
    struct text folder = {0}, path = {0};
    struct records records;
    struct error error, moved = {.code = ERROR_NONE};
    size_t length;
    const char *name = wire_get_string(message);
    const char *bytes = wire_get_bytes(message, &length);
    int failed = store_folder(&folder, serve->request->cache, &error) ||
                 store_load_bytes(&records, "what rank 0 has", bytes, length, &error);
    if (!failed) {
        text_addf(&path, "%s/%s", folder.at, name);
        failed = message->is_short || strchr(name, '/')
                     ? error_set(&error, ERROR_FAILED,
                                 "what rank 0 has names '%.100s' as its file", name)
                     : text_check(&path, &error) ||
                           (records.count && store_save(path.at, &records, &moved, &error));
        store_dispose(&records);
    }
    if (!failed && moved.code != ERROR_NONE)
        output_warn("%s", moved.text);
    if (failed)
        output_warn("%s: the records of this node are as they were", error.text);
    text_dispose(&path);
    text_dispose(&folder);
}

/* The records of this kind of device, as rank 0 has them. */
static int begin(struct serve *serve, struct wire *message, struct error *error)
{
    struct text path = {0};
    struct request own = *serve->request;
    size_t length;
    const char *bytes = wire_get_bytes(message, &length);
    own.cache = serve->folder.path;
    own.has_part = false;
    int failed = store_path(&path, serve->folder.path, serve->info.name, error) ||
                 (length && write_file(path.at, bytes, length, error)) ||
                 tune_parts_open(&serve->parts, &own, error);
    serve->has_parts = !failed;
    text_dispose(&path);
    return failed ? -1 : 0;
}

static int serve_all(struct serve *serve, struct error *error)
{
    int failed = 0;
    while (!serve->is_ended && !failed) {
        struct wire message = serve->next;
        serve->next = (struct wire){0};
        if (message.kind == SHARE_WELCOME)
            failed = begin(serve, &message, error);
        else if (message.kind == SHARE_BROADCAST)
            take_broadcast(serve, &message);
        else if ((message.kind == SHARE_TUNE || message.kind == SHARE_HELP) && serve->has_parts)
            work(serve, &message);
        wire_dispose(&message);
        if (!serve->next.kind && !serve->is_ended)
            listen_for(serve, -1);
    }
    while (wire_socket_is_full(&serve->socket))
        wire_socket_pump(&serve->socket, -1);
    return failed;
}

/* --- Begin and end ------------------------------------------------------------------------ */

static void add_hash(XXH3_state_t *state, const void *bytes, size_t length)
{
    const uint64_t size = length;
    XXH3_64bits_update(state, &size, sizeof size);
    if (length)
        XXH3_64bits_update(state, bytes, length);
}

static int add_file(XXH3_state_t *state, const char *path, struct error *error)
{
    struct text text = {0};
    const int failed = path ? text_read(&text, path, JOURNAL_BYTES_MAX, error) : 0;
    add_hash(state, text.at, text.length);
    text_dispose(&text);
    return failed;
}

static bool is_same_file(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int add_problems(XXH3_state_t *state, const struct serve *serve, struct error *error)
{
    for (size_t i = 0; i < serve->file.count; i++) {
        const struct request *own = &serve->file.at[i];
        const struct request *last = i ? own - 1 : NULL;
        char problem[PROBLEM_CHARS];
        problem_format(problem, &own->problem);
        add_hash(state, problem, strlen(problem));
        if (last && is_same_file(own->space, last->space) &&
            is_same_file(own->template, last->template))
            continue;
        /* A space may be a built-in one's name, which is no file. */
        struct error ignored;
        if (add_file(state, own->space, &ignored))
            add_hash(state, own->space, strlen(own->space));
        if (add_file(state, own->template, error))
            return -1;
    }
    return 0;
}

/* Of all that has to be the same on each rank, but for the program's own code. */
static int hash_all(uint64_t *out, const struct serve *serve, struct error *error)
{
    const struct request *request = serve->request;
    const uint64_t numbers[] = {request->has_strategy, request->strategy, request->seed,
                                request->retune, request->replay != NULL};
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return error_memory(error, sizeof numbers);
    XXH3_64bits_reset(state);
    for (size_t i = 0; i < embedded_count; i++)
        add_hash(state, embedded_files[i].bytes, embedded_files[i].length);
    add_hash(state, numbers, sizeof numbers);
    add_hash(state, &request->budget_s, sizeof request->budget_s);
    const int failed = add_problems(state, serve, error);
    *out = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return failed;
}

static int open_device(struct serve *serve, struct error *error)
{
    const struct request *request = serve->request;
    struct device *device;
    if (device_set_open(serve->device_set, request, error))
        return -1;
    if (serve->device_set->count != 1)
        return error_set(error, ERROR_USAGE,
                         "--device names %zu kinds of devices: a rank has one kind: start a "
                         "rank for each",
                         serve->device_set->count);
    const struct device_options options = {serve->device_set->kinds[0].list[0], request->nvrtc,
                                           1};
    if (device_open(&device, &options, error))
        return -1;
    serve->info = device->info;
    device_close(device);
    struct request quiet = *request;
    quiet.quiet = true; /* rank 0 speaks for all */
    return tune_list_note_devices(&quiet, serve->device_set, error);
}

static int open_serve(struct serve *serve, uint64_t *hash, struct error *error)
{
    return problem_file_read(&serve->file, serve->request, error) ||
                   open_device(serve, error) || temporary_open(&serve->folder, error) ||
                   hash_all(hash, serve, error)
               ? -1
               : 0;
}

static void send_hello(struct serve *serve, uint64_t hash, const struct error *cause)
{
    struct wire message = {.kind = SHARE_HELLO};
    const struct device_info *info = &serve->info;
    struct text kind = {0}, path = {0};
    struct error ignored;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    text_addf(&kind, "%s, %d SMs, %d kHz, %d bits, %s, %s", info->name, info->target.sms,
              info->memory_clock_khz, info->bus_bits, info->driver, info->compiler);
    store_path(&path, "", info->name, &ignored);
    wire_put_string(&message, VERSION);
    wire_put_u64(&message, hash);
    wire_put_u32(&message, (uint32_t)serve->file.count);
    wire_put_string(&message, kind.at);
    wire_put_string(&message, path.at ? name_of(path.at) : "");
    wire_put_string(&message, host);
    wire_put_u32(&message, cause ? (uint32_t)cause->code : ERROR_NONE);
    wire_put_string(&message, cause ? cause->text : "");
    text_dispose(&kind);
    text_dispose(&path);
    tell(serve, &message);
}

int tune_serve(const struct request *request, int socket, unsigned local, struct error *error)
{
    struct serve *serve = calloc(1, sizeof *serve);
    struct error cause;
    uint64_t hash = 0;
    if (serve) {
        *serve = (struct serve){.request = request,
                                .socket = {.file = socket},
                                .local = cores_own() == cores_of_machine() ? local : 1,
                                .folder = {.lock = -1},
                                .returned = {.file = -1}};
        serve->device_set = malloc(sizeof *serve->device_set);
    }
    if (!serve || !serve->device_set) {
        free(serve);
        return error_memory(error, sizeof *serve);
    }
    tune_list_warn_of_cores(local);
    temporary_sweep();
    const int refused = open_serve(serve, &hash, &cause);
    send_hello(serve, hash, refused ? &cause : NULL);
    const int failed = serve_all(serve, error);
    temporary_close(&serve->folder);
    if (serve->has_parts)
        tune_parts_dispose(&serve->parts);
    wire_dispose(&serve->next);
    wire_socket_dispose(&serve->socket);
    problem_file_dispose(&serve->file);
    free(serve->more);
    text_dispose(&serve->lines);
    text_dispose(&serve->sent_journal);
    free(serve->device_set);
    free(serve);
    return failed;
}
