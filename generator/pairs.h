/* pairs: which pairs of values of any two axes stand together in a valid assignment at all.
 * Serves cover only. Hides how such assignments are looked for when validity is known of full
 * ones only. A row is one value per axis. */
#ifndef AUTOTUNE_PAIRS_H
#define AUTOTUNE_PAIRS_H

#include "generator/cover.h"
#include "generator/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From WANTED on, a valid row that holds the pair is known. */
enum pair_state { UNKNOWN, GIVEN_UP, WANTED, COVERED };

struct pair {
    uint32_t witness; /* the row of `known` that holds it */
    unsigned char state;
};

struct rows {
    size_t *at, count, capacity; /* count and capacity in rows */
    bool failed;                 /* out of memory; sticky */
};

struct pairs {
    const struct cover_axis *axes;
    size_t width; /* axes, two or more */
    cover_valid *valid;
    void *context;
    uint64_t random; /* the generator's state */
    struct pair *at;
    size_t count;
    size_t *base;      /* [width * width], a < b: where the pairs of a and b begin */
    struct rows known; /* valid rows, each the first to hold some pair */
};

/* Values that a row must have: a pair, or one value when a and b are the same axis. */
struct pairs_fixed {
    size_t a, va, b, vb;
};

/* Numbers the pairs, after axes, width, valid, context and random are set; ERROR_USAGE when
 * there are too many. Dispose of it whatever comes back. */
int pairs_init(struct pairs *pairs, struct error *error);
void pairs_dispose(struct pairs *pairs);

/* Looks for a witness of each pair: WANTED where there is one, else GIVEN_UP. */
int pairs_find(struct pairs *pairs, struct error *error);

/* The pair of value va on axis a and vb on b. Inline: cover does little else. */
static inline struct pair *pairs_get(const struct pairs *pairs, size_t a, size_t va, size_t b,
                                     size_t vb)
{
    size_t at = a < b ? pairs->base[a * pairs->width + b] + va * pairs->axes[b].count + vb
                      : pairs->base[b * pairs->width + a] + vb * pairs->axes[a].count + va;
    return &pairs->at[at];
}

bool pairs_is_valid(const struct pairs *pairs, const size_t *row);
void pairs_impose(const struct pairs_fixed *fixed, size_t *row);
void pairs_change_one(struct pairs *pairs, size_t *row); /* some axis to some value */
size_t pairs_random(struct pairs *pairs, size_t limit);  /* below limit > 0 */

const size_t *pairs_row(const struct pairs *pairs, const struct rows *rows, size_t index);
void pairs_copy_row(const struct pairs *pairs, size_t *to, const size_t *from);
void pairs_add_row(const struct pairs *pairs, struct rows *rows, const size_t *row);

#endif
