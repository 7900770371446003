/* published_show: prints the tables of the documents in configs/published/. */
#ifndef AUTOTUNE_PUBLISHED_SHOW_H
#define AUTOTUNE_PUBLISHED_SHOW_H

#include "autotune/ladder/ladder_choice.h"

/* Prints them, or writes them where --csv and --json say: all documents, or where
 * `asked` names rungs only the documents and table rows that have figures of one. */
int published_show(const struct request *request, const struct ladder_request *asked,
                   struct error *error);

#endif
