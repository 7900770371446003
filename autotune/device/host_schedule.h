/* host_schedule: holds the state of a launch under way, and chooses which thread runs next.
 * Private to host_run, which starts and ends launches. A thread runs until it must wait; then
 * it picks who goes on and hands over straight away, without a scheduler in between. */
#ifndef AUTOTUNE_HOST_SCHEDULE_H
#define AUTOTUNE_HOST_SCHEDULE_H

#include "autotune/device/fiber.h"
#include "autotune/device/host_run.h"
#include "autotune/device/host_stores.h"
#include "autotune/device/host_warp.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    HOST_WARPS_MAX = HOST_THREADS_MAX / HOST_LANES,
    HOST_OBJECTS = 8, /* a warp's, used in turn */
    HOST_DELIVERIES_MAX = 64,
};

enum order { ASCENDING, DESCENDING, RANDOM, ORDER_COUNT };

/* How blocks take turns. */
struct schedule {
    enum order slots; /* which block goes on; ORDER_COUNT: drawn for each stretch */
    unsigned pause;   /* one access in so many lets others go first; 0: none */
    bool holds_one;   /* one block lets them at each */
    unsigned late;    /* one store in so many is late for others; 0: none */
};

/* Why control came back to the launching thread. */
enum event { FINISHED, CROWDED, STUCK, BAD_CALL, DIVERGED };

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
    unsigned step;            /* barriers passed, of the block and of the warp */
    unsigned arrivals, waits; /* at the cluster's barrier */
    unsigned pauses;          /* at strong accesses, in this block */
    struct fiber fiber;
};

/* Blocks that run together. A thread that has ended is waited for no more. */
struct cluster {
    unsigned blocks;         /* under way */
    unsigned alive, missing; /* threads not exited; of these, not at the barrier */
    unsigned phase;          /* times that the barrier has opened */
};

/* A value on its way to another block of the cluster. */
struct delivery {
    struct slot *to;
    unsigned at, bytes, barrier; /* places in shared memory, from its start */
    uint64_t value, due;         /* due: at that pick */
};

/* Of a barrier. */
struct source_place {
    const char *file; /* of the kernel's library */
    unsigned line;
};

/* A place for a block that is under way. The blocks of a cluster have places in a row. */
struct slot {
    struct host_runner *runner;
    unsigned index; /* among the runner's */
    const struct host_unit *unit;
    struct thread *threads; /* HOST_THREADS_MAX, of which fiber_count are ready for use */
    unsigned fiber_count;
    unsigned block;          /* its index */
    bool is_started;         /* a thread of it has run */
    struct cluster cluster;  /* of a cluster's first block */
    struct slot *first;      /* that of the cluster's first block */
    unsigned alive, waiting; /* threads not exited; of these, at the block's barrier */
    unsigned warps_ready;    /* bit w: ready[w] is not zero */
    unsigned ready[HOST_WARPS_MAX], yielded[HOST_WARPS_MAX], at_barrier[HOST_WARPS_MAX];
    unsigned warps_paused, paused[HOST_WARPS_MAX]; /* as warps_ready and ready */
    unsigned store_pauses;                         /* of the block's threads together */
    unsigned phase;                                /* barriers passed, modulo 2 */
    struct source_place barrier;                   /* the one at which threads wait */
    uint64_t start_object, end_object, barrier_objects[2];
    struct warp warps[HOST_WARPS_MAX];
    struct host_stores stores;
};

/* A barrier that some threads of a block reach, and not others. */
struct divergence {
    unsigned block;
    struct source_place barrier;
    struct source_place other; /* that others come to; line 0: they have ended */
};

struct host_runner {
    uint64_t seed, launches; /* together they seed: */
    uint64_t random;
    struct fiber native; /* the launching thread's own flow of control */
    struct slot *slots[HOST_SLOTS_MAX], *active[HOST_SLOTS_MAX];
    unsigned active_count;
    const struct host_job *job;
    unsigned next_block; /* the next to start, counted from 0 */
    struct {
        unsigned factor, shift;
    } starts;                        /* the index of the i-th: see host_schedule_order */
    const struct schedule *schedule; /* NULL: there is one block, or one cluster */
    unsigned turn;                   /* launches of several */
    unsigned held;                   /* the block that schedule->holds_one is of */
    bool is_updating;                /* a thread is within an atomic */
    struct slot *view;               /* whose memory is there now: see host_stores */
    unsigned barren_rounds;          /* rounds of yielding since a block began or ended */
    struct slot *current;
    enum order slot_order, warp_order, lane_order;
    unsigned stretch;      /* picks until these four are drawn again */
    unsigned stale_rounds; /* rounds of yielding since a block began or ended */
    unsigned idle_rounds;  /* rounds in which threads did nothing but yield */
    enum event event;
    const char *reason; /* of BAD_CALL */
    struct divergence divergence;
    struct delivery deliveries[HOST_DELIVERIES_MAX];
    unsigned delivery_count;
    uint64_t picks; /* the launch's clock */
};

/* Of the runner's own numbers, which come from its seed. */
uint64_t host_schedule_draw(struct host_runner *runner);

/* Hands over from `from`, which must be what runs now, to the thread picked; to the launching
 * thread if there is none, with the reason in runner->event. Returns when `from` is picked. */
void host_schedule_pass(struct host_runner *runner, struct fiber *from);

/* Takes the next way to take turns, and the block that is held back. */
void host_schedule_begin(struct host_runner *runner);

/* Draws the order in which the launch's clusters start: that of their indices, or any. */
void host_schedule_order(struct host_runner *runner);

/* Makes the next blocks to start those of the cluster's slots, all their threads ready. */
void host_schedule_start(struct slot *first);

/* What every fiber runs, given its struct thread: a thread of one block after another. */
void host_schedule_threads(void *arg);

#endif
