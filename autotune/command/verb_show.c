/* verb_show: the records kept so far, all GPUs, as a table. */
#include "autotune/command/output.h"
#include "autotune/command/request.h"
#include "autotune/command/verbs.h"
#include "cache/store.h"
#include "generator/number.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct table_column columns[] = {
    {"gpu", "gpu", false},       {"op", "op", false},         {"type", "type", false},
    {"acc", "acc", false},       {"n", "n", true},            {"regime", "regime", false},
    {"us", "us", true},          {"GB/s", "gbs", true},       {"% peak", "peak_pct", true},
    {"ties", "ties", true},      {"params", "params", false}, {"source", "source", false},
    {"tuned", "tuned", false},   {NULL, "driver", false},     {NULL, "compiler", false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *const sources[] = {
    [RECORD_MEASURED] = "measured",
    [RECORD_EMULATED] = "emulated",
    [RECORD_PUBLISHED] = "published",
};

static bool is_wanted(const struct record *record, const struct request *request)
{
    return !request->has_n || record->problem.n == request->problem.n;
}

static void add_record(struct table *table, const struct record *record)
{
    const struct problem *problem = &record->problem;
    const double bytes = (double)problem->n * problem_types[problem->type].bytes;
    const double peak = (double)record->memory_clock_khz * 1e3 * record->bus_bits / 4;
    const double per_s = record->median_ps ? bytes / (double)record->median_ps * 1e12 : 0;
    char n[NUMBER_CHARS], us[NUMBER_CHARS];
    table_add(table, record->gpu);
    table_add(table, problem_ops[problem->op].name);
    table_add(table, problem_types[problem->type].name);
    table_add(table, problem_types[problem->acc].name);
    table_add(table, number_format_count(n, problem->n));
    table_add(table, problem_regimes[problem->regime]);
    table_add(table, number_format_fixed(us, (record->median_ps + 5000) / 10000, 2));
    table_addf(table, "%.1f", per_s / 1e9);
    if (peak > 0)
        table_addf(table, "%.1f", per_s / peak * 100);
    else
        table_add(table, NULL);
    table_addf(table, "%u", record->ties);
    table_add(table, record->params);
    table_add(table, sources[record->source]);
    table_add(table, record->tuned);
    table_add(table, record->driver);
    table_add(table, record->compiler);
}

static int add_file(struct table *table, const char *folder, const char *name,
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
    for (size_t i = 0; i < records.count; i++)
        if (is_wanted(&records.at[i], request))
            add_record(table, &records.at[i]);
    if (records.skipped)
        output_note(request, "autotune: warning: %s\n", records.reason.text);
    store_dispose(&records);
    return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int fill(struct table *table, const char *folder, const struct request *request,
                struct error *error)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, by_name), failed = 0;
    if (count < 0 && errno != ENOENT)
        return error_set(error, ERROR_IO, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!failed)
            failed = add_file(table, folder, names[i]->d_name, request, error);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return failed;
}

int verb_show(int argc, char **argv, struct error *error)
{
    struct request request;
    struct text folder = {0};
    struct table table = {.columns = columns, .column_count = COLUMNS};
    if (request_parse(&request, VERB_SHOW, argc, argv, error) ||
        store_folder(&folder, request.cache, error))
        return -1;
    int failed = fill(&table, folder.at, &request, error);
    if (!failed && table.row_count == 0)
        output_note(&request, "no records in %s yet: 'autotune --n 400M' makes one\n", folder.at);
    if (!failed && (table.row_count || request.json || request.csv))
        failed = output_table(&request, &table, NULL, error);
    table_dispose(&table);
    text_dispose(&folder);
    return failed;
}
