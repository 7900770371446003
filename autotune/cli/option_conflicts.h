/* option_conflicts: refuses conflicting options, and finds missing ones that a verb needs. */
#ifndef AUTOTUNE_OPTION_CONFLICTS_H
#define AUTOTUNE_OPTION_CONFLICTS_H

#include "autotune/cli/request.h"

/* ERROR_USAGE for the first conflicting or missing option, with the choice to make. */
int option_conflicts_check(const struct request *request, struct error *error);

#endif
