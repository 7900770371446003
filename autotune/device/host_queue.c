/* host_queue: keeps a list of work for each stream, and does its first piece when the draw falls on
 * that stream. */
#include "autotune/device/host_queue.h"

#include "autotune/device/monotonic.h"
#include "generator/random.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum kind { COPY, FILL, LAUNCH, RECORD, FOLLOW };

/* A piece of work. */
struct work {
    enum kind kind;
    void *to;
    const void *from;
    uint64_t bytes; /* to copy or to fill; of an event how often it must have been reached */
    uint8_t byte;
    struct device_launch launch;
    struct host_event *event;
    const struct host_event *awaited;
    struct work *next;
};

struct host_stream {
    struct work *first, **end;
    struct host_stream *next;
};

struct host_event {
    uint64_t recorded, reached, at_ns;
};

/* The memory lies behind it. */
struct pinned {
    struct pinned *next;
    uint64_t bytes;
    _Alignas(64) unsigned char at[];
};

struct host_queue {
    struct device *device;
    pthread_mutex_t mutex; /* for all below */
    struct pinned *pinned;
    struct host_stream *streams;
    uint64_t random;
    struct error failed; /* of work, to be told at the next wait */
};

/* --- Opening ------------------------------------------------------------------------------ */

int host_queue_open(struct host_queue **out, struct device *device, struct error *error)
{
    struct host_queue *queue = calloc(1, sizeof *queue);
    *out = queue;
    if (!queue)
        return error_memory(error, sizeof *queue);
    queue->device = device;
    queue->random = 1;
    pthread_mutex_init(&queue->mutex, NULL);
    return 0;
}

void host_queue_close(struct host_queue *queue)
{
    assert(!queue || !queue->streams);
    if (queue)
        pthread_mutex_destroy(&queue->mutex);
    free(queue);
}

int host_queue_add_stream(struct host_queue *queue, struct host_stream **out,
                          struct error *error)
{
    struct host_stream *stream = calloc(1, sizeof *stream);
    *out = stream;
    if (!stream)
        return error_memory(error, sizeof *stream);
    stream->end = &stream->first;
    pthread_mutex_lock(&queue->mutex);
    stream->next = queue->streams;
    queue->streams = stream;
    pthread_mutex_unlock(&queue->mutex);
    return 0;
}

void host_queue_drop_stream(struct host_queue *queue, struct host_stream *stream)
{
    struct error ignored;
    struct host_stream **at = &queue->streams;
    host_queue_drain(queue, stream, &ignored);
    pthread_mutex_lock(&queue->mutex);
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    pthread_mutex_unlock(&queue->mutex);
    free(stream);
}

bool host_queue_has(struct host_queue *queue, const void *stream)
{
    pthread_mutex_lock(&queue->mutex);
    const struct host_stream *at = queue->streams;
    while (at && at != stream)
        at = at->next;
    pthread_mutex_unlock(&queue->mutex);
    return at != NULL;
}

int host_queue_add_event(struct host_event **out, struct error *error)
{
    *out = calloc(1, sizeof **out);
    return *out ? 0 : error_memory(error, sizeof **out);
}

void host_queue_drop_event(struct host_event *event)
{
    free(event);
}

/* --- Doing it ----------------------------------------------------------------------------- */

static bool can_begin(const struct host_stream *stream)
{
    const struct work *work = stream->first;
    return work && (work->kind != FOLLOW || work->awaited->reached >= work->bytes);
}

static int do_work(struct host_queue *queue, const struct work *work, struct error *error)
{
    switch (work->kind) {
    case COPY: memmove(work->to, work->from, work->bytes); return 0;
    case FILL: memset(work->to, work->byte, work->bytes); return 0;
    case LAUNCH:
        return queue->device->ops->launch(queue->device, &work->launch, 1, NULL, error);
    case RECORD:
        work->event->reached++;
        work->event->at_ns = monotonic_ns();
        return 0;
    case FOLLOW: return 0;
    }
    return 0;
}

static void do_first(struct host_queue *queue, struct host_stream *stream)
{
    struct work *work = stream->first;
    struct error cause;
    stream->first = work->next;
    if (!stream->first)
        stream->end = &stream->first;
    if (do_work(queue, work, &cause) && queue->failed.code == ERROR_NONE)
        queue->failed = cause;
    free(work);
}

/* Does a piece of work of a stream that is drawn. False: none has any that can begin. */
static bool do_some(struct host_queue *queue)
{
    struct host_stream *stream;
    size_t ready = 0;
    for (stream = queue->streams; stream; stream = stream->next)
        ready += can_begin(stream);
    if (ready == 0)
        return false;
    size_t drawn = random_next(&queue->random) % ready;
    for (stream = queue->streams; !can_begin(stream) || drawn-- > 0;)
        stream = stream->next;
    do_first(queue, stream);
    return true;
}

