/* ladder_measure: sends one step at a time to the worker, and takes its trial as the outcome. A
 * lost worker is replaced before the next step. */
#include "autotune/search/ladder_measure.h"

#include "autotune/device/temporary.h"
#include "autotune/search/worker.h"
#include "autotune/search/worker_pool.h"

#include <stdio.h>
#include <string.h>

enum { ONLY = 0 /* the worker's slot */ };

/* Seconds after which the worker is given up. */
static const double OPEN_LIMIT = 180, STEP_LIMIT = 30, STEP_LIMIT_HOST = 120;
static const double TICK = 0.2;

struct ladder_measure {
    const struct tune_job *job;
    const struct ladder_measure_options *options;
    struct worker_pool *pool;
    struct ladder_measure_step *step; /* the worker's step; NULL while it opens */
    struct ladder_measure_step start; /* stands for the rate of blocks */
    bool is_ready;                    /* the worker is there and waits */
    double blocks;                    /* that the device starts in a second; 0 = not known */
    char last_words[TRIAL_REASON];
};

static int check_stop(const struct ladder_measure *run, struct error *error)
{
    if (!run->options->is_stopping || !run->options->is_stopping())
        return 0;
    return error_set(error, ERROR_INTERRUPTED, "interrupted: the same command starts again");
}

/* --- What the worker says ----------------------------------------------------------------- */

static int take_fatal(struct ladder_measure *run, struct job_fatal *fatal, struct error *error)
{
    fatal->text[sizeof fatal->text - 1] = '\0';
    if (fatal->code == ERROR_USAGE || !run->step)
        return error_set_lines(error, fatal->code, "%s", fatal->text);
    trial_set_reason(run->last_words, fatal->text);
    return 0;
}

static void take_proven(struct ladder_measure_step *step, struct job_proven *proven)
{
    proven->reason[TRIAL_REASON - 1] = '\0';
    step->proofs = proven->cases;
    if (!proven->is_right)
        trial_set_reason(step->trial.reason, proven->reason);
}

/* A trial without a reason is explained by its proofs. */
static void take_trial(struct ladder_measure_step *step, struct trial *trial)
{
    trial->reason[TRIAL_REASON - 1] = '\0';
    if (trial->status >= TRIAL_STATUSES || trial->time_count > TRIAL_SAMPLES)
        *trial = (struct trial){.status = TRIAL_CRASHED};
    if (!*trial->reason)
        trial_set_reason(trial->reason, step->trial.reason);
    step->trial = *trial;
}

static void set_deadline(struct ladder_measure *run)
{
    const double usual = run->job->info->target.is_host ? STEP_LIMIT_HOST : STEP_LIMIT;
    const double limit = run->options->limit_s;
    worker_pool_set_deadline(run->pool, ONLY, limit > 0 ? limit : usual);
}

/* Takes the loss of the worker: a kernel's fault, or one before any kernel ran. */
static int take_lost(struct ladder_measure *run, const struct worker_pool_event *event,
                     struct error *error)
{
    if (!run->step)
        return error_set(error, ERROR_FAILED,
                         "a worker process was lost before it was ready: %s; see 'autotune "
                         "doctor'",
                         event->how);
    run->step->trial.status = event->kind == WORKER_POOL_LATE ? TRIAL_HUNG : TRIAL_CRASHED;
    trial_set_reason(run->step->trial.reason, *run->last_words ? run->last_words : event->how);
    return 0;
}

/* Takes a message. On the emulator a kernel runs in the worker's own memory, and may have
 * changed the message. */
static int take_message(struct ladder_measure *run, struct frame *frame, struct error *error)
{
    union job_told message;
    if (job_read_told(frame, &message, error)) {
        const struct worker_pool_event event =
            {.kind = WORKER_POOL_LOST,
             .how = "it sent what no worker sends: its memory was damaged"};
        worker_pool_stop(run->pool, ONLY);
        return take_lost(run, &event, error);
    }
    if (frame->kind == JOB_FATAL)
        return take_fatal(run, &message.fatal, error);
    set_deadline(run);
    if (frame->kind == JOB_PROVEN && run->step)
        take_proven(run->step, &message.proven);
    if (frame->kind == JOB_TRIAL && run->step)
        take_trial(run->step, &message.trial.trial);
    if (frame->kind == JOB_STARTED)
        run->blocks = message.started.blocks > 0 ? message.started.blocks : 0;
    if (frame->kind == JOB_READY || frame->kind == JOB_TRIED || frame->kind == JOB_STARTED) {
        run->is_ready = true;
        worker_pool_set_deadline(run->pool, ONLY, 0);
    }
    return 0;
}

/* Takes messages until the worker waits or is lost. */
static int listen(struct ladder_measure *run, struct error *error)
{
    while (!run->is_ready && worker_pool_is_running(run->pool, ONLY)) {
        struct worker_pool_event event;
        int failed = 0;
        if (check_stop(run, error) || worker_pool_wait(run->pool, &event, TICK, error))
            return -1;
        if (event.kind == WORKER_POOL_FRAME)
            failed = take_message(run, &event.frame, error);
        else if (event.kind == WORKER_POOL_LOST || event.kind == WORKER_POOL_LATE)
            failed = take_lost(run, &event, error);
        frame_dispose(&event.frame);
        if (failed)
            return -1;
    }
    return 0;
}

/* --- What the worker does ----------------------------------------------------------------- */

static int open_worker(struct ladder_measure *run, struct error *error)
{
    run->step = NULL;
    run->is_ready = false;
    run->last_words[0] = '\0';
    if (worker_start(run->pool, ONLY, run->job, run->options->seed, run->job->specs[0], error))
        return -1;
    worker_pool_set_deadline(run->pool, ONLY, OPEN_LIMIT);
    return listen(run, error);
}

static int run_step(struct ladder_measure *run, struct ladder_measure_step *step,
                    struct error *error)
{
    struct frame frame = {.kind = JOB_OTHER_SPACE};
    if (!worker_pool_is_running(run->pool, ONLY) && open_worker(run, error))
        return -1;
    step->trial.status = TRIAL_CRASHED; /* until it is judged */
    run->step = step;
    run->is_ready = false;
    set_deadline(run);
    int failed = job_code_other_space(&frame, &step->other_kernel, false, error) ||
                 worker_pool_send(run->pool, ONLY, &frame, error);
    frame_dispose(&frame);
    return failed ? -1 : listen(run, error);
}

/* Measures how fast blocks start, in the worker that is there. One that ends in it leaves that
 * unknown. */
static int measure_start(struct ladder_measure *run, struct error *error)
{
    struct frame frame = {.kind = JOB_START};
    if (!worker_pool_is_running(run->pool, ONLY))
        return 0;
    run->step = &run->start; /* at fault if the worker is lost */
    run->is_ready = false;
    set_deadline(run);
    return worker_pool_send(run->pool, ONLY, &frame, error) ? -1 : listen(run, error);
}

int ladder_measure_all(struct ladder_measure_step *steps, size_t count,
                       const struct tune_job *job, const struct ladder_measure_options *options,
                       double *out_blocks, struct error *error)
{
    struct ladder_measure run = {.job = job, .options = options};
    *out_blocks = 0;
    if (worker_pool_open(&run.pool, error))
        return -1;
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        if (options->show)
            options->show(options->context, i, count);
        failed = run_step(&run, &steps[i], error);
    }
    if (!failed)
        failed = measure_start(&run, error);
    *out_blocks = run.blocks;
    worker_pool_close(run.pool);
    if (job->info->target.is_host)
        temporary_sweep();
    return failed;
}
