/* share: a problem on a kind of device is a task. A task has one owner, who races its finalists at the
 * end; where a rank is free and no task is left, an owner gives a part of its variants away, as a
 * slice. What came of trials goes to one file a task, and is kept in memory only until it is written.
 */
#include "autotune/share/share.h"

#include "generator/array.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SILENT_S = 5; /* a rank of which nothing is heard for so long hangs */
static const double LATE_S = 3;   /* so does one for which ranks of its kind wait, idle */
static const double STOPPED_S =
    2; /* without a tick: this process was stopped, and maybe all were */
static const double STUCK_S = 300; /* so does one whose coordinator says nothing */
static const double SLICE_S = 1.0; /* what takes less is not worth another rank's beginning */
static const double MORE_S = 0.4;  /* nor is this worth the way back to an owner that waits */

enum { NONE = -1 };

struct task {
    enum task_state { TASK_OPEN, TASK_RUNS, TASK_ORPHANED, TASK_DONE } state;
    int64_t owner;       /* rank; NONE */
    uint32_t slices;     /* waiting or with a rank */
    uint32_t tries;      /* ranks lost at it */
    bool is_waited_for;  /* the owner waits for its slices */
    char *name;          /* of the journal; NULL = none yet */
    struct text pending; /* to be appended to it */
    bool is_new, is_writing, is_dirty, is_asked;
};

struct slice {
    uint32_t task;
    struct text common, variants; /* as they came */
    uint32_t count;
    struct slice *next;
};

struct kind {
    char *key;
    char file[SHARE_NAME]; /* of records */
    struct task *tasks;
    uint32_t next; /* tasks from here on may be open */
    uint32_t left; /* not done */
    uint32_t *ranks;
    size_t rank_count, living;
    struct slice *slices, **last_slice;
    size_t slice_count, asked; /* asked: slices that are on their way */
    struct records records;    /* to be saved */
    bool is_saving, has_records;
    bool is_loading;
    struct text known; /* the record file, for ranks that come */
    bool has_known;
};

struct rank {
    enum rank_state { RANK_NEW, RANK_WAITS, RANK_FREE, RANK_BUSY, RANK_GONE } state;
    int64_t kind;
    uint32_t task;       /* of a busy one */
    struct slice *slice; /* NULL = it owns the task */
    uint32_t asked;      /* slices that it is to give */
    uint32_t left;
    double left_s, heard, begun; /* when it was heard last, and its work was begun */
    char host[SHARE_HOST];
    uint64_t hash;
    struct wire hello; /* until rank 0's is there */
};

struct share {
    struct share_options options;
    struct rank *ranks;
    struct kind *kinds;
    size_t kind_count;
    size_t *dirty; /* a ring of tasks: kind * problems + problem */
    size_t dirty_first, dirty_count, dirty_room;
    size_t io_count;
    double now, last_tick; /* now: of the last event */
    bool is_stopped, has_hash, is_broadcasting, is_ending;
    size_t broadcast_left;
    struct share_sum sum;
    struct error error;
};

void share_io_free(struct share_io *io)
{
    text_dispose(&io->bytes);
    store_dispose(&io->records);
    free(io);
}

/* --- Begin and end ------------------------------------------------------------------------ */

struct share *share_open(const struct share_options *options, struct error *error)
{
    struct share *share = calloc(1, sizeof *share);
    if (share) {
        *share = (struct share){.options = *options};
        share->ranks = calloc(options->ranks, sizeof *share->ranks);
    }
    if (!share || !share->ranks) {
        free(share);
        error_memory(error, options->ranks * sizeof *share->ranks);
        return NULL;
    }
    for (uint32_t i = 0; i < options->ranks; i++)
        share->ranks[i].kind = NONE;
    return share;
}

static void free_slice(struct slice *slice)
{
    text_dispose(&slice->common);
    text_dispose(&slice->variants);
    free(slice);
}

static void dispose_kind(struct kind *kind, uint32_t problems)
{
    for (uint32_t i = 0; i < problems; i++) {
        free(kind->tasks[i].name);
        text_dispose(&kind->tasks[i].pending);
    }
    while (kind->slices) {
        struct slice *slice = kind->slices;
        kind->slices = slice->next;
        free_slice(slice);
    }
    store_dispose(&kind->records);
    text_dispose(&kind->known);
    free(kind->tasks);
    free(kind->ranks);
    free(kind->key);
}

void share_close(struct share *share)
{
    if (!share)
        return;
    for (size_t i = 0; i < share->kind_count; i++)
        dispose_kind(&share->kinds[i], share->options.problems);
    for (uint32_t i = 0; i < share->options.ranks; i++) {
        wire_dispose(&share->ranks[i].hello);
        if (share->ranks[i].slice)
            free_slice(share->ranks[i].slice);
    }
    free(share->kinds);
    free(share->ranks);
    free(share->dirty);
    free(share);
}

