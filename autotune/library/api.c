/* api: implements the public functions of contexts and plans: checks the arguments before
 * anything is done, and reports errors in a caller's words. Workspaces and calls:
 * workspace.c. */
#include "autotune/library/api.h"

#include "autotune/library/caller.h"
#include "autotune/library/fail.h"

#include "generator/dims_text.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"

#include <stdlib.h>
#include <string.h>

/* The most bytes of elements, and the most results: past any GPU's memory, and the default's
 * tiles still count in 32 bits. */
static const uint64_t BYTES_MAX = UINT64_C(1) << 43, RESULTS_MAX = UINT64_C(63) << 30;

const char *autotune_version(void)
{
    return VERSION;
}

/* Fields that a later version may give a meaning. */
int api_check_reserved(void *const *reserved, size_t count, const char *name,
                       struct autotune_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (reserved[i])
            return fail(error, AUTOTUNE_BAD_ARGUMENT,
                        "%s.reserved is not zero: fill the struct with zeros first; if this is "
                        "a field of a later version, link that one (this is " VERSION ")",
                        name);
    return 0;
}

enum { CONTEXT_RESERVED = 8, PROBLEM_RESERVED = 1, OPTIONS_RESERVED = 4 };

/* --- Context ------------------------------------------------------------------------------ */

static char *copy(const char *string, bool *has_failed)
{
    char *made = string ? strdup(string) : NULL;
    *has_failed = *has_failed || (string && !made);
    return made;
}

/* Does in advance what would take a plan's time and is the same for most plans. */
static void prepare(struct autotune_context *context)
{
    const struct builtin_spaces *spaces;
    struct error ignored;
    builtin_spaces_find(&context->builtins, operation_law(operation_usual())->space, &spaces,
                        &ignored);
    choose_prepare(&context->records, &context->device->info);
}

/* The folder for compiled kernels: NULL for none. Without a home there is none. */
static char *find_folder(const char *option, bool *has_failed)
{
    struct text folder = {0};
    struct error ignored;
    if (option)
        return *option ? copy(option, has_failed) : NULL;
    if (store_folder(&folder, NULL, &ignored) == 0)
        text_adds(&folder, "/kernels");
    *has_failed = *has_failed || folder.failed;
    return folder.at;
}

static int copy_options(struct autotune_context *context,
                        const struct autotune_context_options *options, struct error *error)
{
    bool has_failed = false;
    context->program = copy(options->program, &has_failed);
    choose_open(&context->records, copy(options->records, &has_failed));
    context->kernels.nvrtc = copy(options->nvrtc, &has_failed);
    context->kernels.folder = find_folder(options->kernels, &has_failed);
    return has_failed ? fail_memory(error) : 0;
}

/* In a fork of the process the mutex may be held for good, by a thread that is not there: what it
 * was changing is left alone. */
static void free_context(struct autotune_context *context, bool is_current)
{
    if (pthread_mutex_trylock(&context->mutex) == 0) {
        if (context->device)
            kernels_dispose(&context->kernels, is_current);
        choose_dispose(&context->records);
        builtin_spaces_free(context->builtins);
        pthread_mutex_unlock(&context->mutex);
        pthread_mutex_destroy(&context->mutex);
    }
    device_close(context->device);
    free(context->program);
    free(context);
}

int autotune_context_create(struct autotune_context **out,
                            const struct autotune_context_options *options,
                            struct autotune_error *error)
{
    KEEP_CALLER;
    static const struct autotune_context_options defaults = {0};
    struct autotune_context *context;
    struct error cause;
    int failed;
    if (!out)
        return fail_null("out", error);
    *out = NULL;
    options = options ? options : &defaults;
    failed = api_check_reserved(options->reserved, CONTEXT_RESERVED, "autotune_context_options",
                                error);
    if (failed)
        return failed;
    if (operation_open(&cause))
        return fail_for(error, &cause);
    context = calloc(1, sizeof *context);
    if (!context) {
        fail_memory(&cause);
        return fail_for(error, &cause);
    }
    pthread_mutex_init(&context->mutex, NULL);
    failed = device_borrow(&context->device, options->device, &cause) ||
             copy_options(context, options, &cause);
    context->kernels.device = context->device;
    if (failed) {
        free_context(context, false);
        return fail_for(error, &cause);
    }
    prepare(context);
    *out = context;
    return 0;
}

int autotune_context_destroy(struct autotune_context *context, struct autotune_error *error)
{
    KEEP_ERRNO;
    if (!context)
        return 0;
    const unsigned plans = atomic_load(&context->plans);
    if (plans)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "the context still has %u plan%s: destroy them first", plans,
                    plans == 1 ? "" : "s");
    struct error cause;
    const int lost = device_check(context->device, &cause);
    free_context(context, lost == 0);
    return lost ? fail_for(error, &cause) : 0;
}

