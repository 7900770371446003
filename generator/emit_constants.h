/* emit_constants: writes the constants on top of a kernel, each with its meaning. Part of
 * emit. */
#ifndef AUTOTUNE_EMIT_CONSTANTS_H
#define AUTOTUNE_EMIT_CONSTANTS_H

#include "generator/emit.h"

/* Appends the constants that the code mentions, in the order of the space file; nothing for
 * none. One that has no value when the kernel is compiled, or too large a one, is an error that
 * says where the sources mention it. */
int emit_constants(struct text *out, const struct space *space, const int64_t *values,
                   const char *code, const struct emit_sources *sources, struct error *error);

#endif
