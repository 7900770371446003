/* emit: a template and a point of its space to CUDA C that reads as if written by hand. Puts
 * the constants on top and keeps or drops lines by control lines; never edits a line. */
#ifndef AUTOTUNE_EMIT_H
#define AUTOTUNE_EMIT_H

#include "generator/error.h"
#include "generator/space.h"
#include "generator/text.h"

/* The files a kernel is made from, as text. */
struct emit_sources {
    const char *template_file, *template_text; /* name for errors, contents */
    const char *types_text;                    /* templates/types.cu */
    const char *intrinsics_text;               /* templates/intrinsics.cu */
};

/* Appends the kernel of `row` for the problem and target. `elements` as for space_values.
 * Errors name file:line of the template. The output is byte-identical for identical input. */
int emit_kernel(struct text *out, const struct space *space, const struct emit_sources *sources,
                const int64_t *row, const struct problem *problem, const struct target *target,
                bool elements, struct error *error);

/* A hash of all source texts, part of a record's key. */
uint64_t emit_hash(const struct emit_sources *sources);

#endif