const struct error *share_error(const struct share *share)
{
    return &share->error;
}

struct share_sum share_sum(const struct share *share)
{
    return share->sum;
}

void share_stop(struct share *share)
{
    share->is_stopped = true;
}

/* The first error that ends it counts. */
static __attribute__((format(printf, 3, 4))) void fail(struct share *share,
                                                       enum error_code code, const char *format,
                                                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (share->error.code == ERROR_NONE) {
        share->error.code = code;
        text_format_visible(share->error.text, sizeof share->error.text, true, format,
                            arguments);
    }
    va_end(arguments);
    share->is_stopped = true;
}

static void fail_memory(struct share *share)
{
    struct error error;
    error_memory(&error, 0);
    fail(share, error.code, "%s", error.text);
}

static void send_message(struct share *share, uint32_t rank, struct wire *message)
{
    if (share->ranks[rank].state != RANK_GONE)
        share->options.ops->send(share->options.context, rank, message);
    wire_dispose(message);
}

/* --- Files -------------------------------------------------------------------------------- */

static struct task *task_at(const struct share *share, size_t at)
{
    return &share->kinds[at / share->options.problems].tasks[at % share->options.problems];
}

static size_t place_of(const struct share *share, const struct kind *kind, uint32_t task)
{
    return (size_t)(kind - share->kinds) * share->options.problems + task;
}

static struct share_io *new_io(struct share *share, enum share_io_kind kind, const char *name,
                               size_t owner)
{
    struct share_io *io = calloc(1, sizeof *io);
    if (!io) {
        fail_memory(share);
        return NULL;
    }
    io->kind = kind;
    io->owner = owner;
    snprintf(io->name, sizeof io->name, "%s", name);
    return io;
}

static void begin(struct share *share, struct share_io *io)
{
    share->io_count++;
    share->options.ops->begin(share->options.context, io);
}

static void grow_dirty(struct share *share)
{
    const size_t room = share->dirty_room ? 2 * share->dirty_room : 256;
    size_t *larger = malloc(room * sizeof *larger);
    if (!larger) {
        fail_memory(share);
        return;
    }
    for (size_t i = 0; i < share->dirty_count; i++)
        larger[i] = share->dirty[(share->dirty_first + i) % share->dirty_room];
    free(share->dirty);
    share->dirty = larger;
    share->dirty_first = 0;
    share->dirty_room = room;
}

static void add_dirty(struct share *share, size_t at)
{
    struct task *task = task_at(share, at);
    if (task->is_dirty || task->is_writing)
        return;
    if (share->dirty_count == share->dirty_room)
        grow_dirty(share);
    if (share->dirty_count == share->dirty_room)
        return;
    task->is_dirty = true;
    share->dirty[(share->dirty_first + share->dirty_count++) % share->dirty_room] = at;
}

static void append(struct share *share, size_t at)
{
    struct task *task = task_at(share, at);
    struct share_io *io = new_io(share, SHARE_IO_APPEND, task->name, at);
    task->is_dirty = false;
    if (!io)
        return;
    io->bytes = task->pending;
    io->is_new = task->is_new;
    share->sum.bytes += io->bytes.length;
    task->pending = (struct text){0};
    task->is_new = false;
    task->is_writing = true;
    begin(share, io);
}

static void read_journal(struct share *share, size_t at)
{
    struct task *task = task_at(share, at);
    struct share_io *io = new_io(share, SHARE_IO_READ, task->name, at);
    if (!io)
        return;
    task->is_asked = false;
    task->is_writing = true;
    begin(share, io);
}

static void save(struct share *share, struct kind *kind)
{
    struct share_io *io =
        new_io(share, SHARE_IO_SAVE, kind->file, (size_t)(kind - share->kinds));
    if (!io)
        return;
    io->records = kind->records;
    kind->records = (struct records){0};
    kind->has_records = false;
    kind->is_saving = true;
    begin(share, io);
}

/* Records of each kind at most once at a time, then journals, the longest unwritten first. */
static void write_out(struct share *share)
{
    for (size_t i = 0; i < share->kind_count; i++)
        if (share->kinds[i].has_records && !share->kinds[i].is_saving)
            save(share, &share->kinds[i]);
    while (share->dirty_count && share->io_count < SHARE_IO_MAX) {
        const size_t at = share->dirty[share->dirty_first];
        share->dirty_first = (share->dirty_first + 1) % share->dirty_room;
        share->dirty_count--;
        append(share, at);
    }
}

static void load_records(struct share *share, struct kind *kind)
{
    struct share_io *io =
        new_io(share, SHARE_IO_LOAD, kind->file, (size_t)(kind - share->kinds));
    if (!io)
        return;
    kind->is_loading = true;
    begin(share, io);
}

/* --- Dealing out -------------------------------------------------------------------------- */

