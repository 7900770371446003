/* finals: chooses the finalists, proves them further, races them and names the winner. Hides the
 * modules that hold their kernels. */
#include "autotune/tune/finals.h"

#include "autotune/tune/poison.h"
#include "autotune/tune/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MIN = 11 };

static const double CONFIDENCE = 0.95;
static const double SIMPLER_MAY_LOSE = 1.01; /* noise must not make a slow one the winner */
static const double RACE_PS = 1e12;                         /* the race takes about a second */
static const uint64_t RANDOM_MAX = (16u << 20) + 7;         /* elements of the rounding proof */
static const uint64_t PAST_32_BITS = (1ull << 31) + 100003; /* elements of the proof past 2^31 */

/* A finalist's kernels, loaded. */
struct entrant {
    struct device_module *module;
    struct device_kernel loaded[COMPILER_KERNELS];
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    const int64_t *row;
    struct bench_entry entry;
};

const int64_t *tune_row(const struct tune_result *result, size_t candidate)
{
    return result->points.rows + candidate * result->points.width;
}

/* --- Who is in --------------------------------------------------------------------------------- */

static size_t find_variant(const struct points *points, size_t candidate)
{
    size_t low = 0, high = points->variant_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (points->variants[middle].first <= candidate)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void insert_finalist(struct tune_result *result, size_t candidate)
{
    const struct trial *trials = result->trials;
    size_t at = result->finalist_count;
    while (at > 0 &&
           trials[result->finalists[at - 1].candidate].best_ps > trials[candidate].best_ps)
        at--;
    if (at == TUNE_FINALISTS)
        return;
    if (result->finalist_count < TUNE_FINALISTS)
        result->finalist_count++;
    memmove(&result->finalists[at + 1], &result->finalists[at],
            (result->finalist_count - at - 1) * sizeof result->finalists[0]);
    result->finalists[at] = (struct finalist){.candidate = candidate, .error = -1, .bound = -1};
}

static void choose_finalists(struct tune_result *result, const struct finals *finals)
{
    for (size_t i = 0; i < result->points.count; i++) {
        size_t unit = find_variant(&result->points, i) / COMPILER_UNIT;
        if (result->trials[i].status == TRIAL_MEASURED && finals->units[unit].count)
            insert_finalist(result, i);
    }
}

static int load_entrant(struct entrant *entrant, const struct tune_result *result,
                        const struct finals *finals, size_t candidate, struct error *error)
{
    const size_t variant = find_variant(&result->points, candidate);
    const struct compiled_unit *unit = &finals->units[variant / COMPILER_UNIT];
    entrant->row = tune_row(result, candidate);
    if (finals->device->ops->load(finals->device, &unit->image, &entrant->module, entrant->loaded,
                                  error))
        return -1;
    compiler_kernels(&unit->variants[variant % COMPILER_UNIT], entrant->loaded, entrant->kernels);
    return 0;
}

/* --- Further proofs ---------------------------------------------------------------------------- */

/* One run of n elements at `input`; the bits of the result. */
static int run_once(const struct finals *finals, const struct entrant *entrant,
                    const struct problem *problem, uint64_t input, uint64_t *height,
                    oracle_bits *out, struct error *error)
{
    const struct device_ops *ops = finals->device->ops;
    const struct point_context context = {finals->context->space, problem,
                                          finals->context->target};
    struct call_buffers buffers = {.input = input, .counter = finals->bench->counter,
                                   .output = finals->bench->outputs};
    struct device_launch launches[CALL_LAUNCHES_MAX];
    struct call_plan plan;
    *out = 0;
    if (call_plan(&plan, &context, entrant->row, problem->n, error) ||
        ops->alloc(finals->device, plan.scratch_bytes + 256, &buffers.scratch, error))
        return -1;
    *height = plan.height;
    call_bind(launches, &plan, context.space, entrant->kernels, &buffers);
    int failed =
        ops->fill(finals->device, buffers.output, POISON_OUTPUT, sizeof *out, error) ||
        ops->fill(finals->device, buffers.scratch, POISON_SCRATCH, plan.scratch_bytes, error) ||
        ops->fill(finals->device, buffers.counter, 0, sizeof(uint32_t), error) ||
        ops->launch(finals->device, launches, plan.count, error) ||
        ops->read(finals->device, out, buffers.output, (uint64_t)problem_types[problem->acc].bytes,
                  error);
    ops->free(finals->device, buffers.scratch);
    return failed ? -1 : 0;
}

/* The finalist is wrong after all: another takes its place. */
static void drop_finalist(struct tune_result *result, size_t i, const char *reason)
{
    tune_judge(result, result->finalists[i].candidate, TRIAL_WRONG, reason);
}

static int prove_specials(struct tune_result *result, struct entrant *entrants,
                          const struct finals *finals, struct error *error)
{
    for (size_t i = 0; i < result->finalist_count; i++) {
        const struct check_rows rows = {entrants[i].row, entrants[i].row};
        struct check_verdict verdict;
        if (check_specials(finals->check, finals->context, rows, entrants[i].kernels, &verdict,
                           error))
            return -1;
        result->proofs += verdict.cases;
        if (!verdict.is_right)
            drop_finalist(result, i, verdict.reason);
    }
    return 0;
}

/* Fills `n` random floats on the device and sums them exactly. */
static int fill_random(const struct finals *finals, const struct problem *problem, uint64_t input,
                       struct oracle_reference *reference, struct error *error)
{
    const struct oracle_input source = {.problem = *problem, .seed = finals->seed};
    const uint64_t bytes = problem->n * (uint64_t)problem_types[problem->type].bytes;
    double compensation = 0;
    void *elements = malloc(bytes);
    if (!elements)
        return error_memory(error, bytes);
    oracle_fill_random(&source, 0, problem->n, elements);
    oracle_reference_add(reference, problem, elements, problem->n, &compensation);
    int failed = finals->device->ops->write(finals->device, input, elements, bytes, error);
    free(elements);
    return failed;
}

static int prove_rounding_at(struct tune_result *result, struct entrant *entrants,
                             const struct finals *finals, const struct problem *problem,
                             uint64_t input, struct error *error)
{
    struct oracle_reference reference = {0, 0};
    if (fill_random(finals, problem, input, &reference, error))
        return -1;
    for (size_t i = 0; i < result->finalist_count; i++) {
        struct finalist *finalist = &result->finalists[i];
        oracle_bits bits;
        if (run_once(finals, &entrants[i], problem, input, &finalist->height, &bits, error))
            return -1;
        double got = oracle_to_double(problem->acc, bits);
        finalist->error = fabs(got - reference.value) / reference.sum_abs;
        finalist->bound =
            oracle_bound(problem->acc, finalist->height, reference.sum_abs) / reference.sum_abs;
        if (finalist->error <= finalist->bound) /* false for NaN too */
            continue;
        char reason[240];
        snprintf(reason, sizeof reason,
                 "error %.2e of sum|x| on random floats is past the bound %.2e", finalist->error,
                 finalist->bound);
        drop_finalist(result, i, reason);
    }
    return 0;
}

static int prove_rounding(struct tune_result *result, struct entrant *entrants,
                          const struct finals *finals, struct error *error)
{
    struct problem problem = *finals->context->problem;
    uint64_t input;
    if (!problem_types[problem.acc].is_float || (problem.op != SUM && problem.op != PROD) ||
        problem.n == 0)
        return 0;
    problem.n = problem.n < RANDOM_MAX ? problem.n : RANDOM_MAX;
    if (finals->device->ops->alloc(finals->device,
                                   problem.n * (uint64_t)problem_types[problem.type].bytes, &input,
                                   error))
        return -1;
    int failed = prove_rounding_at(result, entrants, finals, &problem, input, error);
    finals->device->ops->free(finals->device, input);
    return failed;
}

static int prove_past_32_bits_at(struct tune_result *result, struct entrant *entrants,
                                 const struct finals *finals, struct input *input,
                                 struct error *error)
{
    for (size_t i = 0; i < result->finalist_count; i++) {
        bool is_right = true;
        for (size_t k = 0; k < input->count; k++) {
            oracle_bits bits;
            uint64_t height;
            if (run_once(finals, &entrants[i], &input->problem, input_address(input, k), &height,
                         &bits, error))
                return -1;
            is_right = is_right && oracle_equal(input->problem.acc, input->expect[k], bits);
        }
        if (is_right)
            continue;
        char reason[240];
        snprintf(reason, sizeof reason, "wrong result at n = %" PRIu64 ", past 2^31",
                 input->problem.n);
        drop_finalist(result, i, reason);
    }
    return 0;
}

static int prove_past_32_bits(struct tune_result *result, struct entrant *entrants,
                              const struct finals *finals, struct error *error)
{
    struct problem problem = *finals->context->problem;
    const size_t count = input_least(&problem);
    const uint64_t bytes = count * PAST_32_BITS * (uint64_t)problem_types[problem.type].bytes;
    uint64_t free_bytes;
    struct input input;
    struct error no_room;
    if (finals->device->info.target.is_host || problem.n >= PAST_32_BITS)
        return 0;
    if (finals->device->ops->free_bytes(finals->device, &free_bytes, error))
        return -1;
    if (free_bytes < bytes + bytes / 4)
        return 0;
    problem.n = PAST_32_BITS;
    if (input_open(&input, finals->device, &problem, count, finals->seed, &no_room))
        return 0; /* the memory allows it not: fragmented, or taken meanwhile */
    /* The deciding element belongs in a whole tile, not in what is left over after the last. */
    int failed = input_mark(&input, input_last(&input), PAST_32_BITS - 50000, error) ||
                 prove_past_32_bits_at(result, entrants, finals, &input, error);
    input_close(&input);
    if (!failed)
        result->past_32_bits = PAST_32_BITS;
    return failed ? -1 : 0;
}

/* --- The race ---------------------------------------------------------------------------------- */

static size_t count_rounds(const struct tune_result *result, const struct bench *bench)
{
    double round_ps = 1;
    for (size_t i = 0; i < result->finalist_count; i++)
        round_ps += (double)(result->trials[result->finalists[i].candidate].best_ps * bench->calls);
    double rounds = RACE_PS / round_ps;
    if (rounds < ROUNDS_MIN)
        return ROUNDS_MIN;
    return rounds > TUNE_ROUNDS_MAX ? TUNE_ROUNDS_MAX : (size_t)rounds | 1;
}

/* One measurement of a finalist; in the last round its results are compared once more. */
static int run_one(struct tune_result *result, const struct entrant *entrant, size_t who,
                   size_t round, const struct finals *finals, struct error *error)
{
    uint64_t *time_ps = &result->finalists[who].times_ps[round];
    struct bench_verdict verdict;
    if (round + 1 < result->rounds)
        return bench_time(finals->bench, &entrant->entry, time_ps, error);
    if (bench_prove(finals->bench, &entrant->entry, time_ps, &verdict, error))
        return -1;
    if (!verdict.is_right)
        drop_finalist(result, who, verdict.reason);
    return 0;
}

static int race(struct tune_result *result, struct entrant *entrants, const struct finals *finals,
                struct error *error)
{
    const size_t count = result->finalist_count;
    size_t order[TUNE_FINALISTS];
    uint64_t random = finals->seed;
    result->rounds = count_rounds(result, finals->bench);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t round = 0; round < result->rounds; round++) {
        if (round % 2 == 0)
            stats_shuffle(order, count, &random);
        for (size_t i = 0; i < count; i++) {
            size_t who = round % 2 == 0 ? order[i] : order[count - 1 - i];
            if (run_one(result, &entrants[who], who, round, finals, error))
                return -1;
        }
    }
    return 0;
}

