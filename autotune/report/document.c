/* document: stores the blocks of a report and owns all that they hold. */
#include "autotune/report/document.h"

#include "generator/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct table_column triple[] = {{"", NULL, false},
                                             {"", NULL, false},
                                             {"", NULL, false}};

static void dispose_source(struct document_source *source)
{
    text_dispose(&source->code);
    text_dispose(&source->strings);
}

static void dispose_block(struct document_block *block)
{
    switch (block->of.any ? block->kind : DOCUMENT_KINDS) {
    case DOCUMENT_TILES:
    case DOCUMENT_FACTS:
    case DOCUMENT_TABLE: table_dispose(block->of.table); break;
    case DOCUMENT_FIGURE:
        assert(block->figure_kind);
        block->figure_kind->dispose(block->of.figure);
        break;
    case DOCUMENT_SOURCE: dispose_source(block->of.source); break;
    default: break;
    }
    free(block->of.any);
    free(block->text);
}

void document_dispose(struct document *document)
{
    for (size_t i = 0; i < document->count; i++)
        dispose_block(&document->blocks[i]);
    free(document->blocks);
    document->blocks = NULL;
    document->count = 0;
}

/* Adds a block, and takes over its text and contents, also when out of memory. */
static struct document_block *add(struct document *document, struct document_block block)
{
    struct error ignored;
    document->failed = document->failed || array_grow(&document->blocks, document->count,
                                                      sizeof *document->blocks, &ignored);
    if (document->failed) {
        dispose_block(&block);
        return NULL;
    }
    document->blocks[document->count] = block;
    return &document->blocks[document->count++];
}

void document_add(struct document *document, enum document_kind kind, const char *format, ...)
{
    struct document_block block = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&block.text, format, arguments) < 0) {
        block.text = NULL;
        document->failed = true;
    }
    va_end(arguments);
    add(document, block);
}

/* The blocks of the section that begins at `first`, with its heading. */
static size_t count_blocks(const struct document *document, size_t first)
{
    size_t count = 1;
    while (first + count < document->count &&
           document->blocks[first + count].kind != DOCUMENT_SECTION)
        count++;
    return count;
}

static bool is_all_missing(const struct document *document, size_t first, size_t count)
{
    bool is_so = document->blocks[first].kind == DOCUMENT_SECTION && count > 1;
    for (size_t i = 1; i < count; i++)
        is_so = is_so && document->blocks[first + i].kind == DOCUMENT_MISSING;
    return is_so;
}

void document_gather_missing(struct document *document)
{
    const size_t all = document->count;
    struct document_block *missing = calloc(all + 1, sizeof *missing);
    size_t kept = 0, gathered = 0;
    document->failed |= !missing;
    for (size_t first = 0, count; first < all && missing; first += count) {
        count = count_blocks(document, first);
        const bool is_gone = is_all_missing(document, first, count);
        if (is_gone)
            dispose_block(&document->blocks[first]);
        for (size_t i = is_gone; i < count; i++)
            *(is_gone ? &missing[gathered++] : &document->blocks[kept++]) =
                document->blocks[first + i];
    }
    document->count = missing ? kept : all;
    if (gathered)
        document_add(document, DOCUMENT_SECTION, "Not in this report");
    for (size_t i = 0; i < gathered; i++)
        add(document, missing[i]);
    free(missing);
}

void document_figure(struct document *document, const struct figure_kind *kind, void *figure)
{
    document->failed |= !figure;
    add(document, (struct document_block){.kind = DOCUMENT_FIGURE,
                                          .of = {.any = figure},
                                          .figure_kind = kind});
}

static void *add_with(struct document *document, enum document_kind kind, const char *text,
                      void *of)
{
    struct document_block block = {kind, text ? strdup(text) : NULL, {.any = of}, NULL};
    document->failed |= !of || (text && !block.text);
    struct document_block *added = add(document, block);
    return added ? added->of.any : NULL;
}

struct table *document_table(struct document *document, enum document_kind kind,
                             const char *text, const struct table_column *columns,
                             size_t column_count)
{
    struct table *table = calloc(1, sizeof *table);
    if (table) {
        table->columns = columns ? columns : triple;
        table->column_count = columns ? column_count : 3;
    }
    /* The document's from here on, or freed. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    return add_with(document, kind, text, table);
}

struct document_source *document_source(struct document *document, const char *text)
{
    /* The document's from here on, or freed. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    return add_with(document, DOCUMENT_SOURCE, text, calloc(1, sizeof(struct document_source)));
}

void document_mark(struct document_source *source, const char *name, const char *meaning)
{
    text_add(&source->strings, name, strlen(name) + 1);
    text_add(&source->strings, meaning, strlen(meaning) + 1);
    source->word_count++;
}

void document_write_lines(struct text *out, const char *lines)
{
    for (const char *end; *lines; lines = end + (*end == '\n')) {
        struct text line = {0};
        end = strchrnul(lines, '\n');
        text_add(&line, lines, (size_t)(end - lines));
        out->failed |= line.failed;
        text_add_visible(out, line.at ? line.at : "");
        text_adds(out, "\n");
        text_dispose(&line);
    }
}

int document_check(const struct document *document, struct error *error)
{
    return document->failed ? error_set(error, ERROR_FAILED, "out of memory for the report")
                            : 0;
}