static int tell(struct host_queue *queue, struct error *error)
{
    if (queue->failed.code == ERROR_NONE)
        return 0;
    *error = queue->failed;
    queue->failed.code = ERROR_NONE;
    return -1;
}

int host_queue_await(struct host_queue *queue, const struct host_event *event,
                     struct error *error)
{
    pthread_mutex_lock(&queue->mutex);
    while (event->reached < event->recorded && do_some(queue))
        continue;
    const int failed = tell(queue, error);
    pthread_mutex_unlock(&queue->mutex);
    return failed;
}

int host_queue_drain(struct host_queue *queue, const struct host_stream *stream,
                     struct error *error)
{
    pthread_mutex_lock(&queue->mutex);
    while (stream->first && do_some(queue))
        continue;
    const int failed = tell(queue, error);
    pthread_mutex_unlock(&queue->mutex);
    return failed;
}

double host_queue_elapsed_ns(struct host_queue *queue, const struct host_event *from,
                             const struct host_event *to)
{
    pthread_mutex_lock(&queue->mutex);
    const double elapsed_ns = (double)to->at_ns - (double)from->at_ns;
    pthread_mutex_unlock(&queue->mutex);
    return elapsed_ns;
}

/* --- Queuing ------------------------------------------------------------------------------ */

static int add(struct host_queue *queue, struct host_stream *stream, const struct work *work,
               struct error *error)
{
    struct work *own = malloc(sizeof *own);
    if (!own)
        return error_memory(error, sizeof *own);
    *own = *work;
    own->next = NULL;
    pthread_mutex_lock(&queue->mutex);
    if (own->kind == RECORD)
        own->event->recorded++;
    if (own->kind == FOLLOW)
        own->bytes = own->awaited->recorded;
    *stream->end = own;
    stream->end = &own->next;
    if (random_next(&queue->random) % 4 == 0)
        do_some(queue); /* now and then work is done early */
    pthread_mutex_unlock(&queue->mutex);
    return 0;
}

int host_queue_copy(struct host_queue *queue, struct host_stream *stream, void *to,
                    const void *from, uint64_t bytes, struct error *error)
{
    const struct work work = {.kind = COPY, .to = to, .from = from, .bytes = bytes};
    return add(queue, stream, &work, error);
}

int host_queue_fill(struct host_queue *queue, struct host_stream *stream, void *to,
                    uint8_t byte, uint64_t bytes, struct error *error)
{
    const struct work work = {.kind = FILL, .to = to, .byte = byte, .bytes = bytes};
    return add(queue, stream, &work, error);
}

int host_queue_launch(struct host_queue *queue, struct host_stream *stream,
                      const struct device_launch *launches, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct work work = {.kind = LAUNCH, .launch = launches[i]};
        if (add(queue, stream, &work, error))
            return -1;
    }
    return 0;
}

int host_queue_record(struct host_queue *queue, struct host_stream *stream,
                      struct host_event *event, struct error *error)
{
    const struct work work = {.kind = RECORD, .event = event};
    return add(queue, stream, &work, error);
}

int host_queue_follow(struct host_queue *queue, struct host_stream *stream,
                      const struct host_event *event, struct error *error)
{
    const struct work work = {.kind = FOLLOW, .awaited = event};
    return add(queue, stream, &work, error);
}

/* --- Pinned memory ------------------------------------------------------------------------ */

int host_queue_pin(struct host_queue *queue, uint64_t bytes, void **out, struct error *error)
{
    struct pinned *pinned = NULL;
    *out = NULL;
    if (posix_memalign((void **)&pinned, _Alignof(struct pinned), sizeof *pinned + bytes))
        return error_memory(error, bytes);
    pthread_mutex_lock(&queue->mutex);
    pinned->bytes = bytes;
    pinned->next = queue->pinned;
    queue->pinned = pinned;
    pthread_mutex_unlock(&queue->mutex);
    *out = pinned->at;
    return 0;
}

void host_queue_unpin(struct host_queue *queue, void *at)
{
    pthread_mutex_lock(&queue->mutex);
    struct pinned **link = &queue->pinned;
    while (*link && (*link)->at != at)
        link = &(*link)->next;
    struct pinned *found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&queue->mutex);
    free(found);
}

bool host_queue_is_pinned(struct host_queue *queue, const void *at)
{
    const unsigned char *byte = at;
    pthread_mutex_lock(&queue->mutex);
    const struct pinned *pinned = queue->pinned;
    while (pinned && (byte < pinned->at || byte >= pinned->at + pinned->bytes))
        pinned = pinned->next;
    pthread_mutex_unlock(&queue->mutex);
    return pinned != NULL;
}
