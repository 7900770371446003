/* Proves that winners are honest: test_ties DEVICE [RUNS] [--csv FILE]. The same kernel twice must
 * be a tie, and a kernel that takes 3 % longer must lose alone, each in 95 of 100 races run with the
 * options of the finals. The slower one is the same source with a delay behind its result. A plain
 * program, so that it runs where no test library is. Exit code 0 = all held; on the host, which
 * keeps no time, the figures are printed and not judged. */
#include "autotune/embedded.h"
#include "autotune/measure/bench.h"
#include "autotune/measure/race.h"
#include "autotune/measure/stats.h"
#include "generator/emit.h"
#include "generator/text.h"
#include "tests/unit/named_op.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS = 201, PAIRS_LAST = 401, STEPS = 20, RUNS = 100, NEEDED_PCT = 95 };
static const double PLANTED = 0.0305, PLANTED_LEAST = 0.029, PLANTED_MOST = 0.032;
static const double WARM_UP_S = 0.5;
static const uint64_t NO_DELAY = UINT64_MAX;

/* As autotune/search/final_race.c has them, but for the seconds. */
static const struct race_options RULES = {.seconds = 0.5,
                                          .rounds_min = 11,
                                          .error = 0.01,
                                          .margin = 0.005,
                                          .drift_max = 0.02,
                                          .noise_max = 0.03,
                                          .reference = 0};