static int run_race(struct tune_result *result, struct entrant *entrants,
                    const struct finals *finals, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < result->finalist_count; i++)
        failed = bench_reserve(finals->bench, finals->context, entrants[i].row, error);
    for (size_t i = 0; !failed && i < result->finalist_count; i++)
        failed = bench_prepare(&entrants[i].entry, finals->bench, finals->context, entrants[i].row,
                               entrants[i].kernels, error);
    failed = failed || race(result, entrants, finals, error);
    for (size_t i = 0; i < result->finalist_count; i++)
        bench_release(finals->bench, &entrants[i].entry);
    return failed ? -1 : 0;
}

/* --- The verdict ------------------------------------------------------------------------------- */

static int by_median(const void *a, const void *b)
{
    const struct finalist *x = a, *y = b;
    return x->median_ps < y->median_ps ? -1 : x->median_ps > y->median_ps;
}

static void summarise(struct tune_result *result)
{
    for (size_t i = 0; i < result->finalist_count; i++) {
        struct finalist *finalist = &result->finalists[i];
        double times[TUNE_ROUNDS_MAX];
        for (size_t r = 0; r < result->rounds; r++)
            times[r] = (double)finalist->times_ps[r];
        struct stats_interval interval = stats_median_interval(times, result->rounds, CONFIDENCE);
        finalist->median_ps = (uint64_t)interval.middle;
        finalist->low_ps = (uint64_t)interval.low;
        finalist->high_ps = (uint64_t)interval.high;
        finalist->registers = result->trials[finalist->candidate].registers;
    }
    qsort(result->finalists, result->finalist_count, sizeof result->finalists[0], by_median);
}

