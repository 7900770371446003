/* file: reads and writes the files that are kept: reads only those that may be trusted, writes
 * by one process at a time, replaces a file as a whole and durably. Knows nothing of their
 * contents. */
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

/* ERROR_IO "cannot VERB PATH: ..." from errno, with what to do. Returns -1. */
int file_error(const char *verb, const char *path, struct error *error);

/* Opens a file that may be trusted. Refused: symbolic links, what is not a regular file (a FIFO
 * does not block), files of another user (but root's), files others can write. `flags` as for
 * open(2); a file it makes has mode 0600. The descriptor, or -1 with error set: ERROR_IO, and
 * ENOENT in errno when there is none. */
int file_open(const char *path, int flags, struct error *error);

/* Appends the file at `path`. Refused as by file_open, and when over `limit` bytes. */
enum file_state file_read(struct text *out, const char *path, size_t limit,
                          struct error *reason);

/* The same for a file that the user named, so that it must exist: a missing one is -1 too, and
 * the error names `instead`, what else could be given. */
int file_read_named(struct text *out, const char *path, size_t limit, const char *instead,
                    struct error *error);

/* The folder part of a path, "." without one. */
void file_add_folder_of(struct text *out, const char *path);

/* Makes the folder and those above it, mode 0700. */
int file_make_folder(const char *folder, struct error *error);
int file_make_folder_of(const char *path, struct error *error); /* the folder a file is in */

/* A file made or renamed there survives a power failure. */
int file_sync_folder_of(const char *path, struct error *error);

/* Writes all bytes, in as many calls as it takes and whatever signals come. 0, or -1 with errno, which
 * is ENOSPC where a call wrote nothing. */
int file_write(int file, const void *bytes, size_t size);

/* Opens for reading and appending, makes the file where there is none, and locks it until it is
 * closed. On a file system that has no locks it is open without one: what is put in place by a
 * rename is whole there too, and of two that write at once the later counts. Does not wait. -1: EWOULDBLOCK in errno when another process holds the lock, ESTALE
 * when the file was moved or removed just now (try again); else as file_open. */
int file_open_locked(const char *path, struct error *error);

/* Locks `path` through PATH.lock, waiting while other writers get on; 10 seconds in which none
 * did are an error. Returns what file_unlock takes, or -1. The lock ends with the process. */
int file_lock(const char *path, struct error *error);
void file_unlock(int lock);

/* Puts `contents` in place of the file: LOCKED.tmp, fsync, rename, fsync of the folder. An error
 * leaves the file as it was, unless only that last sync failed: then it is new, but a power
 * failure may still bring the old one back. The caller holds the lock of `locked`, of that folder. The
 * old file is kept as `keep` unless that is NULL, as KEEP-2 where there is such a file, and so on:
 * `keep` becomes its name, or "" where there was no old file. */
int file_replace(const char *path, const char *locked, const struct text *contents,
                 struct text *keep, struct error *error);

/* Moves a file to `name`, or to NAME-2 and so on as file_replace does. */
int file_set_aside(const char *path, struct text *name, struct error *error);

#endif
