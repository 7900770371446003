/* temporary: says where temporary files go, and which folders there are ours. */
#ifndef AUTOTUNE_TEMPORARY_H
#define AUTOTUNE_TEMPORARY_H

#include <stdbool.h>

enum { TEMPORARY_CHARS = 1000 }; /* of the folder's path, with the end */

/* TMPDIR where that is an absolute path, else /tmp. */
const char *temporary_folder(void);

/* Is it `start`, six characters as mkdtemp and mkstemps draw them, and `end`? */
bool temporary_is_drawn(const char *name, const char *start, const char *end);

/* Is `name`, of an entry there, a folder that this user made by mkdtemp of `start` and six X? A folder
 * of another kind may begin alike, and is not to be removed. */
bool temporary_is_made(const char *name, const char *start);

/* Locks the file "lock" in a folder, which a new one gets, until the descriptor is closed or the process
 * ends, on whatever machine that is: NFS knows no locks of folders. -1 where another has the lock, where
 * there is no such file, or where there are no locks. */
int temporary_lock(const char *folder, bool is_new);

#endif
