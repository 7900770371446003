/* pipeline: runs chunks through lanes: fills a pinned buffer where that is needed, queues its copy,
 * its kernels and the way back of its result, and takes results in the order of chunks. The host
 * waits only for a ticket that it needs again. */
#include "autotune/library/pipeline.h"

#include "autotune/library/fail.h"

#include <errno.h>
#include <fenv.h>
#include <string.h>

enum { GAVE_TOO_MUCH = COPIERS_GAP - 1 }; /* in errno: no error of the system's */

static const struct device_ops *ops_of(const struct autotune_pipeline *pipeline)
{
    return pipeline->context->device->ops;
}

static bool is_scan(const struct autotune_pipeline *pipeline)
{
    return pipeline->problem.dims.scan != DIMS_ALL;
}

static struct pipeline_lane *lane_of(struct autotune_pipeline *pipeline, uint64_t chunk)
{
    return &pipeline->lanes[chunk % pipeline->streams];
}

/* --- Elements ----------------------------------------------------------------------------- */

static int64_t copy_memory(void *context, void *memory, uint64_t at, size_t bytes)
{
    memcpy(memory, (const unsigned char *)context + at, bytes);
    return (int64_t)bytes;
}

static int64_t copy_out(void *context, void *memory, uint64_t at, size_t bytes)
{
    memcpy((unsigned char *)context + at, memory, bytes);
    return (int64_t)bytes;
}

/* One answer of the caller's function, which may be wrong, and may have changed errno and how this thread
 * rounds. -1 with errno. */
static int64_t ask(const struct pipeline_run *run, void *to, uint64_t at, uint64_t bytes)
{
    errno = 0;
    const int64_t got = run->read(run->context, to, at, bytes);
    const int reason = errno;
    fesetenv(FE_DFL_ENV);
    if (got < 0)
        errno = reason ? reason : EIO;
    if (got <= (int64_t)bytes)
        return got < 0 ? -1 : got;
    errno = GAVE_TOO_MUCH;
    return -1;
}

/* Until there is enough, or it ends. */
static int64_t read_all(void *context, void *to, uint64_t at, size_t bytes)
{
    uint64_t got = 0;
    while (got < bytes) {
        const int64_t more = ask(context, (unsigned char *)to + got, at + got, bytes - got);
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        got += (uint64_t)more;
    }
    return (int64_t)got;
}

static int64_t fill(struct pipeline_run *run, void *to, uint64_t at, uint64_t bytes)
{
    struct copiers *copiers = run->pipeline->copiers;
    if (run->memory)
        return copiers_run(copiers, copy_memory, (void *)(uintptr_t)run->memory, to, at, bytes);
    return run->is_parallel ? copiers_run(copiers, read_all, run, to, at, bytes)
                            : read_all(run, to, at, bytes);
}

static int refuse_read(uint64_t at, int reason, struct error *error)
{
    if (reason == GAVE_TOO_MUCH)
        return error_set(error, ERROR_USAGE,
                         "source.read gave more bytes than it was asked for, of the data from "
                         "byte %llu on: it may give fewer, never more",
                         (unsigned long long)at);
    return error_set(error, ERROR_FAILED, "reading the data failed at byte %llu: %s",
                     (unsigned long long)at,
                     reason == COPIERS_GAP
                         ? "it ended early, and there was more behind: did it change meanwhile?"
                         : strerror(reason));
}

static int make_pinned(struct autotune_pipeline *pipeline, unsigned char **at, uint64_t bytes,
                       struct error *error)
{
    struct device *device = pipeline->context->device;
    void *made = NULL;
    if (*at)
        return 0;
    const int failed = device->ops->pin(device, bytes, &made, error);
    *at = made;
    pipeline->pinned_bytes += failed ? 0 : bytes;
    return failed;
}

