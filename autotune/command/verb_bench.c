/* verb_bench: times the kernels of the records against other libraries, one line of a table for
 * each n, or one for each n and library. Never tunes: it times the kernels on record and shows
 * how well each record fits. */
#include "autotune/cli/option_conflicts.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/output_rows.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/verbs.h"
#include "autotune/measure/bench_against.h"
#include "autotune/measure/paired.h"
#include "autotune/print/figures.h"
#include "autotune/print/terminal.h"
#include "autotune/tune/tune_notes.h"
#include "generator/dims_text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_GPU = 201, ROUNDS_HOST = 11, BASELINES_MAX = PAIRED_SIDES_MAX - 1 };

#define INTERVAL "95 % interval"
#define RANGE "least .. most"

/* CSV has the columns that papers use, then those with the conditions of the measurement; JSON
 * has every field of a line. */
static const struct table_column columns[] = {
    {"n", NULL, true},
    {NULL, "n", true},
    {"theirs us", "cub_us", true},
    {"ours us", "ours_us", true},
    {"ratio", "ratio", true},
    {INTERVAL, NULL, false},
    {NULL, "ratio_lo", true},
    {NULL, "ratio_hi", true},
    {"GB/s", "ours_gbs", true},
    {"% peak", "peak_pct", true},
    {"against", NULL, false},
    {"record", NULL, false},
    {"variant", "variant", false},
    {NULL, "op", false},
    {NULL, "type", false},
    {NULL, "regime", false},
    {NULL, "against", false},
    {NULL, "gpu", false},
    {NULL, "offset", true},
    {NULL, "order", false},
    DIMS_TEXT_COLUMNS,
};
static const struct table_column json_columns[] = {
    {NULL, "op", false},      {NULL, "type", false},     {NULL, "acc", false},
    {NULL, "n", true},        {NULL, "regime", false},   {NULL, "problem_order", false},
    {NULL, "order", false},   {NULL, "offset", true},    {NULL, "rounds", true},
    {NULL, "calls", true},    {NULL, "against", false},  {NULL, "cub_us", true},
    {NULL, "ours_us", true},  {NULL, "ratio", true},     {NULL, "ratio_lo", true},
    {NULL, "ratio_hi", true}, {NULL, "ours_gbs", true},  {NULL, "peak_pct", true},
    {NULL, "record", false},  {NULL, "variant", false},  {NULL, "gpu", false},
    {NULL, "driver", false},  {NULL, "compiler", false}, DIMS_TEXT_COLUMNS,
};
enum {
    COLUMNS = sizeof columns / sizeof *columns,
    INTERVAL_COLUMN = 5,
    INTERVAL_ROUNDS =
        6, /* of fewer, all that were measured hold the median less surely: 93.8 % */
    JSON_COLUMNS = sizeof json_columns / sizeof *json_columns,
    GRADE_CHARS = 32 + DIMS_TEXT_CHARS,
};

/* What bench alone has options for. */
struct bench_request {
    const char *against; /* files separated by commas; "cub" = those of bench/cub/build.sh */
    uint64_t offset;     /* of inputs, in bytes */
    uint64_t rounds;     /* 0 = the device's default */
    bool stream;         /* calls in plain stream order, not as a graph */
    bool each;           /* a line for each of the others */
};

struct bench_verb {
    struct request request;
    struct bench_request own;
    struct setup setup;
    struct baseline baselines[BASELINES_MAX];
    size_t baseline_count;
    const struct baseline *chosen[BASELINES_MAX]; /* the baselines that have the problem */
    size_t chosen_count;
    struct table_column columns[COLUMNS];
    struct table table, json;
    struct output_rows csv;
    const struct dims *sizes; /* to time, in this order */
    size_t size_count;
    struct dims usual;  /* where none is given */
    struct error error; /* what ended it: lines that were finished are printed all the same */
};

/* --- The others --------------------------------------------------------------------------- */

