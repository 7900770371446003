/* threads: starts threads for the work and joins them after it; none waits for more work. */
#include "autotune/verify/threads.h"

#include "autotune/device/cores.h"

#include <pthread.h>
#include <stdbool.h>

size_t threads_of_cores(void)
{
    const unsigned cores = cores_own();
    return cores > THREADS_MAX ? THREADS_MAX : cores;
}

void threads_run(void *(*work)(void *), void *first, size_t size, size_t count)
{
    pthread_t threads[THREADS_MAX];
    bool is_started[THREADS_MAX];
    char *const pieces = first;
    for (size_t i = 0; i < count; i++)
        is_started[i] =
            i + 1 < count && pthread_create(&threads[i], NULL, work, pieces + i * size) == 0;
    for (size_t i = 0; i < count; i++)
        if (!is_started[i])
            work(pieces + i * size); /* beside the others, so before any is waited for */
    for (size_t i = 0; i < count; i++)
        if (is_started[i])
            pthread_join(threads[i], NULL);
}