/* Has the ticket's elements where the GPU can copy them from. `count` 0: there are no more. */
static int load(struct pipeline_run *run, struct pipeline_ticket *ticket, struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    const uint64_t size = pipeline->element_bytes, at = run->chunks * pipeline->chunk * size;
    uint64_t bytes = pipeline->chunk * size;
    if (run->memory && run->bytes - at < bytes)
        bytes = run->bytes - at;
    ticket->chunk = run->chunks;
    ticket->elements = run->memory ? run->memory + at : NULL;
    if (!run->is_direct && bytes) {
        const int failed =
            make_pinned(pipeline, &ticket->filled, pipeline->chunk * size, error);
        if (failed)
            return failed;
        const int64_t got = fill(run, ticket->filled, at, bytes);
        if (got < 0)
            return refuse_read(at, errno, error);
        if (run->read && device_check(pipeline->context->device, error))
            return -1; /* a function of the caller's has run */
        if ((uint64_t)got % size)
            return error_set(
                error, ERROR_USAGE,
                "the data has %llu bytes, which are no whole number of elements of type "
                "%s, of %u bytes",
                (unsigned long long)(at + (uint64_t)got),
                problem_types[pipeline->problem.type].name, (unsigned)size);
        bytes = (uint64_t)got;
        ticket->elements = ticket->filled;
    }
    ticket->count = bytes / size;
    return 0;
}

/* --- Queuing a chunk ---------------------------------------------------------------------- */

static int mark(struct autotune_pipeline *pipeline, const struct pipeline_ticket *ticket,
                enum pipeline_mark which, struct error *error)
{
    return pipeline->watch
               ? ops_of(pipeline)->record(pipeline->context->device, ticket->marks[which],
                                          lane_of(pipeline, ticket->chunk)->stream, error)
               : 0;
}

static int queue_copy(struct pipeline_run *run, struct pipeline_ticket *ticket,
                      struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    const struct pipeline_lane *lane = lane_of(pipeline, ticket->chunk);
    int failed = mark(pipeline, ticket, MARK_COPY, error);
    if (!failed)
        failed = ops_of(pipeline)->write_async(pipeline->context->device, lane->input,
                                               ticket->elements,
                                               ticket->count * pipeline->element_bytes,
                                               lane->stream, error);
    return failed ? failed : mark(pipeline, ticket, MARK_COPIED, error);
}

/* The first chunk of an inclusive scan is a scan; of an exclusive one too, over one element more,
 * whatever that is, so that its last result is what the next chunk goes on with. Each other is an
 * inclusive scan that begins with the last result before it. */
static int queue_scan(struct pipeline_run *run, const struct pipeline_ticket *ticket,
                      struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    struct device *device = pipeline->context->device;
    struct pipeline_lane *lane = lane_of(pipeline, ticket->chunk);
    const uint64_t size = pipeline->element_bytes;
    int failed;
    if (ticket->chunk > 0) {
        const struct pipeline_lane *before = lane_of(pipeline, ticket->chunk - 1);
        failed = device->ops->follow(device, lane->stream, before->carried, error);
        if (!failed)
            failed = device->ops->copy_async(device, lane->input - size,
                                             before->output + pipeline->chunk * size, size,
                                             lane->stream, error);
        if (!failed)
            failed = plan_execute(lane->workspace, (lane->input - size), ticket->count + 1,
                                  lane->output, lane->stream, error);
    } else if (lane->first) {
        failed = plan_execute(lane->first, lane->input, ticket->count + 1, lane->output,
                              lane->stream, error);
    } else {
        failed = plan_execute(lane->workspace, lane->input, ticket->count,
                              (lane->output + size), lane->stream, error);
    }
    return failed ? failed : device->ops->record(device, lane->carried, lane->stream, error);
}

static int queue_kernels(struct pipeline_run *run, struct pipeline_ticket *ticket,
                         struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    const struct pipeline_lane *lane = lane_of(pipeline, ticket->chunk);
    const int failed = is_scan(pipeline)
                           ? queue_scan(run, ticket, error)
                           : plan_execute(lane->workspace, lane->input, ticket->count,
                                          lane->output, lane->stream, error);
    return failed ? failed : mark(pipeline, ticket, MARK_REDUCED, error);
}

