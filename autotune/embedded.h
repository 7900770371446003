/* embedded: templates, spaces, tables and the headers that exports carry, as they stood when the
 * program was built. */
#ifndef AUTOTUNE_EMBEDDED_H
#define AUTOTUNE_EMBEDDED_H

#include <stddef.h>

struct embedded {
    const char *name;  /* path in the source tree: "templates/reduce.cu" */
    const char *bytes; /* zero-terminated beyond length */
    size_t length;
};

extern const struct embedded embedded_files[];
extern const size_t embedded_count;

/* The file of this name, or NULL. */
const struct embedded *embedded_find(const char *name);

/* The text of configs/NAME.ini, and its path in `file`; or NULL (a space_builtin_fn). */
const char *embedded_space(const char *name, const char **file);

#endif
