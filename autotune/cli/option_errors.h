/* option_errors: explains an argument of the command line that is no option. */
#ifndef AUTOTUNE_OPTION_ERRORS_H
#define AUTOTUNE_OPTION_ERRORS_H

#include "autotune/cli/request.h"

/* Explains the argument that argp could not read: sets the error and returns true, or returns
 * false when this argument has no error. */
bool option_errors_explain(const char *argument, enum verb verb, const char *program,
                           struct error *error);

#endif
