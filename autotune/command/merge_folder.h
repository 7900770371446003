/* merge_folder: lists the record files of folders, as the parts of a list leave them, and merges
 * their journals. */
#ifndef AUTOTUNE_MERGE_FOLDER_H
#define AUTOTUNE_MERGE_FOLDER_H

#include "generator/error.h"

#include <stddef.h>

/* The files to merge: those that were named, and the record files of folders that were. */
struct merge_files {
    char **at;
    size_t count;
};

/* merge_folder_dispose frees them, after an error too. */
int merge_folder_list(struct merge_files *out, char *const *names, size_t count,
                      struct error *error);
void merge_folder_dispose(struct merge_files *files);

/* Adds the trials in the journals of `from`, where that is a folder of records, to those of `to`;
 * `*trials` grows by their number. A journal of another driver or compiler than that in `to` is left
 * out, with a warning. */
int merge_folder_journals(const char *from, const char *to, size_t *trials,
                          struct error *error);

#endif
