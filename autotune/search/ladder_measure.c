/* ladder_measure: one step at a time: it is sent to the worker, and what is heard of it is its verdict.
 * A worker that is lost is replaced before the next step. */
#include "autotune/search/ladder_measure.h"

#include "autotune/search/worker.h"
#include "autotune/search/worker_pool.h"

#include <stdio.h>
#include <string.h>

enum { ONLY = 0 /* the worker's slot */ };

/* Seconds after which the worker is given up. */
static const double OPEN_LIMIT = 180, STEP_LIMIT = 30, STEP_LIMIT_HOST = 120;
static const double TICK = 0.2;

struct climb {
    const struct tune_job *job;
    const struct climb_options *options;
    struct crew *crew;
    struct climb_step *step; /* that the worker is at; NULL while it opens */
    bool is_ready;           /* the worker is there and waits */
    char last_words[JOB_REASON];
};

static int check_stop(const struct climb *climb, struct error *error)
{
    if (!climb->options->is_stopping || !climb->options->is_stopping())
        return 0;
    return error_set(error, ERROR_INTERRUPTED, "interrupted: the same command starts again");
}

/* --- What the worker says ----------------------------------------------------------------- */

static int take_fatal(struct climb *climb, struct job_fatal *fatal, struct error *error)
{
    fatal->text[sizeof fatal->text - 1] = '\0';
    if (fatal->code == ERROR_USAGE || !climb->step)
        return error_set(error, fatal->code, "%s", fatal->text);
    snprintf(climb->last_words, sizeof climb->last_words, "%.230s", fatal->text);
    return 0;
}

static void take_proven(struct climb_step *step, struct job_proven *proven)
{
    proven->reason[JOB_REASON - 1] = '\0';
    step->proofs = proven->cases;
    if (!proven->is_right)
        memcpy(step->reason, proven->reason, sizeof step->reason);
}

static void take_trial(struct climb_step *step, struct job_trial *trial)
{
    trial->reason[JOB_REASON - 1] = '\0';
    step->status = trial->status < TRIAL_STATUSES ? trial->status : TRIAL_CRASHED;
    step->registers = trial->registers;
    step->time_count = trial->time_count < JOB_SAMPLES ? trial->time_count : JOB_SAMPLES;
    memcpy(step->times_ps, trial->times_ps, sizeof step->times_ps);
    if (*trial->reason)
        memcpy(step->reason, trial->reason, sizeof step->reason);
}

static void set_deadline(struct climb *climb)
{
    const double usual = climb->job->info->target.is_host ? STEP_LIMIT_HOST : STEP_LIMIT;
    const double limit = climb->options->limit_s;
    crew_set_deadline(climb->crew, ONLY, limit > 0 ? limit : usual);
}

/* A kernel, or the worker before it had any. */
static int take_lost(struct climb *climb, const struct crew_event *event, struct error *error)
{
    if (!climb->step)
        return error_set(error, ERROR_FAILED,
                         "a worker process was lost before it was ready: %s; see 'autotune "
                         "doctor'",
                         event->how);
    climb->step->status = event->kind == CREW_LATE ? TRIAL_HUNG : TRIAL_CRASHED;
    snprintf(climb->step->reason, sizeof climb->step->reason, "%.200s",
             *climb->last_words ? climb->last_words : event->how);
    return 0;
}

/* On the emulator a kernel runs in the worker's own memory, and may have changed what it says.
 */
static int take_message(struct climb *climb, struct frame *frame, struct error *error)
{
    union job_told message;
    if (job_read_told(frame, &message, error)) {
        const struct crew_event event =
            {.kind = CREW_LOST, .how = "it sent what no worker sends: its memory was damaged"};
        crew_stop(climb->crew, ONLY);
        return take_lost(climb, &event, error);
    }
    if (frame->kind == JOB_FATAL)
        return take_fatal(climb, &message.fatal, error);
    set_deadline(climb);
    if (frame->kind == JOB_PROVEN && climb->step)
        take_proven(climb->step, &message.proven);
    if (frame->kind == JOB_TRIAL && climb->step)
        take_trial(climb->step, &message.trial);
    if (frame->kind == JOB_READY || frame->kind == JOB_TRIED) {
        climb->is_ready = true;
        crew_set_deadline(climb->crew, ONLY, 0);
    }
    return 0;
}

/* Hears the worker out until it waits or is lost. */
static int listen(struct climb *climb, struct error *error)
{
    while (!climb->is_ready && crew_is_running(climb->crew, ONLY)) {
        struct crew_event event;
        int failed = 0;
        if (check_stop(climb, error) || crew_wait(climb->crew, &event, TICK, error))
            return -1;
        if (event.kind == CREW_FRAME)
            failed = take_message(climb, &event.frame, error);
        else if (event.kind == CREW_LOST || event.kind == CREW_LATE)
            failed = take_lost(climb, &event, error);
        frame_dispose(&event.frame);
        if (failed)
            return -1;
    }
    return 0;
}

/* --- What the worker does ----------------------------------------------------------------- */

static int open_worker(struct climb *climb, struct error *error)
{
    climb->step = NULL;
    climb->is_ready = false;
    climb->last_words[0] = '\0';
    if (worker_start(climb->crew, ONLY, climb->job, climb->options->seed, climb->job->specs[0],
                     error))
        return -1;
    crew_set_deadline(climb->crew, ONLY, OPEN_LIMIT);
    return listen(climb, error);
}

static int run_step(struct climb *climb, struct climb_step *step, struct error *error)
{
    struct frame frame = {.kind = JOB_GUEST};
    if (!crew_is_running(climb->crew, ONLY) && open_worker(climb, error))
        return -1;
    step->status = TRIAL_CRASHED; /* until it is judged */
    climb->step = step;
    climb->is_ready = false;
    set_deadline(climb);
    int failed = job_code_guest(&frame, &step->guest, false, error) ||
                 crew_send(climb->crew, ONLY, &frame, error);
    frame_dispose(&frame);
    return failed ? -1 : listen(climb, error);
}

int climb_run(struct climb_step *steps, size_t count, const struct tune_job *job,
              const struct climb_options *options, struct error *error)
{
    struct climb climb = {.job = job, .options = options};
    if (crew_open(&climb.crew, error))
        return -1;
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        if (options->show)
            options->show(options->context, i, count);
        failed = run_step(&climb, &steps[i], error);
    }
    crew_close(climb.crew);
    if (job->info->target.is_host)
        host_sweep();
    return failed;
}
