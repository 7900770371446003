/* help: what each verb says about itself. */
#ifndef AUTOTUNE_HELP_H
#define AUTOTUNE_HELP_H

#include "autotune/cli/request.h"

struct help {
    enum verb verb;
    const char *name, *arguments; /* "merge", "FILE..."; NULL: none */
    const char *text;             /* what it does, '\v', examples and exit codes */
};

/* Of the first of these verbs (a mask), or NULL. */
const struct help *help_of(unsigned verbs);

#endif
