/* shipped: loads the files of configs/tuned as they were when the program was built. */
#include "autotune/library/shipped.h"

#include "autotune/embedded.h"

static const char folder[] = "configs/tuned/";

static int append(struct records *all, const struct records *some, struct error *error)
{
    for (size_t i = 0; i < some->count; i++)
        if (store_copy(all, some, &some->at[i], error))
            return -1;
    return 0;
}

int shipped_load(struct records *out, struct error *error)
{
    int failed = 0;
    *out = (struct records){.count = 0};
    for (const struct embedded *file = NULL; !failed && (file = embedded_next(file, folder));) {
        struct records some;
        failed = store_load_bytes(&some, file->name, file->bytes, file->length, error) ||
                 append(out, &some, error);
        store_dispose(&some);
    }
    if (failed)
        store_dispose(out);
    return failed ? -1 : 0;
}
