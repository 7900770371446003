/* worker: serves one role, compiling or measuring, from what its setup message tells, and another
 * job after the next such message: the device stays open. A
 * kernel's failure is reported, and survived where the device survives it; any other error is
 * sent in a last message and ends the process. */
#include "autotune/search/worker.h"

#include "autotune/device/monotonic.h"
#include "autotune/embedded.h"
#include "autotune/measure/block_rate.h"
#include "autotune/search/final_race.h"
#include "autotune/search/job.h"
#include "autotune/search/measurer.h"
#include "autotune/search/other_space.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct worker {
    int socket;
    struct frame setup_frame; /* holds the texts of `setup` */
    struct job_setup setup;
    struct space *space;
    struct point_context context;
    struct device *device;
    struct measurer measurer;
    bool is_measuring;         /* the measurer is to be closed */
    struct measurer_rest rest; /* of the one before */
};

static int unknown_message(const struct frame *frame, struct error *error)
{
    return error_set(error, ERROR_FAILED, "a worker got message %u, which is not for it",
                     (unsigned)frame->kind);
}

/* --- Compiling ---------------------------------------------------------------------------- */

/* What is compiled of a unit: its variants, and another unit of their shadows. */
struct compiled {
    struct compiled_unit unit, shadows;
    size_t shadow_of[COMPILER_UNIT]; /* of each shadow its variant, by its place in the unit */
};

static int send_compiled(const struct worker *worker, struct compiled *compiled,
                         uint64_t start_us, struct error *error)
{
    const struct compiled_unit *unit = &compiled->unit, *shadows = &compiled->shadows;
    struct frame reply = {.kind = JOB_COMPILED};
    struct job_unit message = {.image = unit->image,
                               .shadows = {shadows->image},
                               .shadow_count = shadows->count > 0,
                               .count = unit->count,
                               .compile_us = monotonic_ns() / 1000 - start_us};
    for (size_t i = 0; i < unit->count; i++)
        message.variants[i].compiled = unit->variants[i];
    for (size_t i = 0; i < shadows->count; i++) {
        message.variants[compiled->shadow_of[i]].shadow = shadows->variants[i];
        message.variants[compiled->shadow_of[i]].shadow_image = 1;
    }
    int failed = job_code_unit(&reply, &message, worker->space->param_count, false, error) ||
                 frame_send(worker->socket, &reply, error);
    frame_dispose(&reply);
    return failed;
}

/* Nothing is known of these variants: the compiler lacks something, and may have it again
 * for the next ones. */
static void fail_all(struct compiled_unit *out, size_t count, const struct error *cause)
{
    *out = (struct compiled_unit){.count = count};
    for (size_t i = 0; i < count; i++) {
        struct compiled_variant *variant = &out->variants[i];
        *variant = (struct compiled_variant){.variant = i, .is_failed = true, .reason = *cause};
        for (size_t pass = 0; pass < SPACE_PASSES_MAX; pass++)
            variant->kernel_of_pass[pass] = -1;
    }
}

/* Compiles the shadows that are wanted of variants that compile, as one unit. */
static int compile_shadows(const struct worker *worker, struct compiled *out,
                           const struct job_configs *configs, struct error *error)
{
    const size_t width = worker->space->param_count;
    struct problem problem;
    const struct point_context shadow = {worker->space, &problem, worker->context.target};
    int64_t chosen[COMPILER_UNIT * SPACE_NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < configs->count; i++) {
        const int64_t *config = configs->configs + i * width;
        if (out->unit.variants[i].is_failed || !configs->wants_shadow[i] ||
            !check_has_shadow(&problem, &worker->context, config))
            continue;
        memcpy(chosen + count * width, config, width * sizeof *config);
        out->shadow_of[count++] = i;
    }
    return count ? compiler_compile_configs(&out->shadows, worker->device, &shadow,
                                            &worker->setup.sources, chosen, count, error)
                 : 0;
}