/* How far from simple a row is: values stand from simple to elaborate in a space file. */
static size_t complexity(const struct space *space, const int64_t *row)
{
    size_t sum = 0;
    for (size_t i = 0; i < space->param_count; i++)
        for (size_t k = 0; k < space->params[i].count; k++)
            if (space->params[i].values[k] == row[i])
                sum += k;
    return sum;
}

static void name_winner(struct tune_result *result, const struct space *space)
{
    const struct finalist *fastest = &result->finalists[0];
    size_t least = SIZE_MAX;
    result->ties = 0;
    for (size_t i = 0; i < result->finalist_count; i++) {
        struct finalist *finalist = &result->finalists[i];
        struct stats_interval ratio = stats_ratio_interval(finalist->times_ps, fastest->times_ps,
                                                           result->rounds, CONFIDENCE);
        finalist->is_tie = i == 0 || ratio.low <= 1;
        finalist->ratio = ratio.middle;
        finalist->ratio_low = ratio.low;
        finalist->ratio_high = ratio.high;
        size_t effort = complexity(space, tune_row(result, finalist->candidate));
        if (finalist->is_tie && finalist->ratio <= SIMPLER_MAY_LOSE && effort < least) {
            least = effort;
            result->winner = i;
        }
        result->ties += i > 0 && finalist->is_tie;
    }
}