static int add_baseline(struct bench_verb *verb, const char *path, struct error *error)
{
    if (verb->baseline_count == BASELINES_MAX)
        return error_set(error, ERROR_USAGE, "--against names more than %d: give fewer",
                         BASELINES_MAX);
    struct baseline *baseline = &verb->baselines[verb->baseline_count];
    if (baseline_open(baseline, path, verb->setup.device, error))
        return -1;
    verb->baseline_count++;
    output_note(&verb->request.out, "against   %s (%s)\n", baseline->face->name, path);
    return 0;
}

/* What bench/cub/build.sh builds: in this program's folder, or in build/ here. */
static int add_cub(struct bench_verb *verb, struct error *error)
{
    static const char *const names[] = {"cub-toolkit.so", "cub-newest.so"};
    const size_t before = verb->baseline_count;
    char self[PATH_MAX - 64] = "", path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = '\0';
    const char *const folders[] = {slash ? self : "build", "build"};
    for (size_t i = 0; i < 2 && verb->baseline_count == before; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            snprintf(path, sizeof path, "%s/%s", folders[i], names[k]);
            if (access(path, F_OK) == 0 && add_baseline(verb, path, error))
                return -1;
        }
    return verb->baseline_count > before
               ? 0
               : error_set(error, ERROR_USAGE,
                           "--against cub: there is no cub-toolkit.so beside the program or in "
                           "build/: bench/cub/build.sh of autotune's sources builds it");
}

static int open_baselines(struct bench_verb *verb, struct error *error)
{
    for (const char *at = verb->own.against; at;) {
        char path[PATH_MAX];
        const size_t length = text_next_item(&at, path, sizeof path);
        if (length == 0 || length >= sizeof path)
            return error_set(
                error, ERROR_USAGE,
                "--against has an empty or endless name: write the names of shared "
                "objects, separated by commas");
        if (strcmp(path, "cub") == 0 ? add_cub(verb, error) : add_baseline(verb, path, error))
            return -1;
    }
    return 0;
}

/* The libraries that have the operation for the type. */
static int choose_baselines(struct bench_verb *verb, struct error *error)
{
    const struct problem *problem = &verb->setup.problem;
    char text[PROBLEM_CHARS];
    for (size_t i = 0; i < verb->baseline_count; i++)
        if (baseline_supports(&verb->baselines[i], problem))
            verb->chosen[verb->chosen_count++] = &verb->baselines[i];
        else
            output_note(&verb->request.out, "note      %s has no %s\n",
                        verb->baselines[i].face->name, problem_format(text, problem));
    return verb->chosen_count
               ? 0
               : error_set(error, ERROR_USAGE,
                           "%s has no %s: choose another --op, --type or --acc",
                           verb->baselines[0].face->name, problem_format(text, problem));
}

/* --- Ours --------------------------------------------------------------------------------- */

/* The config of the best matching record, else the default. */
static int choose_config(int64_t *config, struct find_result *found,
                         const struct bench_verb *verb, struct error *error)
{
    const struct space *space = verb->setup.space;
    struct error warning;
    if (setup_find(found, &verb->setup, &verb->request, &warning, error))
        return -1;
    if (warning.code != ERROR_NONE)
        output_warn("%s", warning.text);
    memcpy(config, found->grade == SELECTOR_NONE ? space->default_config : found->config,
           space->param_count * sizeof *config);
    return 0;
}

/* "exact", "default", or how the record differs: "same GPU, other size: 1Mi". */
static const char *describe_grade(char out[GRADE_CHARS], const struct find_result *found)
{
    char size[DIMS_TEXT_CHARS];
    if (found->grade == SELECTOR_NONE)
        return "none: default";
    snprintf(out, GRADE_CHARS, "%s%s%s", find_grades[found->grade],
             found->grade > SELECTOR_STALE ? ": " : "",
             found->grade > SELECTOR_STALE ? dims_text_format(size, &found->record.problem.dims)
                                           : "");
    return out;
}

/* --- Lines -------------------------------------------------------------------------------- */

/* The cells of one line, as text. */
struct line {
    char n[NUMBER_CHARS], theirs_us[NUMBER_CHARS], ours_us[NUMBER_CHARS], ratio[NUMBER_CHARS];
    char low[NUMBER_CHARS], high[NUMBER_CHARS], gbs[NUMBER_CHARS], peak[NUMBER_CHARS];
    char grade[GRADE_CHARS];
    struct text variant; /* "BLOCK=256,ITEMS=16", as --variant takes it */
    const char *against, *record;
};

