/* help: provides the texts behind --help, one for each verb. */
#ifndef AUTOTUNE_HELP_H
#define AUTOTUNE_HELP_H

#include "autotune/cli/request.h"

struct help {
    enum verb verb;
    const char *name, *arguments; /* "merge", "FILE..."; NULL: none */
    const char *text;             /* what it does, '\v', examples and exit codes */
};

/* The help of the first of these verbs (a mask), or NULL. */
const struct help *help_of(unsigned verbs);

#endif
