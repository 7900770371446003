/* load_operation: operations of a test's own text, and of a file; what cannot be read fails the test. */
#ifndef AUTOTUNE_LOAD_OPERATION_H
#define AUTOTUNE_LOAD_OPERATION_H

#include "generator/operation_file.h"
#include "generator/text.h"
#include "tests/unit/reduce_files.h"

static inline const struct operation *load_operation(const char *file, const char *text)
{
    const struct operation *op = NULL;
    struct error cause;
    if (operation_load(&op, file, text, strlen(text), &cause))
        fail_msg("%s", cause.text);
    return op;
}

static inline const struct operation *load_operation_file(const char *path)
{
    struct text text = {0};
    struct error cause;
    if (text_read(&text, path, OPERATION_FILE_MAX, &cause))
        fail_msg("%s", cause.text);
    const struct operation *op = load_operation(path, text.at);
    text_dispose(&text);
    return op;
}

#endif
