/* pipeline_api: implements the public functions of pipelines: checks arguments, and finds out what
 * kind of memory it was given. */
#include "autotune/library/api.h"
#include "autotune/library/caller.h"
#include "autotune/library/fail.h"
#include "autotune/library/pipeline.h"
#include "generator/operation_param.h"

#include <string.h>

enum { OPTIONS_RESERVED = 4 };

static int check_pipeline_options(const struct autotune_pipeline_options *options,
                                  struct autotune_error *error)
{
    if (options->streams > PIPELINE_LANES)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_pipeline_options.streams is %u: give 1 to %d, or 0",
                    options->streams, PIPELINE_LANES);
    if (options->copiers > COPIERS_MAX)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_pipeline_options.copiers is %u: give 1 to %d, or 0",
                    options->copiers, COPIERS_MAX);
    if (options->chunk_bytes > UINT64_C(1) << 40)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_pipeline_options.chunk_bytes is %llu: give at most a TiB, or 0",
                    (unsigned long long)options->chunk_bytes);
    return api_check_reserved(options->reserved, OPTIONS_RESERVED, "autotune_pipeline_options",
                              error);
}

static int check_problem(const struct problem *problem, const struct autotune_problem *given,
                         struct autotune_error *error)
{
    const struct dims run = dims_run(given->n, problem->dims.scan);
    if (!dims_is_same(&run, &problem->dims))
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_problem has more than n: a pipeline takes n elements, one behind "
                    "another; copy anything else to the GPU and give it to autotune_execute");
    if (problem_is_joined(problem))
        return fail(
            error, AUTOTUNE_BAD_ARGUMENT,
            "data on the host is reduced in chunks, whose results are combined by a law "
            "(docs/operations.md), and operation '%s' combines by none: copy the "
            "elements to the GPU first",
            problem->op->name);
    if (problem_has_finish(problem))
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "data on the host is reduced in chunks, whose results are combined before "
                    "operation '%s' could finish them: reduce by the same operation without "
                    "finish, and finish its result",
                    problem->op->name);
    if (problem->dims.scan != DIMS_ALL && problem_map(problem) != MAP_SAME)
        return fail(
            error, AUTOTUNE_BAD_ARGUMENT,
            "a scan of data on the host goes on with its last result as if that were an "
            "element, which %s would change: change the elements first, and scan their "
            "%s",
            problem->op->name, operation_plain(problem_combine(problem))->name);
    if (problem->dims.scan != DIMS_ALL && problem->type != problem->acc)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "a scan of data on the host has elements and results of one type: elements "
                    "of type %s have results of type %s; convert them to that type first",
                    problem_types[problem->type].name, problem_types[problem->acc].name);
    return 0;
}

int autotune_pipeline_create(struct autotune_pipeline **out, struct autotune_context *context,
                             const struct autotune_problem *problem,
                             const struct autotune_plan_options *from,
                             const struct autotune_pipeline_options *options,
                             struct autotune_error *error)
{
    KEEP_CALLER;
    static const struct autotune_plan_options best = {AUTOTUNE_FROM_BEST, 0, {0}};
    static const struct autotune_pipeline_options defaults = {0};
    struct problem host;
    struct plan_count count;
    struct error cause;
    if (!out)
        return fail_null("out", error);
    *out = NULL;
    if (!context || !problem)
        return fail_null(context ? "problem" : "context", error);
    from = from ? from : &best;
    options = options ? options : &defaults;
    int failed = api_read_problem(&host, &count, problem, error);
    if (!failed)
        failed = check_problem(&host, problem, error);
    if (!failed)
        failed = api_check_options(from, error);
    if (!failed)
        failed = check_pipeline_options(options, error);
    if (failed)
        return failed;
    if (problem_check_params(&host, &cause))
        return fail_for(error, &cause);
    host.regime = options->is_pinned ? PINNED : PAGEABLE;
    return device_check(context->device, &cause) ||
                   pipeline_make(out, context, &host, from, options, &cause)
               ? fail_for(error, &cause)
               : 0;
}

static int refuse_second(struct autotune_error *error)
{
    return fail(error, AUTOTUNE_BAD_ARGUMENT,
                "the pipeline has a call under way, perhaps the one that called the function "
                "that asks for this: wait for its end, or make another pipeline");
}

/* One call at a time, also from the functions that it calls. */
static int execute(struct pipeline_run *run, struct autotune_error *error)
{
    struct error cause;
    if (atomic_exchange(&run->pipeline->is_running, true))
        return refuse_second(error);
    const int failed = pipeline_execute(run, &cause);
    atomic_store(&run->pipeline->is_running, false);
    return failed ? fail_for(error, &cause) : 0;
}

int autotune_pipeline_destroy(struct autotune_pipeline *pipeline, struct autotune_error *error)
{
    KEEP_ERRNO;
    if (!pipeline)
        return 0;
    if (atomic_load(&pipeline->is_running))
        return refuse_second(error);
    const struct device *device = pipeline->context->device;
    struct error cause;
    const int lost = device_check(device, &cause);
    pipeline_free(pipeline, !lost);
    return lost ? fail_for(error, &cause) : 0;
}

