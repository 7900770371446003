/* reduce_files: the files that come with the program, opened for a test: the default space and
 * the sources of its kernels. */
#ifndef AUTOTUNE_TEST_REDUCE_FILES_H
#define AUTOTUNE_TEST_REDUCE_FILES_H

#include "autotune/embedded.h"
#include "generator/emit.h"
#include "generator/point.h"
#include "generator/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static inline const struct embedded *find_file(const char *name)
{
    const struct embedded *file = embedded_find(name);
    if (!file)
        fail_msg("%s is not built in", name);
    return file;
}

static inline struct space *load_space(const char *name)
{
    const struct embedded *file = find_file(name);
    struct space *space = NULL;
    struct error error;
    if (space_load(&space, file->name, file->bytes, file->length, embedded_space, &error) != 0)
        fail_msg("%s", error.text);
    return space;
}

static inline struct emit_sources load_sources(void)
{
    static const char *const names[] = {"templates/reduce.cu", "templates/types.cu",
                                        "templates/intrinsics.cu", "templates/operation.cu"};
    return (struct emit_sources){
        .template = {names[0], find_file(names[0])->bytes},
        .types = {names[1], find_file(names[1])->bytes},
        .intrinsics = {names[2], find_file(names[2])->bytes},
        .operation = {names[3], find_file(names[3])->bytes},
    };
}

/* The space's default with some params changed. */
static inline void make_row(const struct space *space, const char *params, int64_t *row)
{
    struct error error;
    memcpy(row, space->default_config, space->param_count * sizeof *row);
    if (point_parse(space, params, row, &error) != 0)
        fail_msg("%s", error.text);
}

#endif
