/* stream_caveats: queues a copy in one stream, calls what is warned of, and queues a kernel in another
 * stream: where the kernel ends before the copy does, the call has kept nothing apart. */
#include "autotune/ladder/stream_ladder.h"

#include <string.h>

enum {
    TIMES = 5,
    CHUNK_BYTES = 64 << 20,
    BETWEEN_BYTES = 16 << 20,
    PINNED_BYTES = 64 << 10,
    KERNEL_PART = 64
};

/* What a call between works with. */
struct between {
    struct device *device;
    struct autotune_pipeline *pipeline;
    void *copying, *reducing, *third; /* streams */
    void *begun, *copied, *reduced;   /* events */
    const void *elements;
    void *pinned; /* what the call allocated, to be freed afterwards */
    uint64_t memory;
};

/* A pass may have no kernel of its own. */
static const struct device_kernel *first_kernel(const struct between *between)
{
    const struct autotune_plan *plan = between->pipeline->plan;
    size_t pass = 0;
    while (!plan->kernels[pass])
        pass++;
    return plan->kernels[pass];
}

static int call_nothing(struct between *between, struct error *error)
{
    (void)between, (void)error;
    return 0;
}

/* Few bytes: pinning takes the host 0.3 ms a MiB, and the kernel is queued only after that. */
static int call_pin(struct between *between, struct error *error)
{
    return between->device->ops->pin(between->device, PINNED_BYTES, &between->pinned, error);
}

static int call_alloc(struct between *between, struct error *error)
{
    return between->device->ops->alloc(between->device, BETWEEN_BYTES, &between->memory, error);
}

static int call_set(struct between *between, struct error *error)
{
    return between->device->ops->fill(between->device, between->pipeline->lanes[2].input, 0,
                                      BETWEEN_BYTES, between->third, error);
}

static int call_copy(struct between *between, struct error *error)
{
    const uint64_t at = between->pipeline->lanes[2].input;
    return between->device->ops->copy_async(between->device, at, at + BETWEEN_BYTES,
                                            BETWEEN_BYTES, between->third, error);
}

/* A kernel in the default stream. */
static int call_default(struct between *between, struct error *error)
{
    const struct pipeline_lane *lane = &between->pipeline->lanes[2];
    return plan_execute(lane->workspace, lane->input, 1024, lane->output, NULL, error);
}

static int call_prefer(struct between *between, struct error *error)
{
    return device_prefer_shared(between->device, first_kernel(between), 100, error);
}

static const struct {
    const char *name, *what;
    bool joins_default;
    int (*call)(struct between *between, struct error *error);
} rows[] = {
    {"nothing", "nothing in between", true, call_nothing},
    {"pinned", "a page-locked host memory allocation: cuMemHostAlloc", true, call_pin},
    {"alloc", "a device memory allocation: cuMemAlloc", true, call_alloc},
    {"set", "a device memory set: cuMemsetD8Async in a third stream", true, call_set},
    {"copy", "a copy within the device: cuMemcpyDtoDAsync in a third stream", true, call_copy},
    {"default", "a kernel in stream 0", true, call_default},
    {"apart", "a kernel in stream 0, the others made with CU_STREAM_NON_BLOCKING", false,
     call_default},
    {"carveout", "a switch of the L1/shared memory configuration, of the kernel that follows",
     true, call_prefer},
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS <= (int)STREAM_CAVEATS_MAX, "there is room for all");

/* What was allocated is freed when both have ended: freeing waits for the device. */
static void clean(struct between *between)
{
    struct device *device = between->device;
    struct error ignored;
    if (between->pinned)
        device->ops->unpin(device, between->pinned);
    if (between->memory)
        device->ops->free(device, between->memory);
    between->pinned = NULL;
    between->memory = 0;
    device_prefer_shared(device, first_kernel(between), -1, &ignored);
}