void autotune_pipeline_describe(const struct autotune_pipeline *pipeline,
                                struct autotune_pipeline_info *out)
{
    if (!out)
        return;
    *out = (struct autotune_pipeline_info){0};
    if (!pipeline)
        return;
    *out = (struct autotune_pipeline_info){
        .chunk_bytes = pipeline->chunk * pipeline->element_bytes,
        .streams = pipeline->streams,
        .copiers = pipeline->copier_count,
        .device_bytes = pipeline->device_bytes,
        .pinned_bytes = pipeline->pinned_bytes,
        .is_tuned = pipeline->is_tuned,
        .plan = pipeline->plan,
    };
}

/* Both ends are looked at: memory may be pinned in part. */
static enum device_memory kind_of(const struct autotune_pipeline *pipeline, const void *at,
                                  uint64_t bytes)
{
    struct device *device = pipeline->context->device;
    const unsigned char *last = (const unsigned char *)at + (bytes ? bytes - 1 : 0);
    const enum device_memory first = device->ops->kind_of(device, at);
    const enum device_memory other = device->ops->kind_of(device, last);
    return first == DEVICE_OWN || other == DEVICE_OWN ? DEVICE_OWN
           : first == other                           ? first
                                                      : DEVICE_PAGEABLE;
}

static int refuse_device(const char *what, const void *at, struct autotune_error *error)
{
    return fail(error, AUTOTUNE_BAD_ARGUMENT,
                "%s, at %p, is device memory: autotune_execute takes that; give memory of the "
                "host",
                what, at);
}

static int check_call(const struct autotune_pipeline *pipeline, const void *input, uint64_t n,
                      const void *output, struct autotune_error *error)
{
    if (!output || (!input && n))
        return fail_null(output ? "input" : "output", error);
    if (n > UINT64_MAX / 2 / pipeline->element_bytes ||
        n * pipeline->element_bytes > UINTPTR_MAX - (uintptr_t)input)
        return fail(error, AUTOTUNE_N_TOO_LARGE, "n is %llu: no memory has so many elements",
                    (unsigned long long)n);
    const bool is_scan = pipeline->problem.dims.scan != DIMS_ALL;
    if (!(is_scan && input == output) &&
        api_overlap((uintptr_t)output, (is_scan ? n : 1) * pipeline->result_bytes,
                    (uintptr_t)input, n * pipeline->element_bytes))
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "output, at %p, lies within the elements, or they in the results: place it "
                    "elsewhere%s",
                    output, is_scan ? ", or exactly where the elements are" : "");
    return 0;
}

int autotune_execute_host(struct autotune_pipeline *pipeline, const void *input, uint64_t n,
                          void *output, struct autotune_error *error)
{
    KEEP_CALLER;
    if (!pipeline)
        return fail_null("pipeline", error);
    int failed = check_call(pipeline, input, n, output, error);
    if (failed)
        return failed;
    struct device *device = pipeline->context->device;
    struct error cause;
    if (device_check(device, &cause))
        return fail_for(error, &cause);
    const bool is_scan = pipeline->problem.dims.scan != DIMS_ALL;
    const uint64_t bytes = n * pipeline->element_bytes;
    const enum device_memory in = n ? kind_of(pipeline, input, bytes) : DEVICE_PAGEABLE;
    const enum device_memory to =
        kind_of(pipeline, output, (is_scan ? n : 1) * pipeline->result_bytes);
    if (in == DEVICE_OWN)
        return refuse_device("input", input, error);
    if (to == DEVICE_OWN)
        return refuse_device("output", output, error);
    static const unsigned char none = 0;
    struct pipeline_run run = {
        .pipeline = pipeline,
        .memory = input ? input : &none,
        .is_direct = in == DEVICE_PINNED || pipeline->leaves_pageable,
        .bytes = bytes,
        .output = output,
        .is_output_direct = is_scan && to == DEVICE_PINNED,
    };
    return execute(&run, error);
}

int autotune_execute_source(struct autotune_pipeline *pipeline,
                            const struct autotune_source *source, void *output,
                            const struct autotune_sink *sink, uint64_t *n,
                            struct autotune_error *error)
{
    KEEP_CALLER;
    if (!pipeline || !source || !source->read)
        return fail_null(!pipeline ? "pipeline" : !source ? "source" : "source.read", error);
    const bool is_scan = pipeline->problem.dims.scan != DIMS_ALL;
    if (is_scan ? !sink || !sink->write : !output)
        return fail_null(is_scan ? "sink" : "output", error);
    if (!is_scan &&
        api_overlap((uintptr_t)output, pipeline->result_bytes, (uintptr_t)n, n ? sizeof *n : 0))
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "output, at %p, and n are the same memory: place one elsewhere", output);
    struct pipeline_run run = {
        .pipeline = pipeline,
        .read = source->read,
        .context = source->context,
        .is_parallel = source->is_parallel,
        .output = is_scan ? NULL : output,
        .sink = is_scan ? sink : NULL,
    };
    const int failed = execute(&run, error);
    if (!failed && n)
        *n = run.elements;
    return failed;
}
