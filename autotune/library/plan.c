/* plan: makes plans: chooses a config, finds its kernels, keeps what its launches need. Only
 * one plan of a context is made at a time. */
#include "autotune/library/plan.h"

#include "autotune/device/bind.h"
#include "autotune/library/advice.h"
#include "autotune/library/fail.h"
#include "autotune/library/spawn.h"
#include "cache/verified.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Which config ---------------------------------------------------------------------------- */

static int tune(struct autotune_context *context, const struct problem *problem,
                double budget_seconds, struct error *error)
{
    struct text folder = {0};
    int failed = choose_folder(&folder, &context->records, error);
    if (!failed) {
        const struct spawn_request request = {
            .program = context->program,
            .folder = folder.at,
            .nvrtc = context->kernels.nvrtc,
            .info = &context->device->info,
            .problem = problem,
            .budget_seconds = budget_seconds,
        };
        failed = spawn_tuning(&request, error);
    }
    text_dispose(&folder);
    return failed;
}

/* Chooses a config. For tuning a record is looked for, made, and looked for again: then it must
 * be there. */
static int choose(struct choice *out, struct autotune_context *context,
                  const struct choose_request *request, double budget_seconds,
                  struct error *error)
{
    const int failed = choose_config(out, &context->records, request, error);
    if (!failed || request->from != AUTOTUNE_FROM_TUNING ||
        (error->code != ERROR_NO_RECORD && error->code != ERROR_OTHER_GPU))
        return failed;
    const struct error warning = out->warning; /* of the file that tuning has replaced since */
    if (tune(context, request->problem, budget_seconds, error))
        return -1;
    if (choose_config(out, &context->records, request, error))
        return error_set(error, ERROR_TUNE_FAILED,
                         "%.500s ended well, but left no record that this library takes: are "
                         "both of the same version (" VERSION ")?",
                         context->program);
    if (out->warning.code == ERROR_NONE)
        out->warning = warning;
    return 0;
}

/* --- What is known of the choice -----------------------------------------------------------
 */

static void set_grade(struct autotune_plan *plan, const struct choice *choice,
                      const struct kernel_set *set)
{
    static const enum autotune_grade grades[SELECTOR_GRADES] = {
        [SELECTOR_EXACT] = AUTOTUNE_EXACT,        [SELECTOR_STALE] = AUTOTUNE_STALE,
        [SELECTOR_OTHER_SIZE] = AUTOTUNE_OTHER_N, [SELECTOR_SAME_CC] = AUTOTUNE_SAME_CC,
        [SELECTOR_SHIPPED] = AUTOTUNE_SHIPPED,    [SELECTOR_CLASS] = AUTOTUNE_SHIPPED,
        [SELECTOR_NONE] = AUTOTUNE_DEFAULT,
    };
    plan->grade = grades[choice->grade];
    if (plan->grade == AUTOTUNE_EXACT && strcmp(set->compiler, choice->record.compiler) != 0)
        plan->grade = AUTOTUNE_STALE;
}

/* Where the records are, be these one file. */
static int find_folder(struct text *out, const struct autotune_plan *plan)
{
    struct error ignored;
    return choose_folder(out, &plan->context->records, &ignored) &&
                   store_folder(out, NULL, &ignored)
               ? -1
               : 0;
}

/* Was the operation of another's record, or of none, proven on this GPU by anything? */
static bool was_proven(const struct autotune_plan *plan)
{
    const struct device_info *info = &plan->context->device->info;
    const struct verified what = {&plan->problem, info->name, info->driver};
    struct text folder = {0};
    const bool was =
        find_folder(&folder, plan) == 0 && !folder.failed && verified_has(folder.at, &what);
    text_dispose(&folder);
    return was;
}

