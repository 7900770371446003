/* ini_field: finds the field of a key and stores the value, which stays the file's. */
#include "generator/ini_field.h"

#include <string.h>

int ini_field_complain(const struct ini_item *item, const char *what, struct error *error)
{
    return error_set(error, ERROR_USAGE, "%s:%d: [%s] %s: %s", item->file, item->line,
                     item->section, item->key, what);
}

static bool is_of(const struct ini_field *field, const char *key)
{
    const size_t length = strlen(field->key);
    return strncmp(key, field->key, length) == 0 &&
           (!key[length] || (field->form == INI_LINES && key[length] == ' '));
}

static int store(void *member, const struct ini_field *field, const struct ini_item *item,
                 struct error *error)
{
    struct ini_lines *lines = member;
    if (field->form != INI_TEXT && !*item->value)
        return ini_field_complain(item, "is empty: leave it out", error);
    if (field->form != INI_LINES) {
        *(const char **)member = item->value;
        return 0;
    }
    if (lines->count == INI_LINES_MAX)
        return ini_field_complain(item, "is one line too many: drop it", error);
    lines->at[lines->count++] = item->value;
    return 0;
}

int ini_field_read(void *out, bool *is_known, const struct ini_field *fields, size_t count,
                   const struct ini_item *item, struct error *error)
{
    *is_known = false;
    for (size_t i = 0; i < count && !*is_known; i++) {
        *is_known = is_of(&fields[i], item->key);
        if (*is_known)
            return store((char *)out + fields[i].offset, &fields[i], item, error);
    }
    return 0;
}
