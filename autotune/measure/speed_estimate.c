/* speed_estimate: estimates from the bytes in flight on an SM which candidates keep the memory busy.
 * Hides how many bytes the memory system needs, and that nothing else is known before
 * compiling. */
#include "autotune/measure/speed_estimate.h"

#include "generator/call.h"

#include <inttypes.h>
#include <math.h>

/* Bytes in flight that keep the memory of an SM busy; sources in docs/measuring.md. No less
 * than WANT_FLOOR makes sense, however little there is to read: a block of 256 threads with one
 * 16-byte load each. */
static const double WANT_LOW = 64 * 1024, WANT_HIGH = 192 * 1024, WANT_FLOOR = 4 * 1024;

/* Finds the first pass that applies, and the config of its kernel. */
static int find_first(const struct point_context *context, const int64_t *config,
                      struct planner_launch *out, bool *is_found, int64_t *effective,
                      struct error *error)
{
    *is_found = false;
    for (size_t i = 0; i < context->space->pass_count; i++) {
        if (call_pass(out, is_found, context, config, i, &context->problem->dims, error))
            return -1;
        if (*is_found)
            return point_pass_config(context, config, i, effective, error);
    }
    return 0;
}

/* Blocks that one SM holds at once, as far as threads and the grid limit them. */
static double count_resident(const struct target *target, const struct planner_launch *launch)
{
    const int64_t block = launch->keys[PLANNER_BLOCK], grid = launch->keys[PLANNER_GRID];
    const int64_t fit = block < target->threads_per_sm ? target->threads_per_sm / block : 1;
    return fmin((double)fit, fmax(1, ceil((double)grid / fmax(1, target->sms))));
}

/* 1 while an SM has the wanted bytes in flight, less with each doubling above or below. */
static double rate(const struct point_context *context, double in_flight)
{
    const struct problem *problem = context->problem;
    const double share = (double)dims_n(&problem->dims) * problem_types[problem->type].bytes /
                         fmax(1, context->target->sms);
    const double low = fmax(WANT_FLOOR, fmin(WANT_LOW, share));
    const double high = fmax(WANT_FLOOR, fmin(WANT_HIGH, share));
    const double octaves = in_flight < low    ? log2(low / in_flight)
                           : in_flight > high ? log2(in_flight / high)
                                              : 0;
    return 1 / (1 + octaves);
}

static int guess(double *prior, const struct point_context *context, const int64_t *config,
                 struct error *error)
{
    const struct space *space = context->space;
    int64_t effective[SPACE_NAMES_MAX], values[SPACE_NAMES_MAX], bytes;
    struct planner_launch launch;
    bool is_found;
    *prior = 0;
    if (find_first(context, config, &launch, &is_found, effective, error))
        return -1;
    if (!is_found)
        return 0;
    if (point_values(context, effective, false, values, error) ||
        expr_eval(space->in_flight, values, &bytes, error))
        return -1;
    if (bytes < 1)
        return error_set(error, ERROR_USAGE,
                         "%s: 'in_flight = %s' gives %" PRId64 " bytes: correct the [model]",
                         space->file, expr_source(space->in_flight), bytes);
    *prior = rate(context, (double)bytes * count_resident(context->target, &launch));
    return 0;
}

int speed_estimate_prior(double *prior, const struct points *points,
                         const struct point_context *context, struct error *error)
{
    for (size_t i = 0; i < points->count; i++) {
        prior[i] = 0;
        if (context->space->in_flight &&
            guess(&prior[i], context, points->configs + i * points->width, error))
            return -1;
    }
    return 0;
}