static int describe(struct autotune_plan *plan, const struct choice *choice,
                    struct error *error)
{
    char problem[PROBLEM_CHARS];
    point_format(&plan->params, plan->space, choice->config, true);
    if (choice->grade != SELECTOR_NONE)
        text_addf(&plan->origin, "%s, %s", choice->record.gpu,
                  problem_format(problem, &choice->record.problem));
    const struct advice advice = {choice->grade, &choice->record, &plan->problem,
                                  plan->context->device->info.name};
    advice_add(&plan->advice, &advice);
    if (choice->warning.code != ERROR_NONE)
        fail_translate(plan->warning, sizeof plan->warning, choice->warning.text);
    else if (plan->problem.op->is_own && choice->grade > SELECTOR_OTHER_SIZE &&
             !was_proven(plan))
        snprintf(
            plan->warning, sizeof plan->warning,
            "operation '%s' was not proven on this GPU: tune it, or run autotune verify with "
            "--op and its file",
            plan->problem.op->name);
    return plan->params.failed || plan->origin.failed || plan->advice.failed
               ? fail_memory(error)
               : 0;
}

/* --- Kernels and launches ----------------------------------------------------------------- */

static int find_kernels(struct autotune_plan *plan, const struct builtin_spaces *spaces,
                        const struct point_context *point, struct choice *choice,
                        struct error *error)
{
    struct code_memo *memo = &plan->context->records.memo;
    struct emit_variant variant;
    const struct kernel_set *set;
    const bool has_record = choice->grade != SELECTOR_NONE;
    if (!(has_record && code_take(memo, &variant, &choice->record, point)) &&
        emit_variant(&variant, point, &spaces->sources, choice->config, error))
        return -1;
    const int failed =
        kernels_find(&plan->context->kernels, &variant, plan->space->kernel,
                     choice->record.compiler, &set, &plan->how, &choice->warning, error);
    for (size_t p = 0; p < plan->space->pass_count && !failed; p++)
        if (variant.text_of_pass[p] >= 0)
            plan->kernels[p] = &set->at[variant.text_of_pass[p]];
    if (!failed)
        set_grade(plan, choice, set);
    emit_dispose(&variant);
    return failed;
}

static int make_call(struct autotune_plan *plan, const struct point_context *point,
                     const int64_t *config, struct error *error)
{
    struct device_launch launches[PLANNER_LAUNCHES];
    struct device *device = plan->context->device;
    const struct planner_buffers nowhere = {0};
    static const uint64_t further[PROBLEM_FURTHER_MAX] = {0};
    struct planner_plan all;
    if (call_make(&plan->call, &all, point, config, error))
        return -1;
    plan->scratch_bytes = all.scratch_bytes;
    plan->state_bytes = all.state_bytes;
    plan->launches = (size_t)all.count;
    bind_launches(launches, &all, plan->space, &plan->problem, plan->kernels, &nowhere,
                  further);
    return device_allow(device, launches, plan->launches, error);
}

/* The space for a problem, its default settled for it. */
static int find_space(struct autotune_context *context, const struct problem *problem,
                      const struct builtin_spaces **out, struct error *error)
{
    if (builtin_spaces_find(&context->builtins, problem_space(problem), out, error) ||
        space_check_problem((*out)->space, problem, error))
        return -1;
    return space_settle_default((*out)->space, problem, &context->device->info.target, error);
}

/* Chooses until the device can run what is chosen: what ships, or was tuned on another GPU, may need
 * more shared memory or larger clusters than it has. */
static int choose_and_load(struct choice *choice, struct autotune_plan *plan,
                           struct choose_request *request, double budget_seconds,
                           struct error *error)
{
    enum { REFUSED_MAX = 64 };
    uint64_t refused[REFUSED_MAX];
    const struct device_info *info = request->info;
    const struct point_context point = {plan->space, &plan->problem, &info->target};
    request->refused = refused;
    for (;;) {
        int failed = choose(choice, plan->context, request, budget_seconds, error);
        if (!failed)
            failed = find_kernels(plan, request->spaces, &point, choice, error);
        if (!failed)
            failed = make_call(plan, &point, choice->config, error);
        if (!failed || error->code != ERROR_NOT_GRANTED || choice->grade == SELECTOR_NONE ||
            request->refused_count == REFUSED_MAX) {
            request->refused = NULL;
            return failed;
        }
        refused[request->refused_count++] = choice->record.code;
        call_free(plan->call);
        plan->call = NULL;
    }
}

