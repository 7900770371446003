/* document: holds a report as a list of blocks (headings, paragraphs, figures, tables, source),
 * independent of the output format. page_html, page_markdown and page_text write it. */
#ifndef AUTOTUNE_DOCUMENT_H
#define AUTOTUNE_DOCUMENT_H

#include "autotune/print/table.h"
#include "autotune/report/bar_chart.h"
#include "autotune/report/heat_map.h"
#include "autotune/report/highlight.h"
#include "autotune/report/line_chart.h"
#include "autotune/report/timeline.h"

enum document_kind {
    DOCUMENT_SECTION, /* text: its title */
    DOCUMENT_TEXT,    /* a paragraph */
    DOCUMENT_MISSING, /* a paragraph: what is missing, why, and which command brings it */
    DOCUMENT_TILES,   /* the figures that matter most: label, figure, meaning */
    DOCUMENT_FACTS,   /* name, value, and a remark */
    DOCUMENT_TABLE,   /* text: its caption */
    DOCUMENT_FIGURE,
    DOCUMENT_NOTES,  /* lines: a label in DOCUMENT_NOTE_LABEL columns, blank where the line
                      * continues the one before, and text */
    DOCUMENT_SOURCE, /* text: its caption */
    DOCUMENT_KINDS
};

enum { DOCUMENT_NOTE_LABEL = 10 };

/* Source with the words to mark in it. */
struct document_source {
    struct text code;
    struct text strings; /* names and meanings, zero-terminated one after the other */
    size_t word_count;
};

struct document_block {
    enum document_kind kind;
    char *text; /* NULL = none */
    union {
        struct table *table; /* of TILES, FACTS, TABLE */
        struct figure *figure;
        struct document_source *source;
        void *any;
    } of;
    const struct figure_kind *figure_kind; /* of a figure */
};

/* Initialise with zeros. */
struct document {
    char title[160], subtitle[400];
    struct document_block *blocks;
    size_t count;
    bool failed; /* an allocation failed; every later call is a no-op */
};
void document_dispose(struct document *document);

/* Adds a block of text. */
void document_add(struct document *document, enum document_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a figure (line_chart, heat_map, bar_chart, timeline, all from malloc, which document_dispose
 * frees) of its kind. */
void document_figure(struct document *document, const struct figure_kind *kind, void *figure);

/* Adds a table of the kind, to be filled; NULL when there is no memory. Tables of TILES and
 * FACTS have three columns of text; `columns` of a TABLE live as long as the document. */
struct table *document_table(struct document *document, enum document_kind kind,
                             const char *text, const struct table_column *columns,
                             size_t column_count);

/* Adds source, to be filled; NULL when there is no memory. */
struct document_source *document_source(struct document *document, const char *text);
void document_mark(struct document_source *source, const char *name, const char *meaning);

/* Moves what is missing in sections that have nothing else to one section at the end. */
void document_gather_missing(struct document *document);

/* Appends lines, each ended by a newline, with text_add_visible. */
void document_write_lines(struct text *out, const char *lines);

/* 0, or -1 with an out-of-memory error when anything failed before. */
int document_check(const struct document *document, struct error *error);

#endif
