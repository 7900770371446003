/* published_show: the tables of the documents in configs/published/, whole. */
#ifndef AUTOTUNE_PUBLISHED_SHOW_H
#define AUTOTUNE_PUBLISHED_SHOW_H

#include "autotune/cli/request.h"

/* Prints them, or writes them where --csv and --json say: all documents, or with --rung those that
 * have figures of such a rung, and of their tables the rows of these. */
int published_show(const struct request *request, struct error *error);

#endif
