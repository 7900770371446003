/* host_schedule: holds the state of a launch under way, and chooses which thread runs next.
 * Private to host_run, which starts and ends launches. A thread runs until it must wait; then
 * it picks who goes on and hands over straight away, without a scheduler in between. */
#ifndef AUTOTUNE_HOST_SCHEDULE_H
#define AUTOTUNE_HOST_SCHEDULE_H

#include "autotune/device/fiber.h"
#include "autotune/device/host_run.h"
#include "autotune/device/host_warp.h"

#include <stdint.h>

enum {
    HOST_WARPS_MAX = HOST_THREADS_MAX / HOST_LANES,
    HOST_OBJECTS = 8, /* a warp's, used in turn */
};

enum order { ASCENDING, DESCENDING, RANDOM, ORDER_COUNT };

/* Why control came back to the launching thread. */
enum event { FINISHED, CROWDED, STUCK, BAD_WARP_CALL };

/* Lanes that have met, or are about to, in one operation of a warp. */
struct group {
    enum host_op op;
    unsigned mask, arrived;
    uint64_t *object; /* of the meeting, for ThreadSanitizer */
};

struct warp {
    unsigned alive; /* not yet exited */
    unsigned group_count, object_next;
    struct group groups[HOST_LANES];
    struct host_lane lanes[HOST_LANES];
    uint64_t objects[HOST_OBJECTS];
};

struct thread {
    struct host_thread face; /* first: what the kernel hands back */
    struct slot *slot;
    unsigned warp, lane;
    unsigned step; /* barriers passed, of the block and of the warp */
    struct fiber fiber;
};

/* A place for a block that is under way. */
struct slot {
    struct host_runner *runner;
    const struct host_unit *unit;
    struct thread *threads; /* HOST_THREADS_MAX, of which fiber_count are ready for use */
    unsigned fiber_count;
    unsigned block;          /* its index */
    unsigned alive, waiting; /* threads not exited; of these, at the block's barrier */
    unsigned warps_ready;    /* bit w: ready[w] is not zero */
    unsigned ready[HOST_WARPS_MAX], yielded[HOST_WARPS_MAX], at_barrier[HOST_WARPS_MAX];
    unsigned phase; /* barriers passed, modulo 2 */
    uint64_t start_object, end_object, barrier_objects[2];
    struct warp warps[HOST_WARPS_MAX];
};

struct host_runner {
    uint64_t seed, launches; /* together they seed: */
    uint64_t random;
    struct fiber native; /* the launching thread's own flow of control */
    struct slot *slots[HOST_SLOTS_MAX], *active[HOST_SLOTS_MAX];
    unsigned active_count;
    const struct host_job *job;
    unsigned next_block; /* the next to start */
    struct slot *current;
    enum order warp_order, lane_order;
    unsigned stretch;      /* picks until these three are drawn again */
    unsigned stale_rounds; /* rounds of yielding since a block began or ended */
    unsigned idle_rounds;  /* rounds in which threads did nothing but yield */
    enum event event;
};

/* Hands over from `from`, which must be what runs now, to the thread picked; to the launching
 * thread if there is none, with the reason in runner->event. Returns when `from` is picked. */
void host_schedule_pass(struct host_runner *runner, struct fiber *from);

/* Makes the block of that index the slot's, all its threads ready. */
void host_schedule_start(struct slot *slot, unsigned block);

/* What every fiber runs, given its struct thread: a thread of one block after another. */
void host_schedule_threads(void *arg);

#endif
