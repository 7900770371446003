/* page_html: writes one page of HTML, with a function for each kind of block. The fixed parts
 * of the page are in templates/report/report.html, in three parts: the title and the body go
 * between them. */
#include "autotune/report/page_html.h"

#include "autotune/embedded.h"
#include "autotune/report/markup.h"
#include "generator/control.h"

#include <stdlib.h>
#include <string.h>

/* --- Text --------------------------------------------------------------------------------- */

static void add_text(struct text *out, struct document_block *block)
{
    markup_element(out, "p", NULL, block->text);
}

static void add_missing(struct text *out, struct document_block *block)
{
    markup_element(out, "p", "missing", block->text);
}

/* Lines of a label in its columns and a text; a line without a label continues the one
 * before. */
static void add_notes(struct text *out, struct document_block *block)
{
    const char *end = ">";
    text_adds(out, "<dl class=\"facts\"");
    for (const char *line = block->text; *line;) {
        const size_t length = strcspn(line, "\n");
        const size_t label = length < DOCUMENT_NOTE_LABEL ? length : DOCUMENT_NOTE_LABEL;
        size_t word = label; /* a label may have blanks within */
        while (word > 0 && line[word - 1] == ' ')
            word--;
        text_adds(out, *line == ' ' ? " " : end);
        if (*line != ' ') {
            text_adds(out, "<dt>");
            markup_bytes(out, line, word);
            text_adds(out, "</dt><dd>");
            end = "</dd>\n";
        }
        const size_t blanks = strspn(line + label, " ");
        markup_bytes(out, line + label + blanks, length - label - blanks);
        line += length + (line[length] == '\n');
    }
    text_addf(out, "%s</dl>\n", end);
}

static const char *cell_of(const struct table *table, size_t row, size_t column)
{
    const char *cell = table_cell(table, row, column);
    return cell ? cell : "";
}

static void add_tiles(struct text *out, struct document_block *block)
{
    const struct table *table = block->of.table;
    text_adds(out, "<dl class=\"tiles\">\n");
    for (size_t row = 0; row < table->row_count; row++) {
        text_adds(out, "<div>");
        markup_element(out, "dt", NULL, cell_of(table, row, 0));
        markup_element(out, "dd", "figure", cell_of(table, row, 1));
        markup_element(out, "dd", "muted", cell_of(table, row, 2));
        text_adds(out, "</div>\n");
    }
    text_adds(out, "</dl>\n");
}

static void add_facts(struct text *out, struct document_block *block)
{
    const struct table *table = block->of.table;
    text_adds(out, "<dl class=\"facts\">\n");
    for (size_t row = 0; row < table->row_count; row++) {
        markup_element(out, "dt", NULL, cell_of(table, row, 0));
        text_adds(out, "<dd>");
        markup_text(out, cell_of(table, row, 1));
        if (*cell_of(table, row, 2)) {
            text_adds(out, " ");
            markup_element(out, "span", "muted", cell_of(table, row, 2));
        }
        text_adds(out, "</dd>\n");
    }
    text_adds(out, "</dl>\n");
}

static void add_details(struct text *out, const struct table *table, const char *caption)
{
    text_adds(out, "<details><summary>The figures as a table</summary>\n");
    markup_table(out, table, caption);
    text_adds(out, "</details>\n");
}

static void add_table(struct text *out, struct document_block *block)
{
    text_adds(out, "<details><summary>");
    markup_text(out, block->text);
    text_adds(out, "</summary>\n");
    markup_table(out, block->of.table, block->text);
    text_adds(out, "</details>\n");
}

static void add_figure(struct text *out, struct document_block *block)
{
    struct figure *figure = block->of.figure;
    struct table table;
    text_adds(out, "<figure>");
    markup_element(out, "figcaption", NULL, figure->title);
    text_adds(out, "\n");
    block->figure_kind->html(out, figure);
    block->figure_kind->table(&table, figure);
    add_details(out, &table, figure->title);
    table_dispose(&table);
    text_adds(out, "</figure>\n");
}

