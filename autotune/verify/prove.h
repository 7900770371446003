/* prove: proves variants without times: a covering sample of space, operation, type and
 * architecture, or all of their product, for a few n (sample.h). On the host device each kernel
 * is also compiled by NVRTC for its architecture, where NVRTC is installed. */
#ifndef AUTOTUNE_PROVE_H
#define AUTOTUNE_PROVE_H

#include "autotune/verify/proof.h"
#include "generator/part.h"

struct prove_options {
    bool all;         /* the whole product, not a sample */
    struct part part; /* this one alone */
    uint64_t seed;
    const char *nvrtc; /* path, or NULL to look for one */
    void (*show)(void *context, uint64_t done, uint64_t total); /* progress, or NULL */
    void *context;
    bool (*is_stopping)(void);       /* true: stop early; NULL = never */
    const struct proof_watch *watch; /* or NULL */
};

/* -1 only when nothing can be proven. Wrong variants are in the result. */
int prove_run(struct proof_result *out, struct device *device, const struct space *space,
              const struct emit_sources *sources, const struct prove_options *options,
              struct error *error);

/* Proves one variant by its runs at small sizes only: neither n nor a race, which take far
 * longer where a tool looks at each access. */
int prove_config(struct proof_result *out, struct device *device,
                 const struct point_context *context, const struct emit_sources *sources,
                 const int64_t *config, uint64_t seed, const struct proof_watch *watch,
                 struct error *error);

#endif
