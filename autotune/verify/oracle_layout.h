/* oracle_layout: holds the array of the oracle's small inputs while it grows, and the sizes and
 * edges that they are made for. Private to oracle_cases.c, oracle_positions.c,
 * oracle_scales.c and oracle_specials.c. */
#ifndef AUTOTUNE_ORACLE_LAYOUT_H
#define AUTOTUNE_ORACLE_LAYOUT_H

#include "autotune/verify/oracle.h"

enum {
    LAYOUT_ALIGN = 64,  /* elements: whole multiples of 16 bytes, for any type */
    LAYOUT_STARTS = 16, /* elements in 16 bytes, at most */
    LAYOUT_LINE = 16,   /* times 16 bytes: windows begin at each of these multiples, too */
    LAYOUT_EDGES = 20,  /* edges known to layout_edge */
    LAYOUT_SIZES_MAX = 48,
};

/* A case whose results are folded from its elements: an array's, or a run's. */
struct layout_folded {
    size_t at;
    bool is_array;
};

struct layout {
    struct oracle_cases *out;
    struct problem problem;
    struct oracle_shape shape;
    uint64_t seed;
    size_t bytes;     /* in an element */
    uint64_t starts;  /* elements in 16 bytes */
    uint64_t guard;   /* elements in a guard zone */
    uint64_t sweep_n; /* two tiles and a tail */
    size_t case_capacity;
    uint64_t expect_count, expect_capacity;
    uint64_t element_capacity;
    uint64_t sizes[LAYOUT_SIZES_MAX];
    size_t size_count;
    bool is_again; /* the next cases differ from others in their start alone */
    bool has_any;  /* further inputs of the next cases have any elements, special ones too */
    bool
        is_segmented; /* the problem's dims are of rows, and each case becomes one of segments */
    uint64_t border_capacity, border_first; /* of the next case, where some were added for it */
    bool is_doubted;               /* cases have doubts; also where only special values do */
    struct layout_folded *waiting; /* cases that are folded at the end */
    size_t waiting_count;
    struct error *error;
};

/* Adds a size to sizes[], if it is not there. */
void layout_add_size(struct layout *layout, uint64_t n);

/* Appends `count` elements, all loud; the first of them is aligned. */
int layout_add_elements(struct layout *layout, uint64_t count, uint64_t *first);
unsigned char *layout_element(const struct layout *layout, uint64_t index);

/* Appends borders of the next case, which has equal lengths where none are; NULL with the error. */
uint64_t *layout_add_borders(struct layout *layout, uint64_t count);

/* Appends a case, and gives where its results go; NULL with the error where there is no
 * room. */
oracle_bits *layout_add_case(struct layout *layout, uint64_t offset, const struct dims *asked);

/* Appends a case of a run, with the result given or folded from its elements; of a scan all results
 * are folded. */
int layout_add_run(struct layout *layout, uint64_t offset, uint64_t n, oracle_bits expect);
int layout_add_folded(struct layout *layout, uint64_t offset, uint64_t n);

/* The result of a run of n that the one element at `at` decides; false where it must be folded. */
bool layout_fold_one(struct layout *layout, uint64_t at, uint64_t n, oracle_bits *out);

/* Are results what the operation makes of them, not what combining gives? */
bool layout_is_mapped(const struct layout *layout);

/* Appends a case of any dims whose results are folded from its elements. */
int layout_add_array(struct layout *layout, uint64_t offset, const struct dims *dims);

/* Folds what waits, and frees the layout: after the last case, also after a failure. Elements must not change
 * once a case has them. */
int layout_end(struct layout *layout);

/* Fill with hashed elements without a mark; with the identity of and, or; with the last
 * choice of argmin, argmax; with what is worse than a mark by the least step. Put a mark. Flip
 * one bit. */
void layout_fill(const struct layout *layout, uint64_t first, uint64_t n, uint64_t seed);
void layout_fill_flat(const struct layout *layout, uint64_t first, uint64_t n);
void layout_fill_worst(const struct layout *layout, uint64_t first, uint64_t n);
void layout_fill_rivals(const struct layout *layout, uint64_t first, uint64_t n, uint64_t seed);
void layout_put_mark(const struct layout *layout, uint64_t at, uint64_t seed);
void layout_flip_bit(const struct layout *layout, uint64_t at, unsigned bit);

bool layout_is_bits(const struct layout *layout);  /* and, or */
unsigned layout_bits(const struct layout *layout); /* in an element */

/* A position of n > 0 where a share begins or ends; one drawn from `state` where that edge lies
 * outside or there are no more. */
uint64_t layout_edge(const struct layout *layout, size_t which, uint64_t n, uint64_t *state);
uint64_t layout_random(uint64_t *state);

/* min, max, argmin, argmax, and, or: appends the cases that try the positions one by one. */
int oracle_sweep(struct layout *layout);

/* Appends the cases of the special values of the operation and the type: in few elements; spread
 * over many tiles and results, so that they meet in each step that combines. Those of order n, whose
 * every bit is promised. */
int oracle_add_specials(struct layout *layout);
int oracle_add_spread(struct layout *layout);
int oracle_add_scales(struct layout *layout); /* of a float sum: elements of every exponent */
int oracle_add_ordered(struct layout *layout);

/* Of segments: appends cases of all kinds of lengths, and of offsets that are none. */
int oracle_add_segments(struct layout *layout);

/* Dims of the elements of all segments, as one of several results. */
struct dims oracle_whole(const struct dims *dims);

#endif
