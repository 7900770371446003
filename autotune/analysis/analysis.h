/* analysis: what can be said of a kernel on a GPU without running it: what it needs, how many
 * blocks an SM holds and why no more, which instructions it is made of, and how many bytes it
 * keeps under way against what the memory wants. The bound that follows is a prediction. */
#ifndef AUTOTUNE_ANALYSIS_H
#define AUTOTUNE_ANALYSIS_H

#include "autotune/analysis/sass.h"
#include "autotune/device/cubin.h"
#include "autotune/device/occupancy.h"
#include "generator/emit.h"

#include <stdbool.h>
#include <stdint.h>

struct nvrtc;

/* A kernel, where it would run, and what compiles it. */
struct analysis_subject {
    const struct point_context *context; /* its target: the GPU */
    const struct emit_sources *sources;
    const int64_t *config;
    uint64_t peak_bytes; /* of the GPU's memory per second */
    int clock_khz;       /* of the GPU; 0 = unknown */
    struct nvrtc *nvrtc; /* one that compiles for that GPU; NULL = none is here */
};

enum analysis_limiter {
    ANALYSIS_MEMORY,       /* nothing seen here keeps it from the memory's full speed */
    ANALYSIS_IN_FLIGHT,    /* too few bytes under way */
    ANALYSIS_INSTRUCTIONS, /* too many instructions for each element */
};
extern const char *const analysis_limiters[]; /* "memory", "bytes in flight", "instructions" */

struct analysis {
    /* The first pass that applies. */
    unsigned block, grid, dynamic_bytes;
    bool is_compiled; /* the rest is unknown without it; `why` says what is missing */
    char why[600];    /* "" = all is there */
    struct cubin_needs needs;
    struct occupancy occupancy;
    struct sass_mix mix; /* of no instruction where nothing could be counted */
    double per_element;  /* instructions; 0 = unknown */
    /* Bytes on an SM: under way, and wanted: bandwidth x latency / SMs (Little's law). */
    double in_flight, wanted;
    double bound;                  /* of the theoretical bandwidth, 0 .. 1; 0 = unknown */
    enum analysis_limiter limiter; /* what makes that bound */
};

/* What Little's law takes for the latency of memory: less than it takes under load, so that the
 * bound is one. docs/measuring.md says where it is from. */
extern const double analysis_latency_s;

/* No NVRTC, or a kernel that it does not compile, is no error: is_compiled
 * is false and `why` says it. */
int analysis_run(struct analysis *out, const struct analysis_subject *subject,
                 struct error *error);

/* The same for another launch of the kernel that `like` was run for: nothing is compiled. */
int analysis_rerun(struct analysis *out, const struct analysis *like,
                   const struct analysis_subject *subject, struct error *error);

/* The bound alone, of a kernel whose registers are known (0 = unlimited) and whose machine code
 * is not here: its static shared memory and its instructions are left out. 0 = unknown. */
int analysis_bound(double *out, const struct analysis_subject *subject, int registers,
                   struct error *error);

#endif