static void release(struct rank *rank)
{
    if (rank->slice)
        free_slice(rank->slice);
    rank->slice = NULL;
    rank->left = 0;
    if (rank->state == RANK_BUSY)
        rank->state = RANK_FREE;
}

static void start_task(struct share *share, struct kind *kind, uint32_t at, uint32_t number)
{
    struct wire message = {.kind = SHARE_TUNE};
    struct rank *rank = &share->ranks[number];
    struct task *task = &kind->tasks[at];
    task->state = TASK_RUNS;
    task->owner = number;
    task->is_waited_for = false;
    rank->state = RANK_BUSY;
    rank->begun = share->now;
    rank->task = at;
    rank->left = 0;
    wire_put_u32(&message, at);
    send_message(share, number, &message);
}

static void start_slice(struct share *share, struct kind *kind, uint32_t number)
{
    struct wire message = {.kind = SHARE_HELP};
    struct rank *rank = &share->ranks[number];
    struct slice *slice = kind->slices;
    kind->slices = slice->next;
    if (!kind->slices)
        kind->last_slice = &kind->slices;
    kind->slice_count--;
    rank->state = RANK_BUSY;
    rank->begun = share->now;
    rank->task = slice->task;
    rank->slice = slice;
    rank->left = 0;
    share->sum.slices++;
    wire_put_u32(&message, slice->task);
    wire_put_bytes(&message, slice->common.at, slice->common.length);
    wire_put_u32(&message, slice->count);
    wire_put_bytes(&message, slice->variants.at, slice->variants.length);
    send_message(share, number, &message);
}

static bool has_open(const struct share *share, struct kind *kind)
{
    while (kind->next < share->options.problems && kind->tasks[kind->next].state != TASK_OPEN)
        kind->next++;
    return kind->next < share->options.problems;
}

/* Gives an owner that waits a slice of its own task, for which it need not begin anew. */
static void take_more(struct share *share, struct kind *kind, uint32_t at)
{
    struct wire message = {.kind = SHARE_MORE};
    struct task *task = &kind->tasks[at];
    struct slice **link = &kind->slices;
    while (*link && (*link)->task != at)
        link = &(*link)->next;
    struct slice *slice = *link;
    if (!slice)
        return;
    *link = slice->next;
    if (!slice->next)
        kind->last_slice = link;
    kind->slice_count--;
    task->slices--;
    task->is_waited_for = false;
    wire_put_u32(&message, at);
    wire_put_u32(&message, slice->count);
    wire_put_bytes(&message, slice->variants.at, slice->variants.length);
    free_slice(slice);
    send_message(share, (uint32_t)task->owner, &message);
}

/* Asks a helper of an owner that waits to give half of what it has left. */
static void ask_for_owner(struct share *share, struct kind *kind, uint32_t number)
{
    struct wire message = {.kind = SHARE_GIVE};
    struct rank *rank = &share->ranks[number];
    if (share->is_stopped || !rank->slice || rank->asked || rank->left < 2 ||
        rank->left_s < 2 * MORE_S || !kind->tasks[rank->task].is_waited_for)
        return;
    rank->asked = 1;
    kind->asked++;
    wire_put_u32(&message, rank->task);
    wire_put_u32(&message, 1);
    send_message(share, number, &message);
}

/* Seconds that may be saved by sharing; 0 = not worth it. What is not known yet has just begun. */
static double gain_of(const struct rank *rank)
{
    if (rank->state != RANK_BUSY || rank->asked || rank->left < 2)
        return 0;
    if (rank->left_s < 0)
        return 1e9;
    return rank->left_s > 2 * SLICE_S ? rank->left_s : 0;
}

static int64_t find_busiest(const struct share *share, const struct kind *kind)
{
    int64_t best = NONE;
    double most = 0;
    for (size_t i = 0; i < kind->rank_count; i++) {
        const double gain = gain_of(&share->ranks[kind->ranks[i]]);
        if (gain > most) {
            most = gain;
            best = kind->ranks[i];
        }
    }
    return best;
}

/* Asks the ranks with most left to give to those that are free. */
static void ask_to_give(struct share *share, struct kind *kind, size_t free_count)
{
    while (free_count > kind->asked) {
        struct wire message = {.kind = SHARE_GIVE};
        const int64_t number = find_busiest(share, kind);
        if (number == NONE)
            return;
        struct rank *rank = &share->ranks[number];
        const double worth = gain_of(rank) / SLICE_S - 1;
        size_t ways = free_count - kind->asked;
        ways = (double)ways > worth ? (size_t)worth : ways;
        rank->asked = (uint32_t)(ways < rank->left ? ways : rank->left - 1);
        kind->asked += rank->asked;
        wire_put_u32(&message, rank->task);
        wire_put_u32(&message, rank->asked);
        send_message(share, (uint32_t)number, &message);
    }
}

