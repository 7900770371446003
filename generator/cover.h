/* cover: a small sample of a product of axes in which each pair of values of any two axes
 * stands together at least once, if the constraint allows the pair at all. */
#ifndef AUTOTUNE_COVER_H
#define AUTOTUNE_COVER_H

#include "generator/error.h"

#include <stdbool.h>
#include <stddef.h>

struct cover_axis {
    size_t count; /* values are 0 .. count - 1 */
};

/* Is this full assignment (one value per axis) valid? */
typedef bool cover_valid(void *context, const size_t *choice);

/* Writes `*row_count` rows of `axis_count` values to `*rows` (the caller frees it). The same
 * seed gives the same rows. Pairs that no valid assignment holds are left out; `*missed` counts
 * pairs for which none was found: exact where at most 4096 assignments hold a pair, else about
 * 8000 calls of `valid` (NULL: all are) are spent before a pair is given up. A lone axis is
 * covered value by value. More than 2^24 pairs are ERROR_USAGE. */
int cover_pairs(size_t **rows, size_t *row_count, size_t *missed, const struct cover_axis *axes,
                size_t axis_count, cover_valid *valid, void *context, unsigned seed,
                struct error *error);

#endif