/* --- Plan --------------------------------------------------------------------------------- */

/* Takes what this library knows of the struct: one of an earlier version ends before segments, one of a
 * later version may be longer by zeros. */
static int take_array(struct autotune_dims *out, const struct autotune_dims *given,
                      struct autotune_error *error)
{
    const size_t least = offsetof(struct autotune_dims, segments);
    if (given->size != least && given->size < sizeof *out)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_dims.size is %llu: set it to sizeof(struct autotune_dims), %llu",
                    (unsigned long long)given->size, (unsigned long long)sizeof *out);
    if (given->size > sizeof *out && !api_are_zeros(given + 1, given->size - sizeof *out))
        return fail(
            error, AUTOTUNE_BAD_ARGUMENT,
            "autotune_dims has fields of a later version: link that one (this is " VERSION ")");
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    return 0;
}

static int check_array(const struct autotune_dims *array, struct autotune_error *error)
{
    if (!array->shape)
        return fail_null("autotune_dims.shape", error);
    if (array->ndim < 1 || array->ndim > DIMS_TEXT_AXES)
        return fail(error, AUTOTUNE_BAD_ARGUMENT, "autotune_dims.ndim is %u: give 1 to %d",
                    array->ndim, DIMS_TEXT_AXES);
    if (array->axes == 0 || array->axes >> array->ndim)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_dims.axes is %#x: give a bit for each axis that is combined, one "
                    "at least, from bit 0 for the first of %u",
                    array->axes, array->ndim);
    return 0;
}

/* What n of a call is: along the first axis, which may be one with others. */
static struct plan_count count_first(const struct dims *dims, const struct dims_axis *first)
{
    struct plan_count count = {"elements along the first axis", PLAN_DEPTH, 1};
    uint64_t n = dims->depth.n;
    if (!first->is_combined) {
        const bool is_inner = dims->outer.n < first->n;
        count.along = is_inner ? PLAN_INNER : PLAN_OUTER;
        n = is_inner ? dims->inner.n : dims->outer.n;
    }
    count.each = n / first->n;
    return count;
}

static int read_segments(struct problem *out, struct plan_count *count,
                         const struct autotune_dims *array, struct autotune_error *error)
{
    struct error cause;
    if (array->ndim != 1 || array->strides)
        return fail(
            error, AUTOTUNE_BAD_ARGUMENT,
            "autotune_dims.segments are of one axis without gaps: give ndim 1, axes 1 and "
            "no strides");
    out->offsets = I32;
    if ((array->offsets && problem_find_offsets(&out->offsets, array->offsets, &cause)) ||
        (array->lengths && problem_find_lengths(&out->lengths, array->lengths, &cause)))
        return fail_for(error, &cause);
    out->dims = dims_segments(array->segments, array->shape[0]);
    *count = (struct plan_count){"elements", PLAN_DEPTH, 1};
    return 0;
}

static int read_array(struct problem *out, struct plan_count *count,
                      const struct autotune_problem *problem, struct autotune_error *error)
{
    struct autotune_dims known = {.size = 0}, *array = &known;
    struct dims_axis axes[DIMS_TEXT_AXES] = {{0, 0, false}};
    struct error cause;
    int failed = take_array(&known, problem->dims, error);
    if (!failed)
        failed = check_array(array, error);
    if (failed)
        return failed;
    if (problem->n || problem->rows || problem->len || problem->pitch || problem->axis ||
        problem->scan)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_problem.dims has all sizes: leave n, rows, len, pitch, axis and "
                    "scan 0");
    if (array->segments)
        return read_segments(out, count, array, error);
    if (array->offsets || array->lengths)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_dims.offsets and lengths are of segments: give segments too");
    for (unsigned i = 0; i < array->ndim; i++) {
        axes[i].n = array->shape[i];
        axes[i].is_combined = array->axes >> i & 1;
    }
    dims_text_pack(axes, array->ndim);
    for (unsigned i = 0; array->strides && i < array->ndim; i++)
        axes[i].stride = array->strides[i];
    if (dims_text_read_axes(&out->dims, axes, array->ndim, problem_types[out->type].bytes,
                            &cause))
        return fail_for(error, &cause);
    *count = count_first(&out->dims, axes);
    return 0;
}