static int queue_results(struct pipeline_run *run, struct pipeline_ticket *ticket,
                         struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    struct device *device = pipeline->context->device;
    const struct pipeline_lane *lane = lane_of(pipeline, ticket->chunk);
    const uint64_t size = pipeline->result_bytes;
    const bool is_inclusive = pipeline->problem.dims.scan == DIMS_INCLUSIVE;
    ticket->to = ticket->results;
    if (run->is_output_direct)
        ticket->to = run->output + ticket->chunk * pipeline->chunk * size;
    int failed =
        device->ops->read_async(device, ticket->to, lane->output + (is_inclusive ? size : 0),
                                is_scan(pipeline) ? ticket->count * size : size, lane->stream,
                                error);
    if (!failed)
        failed = device->ops->record(device, ticket->done, lane->stream, error);
    ticket->is_queued = !failed;
    return failed;
}

typedef int queue_step(struct pipeline_run *run, struct pipeline_ticket *ticket,
                       struct error *error);

/* Queues what was loaded from chunk `from` on: all of a chunk's work before that of the next, or
 * breadth first. */
static int queue(struct pipeline_run *run, uint64_t from, struct error *error)
{
    static queue_step *const steps[] = {queue_copy, queue_kernels, queue_results};
    enum { STEPS = sizeof steps / sizeof *steps };
    const uint64_t count = run->chunks - from;
    int failed = 0;
    for (uint64_t i = 0; i < count * STEPS && !failed; i++) {
        const bool is_breadth = run->pipeline->is_breadth_first;
        const uint64_t chunk = from + (is_breadth ? i % count : i / STEPS);
        queue_step *const step = steps[is_breadth ? i / count : i % STEPS];
        failed = step(run, &run->pipeline->tickets[chunk % run->tickets], error);
    }
    return failed;
}

/* --- Taking results ----------------------------------------------------------------------- */

static int note_bar(struct autotune_pipeline *pipeline, const struct pipeline_ticket *ticket,
                    struct error *error)
{
    struct device *device = pipeline->context->device;
    struct pipeline_watch *watch = pipeline->watch;
    double at[PIPELINE_MARKS];
    if (!watch || watch->count == watch->most)
        return 0;
    for (int i = 0; i < PIPELINE_MARKS; i++) {
        const int failed =
            device->ops->elapsed(device, pipeline->start, ticket->marks[i], &at[i], error);
        if (failed)
            return failed;
    }
    watch->bars[watch->count++] =
        (struct pipeline_bar){at[MARK_COPY], at[MARK_COPIED], at[MARK_REDUCED]};
    return 0;
}

/* Calls the caller's function. */
static int tell(const struct pipeline_run *run, const void *from, uint64_t at, uint64_t bytes,
                struct error *error)
{
    errno = 0;
    const int gave = run->sink->write(run->sink->context, from, at, bytes);
    const int reason = errno;
    fesetenv(FE_DFL_ENV);
    if (gave)
        return error_set(
            error, ERROR_FAILED,
            "writing the results failed at byte %llu: sink.write gave %d, not 0: %s",
            (unsigned long long)at, gave, strerror(reason ? reason : EIO));
    return device_check(run->pipeline->context->device, error);
}

static int give_results(struct pipeline_run *run, const struct pipeline_ticket *ticket,
                        struct error *error)
{
    const struct autotune_pipeline *pipeline = run->pipeline;
    const uint64_t size = pipeline->result_bytes, bytes = ticket->count * size;
    const uint64_t at = ticket->chunk * pipeline->chunk * size;
    if (run->output && !run->is_output_direct)
        copiers_run(pipeline->copiers, copy_out, run->output, ticket->to, at, bytes);
    return run->sink ? tell(run, ticket->to, at, bytes, error) : 0;
}

