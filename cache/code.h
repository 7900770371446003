/* code: hashes the kernels that a record's config is emitted as. The times of a record hold as
 * long as today's space and template give the same hash. */
#ifndef AUTOTUNE_CODE_H
#define AUTOTUNE_CODE_H

#include "cache/record.h"
#include "generator/emit.h"
#include "generator/point.h"

/* The hash of the kernels of `values`, the record's params, for the record's own problem,
 * compute capability, SMs and, where it is emulated, the host; `here` gives the space and the
 * other limits of the target. Comments change nothing. Errors as emit_variant has them. */
int code_hash(uint64_t *out, const struct record *record, const int64_t *values,
              const struct point_context *here, const struct emit_sources *sources,
              struct error *error);

enum { CODE_MEMO = 64 };

/* Hashes that were computed lately, for one set of spaces and sources. Initialise with
 * zeros. */
struct code_memo {
    struct {
        uint64_t config, code;
    } at[CODE_MEMO];
    size_t next;
    bool keeps_last;          /* keep `last` for code_take; then dispose of the memo */
    struct emit_variant last; /* the kernels that were hashed last */
    uint64_t last_config;     /* of `last`; 0: it holds none */
};
void code_dispose(struct code_memo *memo);

/* The kernels of a record's config for the problem and target `here`, if they are the last that
 * were emitted to be hashed: then they are the caller's. False: they are not; emit them. */
bool code_take(struct code_memo *memo, struct emit_variant *out, const struct record *record,
               const struct point_context *here);

/* Does the record's config give the kernels that it was measured with? If not, `why` is a
 * sentence. */
bool code_is_current(struct code_memo *memo, const struct record *record, const int64_t *values,
                     const struct point_context *here, const struct emit_sources *sources,
                     struct error *why);

#endif