static int queue(struct between *between, size_t row, struct error *error)
{
    struct device *device = between->device;
    const struct pipeline_lane *lanes = between->pipeline->lanes;
    const uint64_t chunk = between->pipeline->chunk;
    return device->ops->record(device, between->begun, between->copying, error) ||
                   device->ops->write_async(device, lanes[0].input, between->elements,
                                            chunk * between->pipeline->element_bytes,
                                            between->copying, error) ||
                   device->ops->record(device, between->copied, between->copying, error) ||
                   rows[row].call(between, error) ||
                   plan_execute(lanes[1].workspace, lanes[1].input, chunk / KERNEL_PART,
                                lanes[1].output, between->reducing, error) ||
                   device->ops->record(device, between->reduced, between->reducing, error)
               ? -1
               : 0;
}

static int try_once(struct between *between, size_t row, double *copied_ns, double *reduced_ns,
                    struct error *error)
{
    struct device *device = between->device;
    return queue(between, row, error) || device->ops->await(device, between->copied, error) ||
                   device->ops->await(device, between->reduced, error) ||
                   device->ops->sync(device, between->third, error) ||
                   device->ops->elapsed(device, between->begun, between->copied, copied_ns,
                                        error) ||
                   device->ops->elapsed(device, between->begun, between->reduced, reduced_ns,
                                        error)
               ? -1
               : 0;
}

/* The time of the middle one, by when the kernel had ended. */
static int try_row(struct stream_caveat *out, struct between *between, size_t row,
                   struct error *error)
{
    double copied[TIMES] = {0}, reduced[TIMES] = {0};
    int failed = 0;
    size_t middle = 0, before = 0;
    for (size_t i = 0; i < TIMES && !failed; i++) {
        failed = try_once(between, row, &copied[i], &reduced[i], error);
        clean(between);
    }
    for (size_t i = 0; i < TIMES && !failed; i++) {
        before = 0;
        for (size_t k = 0; k < TIMES; k++)
            before += reduced[k] < reduced[i] || (reduced[k] <= reduced[i] && k < i);
        middle = before == TIMES / 2 ? i : middle;
    }
    *out = (struct stream_caveat){rows[row].name, rows[row].what, copied[middle] / 1e3,
                                  reduced[middle] / 1e3, reduced[middle] < copied[middle]};
    return failed;
}

static int open_streams(struct between *between, bool joins_default, struct error *error)
{
    void **const all[] = {&between->copying, &between->reducing, &between->third};
    int failed = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && !failed; i++) {
        if (*all[i])
            between->device->ops->stream_close(between->device, *all[i]);
        failed =
            between->device->ops->stream_open(between->device, joins_default, all[i], error);
    }
    return failed;
}

static int open_events(struct between *between, struct error *error)
{
    void **const all[] = {&between->begun, &between->copied, &between->reduced};
    int failed = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && !failed; i++)
        failed = between->device->ops->event_open(between->device, all[i], error);
    return failed;
}

static void close_all(struct between *between)
{
    void *const streams[] = {between->copying, between->reducing, between->third};
    void *const events[] = {between->begun, between->copied, between->reduced};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (streams[i])
            between->device->ops->stream_close(between->device, streams[i]);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            between->device->ops->event_close(between->device, events[i]);
    autotune_pipeline_destroy(between->pipeline, NULL);
}

static int run_rows(struct stream_caveat *out, struct between *between, struct error *error)
{
    int failed = open_events(between, error);
    for (size_t i = 0; i < ROWS && !failed; i++) {
        failed = open_streams(between, rows[i].joins_default, error);
        if (!failed)
            failed = try_row(&out[i], between, i, error);
    }
    return failed;
}

int stream_caveats_run(struct stream_caveat out[STREAM_CAVEATS_MAX], size_t *count,
                       struct host_bench *bench, struct error *error)
{
    const uint64_t bytes = bench->bytes < CHUNK_BYTES ? bench->bytes : CHUNK_BYTES;
    const struct autotune_pipeline_options options = {.streams = 3, .chunk_bytes = bytes};
    struct between between = {.device = bench->host.library->device, .elements = bench->pinned};
    struct problem problem = bench->problem;
    problem.regime = PINNED;
    *count = 0;
    if (bytes / 2 < BETWEEN_BYTES) /* too few for anything to overlap */
        return 0;
    if (host_context_pipeline(&between.pipeline, &bench->host, &problem, &options, error))
        return -1;
    const int failed = run_rows(out, &between, error);
    close_all(&between);
    *count = failed ? 0 : ROWS;
    return failed;
}