static void deal(struct share *share, struct kind *kind)
{
    size_t free_count = 0;
    for (size_t i = 0; i < kind->rank_count && !share->is_stopped; i++) {
        const uint32_t number = kind->ranks[i];
        if (share->ranks[number].state != RANK_FREE)
            continue;
        if (kind->slices)
            start_slice(share, kind, number);
        else if (has_open(share, kind))
            start_task(share, kind, kind->next, number);
        else
            free_count++;
    }
    if (free_count && !share->is_stopped)
        ask_to_give(share, kind, free_count);
}

/* --- Tasks -------------------------------------------------------------------------------- */

static struct kind *kind_of(const struct share *share, uint32_t rank)
{
    return &share->kinds[share->ranks[rank].kind];
}

static void finish_task(struct share *share, struct kind *kind, uint32_t at,
                        enum share_outcome outcome)
{
    struct task *task = &kind->tasks[at];
    assert(task->state != TASK_DONE);
    task->state = TASK_DONE;
    task->owner = NONE;
    task->is_waited_for = false;
    kind->left--;
    share->sum.outcomes[outcome]++;
}

static void fail_task(struct share *share, struct kind *kind, uint32_t at, const char *host,
                      const struct error *error)
{
    const struct share_done done = {.problem = at,
                                    .outcome = SHARE_FAILED,
                                    .host = host,
                                    .line = "",
                                    .error = error};
    finish_task(share, kind, at, SHARE_FAILED);
    share->options.ops->done(share->options.context, &done);
}

/* The owner is lost: once no other rank has a part of it any more it is dealt out again. */
static void reopen(struct share *share, struct kind *kind, uint32_t at)
{
    struct task *task = &kind->tasks[at];
    task->owner = NONE;
    task->is_waited_for = false;
    task->state = task->slices ? TASK_ORPHANED : TASK_OPEN;
    kind->next = task->state == TASK_OPEN && at < kind->next ? at : kind->next;
    (void)share;
}

static void tell_back(struct share *share, struct task *task, uint32_t at)
{
    struct wire message = {.kind = SHARE_BACK};
    task->is_waited_for = false;
    wire_put_u32(&message, at);
    send_message(share, (uint32_t)task->owner, &message);
}

static void drop_slice(struct share *share, struct kind *kind, uint32_t at)
{
    struct task *task = &kind->tasks[at];
    assert(task->slices);
    task->slices--;
    if (task->slices)
        return;
    if (task->state == TASK_ORPHANED)
        reopen(share, kind, at);
    else if (task->is_waited_for)
        tell_back(share, task, at);
}

/* Slices of an owner that is lost: whoever owns the task next does all that is left. */
static void drop_waiting(struct share *share, struct kind *kind, uint32_t at)
{
    struct slice **link = &kind->slices;
    while (*link) {
        struct slice *slice = *link;
        if (slice->task != at) {
            link = &slice->next;
            continue;
        }
        *link = slice->next;
        kind->slice_count--;
        kind->tasks[at].slices--;
        free_slice(slice);
    }
    kind->last_slice = link;
    (void)share;
}

static void give_up_kind(struct share *share, struct kind *kind, const char *host)
{
    struct error error;
    error_set(&error, ERROR_NO_DEVICE, "no rank with such a device is left: start it again");
    for (uint32_t i = 0; i < share->options.problems; i++)
        if (kind->tasks[i].state != TASK_DONE)
            fail_task(share, kind, i, host, &error);
}

static void lose_owned(struct share *share, struct kind *kind, uint32_t at, const char *host,
                       const char *why)
{
    struct task *task = &kind->tasks[at];
    struct error error;
    drop_waiting(share, kind, at);
    if (++task->tries < SHARE_TRIES) {
        reopen(share, kind, at);
        return;
    }
    error_set(&error, ERROR_FAILED, "%d ranks were lost at it, the last one: %.200s",
              SHARE_TRIES, why);
    fail_task(share, kind, at, host, &error);
}

void share_lose(struct share *share, uint32_t number, const char *why, double now)
{
    struct rank *rank = &share->ranks[number];
    char text[512];
    share->now = now;
    if (rank->state == RANK_GONE)
        return;
    const bool was_busy = rank->state == RANK_BUSY;
    rank->state = RANK_GONE;
    share->sum.lost++;
    snprintf(text, sizeof text, "rank %u on %s %s: what it had is done by others",
             (unsigned)number, *rank->host ? rank->host : "a host that it did not name", why);
    share->options.ops->warn(share->options.context, text);
    if (rank->kind == NONE) {
        fail(share, ERROR_FAILED, "rank %u %s, before it named its device", (unsigned)number,
             why);
        return;
    }
    struct kind *kind = kind_of(share, number);
    kind->living--;
    kind->asked -= rank->asked;
    rank->asked = 0;
    if (was_busy && rank->slice)
        drop_slice(share, kind, rank->task);
    else if (was_busy)
        lose_owned(share, kind, rank->task, rank->host, why);
    release(rank);
    if (!kind->living)
        give_up_kind(share, kind, rank->host);
    deal(share, kind);
}

