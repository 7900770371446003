/* output_rows: puts the file in its place with the first row and goes on to write to it. */
#include "autotune/cli/output_rows.h"

#include "cache/file.h"

#include <errno.h>
#include <string.h>

static bool is_file(const struct output_rows *rows)
{
    return strcmp(rows->path, "-") != 0;
}

static int write_text(struct output_rows *rows, const struct text *text, struct error *error)
{
    if (!is_file(rows))
        return output_write("-", text, error);
    if (text_check(text, error))
        return -1;
    return file_write(rows->file.file, text->at, text->length) == 0
               ? 0
               : error_set(error, ERROR_IO, "%s: cannot be written: %s", rows->path,
                           strerror(errno));
}

static int begin(struct output_rows *rows, const struct table *table, struct error *error)
{
    struct text text = {0};
    if (is_file(rows) && output_file_open(&rows->file, rows->path, error))
        return -1;
    rows->is_begun = true;
    table_csv(&text, table);
    int failed = write_text(rows, &text, error);
    text_dispose(&text);
    if (!failed && is_file(rows))
        failed = output_file_place(&rows->file, rows->path, error);
    rows->count = table->row_count;
    rows->has_failed = failed;
    return failed;
}

int output_rows_write(struct output_rows *rows, const struct table *table, struct error *error)
{
    struct text text = {0};
    if (!rows->path || rows->has_failed || rows->count == table->row_count)
        return 0;
    if (!rows->is_begun)
        return begin(rows, table, error);
    table_csv_rows(&text, table, rows->count);
    const int failed = write_text(rows, &text, error);
    text_dispose(&text);
    rows->count = table->row_count;
    rows->has_failed = failed;
    return failed;
}

int output_rows_close(struct output_rows *rows, const struct table *table, int failed,
                      struct error *error)
{
    if (!rows->path)
        return failed;
    if (rows->has_failed && !failed) /* as was told when it did */
        failed = error_set(error, ERROR_IO, "%s: a line of the table could not be written",
                           rows->path);
    if (!failed)
        failed =
            rows->is_begun ? output_rows_write(rows, table, error) : begin(rows, table, error);
    if (rows->is_begun && is_file(rows))
        failed = output_file_close(&rows->file, rows->path, failed, error);
    rows->path = NULL;
    return failed;
}

int output_rows_end(struct output_rows *rows, const struct output *output,
                    const struct table *table, int failed, struct error *error)
{
    struct text json = {0};
    struct error second;
    failed = output_rows_close(rows, table, failed, error);
    table_json(&json, table);
    if (output->json && (!failed || table->row_count) &&
        output_write(output->json, &json, failed ? &second : error))
        failed = -1;
    text_dispose(&json);
    return failed;
}
