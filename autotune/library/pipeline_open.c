/* pipeline_open: makes pipelines: finds the record of chunks and streams, makes the plans of a chunk
 * and of the list of results, and gets memory, streams and events. */
#include "autotune/library/pipeline.h"

#include "autotune/device/cores.h"
#include "autotune/library/fail.h"

#include <stdlib.h>

enum {
    STREAMS_DEFAULT = 3,
    COPIERS_DEFAULT = 16,
    CHUNK_DEFAULT = 16 << 20,
    ALIGNED = 256,
    IN_FRONT = 1, /* elements of a scan's lane before its chunk */
};

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static uint64_t first_of(uint64_t asked, uint64_t recorded, uint64_t otherwise)
{
    return asked ? asked : recorded ? recorded : otherwise;
}

/* --- Chunks and streams ------------------------------------------------------------------- */

/* A number of elements that every order and every start takes. */
static uint64_t cut_chunk(const struct problem *problem, uint64_t bytes)
{
    const uint64_t elements = bytes / (uint64_t)problem_types[problem->type].bytes;
    uint64_t chunk = PIPELINE_CHUNK_STEP;
    if (elements < chunk)
        return chunk;
    if (problem->order != ORDER_BY_N)
        return elements / PIPELINE_CHUNK_STEP * PIPELINE_CHUNK_STEP;
    while (chunk * 2 <= elements)
        chunk *= 2;
    return chunk;
}

/* The problem's record, else that of the usual sum: how data gets to the GPU depends little on what
 * is done there. */
static int find_record(struct choice *out, struct autotune_pipeline *pipeline,
                       const struct autotune_plan_options *from, struct error *error)
{
    struct problem usual = pipeline->problem;
    const uint64_t bytes = dims_n(&usual.dims) * pipeline->element_bytes;
    const int failed = plan_choose(out, pipeline->context, &pipeline->problem, from, error);
    if (failed || out->record.chunk_bytes || from->from != AUTOTUNE_FROM_BEST)
        return failed;
    usual.op = operation_usual();
    usual.type = usual.acc = I32;
    usual.order = ORDER_FREE;
    usual.dims = dims_run(bytes / (uint64_t)problem_types[I32].bytes + 1, DIMS_ALL);
    return plan_choose(out, pipeline->context, &usual, from, error);
}

static int settle(struct autotune_pipeline *pipeline, const struct autotune_plan_options *from,
                  const struct autotune_pipeline_options *options, struct error *error)
{
    const unsigned cores = cores_own();
    struct choice choice;
    const int failed = find_record(&choice, pipeline, from, error);
    if (failed)
        return failed;
    pipeline->is_tuned = choice.grade <= SELECTOR_OTHER_SIZE && choice.record.chunk_bytes;
    pipeline->chunk =
        cut_chunk(&pipeline->problem,
                  first_of(options->chunk_bytes, choice.record.chunk_bytes, CHUNK_DEFAULT));
    pipeline->streams =
        (unsigned)first_of(options->streams, choice.record.streams, STREAMS_DEFAULT);
    pipeline->copier_count =
        (unsigned)first_of(options->copiers, choice.record.copiers,
                           cores < COPIERS_DEFAULT ? cores : COPIERS_DEFAULT);
    if (pipeline->streams > PIPELINE_LANES)
        pipeline->streams = PIPELINE_LANES;
    if (pipeline->copier_count > COPIERS_MAX)
        pipeline->copier_count = COPIERS_MAX;
    return 0;
}

/* --- Plans -------------------------------------------------------------------------------- */

static int make_plan(struct autotune_plan **out, struct autotune_pipeline *pipeline,
                     const struct problem *problem, enum autotune_from from,
                     struct error *error)
{
    static const struct plan_count count = {"elements", PLAN_DEPTH, 1};
    const struct autotune_plan_options options = {
        .from = from == AUTOTUNE_FROM_DEFAULT ? from : AUTOTUNE_FROM_BEST};
    const int failed = plan_make(out, pipeline->context, problem, count, &options, error);
    if (!failed)
        atomic_fetch_add(&pipeline->context->plans, 1);
    return failed;
}

/* Is the list reduced as a chunk is? */
static bool is_list_alike(const struct problem *problem)
{
    return problem_law(problem)->is_position ||
           (problem_map(problem) == MAP_SAME && problem->type == problem_value(problem));
}

/* Results are combined as they are, those of a sum of squares are summed.
 * Positions are sought again among the elements that were found. */
