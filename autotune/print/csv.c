/* csv: cuts cells out of one copy of the bytes, in place; quotes only ever make them
 * shorter. */
#include "autotune/print/csv.h"

#include "generator/array.h"
#include "generator/number.h"
#include "generator/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 6 };

struct reader {
    const char *file;
    char *at, *end; /* the bytes left to read */
    int line;
    char *cell;   /* the one just read, zero-terminated */
    bool is_last; /* of its line */
};

static int refuse(const struct reader *reader, const char *what, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "%s:%d: %s: give a table as 'autotune ... --csv' writes it", reader->file,
                     reader->line, what);
}

/* The inside of a quoted cell, "" read as ": moves what follows up. */
static int read_quoted(struct reader *reader, struct error *error)
{
    char *to = reader->at + 1, *from = to;
    reader->cell = to;
    for (;; from++) {
        if (from == reader->end)
            return refuse(reader, "a quote is not closed", error);
        reader->line += *from == '\n';
        if (*from == '"' && (from + 1 == reader->end || from[1] != '"'))
            break;
        from += *from == '"';
        *to++ = *from;
    }
    reader->at = from + 1;
    if (reader->at < reader->end && !strchr(",\r\n", *reader->at))
        return refuse(reader, "there is text behind a closing quote", error);
    *to = '\0';
    return 0;
}

static int read_plain(struct reader *reader, struct error *error)
{
    reader->cell = reader->at;
    for (; reader->at < reader->end && !strchr(",\r\n", *reader->at); reader->at++)
        if ((unsigned char)*reader->at < ' ' && *reader->at != '\t')
            return refuse(reader, "there is a control character", error);
    return 0;
}

/* Reads a cell and its separator, whose byte becomes the cell's end. */
static int read_cell(struct reader *reader, struct error *error)
{
    const bool is_quoted = reader->at < reader->end && *reader->at == '"';
    if (is_quoted ? read_quoted(reader, error) : read_plain(reader, error))
        return -1;
    char *const stop = reader->at;
    reader->is_last = stop == reader->end || *stop != ',';
    if (stop < reader->end) {
        const size_t width = *stop == '\r' && stop + 1 < reader->end && stop[1] == '\n' ? 2 : 1;
        reader->at = stop + width;
    }
    *stop = '\0';
    return 0;
}

static int read_lines(struct csv *csv, struct reader *reader, struct error *error)
{
    size_t count = 0;
    while (reader->at < reader->end) {
        const size_t first = count;
        const int line = reader->line;
        do {
            if (read_cell(reader, error) ||
                array_grow(&csv->cells, count, sizeof *csv->cells, error))
                return -1;
            csv->cells[count++] = reader->cell;
        } while (!reader->is_last);
        if (!csv->columns)
            csv->columns = count;
        if (count - first != csv->columns) {
            reader->line = line;
            return refuse(reader, "the line has not as many cells as there are titles", error);
        }
        reader->line++;
    }
    if (!count)
        return refuse(reader, "there are no titles", error);
    csv->rows = count / csv->columns - 1;
    return 0;
}

int csv_load(struct csv *out, const char *file, const char *bytes, size_t length,
             struct error *error)
{
    *out = (struct csv){.bytes = NULL};
    if (text_check_encoding(file, bytes, length, error))
        return -1;
    out->bytes = malloc(length + 1);
    if (!out->bytes)
        return error_memory(error, length + 1);
    memcpy(out->bytes, bytes, length);
    out->bytes[length] = '\0';
    struct reader reader = {file, out->bytes, out->bytes + length, 1, NULL, false};
    const int failed = read_lines(out, &reader, error);
    if (failed)
        csv_dispose(out);
    return failed;
}

void csv_dispose(struct csv *csv)
{
    free(csv->cells);
    free(csv->bytes);
    *csv = (struct csv){.rows = 0};
}

int csv_find(const struct csv *csv, const char *title)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->cells[i], title) == 0)
            return (int)i;
    return -1;
}

const char *csv_at(const struct csv *csv, size_t row, int column)
{
    return column < 0 ? "" : csv->cells[(row + 1) * csv->columns + (size_t)column];
}

bool csv_real(double *out, const struct csv *csv, size_t row, int column)
{
    uint64_t millionths;
    struct error ignored;
    if (number_parse_fixed(&millionths, csv_at(csv, row, column), DECIMALS, "", &ignored))
        return false;
    *out = (double)millionths / 1e6;
    return true;
}

/* --- Writing ------------------------------------------------------------------------------ */

/* Control characters, as a file's name may have them, are text within quotes only. */
static bool needs_quotes(const char *field)
{
    for (; *field; field++)
        if (*field == ',' || *field == '"' || (unsigned char)*field < ' ' || *field == 0x7f)
            return true;
    return false;
}

void csv_add(struct text *out, const char *field)
{
    struct text inside = {0};
    if (!needs_quotes(field)) {
        text_add_utf8(out, field);
        return;
    }
    text_add_utf8(&inside, field);
    out->failed |= inside.failed;
    text_adds(out, "\"");
    for (const char *at = inside.at ? inside.at : ""; *at; at++)
        text_add(out, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    text_adds(out, "\"");
    text_dispose(&inside);
}
