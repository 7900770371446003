/* verb_tune: the main job. Answers from an exact record, or tunes, prints what won and why, and
 * keeps it. Hides how the report is laid out. */
#include "autotune/command/output.h"
#include "autotune/command/setup.h"
#include "autotune/command/verbs.h"
#include "autotune/report/terminal.h"
#include "autotune/tune/tune.h"
#include "generator/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBER = 32, FIXED_COLUMNS = 9, COLUMNS_MAX = SPACE_NAMES_MAX + FIXED_COLUMNS };

/* --- Figures ----------------------------------------------------------------------------------- */

static double input_bytes(const struct problem *problem)
{
    return (double)problem->n * problem_types[problem->type].bytes;
}

static double gb_per_s(const struct problem *problem, uint64_t ps)
{
    return ps ? input_bytes(problem) / (double)ps * 1e3 : 0;
}

/* Percent of the theoretical bandwidth, or a negative number where that is unknown. */
static double peak_percent(const struct setup *setup, uint64_t ps)
{
    uint64_t peak = device_peak_bytes(&setup->device->info);
    return peak ? gb_per_s(&setup->problem, ps) * 1e9 / (double)peak * 100 : -1;
}

static void format_us(char out[NUMBER], uint64_t ps)
{
    number_format_fixed(out, (ps + 5000) / 10000, 2);
}

/* --- Context ----------------------------------------------------------------------------------- */

static void note_device(const struct request *request, const struct setup *setup)
{
    const struct device_info *info = &setup->device->info;
    uint64_t peak = device_peak_bytes(info);
    if (info->is_fallback)
        output_note(request, "note      no GPU: %s\n"
                             "          Running on the host emulator, which proves kernels but is "
                             "no model of a GPU's speed.\n", info->fallback_reason);
    output_note(request, "device    %s, cc %d.%d, %d SMs, L2 %.1f MiB", info->name,
                info->target.cc / 10, info->target.cc % 10, info->target.sms,
                (double)info->target.l2_bytes / (1 << 20));
    if (peak)
        output_note(request, ", %.0f GB/s theoretical", (double)peak / 1e9);
    output_note(request, "; driver %s, %s\n", info->driver, info->compiler);
}

static void note_problem(const struct request *request, const struct setup *setup)
{
    char problem[PROBLEM_CHARS];
    output_note(request, "problem   %s (%.3g MB read)\n", problem_format(problem, &setup->problem),
                input_bytes(&setup->problem) / 1e6);
}

static void note_space(const struct request *request, const struct setup *setup,
                       const struct points *all, enum strategy strategy)
{
    output_note(request, "space     %s: %" PRIu64 " points, %zu variants, %zu candidates; strategy %s\n",
                setup->space->name, all->total, all->variant_count, all->count,
                strategy_names[strategy]);
    for (size_t i = 0; i < setup->space->rule_count; i++)
        if (all->rejected[i])
            output_note(request, "rejected  %8" PRIu64 "  unless %s\n", all->rejected[i],
                        setup->space->rules[i].reason);
}

static void note_trials(const struct request *request, const struct tune_result *result)
{
    output_note(request, "proved    %" PRIu64 " small runs", result->proofs);
    if (result->past_32_bits)
        output_note(request, "; the finalists also at n = %" PRIu64, result->past_32_bits);
    output_note(request, "\ntried    ");
    for (size_t i = 0; i < TRIAL_STATUSES; i++)
        if (result->counts[i] || i == TRIAL_MEASURED)
            output_note(request, " %zu %s", result->counts[i], tune_statuses[i]);
    output_note(request, "; %zu input%s, %zu call%s a measurement\n", result->inputs,
                result->inputs == 1 ? "" : "s", result->calls, result->calls == 1 ? "" : "s");
    output_note(request, "took      %.1f s: input %.1f, search %.1f, finals %.1f\n", result->seconds,
                result->seconds_input, result->seconds_search, result->seconds_final);
    for (size_t i = 0; i < result->reason_count && i < 5; i++)
        output_note(request, "rejected  %s\n", result->reasons[i]);
}

/* --- Table ------------------------------------------------------------------------------------- */

static const struct table_column figures[FIXED_COLUMNS] = {
    {"us", "us", true},          {"low", "us_low", true},      {"high", "us_high", true},
    {"GB/s", "gbs", true},       {"% peak", "peak_pct", true}, {"regs", "registers", true},
    {"error", "error", true},    {"vs best", "ratio", true},   {"", "verdict", false},
};

static void add_figures(struct table *table, const struct setup *setup,
                        const struct finalist *finalist, const char *verdict)
{
    char us[NUMBER], low[NUMBER], high[NUMBER];
    double percent = peak_percent(setup, finalist->median_ps);
    format_us(us, finalist->median_ps);
    format_us(low, finalist->low_ps);
    format_us(high, finalist->high_ps);
    table_add(table, us);
    table_add(table, low);
    table_add(table, high);
    table_addf(table, "%.1f", gb_per_s(&setup->problem, finalist->median_ps));
    if (percent < 0)
        table_add(table, NULL);
    else
        table_addf(table, "%.1f", percent);
    table_addf(table, "%u", finalist->registers);
    if (finalist->error < 0)
        table_add(table, NULL);
    else
        table_addf(table, "%.1e", finalist->error);
    table_addf(table, "%.4f", finalist->ratio);
    table_add(table, verdict);
}

