/* tune: the search over all points: takes compiled units as they come, proves each variant, proves
 * and times each candidate, and hands the best to the finals. Hides what is kept for them. */
#include "autotune/tune/tune.h"

#include "autotune/tune/bench.h"
#include "autotune/tune/check.h"
#include "autotune/tune/compiler.h"
#include "autotune/tune/finals.h"
#include "autotune/tune/input.h"
#include "autotune/tune/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SAMPLES = 3,                 /* measurements of a candidate in the search */
    HOST_POSITIONS = 512,        /* positions tried one by one on the emulator */
    MARKS = 3, /* more places of the deciding element at full n */
};
static const double HOPELESS = 1.5;  /* a first time this far from the best is the last */
static const double WORTH_KEEPING = 1.25;
static const double WARM_UP_LEAST = 0.2, WARM_UP_MOST = 1; /* seconds */
static const uint64_t GPU_POSITIONS = UINT64_MAX; /* every position */

const char *const tune_statuses[TRIAL_STATUSES] = {
    [TRIAL_MEASURED] = "measured",
    [TRIAL_WRONG] = "wrong",
    [TRIAL_FAILED] = "failed",
    [TRIAL_TOO_FAST] = "faster than memory",
};

struct search {
    struct device *device;
    const struct point_context *context;
    const struct emit_sources *sources;
    const struct tune_options *options;
    struct tune_result *result;
    struct check *check;
    struct input input;
    struct bench bench;
    struct compiled_unit *units; /* kept for the finals, by index */
    size_t unit_count;
    uint64_t best_ps;
    /* the space's default, which reads the sweep's data */
    struct points sweep_points;
    struct point_variant sweep_variant;
    struct compiled_unit sweep_unit;
    struct device_module *sweep_module;
    struct device_kernel sweep_loaded[COMPILER_KERNELS];
    const struct device_kernel *sweep_kernels[SPACE_PASSES_MAX];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- Verdicts ---------------------------------------------------------------------------------- */

void tune_judge(struct tune_result *result, size_t candidate, enum trial_status status,
                const char *reason)
{
    struct trial *trial = &result->trials[candidate];
    const size_t last = result->reason_count - 1;
    if (trial->is_judged)
        result->counts[trial->status]--;
    trial->is_judged = true;
    trial->status = status;
    trial->reason = -1;
    result->counts[status]++;
    if (!reason)
        return;
    if (result->reason_count && strcmp(result->reasons[last], reason) == 0) {
        trial->reason = (int)last;
    } else if (result->reason_count < TUNE_REASONS_MAX) {
        trial->reason = (int)result->reason_count;
        snprintf(result->reasons[result->reason_count++], sizeof result->reasons[0], "%.230s",
                 reason);
    }
}

static void judge_variant(struct search *search, size_t variant, enum trial_status status,
                          const char *reason)
{
    const struct point_variant *v = &search->result->points.variants[variant];
    for (size_t i = 0; i < v->count; i++)
        tune_judge(search->result, v->first + i, status, reason);
}

/* An error of the device, with the variant that brought it about. */
static int blame(const struct search *search, size_t candidate, struct error *error)
{
    struct text row = {0};
    struct error cause = *error;
    point_format(&row, search->context->space, tune_row(search->result, candidate), true);
    error_set(error, cause.code, "%s (while trying %s)", cause.text, row.at ? row.at : "");
    text_dispose(&row);
    return -1;
}

/* --- Candidates -------------------------------------------------------------------------------- */

/* Another proof with the deciding element elsewhere. */
static int prove_mark(struct search *search, const struct bench_entry *entry, uint64_t position,
                      struct bench_verdict *verdict, struct error *error)
{
    const uint64_t last = input_last(&search->input);
    uint64_t ignored_ps;
    return input_mark(&search->input, last, position, error) ||
                   bench_prove(&search->bench, entry, &ignored_ps, verdict, error) ||
                   input_mark(&search->input, position, last, error)
               ? -1
               : 0;
}

/* The full-size proof: the first timed measurement. Where one element decides, others follow with it
 * at the other edge and at places drawn for this candidate: what is not read is found by some. */
static int prove_full(struct search *search, size_t candidate, const struct bench_entry *entry,
                      uint64_t *ps, struct bench_verdict *verdict, struct error *error)
{
    const uint64_t n = search->input.problem.n;
    uint64_t random = search->options->seed ^ (uint64_t)candidate << 32;
    if (bench_prove(&search->bench, entry, ps, verdict, error))
        return -1;
    if (!oracle_has_mark(&search->input.problem) || n < 2)
        return 0;
    for (int i = 0; i < MARKS && verdict->is_right; i++)
        if (prove_mark(search, entry, i == 0 ? 0 : stats_random(&random) % n, verdict, error))
            return -1;
    return 0;
}

/* Measures again unless the first time was hopeless; the median counts. */
static int sample(struct search *search, const struct bench_entry *entry, uint64_t first_ps,
                  uint64_t *out_ps, struct error *error)
{
    uint64_t times[SAMPLES] = {first_ps};
    size_t count = 1;
    bool is_hopeless =
        search->best_ps && (double)first_ps > HOPELESS * (double)search->best_ps;
    for (; !is_hopeless && count < SAMPLES; count++)
        if (bench_time(&search->bench, entry, &times[count], error))
            return -1;
    *out_ps = stats_median(times, count);
    return 0;
}

static int try_entry(struct search *search, size_t candidate, const struct bench_entry *entry,
                     struct error *error)
{
    struct trial *trial = &search->result->trials[candidate];
    struct bench_verdict verdict;
    uint64_t ps;
    if (prove_full(search, candidate, entry, &ps, &verdict, error))
        return -1;
    if (!verdict.is_right) {
        tune_judge(search->result, candidate, TRIAL_WRONG, verdict.reason);
        return 0;
    }
    if (sample(search, entry, ps, &trial->best_ps, error))
        return -1;
    if (trial->best_ps < bench_floor_ps(&search->bench)) {
        tune_judge(search->result, candidate, TRIAL_TOO_FAST, NULL);
        return 0;
    }
    tune_judge(search->result, candidate, TRIAL_MEASURED, NULL);
    if (!search->best_ps || trial->best_ps < search->best_ps)
        search->best_ps = trial->best_ps;
    return 0;
}

static int try_candidate(struct search *search, size_t candidate,
                         const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                         struct error *error)
{
    const int64_t *row = tune_row(search->result, candidate);
    struct bench_entry entry = {0};
    for (size_t p = 0; p < SPACE_PASSES_MAX; p++)
        if (kernels[p]) {
            search->result->trials[candidate].registers = (unsigned)kernels[p]->registers;
            break;
        }
    int failed = bench_prepare(&entry, &search->bench, search->context, row, kernels, error) ||
                 try_entry(search, candidate, &entry, error);
    bench_release(&search->bench, &entry);
    return failed ? blame(search, candidate, error) : 0;
}

/* --- Variants ---------------------------------------------------------------------------------- */

static int prove_variant(struct search *search, const struct point_variant *variant,
                         const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                         struct check_verdict *verdict, struct error *error)
{
    struct check_rows rows;
    if (check_choose(&rows, search->context, tune_row(search->result, variant->first),
                     variant->count, error) ||
        check_small(search->check, search->context, rows, kernels, verdict, error))
        return blame(search, variant->first, error);
    search->result->proofs += verdict->cases;
    return 0;
}

static int try_variant(struct search *search, const struct compiled_variant *compiled,
                       const struct device_kernel *loaded, struct error *error)
{
    const struct point_variant *variant = &search->result->points.variants[compiled->variant];
    const struct tune_progress *progress = &search->options->progress;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct check_verdict verdict;
    if (compiled->is_failed) {
        judge_variant(search, compiled->variant, TRIAL_FAILED, compiled->reason.text);
        return 0;
    }
    compiler_kernels(compiled, loaded, kernels);
    if (prove_variant(search, variant, kernels, &verdict, error))
        return -1;
    if (!verdict.is_right) {
        judge_variant(search, compiled->variant, TRIAL_WRONG, verdict.reason);
        return 0;
    }
    for (size_t i = 0; i < variant->count; i++) {
        if (try_candidate(search, variant->first + i, kernels, error))
            return -1;
        if (progress->show)
            progress->show(progress->context, variant->first + i + 1, search->result->points.count,
                           search->best_ps);
    }
    return 0;
}

static bool is_worth_keeping(const struct search *search, const struct compiled_unit *unit)
{
    for (size_t v = 0; v < unit->count; v++) {
        const struct point_variant *variant =
            &search->result->points.variants[unit->variants[v].variant];
        for (size_t i = 0; i < variant->count; i++) {
            const struct trial *trial = &search->result->trials[variant->first + i];
            if (trial->status == TRIAL_MEASURED && trial->best_ps &&
                (double)trial->best_ps <= WORTH_KEEPING * (double)search->best_ps)
                return true;
        }
    }
    return false;
}

static int try_unit(struct search *search, const struct compiled_unit *unit, struct error *error)
{
    struct device_kernel loaded[COMPILER_KERNELS];
    struct device_module *module = NULL;
    int failed = 0;
    const bool is_loaded = unit->image.count == 0 ||
                           search->device->ops->load(search->device, &unit->image, &module, loaded,
                                                     error) == 0;
    for (size_t i = 0; !failed && i < unit->count; i++)
        if (is_loaded)
            failed = try_variant(search, &unit->variants[i], loaded, error);
        else
            judge_variant(search, unit->variants[i].variant, TRIAL_FAILED, error->text);
    if (module)
        search->device->ops->unload(search->device, module);
    return failed;
}

static int try_all(struct search *search, struct compiler *compiler, struct error *error)
{
    for (size_t u = 0;; u++) {
        struct compiled_unit unit = {.count = 0};
        int got = compiler_next(compiler, &unit, error);
        if (got <= 0)
            return got;
        int failed = try_unit(search, &unit, error);
        if (!failed && is_worth_keeping(search, &unit))
            search->units[u] = unit;
        else
            compiler_dispose(&unit);
        if (failed)
            return -1;
    }
}

/* --- Before the search ------------------------------------------------------------------------- */

/* Compiles, loads and proves the default variant, whose kernel reads the sweep's data. */
static int open_default(struct search *search, struct error *error)
{
    const struct space *space = search->context->space;
    const struct check_rows rows = {space->default_row, space->default_row};
    const size_t only = 0;
    struct check_verdict verdict;
    search->sweep_variant = (struct point_variant){0, 1};
    search->sweep_points = (struct points){.width = space->param_count, .rows = space->default_row,
                                           .count = 1, .variants = &search->sweep_variant,
                                           .variant_count = 1};
    if (compiler_compile(&search->sweep_unit, search->device, search->context, search->sources,
                         &search->sweep_points, &only, 1, error))
        return -1;
    if (search->sweep_unit.variants[0].is_failed) {
        *error = search->sweep_unit.variants[0].reason;
        return -1;
    }
    if (search->device->ops->load(search->device, &search->sweep_unit.image, &search->sweep_module,
                                  search->sweep_loaded, error))
        return -1;
    compiler_kernels(&search->sweep_unit.variants[0], search->sweep_loaded, search->sweep_kernels);
    if (check_small(search->check, search->context, rows, search->sweep_kernels, &verdict, error))
        return -1;
    if (!verdict.is_right)
        return error_set(error, ERROR_WRONG, "%s: the kernel of [default] gave a %s: correct the "
                                             "template or the space",
                         space->file, verdict.reason);
    return 0;
}

/* Runs the default for a while, and on until two medians in a row agree within 1 %: the clocks have
 * settled, or never will. */
static int warm_up(struct search *search, struct error *error)
{
    const int64_t *row = search->context->space->default_row;
    const double start = now();
    struct bench_entry entry = {0};
    uint64_t before = 0, apart, times[SAMPLES], median = 0;
    int failed = bench_prepare(&entry, &search->bench, search->context, row, search->sweep_kernels,
                               error);
    while (!failed) {
        for (size_t i = 0; !failed && i < SAMPLES; i++)
            failed = bench_time(&search->bench, &entry, &times[i], error);
        before = median;
        median = failed ? 0 : stats_median(times, SAMPLES);
        apart = median > before ? median - before : before - median;
        if (now() - start > WARM_UP_MOST || (now() - start > WARM_UP_LEAST && apart * 100 < median))
            break;
    }
    bench_release(&search->bench, &entry);
    return failed;
}

static int open_search(struct search *search, struct error *error)
{
    struct device *device = search->device;
    const struct problem *problem = search->context->problem;
    struct tune_result *result = search->result;
    const bool is_host = device->info.target.is_host;
    double start = now();
    search->units = calloc(search->unit_count, sizeof *search->units);
    result->trials = calloc(result->points.count, sizeof *result->trials);
    if (!search->units || !result->trials)
        return error_memory(error, result->points.count * sizeof *result->trials);
    result->inputs = input_count(problem, &device->info);
    if (input_open(&search->input, device, problem, result->inputs, search->options->seed, error) ||
        check_open(&search->check, device, problem, is_host ? HOST_POSITIONS : GPU_POSITIONS,
                   search->options->seed, error) ||
        open_default(search, error) ||
        bench_open(&search->bench, device, &search->input, search->context,
                   search->context->space->default_row, search->sweep_kernels, error))
        return -1;
    result->calls = search->bench.calls;
    if (!is_host && warm_up(search, error))
        return -1;
    result->seconds_input = now() - start;
    return 0;
}

static void close_search(struct search *search)
{
    if (search->bench.device)
        bench_close(&search->bench);
    if (search->sweep_module)
        search->device->ops->unload(search->device, search->sweep_module);
    compiler_dispose(&search->sweep_unit);
    if (search->check)
        check_close(search->check);
    if (search->input.device)
        input_close(&search->input);
    for (size_t i = 0; search->units && i < search->unit_count; i++)
        compiler_dispose(&search->units[i]);
    free(search->units);
}

/* --- The run ----------------------------------------------------------------------------------- */

static unsigned count_threads(const struct device *device)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!device->info.target.is_host) /* NVRTC compiles one unit at a time in a process */
        return cores > 1 ? 2 : 1;
    return cores < 1 ? 1 : cores > 16 ? 16 : (unsigned)cores;
}

