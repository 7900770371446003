/* fail: makes the errors of the public functions of those inside: a code of include/autotune.h
 * and a sentence in the words of a caller, who has fields to set where the program has options.
 * Only functions named autotune_ return such codes. */
#ifndef AUTOTUNE_FAIL_H
#define AUTOTUNE_FAIL_H

#include "generator/error.h"
#include "include/autotune.h"

/* Fills `error` (may be NULL) and returns `code`, so that `return fail(...)` works. */
int fail(struct autotune_error *error, enum autotune_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for an error of a function inside: its code, and its sentence, in which the program's
 * options become fields. */
int fail_for(struct autotune_error *error, const struct error *cause);

/* AUTOTUNE_BAD_ARGUMENT: `what` is NULL and must not be. */
int fail_null(const char *what, struct autotune_error *error);

/* ERROR_NO_MEMORY, of the host: returns -1. */
int fail_memory(struct error *error);

/* Copies the text, the program's options replaced by fields, cut to `size`; returns `out`. */
char *fail_translate(char *out, size_t size, const char *text);

#endif
