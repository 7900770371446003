/* file: what must hold for any file that is kept: read only when it may be trusted, written by
 * one process at a time, replaced as a whole and durably. Knows nothing of what is inside. */
#ifndef AUTOTUNE_FILE_H
#define AUTOTUNE_FILE_H

#include "generator/error.h"
#include "generator/text.h"

#include <stddef.h>

enum file_state {
    FILE_READ,
    FILE_MISSING,
    FILE_REFUSED, /* not to be trusted, or not readable: the reason says why and what to do */
};

/* Appends the file at `path`. Refused: symbolic links, what is not a regular file (a FIFO does
 * not block), files of another user (but root's), files others can write, more than `limit`
 * bytes. */
enum file_state file_read(struct text *out, const char *path, size_t limit,
                          struct error *reason);

/* Makes the folder and those above it, mode 0700. */
int file_make_folder(const char *folder, struct error *error);

/* Locks `path` through PATH.lock, waiting while other writers get on; 10 seconds in which none
 * did are an error. Returns what file_unlock takes, or -1. The lock ends with the process. */
int file_lock(const char *path, struct error *error);
void file_unlock(int lock);

/* Puts `contents` in place of the file: PATH.tmp, fsync, rename, fsync of the folder. An error
 * leaves the file as it was, unless only that last sync failed: then it is new, but a power
 * failure may still bring the old one back. The caller holds the lock. The old file is kept as
 * `keep` unless that is NULL. */
int file_replace(const char *path, const struct text *contents, const char *keep,
                 struct error *error);

#endif
