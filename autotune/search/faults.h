/* faults: handles lost workers: records which kernel was at fault, queues the other work again
 * and starts another worker. Hides which losses are forgiven, and when a worker is given up. */
#ifndef AUTOTUNE_FAULTS_H
#define AUTOTUNE_FAULTS_H

#include "autotune/search/search.h"

/* The worker has ended, or was too late: the faulty kernel is judged, the worker's other
 * candidates are queued again, and another worker takes its place. For the worker that ran the
 * race, search->lost is filled in instead. -1: no worker can go on. */
int faults_lost(struct search *search, size_t slot, const struct worker_pool_event *event,
                struct error *error);

#endif
