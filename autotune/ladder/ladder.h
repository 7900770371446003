/* ladder: computes and prints the ladder's table: of each rung, from its time, the GB/s over
 * the bytes of all its launches, its gain over the rung before and over the first of its
 * group. */
#ifndef AUTOTUNE_LADDER_H
#define AUTOTUNE_LADDER_H

#include "autotune/analysis/analysis.h"
#include "autotune/analysis/pattern.h"
#include "autotune/ladder/rungs.h"
#include "autotune/print/table.h"

enum { LADDER_COLUMNS_MAX = 32, LADDER_CAUSE = 400 };

/* A rung at one size of a block. */
struct ladder_cell {
    bool is_there;            /* false: not requested, or there is no such size */
    unsigned threads;         /* per block */
    const char *status;       /* "measured", "wrong", "rejected" ... */
    const char *reason;       /* unless it was measured */
    uint64_t ps;              /* per call; 0 = not measured */
    uint64_t low_ps, high_ps; /* least and greatest measured time */
    unsigned registers;       /* per thread; 0 = unknown */
    double bytes;             /* ladder_bytes */
    double step, total;       /* by ladder_compare: how many times faster; 0 = nothing to
                               * compare with */
    unsigned grid;            /* blocks of the first launch that reads elements */
    double elements;          /* of such a block when full */
    /* Computed, not measured; unknown where not requested or not available. */
    double elements_there;    /* as elements, at the analysis's size; 0 = the same */
    struct pattern pattern;   /* of one of these blocks */
    struct analysis analysis; /* of this kernel on this GPU */
    char cause[LADDER_CAUSE]; /* "" = unknown */
};

/* The GPU of the analyses: what its units do in a second. 0 = not known. */
struct ladder_machine {
    uint64_t peak_bytes;
    int clock_khz;
    double blocks; /* that it starts, of a kernel that does nothing */
};

struct ladder {
    const struct rungs *rungs;
    size_t columns;         /* 1 .. LADDER_COLUMNS_MAX; 1 may be each rung's own size */
    const unsigned *blocks; /* the sizes */
    /* Dims of each column, where they differ in n, or in the elements of a result; NULL = the problem's. */
    const struct dims *sizes;
    bool is_by_depth;          /* they differ in the elements of a result */
    struct ladder_cell *cells; /* of rung r at size b: cells[r * columns + b] */
    uint64_t peak;             /* theoretical bytes per second; 0 = unknown */
    const struct problem *problem;
    const char *device; /* "NVIDIA H200", "host" */
    int sms;            /* its streaming multiprocessors */
    bool is_host;       /* emulated: no model of a GPU's speed */
    const char *gpu;    /* the GPU of the analyses; "" = none */
    struct ladder_machine machine;
};

/* Elements of a full block of the first launch that writes. */
double ladder_elements(const struct planner_plan *plan);

/* The bytes that all launches of a call read and write. A launch without inputs among its
 * arguments reads none; one with outputs = 0 writes the call's result. Atomic operations are
 * not counted: they stay in the L2. */
double ladder_bytes(const struct planner_plan *plan, const struct space *space,
                    const struct problem *problem);

/* Fills in step and total, down each column and group; skips rungs that were not measured. */
void ladder_compare(struct ladder *ladder);

/* Picoseconds from a block's start to its end, on average: blocks on all SMs, times the time, over the
 * blocks of the grid. 0 = not measured, or not analysed. */
double ladder_block_ps(const struct ladder_cell *cell);

double ladder_gbs(const struct ladder_cell *cell); /* 10^9 bytes per second; 0 = not measured */

/* Appends a table for each group: all figures for one block size, times by size for several, or
 * times by n; below it the group's notes, and why rungs were not measured. */
void ladder_print(struct text *out, const struct ladder *ladder, bool bold_titles);

/* The same for programs: a row for each rung and size, or n. Dispose of the table. */
void ladder_table(struct table *out, const struct ladder *ladder);

#endif
