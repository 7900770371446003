/* threads: runs equal pieces of work side by side, one a thread. */
#ifndef AUTOTUNE_THREADS_H
#define AUTOTUNE_THREADS_H

#include <stddef.h>

enum { THREADS_MAX = 32 };

/* One thread for each core, at least 1 and at most THREADS_MAX. */
size_t threads_of_cores(void);

/* Calls `work` with each of the `count` pieces, at most THREADS_MAX, which lie `size` bytes
 * apart from `first` on; returns when all are done. A thread that cannot be started is replaced
 * by the caller's, which does the last piece in any case. What `work` returns is ignored. */
void threads_run(void *(*work)(void *), void *first, size_t size, size_t count);

#endif
