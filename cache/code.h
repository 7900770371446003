/* code: what a record's times were measured of, as the hash of the kernels that its config is
 * emitted as. A record holds as long as today's space and template give the same. */
#ifndef AUTOTUNE_CODE_H
#define AUTOTUNE_CODE_H

#include "cache/record.h"
#include "generator/emit.h"
#include "generator/point.h"

/* The hash of the kernels of `config`, which the record's params are, for the record's own problem,
 * compute capability, SMs and, where it is emulated, the host; `here` has the space, and lends the
 * other limits of its target. Comments change nothing. Errors as emit_variant has them. */
int code_hash(uint64_t *out, const struct record *record, const int64_t *config,
              const struct point_context *here, const struct emit_sources *sources,
              struct error *error);

enum { CODE_MEMO = 64 };

/* Hashes that were computed lately, for spaces and sources that stay as they are. Initialise with
 * zeros. */
struct code_memo {
    struct {
        uint64_t config, code;
    } at[CODE_MEMO];
    size_t next;
    bool keeps_last;          /* for code_take; then it is to be disposed of */
    struct emit_variant last; /* the kernels that were hashed last */
    uint64_t last_config;     /* 0: they are not there */
};
void code_dispose(struct code_memo *memo);

/* The kernels of a record's config, if they are the last that were emitted to be hashed: then they
 * are the caller's. False: emit them. */
bool code_take(struct code_memo *memo, struct emit_variant *out, const struct record *record);

/* Does the record's config give the kernels that it was measured with? Else `why` is a sentence. */
bool code_is_current(struct code_memo *memo, const struct record *record, const int64_t *config,
                     const struct point_context *here, const struct emit_sources *sources,
                     struct error *why);

#endif
