/* worker: this program as a worker process: it compiles, or it proves and measures on a device,
 * as its first message says, until the coordinator hangs up. Hides its loop. */
#ifndef AUTOTUNE_WORKER_H
#define AUTOTUNE_WORKER_H

#include "autotune/search/tune.h"
#include "autotune/search/worker_pool.h"

/* The argument that makes the program a worker: {"/proc/self/exe", WORKER_ARGUMENT, NULL}. */
#define WORKER_ARGUMENT "worker"

/* Serves on CREW_SOCKET until the other side closes it. -1: no coordinator is there, or it
 * could not be told what went wrong; otherwise it was told. */
int worker_run(struct error *error);

/* The coordinator's side: starts one in a free slot of the crew, and tells it what it must know of
 * the job. It measures on the device `spec`, one of the job's, or, where that is NULL, compiles. */
int worker_start(struct worker_pool *pool, size_t slot, const struct tune_job *job,
                 uint64_t seed, const char *spec, struct error *error);

#endif
