/* bench: makes graphs of calls over the inputs, and flushes the L2 for cold measurements by a
 * sweep, a read of other data. Hides the number of calls in a measurement and where their
 * results are; check_full.c compares these. */
#include "autotune/measure/bench.h"

#include "autotune/device/bind.h"
#include "autotune/embedded.h"
#include "autotune/verify/poison.h"
#include "generator/operation_input.h"

#include <assert.h>
#include <stdlib.h>

enum {
    SLOT_BYTES = 16, /* an output, then a guard of the same poison */
    CALLS_MAX = INPUT_MAX,
    SWEEP_DEPTH = 1024, /* elements of a result, at least, where the L2 is swept */
    SWEEP_L2 = 3,       /* the sweep reads this many times the L2 */
    MANY_PART = 8,      /* results of this part of the L2 are many */
};

/* A measurement lasts about this long, so that its start and end do not count. */
static const uint64_t MEASURE_PS = 1200000000; /* 1.2 ms */
/* More than the host takes to launch a graph, and for each call in it. */
static const double LAUNCH_S = 40e-6, CALL_LAUNCH_S = 2e-6;
static const uint64_t CALL_LEAST_PS = 1500000; /* no call is faster than about 1.5 us */

static uint64_t call_bytes(const struct bench *bench)
{
    const struct problem *problem = &bench->input->problem;
    return dims_n(&problem->dims) * (uint64_t)problem_types[problem->type].bytes;
}

static uint64_t time_at_peak(const struct bench *bench)
{
    uint64_t peak = device_peak_bytes(&bench->device->info);
    return peak ? (uint64_t)((double)call_bytes(bench) * 1e12 / (double)peak) : 0;
}

/* Counts calls: whole rounds over the inputs, as many as a measurement should last, unless the
 * inputs decide the number. */
static size_t count_calls(const struct bench *bench)
{
    const size_t inputs = bench->input->count;
    if (bench->device->info.target.is_host ||
        inputs > oracle_inputs_least(&bench->input->problem))
        return inputs;
    const uint64_t call = time_at_peak(bench) + CALL_LEAST_PS;
    const uint64_t calls = (MEASURE_PS + call - 1) / call;
    const uint64_t rounds = ((calls > CALLS_MAX ? CALLS_MAX : calls) + inputs - 1) / inputs;
    return (size_t)rounds * inputs;
}

/* Many results of one call are still in the L2 as it ends; those of several calls have to be
 * written by then. Warm data has one input, and a graph of one short call would end before the
 * host has launched the next. */
size_t bench_search_calls(const struct bench *bench)
{
    const struct problem *problem = &bench->input->problem;
    const uint64_t each = (uint64_t)problem_types[problem_result(problem)].bytes;
    const uint64_t many = (uint64_t)bench->device->info.target.l2_bytes / MANY_PART;
    const bool are_many = dims_results(&problem->dims) * each >= many;
    return problem->regime == WARM || are_many ? bench->calls : bench->input->count;
}

size_t bench_proof_calls(const struct bench *bench)
{
    const size_t calls = bench_search_calls(bench);
    return calls < bench->slots ? calls : bench->slots;
}

uint64_t bench_floor_ps(const struct bench *bench)
{
    const struct device_info *info = &bench->device->info;
    return !info->target.is_host && input_is_past_l2(&bench->input->problem, info)
               ? time_at_peak(bench)
               : 0;
}

/* Bytes of the sweep: enough to flush the L2, where data fits in it at all, and to take longer
 * than the host needs to launch the calls behind it: else the GPU would wait for them within
 * the time. */
static uint64_t sweep_bytes(const struct bench *bench)
{
    const struct device_info *info = &bench->device->info;
    const uint64_t l2 = SWEEP_L2 * (uint64_t)info->target.l2_bytes;
    const double seconds = LAUNCH_S + CALL_LAUNCH_S * (double)bench->calls;
    const uint64_t least = (uint64_t)(seconds * (double)device_peak_bytes(info));
    const bool fits = !input_is_past_l2(&bench->input->problem, info);
    return (fits && least < l2 ? l2 : least) & ~(uint64_t)255;
}

static int load_sweep(struct bench *bench, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    const struct device_source source = {embedded_find("templates/device/sweep.cu")->bytes,
                                         "sweep"};
    struct device_image image = {0};
    const int failed =
        ops->compile(bench->device, &source, 1, &image, error) ||
        ops->load(bench->device, &image, &bench->sweep_module, &bench->sweep_kernel, error);
    device_dispose_image(&image);
    return failed ? -1 : 0;
}

/* Of a scan: a kernel of its own, because what a scan has written would still be on its way to
 * memory when the calls begin. */