static void write_ratio(char out[NUMBER_CHARS], double ratio)
{
    number_format_fixed(out, (uint64_t)(ratio * 10000 + 0.5), 4);
}

static void fill_line(struct line *out, const struct bench_verb *verb,
                      const struct bench_against_result *result, size_t baseline,
                      const int64_t *config)
{
    const struct problem *problem = &verb->setup.problem;
    const uint64_t ps = result->ours.median_ps;
    const double percent =
        figures_peak_percent(problem, ps, device_peak_bytes(&verb->setup.device->info));
    number_format_fixed(out->n, dims_n(&problem->dims), 0);
    const struct paired_result *theirs = &result->theirs[baseline];
    number_format_fixed(out->theirs_us, (theirs->median_ps + 500) / 1000, 3);
    number_format_fixed(out->ours_us, (ps + 500) / 1000, 3);
    write_ratio(out->ratio, theirs->ratio.middle);
    write_ratio(out->low, theirs->ratio.low);
    write_ratio(out->high, theirs->ratio.high);
    figures_speed(out->gbs, figures_gbs(problem, ps));
    *out->peak = '\0';
    if (percent >= 0)
        number_format_fixed(out->peak, (uint64_t)(percent * 10 + 0.5), 1);
    point_format(&out->variant, verb->setup.space, config, true);
    for (size_t i = 0; i < out->variant.length; i++)
        if (out->variant.at[i] == ' ')
            out->variant.at[i] = ',';
}

/* Adds the line to the table and to the JSON, which has more columns. */
static void add_line(struct bench_verb *verb, const struct line *line, size_t call_count,
                     size_t round_count)
{
    enum { OWN = 25 };
    const struct problem *problem = &verb->setup.problem;
    const struct device_info *info = &verb->setup.device->info;
    char size[DIMS_TEXT_CHARS], interval[2 * NUMBER_CHARS + 4];
    char offset[NUMBER_CHARS], rounds[NUMBER_CHARS], calls[NUMBER_CHARS];
    char dims[DIMS_TEXT_CELLS][NUMBER_CHARS];
    snprintf(interval, sizeof interval, "%s .. %s", line->low, line->high);
    struct table_value values[OWN + DIMS_TEXT_CELLS] = {
        {"n", NULL, dims_text_format(size, &problem->dims)},
        {NULL, "n", line->n},
        {NULL, "cub_us", line->theirs_us},
        {NULL, "ours_us", line->ours_us},
        {NULL, "ratio", line->ratio},
        {verb->columns[INTERVAL_COLUMN].title, NULL, interval},
        {NULL, "ratio_lo", line->low},
        {NULL, "ratio_hi", line->high},
        {NULL, "ours_gbs", line->gbs},
        {NULL, "peak_pct", *line->peak ? line->peak : NULL},
        {"against", "against", line->against},
        {"record", "record", line->record},
        {NULL, "variant", line->variant.at},
        {NULL, "op", problem->op->name},
        {NULL, "type", problem_types[problem->type].name},
        {NULL, "acc", problem_types[problem->acc].name},
        {NULL, "regime", problem_regimes[problem->regime]},
        {NULL, "problem_order", problem_orders[problem->order].name},
        {NULL, "gpu", info->name},
        {NULL, "driver", info->driver},
        {NULL, "compiler", info->compiler},
        {NULL, "offset", number_format_fixed(offset, verb->own.offset, 0)},
        {NULL, "order", verb->own.stream ? "stream" : "graph"},
        {NULL, "rounds", number_format_fixed(rounds, round_count, 0)},
        {NULL, "calls", number_format_fixed(calls, call_count, 0)},
    };
    const bool is_n = !dims_text_cell(dims[0], &problem->dims, 1); /* which says all */
    for (size_t i = 0; i < DIMS_TEXT_CELLS; i++)
        values[OWN + i] =
            (struct table_value){NULL, dims_text_keys[i],
                                 is_n ? NULL : dims_text_cell(dims[i], &problem->dims, i)};
    table_add_named(&verb->table, values, OWN + DIMS_TEXT_CELLS);
    table_add_named(&verb->json, values, OWN + DIMS_TEXT_CELLS);
}

