/* clashes: options that cannot be meant together, and what a verb cannot do without. */
#ifndef AUTOTUNE_CLASHES_H
#define AUTOTUNE_CLASHES_H

#include "autotune/command/request.h"

/* ERROR_USAGE with what to choose or to give, for the first that there is. */
int clashes_check(const struct request *request, struct error *error);

#endif
