/* emit_operation: writes what an operation's own text says of elements, values and results as parts of a kernel,
 * as by hand: `map` where that is neither the element nor its square, `finish`, and where no law says how
 * values are combined their type, `identity`, `combine` and shuffles. */
#ifndef AUTOTUNE_EMIT_OPERATION_H
#define AUTOTUNE_EMIT_OPERATION_H

#include "generator/problem.h"
#include "generator/space.h"
#include "generator/text.h"

#include <stdint.h>

/* Appends the parts for a kernel of these values: each opens by a line "//? define NAME", and may mention
 * parts of types, intrinsics and operation.cu. Nothing where the templates know all by the laws. */
void emit_operation(struct text *out, const struct problem *problem,
                    const int64_t values[SPACE_NAMES_MAX]);

#endif