/* --- Greetings ---------------------------------------------------------------------------- */

static struct kind *add_kind(struct share *share, const char *key, const char *file)
{
    struct error error;
    for (size_t i = 0; i < share->kind_count; i++)
        if (strcmp(share->kinds[i].key, key) == 0)
            return &share->kinds[i];
    if (array_grow(&share->kinds, share->kind_count, sizeof *share->kinds, &error)) {
        fail_memory(share);
        return NULL;
    }
    for (size_t i = 0; i < share->kind_count; i++) /* they may have moved */
        if (!share->kinds[i].slices)
            share->kinds[i].last_slice = &share->kinds[i].slices;
    struct kind *kind = &share->kinds[share->kind_count];
    *kind = (struct kind){.key = strdup(key),
                          .tasks = calloc(share->options.problems, sizeof *kind->tasks),
                          .left = share->options.problems};
    kind->last_slice = &kind->slices;
    snprintf(kind->file, sizeof kind->file, "%s", file);
    if (!kind->key || !kind->tasks) {
        free(kind->key);
        free(kind->tasks);
        fail_memory(share);
        return NULL;
    }
    share->kind_count++;
    for (uint32_t i = 0; i < share->options.problems; i++)
        kind->tasks[i].owner = NONE;
    load_records(share, kind);
    return kind;
}

static void welcome(struct share *share, uint32_t number)
{
    struct wire message = {.kind = SHARE_WELCOME};
    const struct kind *kind = kind_of(share, number);
    wire_put_bytes(&message, kind->known.at, kind->known.length);
    share->ranks[number].state = RANK_FREE;
    send_message(share, number, &message);
}

/* A name that leads to no other folder, and hides nothing. */
static bool is_file_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/') && strlen(name) < SHARE_NAME;
}

static void take_greeting(struct share *share, uint32_t number, struct wire *hello)
{
    struct rank *rank = &share->ranks[number];
    struct error error;
    char name[96];
    const char *version = wire_get_string(hello);
    const uint64_t hash = wire_get_u64(hello);
    const uint32_t problems = wire_get_u32(hello);
    const char *key = wire_get_string(hello), *file = wire_get_string(hello);
    const char *host = wire_get_string(hello);
    const enum error_code code = (enum error_code)wire_get_u32(hello);
    const char *text = wire_get_string(hello);
    snprintf(rank->host, sizeof rank->host, "%s", host);
    snprintf(name, sizeof name, "rank %u on %s", (unsigned)number, rank->host);
    if (hello->version != WIRE_VERSION)
        fail(share, ERROR_USAGE,
             "%s speaks another version of the encoding: start the same "
             "autotune everywhere",
             name);
    else if (strcmp(version, share->options.version) != 0)
        fail(share, ERROR_USAGE, "%s has version %s of autotune: start the same everywhere",
             name, version);
    else if (code != ERROR_NONE)
        fail(share, code, "%s: %s", name, text);
    else if (hello->is_short || problems != share->options.problems ||
             hash != share->ranks[0].hash)
        fail(share, ERROR_USAGE,
             "%s has other templates, spaces, options or another list than "
             "rank 0: give all the same",
             name);
    else if (!is_file_name(file))
        fail(share, ERROR_FAILED, "%s named '%.100s' as its record file", name, file);
    if (share->is_stopped)
        return;
    struct kind *kind = add_kind(share, key, file);
    if (!kind)
        return;
    if (array_grow(&kind->ranks, kind->rank_count, sizeof *kind->ranks, &error)) {
        fail_memory(share);
        return;
    }
    kind->ranks[kind->rank_count++] = number;
    kind->living++;
    rank->kind = kind - share->kinds;
    rank->state = RANK_WAITS;
    if (kind->has_known) {
        welcome(share, number);
        deal(share, kind);
    }
}

/* Nothing can be compared before rank 0's own coordinator has spoken. */
static void take_hello(struct share *share, uint32_t number, struct wire *message)
{
    if (share->ranks[number].state != RANK_NEW)
        return;
    if (number != 0 && !share->has_hash) {
        wire_dispose(&share->ranks[number].hello);
        share->ranks[number].hello = *message;
        *message = (struct wire){0};
        return;
    }
    if (number == 0) {
        struct wire look = *message;
        wire_get_string(&look);
        share->ranks[0].hash = wire_get_u64(&look);
        share->has_hash = true;
    }
    take_greeting(share, number, message);
    for (uint32_t i = 1; number == 0 && i < share->options.ranks; i++)
        if (share->ranks[i].hello.kind == SHARE_HELLO) {
            take_greeting(share, i, &share->ranks[i].hello);
            wire_dispose(&share->ranks[i].hello);
        }
}

/* --- What ranks say ----------------------------------------------------------------------- */

