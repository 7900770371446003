/* page_text: writes plain text, with a function for each kind of block. */
#include "autotune/report/page_text.h"

#include <string.h>

typedef void add_block(struct text *out, struct document_block *block,
                       const struct terminal_style *style);

/* Wraps at blanks; control characters are '?'. */
static void add_wrapped(struct text *out, const char *string,
                        const struct terminal_style *style)
{
    const int most = style->width < 40 ? 40 : style->width;
    struct text visible = {0};
    int column = 0;
    text_add_visible(&visible, string);
    out->failed |= visible.failed;
    for (const char *at = visible.at; at && *at; at += strspn(at, " ")) {
        const int length = (int)strcspn(at, " ");
        const bool is_new = column && column + 1 + length > most;
        text_adds(out, is_new ? "\n" : column ? " " : "");
        column = is_new ? length : column + length + (column > 0);
        text_add(out, at, (size_t)length);
        at += length;
    }
    text_adds(out, "\n");
    text_dispose(&visible);
}

static void add_title(struct text *out, const char *title, const struct terminal_style *style)
{
    text_adds(out, style->has_color ? "\n\033[1m" : "\n");
    add_wrapped(out, title, style);
    text_adds(out, style->has_color ? "\033[0m" : "");
}

static void add_section(struct text *out, struct document_block *block,
                        const struct terminal_style *style)
{
    add_title(out, block->text, style);
}

static void add_text(struct text *out, struct document_block *block,
                     const struct terminal_style *style)
{
    add_wrapped(out, block->text, style);
}

/* Name and value on one line; longer values continue below. */
static void add_facts(struct text *out, struct document_block *block,
                      const struct terminal_style *style)
{
    const struct table *table = block->of.table;
    out->failed |= table->failed;
    for (size_t row = 0; row < table->row_count && !table->failed; row++) {
        struct text line = {0};
        const char *value = table_cell(table, row, 1), *remark = table_cell(table, row, 2);
        text_addf(&line, "%s: %s%s%s", table_cell(table, row, 0), value ? value : "",
                  remark && *remark ? ", " : "", remark ? remark : "");
        out->failed |= line.failed;
        add_wrapped(out, line.at ? line.at : "", style);
        text_dispose(&line);
    }
}

static void add_figure(struct text *out, struct document_block *block,
                       const struct terminal_style *style)
{
    add_title(out, block->of.figure->title, style);
    block->figure_kind->text(out, block->of.figure, style);
}

static void add_notes(struct text *out, struct document_block *block,
                      const struct terminal_style *style)
{
    (void)style;
    document_write_lines(out, block->text);
}

static add_block *const kinds[DOCUMENT_KINDS] = {
    [DOCUMENT_SECTION] = add_section, [DOCUMENT_TEXT] = add_text,
    [DOCUMENT_MISSING] = add_text,    [DOCUMENT_TILES] = add_facts,
    [DOCUMENT_FACTS] = add_facts,     [DOCUMENT_FIGURE] = add_figure,
    [DOCUMENT_NOTES] = add_notes,
};

int page_text(struct text *out, struct document *document, const struct terminal_style *style,
              struct error *error)
{
    if (document_check(document, error))
        return -1;
    text_adds(out, style->has_color ? "\033[1m" : "");
    add_wrapped(out, document->title, style);
    text_adds(out, style->has_color ? "\033[0m" : "");
    add_wrapped(out, document->subtitle, style);
    for (size_t i = 0; i < document->count; i++)
        if (kinds[document->blocks[i].kind])
            kinds[document->blocks[i].kind](out, &document->blocks[i], style);
    return text_check(out, error);
}
