/* analysis: emits a kernel, compiles it, reads its machine code and computes its bounds. */
#include "autotune/analysis/analysis.h"

#include "autotune/analysis/disasm.h"
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "generator/call.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const double analysis_latency_s = 0.5e-6;
const double analysis_least_latency_s = 0.35e-6;

const char *const analysis_limiters[] = {
    [ANALYSIS_MEMORY] = "memory",
    [ANALYSIS_IN_FLIGHT] = "bytes in flight",
    [ANALYSIS_INSTRUCTIONS] = "instructions",
};

static void explain(struct analysis *out, const char *why)
{
    if (!out->why[0])
        snprintf(out->why, sizeof out->why, "%.590s", why);
}

/* The first pass that reads the elements, with its launch; one before it only prepares. */
static int find_pass(struct analysis *out, const struct analysis_subject *subject, size_t *pass,
                     struct error *error)
{
    struct planner_plan plan;
    if (call_plan(&plan, subject->context, subject->config, error))
        return -1;
    const struct planner_launch *launch = &plan.launches[plan.first];
    out->block = (unsigned)launch->keys[PLANNER_BLOCK];
    out->grid = (unsigned)launch->keys[PLANNER_GRID];
    out->dynamic_bytes = (unsigned)launch->keys[PLANNER_SHARED_BYTES];
    const double each = (double)dims_n(&launch->dims) / fmax(1, out->grid);
    out->elements =
        dims_kept(&launch->dims) > 1 ? each : fmax(each, (double)launch->keys[PLANNER_TILE]);
    *pass = (size_t)launch->pass;
    return 0;
}

/* --- Instructions ------------------------------------------------------------------------- */

static int elem_bytes(const struct analysis_subject *subject)
{
    return problem_types[subject->context->problem->type].bytes;
}

/* Counts what is written in the code, and what a block issues of it. */
static int count_code(struct analysis *out, const char *text, bool is_ptx,
                      const struct analysis_subject *subject, struct error *error)
{
    const struct sass_block block = {.bytes = out->elements / fmax(1, out->block) *
                                              elem_bytes(subject),
                                     .warps =
                                         (out->block + OCCUPANCY_WARP - 1) / OCCUPANCY_WARP,
                                     .barriers = subject->barriers};
    if (sass_count(&out->mix, text, is_ptx, error) ||
        sass_walk(&out->issue, text, is_ptx, &block, error))
        return -1;
    out->at_once = out->issue.waits > 0 ? block.bytes / out->issue.waits : 0;
    return 0;
}

static bool count_machine(struct analysis *out, const struct device_image *image,
                          const struct analysis_subject *subject)
{
    struct text text = {0};
    struct error error;
    const bool is_there = disasm_run(&text, image->bytes, image->size, &error) == 0 &&
                          text_check(&text, &error) == 0 &&
                          count_code(out, text.at, false, subject, &error) == 0;
    text_dispose(&text);
    return is_there;
}

static bool count_portable(struct analysis *out, const struct analysis_subject *subject,
                           const struct device_source *source)
{
    struct device_image image;
    struct error error;
    if (nvrtc_compile(subject->nvrtc, subject->context->target->cc, NVRTC_PTX, source, 1,
                      &image, &error))
        return false;
    const bool is_there = count_code(out, image.bytes, true, subject, &error) == 0;
    device_dispose_image(&image);
    return is_there;
}

static void compile(struct analysis *out, const struct analysis_subject *subject,
                    const char *text)
{
    const struct point_context *context = subject->context;
    const struct device_source source = {text, context->space->kernel};
    const int cc = context->target->cc;
    struct device_image image = {0};
    struct error why;
    if (!subject->nvrtc) {
        explain(out, "no NVRTC compiles for its architecture");
        return;
    }
    if (nvrtc_compile(subject->nvrtc, cc, NVRTC_CUBIN, &source, 1, &image, &why)) {
        explain(out, why.text);
    } else if (!cubin_needs(&out->needs, image.bytes, image.size, image.names[0])) {
        explain(out, "the machine code does not say what it needs");
    } else {
        out->is_compiled = true;
        if (!count_machine(out, &image, subject) && !count_portable(out, subject, &source))
            explain(out, "its instructions cannot be counted");
    }
    device_dispose_image(&image);
}

/* --- Bounds ------------------------------------------------------------------------------- */

