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

/* The file after `last` (NULL: the first) that lies in `folder` itself, "configs/published/"; NULL
 * after the last. */
const struct embedded *embedded_next(const struct embedded *last, const char *folder);

/* The same of the spaces in configs/, without the other files there. */
const struct embedded *embedded_next_space(const struct embedded *last);

/* The file's name without folder and ending, which is its first `length` characters. */
const char *embedded_stem(const struct embedded *file, int *length);

/* The text of configs/NAME.ini, and its path in `file`; or NULL (a space_builtin_fn). */
const char *embedded_space(const char *name, const char **file);

#endif
