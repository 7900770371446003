/* verb_show: the records kept so far, all GPUs, as a table. */
#include "autotune/command/output.h"
#include "autotune/command/record_size.h"
#include "autotune/command/request.h"
#include "autotune/command/sweep_report.h"
#include "autotune/command/sweep_shapes.h"
#include "autotune/command/verbs.h"
#include "autotune/device/device.h"
#include "autotune/report/figures.h"
#include "cache/store.h"
#include "generator/number.h"
#include "generator/shape.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* People read 400M and a day, programs the whole number and the time of day; the params come
 * last, for they are long. */
static const struct table_column columns[] = {
    {"gpu", "gpu", false},        {"op", "op", false},         {"type", "type", false},
    {"acc", "acc", false},        {"n", NULL, true},           {NULL, "n", true},
    {NULL, "n_from", true},       {NULL, "n_to", true},
    {"regime", NULL, false},      {NULL, "regime", false},
    {NULL, "deterministic", false}, {"us", "us", true},          {"GB/s", "gbs", true},
    {"% peak", "peak_pct", true}, {"ties", "ties", true},      {"source", "source", false},
    {"tuned", NULL, false},       {NULL, "tuned", false},      {NULL, "driver", false},
    {NULL, "compiler", false},    {NULL, "finals_sm_mhz", true},
    {NULL, "finals_memory_mhz", true}, {NULL, "finals_celsius", true},
    {NULL, "finals_milliwatts", true}, DIMS_TEXT_COLUMNS,
    {"params", "params", false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *const sources[] = {
    [RECORD_MEASURED] = "measured",
    [RECORD_EMULATED] = "emulated",
    [RECORD_PUBLISHED] = "published",
};

static bool is_wanted(const struct record *record, const struct request *request)
{
    const struct problem *problem = &record->problem;
    const uint64_t low = record->n_to ? record->n_from : dims_n(&problem->dims);
    const uint64_t high = record->n_to ? record->n_to : dims_n(&problem->dims);
    const uint64_t n = dims_n(&request->problem.dims), n_high = request->n_high ? request->n_high : n;
    const bool is_cut = request->sweep && !request->asked.shape; /* to the range, by the report */
    return (!request->has_n || is_cut || (low <= n_high && n <= high)) &&
           (!request->has_op || problem->op == request->problem.op) &&
           (!request->has_type || problem->type == request->problem.type) &&
           (!request->asked.shape || request->asked.shape == dims_text_name(&problem->dims)) &&
           (!request->problem.is_deterministic || problem->is_deterministic);
}

/* 0 = not known. */
static void add_known(struct table *table, uint64_t value)
{
    table_add_number(table, value > 0, 0, (double)value);
}

static void add_record(struct table *table, const struct record *record)
{
    const struct problem *problem = &record->problem;
    const uint64_t peak = device_peak_of(record->memory_clock_khz, record->bus_bits);
    const double percent = figures_peak_percent(problem, record->median_ps, peak);
    char us[NUMBER_CHARS], speed[NUMBER_CHARS], size[DIMS_TEXT_CHARS];
    table_add(table, record->gpu);
    table_add(table, problem_ops[problem->op].name);
    table_add(table, problem_types[problem->type].name);
    table_add(table, problem_types[problem->acc].name);
    table_add(table, record_size_format(size, record));
    record_size_add_n(table, record);
    table_addf(table, "%s%s", problem_regimes[problem->regime],
               problem->is_deterministic ? " deterministic" : "");
    table_add(table, problem_regimes[problem->regime]);
    table_add(table, problem->is_deterministic ? "yes" : "no");
    table_add(table, figures_us(us, record->median_ps));
    table_add(table, figures_speed(speed, figures_gbs(problem, record->median_ps)));
    table_add_number(table, percent >= 0, 1, percent);
    table_addf(table, "%u", record->ties);
    table_add(table, sources[record->source]);
    table_addf(table, "%.10s", record->tuned);
    table_add(table, record->tuned);
    table_add(table, record->driver);
    table_add(table, record->compiler);
    add_known(table, record->sm_mhz);
    add_known(table, record->memory_mhz);
    add_known(table, record->celsius);
    add_known(table, record->milliwatts);
    record_size_add_dims(table, record);
    table_add(table, record->params);
}

/* What is shown: kept until all are there, then as rows of the table or as the drawing of a sweep. */
struct shown {
    struct table table;
    struct records records;
};

static int keep(struct records *out, const struct record *record, struct error *error)
{
    struct record *at = realloc(out->at, (out->count + 1) * sizeof *at);
    if (!at)
        return error_memory(error, (out->count + 1) * sizeof *at);
    out->at = at;
    out->at[out->count++] = *record;
    return 0;
}

static int add_file(struct shown *shown, const char *folder, const char *name,
                    const struct request *request, struct error *error)
{
    char path[4096];
    struct records records;
    size_t length = strlen(name);
    if (length < 5 || name[0] == '.' || strcmp(name + length - 4, ".ini") != 0)
        return 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (store_load(&records, path, error))
        return -1;
    int failed = 0;
    for (size_t i = 0; i < records.count && !failed; i++)
        if (is_wanted(&records.at[i], request))
            failed = keep(&shown->records, &records.at[i], error);
    if (records.skipped)
        output_warn("%s", records.reason.text);
    store_dispose(&records);
    return failed;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Problem by problem, sizes as they grow, intervals behind; what was tuned when does not count. */
static int by_problem(const void *a, const void *b)
{
    const struct record *one = a, *other = b;
    const struct problem *x = &one->problem, *y = &other->problem;
    const uint64_t keys[][2] = {
        {x->op, y->op},
        {x->type, y->type},
        {x->acc, y->acc},
        {x->is_deterministic, y->is_deterministic},
        {shape_kind(&x->dims), shape_kind(&y->dims)},
        {x->regime, y->regime},
        {one->n_to, other->n_to},
        {shape_of(&x->dims).len, shape_of(&y->dims).len},
        {dims_n(&x->dims), dims_n(&y->dims)},
        {shape_of(&x->dims).pitch, shape_of(&y->dims).pitch},
    };
    int order = strcmp(one->gpu, other->gpu);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !order; i++)
        order = compare(keys[i][0], keys[i][1]);
    return order;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int fill(struct shown *shown, const char *folder, const struct request *request,
                struct error *error)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, by_name), failed = 0;
    if (count < 0 && errno != ENOENT)
        return error_set(error, ERROR_IO, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!failed)
            failed = add_file(shown, folder, names[i]->d_name, request, error);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return failed;
}

/* Matrices are drawn apart, for their tables have other columns. */
static void note_matrices(const struct request *request, const struct records *records)
{
    size_t count = 0;
    for (size_t i = 0; i < records->count; i++)
        count += shape_kind(&records->at[i].problem.dims) != SHAPE_VALUE;
    if (count)
        output_note(request, "%zu record%s of rows or columns: --shape draws one of the two\n",
                    count, count == 1 ? "" : "s");
}

/* What makes a record of the kind that was asked for. */
static void note_none(const struct request *request, const char *folder)
{
    const struct problem *problem = &request->problem;
    const char *size = request->sweep ? "1K..4G" : "400M";
    char low[NUMBER_CHARS], high[NUMBER_CHARS], sizes[2 * NUMBER_CHARS + 8];
    const bool is_some = request->has_n || request->has_op || request->has_type ||
                         request->asked.shape || problem->is_deterministic;
    if (request->n_high)
        snprintf(sizes, sizeof sizes, "--n %s..%s", number_format_count(low, dims_n(&problem->dims)),
                 number_format_count(high, request->n_high));
    else
        snprintf(sizes, sizeof sizes, "--n %s",
                 request->has_n && !request->sweep ? number_format_count(low, dims_n(&problem->dims)) : size);
    output_note(request, "no %s%s in %s: 'autotune %s%s%s%s%s%s' makes one\n",
                request->sweep ? "sweeps" : "records", is_some ? " of this kind" : "", folder,
                request->asked.shape ? dims_text_sweep(request->asked.shape) : sizes,
                request->has_op ? " --op " : "",
                request->has_op ? problem_ops[problem->op].name : "",
                request->has_type ? " --type " : "",
                request->has_type ? problem_types[problem->type].name : "",
                problem->is_deterministic ? " --deterministic" : "");
}

static int print(const struct request *request, struct shown *shown, const char *folder,
                 struct error *error)
{
    struct records *records = &shown->records;
    size_t count = records->count;
    int failed = 0;
    if (request->sweep && request->asked.shape) {
        failed = sweep_shapes_print(request, records->at, records->count, &count, error);
    } else if (request->sweep) {
        failed = sweep_report_print(request, records->at, records->count, &count, error);
        note_matrices(request, records);
    } else if (count || request->json || request->csv) {
        if (count)
            qsort(records->at, count, sizeof *records->at, by_problem);
        for (size_t i = 0; i < count; i++)
            add_record(&shown->table, &records->at[i]);
        failed = output_table(request, &shown->table, NULL, error);
    }
    if (count == 0)
        note_none(request, folder);
    return failed;
}

int verb_show(int argc, char **argv, struct error *error)
{
    struct request request;
    struct text folder = {0};
    struct shown shown = {.table = {.columns = columns, .column_count = COLUMNS}};
    if (request_parse(&request, VERB_SHOW, argc, argv, error) ||
        store_folder(&folder, request.cache, error))
        return -1;
    int failed = fill(&shown, folder.at, &request, error) ||
                 print(&request, &shown, folder.at, error);
    table_dispose(&shown.table);
    store_dispose(&shown.records);
    text_dispose(&folder);
    return failed ? -1 : 0;
}
