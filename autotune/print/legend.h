/* legend: names the kernels of a table by letters, and lists the params of each letter, without
 * those that all share. */
#ifndef AUTOTUNE_LEGEND_H
#define AUTOTUNE_LEGEND_H

#include "generator/number.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Initialise with room for as many as are added. */
struct legend {
    const char **kernels; /* params, as "BLOCK=256 ITEMS=8", or the name of a kernel */
    size_t count;
};

/* The place of a kernel in the legend; a new one is added (not copied). */
size_t legend_add(struct legend *legend, const char *kernel);

/* The letter of a place: A .. Z, then numbers from 27. Returns `out`. */
char *legend_name(char out[NUMBER_CHARS], size_t place);

/* Appends the params of `kernel` that all kernels have in common (`is_shared`), or the others.
 * A text that is no list of params shares nothing and is appended whole. */
void legend_add_words(struct text *out, const struct legend *legend, const char *kernel,
                      bool is_shared);

#endif
