/* worker: this program as a worker process: it compiles, or it proves and measures on a device,
 * as its first message says, until the coordinator hangs up. Hides its loop. */
#ifndef AUTOTUNE_WORKER_H
#define AUTOTUNE_WORKER_H

#include "generator/error.h"

/* The argument that makes the program a worker: {"/proc/self/exe", WORKER_ARGUMENT, NULL}. */
#define WORKER_ARGUMENT "worker"

/* Serves on CREW_SOCKET until the other side closes it. -1: no coordinator is there, or it
 * could not be told what went wrong; otherwise it was told. */
int worker_run(struct error *error);

#endif
