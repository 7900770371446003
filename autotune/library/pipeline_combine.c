/* pipeline_combine: puts the results of chunks together, in their order, by the operation's own
 * kernel: results of sums are summed. Of positions the elements there are compared, for a result
 * is where it stands. For order n chunks are subtrees, which a binary counter joins. */
#include "autotune/library/pipeline.h"

#include "include/autotune_reference.h"

#include <string.h>

static bool is_position(const struct autotune_pipeline *pipeline)
{
    return problem_law(&pipeline->problem)->is_position;
}

static bool is_by_n(const struct autotune_pipeline *pipeline)
{
    return pipeline->problem.order == ORDER_BY_N;
}

static struct autotune_arithmetic arithmetic_of(const struct problem *problem)
{
    struct autotune_arithmetic in = {0};
    autotune_arithmetic(&in, operation_plain(problem_combine(problem))->name,
                        problem_types[problem->acc].name);
    return in;
}

/* Bytes of an entry of the list. */
static uint64_t entry_bytes(const struct autotune_pipeline *pipeline)
{
    return is_position(pipeline) ? pipeline->element_bytes : pipeline->result_bytes;
}

/* --- Order n ------------------------------------------------------------------------------ */

static double value_of(const struct autotune_pipeline *pipeline, const void *result)
{
    float narrow;
    double wide;
    if (pipeline->result_bytes == sizeof wide) {
        memcpy(&wide, result, sizeof wide);
        return wide;
    }
    memcpy(&narrow, result, sizeof narrow);
    return narrow;
}

static void carry(struct pipeline_run *run, const struct pipeline_ticket *ticket)
{
    const struct autotune_arithmetic in = arithmetic_of(&run->pipeline->problem);
    double value = value_of(run->pipeline, ticket->to);
    unsigned level = 0;
    for (; ticket->chunk >> level & 1; level++)
        value = autotune_join(in, run->level[level], value);
    run->level[level] = value;
}

/* What is left without a neighbour, the last first. */
static void join_levels(const struct pipeline_run *run)
{
    const struct autotune_arithmetic in = arithmetic_of(&run->pipeline->problem);
    double total = in.is_product;
    for (unsigned level = 0; level < PIPELINE_LEVELS && run->chunks >> level; level++)
        if (run->chunks >> level & 1)
            total = autotune_join(in, run->level[level], total);
    autotune_store(in, run->output, total);
}

/* --- The list ----------------------------------------------------------------------------- */

/* Runs a kernel over `count` entries of the list, or none; its result goes to `out`. */
static int reduce(const struct autotune_pipeline *pipeline,
                  struct autotune_workspace *workspace, uint64_t count, void *out,
                  struct error *error)
{
    struct device *device = pipeline->context->device;
    const struct pipeline_lane *lane = &pipeline->lanes[0];
    unsigned char *place = pipeline->places + (size_t)PIPELINE_TICKETS * PIPELINE_RESULT_BYTES;
    int failed =
        count ? device->ops->write_async(device, pipeline->list_memory, pipeline->list,
                                         count * entry_bytes(pipeline), lane->stream, error)
              : 0;
    if (!failed)
        failed = plan_execute(workspace, pipeline->list_memory, count, lane->output,
                              lane->stream, error);
    if (!failed)
        failed = device->ops->read_async(device, place, lane->output, pipeline->result_bytes,
                                         lane->stream, error);
    if (!failed)
        failed = device->ops->sync(device, lane->stream, error);
    if (!failed)
        memcpy(out, place, pipeline->result_bytes);
    return failed;
}

/* Makes one entry of them all. */
static int shorten(struct autotune_pipeline *pipeline, struct error *error)
{
    const uint64_t size = entry_bytes(pipeline);
    uint64_t best = 0;
    unsigned char *to = is_position(pipeline) ? (unsigned char *)&best : pipeline->list;
    if (pipeline->list_count < 2)
        return 0;
    const int failed =
        reduce(pipeline, pipeline->list_workspace, pipeline->list_count, to, error);
    if (failed)
        return failed;
    pipeline->list_count = 1;
    if (is_position(pipeline)) {
        memmove(pipeline->list, pipeline->list + best * size, size);
        pipeline->list_positions[0] = pipeline->list_positions[best];
    }
    return 0;
}

static void append(struct pipeline_run *run, const struct pipeline_ticket *ticket)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    const uint64_t size = entry_bytes(pipeline);
    unsigned char *entry = pipeline->list + pipeline->list_count * size;
    uint64_t position;
    if (is_position(pipeline)) {
        memcpy(&position, ticket->to, sizeof position);
        memcpy(entry, ticket->elements + position * size, size);
        pipeline->list_positions[pipeline->list_count] =
            ticket->chunk * pipeline->chunk + position;
    } else {
        memcpy(entry, ticket->to, size);
    }
    pipeline->list_count++;
}

int pipeline_take(struct pipeline_run *run, const struct pipeline_ticket *ticket,
                  struct error *error)
{
    if (is_by_n(run->pipeline)) {
        carry(run, ticket);
        return 0;
    }
    append(run, ticket);
    return run->pipeline->list_count == run->pipeline->list_most ? shorten(run->pipeline, error)
                                                                 : 0;
}

int pipeline_finish(struct pipeline_run *run, struct error *error)
{
    struct autotune_pipeline *pipeline = run->pipeline;
    if (run->chunks == 0)
        return reduce(pipeline, pipeline->lanes[0].workspace, 0, run->output, error);
    if (is_by_n(pipeline)) {
        join_levels(run);
        return 0;
    }
    const int failed = shorten(pipeline, error);
    if (!failed)
        memcpy(run->output,
               is_position(pipeline) ? (const void *)pipeline->list_positions : pipeline->list,
               pipeline->result_bytes);
    return failed;
}