static struct problem list_problem(const struct problem *problem)
{
    struct problem list = *problem;
    if (!problem_law(problem)->is_position) {
        list.op = operation_plain(problem_combine(problem));
        list.type = list.acc = problem_value(problem);
    }
    list.dims = dims_run(PIPELINE_LIST, DIMS_ALL);
    return list;
}

static int make_plans(struct autotune_pipeline *pipeline, enum autotune_from from,
                      struct error *error)
{
    struct problem of_chunk = pipeline->problem;
    const bool is_scan = of_chunk.dims.scan != DIMS_ALL;
    const bool is_exclusive = of_chunk.dims.scan == DIMS_EXCLUSIVE;
    of_chunk.regime = COLD;
    of_chunk.dims = dims_run(pipeline->chunk + (is_scan ? IN_FRONT : 0),
                             is_scan ? DIMS_INCLUSIVE : DIMS_ALL);
    int failed = make_plan(&pipeline->plan, pipeline, &of_chunk, from, error);
    if (!failed && is_exclusive) {
        of_chunk.dims.scan = DIMS_EXCLUSIVE;
        failed = make_plan(&pipeline->first_plan, pipeline, &of_chunk, from, error);
    }
    if (failed || is_scan || of_chunk.order == ORDER_BY_N)
        return failed;
    pipeline->list_most = PIPELINE_LIST;
    if (is_list_alike(&of_chunk)) {
        pipeline->list_plan = pipeline->plan;
        if (pipeline->chunk < pipeline->list_most)
            pipeline->list_most = (size_t)pipeline->chunk;
        return 0;
    }
    const struct problem list = list_problem(&of_chunk);
    return make_plan(&pipeline->list_plan, pipeline, &list, from, error);
}

/* --- Memory and streams ------------------------------------------------------------------- */

static int open_lane(struct autotune_pipeline *pipeline, struct pipeline_lane *lane,
                     struct error *error)
{
    struct device *device = pipeline->context->device;
    const bool is_scan = pipeline->problem.dims.scan != DIMS_ALL;
    const uint64_t around = is_scan ? ALIGNED : 0;
    const uint64_t input = round_up(pipeline->chunk * pipeline->element_bytes) + 2 * around;
    const uint64_t output =
        is_scan ? round_up((pipeline->chunk + IN_FRONT) * pipeline->result_bytes) : ALIGNED;
    int failed = device->ops->stream_open(device, false, &lane->stream, error);
    if (!failed)
        failed = device->ops->event_open(device, &lane->carried, error);
    if (!failed)
        failed = device->ops->alloc(device, input, &lane->input, error);
    if (failed)
        return failed;
    lane->input += around;
    pipeline->device_bytes += input + output;
    failed = device->ops->alloc(device, output, &lane->output, error);
    if (!failed)
        failed = workspace_make(&lane->workspace, pipeline->plan, NULL, lane->stream, error);
    if (!failed && pipeline->first_plan)
        failed = workspace_make(&lane->first, pipeline->first_plan, NULL, lane->stream, error);
    return failed;
}

static void close_lane(struct autotune_pipeline *pipeline, struct pipeline_lane *lane,
                       bool is_current)
{
    struct device *device = pipeline->context->device;
    const uint64_t around = pipeline->problem.dims.scan != DIMS_ALL ? ALIGNED : 0;
    if (is_current && lane->stream)
        device->ops->stream_close(device, lane->stream);
    workspace_free(lane->workspace, is_current);
    workspace_free(lane->first, is_current);
    if (is_current && lane->carried)
        device->ops->event_close(device, lane->carried);
    if (is_current && lane->input)
        device->ops->free(device, lane->input - around);
    if (is_current && lane->output)
        device->ops->free(device, lane->output);
}

static int open_tickets(struct autotune_pipeline *pipeline, struct error *error)
{
    struct device *device = pipeline->context->device;
    const bool is_scan = pipeline->problem.dims.scan != DIMS_ALL;
    const uint64_t bytes = (uint64_t)(PIPELINE_TICKETS + 1) * PIPELINE_RESULT_BYTES;
    void *places = NULL;
    int failed = device->ops->pin(device, bytes, &places, error);
    if (failed)
        return failed;
    pipeline->places = places;
    pipeline->pinned_bytes += bytes;
    for (size_t i = 0; i < PIPELINE_TICKETS && !failed; i++) {
        if (!is_scan)
            pipeline->tickets[i].results = pipeline->places + i * PIPELINE_RESULT_BYTES;
        failed = device->ops->event_open(device, &pipeline->tickets[i].done, error);
    }
    return failed;
}