static int compile_all(const struct worker *worker, struct compiled *out,
                       const struct job_configs *configs, struct error *error)
{
    return compiler_compile_configs(&out->unit, worker->device, &worker->context,
                                    &worker->setup.sources, configs->configs, configs->count,
                                    error) ||
                   compile_shadows(worker, out, configs, error)
               ? -1
               : 0;
}

static void dispose_compiled(struct compiled *compiled)
{
    compiler_dispose(&compiled->unit);
    compiler_dispose(&compiled->shadows);
}

static int serve_compile(struct worker *worker, struct frame *frame, struct error *error)
{
    const uint64_t start_us = monotonic_ns() / 1000;
    struct job_configs configs = {.count = 0};
    struct compiled compiled = {.unit = {.count = 0}};
    if (frame->kind != JOB_COMPILE)
        return unknown_message(frame, error);
    if (job_code_configs(frame, &configs, worker->space->param_count, true, error))
        return -1;
    if (compile_all(worker, &compiled, &configs, error)) {
        dispose_compiled(&compiled);
        if (error->code != ERROR_IO)
            return -1;
        fail_all(&compiled.unit, configs.count, error);
    }
    const int failed = send_compiled(worker, &compiled, start_us, error);
    dispose_compiled(&compiled);
    return failed;
}

/* --- Measuring ---------------------------------------------------------------------------- */

static int serve_try(struct worker *worker, struct frame *frame, struct error *error)
{
    struct measurer *measurer = &worker->measurer;
    struct job_unit unit = {.count = 0};
    struct job_tried tried = {.reference_ps = measurer->reference_ps};
    if (job_code_unit(frame, &unit, worker->space->param_count, true, error))
        return -1;
    if (!worker->context.target->is_host &&
        measurer_reference(measurer, &tried.reference_ps, error))
        return -1;
    return measurer_unit(measurer, &unit, &tried.is_cut, error) ||
                   job_send(worker->socket, JOB_TRIED, &tried, sizeof tried, error)
               ? -1
               : 0;
}

static int serve_race(struct worker *worker, struct frame *frame, struct error *error)
{
    struct job_race race;
    struct job_raced *raced = malloc(sizeof *raced);
    if (!raced)
        return error_memory(error, sizeof *raced);
    int failed = job_code_race(frame, &race, worker->space->param_count, true, error);
    if (!failed) {
        failed = final_race_run(&worker->measurer, &race, raced, error) ||
                 job_send(worker->socket, JOB_RACED, raced, sizeof *raced, error);
        free(race.units);
    }
    free(raced);
    return failed ? -1 : 0;
}

static int serve_other(struct worker *worker, struct frame *frame, struct error *error)
{
    struct job_other_space other_kernel;
    struct job_tried tried = {.reference_ps = worker->measurer.reference_ps};
    return job_code_other_space(frame, &other_kernel, true, error) ||
                   other_space_try(&worker->measurer, &worker->setup.sources, &other_kernel,
                                   error) ||
                   job_send(worker->socket, JOB_TRIED, &tried, sizeof tried, error)
               ? -1
               : 0;
}

/* A device that fails at it has no such figure. */
static int serve_start(struct worker *worker, struct error *error)
{
    enum { BLOCKS = 1 << 22, BLOCKS_HOST = 1 << 6 };
    const bool is_host = worker->context.target->is_host;
    struct job_started started = {.blocks = 0};
    struct error ignored;
    if (block_rate_measure(worker->device, is_host ? BLOCKS_HOST : BLOCKS, &started.blocks,
                           &ignored))
        started.blocks = 0;
    return job_send(worker->socket, JOB_STARTED, &started, sizeof started, error);
}

static int serve_work(struct worker *worker, struct frame *frame, struct error *error)
{
    switch (frame->kind) {
    case JOB_TRY: return serve_try(worker, frame, error);
    case JOB_RACE: return serve_race(worker, frame, error);
    case JOB_OTHER_SPACE: return serve_other(worker, frame, error);
    case JOB_START: return serve_start(worker, error);
    default: return unknown_message(frame, error);
    }
}

