/* lending: keeps the idle ones in an array, behind a lock. */
#include "autotune/verify/lending.h"

#include <stdint.h>

int lending_start(struct lending *out, lending_open_fn *open, lending_close_fn *close,
                  const void *owner, struct error *error)
{
    *out = (struct lending){.open = open,
                            .close = close,
                            .owner = owner,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .returned = PTHREAD_COND_INITIALIZER};
    if (open(&out->idle[0], owner, error))
        return -1;
    out->idle_count = out->open_count = 1;
    return 0;
}

void lending_end(struct lending *lending)
{
    while (lending->idle_count > 0)
        lending->close(lending->idle[--lending->idle_count]);
}

void *lending_borrow(const struct lending *shared)
{
    struct lending *lending = (struct lending *)(uintptr_t)shared;
    void *thing = NULL;
    struct error ignored;
    pthread_mutex_lock(&lending->lock);
    if (lending->idle_count == 0 && lending->open_count < THREADS_MAX &&
        lending->open(&thing, lending->owner, &ignored) == 0)
        lending->open_count++;
    while (!thing && lending->idle_count == 0)
        pthread_cond_wait(&lending->returned, &lending->lock);
    if (!thing)
        thing = lending->idle[--lending->idle_count];
    pthread_mutex_unlock(&lending->lock);
    return thing;
}

void lending_return(const struct lending *shared, void *thing)
{
    struct lending *lending = (struct lending *)(uintptr_t)shared;
    pthread_mutex_lock(&lending->lock);
    lending->idle[lending->idle_count++] = thing;
    pthread_cond_signal(&lending->returned);
    pthread_mutex_unlock(&lending->lock);
}