static void close_ticket(struct autotune_pipeline *pipeline, struct pipeline_ticket *ticket)
{
    struct device *device = pipeline->context->device;
    if (ticket->done)
        device->ops->event_close(device, ticket->done);
    for (int i = 0; i < PIPELINE_MARKS; i++)
        if (ticket->marks[i])
            device->ops->event_close(device, ticket->marks[i]);
    if (ticket->filled)
        device->ops->unpin(device, ticket->filled);
    if (pipeline->problem.dims.scan != DIMS_ALL && ticket->results)
        device->ops->unpin(device, ticket->results);
}

static int open_list(struct autotune_pipeline *pipeline, struct error *error)
{
    struct device *device = pipeline->context->device;
    enum { ENTRY_MOST = sizeof(uint64_t) };
    const uint64_t bytes = (uint64_t)PIPELINE_LIST * ENTRY_MOST;
    if (!pipeline->list_plan)
        return 0;
    pipeline->list = malloc(bytes);
    pipeline->list_positions = malloc(PIPELINE_LIST * sizeof *pipeline->list_positions);
    if (!pipeline->list || !pipeline->list_positions)
        return fail_memory(error);
    const int failed = device->ops->alloc(device, bytes, &pipeline->list_memory, error);
    pipeline->device_bytes += failed ? 0 : bytes;
    return failed ? failed
                  : workspace_make(&pipeline->list_workspace, pipeline->list_plan, NULL,
                                   pipeline->lanes[0].stream, error);
}

int pipeline_set_watch(struct autotune_pipeline *pipeline, struct pipeline_watch *watch,
                       struct error *error)
{
    struct device *device = pipeline->context->device;
    int failed = 0;
    pipeline->watch = NULL;
    if (!watch)
        return 0;
    if (!pipeline->start)
        failed = device->ops->event_open(device, &pipeline->start, error);
    for (size_t i = 0; i < PIPELINE_TICKETS; i++)
        for (int k = 0; k < PIPELINE_MARKS && !failed; k++)
            if (!pipeline->tickets[i].marks[k])
                failed = device->ops->event_open(device, &pipeline->tickets[i].marks[k], error);
    pipeline->watch = failed ? NULL : watch;
    return failed;
}

/* --- The pipeline ------------------------------------------------------------------------- */

static int open_all(struct autotune_pipeline *pipeline,
                    const struct autotune_plan_options *from,
                    const struct autotune_pipeline_options *options, struct error *error)
{
    int failed = settle(pipeline, from, options, error);
    if (!failed)
        failed = make_plans(pipeline, from->from, error);
    for (unsigned i = 0; i < pipeline->streams && !failed; i++)
        failed = open_lane(pipeline, &pipeline->lanes[i], error);
    if (!failed)
        failed = open_tickets(pipeline, error);
    return failed ? failed : open_list(pipeline, error);
}

int pipeline_make(struct autotune_pipeline **out, struct autotune_context *context,
                  const struct problem *host, const struct autotune_plan_options *from,
                  const struct autotune_pipeline_options *options, struct error *error)
{
    struct autotune_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return fail_memory(error);
    pipeline->context = context;
    pipeline->problem = *host;
    pipeline->element_bytes = (uint64_t)problem_types[host->type].bytes;
    pipeline->result_bytes = (uint64_t)problem_types[problem_result(host)].bytes;
    const int failed = open_all(pipeline, from, options, error);
    if (failed) {
        pipeline_free(pipeline, true);
        return failed;
    }
    *out = pipeline;
    return 0;
}

void pipeline_free(struct autotune_pipeline *pipeline, bool is_current)
{
    struct device *device = pipeline->context->device;
    copiers_close(pipeline->copiers);
    workspace_free(pipeline->list_workspace, is_current);
    for (size_t i = 0; i < PIPELINE_LANES; i++)
        close_lane(pipeline, &pipeline->lanes[i], is_current);
    for (size_t i = 0; i < PIPELINE_TICKETS && is_current; i++)
        close_ticket(pipeline, &pipeline->tickets[i]);
    if (is_current && pipeline->places)
        device->ops->unpin(device, pipeline->places);
    if (is_current && pipeline->start)
        device->ops->event_close(device, pipeline->start);
    if (is_current && pipeline->list_memory)
        device->ops->free(device, pipeline->list_memory);
    if (pipeline->list_plan != pipeline->plan)
        autotune_plan_destroy(pipeline->list_plan, NULL);
    autotune_plan_destroy(pipeline->first_plan, NULL);
    autotune_plan_destroy(pipeline->plan, NULL);
    free(pipeline->list);
    free(pipeline->list_positions);
    free(pipeline);
}
