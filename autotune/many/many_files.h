/* many_files: does what rank 0 has to do with the files of the cache: records by kind of device, and
 * journals by name. */
#ifndef AUTOTUNE_MANY_FILES_H
#define AUTOTUNE_MANY_FILES_H

#include "cache/store.h"

#include <stdint.h>

struct many_files {
    struct text folder, read_from; /* of records and journals; where journals are read */
    int lock;
};

/* Of --cache; with --replay (or NULL) journals are read from there. Until it is closed no other process
 * may share a list with that folder, where its file system has locks: ERROR_FAILED. Close it after an error
 * too. */
int many_files_open(struct many_files *out, const char *cache, const char *replay,
                    struct error *error);
void many_files_close(struct many_files *files);

/* Appends the journal of this name, none being nothing; `time` is that of its last line, in seconds since
 * 1970. */
int many_files_read_journal(struct text *out, uint64_t *time, const struct many_files *files,
                            const char *name, struct error *error);

/* Appends to the journal, which has `from` bytes, else it is another's; as of that time. With 0 one that is
 * there is set aside. */
int many_files_append(const struct many_files *files, const char *name, const char *bytes,
                      size_t length, uint64_t from, uint64_t time, struct error *error);

/* Appends the path of the GPU's record file. */
int many_files_path(struct text *path, const struct many_files *files, const char *gpu,
                    struct error *error);

#endif
