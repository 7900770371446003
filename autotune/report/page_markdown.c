/* page_markdown: writes Markdown, with a function for each kind of block. Text that would be
 * markup is escaped here. */
#include "autotune/report/page_markdown.h"

#include <string.h>

/* Text within a line: what Markdown or HTML would take for markup gets a backslash. */
static void add_escaped(struct text *out, const char *string)
{
    for (; *string; string++) {
        if (strchr("\\`*_[]<>|#", *string))
            text_adds(out, "\\");
        text_add(out, (unsigned char)*string < ' ' ? " " : string, 1);
    }
}

static void add_markdown_row(struct text *out, const struct table *table, size_t row,
                             bool is_title)
{
    text_adds(out, "|");
    for (size_t i = 0; i < table->column_count; i++) {
        const char *title = table->columns[i].title;
        const char *cell = is_title ? title : table_cell(table, row, i);
        if (!title)
            continue;
        text_adds(out, " ");
        add_escaped(out, cell ? cell : "");
        text_adds(out, " |");
    }
    text_adds(out, "\n");
}

static void add_cells(struct text *out, const struct table *table)
{
    out->failed |= table->failed;
    add_markdown_row(out, table, 0, true);
    text_adds(out, "|");
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].title)
            text_adds(out, table->columns[i].is_number ? "---:|" : "---|");
    text_adds(out, "\n");
    for (size_t row = 0; row < table->row_count; row++)
        add_markdown_row(out, table, row, false);
    text_adds(out, "\n");
}

static void add_paragraph(struct text *out, const char *mark, const char *string)
{
    text_adds(out, mark);
    add_escaped(out, string);
    text_adds(out, mark);
    text_adds(out, "\n\n");
}

/* --- Blocks ------------------------------------------------------------------------------- */

static void add_section(struct text *out, struct document_block *block)
{
    text_adds(out, "## ");
    add_paragraph(out, "", block->text);
}

static void add_text(struct text *out, struct document_block *block)
{
    add_paragraph(out, "", block->text);
}

static void add_missing(struct text *out, struct document_block *block)
{
    add_paragraph(out, "*", block->text);
}

static void add_table(struct text *out, struct document_block *block)
{
    if (block->text)
        add_paragraph(out, "**", block->text);
    add_cells(out, block->of.table);
}

static void add_figure(struct text *out, struct document_block *block)
{
    struct table table;
    block->figure_kind->matrix(&table, block->of.figure);
    add_paragraph(out, "**", block->of.figure->title);
    add_cells(out, &table);
    table_dispose(&table);
}

static void add_notes(struct text *out, struct document_block *block)
{
    text_adds(out, "```\n");
    document_write_lines(out, block->text);
    text_adds(out, "```\n\n");
}

/* Generated source has no line of backquotes. */
static void add_source(struct text *out, struct document_block *block)
{
    add_paragraph(out, "", block->text);
    text_addf(out, "```cuda\n%s```\n\n",
              block->of.source->code.at ? block->of.source->code.at : "");
}

static void (*const kinds[DOCUMENT_KINDS])(struct text *, struct document_block *) = {
    [DOCUMENT_SECTION] = add_section, [DOCUMENT_TEXT] = add_text,
    [DOCUMENT_MISSING] = add_missing, [DOCUMENT_TILES] = add_table,
    [DOCUMENT_FACTS] = add_table,     [DOCUMENT_TABLE] = add_table,
    [DOCUMENT_FIGURE] = add_figure,   [DOCUMENT_NOTES] = add_notes,
    [DOCUMENT_SOURCE] = add_source,
};

int page_markdown(struct text *out, struct document *document, struct error *error)
{
    if (document_check(document, error))
        return -1;
    text_adds(out, "# ");
    add_paragraph(out, "", document->title);
    add_paragraph(out, "", document->subtitle);
    for (size_t i = 0; i < document->count; i++)
        kinds[document->blocks[i].kind](out, &document->blocks[i]);
    return text_check(out, error);
}
