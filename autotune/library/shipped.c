/* shipped: loads the files of configs/tuned as they were when the program was built. A file is
 * of one GPU, whose folder it is in, and of one space and cost class, which are its name: so what is
 * of no use is not read. */
#include "autotune/library/shipped.h"

#include "autotune/embedded.h"
#include "cache/compact.h"

#include <string.h>

static const char folder[] = "configs/tuned/";

/* "configs/tuned/nvidia-h200/reduce-adding-4-i32.ini" has the name that lies between its last slash
 * and its ending. */
static bool is_called(const struct embedded *file, const char *name)
{
    int length;
    const char *stem = embedded_stem(file, &length);
    return (size_t)length == strlen(name) && strncmp(stem, name, (size_t)length) == 0;
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
