/* published_show: prints the tables of the documents in configs/published/. */
#ifndef AUTOTUNE_PUBLISHED_SHOW_H
#define AUTOTUNE_PUBLISHED_SHOW_H

#include "autotune/cli/request.h"

/* Prints them, or writes them where --csv and --json say: all documents, or with --rung only
 * the documents and table rows that have figures of such a rung. */
int published_show(const struct request *request, struct error *error);

#endif