static bool has_dropped(const struct tune_result *result)
{
    for (size_t i = 0; i < result->finalist_count; i++)
        if (result->trials[result->finalists[i].candidate].status != TRIAL_MEASURED)
            return true;
    return false;
}

static int run_loaded(struct tune_result *result, struct entrant *entrants,
                      const struct finals *finals, struct error *error)
{
    if (prove_specials(result, entrants, finals, error) ||
        prove_rounding(result, entrants, finals, error) ||
        prove_past_32_bits(result, entrants, finals, error))
        return -1;
    return has_dropped(result) ? 0 : run_race(result, entrants, finals, error);
}

/* One attempt: chooses finalists, loads, proves and races them. */
static int attempt(struct tune_result *result, struct entrant *entrants,
                   const struct finals *finals, struct error *error)
{
    size_t loaded = 0;
    result->finalist_count = 0;
    choose_finalists(result, finals);
    if (result->finalist_count == 0)
        return error_set(error, ERROR_WRONG, "no finalist is right: %s",
                         result->reason_count ? result->reasons[result->reason_count - 1] : "");
    memset(entrants, 0, TUNE_FINALISTS * sizeof *entrants);
    int failed = 0;
    for (; !failed && loaded < result->finalist_count; loaded += !failed)
        failed = load_entrant(&entrants[loaded], result, finals,
                              result->finalists[loaded].candidate, error);
    failed = failed || run_loaded(result, entrants, finals, error);
    for (size_t i = 0; i < loaded; i++)
        finals->device->ops->unload(finals->device, entrants[i].module);
    return failed ? -1 : 0;
}

int finals_run(struct tune_result *result, const struct finals *finals, struct error *error)
{
    struct entrant *entrants = calloc(TUNE_FINALISTS, sizeof *entrants);
    if (!entrants)
        return error_memory(error, TUNE_FINALISTS * sizeof *entrants);
    int failed;
    do /* a finalist that turns out wrong makes room for the next best */
        failed = attempt(result, entrants, finals, error);
    while (!failed && has_dropped(result));
    free(entrants);
    if (failed)
        return -1;
    summarise(result);
    name_winner(result, finals->context->space);
    return 0;
}
