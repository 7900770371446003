/* watchdog: watches kernels that run in this process. One that crashes or does not end stops the
 * program with one sentence and the exit status of a wrong kernel. */
#ifndef AUTOTUNE_WATCHDOG_H
#define AUTOTUNE_WATCHDOG_H

/* Processor time that a kernel may take from one answer to the next, 20 s where nothing else is
 * said. */
void watchdog_limit(double seconds);

/* From now on the kernel of `what` runs. If it crashes, or takes more processor time than the limit
 * without an answer, the process prints one sentence and ends with status 70. NULL: it runs no
 * longer. One at a time, in one thread. */
void watchdog_kernel(const char *what);

/* It has answered: launches have ended. */
void watchdog_answer(void);

#endif
