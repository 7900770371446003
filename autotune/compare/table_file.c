/* table_file: reads a table and checks that its lines have one subject. */
#include "autotune/compare/table_file.h"

#include "generator/problem.h"
#include "generator/text.h"

#include <stdio.h>
#include <string.h>

enum { CSV_BYTES_MAX = 16 << 20 };

/* --- The subject of the lines ------------------------------------------------------------- */

static int find_gpu(const struct csv *csv)
{
    const int gpu = csv_find(csv, "gpu");
    return gpu >= 0 ? gpu : csv_find(csv, "device");
}

static int report_unknown(const struct table_file *table, struct error *error)
{
    return error_set(
        error, ERROR_USAGE,
        "%s %.200s: does not say what was measured where: it needs the columns gpu, op "
        "and type, which 'autotune %s --csv FILE' writes",
        table->option, table->file, table->option + 2);
}

static int report_mixed(const struct table_file *table, size_t row, const char *first,
                        const char *here, struct error *error)
{
    return error_set(
        error, ERROR_USAGE,
        "%s %.200s: line %zu is of '%.60s', the lines before it are of '%.60s': split the table",
        table->option, table->file, row + 2, here, first);
}

/* The columns that every line must have alike. */
static int check_lines(const struct table_file *table, int gpu, struct error *error)
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

static void describe_extra(struct table_file *table)
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

static int find_subject(struct table_file *table, struct error *error)
{
    const struct csv *const csv = &table->csv;
    const int gpu = find_gpu(csv);
    table->gpu = csv_at(csv, 0, gpu);
    table->op = csv_at(csv, 0, csv_find(csv, "op"));
    table->type = csv_at(csv, 0, csv_find(csv, "type"));
    table->regime = csv_at(csv, 0, csv_find(csv, "regime"));
    if (csv->rows == 0)
        return error_set(error, ERROR_USAGE, "%s %.200s: has no line but its titles",
                         table->option, table->file);
    if (!*table->gpu || !*table->op || !*table->type)
        return report_unknown(table, error);
    if (operation_find(&table->problem.op, table->op, error) ||
        problem_find_type(&table->problem.type, table->type, error)) {
        const struct error why = *error;
        return error_set(error, ERROR_USAGE, "%s %.200s: %.300s", table->option, table->file,
                         why.text);
    }
    describe_extra(table);
    return check_lines(table, gpu, error);
}

/* --- The whole ---------------------------------------------------------------------------- */

int table_file_open(struct table_file *out, const char *option, const char *file,
                    struct error *error)
{
    struct text text = {0};
    *out = (struct table_file){.option = option, .file = file};
    int failed = text_read(&text, file, CSV_BYTES_MAX, error);
    if (failed)
        error_set(
            error, error->code,
            "%s: --bench and --ladder take what 'autotune bench --csv FILE' and 'autotune "
            "ladder --csv FILE' write",
            error->text);
    else
        failed = csv_load(&out->csv, file, text.at ? text.at : "", text.length, error);
    text_dispose(&text);
    return failed;
}

int table_file_check(struct table_file *table, bool has_sizes, struct error *error)
{
    table->has_sizes = has_sizes;
    return find_subject(table, error);
}

void table_file_close(struct table_file *table)
{
    csv_dispose(&table->csv);
}
