/* option_conflicts: options that cannot be meant together, and what a verb cannot do without. */
#ifndef AUTOTUNE_OPTION_CONFLICTS_H
#define AUTOTUNE_OPTION_CONFLICTS_H

#include "autotune/cli/request.h"

/* A condition, and the sentence that it gets. */
struct option_conflict {
    bool is_so;
    const char *text;
};

/* ERROR_USAGE with the sentence of the first that is so. */
int option_conflicts_refuse(const struct option_conflict *conflicts, size_t count,
                            struct error *error);

/* ERROR_USAGE with what to choose or to give, for the first that there is. */
int option_conflicts_check(const struct request *request, struct error *error);

#endif
