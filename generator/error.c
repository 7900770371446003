/* error: fills in a struct error, cut to its size. It is formatted elsewhere first, so a new sentence
 * may quote the old one. */
#include "generator/error.h"

#include "generator/text.h"

#include <stdarg.h>

/* Here error_set and error_memory are functions, not macros. */
#undef error_set
#undef error_set_lines
#undef error_memory

int error_set(struct error *error, enum error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_format_visible(error->text, sizeof error->text, false, format, args);
    va_end(args);
    error->code = code;
    return -1;
}

int error_set_lines(struct error *error, enum error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_format_visible(error->text, sizeof error->text, true, format, args);
    va_end(args);
    error->code = code;
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