/* A problem with any field of a matrix set is a matrix. */
static int read_dims(struct problem *out, struct plan_count *count,
                     const struct autotune_problem *problem, struct autotune_error *error)
{
    const struct matrix matrix = {problem->rows, problem->len, problem->pitch, problem->axis};
    const int bytes = problem_types[out->type].bytes;
    struct error cause;
    if (problem->scan < 0 || problem->scan >= DIMS_SCANS)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_problem.scan is %d: give one of enum autotune_scan",
                    problem->scan);
    out->dims = dims_run(problem->n, (enum dims_scan)problem->scan);
    *count = (struct plan_count){"elements", PLAN_DEPTH, 1};
    if (!matrix.rows && !matrix.len && !matrix.pitch && !matrix.axis)
        return 0;
    if (matrix.axis != 0 && matrix.axis != 1)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_problem.axis is %d: 1 gives a result for each row, 0 for each "
                    "column",
                    matrix.axis);
    if (problem->n)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_problem.n is not 0 beside rows, len, pitch or axis: give n for "
                    "one value, or rows, len and axis for a matrix");
    if (problem->scan && matrix.axis != 1)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_problem.axis is 0 beside a scan: only rows are scanned, give 1");
    *count = (struct plan_count){"rows", matrix.axis ? PLAN_OUTER : PLAN_DEPTH, 1};
    if (dims_text_read(&out->dims, &matrix, bytes, &cause))
        return fail_for(error, &cause);
    out->dims.scan = (enum dims_scan)problem->scan;
    return 0;
}

/* Checks that there are elements, and not more than can be. */
static int check_extent(const struct problem *problem, struct autotune_error *error)
{
    const uint64_t extent = dims_extent(&problem->dims);
    if (extent == 0)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_problem.n is 0: give the most elements that a call will have");
    if (extent > BYTES_MAX / (uint64_t)problem_types[problem->type].bytes ||
        dims_kept(&problem->dims) > RESULTS_MAX)
        return fail(error, AUTOTUNE_N_TOO_LARGE,
                    "autotune_problem is of %llu elements, first to last: no kernel takes so "
                    "many; reduce them in parts",
                    (unsigned long long)extent);
    return 0;
}

/* A program may unload the library, and load it again. */
static __attribute__((destructor)) void unload(void)
{
    operation_close();
}

int autotune_operation_read(const char **op, const char *name, const char *text,
                            struct autotune_error *error)
{
    KEEP_CALLER;
    const struct operation *read = NULL;
    struct text file = {0};
    struct error cause;
    if (!op || !name || !text)
        return fail_null(!op ? "op" : !name ? "name" : "text", error);
    text_addf(&file, "%.60s.ini", name);
    const int failed =
        text_check(&file, &cause) || operation_load(&read, file.at, text, strlen(text), &cause)
            ? fail_for(error, &cause)
            : 0;
    text_dispose(&file);
    *op = read ? read->key : NULL;
    return failed;
}

/* Gives what each word of a list says: "NAME=NUMBER ...". */
static int read_words(struct problem *out, const char *words,
                      int (*give)(struct problem *problem, const char *text,
                                  struct error *error),
                      struct autotune_error *error)
{
    struct error cause;
    struct text word = {0};
    int failed = 0;
    for (const char *at = words; !failed && *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        text_dispose(&word);
        text_add(&word, at, strcspn(at, " "));
        failed = text_check(&word, &cause) || give(out, word.at, &cause);
    }
    text_dispose(&word);
    return failed ? fail_for(error, &cause) : 0;
}

int api_read_problem(struct problem *out, struct plan_count *count,
                     const struct autotune_problem *problem, struct autotune_error *error)
{
    struct error cause;
    int failed =
        api_check_reserved(problem->reserved, PROBLEM_RESERVED, "autotune_problem", error);
    out->offsets = I8;
    out->lengths = LENGTHS_ANY;
    if (failed)
        return failed;
    if (!problem->op || !problem->type)
        return fail_null(problem->op ? "autotune_problem.type" : "autotune_problem.op", error);
    if (operation_find_key(&out->op, problem->op, &cause) ||
        problem_find_type(&out->type, problem->type, &cause))
        return fail_for(error, &cause);
    out->acc = problem_usual_acc(out->op, out->type);
    out->regime = problem->is_warm ? WARM : COLD;
    if (problem->order < 0 || problem->order >= ORDER_COUNT)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_problem.order is %d: give one of enum autotune_order",
                    problem->order);
    out->order = (enum order)problem->order;
    if (problem->acc && problem_find_type(&out->acc, problem->acc, &cause))
        return fail_for(error, &cause);
    failed = (problem->dims ? read_array : read_dims)(out, count, problem, error);
    if (failed)
        return failed;
    if (problem_check(out, &cause))
        return fail_for(error, &cause);
    problem_simplify(out);
    out->params = (struct problem_params){0};
    memset(out->further, 0, sizeof out->further);
    failed = problem->params ? read_words(out, problem->params, problem_give_text, error) : 0;
    if (!failed && problem->lies)
        failed = read_words(out, problem->lies, problem_give_lie, error);
    return failed ? failed : check_extent(out, error);
}

