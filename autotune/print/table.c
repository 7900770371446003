/* table: keeps cells as strings and writes them in three forms. Handles alignment, quoting and
 * what JSON takes for a number. */
#include "autotune/print/table.h"

#include "autotune/print/csv.h"
#include "generator/array.h"
#include "generator/json.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

void table_dispose(struct table *table)
{
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    table->cells = NULL;
    table->row_count = table->cell_count = 0;
}

/* Takes over `cell`, which may be NULL. */
static void add_owned(struct table *table, char *cell)
{
    struct error ignored;
    table->failed = table->failed || array_grow(&table->cells, table->cell_count,
                                                sizeof *table->cells, &ignored);
    if (table->failed) {
        free(cell);
        return;
    }
    if (table->cell_count % table->column_count == 0)
        table->row_count++;
    table->cells[table->cell_count++] = cell;
}

void table_add(struct table *table, const char *cell)
{
    char *copy = cell ? strdup(cell) : NULL;
    table->failed |= cell && !copy;
    add_owned(table, copy);
}

static bool is_of(const struct table_value *value, const struct table_column *column)
{
    return column->key ? value->key && strcmp(value->key, column->key) == 0
                       : value->title && strcmp(value->title, column->title) == 0;
}

void table_add_named(struct table *table, const struct table_value *values, size_t count)
{
    for (size_t i = 0; i < table->column_count; i++) {
        size_t k = 0;
        while (k < count && !is_of(&values[k], &table->columns[i]))
            k++;
        table_add(table, k < count ? values[k].cell : NULL);
    }
}

void table_addf(struct table *table, const char *format, ...)
{
    /* A program that uses the library may have set a locale in which 0.5 is "0,5". */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) {
        table->failed = true;
        return;
    }
    locale_t before = uselocale(c_locale);
    char *cell;
    va_list args;
    va_start(args, format);
    if (vasprintf(&cell, format, args) < 0) {
        cell = NULL;
        table->failed = true;
    }
    va_end(args);
    uselocale(before);
    freelocale(c_locale);
    add_owned(table, cell);
}

void table_add_number(struct table *table, bool is_known, int decimals, double value)
{
    if (is_known)
        table_addf(table, "%.*f", decimals, value);
    else
        table_add(table, NULL);
}

const char *table_cell(const struct table *table, size_t row, size_t column)
{
    size_t at = row * table->column_count + column;
    return at < table->cell_count ? table->cells[at] : NULL;
}

bool table_is_alike(const struct table *table, size_t column)
{
    const char *first = table_cell(table, 0, column);
    for (size_t row = 1; row < table->row_count; row++) {
        const char *cell = table_cell(table, row, column);
        if (strcmp(first ? first : "", cell ? cell : "") != 0)
            return false;
    }
    return true;
}

/* --- For people --------------------------------------------------------------------------- */

/* Characters in UTF-8: each byte but the continuations. */
static size_t width_of(const char *string)
{
    size_t width = 0;
    for (; string && *string; string++)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t width = width_of(table->columns[column].title);
    for (size_t row = 0; row < table->row_count; row++) {
        size_t cell = width_of(table_cell(table, row, column));
        width = cell > width ? cell : width;
    }
    return width;
}

/* Adds one cell. `*spaces` are still to print from the cells before it, so that none end a
 * line. */
static void print_cell(struct text *out, const char *cell, size_t width, bool is_right,
                       size_t *spaces)
{
    size_t length = width_of(cell), padding = width - length;
    *spaces += is_right ? padding : 0;
    if (length) {
        for (; *spaces; --*spaces)
            text_add(out, " ", 1);
        text_add_visible(out, cell);
    }
    *spaces += GAP + (is_right ? 0 : padding);
}

static void print_line(struct text *out, const struct table *table, const size_t *widths,
                       size_t row, bool is_title, bool is_bold)
{
    size_t spaces = 0;
    text_adds(out, is_bold ? "\033[1m" : "");
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        if (!column->title)
            continue;
        print_cell(out, is_title ? column->title : table_cell(table, row, i), widths[i],
                   column->is_number, &spaces);
    }
    text_adds(out, is_bold ? "\033[0m\n" : "\n");
}

size_t table_width(const struct table *table)
{
    size_t width = 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].title)
            width += (width ? GAP : 0) + column_width(table, i);
    return width;
}

void table_print(struct text *out, const struct table *table, bool bold_titles)
{
    size_t *widths = calloc(table->column_count, sizeof *widths);
    out->failed |= table->failed || !widths;
    if (out->failed) {
        free(widths);
        return;
    }
    for (size_t i = 0; i < table->column_count; i++)
        widths[i] = column_width(table, i);
    print_line(out, table, widths, 0, true, bold_titles);
    for (size_t row = 0; row < table->row_count; row++)
        print_line(out, table, widths, row, false, bold_titles && row + 1 == table->marked);
    free(widths);
}

/* --- For programs ------------------------------------------------------------------------- */

static void add_csv_line(struct text *out, const struct table *table, size_t row, bool is_title)
{
    size_t count = 0, first = out->length;
    for (size_t i = 0; i < table->column_count; i++) {
        const char *key = table->columns[i].key,
                   *cell = is_title ? key : table_cell(table, row, i);
        if (!key)
            continue;
        text_adds(out, count++ ? "," : "");
        csv_add(out, cell ? cell : "");
    }
    /* An empty line would be read as no record. */
    text_adds(out, count && out->length == first ? "\"\"\r\n" : "\r\n");
}

void table_csv_rows(struct text *out, const struct table *table, size_t first)
{
    out->failed |= table->failed;
    for (size_t row = first; row < table->row_count; row++)
        add_csv_line(out, table, row, false);
}

void table_csv(struct text *out, const struct table *table)
{
    add_csv_line(out, table, 0, true);
    table_csv_rows(out, table, 0);
}

static const char *skip_digits(const char *s)
{
    return s + strspn(s, "0123456789");
}

/* JSON's number (RFC 8259, 6): no '+', no leading zero, digits on both sides of a '.'. */
static bool is_json_number(const char *s)
{
    s += *s == '-';
    const char *whole = s;
    s = skip_digits(s);
    if (s == whole || (*whole == '0' && s > whole + 1))
        return false;
    if (*s == '.') {
        const char *fraction = s + 1;
        s = skip_digits(fraction);
        if (s == fraction)
            return false;
    }
    if (*s == 'e' || *s == 'E') {
        const char *exponent = s + 1 + (s[1] == '-' || s[1] == '+');
        s = skip_digits(exponent);
        if (s == exponent)
            return false;
    }
    return !*s;
}

static void add_json_row(struct json *json, const struct table *table, size_t row)
{
    json_open(json, NULL, '{');
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        const char *cell = table_cell(table, row, i);
        const bool is_number = cell && column->is_number && is_json_number(cell);
        if (column->key)
            (is_number ? json_number : json_string)(json, column->key, cell);
    }
    json_close(json, '}');
}

void table_json(struct text *out, const struct table *table)
{
    struct json json = {.out = out};
    out->failed |= table->failed;
    json_open(&json, NULL, '[');
    for (size_t row = 0; row < table->row_count; row++) {
        json_line(&json, "\n ");
        add_json_row(&json, table, row);
    }
    json_line(&json, table->row_count ? "\n" : NULL);
    json_close(&json, ']');
    text_adds(out, "\n");
}
