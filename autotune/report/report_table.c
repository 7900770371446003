/* report_table: reads a table and checks its subject. Compares the names of GPUs in their
 * several forms. */
#include "autotune/report/report_table.h"

#include "autotune/device/gpus.h"

#include <stdio.h>
#include <string.h>

/* --- The subject of the lines ------------------------------------------------------------- */

static int find_gpu(const struct csv *csv)
{
    const int gpu = csv_find(csv, "gpu");
    return gpu >= 0 ? gpu : csv_find(csv, "device");
}

static int report_unknown(const struct report_table *table, struct error *error)
{
    return error_set(
        error, ERROR_USAGE,
        "%s %.200s: does not say what was measured where: it needs the columns gpu, op "
        "and type, which 'autotune %s --csv FILE' writes",
        table->option, table->file, table->option + 2);
}

static int report_mixed(const struct report_table *table, size_t row, const char *first,
                        const char *here, struct error *error)
{
    return error_set(
        error, ERROR_USAGE,
        "%s %.200s: line %zu is of '%.60s', the lines before it are of '%.60s': split the table",
        table->option, table->file, row + 2, here, first);
}

/* The columns that every line must have alike. */
static int check_lines(const struct report_table *table, int gpu, struct error *error)
{
    const struct csv *const csv = &table->csv;
    const int columns[] = {gpu, csv_find(csv, "op"), csv_find(csv, "type"),
                           csv_find(csv, "regime"), csv_find(csv, "offset"),
                           csv_find(csv, "order"), csv_find(csv, "shape"),
                           /* for tables of one size */
                           csv_find(csv, "n"), csv_find(csv, "rows"), csv_find(csv, "len"),
                           csv_find(csv, "pitch")};
    enum { SIZES = 4 };
    const size_t count = sizeof columns / sizeof *columns - (table->has_sizes ? SIZES : 0);
    for (size_t row = 1; row < csv->rows; row++)
        for (size_t i = 0; i < count; i++) {
            const char *const first = csv_at(csv, 0, columns[i]);
            const char *const here = csv_at(csv, row, columns[i]);
            if (strcmp(first, here) != 0)
                return report_mixed(table, row, first, here, error);
        }
    return 0;
}

static void describe_extra(struct report_table *table)
{
    const struct csv *const csv = &table->csv;
    const char *const offset = csv_at(csv, 0, csv_find(csv, "offset"));
    const char *const order = csv_at(csv, 0, csv_find(csv, "order"));
    const bool is_off = *offset && strcmp(offset, "0") != 0;
    const bool is_queued = strcmp(order, "stream") == 0;
    if (is_off)
        snprintf(table->how, sizeof table->how, ", from %.20s bytes past alignment", offset);
    if (is_queued)
        snprintf(table->how + strlen(table->how), sizeof table->how - strlen(table->how),
                 ", calls queued one by one");
}

static int read_subject(struct report_table *table, struct error *error)
{
    const struct csv *const csv = &table->csv;
    const int gpu = find_gpu(csv);
    enum op op;
    enum type type;
    table->gpu = csv_at(csv, 0, gpu);
    table->op = csv_at(csv, 0, csv_find(csv, "op"));
    table->type = csv_at(csv, 0, csv_find(csv, "type"));
    table->regime = csv_at(csv, 0, csv_find(csv, "regime"));
    if (csv->rows == 0)
        return error_set(error, ERROR_USAGE, "%s %.200s: has no line but its titles",
                         table->option, table->file);
    if (!*table->gpu || !*table->op || !*table->type)
        return report_unknown(table, error);
    if (problem_find_op(&op, table->op, error) ||
        problem_find_type(&type, table->type, error)) {
        const struct error why = *error;
        return error_set(error, ERROR_USAGE, "%s %.200s: %.300s", table->option, table->file,
                         why.text);
    }
    describe_extra(table);
    return check_lines(table, gpu, error);
}

/* --- The subject of the report ------------------------------------------------------------ */

/* Compares by the table of GPUs, else by the names that records have. */
static bool is_its_gpu(const struct report_table *table, const struct compare_input *subject)
{
    struct gpus_model own, its;
    struct error ignored;
    if (strcmp(table->gpu, subject->side.name) == 0)
        return true;
    if (gpus_find_model(&its, table->gpu, &ignored) == 0 &&
        gpus_find_model(&own, subject->side.name, &ignored) == 0)
        return strcmp(own.name, its.name) == 0;
    for (size_t i = 0; i < subject->records.count; i++)
        if (strcmp(subject->records.at[i].gpu, table->gpu) == 0)
            return true;
    return false;
}

static int check_gpu(const struct report_table *table, const struct report *report,
                     struct error *error)
{
    if (!report->subject || is_its_gpu(table, report->subject))
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "%s %.200s: was measured on %.60s, and this report is about %.60s: begin "
        "with the table's GPU, 'autotune report \"%.60s\" ...', or leave the table out",
        table->option, table->file, table->gpu, report->subject->side.name, table->gpu);
}

/* --- The whole ---------------------------------------------------------------------------- */

int report_table_open(struct report_table *out, const char *option, const char *file,
                      struct error *error)
{
    *out = (struct report_table){.option = option, .file = file};
    return report_read_csv(&out->csv, file, error);
}

int report_table_check(struct report_table *table, const struct report *report, bool has_sizes,
                       struct error *error)
{
    table->has_sizes = has_sizes;
    return read_subject(table, error) ? -1 : check_gpu(table, report, error);
}

void report_table_close(struct report_table *table)
{
    csv_dispose(&table->csv);
}

bool report_table_is_of_title(const struct report_table *table, const struct report *report)
{
    const struct record *const headline = report->headline;
    return headline && strcmp(table->op, problem_ops[headline->problem.op].name) == 0 &&
           strcmp(table->type, problem_types[headline->problem.type].name) == 0;
}

void report_table_note(const struct report_table *table, struct report *report)
{
    char title[PROBLEM_CHARS];
    if (report->headline && !report_table_is_of_title(table, report))
        document_add(&report->document, DOCUMENT_TEXT,
                     "This is %s %s, not the problem of this page's title, %s.", table->op,
                     table->type, problem_format(title, &report->headline->problem));
}
