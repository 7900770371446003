/* save_record: one record written to a file, for tests that need no more. */
#ifndef AUTOTUNE_SAVE_RECORD_H
#define AUTOTUNE_SAVE_RECORD_H

#include "cache/store.h"

static inline int save_record(const char *path, const struct record *record,
                              struct error *error)
{
    struct records one = {.count = 0};
    const int failed = store_add(&one, record, error) || store_save(path, &one, NULL, error);
    store_dispose(&one);
    return failed ? -1 : 0;
}

#endif
