/* ini_field: reads one item of an INI file into a struct by a table of its fields: a text, or lines of
 * text whose keys begin alike ("note", "note 2"). What has another form the owner of the table reads
 * itself. */
#ifndef AUTOTUNE_INI_FIELD_H
#define AUTOTUNE_INI_FIELD_H

#include "generator/ini.h"

#include <stdbool.h>

enum { INI_LINES_MAX = 8 };

/* Lines of text, in the order of the file. */
struct ini_lines {
    const char *at[INI_LINES_MAX];
    size_t count;
};

enum ini_form {
    INI_TEXT,       /* const char * */
    INI_TEXT_THERE, /* the same, which must not be empty */
    INI_LINES,      /* struct ini_lines; none is empty */
};

struct ini_field {
    const char *key;
    enum ini_form form;
    size_t offset; /* of the member */
};

/* Reads the item, if its key is a field's, and says so in `is_known`. -1, ERROR_USAGE: the value is
 * not what the field takes. */
int ini_field_read(void *out, bool *is_known, const struct ini_field *fields, size_t count,
                   const struct ini_item *item, struct error *error);

/* "FILE:LINE: [SECTION] KEY: what"; -1. */
int ini_field_complain(const struct ini_item *item, const char *what, struct error *error);

#endif
