/* tune_list_plan: says which part of a list would do what, and for how long: --dry-run. */
#ifndef AUTOTUNE_TUNE_LIST_PLAN_H
#define AUTOTUNE_TUNE_LIST_PLAN_H

#include "autotune/cli/device_set.h"
#include "autotune/cli/problem_file.h"
#include "autotune/tune/tune_parts.h"

/* Prints a line for each problem and a note for each part, on devices of the first kind. Nothing is
 * tuned or written. */
int tune_list_plan(const struct request *request, struct problem_file *file,
                   struct tune_parts *parts, const struct device_set *device_set,
                   struct error *error);

#endif
