/* worker: runs this program as a worker process: it compiles, or it proves and measures on a
 * device, as its first message says, until the coordinator hangs up. */
#ifndef AUTOTUNE_WORKER_H
#define AUTOTUNE_WORKER_H

#include "autotune/search/tune_job.h"
#include "autotune/search/worker_pool.h"

/* The argument that makes the program a worker: {"/proc/self/exe", WORKER_ARGUMENT, NULL}. */
#define WORKER_ARGUMENT "worker"

/* Serves on WORKER_POOL_SOCKET until the other side closes it. -1: there is no coordinator, or
 * it could not be told what went wrong; otherwise it was told. */
int worker_run(struct error *error);

/* The coordinator's side: starts a worker in a slot of the pool, unless one is idle there, and sends
 * it the setup of the job. It measures on the device `spec`, one of the job's, or, where that is NULL,
 * compiles. */
int worker_start(struct worker_pool *pool, size_t slot, const struct tune_job *job,
                 uint64_t seed, const char *spec, struct error *error);

/* What a search asks of its workers, in the words of worker_start and of worker_pool.h; a test
 * answers in their place. `at` is theirs: a struct worker_pool. */
struct worker_ops {
    int (*start)(void *at, size_t slot, const struct tune_job *job, uint64_t seed,
                 const char *spec, struct error *error);
    int (*send)(void *at, size_t slot, struct frame *frame, struct error *error);
    void (*set_deadline)(void *at, size_t slot, double seconds);
    void (*stop)(void *at, size_t slot);
    bool (*is_running)(void *at, size_t slot);
    int (*wait)(void *at, struct worker_pool_event *out, double timeout_s, struct error *error);
};
extern const struct worker_ops worker_processes;

#endif
