/* published_print: prints all figures of a document: as its own tables for people, and a row
 * for each figure for programs. Nothing in them is computed here. */
#ifndef AUTOTUNE_PUBLISHED_PRINT_H
#define AUTOTUNE_PUBLISHED_PRINT_H

#include "autotune/compare/published.h"
#include "autotune/print/table.h"

/* Appends the document: its subject, its conditions, a table for each task, its notes and this
 * project's remarks. Only kernels with is_shown[k]. */
void published_print(struct text *out, const struct published *published,
                     const bool is_shown[PUBLISHED_KERNELS_MAX], bool bold_titles);

/* What people call a column: "GB/s". */
const char *published_print_title(enum published_column column);

/* Initialises an empty table for programs, for any number of documents; the second adds a
 * document's figures. */
void published_print_init(struct table *out);
void published_print_add(struct table *table, const struct published *published,
                         const bool is_shown[PUBLISHED_KERNELS_MAX]);

#endif