static int bench_one(struct bench_verb *verb, const struct dims *dims, struct error *error)
{
    const bool is_host = verb->setup.target.is_host;
    int64_t config[SPACE_NAMES_MAX];
    struct bench_against_options options = {
        .baselines = verb->chosen,
        .baseline_count = verb->chosen_count,
        .rounds = (size_t)verb->own.rounds,
        .offset = verb->own.offset,
        .seed = verb->request.seed,
        .is_queued = verb->own.stream,
    };
    struct bench_against_result result;
    struct find_result found;
    if (!options.rounds)
        options.rounds = is_host ? ROUNDS_HOST : ROUNDS_GPU;
    verb->setup.problem.dims = *dims;
    if (choose_config(config, &found, verb, error) ||
        bench_against_run(&result, verb->setup.device, &verb->setup.context,
                          &verb->setup.sources, config, &options, error))
        return -1;
    for (size_t i = 0; i < verb->chosen_count; i++) {
        struct line line = {.against = verb->chosen[i]->face->name};
        if (i != result.best && !verb->own.each)
            continue;
        fill_line(&line, verb, &result, i, config);
        line.record = describe_grade(line.grade, &found);
        add_line(verb, &line, result.calls, options.rounds);
        text_dispose(&line.variant);
    }
    return output_rows_write(&verb->csv, &verb->table, error);
}

/* --- The verb ----------------------------------------------------------------------------- */

/* All sizes: what is too large is said at once, not after an hour. */
static int check_room(struct bench_verb *verb, struct error *error)
{
    for (size_t i = 0; i < verb->size_count; i++) {
        verb->setup.problem.dims = verb->sizes[i];
        if (setup_check_room(&verb->setup, error))
            return -1;
    }
    return 0;
}

static int set_up(void *shared, struct error *error)
{
    struct bench_verb *verb = shared;
    const struct request *request = &verb->request;
    if (setup_open(&verb->setup, request, true, error))
        return -1;
    verb->table = (struct table){.columns = verb->columns, .column_count = COLUMNS};
    verb->json = (struct table){.columns = json_columns, .column_count = JSON_COLUMNS};
    verb->csv.path = request->out.csv;
    memcpy(verb->columns, columns, sizeof columns);
    if (verb->own.rounds && verb->own.rounds < INTERVAL_ROUNDS)
        verb->columns[INTERVAL_COLUMN].title = RANGE;
    verb->usual = verb->setup.problem.dims;
    verb->sizes = request->has_n ? request->sizes : &verb->usual;
    verb->size_count = request->has_n ? request->size_count : 1;
    return 0;
}

static int bench_all(struct bench_verb *verb, struct error *error)
{
    const struct request *request = &verb->request;
    const struct device_info *info = &verb->setup.device->info;
    struct terminal_progress progress = {0};
    int failed = 0;
    output_note(&request->out, "device    %s, driver %s, %s\n", info->name, info->driver,
                info->compiler);
    if (open_baselines(verb, error) || choose_baselines(verb, error) || check_room(verb, error))
        return -1;
    if (!request->out.quiet)
        terminal_progress_start(&progress, stderr);
    for (size_t i = 0; i < verb->size_count && !failed; i++) {
        failed = bench_one(verb, &verb->sizes[i], error);
        if (!request->out.quiet)
            terminal_progress_show(&progress, i + 1, verb->size_count, "timed");
    }
    if (!request->out.quiet)
        terminal_progress_end(&progress);
    if (!failed)
        tune_notes_reading_now(request, info);
    return failed;
}

static int gather(void *shared, struct error *error)
{
    struct bench_verb *verb = shared;
    const int failed = bench_all(verb, error);
    if (output_rows_close(&verb->csv, &verb->table, failed, error))
        verb->error = *error;
    return 0;
}

