/* worker_pool: polls the sockets of all workers, then visits each in turn: takes the bytes that
 * came in, notices an end, compares the time with the deadline. Frames are received straight
 * into their bodies, at most one per call, so that nothing is buffered twice. worker_process.c
 * hides the processes. */
#include "autotune/search/worker_pool.h"

#include "autotune/device/monotonic.h"
#include "autotune/search/worker_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NEVER UINT64_MAX
static const uint64_t SECOND_NS = 1000000000;
static const double GRACE_S = 1.0;     /* to exit in, for a worker that has closed its socket */
static const double KILL_S = 10.0;     /* to end in, for a worker that was killed */
static const double ROLL_CALL_S = 0.5; /* between looks at which workers are still there */
static const double STOPPED_S =
    1.0;                        /* asleep for so much too long: with workers, it is taken */
enum { VISIT_BYTES = 4 << 20 }; /* taken from one worker before the next has its turn */
_Static_assert((int)WORKER_POOL_SOCKET == (int)WORKER_PROCESS_SOCKET,
               "where a worker finds its socket");

/* A frame on its way out. */
struct packet {
    struct packet *next;
    struct text body;
    size_t sent; /* bytes, header included */
    unsigned char header[FRAME_HEADER_BYTES];
};

struct worker {
    pid_t pid; /* 0 = the slot is free */
    int socket;
    uint64_t deadline_ns, allowed_ns; /* NEVER, or when it is late; and what it was given */
    struct packet *first, *last;
    size_t received; /* of the frame on its way in, header included */
    bool has_body;   /* the header was read: `incoming` has its kind and room */
    struct frame incoming;
    unsigned char header[FRAME_HEADER_BYTES];
};

struct worker_pool {
    struct worker workers[WORKER_POOL_MAX];
    struct pollfd polls[WORKER_POOL_MAX]; /* by slot; what the last poll said */
    size_t turn;                          /* the slot that is visited first */
    uint64_t roll_call_ns;                /* when the next is due */
};

/* --- Time --------------------------------------------------------------------------------- */

static uint64_t in_seconds(uint64_t from_ns, double seconds)
{
    if (!(seconds > 0))
        return from_ns;
    return seconds < 1e9 ? from_ns + (uint64_t)(seconds * 1e9) : NEVER;
}

/* --- Ending a worker ---------------------------------------------------------------------- */

static void free_first(struct worker *worker)
{
    struct packet *packet = worker->first;
    worker->first = packet->next;
    text_dispose(&packet->body);
    free(packet);
}

static void drop_packets(struct worker *worker)
{
    while (worker->first)
        free_first(worker);
    worker->last = NULL;
}

/* Frees the slot. */
static struct worker_process_ending end_worker(struct worker *worker, uint64_t grace_ns,
                                               uint64_t until_ns)
{
    close(worker->socket);
    const struct worker_process_ending ending =
        worker_process_reap(worker->pid, grace_ns, until_ns);
    drop_packets(worker);
    frame_dispose(&worker->incoming);
    *worker = (struct worker){.socket = -1};
    return ending;
}

static void lose(struct worker *worker, struct worker_pool_event *out)
{
    const bool is_cut = worker->received > 0;
    const uint64_t now = monotonic_ns();
    const struct worker_process_ending ending =
        end_worker(worker, in_seconds(now, GRACE_S), in_seconds(now, GRACE_S + KILL_S));
    out->kind = worker_process_is_out_of_time(&ending) ? WORKER_POOL_LATE : WORKER_POOL_LOST;
    out->was_killed = ending.is_known && !ending.was_killed && WIFSIGNALED(ending.status) &&
                      WTERMSIG(ending.status) == SIGKILL;
    worker_process_describe(&ending, is_cut, out->how, sizeof out->how);
}

static void kill_worker(struct worker *worker)
{
    worker_process_kill(worker->pid);
    end_worker(worker, 0, in_seconds(monotonic_ns(), KILL_S));
}

