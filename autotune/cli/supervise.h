/* supervise: runs what uses a device in a process of its own, and waits for it: a kernel that breaks
 * it, a driver that hangs in it or a Ctrl-C ends that process alone. */
#ifndef AUTOTUNE_SUPERVISE_H
#define AUTOTUNE_SUPERVISE_H

#include "generator/error.h"

#include <stddef.h>

/* Zeroed memory that both processes see, for what the other one finds out; NULL: there is none. */
void *supervise_alloc(size_t bytes);
void supervise_free(void *memory, size_t bytes);

/* What runs there; of all that it writes this process sees memory of supervise_alloc alone. */
typedef int supervised(void *context, struct error *error);

/* Forks, so no thread and no device may have been opened before. Returns what `run` returned, with its
 * error; ERROR_INTERRUPTED after SIGINT, SIGTERM or SIGHUP, which that process gets too (interrupt_begin has
 * been called, with no device); ERROR_FAILED with the reason where it ended in any other way. */
int supervise_run(supervised *run, void *context, struct error *error);

/* The same; `signal` is the one that ended that process, 0 where none did. */
int supervise_run_signal(supervised *run, void *context, int *signal, struct error *error);

#endif
