/* published_show: prints the tables of the documents in configs/published/. */
#ifndef AUTOTUNE_PUBLISHED_SHOW_H
#define AUTOTUNE_PUBLISHED_SHOW_H

#include "autotune/ladder/ladder_choice.h"
#include "generator/problem.h"
#include "generator/text.h"

/* Prints them, or writes them where --csv and --json say: all documents, or where
 * `asked` names rungs only the documents and table rows that have figures of one. */
int published_show(const struct request *request, const struct ladder_request *asked,
                   struct error *error);

/* The same of each document's figures computed again: what follows from others, and what does
 * not. */
int published_show_check(const struct request *request, struct error *error);

/* Appends what documents give for these rungs at one of `count` sizes, for the operation and
 * any type: of each kernel its fastest figure. Nothing where they give none. */
int published_beside(struct text *out, const struct rungs *rungs,
                     const bool is_chosen[RUNGS_MAX], const struct operation *op,
                     const struct dims *sizes, size_t count, struct error *error);

#endif
