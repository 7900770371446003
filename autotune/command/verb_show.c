/* verb_show: prints the stored records of all GPUs as a table. A file that is there and cannot be
 * read is an error, told after the records of the others. */
#include "autotune/cli/options.h"
#include "autotune/cli/outdated.h"
#include "autotune/cli/output.h"
#include "autotune/cli/record_cells.h"
#include "autotune/cli/request.h"
#include "autotune/cli/verbs.h"
#include "autotune/print/figures.h"
#include "autotune/tune/sweep_drawing.h"
#include "cache/collection.h"
#include "generator/array.h"
#include "generator/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* People read 400M and a day, programs the whole number and the time of day; the params come
 * last, for they are long. */
/* clang-format off */
static const struct table_column columns[] = {
    {"gpu", "gpu", false},        {"op", "op", false},         {"type", "type", false},
    {"acc", "acc", false},        {"n", NULL, true},           {NULL, "n", true},
    {NULL, "n_from", true},       {NULL, "n_to", true},
    {"regime", NULL, false},      {NULL, "regime", false},
    {NULL, "order", false}, {"us", "us", true},          {"GB/s", "gbs", true},
    {"% peak", "peak_pct", true}, {"ties", "ties", true},      {"source", "source", false},
    {"tuned", NULL, false},       {NULL, "tuned", false},      {NULL, "driver", false},
    {NULL, "compiler", false},    {NULL, "finals_sm_mhz", true},
    {NULL, "finals_memory_mhz", true}, {NULL, "finals_celsius", true},
    {NULL, "finals_milliwatts", true}, {NULL, "default_us", true},
    {NULL, "shipped_us", true},   {NULL, "x_default", true},
    {NULL, "x_default_low", true}, {NULL, "x_default_high", true}, DIMS_TEXT_COLUMNS,
    {NULL, "proof", false},       {NULL, "space", false},       {"params", "params", false},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns, SPACE = COLUMNS - 2, PROOF = COLUMNS - 3 };

/* What show alone has options for. */
struct show_request {
    bool sweep; /* draw the sweeps */
};

static bool is_sweep(const struct request *request)
{
    return ((const struct show_request *)request->own)->sweep;
}

/* With --sweep the report cuts to the range. */
static struct filter filter_of(const struct request *request)
{
    struct filter filter;
    request_filter(&filter, request);
    if (is_sweep(request) && !request->asked.shape)
        filter.asked &= ~(unsigned)FILTER_N;
    if (request->asked.shape)
        filter.asked |= FILTER_SHAPE;
    if (request->asked.has_scan)
        filter.asked |= FILTER_SCAN;
    filter.shape = request->asked.shape;
    filter.problem.dims.scan = request->asked.scan;
    return filter;
}

/* 0 = not known. */
static void add_known(struct table *table, uint64_t value)
{
    table_add_number(table, value > 0, 0, (double)value);
}

static void add_us(struct table *table, uint64_t ps)
{
    char us[NUMBER_CHARS];
    table_add(table, ps ? figures_us(us, ps) : NULL);
}

/* Adds how many times as fast as the default it is, with the interval. */
static void add_gain(struct table *table, const struct record *record)
{
    struct record_gain gain = {.times = 0};
    const bool is_known = record_gain(&gain, record);
    table_add_number(table, is_known, 4, gain.times);
    table_add_number(table, gain.low > 0, 4, gain.low);
    table_add_number(table, gain.low > 0, 4, gain.high);
}

/* Adds the bound of an interval; a record of one n has none. */
static void add_bound(struct table *table, bool is_one, uint64_t n)
{
    if (is_one)
        table_add(table, NULL);
    else
        table_addf(table, "%" PRIu64, n);
}

static void add_record(struct table *table, const struct interval *served)
{
    const struct record *record = &served->record;
    const bool is_one = served->from == served->to;
    const struct problem *problem = &record->problem;
    char size[DIMS_TEXT_CHARS];
    record_cells_add_problem(table, record);
    table_add(table, record_cells_size(size, served));
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
    add_bound(table, is_one, served->from);
    add_bound(table, is_one, served->to);
    table_addf(table, "%s%s", problem_regimes[problem->regime],
               problem_orders[problem->order].shown);
    table_add(table, problem_regimes[problem->regime]);
    table_add(table, problem_orders[problem->order].name);
    record_cells_add_speed(table, record, record->median_ps);
    table_addf(table, "%u", record->ties);
    table_add(table, record_sources[record->source]);
    table_addf(table, "%.10s", record->tuned);
    table_add(table, record->tuned);
    table_add(table, record->driver);
    table_add(table, record->compiler);
    add_known(table, record->sm_mhz);
    add_known(table, record->memory_mhz);
    add_known(table, record->celsius);
    add_known(table, record->milliwatts);
    add_us(table, record->default_ps);
    add_us(table, record->shipped_ps);
    add_gain(table, record);
    record_cells_add_dims(table, record);
    table_add(table, *record->proof ? record->proof : NULL);
    table_add(table, record->space);
    table_add(table, record->params);
}

