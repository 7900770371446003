/* verb_check: says of each record of this GPU whether an update made its kernel slower, or wrong: proves it as it is
 * compiled now, and races it. Changes no record. */
#include "autotune/cli/interrupt.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/record_cells.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/check_junit.h"
#include "autotune/command/check_record.h"
#include "autotune/device/claim.h"
#include "autotune/device/monotonic.h"
#include "autotune/print/figures.h"
#include "autotune/search/unit_cache.h"
#include "autotune/search/worker_pool.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_save.h"
#include "generator/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* People see how much slower it is and by what that is known; programs get all ratios. */
/* clang-format off */
static const struct table_column columns[] = {
    {NULL, "gpu", false},           {"op", "op", false},            {"type", "type", false},
    {NULL, "acc", false},           {"n", NULL, true},              {NULL, "n", true},
    {"regime", NULL, false},        {NULL, "regime", false},        {NULL, "order", false},
    {"verdict", "verdict", false},  {"% slower", "slower_pct", true},
    {"interval", NULL, true},       {NULL, "slower_low_pct", true}, {NULL, "slower_high_pct", true},
    {"by", "by", false},            {"us", "us", true},             {NULL, "us_low", true},
    {NULL, "us_high", true},        {"us on record", "record_us", true},
    {NULL, "record_us_low", true},  {NULL, "record_us_high", true},
    {NULL, "x_old", true},          {NULL, "x_old_low", true},      {NULL, "x_old_high", true},
    {NULL, "x_default", true},      {NULL, "x_default_low", true},  {NULL, "x_default_high", true},
    {"machine code", "code", false}, {"tuned", NULL, false},        {NULL, "tuned", false},
    {NULL, "driver", false},        {NULL, "driver_now", false},    {NULL, "compiler", false},
    {NULL, "compiler_now", false},  {NULL, "seconds", true},        DIMS_TEXT_COLUMNS,
    {NULL, "space", false},         {NULL, "params", false},        {"why", "why", false},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

/* What check alone has options for. */
struct check_request {
    const char *since; /* a file of records; NULL = none */
    const char *junit; /* a file; NULL = none */
    double race_s;     /* 0 = the usual */
};

struct checking {
    struct request request;
    struct check_request own;
    struct interrupt_guard guard;
    struct check_session session;
    struct text kernels; /* the folder of compiled ones */
    struct device_info info;
    struct collection collection;
    struct records before;         /* of --since */
    const struct record **records; /* to check, the oldest first */
    size_t record_count, checked;
    struct check_row *rows;
    size_t row_count, counts[CHECK_VERDICTS];
    double start;
};

/* --- Which records ------------------------------------------------------------------------ */

/* Of this very GPU, made with any driver and compiler. */
static bool is_this_gpu(void *context, const struct record *record)
{
    return !record_group_difference(context, record, RECORD_CC | RECORD_GPU);
}

/* Has the file of --since the record as it is? */
static bool is_in(const struct records *records, const struct record *record)
{
    for (size_t i = 0; i < records->count; i++) {
        const struct record *other = &records->at[i];
        if (!record_key_difference(other, record) && other->code == record->code &&
            other->median_ps == record->median_ps &&
            strcmp(other->params, record->params) == 0 &&
            strcmp(other->tuned, record->tuned) == 0)
            return true;
    }
    return false;
}

static int add(void *context, const struct interval *served, const struct records *from,
               struct error *error)
{
    struct checking *it = context;
    if (served->from < served->to) /* an interval has the kernel of a size */
        return 0;
    size_t i = 0;
    while (i < from->count && record_key_difference(&from->at[i], &served->record))
        i++;
    if (i == from->count || is_in(&it->before, &from->at[i]))
        return 0;
    if (array_grow(&it->records, it->record_count, sizeof *it->records, error))
        return -1;
    it->records[it->record_count++] = &from->at[i];
    return 0;
}

static int by_age(const void *left, const void *right)
{
    const struct record *a = *(const struct record *const *)left,
                        *b = *(const struct record *const *)right;
    const int order = strcmp(a->tuned, b->tuned);
    return order ? order : (a > b) - (a < b);
}

static struct filter filter_of(const struct request *request, struct record *key)
{
    struct filter filter;
    request_filter(&filter, request);
    filter.asked |= FILTER_USE | FILTER_DEVICE | FILTER_METHOD | FILTER_GPU;
    filter.asked |= request->asked.shape ? FILTER_SHAPE : 0;
    filter.asked |= request->asked.has_scan ? FILTER_SCAN : 0;
    filter.asked |= request->cold || request->warm ? FILTER_REGIME : 0;
    filter.problem.regime = request->warm ? WARM : COLD;
    filter.shape = request->asked.shape;
    filter.problem.dims.scan = request->asked.scan;
    filter.is_gpu = is_this_gpu;
    filter.gpu = key;
    return filter;
}

static int load_since(struct checking *it, struct error *error)
{
    if (!it->own.since)
        return 0;
    if (store_load(&it->before, it->own.since, error))
        return -1;
    if (it->before.is_refused)
        return error_set(error, ERROR_IO, "--since: %s", it->before.reason.text);
    return it->before.count
               ? 0
               : error_set(
                     error, ERROR_IO,
                     "--since %.500s: it has no records: name a copy of a file of records",
                     it->own.since);
}

/* Lists the records of the GPU's own file, of which the key is. */
static int list_records(struct checking *it, struct record *key, struct error *error)
{
    struct error warning = {.code = ERROR_NONE};
    const struct filter filter = filter_of(&it->request, key);
    const struct collection_visitor visitor = {it, &filter, add, NULL};
    if (collection_load(&it->collection, key->gpu, &warning, error) ||
        collection_visit(&it->collection.own, &visitor, error))
        return -1;
    if (warning.code != ERROR_NONE)
        output_warn("%s", warning.text);
    if (it->record_count)
        qsort(it->records, it->record_count, sizeof *it->records, by_age);
    else
        output_note(&it->request.out, "no records of this GPU%s to check\n",
                    it->own.since              ? " that --since does not have"
                    : it->collection.own.count ? " of this kind"
                                               : "");
    return 0;
}

/* --- Set-up ------------------------------------------------------------------------------- */

/* Opens the device once, to know whose records are checked. */
static int open_device(struct checking *it, struct record *key, struct error *error)
{
    struct request usual = it->request;
    struct setup setup;
    usual.space = usual.template = NULL;
    usual.problem = (struct problem){.op = operation_usual(), .type = I32, .acc = I32};
    usual.has_n = false;
    if (setup_open(&setup, &usual, true, error))
        return -1;
    it->info = setup.device->info;
    setup_record(key, &setup);
    setup_close(&setup);
    tune_notes_device(&it->request, &it->info, 1);
    if (it->info.target.is_host)
        output_note(
            &it->request.out,
            "          whose times say nothing of a GPU's: records are proved, and raced "
            "with old machine code alone\n");
    if (!claim_gpu(it->info.uuid))
        output_warn("another autotune measures on GPU %s, and each spoils the other's times",
                    it->info.spec);
    return 0;
}

static int set_up(void *shared, struct error *error)
{
    struct checking *it = shared;
    struct check_session *session = &it->session;
    struct record key;
    interrupt_begin(&it->guard, NULL);
    it->start = monotonic_s();
    it->collection = setup_collection(&it->request);
    if (store_folder(&it->kernels, it->request.cache, error))
        return -1;
    text_adds(&it->kernels, "/kernels");
    if (text_check(&it->kernels, error) || open_device(it, &key, error) ||
        load_since(it, error) || list_records(it, &key, error))
        return -1;
    *session = (struct check_session){.request = &it->request,
                                      .race_s = it->own.race_s,
                                      .kernels = it->kernels.at};
    return worker_pool_open(&session->workers, error) ||
                   unit_cache_open(&session->units, UNIT_CACHE_BYTES, error)
               ? -1
               : 0;
}

/* --- The checks --------------------------------------------------------------------------- */

static bool is_over(const struct checking *it)
{
    return it->request.budget_s > 0 && it->checked > 0 &&
           monotonic_s() - it->start > it->request.budget_s;
}

static int check_one(struct check_row *row, struct checking *it, const struct record *record,
                     bool *is_wanted, struct error *error)
{
    struct error cause;
    const int opened = check_record_open(&it->session, record, &cause);
    *is_wanted = opened != 0;
    *row = (struct check_row){.record = record, .judgement.why = ""};
    if (opened > 0)
        return check_record_run(row, &it->session, record, error);
    if (opened < 0 && cause.code == ERROR_NO_DEVICE) {
        *error = cause;
        return -1;
    }
    row->judgement.verdict = CHECK_UNTOLD;
    snprintf(row->why, sizeof row->why, "%.500s", opened < 0 ? cause.text : "");
    return 0;
}

static void note_row(const struct checking *it, const struct check_row *row)
{
    char problem[PROBLEM_CHARS];
    output_note(&it->request.out, "checked   %zu of %zu: %s: %s\n", it->row_count,
                it->record_count, problem_format(problem, &row->record->problem),
                check_verdicts[row->judgement.verdict]);
}

static int check_next(struct checking *it, const struct record *record, struct error *error)
{
    struct check_row *row = &it->rows[it->row_count];
    const double start = monotonic_s();
    bool is_wanted = true;
    if (is_over(it)) {
        *row = (struct check_row){.record = record,
                                  .judgement = {.verdict = CHECK_LEFT_OUT, .why = ""},
                                  .why = "the budget was over"};
    } else {
        if (check_one(row, it, record, &is_wanted, error))
            return -1;
        it->checked += is_wanted;
        row->seconds = monotonic_s() - start;
    }
    if (!is_wanted)
        return 0;
    it->row_count++;
    it->counts[row->judgement.verdict]++;
    if (row->judgement.verdict != CHECK_LEFT_OUT)
        note_row(it, row);
    return 0;
}

static int gather(void *shared, struct error *error)
{
    struct checking *it = shared;
    it->rows = calloc(it->record_count + 1, sizeof *it->rows);
    if (!it->rows)
        return error_memory(error, it->record_count * sizeof *it->rows);
    for (size_t i = 0; i < it->record_count; i++) {
        if (interrupt_came())
            return error_set(
                error, ERROR_INTERRUPTED,
                "interrupted after %zu of %zu records: the same command starts again",
                it->row_count, it->record_count);
        if (check_next(it, it->records[i], error))
            return -1;
    }
    return 0;
}

/* --- Showing ------------------------------------------------------------------------------ */

static void add_us(struct table *table, uint64_t ps)
{
    char us[NUMBER_CHARS];
    table_add(table, ps ? figures_us(us, ps) : NULL);
}

static void add_ratio(struct table *table, struct check_ratio ratio)
{
    const bool is_known = ratio.middle > 0;
    table_add_number(table, is_known, 4, ratio.middle);
    table_add_number(table, is_known, 4, ratio.low);
    table_add_number(table, is_known, 4, ratio.high);
}

static void add_judgement(struct table *table, const struct check_judgement *judgement)
{
    const struct check_ratio by = judgement->by;
    const bool is_known = by.middle > 0;
    table_add(table, check_verdicts[judgement->verdict]);
    table_add_number(table, is_known, 1, 100 * (by.middle - 1));
    if (is_known)
        table_addf(table, "%.1f .. %.1f", 100 * (by.low - 1), 100 * (by.high - 1));
    else
        table_add(table, NULL);
    table_add_number(table, is_known, 2, 100 * (by.low - 1));
    table_add_number(table, is_known, 2, 100 * (by.high - 1));
    table_add(table, *check_bases[judgement->basis] ? check_bases[judgement->basis] : NULL);
}

static void add_problem(struct table *table, const struct record *record)
{
    const struct problem *problem = &record->problem;
    char size[DIMS_TEXT_CHARS];
    record_cells_add_problem(table, record);
    table_add(table, dims_text_format(size, &problem->dims));
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
    table_addf(table, "%s%s", problem_regimes[problem->regime],
               problem_orders[problem->order].shown);
    table_add(table, problem_regimes[problem->regime]);
    table_add(table, problem_orders[problem->order].name);
}

static void add_row(struct table *table, const struct checking *it, const struct check_row *row)
{
    const struct record *record = row->record;
    add_problem(table, record);
    add_judgement(table, &row->judgement);
    add_us(table, row->median_ps);
    add_us(table, row->low_ps);
    add_us(table, row->high_ps);
    add_us(table, record->median_ps);
    add_us(table, record->low_ps);
    add_us(table, record->high_ps);
    add_ratio(table, row->ratios.old);
    add_ratio(table, row->ratios.untuned);
    table_add(table, *check_code_states[row->code] ? check_code_states[row->code] : NULL);
    table_addf(table, "%.10s", record->tuned);
    table_add(table, record->tuned);
    table_add(table, record->driver);
    table_add(table, it->info.driver);
    table_add(table, record->compiler);
    table_add(table, it->info.compiler);
    table_add_number(table, true, 2, row->seconds);
    record_cells_add_dims(table, record);
    table_add(table, record->space);
    table_add(table, record->params);
    table_add(table, *row->why ? row->why : NULL);
}

/* "12 records: 9 same, 2 slower, 1 left out". */
static void add_counts(struct text *out, const struct checking *it)
{
    const char *before = ": ";
    text_addf(out, "%zu record%s", it->row_count, it->row_count == 1 ? "" : "s");
    for (size_t i = 0; i < CHECK_VERDICTS; i++)
        if (it->counts[i]) {
            text_addf(out, "%s%zu %s", before, it->counts[i], check_verdicts[i]);
            before = ", ";
        }
}

/* The worst that was found decides. */
static int conclude(const struct checking *it, struct error *error)
{
    const size_t *counts = it->counts;
    const size_t untold = counts[CHECK_UNTOLD] + counts[CHECK_STALE] + counts[CHECK_LEFT_OUT];
    const enum error_code code = counts[CHECK_WRONG]    ? ERROR_WRONG
                                 : counts[CHECK_SLOWER] ? ERROR_SLOWER
                                 : untold               ? ERROR_NOISY
                                                        : ERROR_NONE;
    struct text text = {0};
    if (!it->row_count)
        return 0;
    add_counts(&text, it);
    if (code == ERROR_NONE) {
        output_note(&it->request.out, "check     %s\n", text.at ? text.at : "");
        text_dispose(&text);
        return 0;
    }
    error_set(error, code, "%s: %s", text.at ? text.at : "",
              code == ERROR_WRONG ? "a wrong kernel must not be used: tune again with --retune"
              : code == ERROR_SLOWER ? "tune again with --retune, or go back"
                                     : "not all could be told");
    text_dispose(&text);
    return -1;
}

static int write_junit(const struct checking *it, struct error *error)
{
    struct text text = {0};
    char now[TUNE_SAVE_TIME_CHARS];
    if (!it->own.junit)
        return 0;
    tune_save_now(now);
    check_junit(&text, it->rows, it->row_count, &it->info, now);
    const int failed = output_write(it->own.junit, &text, error);
    text_dispose(&text);
    return failed;
}

static int show(void *shared, struct error *error)
{
    struct checking *it = shared;
    struct table table = {.columns = columns, .column_count = COLUMNS};
    for (size_t i = 0; i < it->row_count; i++)
        add_row(&table, it, &it->rows[i]);
    const bool is_shown = it->row_count || it->request.out.json || it->request.out.csv;
    int failed = is_shown ? output_table(&it->request.out, &table, NULL, error) : 0;
    failed = write_junit(it, error) || failed;
    table_dispose(&table);
    return failed ? -1 : conclude(it, error);
}

static void clean_up(void *shared)
{
    struct checking *it = shared;
    interrupt_end(&it->guard);
    unit_cache_close(it->session.units);
    worker_pool_close(it->session.workers);
    setup_close(&it->session.setup);
    collection_dispose(&it->collection);
    store_dispose(&it->before);
    text_dispose(&it->kernels);
    free(it->records);
    free(it->rows);
}

/* --- Options ------------------------------------------------------------------------------ */

static int parse_race(struct request *request, const char *value, struct error *error)
{
    struct check_request *own = request->own;
    return options_parse_time(&own->race_s, value, "--race", error);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_CHECK, "since", "FILE", "only records that FILE, a copy of a file of records made earlier, does not have as they are: what was tuned since", .text = offsetof(struct check_request, since), .group = 1},
    {VERB_CHECK, "race", "TIME", "how long each kernel is raced, as 200ms or 2s (default 700ms, on the host 300ms): more tells smaller differences", .parse = parse_race, .group = 2},
    {VERB_CHECK, "junit", "FILE", "also write JUnit XML, for CI: a record is a test case; '-' for stdout", .text = offsetof(struct check_request, junit), .group = 3},
    {.verbs = 0},
};

const struct verb_row verb_check = {
    .verb = VERB_CHECK,
    .name = "check",
    .summary = "say whether an update made the records' kernels slower, or wrong",
    .help =
        "Says of each record of this GPU whether an update, of driver, compiler or this program, made its kernel "
        "slower, or wrong: proves it as it is compiled now, and races it with the default and, where "
        "its machine code changed, with the old code that is kept. Changes no record.\v"
        "Examples:\n"
        "  autotune check\n"
        "  autotune check --type f32 --budget 2m\n"
        "  autotune check --quiet --junit check.xml --json check.json\n\n"
        "Exit: 0 all same or faster, 3 some are slower, 70 some are wrong, 75 some could not be told, "
        "are stale or were left out; 1 failed, 64 usage, 69 no such device, driver or NVRTC, "
        "74 input or output failed, 130 interrupted.",
    .options = options,
    .bytes = sizeof(struct checking),
    .own = offsetof(struct checking, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
