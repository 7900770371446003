/* kernel_limit: ends a worker whose kernel does not end on the emulator, by SIGPROF: kernels there use
 * up the process's own processor time, whatever else the machine does. How much a kernel may take
 * follows from what this build on this machine has taken before. */
#ifndef AUTOTUNE_KERNEL_LIMIT_H
#define AUTOTUNE_KERNEL_LIMIT_H

/* From now on kernels run that read so many elements in all; 0 where these are few. They must have
 * ended, and kernel_limit_end called, within a few seconds of processor time, a multiple of the
 * longest such run of few elements, and some time for each of these. In one thread. */
void kernel_limit_begin(double elements);

/* The same for few elements. */
void kernel_limit_begin_small(void);

/* They have ended. Twice does no harm. */
void kernel_limit_end(void);

#endif
