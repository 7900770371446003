/* other_space: proves and times a kernel of another space, with the inputs and the bench that
 * the worker has for its own. */
#include "autotune/search/other_space.h"

#include "autotune/device/monotonic.h"
#include "autotune/embedded.h"

#include <string.h>

/* No measurement is begun after so many seconds of them, and none is longer than LONGEST. */
static const double SECONDS = 0.25, LONGEST = 0.1;

struct other_space {
    struct measurer *measurer;
    struct loaded loaded;
    struct session_kernel kernel;
    struct job_trial message; /* of candidate 0 */
};

/* Takes measurements of several calls, where these are not too long. */
static int sample(struct other_space *other, struct error *error)
{
    struct session *session = &other->measurer->session;
    struct trial *trial = &other->message.trial;
    const double start = monotonic_s();
    const double seconds = (double)trial->times_ps[0] * 1e-12 * (double)session->bench.calls;
    if (seconds > LONGEST)
        return 0;
    if (session_prepare(session, &other->kernel, session->bench.calls, error))
        return -1;
    trial->time_count = 0;
    do
        if (session_time(session, &other->kernel, false, &trial->times_ps[trial->time_count++],
                         error))
            return -1;
    while (trial->time_count < TRIAL_SAMPLES && monotonic_s() - start < SECONDS);
    return 0;
}

static int announce(const struct other_space *other, enum job_phase phase, struct error *error)
{
    return measurer_announce(other->measurer, phase, 0, 0, error);
}

/* A fault at small sizes is reported by measurer_variant; it is the trial's outcome too. */
static int prove_and_time(struct other_space *other, struct error *error)
{
    struct measurer *measurer = other->measurer;
    struct session_kernel *kernel = &other->kernel;
    struct trial *trial = &other->message.trial;
    bool has_run;
    if (announce(other, PHASE_LOAD, error) || loaded_load(&other->loaded, error))
        return -1;
    loaded_kernels(&other->loaded, 0, kernel->kernels);
    trial->registers = compiler_registers(kernel->kernels);
    if (measurer_variant(measurer, kernel, 0, kernel->config, 1, CHECK_ALL, &has_run, error))
        return -1;
    trial->status = has_run ? TRIAL_WRONG : TRIAL_FAILED;
    if (!kernel->is_right_small)
        return 0;
    if (announce(other, PHASE_MEASURE, error) ||
        session_prepare(&measurer->session, kernel, measurer->session.input.count, error) ||
        measurer_first(measurer, kernel, session_prove, 0, trial, error))
        return -1;
    return trial->status == TRIAL_MEASURED ? sample(other, error) : 0;
}

static int compile_and_prove(struct other_space *other, const struct emit_sources *sources,
                             struct error *error)
{
    struct measurer *measurer = other->measurer;
    struct trial *trial = &other->message.trial;
    trial->status = TRIAL_FAILED;
    if (announce(other, PHASE_LOAD, error))
        return -1;
    const int compiled =
        loaded_compile(&other->loaded, measurer->session.device, other->kernel.context, sources,
                       other->kernel.config, 1, error);
    if (compiled < 0)
        return -1;
    const int failed = compiled || prove_and_time(other, error);
    session_release(&measurer->session, &other->kernel);
    if (failed && !compiled && !measurer_is_at_fault(measurer, error))
        return -1;
    if (failed) { /* the device still works */
        trial->status = TRIAL_FAILED;
        trial_set_reason(trial->reason, error->text);
    }
    return 0;
}

int other_space_try(struct measurer *measurer, const struct emit_sources *sources,
                    const struct job_other_space *job, struct error *error)
{
    const struct point_context *own = measurer->session.context;
    struct emit_sources its_sources = *sources;
    struct space *space;
    if (space_load(&space, job->space.name, job->space.text, strlen(job->space.text),
                   embedded_space, error))
        return -1;
    const struct point_context context = {space, own->problem, own->target};
    struct other_space other = {.measurer = measurer,
                                .kernel = {.context = &context, .config = job->config}};
    its_sources.template = job->template;
    its_sources.has_own_template = its_sources.has_own_space = false;
    int failed = job->width == space->param_count
                     ? 0
                     : error_set(error, ERROR_FAILED,
                                 "%s: another space than the coordinator's", job->space.name);
    check_use(measurer->session.check, &its_sources);
    failed = failed || compile_and_prove(&other, &its_sources, error);
    check_use(measurer->session.check, sources);
    failed = failed ||
             job_send(measurer->socket, JOB_TRIAL, &other.message, sizeof other.message, error);
    loaded_close(&other.loaded);
    space_free(space);
    return failed ? -1 : 0;
}
