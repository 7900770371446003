/* host_context: makes the device's context current, which the library then takes as its caller's. */
#include "autotune/measure/host_context.h"

#include "generator/operation_param.h"

#include "generator/text.h"

#include <string.h>

int host_context_error(const struct autotune_error *cause, struct error *error)
{
    const enum error_code code = cause->code == AUTOTUNE_NO_DEVICE      ? ERROR_NO_DEVICE
                                 : cause->code == AUTOTUNE_BAD_ARGUMENT ? ERROR_USAGE
                                                                        : ERROR_FAILED;
    return error_set_lines(error, code, "%s", cause->text);
}

/* Memory is what a device opens its context for. */
static int make_current(struct device *device, struct error *error)
{
    uint64_t address;
    if (device->ops->alloc(device, 1, &address, error))
        return -1;
    device->ops->free(device, address);
    return 0;
}

static int open_library(struct host_context *out, const char *nvrtc, const char *records,
                        struct error *error)
{
    struct text kernels = {0};
    struct autotune_error cause = {0};
    struct autotune_context_options options = {.records = records, .nvrtc = nvrtc};
    if (records)
        text_addf(&kernels, "%s/kernels", records);
    options.kernels = kernels.at;
    if (out->device->info.target.is_host)
        options.device = "host";
    const int failed = autotune_context_create(&out->library, &options, &cause);
    text_dispose(&kernels);
    return failed ? host_context_error(&cause, error) : 0;
}

int host_context_open(struct host_context *out, const char *spec, const char *nvrtc,
                      const char *records, uint64_t seed, struct error *error)
{
    const struct device_options options = {spec, nvrtc, seed};
    *out = (struct host_context){0};
    if (device_open(&out->device, &options, error))
        return -1;
    if (make_current(out->device, error) || open_library(out, nvrtc, records, error)) {
        host_context_close(out);
        return -1;
    }
    return 0;
}

void host_context_close(struct host_context *host)
{
    autotune_context_destroy(host->library, NULL);
    device_close(host->device);
}

/* What the library is asked for, but for the sizes. */
static struct autotune_problem wanted_of(const struct problem *problem,
                                         const struct text *params)
{
    return (struct autotune_problem){
        .op = problem->op->key,
        .type = problem_types[problem->type].name,
        .acc = problem_types[problem->acc].name,
        .order = (int)problem->order,
        .params = params->at,
    };
}

int host_context_pipeline(struct autotune_pipeline **out, const struct host_context *host,
                          const struct problem *problem,
                          const struct autotune_pipeline_options *options, struct error *error)
{
    struct text params = {0};
    problem_add_params(&params, problem);
    struct autotune_problem wanted = wanted_of(problem, &params);
    wanted.n = dims_n(&problem->dims);
    wanted.scan = (int)problem->dims.scan;
    struct autotune_pipeline_options own = {0};
    struct autotune_error cause = {0};
    if (options)
        own = *options;
    own.is_pinned = problem->regime == PINNED;
    const int failed =
        text_check(&params, error) ||
        (autotune_pipeline_create(out, host->library, &wanted, NULL, &own, &cause) &&
         host_context_error(&cause, error));
    text_dispose(&params);
    return failed ? -1 : 0;
}

int host_context_segments(struct autotune_plan **out, const struct host_context *host,
                          const struct problem *problem, struct error *error)
{
    const uint64_t n = dims_n(&problem->dims);
    const struct autotune_dims dims = {
        .size = sizeof dims,
        .ndim = 1,
        .axes = 1,
        .shape = &n,
        .segments = dims_kept(&problem->dims),
        .offsets = problem_types[problem->offsets].name,
    };
    struct text params = {0};
    problem_add_params(&params, problem);
    struct autotune_problem wanted = wanted_of(problem, &params);
    struct autotune_error cause = {0};
    wanted.dims = &dims;
    const int failed = text_check(&params, error) ||
                       (autotune_plan_create(out, host->library, &wanted, NULL, &cause) &&
                        host_context_error(&cause, error));
    text_dispose(&params);
    return failed ? -1 : 0;
}

const struct autotune_plan *host_context_plan(const struct autotune_pipeline *pipeline)
{
    struct autotune_pipeline_info info;
    autotune_pipeline_describe(pipeline, &info);
    return info.plan;
}
