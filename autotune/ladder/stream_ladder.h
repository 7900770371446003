/* stream_ladder: measures the ways in which data gets from the host to a kernel, from a copy of all
 * of it to chunks in several streams, as shares of a plain copy; then what lectures warn of: calls
 * between two streams' work that may keep it from overlapping. */
#ifndef AUTOTUNE_STREAM_LADDER_H
#define AUTOTUNE_STREAM_LADDER_H

#include "autotune/cli/setup.h"
#include "autotune/measure/host_bench.h"

enum { STREAM_ROUNDS = 9, STREAM_BARS_MAX = 128, STREAM_LADDER_COUNT = 14 };

/* How the names of its rungs begin: "streams-1" to the count. They are no rungs of the list, for
 * they are measured by turns and have no space. */
#define STREAM_LADDER_RUNGS "streams-"

/* A way in which elements get to a kernel. */
struct stream_way {
    const char *name, *what;
    enum regime memory;
    bool is_left_to_driver; /* pageable memory that the driver copies */
    bool is_breadth_first;
    unsigned streams; /* 0 = as tuned */
    uint64_t chunks;  /* likewise */
    unsigned copiers; /* likewise */
};

/* What it took. */
struct stream_rung {
    struct stream_way way;
    uint64_t times_ps[STREAM_ROUNDS], median_ps, low_ps, high_ps;
    struct pipeline_bar bars[STREAM_BARS_MAX];
    struct pipeline_watch watch;
    struct autotune_pipeline *pipeline;
};

/* A call between a copy in one stream and a kernel in another. */
struct stream_caveat {
    const char *name, *what;      /* as the lecture has it, and what is called here */
    double copied_us, reduced_us; /* when copy and kernel had ended, from the copy's begin */
    bool overlaps;                /* the kernel had ended before the copy */
};

/* Measures all for the setup's problem, in this process, and prints it. -1: a result was wrong, or a
 * call failed. */
int stream_ladder_run(const struct request *request, const struct setup *setup,
                      struct error *error);

/* Fills the table of caveats, `*count` of them. */
enum { STREAM_CAVEATS_MAX = 16 };
int stream_caveats_run(struct stream_caveat out[STREAM_CAVEATS_MAX], size_t *count,
                       struct host_bench *bench, struct error *error);

#endif
