/* tune_report: writes one table with all columns for programs; for people only the columns that
 * tell the configs apart, so that it stays narrow. */
#include "autotune/tune/tune_report.h"

#include "autotune/cli/output.h"
#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "generator/dims_text.h"
#include "generator/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIGURES = 11, COLUMNS_MAX = SPACE_NAMES_MAX + FIGURES, WIDTH_MAX = 120 };

/* One table row: a finalist, or a record's copy of one. */
struct entry {
    const int64_t *config;
    uint64_t median_ps, low_ps, high_ps;
    unsigned registers;
    const char *error;
    double ratio;
    const char *outcome;
};

struct report {
    const struct setup *setup;
    struct table_column columns[COLUMNS_MAX];
    struct table table;
};

/* --- Table -------------------------------------------------------------------------------- */

/* Without a key: for people only. Without a title: for programs only. */
enum { LOW = 1, HIGH, SPREAD, GBS, PEAK, REGISTERS, ERROR, RATIO, OUTCOME, UNLIKE };
static const struct table_column figures[FIGURES] = {
    {"us", "us", true},
    [LOW] = {NULL, "us_low", true},
    [HIGH] = {NULL, "us_high", true},
    [SPREAD] = {"+-%", NULL, true},
    [GBS] = {"GB/s", "gbs", true},
    [PEAK] = {"% peak", "peak_pct", true},
    [REGISTERS] = {"regs", "registers", true},
    [ERROR] = {"error", "error", true},
    [RATIO] = {"x by turns", "ratio", true},
    [OUTCOME] = {"", "outcome", false},
    [UNLIKE] = {NULL, NULL, false}, /* takes the place of the params where they are too wide */
};

static void open_table(struct report *report)
{
    const struct space *space = report->setup->space;
    for (size_t i = 0; i < space->param_count; i++)
        report->columns[i] = (struct table_column){space->params[i].name, space->params[i].name,
                                                   !space->params[i].symbols};
    memcpy(report->columns + space->param_count, figures, sizeof figures);
    report->table = (struct table){.columns = report->columns,
                                   .column_count = space->param_count + FIGURES};
}

static void add_figures(struct table *table, const struct setup *setup,
                        const struct entry *entry)
{
    char us[NUMBER_CHARS], speed[NUMBER_CHARS];
    const double peak = figures_peak_percent(&setup->problem, entry->median_ps,
                                             device_peak_bytes(&setup->device->info));
    table_add(table, figures_us(us, entry->median_ps));
    table_add(table, figures_us(us, entry->low_ps));
    table_add(table, figures_us(us, entry->high_ps));
    table_addf(table, "%.1f",
               figures_spread_percent(entry->median_ps, entry->low_ps, entry->high_ps));
    table_add(table, figures_speed(speed, figures_gbs(&setup->problem, entry->median_ps)));
    table_add_number(table, peak >= 0, 1, peak);
    table_add_number(table, !setup->target.is_host, 0, entry->registers);
    table_add(table, *entry->error ? entry->error : NULL);
    table_addf(table, "%.4f", entry->ratio);
    table_add(table, entry->outcome);
}

static void add_entry(struct report *report, const struct entry *entry, const int64_t *winner)
{
    const struct space *space = report->setup->space;
    struct text unlike = {0};
    for (size_t i = 0; i < space->param_count; i++) {
        struct text value = {0};
        point_format_value(&value, &space->params[i], entry->config[i]);
        table_add(&report->table, value.at);
        text_dispose(&value);
    }
    add_figures(&report->table, report->setup, entry);
    point_format_unlike(&unlike, space, entry->config, winner);
    table_add(&report->table, unlike.at ? unlike.at : "");
    text_dispose(&unlike);
}

static const char *name_outcome(const struct tune_result *result, size_t f)
{
    const struct finalist *finalist = &result->finalists[f];
    static const char *const names[2][2] = {{"", "default"}, {"tie", "tie, default"}};
    return f == result->winner ? "winner" : names[finalist->is_tie][finalist->is_default];
}

