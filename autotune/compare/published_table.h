/* published_table: the figures of a document, whole: as its tables for people, and a row a figure
 * for programs. Nothing in them is computed here. */
#ifndef AUTOTUNE_PUBLISHED_TABLE_H
#define AUTOTUNE_PUBLISHED_TABLE_H

#include "autotune/compare/published.h"
#include "autotune/print/table.h"

/* Appends the document: what it is about, its conditions, a table for each task, its notes and
 * this project's remarks. Of its kernels those with is_shown[k]. */
void published_table_print(struct text *out, const struct published *published,
                           const bool is_shown[PUBLISHED_KERNELS_MAX], bool bold_titles);

/* An empty table for programs, of any number of documents; then a document's figures. */
void published_table_init(struct table *out);
void published_table_add(struct table *table, const struct published *published,
                         const bool is_shown[PUBLISHED_KERNELS_MAX]);

#endif