/* In tenths of a second by hand: printf writes a point that depends on the locale. */
static void be_late(struct worker *worker, struct worker_pool_event *out)
{
    const uint64_t tenths = (worker->allowed_ns + SECOND_NS / 20) / (SECOND_NS / 10);
    out->kind = WORKER_POOL_LATE;
    snprintf(out->how, sizeof out->how, "it did not answer for %llu.%llu s",
             (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
    kill_worker(worker);
}

/* --- Opening and closing ------------------------------------------------------------------ */

int worker_pool_open(struct worker_pool **out, struct error *error)
{
    *out = calloc(1, sizeof **out);
    return *out ? 0 : error_memory(error, sizeof **out);
}

/* All are killed before the first is waited for: they end side by side. */
void worker_pool_close(struct worker_pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < WORKER_POOL_MAX; i++)
        if (pool->workers[i].pid)
            worker_process_kill(pool->workers[i].pid);
    const uint64_t until_ns = in_seconds(monotonic_ns(), KILL_S);
    for (size_t i = 0; i < WORKER_POOL_MAX; i++)
        if (pool->workers[i].pid)
            end_worker(&pool->workers[i], 0, until_ns);
    free(pool);
}

void worker_pool_stop(struct worker_pool *pool, size_t slot)
{
    if (worker_pool_is_running(pool, slot))
        kill_worker(&pool->workers[slot]);
}

bool worker_pool_is_running(const struct worker_pool *pool, size_t slot)
{
    return slot < WORKER_POOL_MAX && pool->workers[slot].pid != 0;
}

void worker_pool_set_deadline(struct worker_pool *pool, size_t slot, double seconds)
{
    if (!worker_pool_is_running(pool, slot))
        return;
    struct worker *worker = &pool->workers[slot];
    const uint64_t now = monotonic_ns();
    worker->deadline_ns = seconds > 0 ? in_seconds(now, seconds) : NEVER;
    worker->allowed_ns = worker->deadline_ns - now;
}

int worker_pool_start(struct worker_pool *pool, size_t slot, char *const argv[],
                      struct error *error)
{
    int socket;
    if (slot >= WORKER_POOL_MAX || pool->workers[slot].pid)
        return error_set(error, ERROR_FAILED,
                         "worker slot %zu is taken or past the %d that there are; report this "
                         "as a fault of autotune",
                         slot, (int)WORKER_POOL_MAX);
    const pid_t pid = worker_process_start(&socket, argv, error);
    if (pid < 0)
        return -1;
    pool->workers[slot] = (struct worker){.pid = pid, .socket = socket, .deadline_ns = NEVER};
    return 0;
}

/* --- Sending ------------------------------------------------------------------------------ */

/* Writes as much of the packet as the socket takes; true when that was all of it, else errno
 * says why not. A worker that has ended is no error here: the end of its frames tells. */
static bool write_packet(int to, struct packet *packet)
{
    while (packet->sent < sizeof packet->header + packet->body.length) {
        struct iovec parts[2];
        struct msghdr message = {.msg_iov = parts};
        if (packet->sent < sizeof packet->header)
            parts[message.msg_iovlen++] = (struct iovec){packet->header + packet->sent,
                                                         sizeof packet->header - packet->sent};
        const size_t done =
            packet->sent > sizeof packet->header ? packet->sent - sizeof packet->header : 0;
        if (packet->body.length > done)
            parts[message.msg_iovlen++] =
                (struct iovec){packet->body.at + done, packet->body.length - done};
        const ssize_t sent = sendmsg(to, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR)
            return false;
        packet->sent += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static void write_packets(struct worker *worker)
{
    while (worker->first && write_packet(worker->socket, worker->first))
        free_first(worker);
    if (!worker->first)
        worker->last = NULL;
    else if (errno == EPIPE || errno == ECONNRESET)
        drop_packets(worker); /* nobody reads them */
}

int worker_pool_send(struct worker_pool *pool, size_t slot, struct frame *frame,
                     struct error *error)
{
    struct packet *packet = NULL;
    const int status = frame_check(frame, error);
    if (status == 0 && worker_pool_is_running(pool, slot))
        packet = calloc(1, sizeof *packet);
    if (!packet) {
        const bool is_dropped = status || !worker_pool_is_running(pool, slot);
        frame_dispose(frame);
        return is_dropped ? status : error_memory(error, sizeof *packet);
    }
    struct worker *worker = &pool->workers[slot];
    frame_write_header(packet->header, frame);
    packet->body = frame->body;
    *frame = (struct frame){0};
    if (worker->last)
        worker->last->next = packet;
    else
        worker->first = packet;
    worker->last = packet;
    write_packets(worker);
    return 0;
}

/* --- Receiving ---------------------------------------------------------------------------- */

enum intake {
    INTAKE_NOTHING,   /* nothing came */
    INTAKE_PART,      /* something came, not yet all of a frame */
    INTAKE_FRAME,     /* `incoming` is whole */
    INTAKE_END,       /* the other side has closed */
    INTAKE_GARBAGE,   /* what came is no frame */
    INTAKE_NO_MEMORY, /* nothing is lost: it may be tried again */
};

/* Decides what `received` bytes are: opens the body when the header is complete. */
static enum intake judge(struct worker *worker, struct error *error)
{
    if (worker->received < sizeof worker->header)
        return INTAKE_PART;
    if (!worker->has_body) {
        uint32_t kind;
        size_t length;
        if (frame_read_header(worker->header, &kind, &length))
            return INTAKE_GARBAGE;
        if (frame_open_body(&worker->incoming, kind, length, error))
            return INTAKE_NO_MEMORY;
        worker->has_body = true;
    }
    return worker->received == sizeof worker->header + worker->incoming.body.length
               ? INTAKE_FRAME
               : INTAKE_PART;
}

static ssize_t receive_some(struct worker *worker)
{
    const size_t header_bytes = sizeof worker->header;
    const size_t done = worker->received - (worker->has_body ? header_bytes : 0);
    unsigned char *start =
        worker->has_body ? (unsigned char *)worker->incoming.body.at : worker->header;
    const size_t length = worker->has_body ? worker->incoming.body.length : header_bytes;
    ssize_t got;
    do
        got = recv(worker->socket, start + done, length - done, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    return got;
}

static enum intake take_in(struct worker *worker, struct error *error)
{
    size_t taken = 0;
    enum intake intake = judge(worker, error);
    while (intake == INTAKE_PART && taken < VISIT_BYTES) {
        const ssize_t got = receive_some(worker);
        if (got < 0 && errno == EAGAIN)
            return taken ? INTAKE_PART : INTAKE_NOTHING;
        if (got <= 0)
            return INTAKE_END;
        taken += (size_t)got;
        worker->received += (size_t)got;
        intake = judge(worker, error);
    }
    return intake;
}

static void give_frame(struct worker *worker, struct worker_pool_event *out)
{
    out->kind = WORKER_POOL_FRAME;
    out->frame = worker->incoming;
    worker->incoming = (struct frame){0};
    worker->received = 0;
    worker->has_body = false;
}

static void expel(struct worker *worker, struct worker_pool_event *out)
{
    out->kind = WORKER_POOL_LOST;
    snprintf(out->how, sizeof out->how, "it sent something that is no message and was killed");
    kill_worker(worker);
}

/* 1 = an event, 0 = none, -1 = error. `is_over`: the process had ended before its socket is
 * looked at, though one that it started may still hold that open. */
static int visit(struct worker *worker, bool is_ready, bool is_over, uint64_t now,
                 struct worker_pool_event *out, struct error *error)
{
    const enum intake intake = is_ready || is_over ? take_in(worker, error) : INTAKE_NOTHING;
    if (intake == INTAKE_NO_MEMORY)
        return -1;
    if (intake == INTAKE_FRAME)
        give_frame(worker, out);
    else if (intake == INTAKE_GARBAGE)
        expel(worker, out);
    else if (intake == INTAKE_END || (intake == INTAKE_NOTHING && is_over))
        lose(worker, out);
    else if (intake == INTAKE_NOTHING && now >= worker->deadline_ns)
        be_late(worker, out);
    else
        return 0;
    return 1;
}

/* From the slot after the one that had the last event, so that each has its turn. */
static int visit_all(struct worker_pool *pool, uint64_t now, struct worker_pool_event *out,
                     struct error *error)
{
    const bool is_roll_call = now >= pool->roll_call_ns;
    int found = 0;
    for (size_t i = 0; i < WORKER_POOL_MAX; i++)
        write_packets(&pool->workers[i]);
    for (size_t i = 0; i < WORKER_POOL_MAX && !found; i++) {
        const size_t slot = (pool->turn + i) % WORKER_POOL_MAX;
        struct worker *worker = &pool->workers[slot];
        if (!worker->pid)
            continue;
        out->slot = slot;
        found = visit(worker, pool->polls[slot].revents != 0,
                      is_roll_call && worker_process_has_ended(worker->pid), now, out, error);
    }
    if (found)
        pool->turn = (out->slot + 1) % WORKER_POOL_MAX;
    else if (is_roll_call)
        pool->roll_call_ns = in_seconds(now, ROLL_CALL_S);
    return found;
}

/* Who stops this process, as batch systems and containers do, mostly stops its workers too: then no
 * time has passed for them. */
static void forgive_stop(struct worker_pool *pool, uint64_t until_ns)
{
    const uint64_t now = monotonic_ns();
    if (now < in_seconds(until_ns, STOPPED_S))
        return;
    for (size_t i = 0; i < WORKER_POOL_MAX; i++)
        if (pool->workers[i].deadline_ns != NEVER)
            pool->workers[i].deadline_ns += now - until_ns;
}

/* Polls until something may be done: not past `end_ns`, a deadline or the next roll call. */
static int watch(struct worker_pool *pool, uint64_t end_ns)
{
    uint64_t until_ns = end_ns < pool->roll_call_ns ? end_ns : pool->roll_call_ns;
    nfds_t count = 0; /* poll refuses more than this process may have open */
    for (size_t i = 0; i < WORKER_POOL_MAX; i++) {
        const struct worker *worker = &pool->workers[i];
        pool->polls[i] = (struct pollfd){
            .fd = worker->pid ? worker->socket : -1,
            .events = (short)(worker->first ? POLLIN | POLLOUT : POLLIN),
        };
        if (worker->pid)
            count = i + 1;
        if (worker->pid && worker->deadline_ns < until_ns)
            until_ns = worker->deadline_ns;
    }
    const uint64_t now = monotonic_ns();
    const uint64_t rest_ns = until_ns > now ? until_ns - now : 0;
    const struct timespec rest = {.tv_sec = (time_t)(rest_ns / SECOND_NS),
                                  .tv_nsec = (long)(rest_ns % SECOND_NS)};
    const int ready = ppoll(pool->polls, count, &rest, NULL);
    forgive_stop(pool, until_ns > now ? until_ns : now);
    return ready;
}

int worker_pool_wait(struct worker_pool *pool, struct worker_pool_event *out, double timeout_s,
                     struct error *error)
{
    const uint64_t end_ns = in_seconds(monotonic_ns(), timeout_s);
    int found = 0;
    *out = (struct worker_pool_event){.kind = WORKER_POOL_TIMEOUT};
    while (!found) {
        if (watch(pool, end_ns) < 0) {
            if (errno != EINTR)
                return error_set(error, ERROR_FAILED,
                                 "cannot wait for the worker processes: %s; run the command "
                                 "again",
                                 strerror(errno));
            out->kind = WORKER_POOL_SIGNAL;
            return 0;
        }
        const uint64_t now = monotonic_ns();
        found = visit_all(pool, now, out, error);
        if (now >= end_ns)
            break;
    }
    return found < 0 ? -1 : 0;
}
