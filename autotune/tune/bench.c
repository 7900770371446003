/* bench: graphs of calls over the inputs, and the sweep that makes the L2 cold. Hides how many
 * calls a measurement takes and where their results lie. */
#include "autotune/tune/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOT_BYTES = 16,
    POISON = 0xA5,
    CALLS_MAX = INPUT_MAX,
    SWEEP_L2 = 3, /* the sweep reads this many times the L2 */
};

/* A measurement lasts about this long, so that its start and end do not count. */
static const uint64_t MEASURE_PS = 1200000000; /* 1.2 ms */
static const uint64_t CALL_LEAST_PS = 1500000; /* no call is faster than about 1.5 us */

static uint64_t input_bytes(const struct bench *bench)
{
    const struct problem *problem = &bench->input->problem;
    return problem->n * (uint64_t)problem_types[problem->type].bytes;
}

static uint64_t time_at_peak(const struct bench *bench)
{
    uint64_t peak = device_peak_bytes(&bench->device->info);
    return peak ? (uint64_t)((double)input_bytes(bench) * 1e12 / (double)peak) : 0;
}

static bool is_past_l2(const struct bench *bench)
{
    return input_bytes(bench) >= 8 * (uint64_t)bench->device->info.target.l2_bytes;
}

static size_t count_calls(const struct bench *bench)
{
    if (bench->device->info.target.is_host)
        return 1;
    if (bench->input->count > 1)
        return bench->input->count;
    uint64_t call = time_at_peak(bench) + CALL_LEAST_PS;
    uint64_t calls = (MEASURE_PS + call - 1) / call;
    return (size_t)(calls > CALLS_MAX ? CALLS_MAX : calls);
}

uint64_t bench_floor_ps(const struct bench *bench)
{
    return is_past_l2(bench) && !bench->device->info.target.is_host ? time_at_peak(bench) : 0;
}

static int open_sweep(struct bench *bench, const struct point_context *context,
                      const int64_t *row,
                      const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                      struct error *error)
{
    const struct device_info *info = &bench->device->info;
    const struct device_ops *ops = bench->device->ops;
    if (info->target.is_host || bench->input->problem.regime == WARM || is_past_l2(bench))
        return 0;
    const uint64_t bytes = SWEEP_L2 * (uint64_t)info->target.l2_bytes;
    const uint64_t n = bytes / (uint64_t)problem_types[bench->input->problem.type].bytes;
    struct call_plan plan;
    if (call_plan(&plan, context, row, n, error) ||
        ops->alloc(bench->device, bytes, &bench->sweep_data, error) ||
        ops->fill(bench->device, bench->sweep_data, POISON, bytes, error) ||
        ops->alloc(bench->device, plan.scratch_bytes + 256, &bench->sweep_scratch, error))
        return -1;
    const struct call_buffers buffers = {.input = bench->sweep_data,
                                         .output = bench->outputs + CALLS_MAX * SLOT_BYTES,
                                         .scratch = bench->sweep_scratch,
                                         .counter = bench->counter};
    call_bind(bench->sweep, &plan, context->space, kernels, &buffers);
    bench->sweep_count = plan.count;
    return 0;
}

int bench_open(struct bench *out, struct device *device, struct input *input,
               const struct point_context *context, const int64_t *sweep_row,
               const struct device_kernel *const sweep_kernels[SPACE_PASSES_MAX],
               struct error *error)
{
    *out = (struct bench){.device = device, .input = input};
    out->calls = count_calls(out);
    if (device->ops->alloc(device, (CALLS_MAX + 1) * SLOT_BYTES, &out->outputs, error) ||
        device->ops->alloc(device, 256, &out->counter, error) ||
        device->ops->fill(device, out->counter, 0, 256, error) ||
        open_sweep(out, context, sweep_row, sweep_kernels, error)) {
        bench_close(out);
        return -1;
    }
    return 0;
}

