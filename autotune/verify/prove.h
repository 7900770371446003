/* prove: proves variants without times: a covering sample of space, operation, type and
 * architecture, or all of their product, for a few n (sample.h). On the host device each kernel
 * is also compiled by NVRTC for its architecture, where NVRTC is installed. */
#ifndef AUTOTUNE_PROVE_H
#define AUTOTUNE_PROVE_H

#include "autotune/device/device.h"
#include "generator/emit.h"
#include "generator/part.h"

/* Told of kernels that run in this process, to which faulty ones may do anything. */
struct prove_watch {
    void (*kernel)(const char *what); /* the variant whose kernels run from now on; NULL: they
                                       * no longer do */
    void (*answer)(void);             /* launches of it have ended */
};

struct prove_options {
    bool all;         /* the whole product, not a sample */
    struct part part; /* this one alone */
    uint64_t seed;
    const char *nvrtc; /* path, or NULL to look for one */
    void (*show)(void *context, uint64_t done, uint64_t total); /* progress, or NULL */
    void *context;
    bool (*is_stopping)(void);       /* true: stop early; NULL = never */
    const struct prove_watch *watch; /* or NULL */
};

struct prove_failure {
    char what[320]; /* problem, architecture, variant */
    char reason[240];
};

enum { PROVE_FAILURES_MAX = 32 };

struct prove_result {
    uint64_t variants; /* proven right */
    uint64_t same;     /* of the product: the same source as one proven for another place */
    uint64_t cases;    /* runs compared */
    uint64_t compiled; /* kernels compiled by NVRTC */
    uint64_t wrong;    /* variants that are wrong or do not compile */
    uint64_t not_run;  /* variants for a GPU only: NVRTC compiles them, if installed */
    uint64_t missed;   /* pairs of values without a point in the sample */
    struct prove_failure failures[PROVE_FAILURES_MAX]; /* the first ones */
    char skipped[400]; /* why NVRTC compiled nothing, "" if it did */
};

/* -1 only when nothing can be proven. Wrong variants are in the result. */
int prove_run(struct prove_result *out, struct device *device, const struct space *space,
              const struct emit_sources *sources, const struct prove_options *options,
              struct error *error);

/* Proves one variant by its runs at small sizes only: neither n nor a race, which take far
 * longer where a tool looks at each access. */
int prove_config(struct prove_result *out, struct device *device,
                 const struct point_context *context, const struct emit_sources *sources,
                 const int64_t *config, uint64_t seed, const struct prove_watch *watch,
                 struct error *error);

#endif
