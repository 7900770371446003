/* shortlist: chooses the candidates that take part in the final race. */
#ifndef AUTOTUNE_SHORTLIST_H
#define AUTOTUNE_SHORTLIST_H

#include "autotune/search/search.h"

enum { SHORTLIST_MAX = 31 }; /* beside the default: more would leave each too few rounds */

/* Lists the measured candidates that race beside the default: configs asked for, then the
 * best. */
int shortlist_choose(const struct search *search, size_t out[SHORTLIST_MAX], size_t *out_count,
                     struct error *error);

/* The candidate that runs in place of a config asked for: the config's own, or the one it is
 * equal to. */
size_t shortlist_asked(const struct search *search, size_t number);

#endif
