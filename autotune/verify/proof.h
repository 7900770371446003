/* proof: proves variants right where the device runs them, or compiles them by NVRTC for an
 * architecture. Hides the inputs, and how a variant at fault is found among several. */
#ifndef AUTOTUNE_PROOF_H
#define AUTOTUNE_PROOF_H

#include "autotune/device/nvrtc.h"
#include "autotune/verify/check_small.h"
#include "autotune/verify/compiler.h"

/* Told of kernels that run in this process, to which faulty ones may do anything. */
struct proof_watch {
    void (*kernel)(const char *what); /* the variant whose kernels run from now on; NULL: they
                                       * no longer do */
    void (*answer)(void);             /* launches of it have ended */
};

struct proof_failure {
    char what[320]; /* problem, architecture, variant */
    char reason[240];
};

enum { PROOF_FAILURES_MAX = 32 };

/* What was proven, and what is wrong. */
struct proof_result {
    uint64_t variants; /* proven right */
    uint64_t same;     /* of the product: the same source as one proven for another place */
    uint64_t cases;    /* runs compared */
    uint64_t compiled; /* kernels compiled by NVRTC */
    uint64_t wrong;    /* variants that are wrong or do not compile */
    uint64_t not_run;  /* variants for a GPU only: NVRTC compiles them, if installed */
    uint64_t missed;   /* pairs of values without a point in the sample */
    struct proof_failure failures[PROOF_FAILURES_MAX]; /* the first ones */
    char skipped[400]; /* why NVRTC compiled nothing, "" if it did */
};

/* The resources that proofs need and share. */
struct proof {
    struct device *device;
    const struct emit_sources *sources;
    struct proof_result *result; /* results are added to it */
    uint64_t seed;
    uint64_t positions; /* tried one by one at most; 0: all, on the emulator a sample */
    bool is_drawn;      /* of all of them as many as the search tries of a candidate */
    const struct proof_watch *watch; /* or NULL */
    struct check *check;             /* of check_problem; NULL = none yet */
    struct problem check_problem;
};
void proof_dispose(struct proof *proof);

/* Dims that say nothing of a size, but which axes are kept and combined, and how large elements may be. */
struct dims proof_dims(const struct dims *dims);

/* Variants that are compiled together, as indices. */
struct proof_batch {
    size_t variants[COMPILER_UNIT], count;
};

/* The first candidate of a variant. */
const int64_t *proof_config(const struct points *points, size_t variant);

/* Runs the variants at small sizes, as the device does for the context's target. One that does
 * not compile is wrong. -1 only when nothing can be run. */
int proof_run(struct proof *proof, const struct point_context *context,
              const struct points *points, const struct proof_batch *batch,
              struct error *error);

/* The same of what was compiled: for one who has a look at the unit first. */
int proof_unit(struct proof *proof, const struct point_context *context,
               const struct points *points, const struct compiled_unit *unit,
               struct error *error);

/* Compiles their kernels for the context's target, which is no host. One that does not compile
 * is wrong. */
int proof_compile(struct proof *proof, const struct point_context *context,
                  const struct points *points, const struct proof_batch *batch,
                  struct nvrtc *nvrtc, struct error *error);

#endif