static int retire(struct pipeline_run *run, struct pipeline_ticket *ticket, struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    if (!ticket->is_queued)
        return 0;
    int failed = ops_of(pipeline)->await(pipeline->context->device, ticket->done, error);
    ticket->is_queued = false;
    run->retired++;
    if (!failed)
        failed = note_bar(pipeline, ticket, error);
    if (failed)
        return failed;
    return is_scan(pipeline) ? give_results(run, ticket, error)
                             : pipeline_take(run, ticket, error);
}

/* --- A run -------------------------------------------------------------------------------- */

static int prepare_ticket(struct autotune_pipeline *pipeline, const struct pipeline_run *run,
                          struct pipeline_ticket *ticket, struct error *error)
{
    return is_scan(pipeline) && !run->is_output_direct
               ? make_pinned(pipeline, &ticket->results,
                             pipeline->chunk * pipeline->result_bytes, error)
               : 0;
}

/* Loads the chunks of a round, one for each lane when it is breadth first, else one. */
static int load_round(struct pipeline_run *run, bool *has_more, struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    const unsigned most = pipeline->is_breadth_first ? pipeline->streams : 1;
    for (unsigned i = 0; i < most && *has_more; i++) {
        struct pipeline_ticket *ticket = &pipeline->tickets[run->chunks % run->tickets];
        int failed = retire(run, ticket, error);
        if (!failed)
            failed = prepare_ticket(pipeline, run, ticket, error);
        if (!failed)
            failed = load(run, ticket, error);
        if (failed)
            return failed;
        *has_more = ticket->count == pipeline->chunk;
        run->chunks += ticket->count > 0;
        run->elements += ticket->count;
    }
    return 0;
}

static int run_chunks(struct pipeline_run *run, struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    bool has_more = true;
    int failed = 0;
    while (has_more && !failed) {
        const uint64_t from = run->chunks;
        failed = load_round(run, &has_more, error);
        if (!failed)
            failed = queue(run, from, error);
    }
    while (run->retired < run->chunks && !failed)
        failed = retire(run, &pipeline->tickets[run->retired % run->tickets], error);
    return failed || is_scan(pipeline) ? failed : pipeline_finish(run, error);
}

/* After an error: waits for what is under way, and clears what an aborted launch left. */
static void abandon(struct autotune_pipeline *pipeline)
{
    struct device *device = pipeline->context->device;
    struct error ignored;
    for (unsigned i = 0; i < pipeline->streams; i++)
        device->ops->sync(device, pipeline->lanes[i].stream, &ignored);
    for (unsigned i = 0; i < pipeline->streams; i++) {
        const struct pipeline_lane *lane = &pipeline->lanes[i];
        workspace_reset(lane->workspace, lane->stream, &ignored);
        if (lane->first)
            workspace_reset(lane->first, lane->stream, &ignored);
        if (pipeline->list_workspace && i == 0)
            workspace_reset(pipeline->list_workspace, lane->stream, &ignored);
        device->ops->sync(device, lane->stream, &ignored);
    }
    for (unsigned i = 0; i < PIPELINE_TICKETS; i++)
        pipeline->tickets[i].is_queued = false;
}

/* Buffers that are filled are one more than lanes: one is filled while the others are copied. Where
 * the GPU copies by itself, lanes have their next chunk queued behind the one under way. */
int pipeline_execute(struct pipeline_run *run, struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    struct device *device = pipeline->context->device;
    const bool has_buffers = !run->is_direct || (is_scan(pipeline) && !run->is_output_direct);
    int failed = device_check(device, error);
    run->tickets = has_buffers && !pipeline->is_breadth_first ? pipeline->streams + 1
                                                              : 2 * pipeline->streams;
    pipeline->list_count = 0;
    if (pipeline->copiers == NULL && has_buffers && !failed) {
        pipeline->copiers = copiers_open(pipeline->copier_count);
        failed = pipeline->copiers ? 0 : fail_memory(error);
    }
    if (!failed && pipeline->watch)
        failed = device->ops->record(device, pipeline->start, pipeline->lanes[0].stream, error);
    if (!failed)
        failed = run_chunks(run, error);
    if (failed)
        abandon(pipeline);
    return failed;
}
