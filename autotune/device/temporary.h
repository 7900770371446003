/* temporary: makes folders in TMPDIR, and files beside what is written, that go with their process: it
 * removes them, and where it is killed the next process that makes any there does. Each has a lock,
 * which ends with its process. */
#ifndef AUTOTUNE_TEMPORARY_H
#define AUTOTUNE_TEMPORARY_H

#include "generator/error.h"

#include <limits.h>
#include <stdbool.h>

enum { TEMPORARY_CHARS = 1000 }; /* of the folder's path, with the end */

/* TMPDIR where that is an absolute path, else /tmp. */
const char *temporary_folder(void);

/* Is it `start`, six characters as mkdtemp and mkstemps draw them, and `end`? */
bool temporary_is_drawn(const char *name, const char *start, const char *end);

struct temporary {
    char path[TEMPORARY_CHARS +
              100]; /* of the folder, which is private; "" where there is none */
    int lock;       /* -1 where there are no locks */
};

/* Makes a folder in TMPDIR. ERROR_IO, with nothing to be closed. Nothing in it may be called "lock". */
int temporary_open(struct temporary *out, struct error *error);

/* Removes it, with its files and folders. */
void temporary_close(struct temporary *temporary);

/* Makes a file of mode 0666 but for the umask in `folder`, after a sweep there, and puts its path to
 * `path`. Its descriptor holds the lock. -1 with errno. */
int temporary_make_file(char path[PATH_MAX], const char *folder);

/* Removes what processes that ended have left in TMPDIR. What another process has, on whatever machine,
 * stays, and so does another user's. Where locks may be known to the other machine alone, what it made
 * stays for a day. */
void temporary_sweep(void);

#endif