static int open_read(struct bench *bench, uint64_t bytes, struct error *error)
{
    enum { BLOCK = 256, BLOCKS_PER_SM = 8, WORD_BYTES = 16 };
    const struct device_ops *ops = bench->device->ops;
    if (load_sweep(bench, error) ||
        ops->alloc(bench->device, bytes, &bench->sweep_data, error) ||
        ops->fill(bench->device, bench->sweep_data, POISON_SCRATCH, bytes, NULL, error) ||
        ops->alloc(bench->device, 256, &bench->sweep_scratch, error))
        return -1;
    *bench->sweep =
        (struct device_launch){.kernel = &bench->sweep_kernel,
                               .grid = (unsigned)bench->device->info.target.sms * BLOCKS_PER_SM,
                               .block = BLOCK,
                               .args = {bench->sweep_data, bytes / WORD_BYTES,
                                        bench->sweep_scratch},
                               .arg_count = 3};
    bench->sweep_count = 1;
    return 0;
}

/* Of an element of any input. */
static uint64_t most_bytes(const struct problem *problem)
{
    uint64_t most = 1;
    for (size_t k = 0; k < problem_inputs(problem); k++) {
        const uint64_t bytes = (uint64_t)problem_types[problem_input_type(problem, k)].bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static int open_sweep(struct bench *bench, const struct point_context *context,
                      const int64_t *config,
                      const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                      struct error *error)
{
    const struct device_info *info = &bench->device->info;
    const struct device_ops *ops = bench->device->ops;
    if (info->target.is_host || bench->input->problem.regime == WARM)
        return 0;
    const uint64_t bytes = sweep_bytes(bench);
    if (bench->input->problem.dims.scan || dims_is_segmented(&bench->input->problem.dims))
        return open_read(bench, bytes, error);
    struct problem problem = *context->problem;
    const uint64_t n = bytes / most_bytes(&problem);
    const struct point_context swept = {context->space, &problem, context->target};
    struct planner_plan plan;
    const uint64_t own = dims_results(&problem.dims), most = n / SWEEP_DEPTH;
    const uint64_t results = own < most ? own : most;
    assert(results > 0);
    problem.dims = dims_resized(&problem.dims, results, n / results, 0);
    const uint64_t extent = dims_extent(&problem.dims);
    if (extent > 0 && extent > n) /* its elements lie apart */
        problem.dims = dims_resized(&problem.dims, results, n / results * n / extent, 0);
    if (call_plan(&plan, &swept, config, error) ||
        ops->alloc(bench->device, bytes, &bench->sweep_data, error) ||
        ops->fill(bench->device, bench->sweep_data, POISON_SCRATCH, bytes, NULL, error) ||
        ops->alloc(bench->device, plan.scratch_bytes + 256 + 8 * results, &bench->sweep_scratch,
                   error) ||
        ops->alloc(bench->device, plan.state_bytes + 256, &bench->sweep_state, error) ||
        ops->fill(bench->device, bench->sweep_state, 0, plan.state_bytes + 256, NULL, error))
        return -1;
    const struct planner_buffers buffers = {.input = bench->sweep_data,
                                            .output = bench->sweep_scratch + plan.scratch_bytes,
                                            .scratch = bench->sweep_scratch,
                                            .state = bench->sweep_state};
    const uint64_t further[PROBLEM_FURTHER_MAX] = {bench->sweep_data, bench->sweep_data,
                                                   bench->sweep_data};
    bind_launches(bench->sweep, &plan, context->space, &problem, kernels, &buffers, further);
    bench->sweep_count = (size_t)plan.count;
    return 0;
}

/* Are a call's results too many for a slot with a guard of as many bytes? */
static bool has_many(const struct problem *problem)
{
    return 2 * problem_bytes_written(problem) > SLOT_BYTES;
}

static uint64_t slot_bytes(const struct problem *problem)
{
    const uint64_t bytes = (uint64_t)problem_types[problem_result(problem)].bytes;
    const uint64_t guarded = dims_results(&problem->dims) * bytes + POISON_RESULTS_GUARD;
    return has_many(problem) ? (guarded + POISON_RESULTS_GUARD - 1) / POISON_RESULTS_GUARD *
                                   POISON_RESULTS_GUARD
                             : SLOT_BYTES;
}

static size_t count_slots(const struct problem *problem, size_t inputs)
{
    return has_many(problem) ? inputs : CALLS_MAX;
}

/* A double: it also serves problems that no memory holds, where slot_bytes would overflow. */
double bench_bytes(const struct problem *problem, const struct device_info *info)
{
    const size_t inputs = input_count(problem, info), slots = count_slots(problem, inputs);
    const double bytes = problem_types[problem_result(problem)].bytes;
    return has_many(problem)
               ? ((double)dims_results(&problem->dims) * bytes + POISON_RESULTS_GUARD) *
                     (double)(slots + inputs)
               : (double)(slots * SLOT_BYTES);
}

/* Opens the expected results on the device, since reading many results back would take far
 * longer than making them. */
static int open_expected(struct bench *bench, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    const struct input *input = bench->input;
    const uint64_t bytes = input->count * bench->slot_bytes;
    if (!has_many(&input->problem))
        return 0;
    if (ops->alloc(bench->device, bytes, &bench->expected, error) ||
        ops->fill(bench->device, bench->expected, POISON_OUTPUT, bytes, NULL, error))
        return -1;
    for (size_t i = 0; i < input->count; i++)
        if (ops->write(bench->device, bench->expected + i * bench->slot_bytes,
                       input_expects(input, i), input_expects_bytes(&input->problem), error))
            return -1;
    return 0;
}

int bench_open(struct bench *out, struct device *device, struct input *input,
               const struct point_context *context, const int64_t *sweep_config,
               const struct device_kernel *const sweep_kernels[SPACE_PASSES_MAX],
               struct error *error)
{
    *out = (struct bench){.device = device, .input = input};
    out->calls = count_calls(out);
    out->slots = count_slots(&input->problem, input->count);
    out->slot_bytes = slot_bytes(&input->problem);
    if (device->ops->alloc(device, out->slots * out->slot_bytes, &out->outputs, error) ||
        open_expected(out, error) ||
        open_sweep(out, context, sweep_config, sweep_kernels, error)) {
        bench_close(out);
        return -1;
    }
    return 0;
}

void bench_close(struct bench *bench)
{
    const uint64_t buffers[] = {bench->expected,   bench->outputs,    bench->scratch,
                                bench->state,      bench->sweep_data, bench->sweep_scratch,
                                bench->sweep_state};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            bench->device->ops->free(bench->device, buffers[i]);
    if (bench->sweep_module)
        bench->device->ops->unload(bench->device, bench->sweep_module);
    *bench = (struct bench){.device = NULL};
}

static struct planner_buffers buffers_of(const struct bench *bench, size_t i)
{
    return (
        struct planner_buffers){.input = input_address(bench->input, i % bench->input->count),
                                .output = bench->outputs + i % bench->slots * bench->slot_bytes,
                                .scratch = bench->scratch,
                                .state = bench->state,
                                .offsets =
                                    input_offsets(bench->input, i % bench->input->count)};
}

/* Makes a buffer twice as large as wanted, so that growing is rare. */
static int grow(struct device *device, uint64_t *address, uint64_t *bytes, uint64_t wanted,
                uint8_t filled_with, struct error *error)
{
    if (*address && wanted <= *bytes)
        return 0;
    if (*address)
        device->ops->free(device, *address);
    *address = *bytes = 0;
    if (device->ops->alloc(device, 2 * wanted, address, error))
        return -1;
    *bytes = 2 * wanted;
    return device->ops->fill(device, *address, filled_with, *bytes, NULL, error);
}

static int reserve(struct bench *bench, const struct planner_plan *plan, struct error *error)
{
    return grow(bench->device, &bench->scratch, &bench->scratch_bytes,
                plan->scratch_bytes + POISON_SCRATCH_GUARD, POISON_SCRATCH, error) ||
                   grow(bench->device, &bench->state, &bench->state_bytes,
                        plan->state_bytes + POISON_STATE_GUARD, 0, error)
               ? -1
               : 0;
}

bool bench_is_lost(const struct bench *bench, const struct bench_entry *entry)
{
    return entry->scratch != bench->scratch || entry->state != bench->state;
}

int bench_reserve(struct bench *bench, const struct point_context *context,
                  const int64_t *config, struct error *error)
{
    struct planner_plan plan;
    return call_plan(&plan, context, config, error) || reserve(bench, &plan, error) ? -1 : 0;
}

/* Writes the launches of all calls to `out`, and those of passes that are not timed to the
 * entry. */
static size_t bind_calls(struct device_launch *out, struct bench_entry *entry,
                         const struct bench *bench, const struct planner_plan *plan,
                         const struct point_context *context,
                         const struct device_kernel *const kernels[SPACE_PASSES_MAX])
{
    struct device_launch call[PLANNER_LAUNCHES];
    size_t count = 0;
    for (size_t i = 0; i < entry->calls; i++) {
        const struct planner_buffers buffers = buffers_of(bench, i);
        uint64_t further[PROBLEM_FURTHER_MAX];
        input_further(bench->input, i % bench->input->count, further);
        bind_launches(call, plan, context->space, context->problem, kernels, &buffers, further);
        entry->after_count = 0;
        for (int k = 0; k < plan->count; k++)
            if (context->space->passes[plan->launches[k].pass].is_timed)
                out[count++] = call[k];
            else
                entry->after[entry->after_count++] = call[k];
    }
    return count;
}

/* All calls of an entry: launches, or calls of another library. */
struct bench_work {
    struct bench *bench;
    struct device_launch *launches; /* owned; NULL for another library */
    bench_call *call;
    void *context;
    size_t count; /* launches, or calls */
};

static int queue_work(void *context, void *stream, struct error *error)
{
    const struct bench_work *work = context;
    struct device *device = work->bench->device;
    if (work->launches)
        return device->ops->launch(device, work->launches, work->count, NULL, error);
    for (size_t i = 0; i < work->count; i++) {
        const struct planner_buffers buffers = buffers_of(work->bench, i);
        if (work->call(work->context, buffers.input, buffers.output, stream, error))
            return -1;
    }
    return 0;
}

/* Takes the launches over, also when it fails. */
static int keep_work(struct bench_entry *entry, const struct bench_work *work,
                     struct error *error)
{
    entry->work = malloc(sizeof *work);
    if (!entry->work) {
        free(work->launches);
        return error_memory(error, sizeof *work);
    }
    *entry->work = *work;
    return 0;
}

int bench_prepare(struct bench_entry *out, struct bench *bench,
                  const struct point_context *context, const int64_t *config,
                  const struct device_kernel *const kernels[SPACE_PASSES_MAX], size_t calls,
                  struct error *error)
{
    assert(0 < calls && calls <= bench->calls);
    struct planner_plan plan;
    *out = (struct bench_entry){.calls = calls};
    if (call_plan(&plan, context, config, error) || reserve(bench, &plan, error))
        return -1;
    const size_t bytes = calls * (size_t)plan.count * sizeof(struct device_launch);
    const int64_t *keys = plan.launches[plan.first].keys;
    struct device_launch *launches = malloc(bytes);
    if (!launches)
        return error_memory(error, bytes);
    out->grid = (unsigned)keys[PLANNER_GRID];
    out->block = (unsigned)keys[PLANNER_BLOCK];
    out->scratch = bench->scratch;
    out->scratch_bytes = plan.scratch_bytes;
    out->height = call_height(&plan);
    out->state = bench->state;
    out->state_bytes = plan.state_bytes;
    out->leaves_epoch = space_leaves_epoch(context->space, &plan);
    const size_t count = bind_calls(launches, out, bench, &plan, context, kernels);
    const struct bench_work work = {.bench = bench, .launches = launches, .count = count};
    int failed =
        keep_work(out, &work, error) ||
        bench->device->ops->prepare(bench->device, launches, count, &out->graph, error);
    if (failed)
        bench_release(bench, out);
    return failed ? -1 : 0;
}

int bench_adopt(struct bench_entry *out, struct bench *bench, bench_call *call, void *context,
                size_t calls, struct error *error)
{
    assert(0 < calls && calls <= bench->calls);
    const struct device_ops *ops = bench->device->ops;
    const struct planner_plan nothing = {.count = 0};
    const struct bench_work work = {.bench = bench,
                                    .call = call,
                                    .context = context,
                                    .count = calls};
    struct bench_work once = work;
    uint64_t ignored_ps;
    once.count = 1; /* a library's first call may do work that must not be recorded */
    *out = (struct bench_entry){.calls = calls};
    if (reserve(bench, &nothing, error) ||
        ops->time_queued(bench->device, queue_work, &once, NULL, 0, &ignored_ps, error) ||
        keep_work(out, &work, error))
        return -1;
    out->scratch = bench->scratch;
    out->state = bench->state;
    if (ops->capture(bench->device, queue_work, out->work, &out->graph, error)) {
        bench_release(bench, out);
        return -1;
    }
    return 0;
}

void bench_release(struct bench *bench, struct bench_entry *entry)
{
    if (entry->graph)
        bench->device->ops->release(bench->device, entry->graph);
    if (entry->work)
        free(entry->work->launches);
    free(entry->work);
    entry->graph = NULL;
    entry->work = NULL;
}

int bench_time(struct bench *bench, const struct bench_entry *entry, uint64_t *out_ps,
               struct error *error)
{
    assert(entry->graph && !bench_is_lost(bench, entry));
    uint64_t ps;
    if (bench->device->ops->time(bench->device, entry->graph, bench->sweep, bench->sweep_count,
                                 &ps, error))
        return -1;
    *out_ps = ps / entry->calls;
    return 0;
}

int bench_time_queued(struct bench *bench, const struct bench_entry *entry, uint64_t *out_ps,
                      struct error *error)
{
    assert(entry->work && !bench_is_lost(bench, entry));
    uint64_t ps;
    if (bench->device->ops->time_queued(bench->device, queue_work, entry->work, bench->sweep,
                                        bench->sweep_count, &ps, error))
        return -1;
    *out_ps = ps / entry->calls;
    return 0;
}