static void add_finalists(struct report *report, const struct tune_result *result)
{
    const int64_t *winner = result->finalists[result->winner].config;
    for (size_t f = 0; f < result->finalist_count; f++) {
        const struct finalist *finalist = &result->finalists[f];
        char error[NUMBER_CHARS] = "";
        if (finalist->error >= 0)
            snprintf(error, sizeof error, "%.1e", finalist->error);
        report->table.marked = f == result->winner ? f + 1 : report->table.marked;
        add_entry(report,
                  &(struct entry){finalist->config, finalist->median_ps, finalist->low_ps,
                                  finalist->high_ps, finalist->registers, error,
                                  finalist->ratio, name_outcome(result, f)},
                  winner);
    }
}

static int add_record(struct report *report, const struct record *record, struct error *error)
{
    int64_t config[SPACE_NAMES_MAX];
    memcpy(config, report->setup->space->default_config,
           report->setup->space->param_count * sizeof *config);
    if (point_parse(report->setup->space, record->params, config, error))
        return -1;
    add_entry(report,
              &(struct entry){config, record->median_ps, record->low_ps, record->high_ps,
                              record->registers, record->error, 1, "winner"},
              config);
    return 0;
}

static bool is_empty(const struct table *table, size_t column)
{
    return table->row_count && table_is_alike(table, column) && !table->cells[column];
}

/* Removes columns without information for people; `same` gets the values that all rows
 * share. */
static void narrow(struct report *report, struct text *same)
{
    const size_t params = report->setup->space->param_count;
    struct table *table = &report->table;
    if (table->failed || table->row_count == 0)
        return;
    for (size_t i = params; i < table->column_count; i++)
        if (is_empty(table, i))
            report->columns[i].title = NULL;
    for (size_t i = 0; i < params; i++)
        if (table->row_count > 1 && table_is_alike(table, i)) {
            text_addf(same, " %s=%s", report->columns[i].title, table->cells[i]);
            report->columns[i].title = NULL;
        }
    if (table_width(table) <= WIDTH_MAX)
        return;
    for (size_t i = 0; i < params; i++)
        report->columns[i].title = NULL;
    report->columns[params + UNLIKE].title = "unlike the winner";
    text_clear(same);
}

/* --- Winner ------------------------------------------------------------------------------- */

static void print_times(struct text *out, const struct setup *setup,
                        const struct record *record)
{
    char us[NUMBER_CHARS], low[NUMBER_CHARS], high[NUMBER_CHARS], speed[NUMBER_CHARS];
    struct record_gain gain;
    const double percent = figures_peak_percent(&record->problem, record->median_ps,
                                                device_peak_bytes(&setup->device->info));
    text_addf(out, "          %s us", figures_us(us, record->median_ps));
    if (record_has_run(record))
        text_addf(out, " (95 %% interval %s to %s)", figures_us(low, record->low_ps),
                  figures_us(high, record->high_ps));
    text_addf(out, ", %s GB/s",
              figures_speed(speed, figures_gbs(&record->problem, record->median_ps)));
    if (percent >= 0)
        text_addf(out, ", %.1f %% of theoretical", percent);
    text_adds(out, "\n");
    if (record_gain(&gain, record)) {
        text_adds(out, "          ");
        record_add_gain(out, &gain);
        text_adds(out, "\n");
    }
}

static void print_winner(struct text *out, const struct setup *setup,
                         const struct record *record)
{
    char problem[PROBLEM_CHARS];
    text_addf(out, "winner    %s on %s\n          %s\n",
              problem_format(problem, &record->problem), record->gpu, record->params);
    print_times(out, setup, record);
    if (!record_has_run(record))
        text_adds(out, "          tuned on such a GPU elsewhere: it ships with this program\n");
    else if (record->ties)
        text_addf(out, "          the simplest of %u that cannot be told apart, of %u proven\n",
                  record->ties + 1, record->candidates);
    else
        text_addf(out, "          the fastest of %u proven\n", record->candidates);
    if (*record->error)
        text_addf(out, "          error %s of %s on random floats\n", record->error,
                  record->problem.op->scale);
    if (record->source == RECORD_EMULATED)
        text_adds(out, "          emulated: no model of a GPU's speed\n");
}