static int run_search(struct search *search, struct error *error)
{
    struct compiler *compiler;
    double start = now();
    if (compiler_start(&compiler, search->device, search->context, search->sources,
                       &search->result->points, count_threads(search->device), error))
        return -1;
    int failed = open_search(search, error) || try_all(search, compiler, error);
    compiler_stop(compiler);
    search->result->seconds_search = now() - start - search->result->seconds_input;
    return failed ? -1 : 0;
}

static int run_finals(struct search *search, struct error *error)
{
    const struct finals finals = {search->device, search->context, &search->bench,
                                  search->check, search->units, search->options->seed};
    const struct tune_result *result = search->result;
    double start = now();
    if (result->counts[TRIAL_MEASURED] == 0)
        return error_set(error, ERROR_WRONG, "none of %zu candidates is right; the first: %s",
                         result->points.count, result->reason_count ? result->reasons[0] : "");
    int failed = finals_run(search->result, &finals, error);
    search->result->seconds_final = now() - start;
    return failed;
}

int tune_run(struct tune_result *out, struct device *device, const struct point_context *context,
             const struct emit_sources *sources, const struct tune_options *options,
             struct error *error)
{
    struct search search = {.device = device, .context = context, .sources = sources,
                            .options = options, .result = out};
    double start = now();
    *out = (struct tune_result){.rounds = 0};
    if (options->only ? point_single(&out->points, context->space, options->only, error)
                      : strategy_points(&out->points, context, options->strategy,
                                        (unsigned)options->seed, error))
        return -1;
    search.unit_count = (out->points.variant_count + COMPILER_UNIT - 1) / COMPILER_UNIT;
    int failed = run_search(&search, error) || run_finals(&search, error);
    close_search(&search);
    out->seconds = now() - start;
    if (failed)
        tune_dispose(out);
    return failed ? -1 : 0;
}

void tune_dispose(struct tune_result *result)
{
    point_dispose(&result->points);
    free(result->trials);
    result->trials = NULL;
}
