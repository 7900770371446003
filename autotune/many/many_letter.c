/* many_letter: a field is "NAME LENGTH\n", so many bytes, and a zero. */
#include "autotune/many/many_letter.h"

#include <stdlib.h>
#include <string.h>

void many_letter_add(struct text *letter, const char *name, const char *bytes, size_t length)
{
    text_addf(letter, "%s %zu\n", name, length);
    text_add(letter, bytes, length);
    text_add(letter, "", 1);
}

void many_letter_addf(struct text *letter, const char *name, const char *format, ...)
{
    char value[2048];
    va_list args;
    va_start(args, format);
    text_format_visible(value, sizeof value, true, format, args);
    va_end(args);
    many_letter_add(letter, name, value, strlen(value));
}

/* A field at `*at`, which is moved behind it; false where no field is there whole. */
static bool read_field(const struct text *letter, size_t *at, const char **name,
                       size_t *name_length, const char **bytes, size_t *length)
{
    const char *start = letter->at + *at, *all = letter->at + letter->length;
    const char *blank = memchr(start, ' ', (size_t)(all - start));
    const char *newline = blank ? memchr(blank, '\n', (size_t)(all - blank)) : NULL;
    if (!newline)
        return false;
    *name = start;
    *name_length = (size_t)(blank - start);
    *bytes = newline + 1;
    *length = strtoull(blank + 1, NULL, 10);
    if (*length >= (size_t)(all - *bytes) || (*bytes)[*length])
        return false;
    *at = (size_t)(*bytes - letter->at) + *length + 1;
    return true;
}

const char *many_letter_next(const struct text *letter, const char *name, size_t *length,
                             size_t *at)
{
    const char *found, *bytes;
    size_t name_length;
    while (*at < letter->length && read_field(letter, at, &found, &name_length, &bytes, length))
        if (name_length == strlen(name) && memcmp(found, name, name_length) == 0)
            return bytes;
    *length = 0;
    return NULL;
}

const char *many_letter_string(const struct text *letter, const char *name)
{
    size_t length, at = 0;
    const char *found = many_letter_next(letter, name, &length, &at);
    return found ? found : "";
}

uint64_t many_letter_number(const struct text *letter, const char *name)
{
    return strtoull(many_letter_string(letter, name), NULL, 10);
}