static int serve_measure(struct worker *worker, struct frame *frame, struct error *error)
{
    const int failed = serve_work(worker, frame, error);
    worker->measurer.worked_s = monotonic_s();
    return failed;
}

/* --- Life --------------------------------------------------------------------------------- */

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Does the device that is open do for this job too? */
static bool has_device(const struct worker *worker, const struct job_setup *setup)
{
    const struct job_setup *open = &worker->setup;
    return worker->device && open->measures == setup->measures && open->seed == setup->seed &&
           is_same_text(open->nvrtc, setup->nvrtc) &&
           strcmp(open->info.spec, setup->info.spec) == 0;
}

static void close_device(struct worker *worker)
{
    measurer_drop(&worker->rest);
    if (worker->device)
        device_close(worker->device);
    worker->device = NULL;
}

/* Ends the job that was; its device stays open. */
static void close_job(struct worker *worker)
{
    if (worker->is_measuring)
        measurer_close(&worker->measurer, &worker->rest);
    worker->is_measuring = false;
    space_free(worker->space);
    worker->space = NULL;
}

static int open_device(struct worker *worker, struct error *error)
{
    const struct job_setup *setup = &worker->setup;
    const struct device_options options = {setup->info.spec, setup->nvrtc, setup->seed};
    if (worker->device)
        return 0;
    return setup->measures
               ? device_open(&worker->device, &options, error)
               : device_open_compiler(&worker->device, &setup->info, setup->nvrtc, error);
}

static int open_role(struct worker *worker, struct job_ready *ready, struct error *error)
{
    if (open_device(worker, error))
        return -1;
    if (!worker->setup.measures)
        return 0;
    worker->is_measuring = true;
    return measurer_open(&worker->measurer, worker->device, &worker->context,
                         &worker->setup.sources, worker->setup.seed, worker->socket,
                         &worker->rest, ready, error);
}

static int open_job(struct worker *worker, struct error *error)
{
    struct job_ready ready = {.inputs = 0};
    const struct job_setup *setup = &worker->setup;
    if (space_load(&worker->space, setup->space.name, setup->space.text,
                   strlen(setup->space.text), embedded_space, error))
        return -1;
    if (setup->width != worker->space->param_count)
        return error_set(error, ERROR_FAILED, "%s: another space than the coordinator's",
                         setup->space.name);
    memcpy(worker->space->default_config, setup->default_config,
           setup->width * sizeof *setup->default_config);
    worker->context = (struct point_context){worker->space, &worker->setup.problem,
                                             &worker->setup.info.target};
    return open_role(worker, &ready, error) ||
                   job_send(worker->socket, JOB_READY, &ready, sizeof ready, error)
               ? -1
               : 0;
}

/* Begins a job, the first or another one. Takes the frame over. */
static int begin_job(struct worker *worker, struct frame *frame, struct error *error)
{
    struct frame before = worker->setup_frame;
    struct job_setup setup;
    close_job(worker);
    worker->setup_frame = *frame;
    *frame = (struct frame){.kind = 0};
    const int failed = job_code_setup(&worker->setup_frame, &setup, true, error);
    if (!failed && !has_device(worker, &setup))
        close_device(worker);
    frame_dispose(&before);
    worker->setup = setup;
    return failed ? -1 : open_job(worker, error);
}

static void close_worker(struct worker *worker)
{
    close_job(worker);
    close_device(worker);
    frame_dispose(&worker->setup_frame);
}

static int serve_one(struct worker *worker, struct frame *frame, struct error *error)
{
    if (frame->kind == JOB_SETUP)
        return begin_job(worker, frame, error);
    if (!worker->space)
        return unknown_message(frame, error);
    return (worker->setup.measures ? serve_measure : serve_compile)(worker, frame, error);
}

