/* host_run: runs one launch of a compiled kernel, every thread as a fiber, in an order chosen
 * to show where synchronisation is missing. Hides fibers, barriers, warp operations and the
 * choice of who runs next. */
#ifndef AUTOTUNE_HOST_RUN_H
#define AUTOTUNE_HOST_RUN_H

#include "autotune/device/host_trace.h"
#include "generator/error.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    HOST_THREADS_MAX = 1024, /* per block */
    HOST_SMS = 4,            /* streaming multiprocessors, as emulated */
    HOST_SM_THREADS = 2048,  /* threads each of them holds */
    HOST_SM_BLOCKS = 32,     /* blocks each of them holds */
    HOST_SLOTS_MAX = HOST_SMS * HOST_SM_BLOCKS,
};

/* One launch. Blocks that are under way at the same time have different slots. Each slot
 * has an instance of the kernel's library of its own, and with it shared memory of its own:
 * asked for by `unit`, at most once a slot and launch, from the calling thread's own stack. */
struct host_job {
    const char *kernel;            /* for messages */
    unsigned grid, block, cluster; /* cluster: blocks, 1 or more, that run together */
    bool starts_in_any_order; /* blocks start in an order drawn for the launch, else in that
                                    * of their indices */
    const unsigned long long *args;
    const struct host_unit *(*unit)(void *context, unsigned slot, struct error *error);
    void *context;
    struct host_trace *trace; /* gets what the first block does; NULL = nothing does. It says
                               * something of kernels compiled to be traced only */
};

/* Fibers and their stacks, kept from launch to launch. */
struct host_runner;

int host_runner_load(struct host_runner **out, uint64_t seed, struct error *error);
void host_runner_free(struct host_runner *runner);

/* Runs the launch to its end. The n-th launch of a runner makes the same choices for the same
 * seed. Threads that can never go on (a barrier not all threads reach) are ERROR_WRONG. */
int host_run(struct host_runner *runner, const struct host_job *job, struct error *error);

#endif