int api_check_options(const struct autotune_plan_options *options, struct autotune_error *error)
{
    if ((int)options->from < AUTOTUNE_FROM_BEST || (int)options->from > AUTOTUNE_FROM_TUNING)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_plan_options.from is %d: give one of enum autotune_from",
                    (int)options->from);
    if (!(options->budget_seconds >= 0 && options->budget_seconds <= 1e6))
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_plan_options.budget_seconds is not within 0 and a million");
    return api_check_reserved(options->reserved, OPTIONS_RESERVED, "autotune_plan_options",
                              error);
}

int autotune_plan_create(struct autotune_plan **out, struct autotune_context *context,
                         const struct autotune_problem *problem,
                         const struct autotune_plan_options *options,
                         struct autotune_error *error)
{
    KEEP_CALLER;
    static const struct autotune_plan_options defaults = {AUTOTUNE_FROM_BEST, 0, {0}};
    struct problem wanted;
    struct plan_count count = {0};
    struct error cause;
    int failed;
    if (!out)
        return fail_null("out", error);
    *out = NULL;
    if (!context || !problem)
        return fail_null(context ? "problem" : "context", error);
    options = options ? options : &defaults;
    failed = api_read_problem(&wanted, &count, problem, error);
    if (!failed)
        failed = api_check_options(options, error);
    if (failed)
        return failed;
    if (device_check(context->device, &cause) ||
        plan_make(out, context, &wanted, count, options, &cause))
        return fail_for(error, &cause);
    atomic_fetch_add(&context->plans, 1);
    return 0;
}

int autotune_plan_destroy(struct autotune_plan *plan, struct autotune_error *error)
{
    KEEP_ERRNO;
    if (!plan)
        return 0;
    const unsigned workspaces = atomic_load(&plan->workspaces);
    if (workspaces)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "the plan still has %u workspace%s: destroy them first", workspaces,
                    workspaces == 1 ? "" : "s");
    atomic_fetch_sub(&plan->context->plans, 1);
    plan_free(plan);
    return 0;
}

static const char *or_empty(const struct text *text)
{
    return text->at ? text->at : "";
}

enum autotune_grade autotune_plan_grade(const struct autotune_plan *plan)
{
    return plan ? plan->grade : AUTOTUNE_DEFAULT;
}

enum autotune_kernels autotune_plan_kernels(const struct autotune_plan *plan)
{
    return plan ? plan->how : AUTOTUNE_LOADED;
}

uint64_t autotune_plan_n(const struct autotune_plan *plan)
{
    return plan ? plan_most(plan) : 0;
}

uint64_t autotune_plan_results(const struct autotune_plan *plan)
{
    return plan ? dims_results(&plan->problem.dims) : 0;
}

unsigned autotune_plan_launches(const struct autotune_plan *plan)
{
    return plan ? (unsigned)plan->launches : 0;
}

size_t autotune_plan_element_bytes(const struct autotune_plan *plan)
{
    return plan ? plan->element_bytes : 0;
}

size_t autotune_plan_result_bytes(const struct autotune_plan *plan)
{
    return plan ? plan->result_bytes : 0;
}

const char *autotune_plan_result_type(const struct autotune_plan *plan)
{
    return plan ? problem_types[problem_result(&plan->problem)].name : "";
}

const char *autotune_plan_params(const struct autotune_plan *plan)
{
    return plan ? or_empty(&plan->params) : "";
}

size_t autotune_plan_op_param_count(const struct autotune_plan *plan)
{
    return plan ? operation_param_count(plan->problem.op) : 0;
}

const char *autotune_plan_op_param_name(const struct autotune_plan *plan, size_t k)
{
    return k < autotune_plan_op_param_count(plan) ? operation_param_name(plan->problem.op, k)
                                                  : "";
}

const char *autotune_plan_op_param_type(const struct autotune_plan *plan, size_t k)
{
    return k < autotune_plan_op_param_count(plan)
               ? problem_types[problem_param_type(&plan->problem, k)].name
               : "";
}

size_t autotune_plan_input_count(const struct autotune_plan *plan)
{
    return plan ? problem_inputs(&plan->problem) : 0;
}

const char *autotune_plan_input_name(const struct autotune_plan *plan, size_t k)
{
    return k < autotune_plan_input_count(plan) ? operation_input_name(plan->problem.op, k) : "";
}

const char *autotune_plan_input_type(const struct autotune_plan *plan, size_t k)
{
    return k < autotune_plan_input_count(plan)
               ? problem_types[problem_input_type(&plan->problem, k)].name
               : "";
}

const char *autotune_plan_origin(const struct autotune_plan *plan)
{
    return plan ? or_empty(&plan->origin) : "";
}

const char *autotune_plan_advice(const struct autotune_plan *plan)
{
    return plan ? or_empty(&plan->advice) : "";
}

const char *autotune_plan_warning(const struct autotune_plan *plan)
{
    return plan ? plan->warning : "";
}
