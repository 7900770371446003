/* pair_cover: chooses a few of many configs such that every pair of values of two columns that is in
 * some config is in a chosen one. */
#ifndef AUTOTUNE_PAIR_COVER_H
#define AUTOTUNE_PAIR_COVER_H

#include "generator/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { COVER_VALUES_MAX = 256 }; /* of a column */

struct cover;

/* For configs of `width` values, those of column i from 0 to counts[i] - 1. More than
 * COVER_VALUES_MAX values of a column, or 2^24 pairs, are ERROR_USAGE. */
int cover_open(struct cover **out, const size_t *counts, size_t width, struct error *error);
void cover_close(struct cover *cover);

/* Keeps the config if it is the first to hold some pair of values, or if that is asked for: 1;
 * or else 0. -1 when memory is short. */
int cover_add(struct cover *cover, const unsigned char *config, bool is_asked_for,
              struct error *error);

/* Does some config hold the value va in column a and vb in column b, a < b? */
bool cover_has(const struct cover *cover, size_t a, size_t va, size_t b, size_t vb);

/* The configs kept, in the order in which they came. */
const unsigned char *cover_config(const struct cover *cover, size_t index);

/* Pairs of values that no config held. */
size_t cover_missed(const struct cover *cover);

/* The indices of `*count` configs that hold all pairs (the caller frees them): about as few as
 * a greedy choice finds, and none of them could be left out. The same configs and seed give the
 * same choice. A single column is covered value by value. No configs: none, and NULL. */
int cover_choose(size_t **chosen, size_t *count, const struct cover *cover, unsigned seed,
                 struct error *error);

#endif
