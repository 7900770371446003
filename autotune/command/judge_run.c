/* judge_run: the steps of a proof, and what it means when the process of a kernel ends. */
#include "autotune/command/judge_run.h"

#include "autotune/cli/interrupt.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/supervise.h"
#include "autotune/search/kernel_limit.h"
#include "autotune/search/single_run.h"
#include "autotune/search/tune.h"
#include "autotune/verify/loaded.h"
#include "autotune/verify/proof.h"
#include "generator/dims_text.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { POSITIONS = 256 };

struct judging {
    struct judge_report *report;
    const struct request *request;
    const struct judge_launch *launch;
    bool leaves_out_empty; /* it has ended its process where there were no elements */
};

/* --- Small sizes -------------------------------------------------------------------------- */

static void begin(void *context, const struct dims *dims, uint64_t start)
{
    judge_findings_begin(context, dims, start);
    kernel_limit_begin_small();
}

static void end(void *context, const struct check_fault *fault)
{
    kernel_limit_end();
    judge_findings_end(context, fault);
}

/* A fault that is of no case in particular. */
static void take_outcome(struct judge_findings *findings, const struct check_outcome *outcome)
{
    if (*outcome->reason && !*findings->outside)
        snprintf(findings->outside, sizeof findings->outside, "It %.*s", JUDGE_WHAT_CHARS - 10,
                 outcome->reason);
}

static int prove_small(struct judging *it, const struct setup *setup,
                       const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                       struct error *error)
{
    struct judge_findings *findings = &it->report->findings;
    const struct check_observer observer = {findings, it->launch->is_packed,
                                            it->leaves_out_empty, begin, end};
    const struct check_configs configs = {setup->space->default_config,
                                          setup->space->default_config};
    struct problem problem = setup->problem;
    const struct point_context context = {setup->space, &problem, &setup->target};
    struct check_outcome outcome = {.is_right = true};
    struct check *check;
    findings->is_special = false;
    problem.dims = proof_dims(&problem.dims);
    int failed = check_open(&check, setup->device, &problem, &setup->sources, POSITIONS,
                            it->request->seed, error);
    if (!failed) {
        check_observe(check, &observer);
        failed = check_small(check, &context, configs, kernels, CHECK_ALL, &outcome, error);
        take_outcome(findings, &outcome);
    }
    findings->is_special = true;
    if (!failed) {
        failed = check_specials(check, &context, configs, kernels, &outcome, error);
        take_outcome(findings, &outcome);
    }
    if (check)
        check_close(check);
    return failed;
}

/* --- n ------------------------------------------------------------------------------------ */

/* What a proof says of the result, without what it says to owners of a template. */
static int take_wrong(struct judge_report *report, const struct error *cause,
                      struct error *error)
{
    static const char *const before[] = {" of STEP=KERNEL ", "is wrong: "};
    const char *from = cause->text;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const char *at = strstr(from, before[i]);
        from = at ? at + strlen(before[i]) : from;
    }
    const char *to = strrchr(from, ';');
    if (cause->code != ERROR_WRONG)
        return error_set(error, cause->code, "%s", cause->text);
    snprintf(report->at_n, sizeof report->at_n, "%.*s", to ? (int)(to - from) : 480, from);
    return 0;
}

/* As a winner is proven: at n, past 2^31 elements where there is room, and with random floats. */
static int prove_as_winner(struct judging *it, const struct setup *setup, struct error *error)
{
    struct judge_report *report = it->report;
    const char *const specs[] = {setup->device->info.spec};
    const int64_t *config = setup->space->default_config;
    const struct tune_job job = {.context = &setup->context,
                                 .sources = &setup->sources,
                                 .space = setup->space_file,
                                 .info = &setup->device->info,
                                 .specs = specs,
                                 .spec_count = 1,
                                 .nvrtc = it->request->nvrtc,
                                 .compilers = 1};
    const struct tune_options options = {.strategy = STRATEGY_EXHAUSTIVE,
                                         .configs = config,
                                         .config_count = 1,
                                         .is_only_configs = true,
                                         .is_proof = true,
                                         .seed = it->request->seed,
                                         .is_stopping = interrupt_came};
    struct tune_result result;
    struct error cause;
    report->n = dims_n(&setup->problem.dims);
    if (tune_run(&result, &job, &options, &cause))
        return take_wrong(report, &cause, error);
    report->error = result.finalists[0].error;
    report->bound = result.finalists[0].bound;
    tune_result_dispose(&result);
    return 0;
}