/* --- JSON --------------------------------------------------------------------------------- */

static void add_key(struct json *json, const struct record *record)
{
    const struct problem *problem = &record->problem;
    json_string(json, "gpu", record->gpu);
    json_string(json, "driver", record->driver);
    json_string(json, "compiler", record->compiler);
    json_string(json, "op", problem->op->name);
    json_string(json, "type", problem_types[problem->type].name);
    json_string(json, "acc", problem_types[problem->acc].name);
    json_string(json, "regime", problem_regimes[problem->regime]);
    json_string(json, "params", record->params);
    json_string(json, "tuned", record->tuned);
    json_string(json, "proof", record->proof);
    json_line(json, "\n ");
    json_string(json, "order", problem_orders[problem->order].name);
    json_count(json, "n", dims_n(&problem->dims));
}

/* The dims that n does not determine. */
static void add_sizes(struct json *json, const struct dims *dims)
{
    char number[NUMBER_CHARS];
    for (size_t i = 0; i < DIMS_TEXT_CELLS && dims_text_cell(number, dims, 1); i++)
        (i > 0 ? json_number : json_string)(json, dims_text_keys[i],
                                            dims_text_cell(number, dims, i));
}

/* How many times as fast as the default, with the interval. */
static void add_gain(struct json *json, const struct record *record)
{
    struct record_gain gain;
    const bool is_known = record_gain(&gain, record);
    const struct {
        const char *key;
        double value;
    } fields[] = {{"x_default", is_known ? gain.times : 0},
                  {"x_default_low", is_known ? gain.low : 0},
                  {"x_default_high", is_known ? gain.high : 0}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].value > 0)
            json_real(json, fields[i].key, fields[i].value, 4);
        else
            json_number(json, fields[i].key, NULL);
}

static void add_times(struct json *json, const struct setup *setup, const struct record *record)
{
    const double percent = figures_peak_percent(&record->problem, record->median_ps,
                                                device_peak_bytes(&setup->device->info));
    char number[NUMBER_CHARS];
    json_count(json, "median_ps", record->median_ps);
    json_count(json, "low_ps", record->low_ps);
    json_count(json, "high_ps", record->high_ps);
    json_number(json, "gbs",
                figures_speed(number, figures_gbs(&record->problem, record->median_ps)));
    if (percent < 0)
        json_number(json, "peak_pct", NULL);
    else
        json_real(json, "peak_pct", percent, 1);
    add_gain(json, record);
    add_sizes(json, &record->problem.dims);
    if (setup->target.is_host)
        json_number(json, "registers", NULL);
    else
        json_count(json, "registers", record->registers);
    json_number(json, "error", *record->error ? record->error : NULL);
    json_count(json, "ties", record->ties);
    json_count(json, "candidates", record->candidates);
}

/* The state of the GPU at the end of the race. */
static void add_reading(struct json *json, const struct record *record)
{
    const struct {
        const char *key;
        uint64_t value;
    } fields[] = {{"finals_sm_mhz", record->sm_mhz},
                  {"finals_memory_mhz", record->memory_mhz},
                  {"finals_celsius", record->celsius},
                  {"finals_milliwatts", record->milliwatts}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].value)
            json_count(json, fields[i].key, fields[i].value);
        else
            json_number(json, fields[i].key, NULL);
}

