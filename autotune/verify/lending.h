/* lending: has things that one thread at a time may use, as evaluators: made when a thread asks and none is idle,
 * as many as there may be threads. */
#ifndef AUTOTUNE_LENDING_H
#define AUTOTUNE_LENDING_H

#include "autotune/verify/threads.h"
#include "generator/error.h"

#include <pthread.h>

/* Makes one for `owner`; frees one. */
typedef int lending_open_fn(void **out, const void *owner, struct error *error);
typedef void lending_close_fn(void *thing);

struct lending {
    lending_open_fn *open;
    lending_close_fn *close;
    const void *owner;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t returned;
    void *idle[THREADS_MAX];
    size_t idle_count, open_count;
};

/* Makes the first; nothing is to be closed after a failure. */
int lending_start(struct lending *out, lending_open_fn *open, lending_close_fn *close,
                  const void *owner, struct error *error);
/* All must be back. Zeros are closed, too. */
void lending_end(struct lending *lending);

/* Another one where there is memory for it; else the one that comes back next. */
void *lending_borrow(const struct lending *shared);
void lending_return(const struct lending *shared, void *thing);

#endif
