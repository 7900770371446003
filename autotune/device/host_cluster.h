/* host_cluster: what the blocks of a cluster do together: a barrier of all their threads, values
 * sent to one another's shared memory, and barriers there that count what has come. Private to
 * host_schedule, whose kernels call the first four. */
#ifndef AUTOTUNE_HOST_CLUSTER_H
#define AUTOTUNE_HOST_CLUSTER_H

#include "autotune/device/host_schedule.h"

#include <stdbool.h>

void host_cluster_arrive(struct host_thread *self);
void host_cluster_wait(struct host_thread *self);
void host_cluster_barrier(struct host_thread *self, enum host_barrier what,
                          unsigned long long *at, unsigned value);
void host_cluster_send(struct host_thread *self, unsigned rank, void *to,
                       unsigned long long value, unsigned bytes, unsigned long long *barrier);

/* The thread has ended: the cluster's barrier waits for it no more. The last of a block may leave
 * nothing behind that is on its way to it. */
void host_cluster_leave(struct thread *thread);

/* Brings what is due. False, with the event and its reason, where it finds no barrier. */
bool host_cluster_deliver(struct host_runner *runner);

#endif