/* The task that a message is about; NULL where the rank does not work at it. */
static struct task *task_of(struct share *share, uint32_t number, struct wire *message)
{
    const struct rank *rank = &share->ranks[number];
    const uint32_t at = wire_get_u32(message);
    if (rank->state != RANK_BUSY || rank->task != at || message->is_short)
        return NULL;
    return &kind_of(share, number)->tasks[at];
}

static void set_name(struct share *share, struct task *task, const char *name)
{
    if (task->name && strcmp(task->name, name) == 0)
        return;
    free(task->name);
    task->name = is_file_name(name) ? strdup(name) : NULL;
    if (!is_file_name(name))
        fail(share, ERROR_FAILED, "a rank named '%.100s' as its journal", name);
    else if (!task->name)
        fail_memory(share);
}

static void take_ask(struct share *share, uint32_t number, struct wire *message)
{
    struct task *task = task_of(share, number, message);
    if (!task)
        return;
    const char *name = wire_get_string(message);
    if (message->is_short)
        return;
    set_name(share, task, name);
    if (!task->name)
        return;
    task->is_asked = true;
    if (!task->is_writing && !task->pending.length)
        read_journal(share, place_of(share, kind_of(share, number), share->ranks[number].task));
}

static void add_lines(struct share *share, uint32_t number, struct task *task,
                      const char *bytes, size_t length)
{
    if (!length)
        return;
    text_add(&task->pending, bytes, length);
    if (task->pending.failed)
        fail_memory(share);
    add_dirty(share, place_of(share, kind_of(share, number), share->ranks[number].task));
}

static void take_begin(struct share *share, uint32_t number, struct wire *message)
{
    struct task *task = task_of(share, number, message);
    size_t length;
    if (!task)
        return;
    const char *name = wire_get_string(message);
    const bool is_new = wire_get_u32(message);
    const char *header = wire_get_bytes(message, &length);
    if (message->is_short)
        return;
    set_name(share, task, name);
    if (!task->name || !is_new)
        return;
    task->is_new = true;
    add_lines(share, number, task, header, length);
}

static void take_lines(struct share *share, uint32_t number, struct wire *message)
{
    struct task *task = task_of(share, number, message);
    size_t length;
    const char *lines = wire_get_bytes(message, &length);
    if (!task || !task->name || message->is_short)
        return;
    add_lines(share, number, task, lines, length);
    if (!share->ranks[number].slice || task->owner == NONE)
        return;
    struct wire copy = {.kind = SHARE_LINES};
    wire_put_u32(&copy, share->ranks[number].task);
    wire_put_bytes(&copy, lines, length);
    send_message(share, (uint32_t)task->owner, &copy);
}

static void take_tick(struct share *share, uint32_t number, struct wire *message)
{
    struct rank *rank = &share->ranks[number];
    rank->left = wire_get_u32(message);
    rank->left_s = wire_get_real(message);
    if (rank->state != RANK_BUSY)
        return;
    ask_for_owner(share, kind_of(share, number), number);
    deal(share, kind_of(share, number));
}

static void add_slice(struct share *share, struct kind *kind, uint32_t at, struct wire *message,
                      const char *common, size_t length)
{
    size_t bytes;
    const uint32_t count = wire_get_u32(message);
    const char *variants = wire_get_bytes(message, &bytes);
    if (message->is_short)
        return;
    struct slice *slice = calloc(1, sizeof *slice);
    if (!slice) {
        fail_memory(share);
        return;
    }
    slice->task = at;
    slice->count = count;
    text_add(&slice->common, common, length);
    text_add(&slice->variants, variants, bytes);
    if (slice->common.failed || slice->variants.failed)
        fail_memory(share);
    kind->tasks[at].slices++;
    kind->slice_count++;
    *kind->last_slice = slice;
    kind->last_slice = &slice->next;
}

static void take_gave(struct share *share, uint32_t number, struct wire *message)
{
    struct rank *rank = &share->ranks[number];
    struct kind *kind = kind_of(share, number);
    struct task *task = task_of(share, number, message);
    size_t length;
    const char *common = wire_get_bytes(message, &length);
    const uint32_t count = wire_get_u32(message);
    kind->asked -= rank->asked;
    rank->asked = 0;
    /* What is given by a helper whose owner is lost is left to the next owner. */
    for (uint32_t i = 0; task && task->state == TASK_RUNS && i < count && !message->is_short;
         i++)
        add_slice(share, kind, rank->task, message, common, length);
    if (task && task->is_waited_for)
        take_more(share, kind, rank->task);
    deal(share, kind);
}

static void take_returned(struct share *share, uint32_t number, struct wire *message)
{
    const uint32_t at = share->ranks[number].task;
    struct kind *kind = kind_of(share, number);
    if (!task_of(share, number, message) || !share->ranks[number].slice)
        return;
    release(&share->ranks[number]);
    drop_slice(share, kind, at);
    deal(share, kind);
}