/* What knows of no strides, or is not right where there are no elements, is run at n alone: a winner is proven
 * with these, too. */
static int prove_at_n(struct judging *it, const struct setup *setup, struct error *error)
{
    struct judge_findings *findings = &it->report->findings;
    struct error cause;
    it->report->n = dims_n(&setup->problem.dims);
    if (findings->wrong == 0 && (dims_is_value(&setup->problem.dims) || !it->launch->is_packed))
        return prove_as_winner(it, setup, error);
    judge_findings_begin(findings, &setup->problem.dims, 0);
    kernel_limit_begin((double)it->report->n);
    const int failed = single_run(setup->device, &setup->context, &setup->sources,
                                  setup->space->default_config, it->request->seed, &cause);
    kernel_limit_end();
    findings->is_running = false;
    return failed ? take_wrong(it->report, &cause, error) : 0;
}

/* --- The process -------------------------------------------------------------------------- */

static void take_device(struct judge_report *report, const struct setup *setup,
                        const struct device_kernel *kernel)
{
    const struct device_info *info = &setup->device->info;
    snprintf(report->device, sizeof report->device, "%s", info->name);
    report->registers = kernel->registers;
    report->shared_bytes = kernel->shared_bytes;
    report->local_bytes = kernel->local_bytes;
    report->error = -1;
}

/* The kernel's own pass is the last but those that combine what it wrote, of the same text. */
static int prove(struct judging *it, const struct setup *setup, struct error *error)
{
    struct judge_findings *findings = &it->report->findings;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct planner_plan plan;
    struct loaded loaded = {.device = NULL};
    int failed = loaded_open(&loaded, setup->device, &setup->context, &setup->sources,
                             setup->space->default_config, 1, error) ||
                 call_plan(&plan, &setup->context, setup->space->default_config, error);
    if (!failed) {
        const struct planner_launch *launch = &plan.launches[plan.first];
        loaded_kernels(&loaded, 0, kernels);
        findings->problem = setup->problem;
        findings->block = (uint64_t)launch->keys[PLANNER_BLOCK];
        findings->tile = it->launch->tile ? it->launch->tile : findings->block;
        take_device(it->report, setup, kernels[launch->pass]);
        failed = prove_small(it, setup, kernels, error);
    }
    if (loaded.device)
        loaded_close(&loaded);
    return failed || !judge_findings_is_right(findings) ? failed : prove_at_n(it, setup, error);
}

static int run(void *context, struct error *error)
{
    struct judging *it = context;
    struct setup setup;
    if (setup_open(&setup, it->request, true, error))
        return -1;
    const int failed = setup_check_room(&setup, error) || prove(it, &setup, error);
    setup_close(&setup);
    return failed ? -1 : 0;
}

/* What a signal says of a kernel on the emulator. */
static const struct {
    int signal;
    const char *what;
} endings[] = {
    {SIGPROF,
     "It does not come to an end: look for a loop whose condition stays true, or a wait "
     "for another block or thread that never comes"},
    {SIGILL,
     "It reads or writes a vector at an address that is no multiple of the vector's size, "
     "or uses an array, as in shared memory, behind its end"},
    {SIGSEGV,
     "It reads or writes memory that is not its own: look for an index that is far outside"},
    {SIGBUS,
     "It reads or writes memory that is not its own: look for an index that is far outside"},
    {SIGFPE, "It divides by zero"},
};

/* Is how the process ended a fault of the case that ran? A GPU that a kernel breaks says so where that case is
 * waited for. */
static bool take_ending(struct judge_findings *findings, int signal, const struct error *cause)
{
    const char *what = signal == 0 && cause->code == ERROR_FAILED ? cause->text : NULL;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (endings[i].signal == signal)
            what = endings[i].what;
    if (!findings->is_running || !what)
        return false;
    judge_findings_fail(findings, what);
    return true;
}

int judge_run(struct judge_report *report, const struct request *request,
              const struct judge_launch *launch, struct error *error)
{
    struct judging it = {report, request, launch, false};
    struct error cause;
    int signal;
    while (supervise_run_signal(run, &it, &signal, &cause)) {
        if (!take_ending(&report->findings, signal, &cause)) {
            *error = cause;
            return -1;
        }
        /* What n = 0 is forgiven must not hide what comes after it. */
        if (it.leaves_out_empty || dims_n(&report->findings.running) > 0)
            return 0;
        it.leaves_out_empty = true;
    }
    return 0;
}
