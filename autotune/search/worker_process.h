/* worker_process: starts and ends one process of this program in a process group of its own,
 * with a socket to it; worker_pool.h says how it is set up. Hides fork, exec and reaping. */
#ifndef AUTOTUNE_WORKER_PROCESS_H
#define AUTOTUNE_WORKER_PROCESS_H

#include "generator/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h> /* pid_t */

enum { WORKER_PROCESS_SOCKET = 3 }; /* the child's end of the socket */

/* Runs `argv` as worker_pool_start says. Returns its number, and this side's end in `socket`
 * (close it), or -1. The number stays its own until worker_process_reap. */
pid_t worker_process_start(int *socket, char *const argv[], struct error *error);

/* Has the process ended? Does not reap it. */
bool worker_process_has_ended(pid_t pid);

/* SIGKILL to its group; does not wait. */
void worker_process_kill(pid_t pid);

struct worker_process_ending {
    bool was_killed; /* by worker_process_reap: it had not ended by itself */
    bool is_known;   /* `status` is what waitpid gave */
    int status;
};

/* Gives it until `grace_ns` (0 = none) to end by itself, kills what is left of its group, and
 * reaps it if it has ended by `until_ns`; both by CLOCK_MONOTONIC. */
struct worker_process_ending worker_process_reap(pid_t pid, uint64_t grace_ns,
                                                 uint64_t until_ns);

/* Did it end by SIGPROF: were its kernels to answer, and did not (kernel_limit.h)? */
bool worker_process_is_out_of_time(const struct worker_process_ending *ending);

/* "it exited with status 3", ...; `is_cut`: in the middle of a message. */
void worker_process_describe(const struct worker_process_ending *ending, bool is_cut, char *how,
                             size_t size);

#endif