/* What is raced: sizes, and for each a variant that is fast there. */
static const struct size {
    uint64_t n, host_n;
    const char *params;
} sizes[] = {
    {64000, 1000, "BLOCK=256 ITEMS=4 VECTOR=4 UNROLL=1 FINISH=LAST_BLOCK GRID=0"},
    {16000000, 10000, "BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4 FINISH=LAST_BLOCK GRID=4"},
    {400000000, 100000, "BLOCK=256 ITEMS=64 VECTOR=4 UNROLL=16 FINISH=LAST_BLOCK GRID=6"},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A kernel in a module of its own, ready to be measured. */
struct contender {
    struct device_module *module;
    struct device_kernel kernel;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct bench_entry entry;
};

/* One size on the device. */
struct stand {
    struct device *device;
    struct problem problem;
    struct point_context context;
    struct emit_sources sources;
    int64_t row[SPACE_NAMES_MAX];
    struct input input;
    struct bench bench;
    struct contender base, other; /* of a race */
    bool is_swapped;              /* entrant 0, the reference, is the other */
};

enum outcome { TIED, BASE_ALONE, OTHER_ALONE, NOISY, OUTCOMES };
static const char *const outcome_names[OUTCOMES] = {"tie", "base", "other", "noisy"};

struct tally {
    uint64_t n;
    bool is_planted;
    double planted; /* measured: how much longer the slower one takes */
    size_t runs, counts[OUTCOMES];
    double longest_s;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- Kernels ----------------------------------------------------------------------------------- */

/* The delay is spread over 64 cycles by the clock's own low bits: one turn of the loop is too coarse
 * a step for a kernel of microseconds, the mean over calls is not. */
static void add_delay(struct text *out, bool is_host, uint64_t delay)
{
    if (is_host)
        text_addf(out, "for (volatile long long spin = 0; spin < %" PRIu64 "; spin++) ;",
                  delay);
    else
        text_addf(out,
                  "const long long from = clock64(); "
                  "while (clock64() - from < %" PRIu64 " + (from & 63)) ;",
                  delay);
}

/* The source with a delay after its result is stored, by the thread that stores it. */
static int plant(struct text *out, const char *source, bool is_host, uint64_t delay,
                 struct error *error)
{
    static const char result[] = "*y = a;";
    const char *at = strstr(source, result);
    if (!at || strstr(at + 1, result))
        return error_set(error, ERROR_FAILED,
                         "the kernel has not one '%s': adapt test_ties.c to "
                         "templates/reduce.cu",
                         result);
    text_add(out, source, (size_t)(at - source));
    text_addf(out, "{ %s ", result);
    add_delay(out, is_host, delay);
    text_adds(out, " }");
    text_adds(out, at + sizeof result - 1);
    return text_check(out, error);
}

static int compile_and_load(struct stand *stand, struct contender *contender, const char *text,
                            struct error *error)
{
    const struct device_ops *ops = stand->device->ops;
    const struct device_source source = {text, stand->context.space->kernel};
    struct device_image image;
    if (ops->compile(stand->device, &source, 1, &image, error))
        return -1;
    int failed =
        ops->load(stand->device, &image, &contender->module, &contender->kernel, error);
    device_dispose_image(&image);
    return failed;
}

static int load(struct stand *stand, struct contender *out, uint64_t delay, struct error *error)
{
    struct emit_variant variant;
    struct text text = {0};
    *out = (struct contender){.module = NULL};
    if (emit_variant(&variant, &stand->context, &stand->sources, stand->row, error))
        return -1;
    if (delay == NO_DELAY)
        text_adds(&text, variant.texts[0].at);
    int failed =
        (delay != NO_DELAY &&
         plant(&text, variant.texts[0].at, stand->device->info.target.is_host, delay, error)) ||
        text_check(&text, error) || compile_and_load(stand, out, text.at, error);
    for (size_t p = 0; p < SPACE_PASSES_MAX; p++)
        if (p < stand->context.space->pass_count && variant.text_of_pass[p] == 0)
            out->kernels[p] = &out->kernel;
    text_dispose(&text);
    emit_dispose(&variant);
    return failed ? -1 : 0;
}

static int prepare(struct stand *stand, struct contender *contender, struct error *error)
{
    struct bench_outcome outcome;
    uint64_t ps;
    if (bench_prepare(&contender->entry, &stand->bench, &stand->context, stand->row,
                      contender->kernels, stand->bench.calls, error) ||
        bench_prove(&stand->bench, &contender->entry, &ps, &outcome, error))
        return -1;
    return outcome.is_right ? 0 : error_set(error, ERROR_WRONG, "%s", outcome.reason);
}

static void release(struct stand *stand, struct contender *contender)
{
    bench_release(&stand->bench, &contender->entry);
    if (contender->module)
        stand->device->ops->unload(stand->device, contender->module);
    *contender = (struct contender){.module = NULL};
}

/* The race's other: the same kernel again, or a slower one. */
static int replace_other(struct stand *stand, uint64_t delay, struct error *error)
{
    release(stand, &stand->other);
    return load(stand, &stand->other, delay, error) || prepare(stand, &stand->other, error) ? -1
                                                                                            : 0;
}

/* --- The planted difference -------------------------------------------------------------------- */

/* How much longer the other takes: the median over interleaved pairs. */
static int compare(struct stand *stand, size_t pairs, double *out, struct error *error)
{
    double ratios[PAIRS_LAST];
    uint64_t base_ps, other_ps;
    for (size_t i = 0; i < pairs; i++) {
        if ((i % 2 && bench_time(&stand->bench, &stand->other.entry, &other_ps, error)) ||
            bench_time(&stand->bench, &stand->base.entry, &base_ps, error) ||
            (i % 2 == 0 && bench_time(&stand->bench, &stand->other.entry, &other_ps, error)))
            return -1;
        ratios[i] = (double)other_ps / (double)(base_ps ? base_ps : 1);
    }
    *out = stats_median_interval(ratios, pairs, 0.95).middle - 1;
    return 0;
}

static bool is_planted(double extra)
{
    return extra >= PLANTED_LEAST && extra <= PLANTED_MOST;
}

/* Delays that gave too little and too much; what a delay gives is not in proportion to it where
 * it is a few turns of its loop. */
struct bracket {
    uint64_t low, high; /* high 0: none yet */
};

static uint64_t next_delay(struct bracket *bracket, uint64_t delay, double extra)
{
    *(extra < PLANTED ? &bracket->low : &bracket->high) = delay;
    return bracket->high ? bracket->low + (bracket->high - bracket->low) / 2 : 4 * delay;
}

/* Leaves a slower `other`. -1 when none is slower by what is wanted. */
static int plant_slower(struct stand *stand, double *out, uint64_t *out_delay,
                        struct error *error)
{
    double least, extra = 0;
    struct bracket bracket = {0, 0};
    uint64_t delay = 64;
    if (replace_other(stand, 0, error) || compare(stand, PAIRS, &least, error))
        return -1;
    for (int i = 0; i < STEPS; i++) {
        if (replace_other(stand, delay, error) || compare(stand, PAIRS, &extra, error) ||
            (is_planted(extra) && compare(stand, PAIRS_LAST, &extra, error)))
            return -1;
        *out = extra;
        *out_delay = delay;
        if (is_planted(extra))
            return 0;
        delay = next_delay(&bracket, delay, extra);
    }
    if (stand->device->info.target.is_host)
        return 0;
    return error_set(error, ERROR_FAILED,
                     "no delay makes the kernel %.1f to %.1f %% slower: 0 "
                     "cycles give %.2f %%, the last try %.2f %%; is the GPU "
                     "busy?",
                     100 * PLANTED_LEAST, 100 * PLANTED_MOST, 100 * least, 100 * extra);
}

/* --- Races ------------------------------------------------------------------------------------- */

static int measure_entrant(void *context, size_t number, uint64_t *out_ps, struct error *error)
{
    struct stand *stand = context;
    const bool is_other = (number == 1) != stand->is_swapped;
    return bench_time(&stand->bench, is_other ? &stand->other.entry : &stand->base.entry,
                      out_ps, error);
}

static enum outcome judge(const struct stand *stand, const struct race_result *result)
{
    if (result->is_noisy)
        return NOISY;
    if (result->ties > 0)
        return TIED;
    return (result->places[0].entrant == 1) != stand->is_swapped ? OTHER_ALONE : BASE_ALONE;
}

/* Each is the reference in every other race, so that this place favours nobody. */
static int race_once(struct stand *stand, size_t run, struct tally *tally, FILE *csv,
                     struct error *error)
{
    struct race_options options = RULES;
    struct race_result result;
    const double start = now();
    options.seed = run + 1;
    stand->is_swapped = run % 2;
    if (race_run(&result, 2, measure_entrant, stand, &options, error))
        return -1;
    const double seconds = now() - start;
    const enum outcome outcome = judge(stand, &result);
    const struct race_place *last = &result.places[1];
    tally->runs++;
    tally->counts[outcome]++;
    tally->longest_s = seconds > tally->longest_s ? seconds : tally->longest_s;
    if (csv)
        fprintf(csv, "%" PRIu64 ",%s,%zu,%s,%s,%.6f,%.6f,%.6f,%zu,%zu,%.3f\n", tally->n,
                tally->is_planted ? "planted" : "same", run + 1,
                stand->is_swapped ? "other" : "base", outcome_names[outcome], last->ratio,
                last->ratio_low, last->ratio_high, result.rounds, result.repeated, seconds);
    return 0;
}

static int race_all(struct stand *stand, size_t runs, struct tally *tally, FILE *csv,
                    struct error *error)
{
    for (size_t i = 0; i < runs; i++)
        if (race_once(stand, i, tally, csv, error))
            return -1;
    return 0;
}

static int warm_up(struct stand *stand, struct error *error)
{
    const double start = now();
    uint64_t ps = 0;
    while (now() - start < WARM_UP_S)
        if (bench_time(&stand->bench, &stand->base.entry, &ps, error))
            return -1;
    printf("n = %" PRIu64 ": %.3f us a call, %zu calls a measurement\n",
           dims_n(&stand->problem.dims), (double)ps / 1e6, stand->bench.calls);
    return 0;
}

/* Fills two tallies. */
static int run_races(struct stand *stand, size_t runs, struct tally *tallies, FILE *csv,
                     struct error *error)
{
    uint64_t delay;
    tallies[0] = (struct tally){.n = dims_n(&stand->problem.dims)};
    tallies[1] = (struct tally){.n = dims_n(&stand->problem.dims), .is_planted = true};
    if (warm_up(stand, error) || replace_other(stand, NO_DELAY, error) ||
        race_all(stand, runs, &tallies[0], csv, error) ||
        plant_slower(stand, &tallies[1].planted, &delay, error))
        return -1;
    printf("planted: %.2f %% by a delay of %" PRIu64 "\n", 100 * tallies[1].planted, delay);
    fflush(stdout);
    return race_all(stand, runs, &tallies[1], csv, error);
}

/* --- Sizes ------------------------------------------------------------------------------------- */

static int open_stand(struct stand *stand, const char *params, struct error *error)
{
    const struct space *space = stand->context.space;
    const size_t inputs = input_count(&stand->problem, &stand->device->info);
    memcpy(stand->row, space->default_config, space->param_count * sizeof *stand->row);
    if (point_parse(space, params, stand->row, error) ||
        input_open(&stand->input, stand->device, &stand->problem, inputs, 1, error))
        return -1;
    return load(stand, &stand->base, NO_DELAY, error) ||
                   bench_open(&stand->bench, stand->device, &stand->input, &stand->context,
                              stand->row, stand->base.kernels, error) ||
                   bench_reserve(&stand->bench, &stand->context, stand->row, error) ||
                   prepare(stand, &stand->base, error)
               ? -1
               : 0;
}

static void close_stand(struct stand *stand)
{
    release(stand, &stand->other);
    release(stand, &stand->base);
    if (stand->bench.device)
        bench_close(&stand->bench);
    if (stand->input.device)
        input_close(&stand->input);
}

static struct emit_file builtin(const char *name)
{
    const struct embedded *file = embedded_find(name);
    return (struct emit_file){name, file ? file->bytes : ""};
}

static int run_size(struct device *device, const struct space *space, const struct size *size,
                    size_t runs, struct tally *tallies, FILE *csv, struct error *error)
{
    struct stand stand = {
        .device = device,
        .problem = {.op = op_of(SUM),
                    .type = I32,
                    .acc = I32,
                    .dims = DIMS_VALUE(device->info.target.is_host ? size->host_n : size->n),
                    .regime = COLD},
        .sources = {.template = builtin("templates/reduce.cu"),
                    .types = builtin("templates/types.cu"),
                    .intrinsics = builtin("templates/intrinsics.cu")},
    };
    stand.context = (struct point_context){space, &stand.problem, &device->info.target};
    int failed =
        open_stand(&stand, size->params, error) || run_races(&stand, runs, tallies, csv, error);
    close_stand(&stand);
    return failed;
}

static bool has_held(const struct tally *tally)
{
    const enum outcome right = tally->is_planted ? BASE_ALONE : TIED;
    return tally->counts[right] * 100 >= tally->runs * NEEDED_PCT;
}

/* True when all that are judged have held. */
static bool print_tallies(const struct tally *tallies, size_t count, bool is_host)
{
    bool is_right = true;
    printf("\n%11s  %-7s  %9s  %4s  %4s  %4s  %5s  %5s  %9s  %s\n", "n", "race", "planted %",
           "runs", "tie", "base", "other", "noisy", "longest s", "held");
    for (size_t i = 0; i < count; i++) {
        const struct tally *tally = &tallies[i];
        printf("%11" PRIu64 "  %-7s  %9.2f  %4zu  %4zu  %4zu  %5zu  %5zu  %9.3f  %s\n",
               tally->n, tally->is_planted ? "planted" : "same", 100 * tally->planted,
               tally->runs, tally->counts[TIED], tally->counts[BASE_ALONE],
               tally->counts[OTHER_ALONE], tally->counts[NOISY], tally->longest_s,
               is_host           ? "not judged"
               : has_held(tally) ? "yes"
                                 : "NO");
        is_right = is_right && (is_host || has_held(tally));
    }
    return is_right;
}

static int run_all(struct device *device, size_t runs, FILE *csv, struct error *error)
{
    const struct embedded *file = embedded_find("configs/reduce.ini");
    struct tally tallies[2 * SIZES];
    struct space *space;
    if (!file)
        return error_set(error, ERROR_FAILED,
                         "configs/reduce.ini is not built in: build again");
    if (space_load(&space, file->name, file->bytes, file->length, embedded_space, error))
        return -1;
    printf("device %s: %s, driver %s, %s\n", device->info.spec, device->info.name,
           device->info.driver, device->info.compiler);
    int failed = 0;
    for (size_t i = 0; i < SIZES && !failed; i++)
        failed = run_size(device, space, &sizes[i], runs, &tallies[2 * i], csv, error);
    space_free(space);
    if (failed)
        return -1;
    return print_tallies(tallies, 2 * SIZES, device->info.target.is_host)
               ? 0
               : error_set(error, ERROR_FAILED,
                           "less than %d of 100 races ended as they should", NEEDED_PCT);
}

static int run(const char *spec, size_t runs, FILE *csv, struct error *error)
{
    const struct device_options options = {.spec = spec, .seed = 1};
    struct device *device;
    if (device_open(&device, &options, error))
        return -1;
    if (csv)
        fprintf(csv, "n,race,run,reference,verdict,ratio,ratio_low,ratio_high,rounds,repeated,"
                     "seconds\n");
    int failed = run_all(device, runs, csv, error);
    device_close(device);
    return failed;
}

int main(int count, char **args)
{
    struct error error;
    FILE *csv = NULL;
    if (count > 2 && strcmp(args[count - 2], "--csv") == 0) {
        csv = fopen(args[count - 1], "w");
        if (!csv)
            return perror(args[count - 1]), 74;
        count -= 2;
    }
    const long runs = count == 3 ? strtol(args[2], NULL, 10) : RUNS;
    if (count < 2 || count > 3 || runs < 1)
        return fprintf(stderr, "usage: test_ties DEVICE [RUNS] [--csv FILE]\n"), 64;
    int failed = run(args[1], (size_t)runs, csv, &error);
    if (csv && fclose(csv) != 0)
        return perror("test_ties: the CSV file"), 74;
    if (failed)
        return fprintf(stderr, "FAILED: %s\n", error.text), 1;
    printf("all held\n");
    return 0;
}
