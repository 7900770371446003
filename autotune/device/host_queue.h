/* host_queue: gives the emulator streams and events. Work is done late, when somebody waits for it,
 * and streams take turns at random: what a caller forgets to wait for is not there yet, and what it
 * writes over too early is lost, as on a GPU on a bad day. Any thread may call. */
#ifndef AUTOTUNE_HOST_QUEUE_H
#define AUTOTUNE_HOST_QUEUE_H

#include "autotune/device/device.h"

struct host_queue; /* all streams of a device */
struct host_stream;
struct host_event;

/* The device outlives it. */
int host_queue_open(struct host_queue **out, struct device *device, struct error *error);
void host_queue_close(struct host_queue *queue); /* no stream is left */

int host_queue_add_stream(struct host_queue *queue, struct host_stream **out,
                          struct error *error);
void host_queue_drop_stream(struct host_queue *queue, struct host_stream *stream);
bool host_queue_has(struct host_queue *queue, const void *stream);
int host_queue_add_event(struct host_event **out, struct error *error);
void host_queue_drop_event(struct host_event *event);

/* Each queues one piece of work. */
int host_queue_copy(struct host_queue *queue, struct host_stream *stream, void *to,
                    const void *from, uint64_t bytes, struct error *error);
int host_queue_fill(struct host_queue *queue, struct host_stream *stream, void *to,
                    uint8_t byte, uint64_t bytes, struct error *error);
int host_queue_launch(struct host_queue *queue, struct host_stream *stream,
                      const struct device_launch *launches, size_t count, struct error *error);
int host_queue_record(struct host_queue *queue, struct host_stream *stream,
                      struct host_event *event, struct error *error);
int host_queue_follow(struct host_queue *queue, struct host_stream *stream,
                      const struct host_event *event, struct error *error);

/* Works until the event is reached, as it was recorded last, or the stream is empty. The error of
 * work that failed since the last wait. */
int host_queue_await(struct host_queue *queue, const struct host_event *event,
                     struct error *error);
int host_queue_drain(struct host_queue *queue, const struct host_stream *stream,
                     struct error *error);

/* By the clock of the host. */
double host_queue_elapsed_ns(struct host_queue *queue, const struct host_event *from,
                             const struct host_event *to);

/* Memory that counts as pinned. */
int host_queue_pin(struct host_queue *queue, uint64_t bytes, void **out, struct error *error);
void host_queue_unpin(struct host_queue *queue, void *at);
bool host_queue_is_pinned(struct host_queue *queue, const void *at);

#endif