static void fill_table(struct table *table, const struct setup *setup,
                       const struct tune_result *result)
{
    const struct space *space = setup->space;
    for (size_t f = 0; f < result->finalist_count; f++) {
        const int64_t *row = tune_row(result, result->finalists[f].candidate);
        for (size_t i = 0; i < space->param_count; i++) {
            struct text value = {0};
            point_format_value(&value, &space->params[i], row[i]);
            table_add(table, value.at);
            text_dispose(&value);
        }
        add_figures(table, setup, &result->finalists[f],
                    f == result->winner ? "winner" : result->finalists[f].is_tie ? "tie" : "");
    }
}

static int open_table(struct table *table, struct table_column *columns,
                      const struct space *space)
{
    for (size_t i = 0; i < space->param_count; i++)
        columns[i] = (struct table_column){space->params[i].name, space->params[i].name,
                                           !space->params[i].symbols};
    memcpy(columns + space->param_count, figures, sizeof figures);
    *table = (struct table){.columns = columns, .column_count = space->param_count + FIXED_COLUMNS};
    return 0;
}

/* --- Records ----------------------------------------------------------------------------------- */

static void make_record(struct record *record, const struct setup *setup,
                        const struct tune_result *result)
{
    const struct finalist *winner = &result->finalists[result->winner];
    struct text params = {0};
    time_t now = time(NULL);
    struct tm utc;
    setup_record(record, setup);
    point_format(&params, setup->space, tune_row(result, winner->candidate), true);
    snprintf(record->params, sizeof record->params, "%s", params.at ? params.at : "");
    text_dispose(&params);
    record->median_ps = winner->median_ps;
    record->low_ps = winner->low_ps;
    record->high_ps = winner->high_ps;
    record->ties = (unsigned)result->ties;
    record->registers = winner->registers;
    record->candidates = (unsigned)result->counts[TRIAL_MEASURED];
    if (winner->error >= 0)
        snprintf(record->error, sizeof record->error, "%.1e", winner->error);
    gmtime_r(&now, &utc);
    strftime(record->tuned, sizeof record->tuned, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Keeps the record; a cache that cannot be written costs a warning, not the result. */
static void keep_record(const struct request *request, const struct record *record)
{
    struct text folder = {0}, path = {0};
    struct error error;
    if (store_folder(&folder, request->cache, &error) ||
        store_path(&path, folder.at, record->gpu, &error) ||
        store_save(path.at, record, &error))
        fprintf(stderr, "autotune: warning: the record is not kept: %s\n", error.text);
    else
        output_note(request, "record    %s\n", path.at);
    text_dispose(&folder);
    text_dispose(&path);
}

static void print_winner(struct text *out, const struct setup *setup, const struct record *record)
{
    char us[NUMBER], problem[PROBLEM_CHARS];
    double percent = peak_percent(setup, record->median_ps);
    format_us(us, record->median_ps);
    text_addf(out, "winner    %s on %s: %s\n", problem_format(problem, &record->problem),
              record->gpu, record->params);
    text_addf(out, "          %s us, %.1f GB/s", us, gb_per_s(&record->problem, record->median_ps));
    if (percent >= 0)
        text_addf(out, ", %.1f %% of peak", percent);
    if (record->ties)
        text_addf(out, "; the simplest of %u that cannot be told apart", record->ties + 1);
    text_adds(out, record->source == RECORD_EMULATED ? "; emulated: no model of a GPU's speed\n"
                                                     : "\n");
}

/* --- JSON -------------------------------------------------------------------------------------- */

static void json_field(struct text *out, const char *key, const char *value)
{
    text_addf(out, "\"%s\":", key);
    text_add_json(out, value);
    text_adds(out, ",");
}

static void json_report(struct text *out, const struct setup *setup, const struct record *record,
                        const struct tune_result *result, const struct table *table)
{
    const struct problem *problem = &record->problem;
    text_adds(out, "{");
    json_field(out, "gpu", record->gpu);
    json_field(out, "driver", record->driver);
    json_field(out, "compiler", record->compiler);
    json_field(out, "op", problem_ops[problem->op].name);
    json_field(out, "type", problem_types[problem->type].name);
    json_field(out, "acc", problem_types[problem->acc].name);
    json_field(out, "regime", problem_regimes[problem->regime]);
    json_field(out, "params", record->params);
    json_field(out, "tuned", record->tuned);
    text_addf(out, "\"n\":%" PRIu64 ",\"median_ps\":%" PRIu64 ",\"low_ps\":%" PRIu64
                   ",\"high_ps\":%" PRIu64 ",\"gbs\":%.1f,\"registers\":%u,\"ties\":%u,"
                   "\"candidates\":%u,\"from_record\":%s,\"emulated\":%s",
              problem->n, record->median_ps, record->low_ps, record->high_ps,
              gb_per_s(problem, record->median_ps), record->registers, record->ties,
              record->candidates, result ? "false" : "true",
              setup->target.is_host ? "true" : "false");
    if (result) {
        text_addf(out, ",\"seconds\":%.2f,\"variants\":%zu,\"wrong\":%zu,\"failed\":%zu,\"finalists\":",
                  result->seconds, result->points.variant_count, result->counts[TRIAL_WRONG],
                  result->counts[TRIAL_FAILED]);
        table_json(out, table);
    }
    text_adds(out, "}\n");
}

/* --- The job ----------------------------------------------------------------------------------- */

static bool is_stdout_taken(const struct request *request)
{
    return (request->json && strcmp(request->json, "-") == 0) ||
           (request->csv && strcmp(request->csv, "-") == 0);
}

/* Prints table and winner; either may stand alone. */
static int report(const struct request *request, const struct setup *setup,
                  const struct record *record, const struct tune_result *result,
                  struct table *table, struct error *error)
{
    struct text json = {0}, winner = {0};
    json_report(&json, setup, record, result, table);
    print_winner(&winner, setup, record);
    int failed = text_check(&json, error) || output_table(request, table, &json, error);
    if (!failed && !is_stdout_taken(request))
        failed = output_write("-", &winner, error);
    text_dispose(&json);
    text_dispose(&winner);
    return failed ? -1 : 0;
}

struct watch {
    const struct setup *setup;
    struct terminal_progress progress;
};

static void show_progress(void *context, uint64_t done, uint64_t total, uint64_t best_ps)
{
    struct watch *watch = context;
    char note[80], us[NUMBER];
    format_us(us, best_ps);
    snprintf(note, sizeof note, "best %s us %.0f GB/s", us,
             gb_per_s(&watch->setup->problem, best_ps));
    terminal_progress_show(&watch->progress, done, total, best_ps ? note : "");
}

static int tune(const struct request *request, const struct setup *setup, struct error *error)
{
    struct watch watch = {.setup = setup};
    const struct tune_options options = {
        .strategy = request->has_strategy     ? request->strategy
                    : setup->target.is_host   ? STRATEGY_COVER
                                              : STRATEGY_EXHAUSTIVE,
        .seed = request->seed,
        .progress = {request->quiet ? NULL : show_progress, &watch},
    };
    struct table_column columns[COLUMNS_MAX];
    struct tune_result result;
    struct record record;
    struct points points;
    struct table table;
    if (strategy_points(&points, &setup->context, options.strategy, (unsigned)options.seed, error))
        return -1;
    note_space(request, setup, &points, options.strategy);
    point_dispose(&points);
    if (!request->quiet)
        terminal_progress_start(&watch.progress, stderr);
    int failed = tune_run(&result, setup->device, &setup->context, &setup->sources, &options, error);
    if (!request->quiet)
        terminal_progress_end(&watch.progress);
    if (failed)
        return -1;
    note_trials(request, &result);
    open_table(&table, columns, setup->space);
    fill_table(&table, setup, &result);
    make_record(&record, setup, &result);
    keep_record(request, &record);
    failed = report(request, setup, &record, &result, &table, error);
    table_dispose(&table);
    tune_dispose(&result);
    return failed;
}

static int answer(const struct request *request, const struct setup *setup,
                  const struct record *record, struct error *error)
{
    struct text json = {0}, winner = {0};
    output_note(request, "record    exact, of %s: measured before; --retune measures again\n",
                record->tuned);
    json_report(&json, setup, record, NULL, NULL);
    print_winner(&winner, setup, record);
    int failed = request->json ? output_write(request->json, &json, error) : 0;
    if (!failed && !is_stdout_taken(request))
        failed = output_write("-", &winner, error);
    text_dispose(&json);
    text_dispose(&winner);
    return failed;
}

static int run(const struct request *request, const struct setup *setup, struct error *error)
{
    struct find_result found;
    struct error warning;
    note_device(request, setup);
    note_problem(request, setup);
    if (setup_find(&found, setup, request, &warning, error))
        return -1;
    if (warning.code != ERROR_NONE)
        fprintf(stderr, "autotune: warning: %s\n", warning.text);
    if (found.grade == FIND_EXACT && !request->retune)
        return answer(request, setup, &found.record, error);
    if (found.grade == FIND_STALE)
        output_note(request, "record    stale (%s changed): measuring again\n", found.difference);
    return tune(request, setup, error);
}

int verb_tune(int argc, char **argv, struct error *error)
{
    struct request request;
    struct setup setup;
    if (request_parse(&request, VERB_TUNE, argc, argv, error) ||
        setup_open(&setup, &request, true, error))
        return -1;
    int failed = run(&request, &setup, error);
    setup_close(&setup);
    return failed;
}
