/* pattern: runs one block on the emulator, with zeros, for addresses do not depend on
 * elements. */
#include "autotune/analysis/pattern.h"

#include "autotune/analysis/banks.h"
#include "autotune/analysis/sectors.h"
#include "autotune/device/bind.h"
#include "autotune/device/device.h"
#include "autotune/device/host_trace.h"
#include "generator/call.h"
#include "generator/operation_input.h"

#include <string.h>

/* --- Sums --------------------------------------------------------------------------------- */

/* The sums of one place in the code, kept in the order of the code; NULL without room. */
static struct pattern_site *find_site(struct pattern *pattern, const void *at)
{
    struct pattern_site *sites = pattern->sites;
    size_t i = 0;
    while (i < pattern->site_count && (uintptr_t)sites[i].at < (uintptr_t)at)
        i++;
    if (i < pattern->site_count && sites[i].at == at)
        return &sites[i];
    if (pattern->site_count == PATTERN_SITES_MAX)
        return NULL;
    memmove(&sites[i + 1], &sites[i], (pattern->site_count++ - i) * sizeof *sites);
    sites[i] = (struct pattern_site){.at = at};
    return &sites[i];
}

static void add_site(struct pattern *out, const void *at, const struct banks *banks)
{
    struct pattern_site *site = find_site(out, at);
    if (!site) {
        out->is_known = false;
        return;
    }
    site->requests++;
    site->wavefronts += banks->wavefronts;
    site->ideal += banks->ideal;
}

static void add_shared(struct pattern *out, struct pattern_step *step,
                       const struct host_access *access)
{
    const unsigned lanes = (unsigned)__builtin_popcount(access->lanes);
    struct banks banks;
    if (access->place.touch == HOST_ATOMIC) {
        out->atomics_shared += lanes;
        return;
    }
    banks_count(&banks, access->lanes, access->at, access->place.bytes);
    add_site(out, access->place.site, &banks);
    step->requests++;
    step->lanes += lanes;
    step->ways = banks.ways > step->ways ? banks.ways : step->ways;
    out->requests++;
    out->lanes += lanes;
    out->wavefronts += banks.wavefronts;
    out->ideal += banks.ideal;
    if (access->place.step == 0 && access->place.touch == HOST_READ) { /* and the copy */
        out->passing_requests += 2;
        out->passing_wavefronts += 2 * banks.wavefronts;
    }
    out->ways = banks.ways > out->ways ? banks.ways : out->ways;
}

/* More bytes than a load has are several loads. */
static void add_load(struct pattern *out, const struct host_access *access)
{
    const unsigned bytes = access->place.bytes;
    for (unsigned done = 0; done < bytes; done += SECTORS_LOAD_MAX) {
        const unsigned left = bytes - done;
        uint64_t at[SECTORS_LANES];
        struct sectors sectors;
        for (unsigned lane = 0; lane < SECTORS_LANES; lane++)
            at[lane] = access->at[lane] + done;
        sectors_count(&sectors, access->lanes, at,
                      left < SECTORS_LOAD_MAX ? left : SECTORS_LOAD_MAX);
        out->loads++;
        out->sectors += sectors.touched;
        out->sectors_ideal += sectors.ideal;
    }
}

static void add_global(struct pattern *out, const struct host_access *access)
{
    if (access->place.touch == HOST_ATOMIC)
        out->atomics_global += (unsigned)__builtin_popcount(access->lanes);
    else
        add_load(out, access);
}

/* Steps beyond the last that there is room for are counted in it. */
static void count(struct pattern *out, const struct host_trace *trace)
{
    struct pattern_step steps[PATTERN_STEPS_MAX] = {{.requests = 0}};
    *out = (struct pattern){.is_known = !trace->is_full, .barriers = trace->barriers};
    for (size_t i = 0; i < trace->count; i++) {
        const struct host_access *access = &trace->accesses[i];
        const unsigned step = access->place.step, last = PATTERN_STEPS_MAX - 1;
        if (access->place.is_shared)
            add_shared(out, &steps[step < last ? step : last], access);
        else
            add_global(out, access);
    }
    for (size_t i = 0; i < PATTERN_STEPS_MAX; i++)
        if (steps[i].requests)
            out->steps[out->step_count++] = steps[i];
}

double pattern_lanes(const struct pattern *pattern)
{
    return pattern->requests ? (double)pattern->lanes / pattern->requests : 0;
}

static double per_load(const struct pattern *pattern, unsigned sectors)
{
    return pattern->loads ? (double)sectors / pattern->loads : 0;
}

double pattern_sectors(const struct pattern *pattern)
{
    return per_load(pattern, pattern->sectors);
}

double pattern_sectors_ideal(const struct pattern *pattern)
{
    return per_load(pattern, pattern->sectors_ideal);
}

void pattern_add_steps(struct text *out, const struct pattern *pattern, bool is_lanes)
{
    for (size_t i = 0; i < pattern->step_count; i++) {
        const struct pattern_step *step = &pattern->steps[i];
        const double value = is_lanes ? (double)step->lanes / step->requests : step->ways;
        text_addf(out, "%s%.3g", i ? " " : "", value);
    }
}

/* --- The run ------------------------------------------------------------------------------ */

/* A variant's kernels on the emulator, with zeros to read and room to write. */
struct bench {
    struct device *device;
    struct device_module *module;
    struct device_kernel kernels[SPACE_PASSES_MAX];
    struct planner_buffers buffers;
    uint64_t further[PROBLEM_FURTHER_MAX];
};

