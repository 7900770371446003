/* table_fit: leaves out columns that are alike in all rows, then folds columns from the last on. */
#include "autotune/print/table_fit.h"

#include "autotune/print/sentence.h"
#include "autotune/print/terminal.h"

#include <limits.h>
#include <string.h>

enum { WIDTH_MIN = 40, INDENT = 4, COLUMNS_MAX = 64, LABEL = 10 };

/* The columns to print, and the last shown column. */
struct fit {
    const struct table *table;
    size_t kept[COLUMNS_MAX], kept_count, last;
    struct text in_all;
};

static const char *cell_at(const struct table *table, size_t row, size_t column)
{
    const char *const cell = table_cell(table, row, column);
    return cell ? cell : "";
}

static bool has_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; *at; at += strspn(at, " ")) {
        const size_t own = strcspn(at, " ");
        if (own == length && memcmp(at, word, length) == 0)
            return true;
        at += own;
    }
    return false;
}

/* Is the word in the last column of every row? */
static bool is_in_all(const struct fit *fit, const char *word, size_t length)
{
    bool is_all = fit->table->row_count > 1;
    for (size_t row = 0; row < fit->table->row_count && is_all; row++)
        is_all = has_word(cell_at(fit->table, row, fit->last), word, length);
    return is_all;
}

/* Appends the words of a cell that all rows have, or the others. */
static void add_words(struct text *out, const struct fit *fit, const char *cell, bool in_all)
{
    const size_t before = out->length;
    for (const char *at = cell; *at;) {
        at += strspn(at, " ");
        const size_t length = strcspn(at, " ");
        if (length && is_in_all(fit, at, length) == in_all)
            text_addf(out, "%s%.*s", out->length > before ? " " : "", (int)length, at);
        at += length;
    }
}

static void choose(struct fit *fit)
{
    const struct table *const table = fit->table;
    for (size_t c = 0; c < table->column_count && c < COLUMNS_MAX; c++)
        if (table->columns[c].title)
            fit->last = c;
    for (size_t c = 0; c < table->column_count && c < COLUMNS_MAX; c++) {
        if (!table->columns[c].title)
            continue;
        if (c == fit->last || table->row_count < 2 || !table_is_alike(table, c))
            fit->kept[fit->kept_count++] = c;
        else if (*cell_at(table, 0, c))
            text_addf(&fit->in_all, "%s%s %s", fit->in_all.length ? ", " : "",
                      table->columns[c].title, cell_at(table, 0, c));
    }
}

/* The first `count` of the columns to print. */
static void make_table(struct table *out, struct table_column *columns, const struct fit *fit,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        columns[i] = fit->table->columns[fit->kept[i]];
    *out =
        (struct table){.columns = columns, .column_count = count, .marked = fit->table->marked};
    for (size_t row = 0; row < fit->table->row_count; row++)
        for (size_t i = 0; i < count; i++) {
            struct text words = {0};
            const char *const cell = cell_at(fit->table, row, fit->kept[i]);
            if (fit->kept[i] == fit->last)
                add_words(&words, fit, cell, false);
            table_add(out, fit->kept[i] != fit->last ? cell : words.at);
            out->failed |= words.failed;
            text_dispose(&words);
        }
}

/* The cells of a row from column `from` on, with their titles but for the last. */
static void add_folded(struct text *out, const struct fit *fit, size_t row, size_t from)
{
    struct text words = {0};
    for (size_t i = from; i < fit->kept_count && fit->kept[i] != fit->last; i++) {
        const char *const title = fit->table->columns[fit->kept[i]].title;
        const char *const cell = cell_at(fit->table, row, fit->kept[i]);
        if (*cell)
            text_addf(out, "%s%s%s%s", out->length ? ", " : "", title, *title ? " " : "", cell);
    }
    add_words(&words, fit, cell_at(fit->table, row, fit->last), false);
    if (words.length)
        text_addf(out, "%s%s", out->length ? ", " : "", words.at);
    out->failed |= words.failed;
    text_dispose(&words);
}

/* Each line of the printed table, the columns that it lacks below it. */
static void print_folded(struct text *out, const struct fit *fit, const struct table *table,
                         size_t width, bool bold_titles)
{
    struct text lines = {0};
    size_t row = 0;
    table_print(&lines, table, bold_titles);
    for (const char *line = lines.at; line && *line; row++) {
        const size_t length = strcspn(line, "\n");
        struct text words = {0};
        text_addf(out, "%.*s\n", (int)length, line);
        if (row > 0)
            add_folded(&words, fit, row - 1, table->column_count);
        if (words.length) {
            text_addf(out, "%*s", INDENT, "");
            sentence_wrap(out, words.at, INDENT, width);
        }
        out->failed |= words.failed;
        text_dispose(&words);
        line += length + (line[length] == '\n');
    }
    out->failed |= lines.failed;
    text_dispose(&lines);
}

void table_fit(struct text *out, const struct table *table, int width, bool bold_titles)
{
    const size_t most = (size_t)(width > WIDTH_MIN ? width : WIDTH_MIN);
    struct fit fit = {.table = table};
    struct table_column columns[COLUMNS_MAX];
    struct table narrow;
    if (table_width(table) <= most) {
        table_print(out, table, bold_titles);
        return;
    }
    choose(&fit);
    size_t count = fit.kept_count;
    make_table(&narrow, columns, &fit, count);
    while (table_width(&narrow) > most && count > 1) {
        table_dispose(&narrow);
        make_table(&narrow, columns, &fit, --count);
    }
    if (count == fit.kept_count)
        table_print(out, &narrow, bold_titles);
    else
        print_folded(out, &fit, &narrow, most, bold_titles);
    table_dispose(&narrow);
    struct text common = {0};
    add_words(&common, &fit, table->row_count ? cell_at(table, 0, fit.last) : "", true);
    if (common.length)
        text_addf(&fit.in_all, "%s%s", fit.in_all.length ? ", " : "", common.at);
    if (fit.in_all.length) {
        text_addf(out, "%-*s", LABEL, "in all");
        sentence_wrap(out, fit.in_all.at, LABEL, most);
    }
    out->failed |= common.failed | fit.in_all.failed;
    text_dispose(&common);
    text_dispose(&fit.in_all);
}

void table_show(struct text *out, const struct table *table, bool bold_titles)
{
    table_fit(out, table, terminal_output_room(INT_MAX), bold_titles);
}
