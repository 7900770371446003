/* analysis: analyses a kernel for a GPU without running it: its resources, how many blocks an
 * SM holds and what limits them, its instruction mix, and the bytes it keeps in flight against
 * those the memory needs. The resulting bound is a prediction. */
#ifndef AUTOTUNE_ANALYSIS_H
#define AUTOTUNE_ANALYSIS_H

#include "autotune/analysis/sass.h"
#include "autotune/analysis/sass_walk.h"
#include "autotune/device/cubin.h"
#include "autotune/device/occupancy.h"
#include "generator/emit.h"

#include <stdbool.h>
#include <stdint.h>

struct nvrtc;

/* A kernel, its GPU, and the compiler for it. */
struct analysis_subject {
    const struct point_context *context; /* its target: the GPU */
    const struct emit_sources *sources;
    const int64_t *config;
    uint64_t peak_bytes; /* of the GPU's memory per second */
    int clock_khz;       /* of the GPU; 0 = unknown */
    struct nvrtc *nvrtc; /* compiles for that GPU; NULL = not available */
    unsigned barriers;   /* that a block passes, as its pattern has it; 0 = not known */
};

enum analysis_limiter {
    ANALYSIS_MEMORY,       /* no limit was found below the memory's full speed */
    ANALYSIS_IN_FLIGHT,    /* too few bytes in flight */
    ANALYSIS_INSTRUCTIONS, /* too many instructions for each element */
};
extern const char *const analysis_limiters[]; /* "memory", "bytes in flight", "instructions" */

struct analysis {
    /* The first pass that applies. */
    unsigned block, grid, dynamic_bytes;
    bool is_compiled; /* the rest is unknown without it; `why` has the reason */
    char why[600];    /* "" = nothing is missing */
    struct cubin_needs needs;
    struct occupancy occupancy;
    struct sass_mix mix;     /* without instructions where none could be counted */
    double per_element;      /* instructions of the loop; 0 = unknown */
    double elements;         /* of a full block; of rows, of the average */
    double at_once;          /* bytes of a thread between two waits for loads; 0 = unknown */
    struct sass_issue issue; /* of such a block; all 0 where no code could be read */
    int sms;                 /* of the GPU */
    double resident;         /* blocks that an SM holds of this grid */
    /* Bytes on an SM: in flight, and needed: bandwidth x latency / SMs (Little's law). */
    double in_flight, wanted;
    double wanted_least; /* the same by the least latency: without as much, no full speed */
    double bound;        /* of the theoretical bandwidth, 0 .. 1; 0 = unknown */
    enum analysis_limiter limiter; /* the limit behind that bound */
};

/* Latencies of memory for Little's law: one with which most kernels that reach the peak have
 * enough in flight, and one that no measured kernel undercuts, so that the bound is one.
 * docs/measuring.md has the sources. */
/* From compute capability 7.0 on: four schedulers of an SM, each with an instruction of a warp a
 * cycle. */
enum { ANALYSIS_ISSUED_PER_CYCLE = 4 };

/* Instructions that a thread issues for each of its elements, in all of the kernel; 0 = unknown. */
double analysis_issued(const struct analysis *analysis);

extern const double analysis_latency_s, analysis_least_latency_s;

/* Without NVRTC, or if the kernel does not compile, it is no error: is_compiled is false and
 * `why` has the reason. */
int analysis_run(struct analysis *out, const struct analysis_subject *subject,
                 struct error *error);

/* The same for another launch of the kernel analysed in `like`: nothing is compiled. */
int analysis_rerun(struct analysis *out, const struct analysis *like,
                   const struct analysis_subject *subject, struct error *error);

/* Computes only the bound, of a kernel with known registers (0 = unlimited) but without machine
 * code: its static shared memory and its instructions are left out. 0 = unknown. */
int analysis_bound(double *out, const struct analysis_subject *subject, int registers,
                   struct error *error);

#endif