static int load_kernels(struct bench *bench, const struct emit_variant *variant,
                        const char *kernel, struct error *error)
{
    struct device_source units[SPACE_PASSES_MAX];
    struct device_image image;
    for (size_t i = 0; i < variant->count; i++)
        units[i] = (struct device_source){variant->texts[i].at, kernel};
    if (bench->device->ops->compile(bench->device, units, variant->count, &image, error))
        return -1;
    const int failed =
        bench->device->ops->load(bench->device, &image, &bench->module, bench->kernels, error);
    device_dispose_image(&image);
    return failed;
}

static int make_buffer(struct device *device, uint64_t *out, uint64_t bytes,
                       struct error *error)
{
    const uint64_t room = bytes ? bytes : 1;
    return device->ops->alloc(device, room, out, error) ||
                   device->ops->fill(device, *out, 0, room, NULL, error)
               ? -1
               : 0;
}

static int make_buffers(struct bench *bench, const struct planner_plan *plan,
                        const struct problem *problem, struct error *error)
{
    struct planner_buffers *buffers = &bench->buffers;
    const uint64_t elem = (uint64_t)problem_types[problem->type].bytes;
    const uint64_t result = (uint64_t)problem_partial_bytes(problem);
    for (size_t k = 1; k < problem_inputs(problem); k++)
        if (make_buffer(bench->device, &bench->further[k - 1],
                        problem_input_extent(problem, k) *
                            (uint64_t)problem_types[problem_input_type(problem, k)].bytes,
                        error))
            return -1;
    return make_buffer(bench->device, &buffers->input, dims_extent(&problem->dims) * elem,
                       error) ||
                   make_buffer(bench->device, &buffers->output,
                               dims_results(&problem->dims) * result, error) ||
                   make_buffer(bench->device, &buffers->scratch, plan->scratch_bytes, error) ||
                   make_buffer(bench->device, &buffers->state, plan->state_bytes, error)
               ? -1
               : 0;
}

int pattern_launch(const struct planner_plan *plan, const struct space *space)
{
    int i = 0;
    while (i < plan->first &&
           !pass_has_arg(&space->passes[plan->launches[i].pass], PLANNER_ARG_INPUT))
        i++;
    return i;
}

/* Launches the call up to what is looked at. */
static int launch(struct bench *bench, const struct planner_plan *plan,
                  const struct point_context *context, const struct emit_variant *variant,
                  struct error *error)
{
    const struct space *space = context->space;
    const struct device_kernel *kernels[SPACE_PASSES_MAX] = {NULL};
    struct device_launch launches[PLANNER_LAUNCHES];
    for (size_t p = 0; p < space->pass_count; p++)
        if (variant->text_of_pass[p] >= 0)
            kernels[p] = &bench->kernels[variant->text_of_pass[p]];
    bind_launches(launches, plan, space, context->problem, kernels, &bench->buffers,
                  bench->further);
    return bench->device->ops->launch(bench->device, launches,
                                      (size_t)pattern_launch(plan, space) + 1, NULL, error);
}

static void close_bench(struct bench *bench)
{
    struct device *device = bench->device;
    if (!device)
        return;
    device->ops->unload(device, bench->module);
    device->ops->free(device, bench->buffers.input);
    device->ops->free(device, bench->buffers.output);
    device->ops->free(device, bench->buffers.scratch);
    device->ops->free(device, bench->buffers.state);
    for (size_t k = 0; k < PROBLEM_FURTHER_MAX; k++)
        if (bench->further[k])
            device->ops->free(device, bench->further[k]);
    device_close(device);
}

static int trace_variant(struct host_trace *trace, const struct emit_variant *variant,
                         const struct planner_plan *plan, const struct point_context *context,
                         struct error *error)
{
    const struct problem *problem = context->problem;
    struct bench bench = {.device = NULL};
    int failed = host_open_tracing(&bench.device, trace, error) ||
                 load_kernels(&bench, variant, context->space->kernel, error) ||
                 make_buffers(&bench, plan, problem, error);
    trace->input_from = bench.buffers.input;
    trace->input_end = trace->input_from + dims_extent(&problem->dims) *
                                               (uint64_t)problem_types[problem->type].bytes;
    failed = failed || launch(&bench, plan, context, variant, error);
    close_bench(&bench);
    return failed;
}

/* Shrinks a problem to one block: the results that it makes at a time, or one tile. */
static void shrink(struct problem *problem, const struct planner_plan *plan,
                   const struct space *space)
{
    const struct dims *dims = &problem->dims;
    const int64_t *keys = plan->launches[pattern_launch(plan, space)].keys;
    const uint64_t all = dims_kept(dims), at_once = (uint64_t)keys[PLANNER_RESULTS];
    const uint64_t depth = at_once >= all ? (uint64_t)keys[PLANNER_TILE] : dims->depth.n;
    problem->dims = dims_resized(dims, at_once < all ? at_once : all, depth, dims_gap(dims));
}

int pattern_run(struct pattern *out, const struct point_context *context,
                const struct emit_sources *sources, const int64_t *config, struct error *error)
{
    struct target host = *context->target;
    struct problem problem = *context->problem;
    const struct point_context here = {context->space, &problem, &host};
    struct emit_variant variant;
    struct host_trace trace;
    struct planner_plan plan;
    *out = (struct pattern){.is_known = false};
    host.is_host = true;
    if (call_plan(&plan, &here, config, error))
        return -1;
    shrink(&problem, &plan, here.space);
    if (call_plan(&plan, &here, config, error) || host_trace_init(&trace, error))
        return -1;
    if (emit_variant(&variant, &here, sources, config, error)) {
        host_trace_dispose(&trace);
        return -1;
    }
    int failed = trace_variant(&trace, &variant, &plan, &here, error);
    emit_dispose(&variant);
    if (!failed)
        count(out, &trace);
    out->elements = (double)dims_n(&problem.dims);
    host_trace_dispose(&trace);
    return failed ? -1 : 0;
}
