/* shared_object: opens a shared object of a name that a user gave or that was found. The loader
 * itself would wait for ever for a FIFO's writer. */
#ifndef AUTOTUNE_SHARED_OBJECT_H
#define AUTOTUNE_SHARED_OBJECT_H

enum { SHARED_OBJECT_WHY = 256 };

/* As dlopen, with its flags; what is no regular file is not opened. NULL with the reason in `why`. */
void *shared_object_open(const char *path, int flags, char why[SHARED_OBJECT_WHY]);

#endif
