/* error: fills in a struct error, cut to its size. Formats into a buffer of its own first, so a
 * new sentence may quote the old one. */
#include "generator/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Here error_set and error_memory are functions, not macros. */
#undef error_set
#undef error_memory

int error_set(struct error *error, enum error_code code, const char *format, ...)
{
    char text[sizeof error->text];
    va_list args;

    va_start(args, format);
    if (vsnprintf(text, sizeof text, format, args) < 0)
        strcpy(text, "an error whose description could not be written");
    va_end(args);
    error->code = code;
    memcpy(error->text, text, strlen(text) + 1);
    return -1;
}

int error_memory(struct error *error, unsigned long long bytes)
{
    return error_set(error, ERROR_FAILED,
                     "out of memory: no room for %llu bytes; free some memory or choose a "
                     "smaller problem",
                     bytes);
}

int error_status(enum error_code code)
{
    return code < ERROR_NO_MEMORY ? (int)code : ERROR_FAILED;
}
