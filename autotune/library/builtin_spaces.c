/* builtin_spaces: opens built-in spaces when first asked for, and keeps them in a list. */
#include "autotune/library/builtin_spaces.h"

#include "autotune/embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_file(struct emit_file *out, const char *folder, const char *name,
                     const char *ending, struct error *error)
{
    char path[200];
    snprintf(path, sizeof path, "%.40s/%.140s%s", folder, name, ending);
    const struct embedded *file = embedded_find(path);
    if (!file)
        return error_set(error, ERROR_FAILED,
                         "%s is not part of this build; build it again with `make clean all`",
                         path);
    *out = (struct emit_file){file->name, file->bytes};
    return 0;
}

int builtin_files_common(struct emit_sources *out, struct error *error)
{
    return find_file(&out->types, "templates", "types.cu", "", error) ||
                   find_file(&out->intrinsics, "templates", "intrinsics.cu", "", error) ||
                   find_file(&out->operation, "templates", "operation.cu", "", error)
               ? -1
               : 0;
}

int builtin_files_open(struct builtin_files *out, const char *folder, const char *name,
                       struct error *error)
{
    *out = (struct builtin_files){.space = NULL};
    return find_file(&out->file, folder, name, ".ini", error) ||
                   space_load(&out->space, out->file.name, out->file.text,
                              strlen(out->file.text), embedded_space, error) ||
                   find_file(&out->sources.template, "templates", out->space->template_name, "",
                             error) ||
                   builtin_files_common(&out->sources, error)
               ? -1
               : 0;
}

static int open_space(struct builtin_spaces *spaces, const char *name, struct error *error)
{
    struct builtin_files files;
    const int failed = builtin_files_open(&files, "configs", name, error);
    spaces->name = name;
    spaces->space = files.space;
    spaces->sources = files.sources;
    return failed;
}

int builtin_spaces_find(struct builtin_spaces **builtins, const char *name,
                        const struct builtin_spaces **out, struct error *error)
{
    struct builtin_spaces *made;
    for (*out = *builtins; *out; *out = (*out)->next)
        if (strcmp((*out)->name, name) == 0)
            return 0;
    made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, sizeof *made);
    if (open_space(made, name, error)) {
        builtin_spaces_free(made);
        return -1;
    }
    made->next = *builtins;
    *out = *builtins = made;
    return 0;
}

void builtin_spaces_free(struct builtin_spaces *builtins)
{
    while (builtins) {
        struct builtin_spaces *next = builtins->next;
        space_free(builtins->space);
        free(builtins);
        builtins = next;
    }
}
