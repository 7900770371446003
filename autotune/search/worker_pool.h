/* worker_pool: starts the worker processes of a run by fork and exec of this program,
 * exchanges frames with them, waits for all at once and kills late ones. Hides sockets,
 * buffers, signals and the reaping of processes. Single-threaded; several pools may live in
 * different threads. */
#ifndef AUTOTUNE_WORKER_POOL_H
#define AUTOTUNE_WORKER_POOL_H

#include "autotune/search/frame.h"

enum { WORKER_POOL_MAX = 320 }; /* workers in a pool */

struct worker_pool;

int worker_pool_open(struct worker_pool **out, struct error *error);
/* Kills what still runs with its process group, reaps it, and frees all. */
void worker_pool_close(struct worker_pool *pool);

/* Starts a worker in `slot` (below WORKER_POOL_MAX, free): `argv` runs with one end of a socket
 * pair as its file descriptor WORKER_POOL_SOCKET, every other descriptor above 2 closed, stdin
 * /dev/null, stdout going where stderr goes, in a process group of its own, SIGINT, SIGTERM, SIGHUP,
 * SIGPIPE and SIGTTOU ignored, and killed when the thread that started it ends. argv[0] is a
 * path ("/proc/self/exe" works). An argv[0] that cannot be run shows as WORKER_POOL_LOST. */
enum { WORKER_POOL_SOCKET = 3 };
int worker_pool_start(struct worker_pool *pool, size_t slot, char *const argv[],
                      struct error *error);
bool worker_pool_is_running(const struct worker_pool *pool, size_t slot);

/* Queues a frame; never blocks: as much as the socket takes is written at once, the rest by
 * worker_pool_wait. Takes the body over and empties the frame, also when it fails. A slot that
 * does not run drops it. -1 only for memory and for a frame that frame_check refuses. */
int worker_pool_send(struct worker_pool *pool, size_t slot, struct frame *frame,
                     struct error *error);

/* From now on the worker must send a frame within so many seconds; 0 = no deadline. Each call
 * sets it anew; receiving a frame does not. */
void worker_pool_set_deadline(struct worker_pool *pool, size_t slot, double seconds);

/* Kills the worker (SIGKILL to its group) and reaps it; its frames not yet returned are
 * dropped. No event follows. A process that even SIGKILL does not end (it hangs in a driver) is
 * waited for 10 s, here, in worker_pool_close and before WORKER_POOL_LATE, then left to the
 * kernel. */
void worker_pool_stop(struct worker_pool *pool, size_t slot);

enum worker_pool_event_kind {
    WORKER_POOL_FRAME,   /* `frame` came */
    WORKER_POOL_LOST,    /* the worker ended, after its last frame, as `how` says */
    WORKER_POOL_LATE,    /* its deadline passed: it was killed; or it ended by SIGPROF, as
                          * kernel_limit.h says. After both its slot is free */
    WORKER_POOL_TIMEOUT, /* nothing happened for `timeout_s` */
    WORKER_POOL_SIGNAL,  /* a signal was handled meanwhile (EINTR) */
};
struct worker_pool_event {
    enum worker_pool_event_kind kind;
    size_t slot;
    struct frame frame; /* the caller disposes of it */
    bool was_killed;    /* of WORKER_POOL_LOST: by SIGKILL, and not by the pool */
    char how[120];      /* "it exited with status 3", "it did not answer for 2.0 s",
                         * "it was killed by signal 11 (Segmentation fault)" */
};

/* Waits for the next event, from any worker; frames of one worker are in order, no worker is
 * starved. Frames that came in before a deadline are returned however late this is called. A
 * signal between the caller's look at its flag and this call is not seen here: keep `timeout_s`
 * short enough for that. -1 only for memory (call again) or when poll fails. */
int worker_pool_wait(struct worker_pool *pool, struct worker_pool_event *out, double timeout_s,
                     struct error *error);

#endif