static int show(void *shared, struct error *error)
{
    const struct bench_verb *verb = shared;
    struct text json = {0};
    int failed = 0;
    table_json(&json, &verb->json);
    if (verb->table.row_count)
        failed = output_table_rest(&verb->request.out, &verb->table, &json, error);
    text_dispose(&json);
    if (verb->error.code == ERROR_NONE)
        return failed;
    *error = verb->error;
    return -1;
}

static void clean_up(void *shared)
{
    struct bench_verb *verb = shared;
    for (size_t i = 0; i < verb->baseline_count; i++)
        baseline_close(&verb->baselines[i]);
    table_dispose(&verb->table);
    table_dispose(&verb->json);
    setup_close(&verb->setup);
}

/* --- Options ------------------------------------------------------------------------------ */

static int parse_offset(struct request *request, const char *value, struct error *error)
{
    struct bench_request *own = request->own;
    if (number_parse_count(&own->offset, value, "--offset", error))
        return -1;
    return own->offset < 256
               ? 0
               : error_set(error, ERROR_USAGE,
                           "--offset is '%.100s': give bytes below 256, for inputs start "
                           "that far past a multiple of 256",
                           value);
}

static int parse_rounds(struct request *request, const char *value, struct error *error)
{
    struct bench_request *own = request->own;
    if (number_parse_count(&own->rounds, value, "--rounds", error))
        return -1;
    return own->rounds >= 1 && own->rounds <= PAIRED_ROUNDS_MAX
               ? 0
               : error_set(error, ERROR_USAGE, "--rounds is '%.100s': give 1 to %d", value,
                           PAIRED_ROUNDS_MAX);
}

static int check(const struct request *request, struct error *error)
{
    const struct bench_request *own = request->own;
    const int bytes = problem_types[request->problem.type].bytes;
    const struct option_conflict conflicts[] = {
        {own->offset % (uint64_t)bytes != 0,
         "--offset leaves elements across their own alignment: give a multiple of the type's "
         "bytes"},
        {!own->against && (request->space || request->template),
         "nothing to be timed against: bench times kernels beside other libraries, by --against cub "
         "or --against FILE; to see whether a space of your own is faster than the built-in one tune "
         "the problem with and without it, then 'autotune show' has both"},
        {!own->against,
         "nothing to be timed against: write --against FILE, or --against cub once "
         "bench/cub/build.sh of autotune's sources has built it"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_BENCH, "offset", "BYTES", "inputs start that far past a multiple of 256 bytes (default 0)", .parse = parse_offset, .group = 2},
    {VERB_BENCH, "against", "FILES", "shared objects of the others, separated by commas; cub: those that bench/cub/build.sh builds. The fastest counts", .text = offsetof(struct bench_request, against), .more = "cub is looked for beside the program and in build/; bench/cub/build.sh of autotune's sources builds it. They run inside the program: give only what you trust.", .group = 2},
    {VERB_BENCH, "stream", NULL, "calls in plain stream order (default: as a graph)", .flag = offsetof(struct bench_request, stream), .group = 2},
    {VERB_BENCH, "each", NULL, "a line for each of the others, not for the fastest alone", .flag = offsetof(struct bench_request, each), .group = 2},
    {VERB_BENCH, "rounds", "COUNT", "measurements of each (default 201, on the host 11); of fewer than 6 the least and the most ratio are told, for they have no 95 % interval", .parse = parse_rounds, .group = 2},
    {.verbs = 0},
};

const struct verb_row verb_bench = {
    .verb = VERB_BENCH,
    .name = "bench",
    .summary = "time the kernels of the records against CUB",
    .help =
        "Times the kernels of the records against other libraries' reductions, as CUB's: the same "
        "inputs, proven results, one timer, interleaved. The ratio is their time over ours.\v"
        "Examples:\n"
        "  autotune bench --against cub --n 1Ki,1Mi,400M\n"
        "  autotune bench --against build/cub-toolkit.so --type f32 --n 64Ki --csv -\n\n" VERBS_EXIT,
    .options = options,
    .check = check,
    .bytes = sizeof(struct bench_verb),
    .own = offsetof(struct bench_verb, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