void bench_close(struct bench *bench)
{
    const uint64_t buffers[] = {bench->outputs, bench->scratch, bench->counter, bench->sweep_data,
                                bench->sweep_scratch};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            bench->device->ops->free(bench->device, buffers[i]);
}

static struct call_buffers buffers_of(const struct bench *bench, size_t i)
{
    return (struct call_buffers){.input = input_address(bench->input, i % bench->input->count),
                                 .output = bench->outputs + i * SLOT_BYTES,
                                 .scratch = bench->scratch,
                                 .counter = bench->counter};
}

int bench_reserve(struct bench *bench, const struct point_context *context, const int64_t *row,
                  struct error *error)
{
    struct call_plan plan;
    if (call_plan(&plan, context, row, bench->input->problem.n, error))
        return -1;
    if (bench->scratch && plan.scratch_bytes <= bench->scratch_bytes)
        return 0;
    if (bench->scratch)
        bench->device->ops->free(bench->device, bench->scratch);
    bench->scratch = 0;
    bench->scratch_bytes = 2 * plan.scratch_bytes + 256;
    return bench->device->ops->alloc(bench->device, bench->scratch_bytes, &bench->scratch, error);
}

int bench_prepare(struct bench_entry *out, struct bench *bench,
                  const struct point_context *context, const int64_t *row,
                  const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                  struct error *error)
{
    struct call_plan plan;
    *out = (struct bench_entry){.graph = NULL};
    if (bench_reserve(bench, context, row, error) ||
        call_plan(&plan, context, row, bench->input->problem.n, error))
        return -1;
    const size_t count = bench->calls * plan.count;
    struct device_launch *launches = malloc(count * sizeof *launches);
    if (!launches)
        return error_memory(error, count * sizeof *launches);
    for (size_t i = 0; i < bench->calls; i++) {
        const struct call_buffers buffers = buffers_of(bench, i);
        call_bind(launches + i * plan.count, &plan, context->space, kernels, &buffers);
    }
    int failed = bench->device->ops->prepare(bench->device, launches, count, &out->graph, error);
    free(launches);
    return failed;
}

void bench_release(struct bench *bench, struct bench_entry *entry)
{
    if (entry->graph)
        bench->device->ops->release(bench->device, entry->graph);
    entry->graph = NULL;
}

int bench_time(struct bench *bench, const struct bench_entry *entry, uint64_t *out_ps,
               struct error *error)
{
    uint64_t ps;
    if (bench->device->ops->time(bench->device, entry->graph, bench->sweep,
                                 bench->sweep_count, &ps, error))
        return -1;
    *out_ps = ps / bench->calls;
    return 0;
}

int bench_poison(struct bench *bench, struct error *error)
{
    return bench->device->ops->fill(bench->device, bench->outputs, POISON,
                                    bench->calls * SLOT_BYTES, error);
}

int bench_compare(struct bench *bench, bool *is_right, char *reason, size_t size,
                  struct error *error)
{
    const enum type acc = bench->input->problem.acc;
    unsigned char results[CALLS_MAX * SLOT_BYTES];
    if (bench->device->ops->read(bench->device, results, bench->outputs, bench->calls * SLOT_BYTES,
                                 error))
        return -1;
    *is_right = true;
    for (size_t i = 0; i < bench->calls && *is_right; i++) {
        oracle_bits expect = bench->input->expect[i % bench->input->count], got = 0;
        char expected[ORACLE_CHARS], gotten[ORACLE_CHARS];
        memcpy(&got, results + i * SLOT_BYTES, (size_t)problem_types[acc].bytes);
        *is_right = oracle_equal(acc, expect, got);
        if (!*is_right)
            snprintf(reason, size, "wrong result at n = %" PRIu64 ": expected %s, got %s",
                     bench->input->problem.n, oracle_format(expected, acc, expect),
                     oracle_format(gotten, acc, got));
    }
    return 0;
}
