/* ncu: names the metrics to ask Nsight Compute's command line for, and reads its CSV back.
 * Hides the names of metrics, which one table holds, and units. */
#ifndef AUTOTUNE_NCU_H
#define AUTOTUNE_NCU_H

#include "generator/error.h"
#include "generator/text.h"

#include <stddef.h>

enum ncu_figure {
    NCU_NS,      /* duration */
    NCU_MEMORY,  /* throughput in % of the peak, of the busiest part of the memory, which
                           * may be shared memory */
    NCU_COMPUTE, /* of the busiest part of an SM */
    NCU_DRAM,    /* likewise, of one unit each ... */
    NCU_L2,
    NCU_L1,               /* ... shared memory is a part of this one */
    NCU_ISSUE,            /* of the schedulers' slots for instructions */
    NCU_OCCUPANCY,        /* achieved: warps on an SM, in % of the most there can be */
    NCU_REGISTERS,        /* per thread */
    NCU_INSTRUCTIONS,     /* of warps */
    NCU_SHARED,           /* instructions of warps that use shared memory */
    NCU_WAVEFRONTS,       /* wavefronts of these, by their addresses ... */
    NCU_WAVEFRONTS_IDEAL, /* ... and without bank conflicts */
    NCU_CONFLICTS,  /* bank conflicts as the hardware counts them, other waits among them */
    NCU_THREADS,    /* threads in an instruction, of 32: fewer where a branch diverged ... */
    NCU_THREADS_ON, /* ... and those of them whose predicate is on: the others do nothing */
    NCU_LOADS,      /* requests of global loads, one an instruction of a warp ... */
    NCU_SECTORS,    /* ... and the sectors of 32 bytes that these touch */
    NCU_LATENCY,    /* cycles of a warp from one of its instructions to the next */
    NCU_FIGURES
};

/* Why a warp does not issue its next instruction. */
struct ncu_stall {
    const char *name, *waits_for; /* "long_scoreboard"; in words */
};

struct ncu_launch {
    char kernel[80], grid[32], block[32]; /* "(132, 1, 1)" */
    double figures[NCU_FIGURES];          /* negative: not given */
    const struct ncu_stall *stall;        /* the one that takes most cycles; NULL = not given */
    double stall_cycles;                  /* of NCU_LATENCY */
};

/* A unit that can be what a kernel waits for, in words. */
struct ncu_unit {
    enum ncu_figure figure;
    const char *name;
};
enum { NCU_UNITS = 4 };
extern const struct ncu_unit ncu_units[NCU_UNITS];

/* The one that is nearest to its peak; NULL = not given. */
const struct ncu_unit *ncu_busiest(const struct ncu_launch *launch);

/* Appends the metrics that ncu_parse knows, as its option --metrics takes them. */
void ncu_metrics(struct text *out);

/* Reads the output of `ncu --csv --page raw`: a line of names, one of units, one for each
 * launch; lines around them are passed over. At most `most` launches, in their order. Without
 * any it is an error with ncu's own reason, also looked for on its standard error (`errors`):
 * ERROR_NO_DEVICE where it must not or cannot read the counters of this GPU. ERROR_FAILED: the
 * program that it ran, this one, reports a failure. */
int ncu_parse(struct ncu_launch *out, size_t most, size_t *count, const struct text *said,
              const struct text *errors, struct error *error);

/* For each instruction that uses shared memory the wavefronts beyond the ideal, which bank
 * conflicts cost: 1 for two-way conflicts. Negative: not given. */
double ncu_excess(const struct ncu_launch *launch);

/* The sectors of a request of a global load. Negative: not given, or there is none. */
double ncu_sectors(const struct ncu_launch *launch);

#endif