static int serve(struct worker *worker, struct error *error)
{
    struct frame frame = {.kind = 0};
    int got = 1, failed = 0;
    while (!failed && (got = frame_receive(worker->socket, &frame, error)) > 0)
        failed = serve_one(worker, &frame, error);
    frame_dispose(&frame);
    if (!failed && got == 0 && !worker->space)
        return error_set(error, ERROR_FAILED,
                         "the coordinator ended before it said what to do");
    return failed || got < 0 ? -1 : 0;
}

/* Sends the last message; the coordinator knows what was being tried. */
static int report(int socket, const struct error *cause, struct error *error)
{
    struct job_fatal fatal = {.code = cause->code};
    memcpy(fatal.text, cause->text, sizeof fatal.text);
    return job_send(socket, JOB_FATAL, &fatal, sizeof fatal, error);
}

int worker_run(struct error *error)
{
    struct worker *worker = NULL;
    struct stat status;
    struct error cause;
    if (fstat(WORKER_POOL_SOCKET, &status) || !S_ISSOCK(status.st_mode))
        return error_set(error, ERROR_USAGE,
                         "'autotune %s' is started by autotune itself: see "
                         "'autotune help'",
                         WORKER_ARGUMENT);
    worker = calloc(1, sizeof *worker);
    if (!worker)
        return error_memory(error, sizeof *worker);
    worker->socket = WORKER_POOL_SOCKET;
    int failed = serve(worker, &cause);
    if (failed)
        failed = report(worker->socket, &cause, error);
    close_worker(worker);
    free(worker);
    return failed;
}

/* --- The coordinator's side --------------------------------------------------------------- */

int worker_start(struct worker_pool *pool, size_t slot, const struct tune_job *job,
                 uint64_t seed, const char *spec, struct error *error)
{
    char program[] = "/proc/self/exe", argument[] = WORKER_ARGUMENT;
    char *const argv[] = {program, argument, NULL};
    struct frame frame = {.kind = JOB_SETUP};
    struct job_setup setup = {.measures = spec != NULL,
                              .nvrtc = job->nvrtc,
                              .seed = seed,
                              .info = *job->info,
                              .problem = *job->context->problem,
                              .space = job->space,
                              .default_config = job->context->space->default_config,
                              .width = job->context->space->param_count,
                              .sources = *job->sources};
    if (access(program, X_OK))
        return error_set(error, ERROR_FAILED,
                         "cannot start a worker process: %s, this program, cannot be run: %s; "
                         "mount /proc",
                         program, strerror(errno));
    if (spec)
        snprintf(setup.info.spec, sizeof setup.info.spec, "%s", spec);
    const bool is_kept = worker_pool_is_running(pool, slot);
    const int failed = (!is_kept && worker_pool_start(pool, slot, argv, error)) ||
                       job_code_setup(&frame, &setup, false, error) ||
                       worker_pool_send(pool, slot, &frame, error);
    frame_dispose(&frame);
    return failed ? -1 : 0;
}

static int start_process(void *at, size_t slot, const struct tune_job *job, uint64_t seed,
                         const char *spec, struct error *error)
{
    return worker_start(at, slot, job, seed, spec, error);
}

static int send_to_process(void *at, size_t slot, struct frame *frame, struct error *error)
{
    return worker_pool_send(at, slot, frame, error);
}

static void set_deadline(void *at, size_t slot, double seconds)
{
    worker_pool_set_deadline(at, slot, seconds);
}

static void stop_process(void *at, size_t slot)
{
    worker_pool_stop(at, slot);
}

static bool is_process_running(void *at, size_t slot)
{
    return worker_pool_is_running(at, slot);
}

static int wait_for_processes(void *at, struct worker_pool_event *out, double timeout_s,
                              struct error *error)
{
    return worker_pool_wait(at, out, timeout_s, error);
}

const struct worker_ops worker_processes = {start_process,      send_to_process,
                                            set_deadline,       stop_process,
                                            is_process_running, wait_for_processes};
