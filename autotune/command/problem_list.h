/* problem_list: writes a list of problems, as --problems reads it. */
#ifndef AUTOTUNE_PROBLEM_LIST_H
#define AUTOTUNE_PROBLEM_LIST_H

#include "autotune/cli/request.h"

/* Prints a line for each problem: every operation and type that go together, or those that are asked
 * for, at each size that is. */
int problem_list_print(const struct request *request, struct error *error);

#endif