static void take_worked(struct share *share, uint32_t number, struct wire *message)
{
    struct task *task = task_of(share, number, message);
    if (!task || task->owner != number)
        return;
    share->ranks[number].left = 0;
    const uint32_t at = share->ranks[number].task;
    struct kind *kind = kind_of(share, number);
    task->is_waited_for = true;
    if (!task->slices)
        tell_back(share, task, at);
    else
        take_more(share, kind, at);
    for (size_t i = 0; task->is_waited_for && i < kind->rank_count; i++)
        if (share->ranks[kind->ranks[i]].slice && share->ranks[kind->ranks[i]].task == at)
            ask_for_owner(share, kind, kind->ranks[i]);
}

static void add_record(struct share *share, struct kind *kind, const char *bytes, size_t length)
{
    struct records records;
    struct error error;
    int failed = store_load_bytes(&records, "a rank's record", bytes, length, &error);
    for (size_t i = 0; !failed && i < records.count; i++)
        failed = store_copy(&kind->records, &records, &records.at[i], &error);
    if (failed)
        fail_memory(share);
    else if (records.skipped)
        fail(share, ERROR_FAILED, "%s", records.reason.text);
    store_dispose(&records);
    kind->has_records |= kind->records.count > 0;
    share->sum.bytes += length;
}

enum { CELLS_MAX = 64 };

static void take_done(struct share *share, uint32_t number, struct wire *message)
{
    struct rank *rank = &share->ranks[number];
    struct kind *kind = kind_of(share, number);
    struct task *task = task_of(share, number, message);
    const char *cells[CELLS_MAX] = {0};
    struct error error;
    size_t length;
    struct share_done done = {.problem = rank->task, .host = rank->host, .error = &error};
    if (!task || task->owner != number)
        return;
    const uint32_t outcome = wire_get_u32(message);
    error.code = (enum error_code)wire_get_u32(message);
    snprintf(error.text, sizeof error.text, "%s", wire_get_string(message));
    done.line = wire_get_string(message);
    done.cell_count = wire_get_u32(message);
    for (size_t i = 0; i < done.cell_count && i < CELLS_MAX; i++) {
        const bool is_there = wire_get_u32(message);
        const char *cell = wire_get_string(message);
        cells[i] = is_there ? cell : NULL;
    }
    done.cells = cells;
    const char *bytes = wire_get_bytes(message, &length);
    if (message->is_short || outcome >= SHARE_OUTCOMES || done.cell_count > CELLS_MAX) {
        message->is_short = true;
        return;
    }
    done.outcome = (enum share_outcome)outcome;
    if (length)
        add_record(share, kind, bytes, length);
    drop_waiting(share, kind, rank->task);
    finish_task(share, kind, rank->task, done.outcome);
    share->options.ops->done(share->options.context, &done);
    release(rank);
    deal(share, kind);
}

void share_take(struct share *share, uint32_t number, struct wire *message, double now)
{
    struct rank *rank = &share->ranks[number];
    assert(number < share->options.ranks);
    if (rank->state == RANK_GONE)
        return;
    rank->heard = share->now = now;
    if (message->kind == SHARE_LOST && share->is_ending)
        rank->state = RANK_GONE;
    else if (message->kind == SHARE_LOST)
        share_lose(share, number, wire_get_string(message), now);
    else if (message->kind == SHARE_ALIVE && wire_get_real(message) > STUCK_S &&
             rank->state == RANK_BUSY && now - rank->begun > STUCK_S)
        share_lose(share, number, "hangs, as its coordinator says nothing", now);
    else if (message->kind == SHARE_HELLO)
        take_hello(share, number, message);
    else if (rank->kind != NONE)
        switch (message->kind) {
        case SHARE_ASK: take_ask(share, number, message); break;
        case SHARE_BEGIN: take_begin(share, number, message); break;
        case SHARE_LINES: take_lines(share, number, message); break;
        case SHARE_TICK: take_tick(share, number, message); break;
        case SHARE_GAVE: take_gave(share, number, message); break;
        case SHARE_RETURNED: take_returned(share, number, message); break;
        case SHARE_WORKED: take_worked(share, number, message); break;
        case SHARE_DONE: take_done(share, number, message); break;
        default: break;
        }
    if (message->is_short && rank->kind != NONE)
        share_lose(share, number, "sent what no rank sends", now);
    write_out(share);
}

/* --- Files that are done ------------------------------------------------------------------ */

static void answer_journal(struct share *share, struct share_io *io)
{
    struct wire message = {.kind = SHARE_JOURNAL};
    struct task *task = task_at(share, io->owner);
    if (task->owner == NONE)
        return;
    wire_put_u32(&message, (uint32_t)(io->owner % share->options.problems));
    wire_put_u64(&message, io->time);
    wire_put_bytes(&message, io->bytes.at, io->bytes.length);
    send_message(share, (uint32_t)task->owner, &message);
}

