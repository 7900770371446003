/* watch: watches kernels that run in this process. One that crashes or does not end stops the
 * program with one sentence and the exit status of a wrong kernel. */
#ifndef AUTOTUNE_WATCH_H
#define AUTOTUNE_WATCH_H

/* From now on the kernel of `what` runs: if it crashes, or works for more than a minute of
 * processor time, the process prints so and ends with status 70. NULL: it runs no longer. One
 * at a time, in one thread. */
void watch_kernel(const char *what);

#endif