static int make(struct autotune_plan *plan, const struct autotune_plan_options *options,
                struct error *error)
{
    struct autotune_context *context = plan->context;
    const struct builtin_spaces *spaces;
    struct choice choice;
    int failed = find_space(context, &plan->problem, &spaces, error);
    if (failed)
        return failed;
    plan->space = spaces->space;
    struct choose_request request = {spaces,        &plan->problem, &context->device->info,
                                     options->from, NULL,           0};
    failed = choose_and_load(&choice, plan, &request, options->budget_seconds, error);
    return failed ? failed : describe(plan, &choice, error);
}

int plan_choose(struct choice *out, struct autotune_context *context,
                const struct problem *problem, const struct autotune_plan_options *options,
                struct error *error)
{
    const struct builtin_spaces *spaces;
    pthread_mutex_lock(&context->mutex);
    int failed = find_space(context, problem, &spaces, error);
    if (!failed) {
        const struct choose_request request = {spaces,        problem, &context->device->info,
                                               options->from, NULL,    0};
        failed = choose(out, context, &request, options->budget_seconds, error);
    }
    pthread_mutex_unlock(&context->mutex);
    return failed;
}

int plan_make(struct autotune_plan **out, struct autotune_context *context,
              const struct problem *problem, struct plan_count count,
              const struct autotune_plan_options *options, struct error *error)
{
    struct autotune_plan *plan = calloc(1, sizeof *plan);
    *out = NULL;
    if (!plan)
        return fail_memory(error);
    plan->context = context;
    plan->problem = *problem;
    plan->count = count;
    plan->element_bytes = (uint64_t)problem_types[problem->type].bytes;
    plan->result_bytes = (uint64_t)problem_types[problem_result(problem)].bytes;
    pthread_mutex_lock(&context->mutex);
    const int failed = make(plan, options, error);
    pthread_mutex_unlock(&context->mutex);
    if (failed) {
        plan_free(plan);
        return failed;
    }
    *out = plan;
    return 0;
}

void plan_free(struct autotune_plan *plan)
{
    call_free(plan->call);
    text_dispose(&plan->params);
    text_dispose(&plan->origin);
    text_dispose(&plan->advice);
    free(plan);
}

/* --- Calls ---------------------------------------------------------------------------------
 */

/* The number that n of a call changes. */
static uint64_t *counted(struct dims *dims, const struct plan_count *count)
{
    uint64_t *const along[] = {[PLAN_DEPTH] = &dims->depth.n,
                               [PLAN_OUTER] = &dims->outer.n,
                               [PLAN_INNER] = &dims->inner.n};
    return along[count->along];
}

uint64_t plan_most(const struct autotune_plan *plan)
{
    struct dims dims = plan->problem.dims;
    return *counted(&dims, &plan->count) / plan->count.each;
}

struct dims plan_dims(const struct autotune_plan *plan, uint64_t n)
{
    struct dims dims = plan->problem.dims;
    *counted(&dims, &plan->count) = n * plan->count.each;
    return dims;
}

int plan_call(const struct autotune_plan *plan, const struct problem_params *params,
              const struct planner_buffers *buffers, const uint64_t *further, uint64_t n,
              struct device_launch launches[PLANNER_LAUNCHES], size_t *count,
              struct error *error)
{
    assert(n <= plan_most(plan));
    struct planner_plan call;
    const struct dims dims = plan_dims(plan, n);
    if (call_ask(plan->call, &call, &dims, error))
        return -1;
    /* No space that is known asks for more when n is smaller; one that did must not write past
     * the workspace. */
    if (call.scratch_bytes > plan->scratch_bytes || call.state_bytes > plan->state_bytes)
        return error_set(
            error, ERROR_FAILED,
            "a call of %llu elements needs a larger workspace than one of %llu: make a "
            "plan for it",
            (unsigned long long)n, (unsigned long long)dims_n(&plan->problem.dims));
    struct problem problem = plan->problem;
    problem.params = *params;
    problem.dims = dims;
    bind_launches(launches, &call, plan->space, &problem, plan->kernels, buffers, further);
    *count = (size_t)call.count;
    return 0;
}
