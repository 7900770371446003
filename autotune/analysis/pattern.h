/* pattern: counts what the warps of one block do in shared memory, the sectors of memory that
 * their loads of elements touch, and how often its threads update a word by an atomic operation,
 * from the addresses that the emulator saw while it ran the kernel. The same kernel does the same on a GPU: the addresses follow from its source. */
#ifndef AUTOTUNE_PATTERN_H
#define AUTOTUNE_PATTERN_H

#include "generator/emit.h"

#include <stdbool.h>

struct host_trace;

enum { PATTERN_STEPS_MAX = 64, PATTERN_SITES_MAX = 64 };

/* The accesses between two barriers, of the block or of a warp. */
struct pattern_step {
    unsigned requests; /* accesses by warps: one instruction of one warp each */
    unsigned lanes;    /* sum of the lanes active in these */
    unsigned ways;     /* n of the worst n-way bank conflict; 1 = none */
};

/* The accesses of one instruction that loads or stores shared memory. */
struct pattern_site {
    const void *at;
    unsigned requests, wavefronts, ideal; /* as of the whole */
};

/* The counts of a block whose tile is full. */
struct pattern {
    double elements;          /* of that tile */
    bool is_known;            /* the whole block was seen, and it fits in here */
    unsigned requests, lanes; /* as of a step */
    unsigned wavefronts;      /* wavefronts for these */
    unsigned ideal;           /* wavefronts if there were no conflict */
    unsigned ways;            /* of the worst step; 0 = shared memory is not used */
    /* Of these, the accesses by which elements pass through shared memory: a thread reads, before
     * any barrier, what it copied there itself. They grow with the tiles of a block. */
    unsigned passing_requests, passing_wavefronts;
    struct pattern_step steps[PATTERN_STEPS_MAX]; /* in order, of those with a request */
    size_t step_count;
    unsigned barriers;                       /* of the block, that its threads pass */
    unsigned atomics_shared, atomics_global; /* operations of threads */
    /* Instructions of warps that load elements: the first HOST_TRACE_LOADS_MAX. */
    unsigned loads;
    unsigned sectors, sectors_ideal; /* of these loads, and if lanes were side by side */
    struct pattern_site sites[PATTERN_SITES_MAX]; /* in the order of the code */
    size_t site_count;
};

/* The launch whose block is looked at: the first that reads elements. */
int pattern_launch(const struct planner_plan *plan, const struct space *space);

/* Runs one full block of that launch on the emulator, and adds up its accesses. A machine without
 * a C compiler is ERROR_NO_DEVICE. */
int pattern_run(struct pattern *out, const struct point_context *context,
                const struct emit_sources *sources, const int64_t *config, struct error *error);

/* Appends "32 16 8 4 2 1": the lanes active in each step's accesses, on average, or its worst
 * conflict. */
void pattern_add_steps(struct text *out, const struct pattern *pattern, bool is_lanes);

/* Active lanes of an access, on average; 0 = there is none. */
double pattern_lanes(const struct pattern *pattern);

/* Sectors that a load of a warp touches, on average, and would if its lanes were side by side;
 * 0 = there is no load. */
double pattern_sectors(const struct pattern *pattern);
double pattern_sectors_ideal(const struct pattern *pattern);

#endif
