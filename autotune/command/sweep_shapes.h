/* sweep_shapes: the records of a matrix's shapes, drawn together: what each takes and which variant
 * that is. */
#ifndef AUTOTUNE_SWEEP_SHAPES_H
#define AUTOTUNE_SWEEP_SHAPES_H

#include "autotune/command/request.h"
#include "cache/record.h"

/* Draws the records of matrices among those given: those of one problem on one GPU, made with the
 * same tools, in a table with a line a shape, and a table of the variants. Writes JSON and CSV too.
 * `count` (may be NULL) gets how many such groups there are; without any nothing is printed but
 * empty JSON and CSV. */
int sweep_shapes_print(const struct request *request, const struct record *records,
                       size_t record_count, size_t *count, struct error *error);

#endif
