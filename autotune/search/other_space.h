/* other_space: proves and times a kernel of another space in a measuring worker, with the
 * worker's inputs and bench. The kernel is no candidate of the worker's search: it meets no
 * limit and no race. */
#ifndef AUTOTUNE_OTHER_SPACE_H
#define AUTOTUNE_OTHER_SPACE_H

#include "autotune/search/measurer.h"

/* Compiles, proves and times the kernel, and reports it as candidate 0 of variant 0; a slow one
 * is timed less often. `sources` are the worker's: types and intrinsics serve all templates.
 * -1: its space or template cannot be read (ERROR_USAGE), or the device or the coordinator is
 * lost. */
int other_space_try(struct measurer *measurer, const struct emit_sources *sources,
                    const struct job_other_space *job, struct error *error);

#endif