/* Is the record of another space than its problem usually has? */
static bool has_own_space(const struct record *record)
{
    return strcmp(record->space, problem_space(&record->problem)) != 0;
}

/* Was its proof beside an operation's text? */
static bool is_by_text(const struct record *record)
{
    return strstr(record->proof, "text") != NULL;
}

/* The records to show, collected first, then written as rows of the table or drawn as a
 * sweep. */
struct shown {
    struct request request;
    struct show_request own;
    struct text folder;
    struct table_column columns[COLUMNS];
    struct table table;
    struct interval *configs;
    size_t config_count;
    struct records records; /* the same records, without the intervals that the files had */
    struct error refused;   /* why the first file that gave none could not be read */
};

static int add(void *context, const struct interval *served, const struct records *from,
               struct error *error)
{
    struct shown *shown = context;
    const bool is_size = served->from == served->to;
    if (array_grow(&shown->configs, shown->config_count, sizeof *shown->configs, error))
        return -1;
    shown->configs[shown->config_count++] = *served;
    return shown->own.sweep && is_size
               ? store_copy(&shown->records, from, &served->record, error)
               : 0;
}

static void miss(void *context, const struct records *records)
{
    struct shown *shown = context;
    if (records->is_refused && shown->refused.code == ERROR_NONE)
        shown->refused = records->reason;
    else
        output_warn("%s", records->reason.text);
}

/* By problem, then by size, then intervals; the time of tuning does not count. */
static int by_problem(const void *a, const void *b)
{
    const struct interval *one = a, *other = b;
    const struct problem *x = &one->record.problem, *y = &other->record.problem;
    const int orders[] = {
        strcmp(one->record.gpu, other->record.gpu),
        operation_compare(x->op, y->op),
        number_compare(x->type, y->type),
        number_compare(x->acc, y->acc),
        number_compare(x->order, y->order),
        dims_text_compare(&x->dims, &y->dims),
        number_compare(x->regime, y->regime),
        number_compare(one->from < one->to, other->from < other->to),
        dims_text_compare_sizes(&x->dims, &y->dims),
    };
    return number_decide(orders, sizeof orders / sizeof *orders);
}

/* Sweeps over other sizes than n are drawn in tables of their own. */
static void note_others(const struct request *request, const struct records *records)
{
    size_t count = 0;
    for (size_t i = 0; i < records->count; i++)
        count += !dims_is_alike(&records->at[i].problem.dims, &request->problem.dims);
    if (count)
        output_note(&request->out,
                    "%zu record%s of " DIMS_TEXT_SEVERAL ": --shape draws one of the two\n",
                    count, count == 1 ? "" : "s");
}

/* Names the command that makes a record of the requested kind. */
static void note_none(const struct request *request, const char *folder)
{
    const struct problem *problem = &request->problem;
    const char *size = is_sweep(request) ? "1K..4G" : "400M";
    char low[NUMBER_CHARS], high[NUMBER_CHARS], sizes[2 * NUMBER_CHARS + 8];
    const bool is_some = request->has_n || request->has_op || request->has_type ||
                         request->asked.shape || request->asked.scan || request->has_order;
    const bool has_type = request->has_type || problem->order != ORDER_FREE;
    if (request->n_high)
        snprintf(sizes, sizeof sizes, "--n %s..%s",
                 number_format_count(low, dims_n(&problem->dims)),
                 number_format_count(high, request->n_high));
    else
        snprintf(sizes, sizeof sizes, "--n %s",
                 request->has_n && !is_sweep(request)
                     ? number_format_count(low, dims_n(&problem->dims))
                     : size);
    output_note(&request->out, "no %s%s in %s: 'autotune %s%s%s%s%s%s%s%s' makes one\n",
                is_sweep(request) ? "sweeps" : "records", is_some ? " of this kind" : "",
                folder, request->asked.shape ? dims_text_sweep(request->asked.shape) : sizes,
                request->asked.scan ? " --scan " : "",
                request->asked.scan ? dims_text_scans[request->asked.scan] : "",
                request->has_op ? " --op " : "",
                request->has_op ? operation_option(problem->op) : "",
                has_type ? " --type " : "", has_type ? problem_types[problem->type].name : "",
                problem_orders[problem->order].option);
}

