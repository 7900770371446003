/* option_conflicts: refuses conflicting options, and finds missing ones that a verb needs. */
#ifndef AUTOTUNE_OPTION_CONFLICTS_H
#define AUTOTUNE_OPTION_CONFLICTS_H

#include "autotune/cli/request.h"

/* A condition, and the error sentence for it. */
struct option_conflict {
    bool is_so;
    const char *text;
};

/* ERROR_USAGE with the sentence of the first that is so; else 0. */
int option_conflicts_refuse(const struct option_conflict *conflicts, size_t count,
                            struct error *error);

/* ERROR_USAGE for the first conflicting or missing option, with the choice to make. */
int option_conflicts_check(const struct request *request, struct error *error);

#endif
