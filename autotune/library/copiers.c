/* copiers: threads that take slices of the copy under way, one after another, until none is left. */
#include "autotune/library/copiers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLICE = 256 << 10, SLICES_PER_THREAD = 4, LINE = 4096 };

struct copiers {
    pid_t process; /* whose threads they are */
    pthread_t threads[COPIERS_MAX];
    unsigned count; /* of threads, without the caller's */
    pthread_mutex_t mutex;
    pthread_cond_t has_work, is_done;
    bool ends;
    /* The copy under way. */
    copiers_copy *copy;
    void *context;
    unsigned char *memory;
    uint64_t at;
    size_t bytes, slice, next; /* next: the first byte that nobody has taken */
    size_t end;                /* bytes up to the first slice that ended early */
    size_t last;               /* bytes up to the last one that there was */
    unsigned working;          /* threads within a slice */
    int reason;                /* errno of a slice that failed, or 0 */
};

/* Takes a slice and copies it. False: there was none. The mutex is held before and after. */
static bool copy_slice(struct copiers *copiers)
{
    if (copiers->next >= copiers->bytes)
        return false;
    const size_t from = copiers->next, left = copiers->bytes - from;
    const size_t size = left < copiers->slice ? left : copiers->slice;
    copiers->next += size;
    copiers->working++;
    pthread_mutex_unlock(&copiers->mutex);
    const int64_t got =
        copiers->copy(copiers->context, copiers->memory + from, copiers->at + from, size);
    const int reason = errno;
    pthread_mutex_lock(&copiers->mutex);
    copiers->working--;
    if (got < 0)
        copiers->reason = reason ? reason : EIO;
    if (got > 0 && from + (size_t)got > copiers->last)
        copiers->last = from + (size_t)got;
    if (got < (int64_t)size) {
        const size_t end = from + (got > 0 ? (size_t)got : 0);
        copiers->end = end < copiers->end ? end : copiers->end;
        copiers->next = copiers->bytes; /* what lies behind it is not wanted */
    }
    return true;
}

static void *serve(void *given)
{
    struct copiers *copiers = given;
    pthread_mutex_lock(&copiers->mutex);
    while (!copiers->ends)
        if (!copy_slice(copiers))
            pthread_cond_wait(&copiers->has_work, &copiers->mutex);
        else if (copiers->working == 0 && copiers->next >= copiers->bytes)
            pthread_cond_signal(&copiers->is_done);
    pthread_mutex_unlock(&copiers->mutex);
    return NULL;
}

struct copiers *copiers_open(unsigned count)
{
    struct copiers *copiers = calloc(1, sizeof *copiers);
    sigset_t all, before;
    if (!copiers)
        return NULL;
    copiers->process = getpid();
    pthread_mutex_init(&copiers->mutex, NULL);
    pthread_cond_init(&copiers->has_work, NULL);
    pthread_cond_init(&copiers->is_done, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's threads */
    while (copiers->count + 1 < count && copiers->count < COPIERS_MAX - 1 &&
           pthread_create(&copiers->threads[copiers->count], NULL, serve, copiers) == 0)
        copiers->count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return copiers;
}

/* A fork of the process has no such threads, for whose end it would wait for ever. */
void copiers_close(struct copiers *copiers)
{
    if (!copiers || copiers->process != getpid()) {
        free(copiers);
        return;
    }
    pthread_mutex_lock(&copiers->mutex);
    copiers->ends = true;
    pthread_cond_broadcast(&copiers->has_work);
    pthread_mutex_unlock(&copiers->mutex);
    for (unsigned i = 0; i < copiers->count; i++)
        pthread_join(copiers->threads[i], NULL);
    pthread_mutex_destroy(&copiers->mutex);
    pthread_cond_destroy(&copiers->has_work);
    pthread_cond_destroy(&copiers->is_done);
    free(copiers);
}

/* Slices of whole pages: some for each thread, so that one that is late holds up little. */
static size_t slice_of(const struct copiers *copiers, size_t bytes)
{
    const size_t parts = (size_t)(copiers->count + 1) * SLICES_PER_THREAD;
    const size_t slice = (bytes / parts / LINE + 1) * LINE;
    return copiers->count == 0 ? bytes : slice < SLICE ? SLICE : slice;
}

int64_t copiers_run(struct copiers *copiers, copiers_copy *copy, void *context, void *memory,
                    uint64_t at, size_t bytes)
{
    pthread_mutex_lock(&copiers->mutex);
    copiers->copy = copy;
    copiers->context = context;
    copiers->memory = memory;
    copiers->at = at;
    copiers->bytes = copiers->end = bytes;
    copiers->slice = slice_of(copiers, bytes);
    copiers->next = copiers->last = 0;
    copiers->reason = 0;
    pthread_cond_broadcast(&copiers->has_work);
    while (copy_slice(copiers))
        continue;
    while (copiers->working)
        pthread_cond_wait(&copiers->is_done, &copiers->mutex);
    const int reason = copiers->reason                ? copiers->reason
                       : copiers->last > copiers->end ? COPIERS_GAP
                                                      : 0;
    const int64_t copied = reason ? -1 : (int64_t)copiers->end;
    pthread_mutex_unlock(&copiers->mutex);
    errno = reason;
    return copied;
}
