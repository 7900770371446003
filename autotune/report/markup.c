/* markup: escapes text a byte at a time; UTF-8 passes through, other bytes do not. */
#include "autotune/report/markup.h"

#include <math.h>
#include <string.h>

static const char *find_reference(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static bool is_control(char c)
{
    return ((unsigned char)c < ' ' && c != '\t' && c != '\n') || c == 0x7f;
}

void markup_bytes(struct text *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char *reference = find_reference(bytes[i]);
        if (reference)
            text_adds(out, reference);
        else
            text_add(out, is_control(bytes[i]) ? "?" : &bytes[i], 1);
    }
}

void markup_text(struct text *out, const char *string)
{
    struct text clean = {0};
    text_add_utf8(&clean, string);
    out->failed |= clean.failed;
    markup_bytes(out, clean.at ? clean.at : "", clean.length);
    text_dispose(&clean);
}

void markup_element(struct text *out, const char *name, const char *class, const char *string)
{
    text_addf(out, "<%s", name);
    if (class)
        text_addf(out, " class=\"%s\"", class);
    text_adds(out, ">");
    markup_text(out, string);
    text_addf(out, "</%s>", name);
}

void markup_open_scroll(struct text *out, const char *name)
{
    text_adds(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    markup_text(out, name);
    text_adds(out, "\">");
}

void markup_number(struct text *out, double value)
{
    const long long tenths = llround(value * 10);
    const long long size = tenths < 0 ? -tenths : tenths;
    text_addf(out, "%s%lld", tenths < 0 ? "-" : "", size / 10);
    if (size % 10)
        text_addf(out, ".%lld", size % 10);
}

static void add_cell(struct text *out, const struct table_column *column, const char *name,
                     const char *cell)
{
    markup_element(out, name, column->is_number ? "n" : NULL, cell ? cell : "");
}

void markup_table(struct text *out, const struct table *table, const char *caption)
{
    out->failed |= table->failed;
    markup_open_scroll(out, caption);
    text_adds(out, "<table>");
    markup_element(out, "caption", NULL, caption);
    text_adds(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].title)
            add_cell(out, &table->columns[i], "th", table->columns[i].title);
    text_adds(out, "</tr></thead>\n<tbody>");
    for (size_t row = 0; row < table->row_count; row++) {
        text_adds(out, "<tr>");
        for (size_t i = 0; i < table->column_count; i++)
            if (table->columns[i].title)
                add_cell(out, &table->columns[i], "td", table_cell(table, row, i));
        text_adds(out, "</tr>\n");
    }
    text_adds(out, "</tbody></table></div>\n");
}
