/* builtin_spaces: opens built-in spaces when first asked for, and keeps them in a list. */
#include "autotune/library/builtin_spaces.h"

#include "autotune/embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_file(const struct embedded **out, const char *folder, const char *name,
                     const char *ending, struct error *error)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%.150s%s", folder, name, ending);
    *out = embedded_find(path);
    return *out
               ? 0
               : error_set(error, ERROR_FAILED,
                           "%s is not part of this build; build it again with `make clean all`",
                           path);
}

static int open_space(struct builtin_spaces *spaces, const char *name, struct error *error)
{
    const struct embedded *file, *template, *types, *intrinsics;
    if (find_file(&file, "configs", name, ".ini", error) ||
        space_load(&spaces->space, file->name, file->bytes, file->length, embedded_space,
                   error) ||
        find_file(&template, "templates", spaces->space->template_name, "", error) ||
        find_file(&types, "templates", "types.cu", "", error) ||
        find_file(&intrinsics, "templates", "intrinsics.cu", "", error))
        return -1;
    spaces->name = name;
    spaces->sources = (struct emit_sources){
        .template = {template->name, template->bytes},
        .types = {types->name, types->bytes},
        .intrinsics = {intrinsics->name, intrinsics->bytes},
    };
    return 0;
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