/* The bytes that a block requests before it waits: by the space, else by its code. */
static int block_bytes(double *out, const struct analysis *analysis,
                       const struct analysis_subject *subject, size_t pass, struct error *error)
{
    const struct point_context *context = subject->context;
    const struct space *space = context->space;
    int64_t effective[SPACE_NAMES_MAX], values[SPACE_NAMES_MAX], bytes;
    *out = analysis->at_once * analysis->block;
    if (!space->in_flight)
        return 0;
    if (point_pass_config(context, subject->config, pass, effective, error) ||
        point_values(context, effective, false, values, error) ||
        expr_eval(space->in_flight, values, &bytes, error))
        return -1;
    *out = (double)bytes;
    return 0;
}

/* The time to issue the loop's instructions over the time of its bytes. Only for a loop: some
 * straight code may never run. */
static double instruction_share(const struct analysis *analysis,
                                const struct analysis_subject *subject)
{
    const struct target *target = subject->context->target;
    const double bytes = elem_bytes(subject);
    if (!analysis->mix.loop_bytes || !subject->clock_khz || analysis->mix.is_ptx)
        return 1;
    const double per_second = ANALYSIS_ISSUED_PER_CYCLE * OCCUPANCY_WARP * target->sms *
                              (double)subject->clock_khz * 1000 / analysis->per_element;
    return per_second * bytes / (double)subject->peak_bytes;
}

static int bound(struct analysis *out, const struct analysis_subject *subject, size_t pass,
                 struct error *error)
{
    const struct target *target = subject->context->target;
    double bytes;
    if (block_bytes(&bytes, out, subject, pass, error))
        return -1;
    const double waves = ceil((double)out->grid / fmax(1, target->sms));
    out->sms = target->sms;
    out->resident = fmin(out->occupancy.blocks, fmax(1, waves));
    out->in_flight = bytes * out->resident;
    out->wanted = (double)subject->peak_bytes * analysis_latency_s / fmax(1, target->sms);
    if (out->in_flight <= 0 || out->wanted <= 0)
        return 0;
    out->wanted_least = out->wanted * (analysis_least_latency_s / analysis_latency_s);
    const double flight = out->in_flight / out->wanted_least;
    const double issue = instruction_share(out, subject);
    out->bound = fmin(1, fmin(flight, issue));
    out->limiter = out->bound >= 1  ? ANALYSIS_MEMORY
                   : issue < flight ? ANALYSIS_INSTRUCTIONS
                                    : ANALYSIS_IN_FLIGHT;
    return 0;
}

/* Computes the bound from the kernel's needs and its instructions. */
static int conclude(struct analysis *out, const struct analysis_subject *subject, size_t pass,
                    struct error *error)
{
    struct occupancy_limits limits;
    if (gpus_limits(&limits, subject->context->target->cc, error))
        return -1;
    const struct occupancy_kernel kernel = {(int)out->block, out->needs.registers,
                                            out->needs.shared_bytes + out->dynamic_bytes};
    occupancy_compute(&out->occupancy, &limits, &kernel);
    out->per_element = sass_per_element(&out->mix, elem_bytes(subject));
    return bound(out, subject, pass, error);
}

double analysis_issued(const struct analysis *analysis)
{
    return analysis->elements > 0
               ? analysis->issue.instructions * OCCUPANCY_WARP / analysis->elements
               : 0;
}

int analysis_run(struct analysis *out, const struct analysis_subject *subject,
                 struct error *error)
{
    struct emit_variant variant;
    size_t first;
    *out = (struct analysis){.block = 0};
    if (find_pass(out, subject, &first, error) ||
        emit_variant(&variant, subject->context, subject->sources, subject->config, error))
        return -1;
    compile(out, subject, variant.texts[variant.text_of_pass[first]].at);
    emit_dispose(&variant);
    return out->is_compiled ? conclude(out, subject, first, error) : 0;
}

int analysis_rerun(struct analysis *out, const struct analysis *like,
                   const struct analysis_subject *subject, struct error *error)
{
    size_t first;
    *out = (struct analysis){.is_compiled = like->is_compiled,
                             .needs = like->needs,
                             .mix = like->mix,
                             .at_once = like->at_once,
                             .issue = like->issue};
    if (find_pass(out, subject, &first, error))
        return -1;
    return out->is_compiled ? conclude(out, subject, first, error) : 0;
}

int analysis_bound(double *out, const struct analysis_subject *subject, int registers,
                   struct error *error)
{
    const struct analysis known = {.is_compiled = true, .needs = {.registers = registers}};
    struct analysis analysis;
    if (analysis_rerun(&analysis, &known, subject, error))
        return -1;
    *out = analysis.bound;
    return 0;
}