static void end_journal(struct share *share, struct share_io *io)
{
    struct task *task = task_at(share, io->owner);
    task->is_writing = false;
    if (io->kind == SHARE_IO_READ)
        answer_journal(share, io);
    if (task->pending.length)
        add_dirty(share, io->owner);
    else if (task->is_asked)
        read_journal(share, io->owner);
}

static void end_load(struct share *share, struct share_io *io)
{
    struct kind *kind = &share->kinds[io->owner];
    kind->is_loading = false;
    if (share->is_broadcasting) {
        for (uint32_t i = 1; i < share->options.ranks && io->bytes.length; i++) {
            uint32_t first = 0;
            while (first < i && strcmp(share->ranks[first].host, share->ranks[i].host) != 0)
                first++;
            if (first < i)
                continue; /* another rank of that host has got it */
            struct wire message = {.kind = SHARE_BROADCAST};
            wire_put_string(&message, io->name);
            wire_put_bytes(&message, io->bytes.at, io->bytes.length);
            send_message(share, i, &message);
        }
        share->broadcast_left--;
        return;
    }
    kind->known = io->bytes;
    io->bytes = (struct text){0};
    kind->has_known = true;
    for (size_t i = 0; i < kind->rank_count; i++)
        if (share->ranks[kind->ranks[i]].state == RANK_WAITS)
            welcome(share, kind->ranks[i]);
    deal(share, kind);
}

void share_io_done(struct share *share, struct share_io *io, double now)
{
    share->now = now;
    share->io_count--;
    if (io->error.code != ERROR_NONE)
        fail(share, io->error.code, "%s", io->error.text);
    if (io->moved.code != ERROR_NONE)
        share->options.ops->warn(share->options.context, io->moved.text);
    if (io->kind == SHARE_IO_SAVE)
        share->kinds[io->owner].is_saving = false;
    else if (io->kind == SHARE_IO_LOAD)
        end_load(share, io);
    else
        end_journal(share, io);
    share_io_free(io);
    write_out(share);
}

/* --- Time, and the end -------------------------------------------------------------------- */

bool share_is_written(const struct share *share)
{
    for (size_t i = 0; i < share->kind_count; i++)
        if (share->kinds[i].has_records)
            return false;
    return !share->io_count && !share->dirty_count;
}

static bool is_done(const struct share *share)
{
    for (size_t i = 0; i < share->kind_count; i++)
        if (share->kinds[i].left)
            return false;
    for (uint32_t i = 0; i < share->options.ranks; i++)
        if (share->ranks[i].state == RANK_NEW)
            return false;
    return true;
}

/* When all is written, so that the files have it. */
static void broadcast(struct share *share)
{
    if (!share->options.is_broadcast || share->is_broadcasting || share->is_stopped ||
        !is_done(share) || !share_is_written(share))
        return;
    share->is_broadcasting = true;
    share->broadcast_left = share->kind_count;
    for (size_t i = 0; i < share->kind_count; i++)
        load_records(share, &share->kinds[i]);
}

/* How long a rank may be silent. Once others of its kind are idle, what it has is among the last that
 * is to be done, and they begin with it sooner. */
static double patience_with(const struct share *share, const struct rank *rank)
{
    const struct kind *kind = rank->kind == NONE ? NULL : &share->kinds[rank->kind];
    for (size_t i = 0; kind && rank->state == RANK_BUSY && i < kind->rank_count; i++)
        if (share->ranks[kind->ranks[i]].state == RANK_FREE)
            return LATE_S;
    return SILENT_S;
}

void share_tick(struct share *share, double now)
{
    const bool was_stopped = now - share->last_tick > STOPPED_S;
    share->now = share->last_tick = now;
    for (uint32_t i = 0; i < share->options.ranks; i++) {
        struct rank *rank = &share->ranks[i];
        if (!(rank->heard > 0) || was_stopped)
            rank->heard = now;
        const double silent = now - rank->heard;
        if (rank->state != RANK_GONE && silent > LATE_S && silent > patience_with(share, rank))
            share_lose(share, i, "hangs, as nothing was heard of it", now);
    }
    write_out(share);
    broadcast(share);
}

bool share_is_over(const struct share *share)
{
    const bool is_told =
        !share->options.is_broadcast || (share->is_broadcasting && share->broadcast_left == 0);
    return (share->is_stopped || (is_done(share) && is_told)) && share_is_written(share);
}

bool share_is_closed(const struct share *share)
{
    for (uint32_t i = 0; i < share->options.ranks; i++)
        if (share->ranks[i].state != RANK_GONE)
            return false;
    return share_is_written(share);
}

void share_end(struct share *share)
{
    share->is_ending = share->is_stopped = true;
    for (uint32_t i = 0; i < share->options.ranks; i++) {
        struct wire message = {.kind = SHARE_END};
        send_message(share, i, &message);
    }
}
