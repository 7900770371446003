/* find_name: finds a name in a list, or says what to choose instead. */
#ifndef AUTOTUNE_FIND_NAME_H
#define AUTOTUNE_FIND_NAME_H

#include "generator/error.h"

#include <stddef.h>

/* What a user of other libraries asks for, and how to have it here. */
struct absent_name {
    const char *name, *instead; /* NULL: the last */
};

/* The name of the i-th, NULL past the last. */
typedef const char *find_name_at(size_t i);

/* Finds `name`; an unknown one is ERROR_USAGE, says what to take instead by `absent` (NULL: there are none)
 * or names a near one, and lists all, and what else can be done, `otherwise` (NULL: nothing). `what` it is:
 * "operation". */
int find_name(size_t *out, const char *name, const char *what, find_name_at *name_at,
              const struct absent_name *absent, const char *otherwise, struct error *error);

/* All names, separated by blanks. Returns `out`. */
char *find_name_list(char *out, size_t size, find_name_at *name_at);

#endif
