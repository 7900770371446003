/* published_check: computes a document's figures again, each from others of the same document, and finds
 * those that do not follow; and what its times say of blocks, which no document computes. */
#ifndef AUTOTUNE_PUBLISHED_CHECK_H
#define AUTOTUNE_PUBLISHED_CHECK_H

#include "autotune/compare/published.h"
#include "autotune/print/table.h"

/* Initialises an empty table for programs; published_check adds a row for each figure that can be computed
 * again: what is printed, from what to what it may be, whether it follows. */
void published_check_init(struct table *out);

/* Appends the document: how many figures follow, a table of those that do not, and of each time with a
 * known number of blocks how many start in a microsecond and how long each lives. A figure follows
 * when some values that round to the others give one that rounds to it, or is cut to it. */
int published_check(struct text *out, struct table *table, const struct published *published,
                    bool bold_titles, struct error *error);

/* Appends what the columns of these tables are. */
void published_check_legend(struct text *out);

#endif
