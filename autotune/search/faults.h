/* faults: what becomes of a run when a worker is lost. Hides who is guilty, who is forgiven, and
 * when a worker is given up. */
#ifndef AUTOTUNE_FAULTS_H
#define AUTOTUNE_FAULTS_H

#include "autotune/search/search.h"

/* The worker is gone, or was too late: the guilty is judged, what else it held is queued again,
 * and another takes its place. One that ran the race leaves search->lost. -1: nobody can go on.
 */
int faults_lost(struct search *search, size_t slot, const struct worker_pool_event *event,
                struct error *error);

#endif
