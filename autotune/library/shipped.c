/* shipped: loads the files of configs/tuned as they were when the program was built. A file is
 * of one GPU, whose folder it is in, and of one space and cost class, which are its name: so what is
 * of no use is not read. */
#include "autotune/library/shipped.h"

#include "autotune/embedded.h"
#include "cache/compact.h"

#include <string.h>

static const char folder[] = "configs/tuned/";

/* "configs/tuned/nvidia-h200/reduce-adding-4-i32.ini" has the name that lies between its last slash
 * and its ending; "reduce-adding-4-i32_sumsq-u32.ini", of another member of the class, has it too. */
static bool is_called(const struct embedded *file, const char *name)
{
    const size_t length = strlen(name);
    int all;
    const char *stem = embedded_stem(file, &all);
    return (size_t)all >= length && strncmp(stem, name, length) == 0 &&
           ((size_t)all == length || stem[length] == '_');
}

int shipped_load(struct records *out, const struct record *want, struct error *error)
{
    char name[COMPACT_NAME_CHARS] = "";
    *out = (struct records){.count = 0};
    if (want)
        compact_name(name, want->space, &want->problem);
    for (size_t i = 0; i < embedded_count; i++) {
        const struct embedded *file = &embedded_files[i];
        if (strncmp(file->name, folder, strlen(folder)) != 0 ||
            (want && !is_called(file, name)))
            continue;
        if (compact_load(out, file->name, file->bytes, file->length, error)) {
            store_dispose(out);
            return -1;
        }
    }
    return 0;
}