static void add_source(struct text *out, struct document_block *block)
{
    const struct document_source *source = block->of.source;
    struct highlight_word *words = calloc(source->word_count + 1, sizeof *words);
    const char *at = source->strings.at;
    out->failed |= !words || source->strings.failed || source->code.failed;
    if (out->failed) {
        free(words);
        return;
    }
    for (size_t i = 0; i < source->word_count; i++) {
        words[i].name = at;
        words[i].meaning = at + strlen(at) + 1;
        at = words[i].meaning + strlen(words[i].meaning) + 1;
    }
    text_adds(out, "<details class=\"source\" open=\"open\"><summary>");
    markup_text(out, block->text);
    text_adds(out, "</summary>\n");
    if (source->word_count)
        text_adds(out,
                  "<p class=\"muted\">Tuned constants are marked: rest the pointer on one to "
                  "see what it is.</p>\n");
    markup_open_scroll(out, block->text);
    text_adds(out, "<pre><code>");
    highlight_html(out, source->code.at ? source->code.at : "", words, source->word_count);
    text_adds(out, "</code></pre></div></details>\n");
    free(words);
}

/* --- The page ----------------------------------------------------------------------------- */

static void (*const kinds[DOCUMENT_KINDS])(struct text *, struct document_block *) = {
    [DOCUMENT_TEXT] = add_text,   [DOCUMENT_MISSING] = add_missing,
    [DOCUMENT_TILES] = add_tiles, [DOCUMENT_FACTS] = add_facts,
    [DOCUMENT_TABLE] = add_table, [DOCUMENT_FIGURE] = add_figure,
    [DOCUMENT_NOTES] = add_notes, [DOCUMENT_SOURCE] = add_source,
};

/* Adds the table of contents. */
static void add_contents(struct text *out, const struct document *document)
{
    text_adds(out, "<nav aria-label=\"Sections\"><ul>");
    for (size_t i = 0; i < document->count; i++)
        if (document->blocks[i].kind == DOCUMENT_SECTION) {
            text_addf(out, "<li><a href=\"#section-%zu\">", i);
            markup_text(out, document->blocks[i].text);
            text_adds(out, "</a></li>\n");
        }
    text_adds(out, "</ul></nav>\n");
}

static void add_body(struct text *out, struct document *document)
{
    bool is_open = false;
    text_adds(out, "<header>");
    markup_element(out, "h1", NULL, document->title);
    markup_element(out, "p", "muted", document->subtitle);
    text_adds(out, "</header>\n");
    for (size_t i = 0; i < document->count; i++) {
        struct document_block *block = &document->blocks[i];
        if (block->kind != DOCUMENT_SECTION) {
            kinds[block->kind](out, block);
            continue;
        }
        if (!is_open)
            add_contents(out, document);
        text_addf(out, "%s<section id=\"section-%zu\">", is_open ? "</section>\n" : "", i);
        is_open = true;
        markup_element(out, "h2", NULL, block->text);
        text_adds(out, "\n");
    }
    text_adds(out, is_open ? "</section>\n" : "");
}

/* A part of the frame: up to the title, up to the body, or behind it. */
enum part { OPEN, STYLE, CLOSE };

static int add_frame(struct text *out, enum part part, struct error *error)
{
    static const char *const names[] = {"PART", "OPEN", "STYLE", "CLOSE"};
    const int64_t values[] = {part, OPEN, STYLE, CLOSE};
    const struct embedded *frame = embedded_find("templates/report/report.html");
    const struct control_lines lines = {.file = frame->name,
                                        .line = 1,
                                        .from = frame->bytes,
                                        .length = frame->length,
                                        .scope = {.names = names,
                                                  .count = sizeof names / sizeof *names},
                                        .values = values};
    return control_filter(out, &lines, error);
}

int page_html(struct text *out, struct document *document, struct error *error)
{
    if (document_check(document, error) || add_frame(out, OPEN, error))
        return -1;
    markup_element(out, "title", NULL, document->title);
    text_adds(out, "\n");
    if (add_frame(out, STYLE, error))
        return -1;
    add_body(out, document);
    return add_frame(out, CLOSE, error);
}
