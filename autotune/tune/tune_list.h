/* tune_list: tunes the problems of a list, or one part of them: a line of output each. */
#ifndef AUTOTUNE_TUNE_LIST_H
#define AUTOTUNE_TUNE_LIST_H

#include "autotune/cli/request.h"

/* Runs --problems. A problem that fails costs its line, not the others; -1 then, with the code of the
 * first failure, and at once when interrupted or without a device. */
int tune_list(const struct request *request, struct error *error);

#endif