/* Notes which of them were made with other drivers or compilers than are here. */
static int note_outdated(const struct shown *shown, struct error *error)
{
    struct outdated_machine machine = {.count = 0};
    int failed = 0;
    for (size_t i = 0; i < shown->config_count && !failed; i++)
        if (shown->configs[i].from == shown->configs[i].to)
            failed = outdated_machine_add(&machine, &shown->configs[i].record, error);
    for (size_t i = 0; i < machine.count && !failed; i++) {
        struct text line = {0};
        outdated_say(&line, &machine.at[i].found);
        if (line.length)
            output_note(&shown->request.out, "note      of %s %s\n", machine.at[i].info.name,
                        line.at);
        text_dispose(&line);
    }
    outdated_machine_dispose(&machine);
    return failed;
}

/* --- The verb ----------------------------------------------------------------------------- */

static int set_up(void *shared, struct error *error)
{
    struct shown *shown = shared;
    memcpy(shown->columns, columns, sizeof columns);
    shown->table = (struct table){.columns = shown->columns, .column_count = COLUMNS};
    return store_folder(&shown->folder, shown->request.cache, error);
}

static int gather(void *shared, struct error *error)
{
    struct shown *shown = shared;
    const struct collection all = {.place = shown->request.cache};
    const struct filter filter = filter_of(&shown->request);
    const struct collection_visitor visitor = {shown, &filter, add, miss};
    return collection_visit_files(&all, &visitor, error) ||
                   interval_compute(&shown->records, error)
               ? -1
               : 0;
}

static int draw_sweeps(struct shown *shown, size_t *count, struct error *error)
{
    const struct request *request = &shown->request;
    const struct sweep_kind *kind =
        request->asked.shape ? &sweep_drawing_dims : &sweep_drawing_n;
    const int failed = sweep_drawing_print(kind, request, &shown->records, count, error);
    if (!request->asked.shape)
        note_others(request, &shown->records);
    return failed;
}

static int print_records(struct shown *shown, struct error *error)
{
    const size_t count = shown->config_count;
    if (!count && !shown->request.out.json && !shown->request.out.csv)
        return 0;
    if (count)
        qsort(shown->configs, count, sizeof *shown->configs, by_problem);
    for (size_t i = 0; i < count; i++) {
        add_record(&shown->table, &shown->configs[i]);
        if (has_own_space(&shown->configs[i].record)) /* two such lines would be alike */
            shown->columns[SPACE].title = "space";
        if (is_by_text(&shown->configs[i].record)) /* others are all proven alike */
            shown->columns[PROOF].title = "proof";
    }
    return output_table(&shown->request.out, &shown->table, NULL, error);
}

static int show(void *shared, struct error *error)
{
    struct shown *shown = shared;
    size_t count = shown->config_count;
    const int failed =
        shown->own.sweep ? draw_sweeps(shown, &count, error) : print_records(shown, error);
    if (count == 0 && shown->refused.code == ERROR_NONE)
        note_none(&shown->request, shown->folder.at);
    if (!failed && !shown->request.out.quiet && note_outdated(shown, error))
        return -1;
    return failed || shown->refused.code == ERROR_NONE
               ? failed
               : error_set(error, ERROR_IO, "%s", shown->refused.text);
}

static void clean_up(void *shared)
{
    struct shown *shown = shared;
    table_dispose(&shown->table);
    store_dispose(&shown->records);
    free(shown->configs);
    text_dispose(&shown->folder);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_SHOW, "sweep", NULL, "draw the sweeps: each size, its interval's variant, and what that loses; with --shape those of that shape", .flag = offsetof(struct show_request, sweep), .group = 3},
    {.verbs = 0},
};

const struct verb_row verb_show = {
    .verb = VERB_SHOW,
    .name = "show",
    .summary = "show the records kept so far",
    .help =
        "Shows the records kept so far, of all devices.\v"
        "Examples:\n"
        "  autotune show\n"
        "  autotune show --sweep\n"
        "  autotune show --sweep " DIMS_TEXT_SHAPE "\n"
        "  autotune show --type f32 --csv -\n\n" VERBS_EXIT_READ,
    .options = options,
    .bytes = sizeof(struct shown),
    .own = offsetof(struct shown, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
