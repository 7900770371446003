/* ini: reads INI files strictly, by inih. What inih would change silently (long lines, ':' as a
 * separator, ' ;' inside a value, indented lines) is refused with file:line first; what remains
 * is exactly what the file says. */
#ifndef AUTOTUNE_GENERATOR_INI_H
#define AUTOTUNE_GENERATOR_INI_H

#include "generator/error.h"

#include <stddef.h>

struct ini_item {
    const char *section; /* "param BLOCK" for [param BLOCK]; "" before the first header */
    const char *key;
    const char *value;
    const char *file;       /* the name used in errors */
    int line, section_line; /* from 1: its own, its section header's */
};

struct ini {
    char *file; /* the name used in errors */
    struct ini_item *items;
    size_t count;
    char *strings;                  /* owns every section, key and value */
    const struct ini_item **sorted; /* by section and key, for ini_find */
};

enum {
    INI_LINE_MAX = 199,      /* bytes in a line, without the newline */
    INI_SECTION_MAX = 49,    /* bytes in a section's name */
    INI_FILE_MAX = 16 << 20, /* bytes in a file */
};

/* Parses `length` bytes; `file` names them in errors ("FILE:LINE: what, what to do").
 * Refuses: NUL and control characters, CR, long lines and sections, a missing final newline,
 * indented lines, lines that are neither comment (; or # in column 1), [section] nor
 * key = value, ':' before '=', " ;" in a key or value, an empty key, items before a section, a
 * key twice in a section, a section twice, a section without items, a section name that is
 * empty, begins or ends with a blank or holds ']', text after [section], a byte-order mark,
 * more than INI_FILE_MAX bytes. An empty value is "". A line "+ = MORE" continues the value above it,
 * behind a blank, so that a value may be longer than a line. Every refusal is ERROR_USAGE. */
int ini_load(struct ini *out, const char *file, const char *bytes, size_t length,
             struct error *error);
void ini_dispose(struct ini *ini);

/* The value of `key` in `section`, or NULL. */
const struct ini_item *ini_find(const struct ini *ini, const char *section, const char *key);

#endif