static void add_run(struct json *json, const struct tune_result *result)
{
    json_real(json, "seconds", result->seconds, 2);
    json_count(json, "variants", result->points.variant_count);
    json_count(json, "recalled", result->recalled);
    json_count(json, "rounds", result->rounds);
    json_count(json, "repeated", result->repeated);
    json_count(json, "restarts", result->restarts);
    for (size_t i = 0; i < TRIAL_STATUSES; i++)
        json_count(json, trial_statuses[i], result->counts[i]);
}

static void add_rows(struct json *json, const char *key, const struct table *table)
{
    struct text rows = {0};
    table_json(&rows, table);
    json_number(json, key, rows.at);
    json->out->failed |= rows.failed;
    text_dispose(&rows);
}

static void add_effects(struct json *json, const struct effects *effects)
{
    struct table table;
    effects_table(&table, effects);
    add_rows(json, "effects", &table);
    table_dispose(&table);
}

static void json_report(struct text *out, const struct report *report,
                        const struct record *record, const struct tune_result *result,
                        const struct effects *effects)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    add_key(&json, record);
    add_times(&json, report->setup, record);
    add_reading(&json, record);
    json_line(&json, "\n ");
    json_bool(&json, "from_record", !result);
    json_bool(&json, "emulated", report->setup->target.is_host);
    if (result)
        add_run(&json, result);
    json_line(&json, "\n ");
    add_rows(&json, "finalists", &report->table);
    if (effects)
        add_effects(&json, effects);
    json_close(&json, '}');
    text_adds(out, "\n");
}

/* --- The whole ---------------------------------------------------------------------------- */

static int fill(struct report *report, const struct record *record,
                const struct tune_result *result, struct error *error)
{
    open_table(report);
    if (!result)
        return add_record(report, record, error);
    add_finalists(report, result);
    return 0;
}

/* An answer from a record has no table for people: the winner's lines already say it. Each file
 * is written even if the other cannot be. */
static int write_files(const struct request *request, const struct table *table,
                       const struct text *json, struct error *error)
{
    struct text csv = {0};
    struct error cause;
    int failed = 0;
    table_csv(&csv, table);
    if (request->out.json && output_write(request->out.json, json, error))
        failed = -1;
    if (request->out.csv && output_write(request->out.csv, &csv, &cause)) {
        *error = cause;
        failed = -1;
    }
    text_dispose(&csv);
    return failed;
}

static int write_tables(const struct request *request, struct report *report,
                        const struct tune_result *result, const struct text *json,
                        struct text *same, struct error *error)
{
    if (!result)
        return write_files(request, &report->table, json, error);
    narrow(report, same);
    return output_table(&request->out, &report->table, json, error);
}

static int print_lines(const struct request *request, const struct report *report,
                       const struct record *record, const struct text *same,
                       struct error *error)
{
    struct text text = {0}, turns = {0};
    if (output_is_taken(&request->out))
        return 0;
    if (same->length)
        text_addf(&text, "in all   %s\n", same->at);
    if (report->table.row_count > 1) {
        text_adds(&turns,
                  "x by turns is the median of the ratios to the time of the one that led "
                  "the race, in the same round, without the drift between rounds; us is "
                  "of all rounds");
        sentence_end(&text, "by turns", &turns);
    }
    print_winner(&text, report->setup, record);
    int failed = output_text(&text, error);
    text_dispose(&text);
    return failed;
}

int tune_report_print(const struct request *request, const struct setup *setup,
                      const struct record *record, const struct tune_result *result,
                      const struct effects *effects, struct error *error)
{
    struct report report = {.setup = setup};
    struct text json = {0}, same = {0};
    struct error cause;
    if (fill(&report, record, result, error)) {
        table_dispose(&report.table);
        return -1;
    }
    json_report(&json, &report, record, result, effects);
    int failed = write_tables(request, &report, result, &json, &same, error);
    if (print_lines(request, &report, record, &same, &cause) && !failed) {
        *error = cause;
        failed = -1;
    }
    table_dispose(&report.table);
    text_dispose(&json);
    text_dispose(&same);
    return failed;
}
