/* oracle_ops: describes each operation by one table row: how its exact input is made, how that
 * is folded, and its special values. All other properties of an operation are derived from its
 * row. Private to the oracle. */
#ifndef AUTOTUNE_ORACLE_OPS_H
#define AUTOTUNE_ORACLE_OPS_H

#include "autotune/verify/element.h"
#include "autotune/verify/oracle.h"

/* --- The elements of an exact input ------------------------------------------------------- */

/* The elements that show an error. */
enum oracle_deciding {
    DECIDING_ALL,   /* each, by its value */
    DECIDING_MARK,  /* one that is before all others, at any position */
    DECIDING_BITS,  /* one for each bit, among identities */
    DECIDING_SIGNS, /* each by its sign, in one of two inputs with complementary signs */
};

/* The constants that the elements of an input are made from. */
struct oracle_recipe {
    uint64_t seed;
    uint32_t span;  /* float sums: integers -span .. span without 0 */
    uint32_t limit; /* float sums of squares: words from here on make a 0; 0 = none does */
    int bits;       /* of a type of up to 4 bytes */
    uint64_t shift; /* minima and maxima: added to each value, or key (two's complement) */
    uint64_t keys;  /* minima and maxima of floats: so many keys from there on */
    uint64_t flip;  /* signs: 1 = the complementary ones; keys: ones turn their order around */
    uint64_t identity; /* bits: of each element */
};

typedef void make_block(union element_block *out, const struct oracle_recipe *recipe,
                        uint64_t index);

/* Elements by their index, 256 at a time, as words that element_narrow takes. */
struct oracle_values {
    make_block *narrow, *wide; /* for types of up to 4 bytes, and of 8 */
    enum oracle_deciding deciding;
    bool is_word; /* what is made of a float are its bits */
    /* As oracle_span and oracle_can_repeat; NULL: amplitude plays no part. */
    uint32_t (*span)(const struct problem *problem, uint64_t period);
    bool (*can_repeat)(const struct problem *problem, uint64_t period);
};

extern const struct oracle_values oracle_words, /* any word but 0 */
    oracle_odds,   /* odd words, never 1: each counts in any product and sum of squares */
    oracle_flats,  /* the identity */
    oracle_nears,  /* words within a sixteenth of the type's range, at its far end */
    oracle_keys,   /* floats of every exponent and fraction, before some other */
    oracle_dense,  /* floats: integers but 0, whose sums stay exact */
    oracle_sparse, /* floats: integers whose powers' sums do; most are 0 where n is large */
    oracle_signs,  /* floats: +-1 */
    oracle_drawn,  /* of an operation's map: by oracle_mapped.h; each counts */
    oracle_drawn_marks; /* the same: one decides */

struct oracle_recipe oracle_recipe(const struct oracle_input *input);

/* Writes element `index` of a flight of stairs, for scans of the least or the greatest: one element
 * in four is before all that come before it, the others are behind it. So each result shows which
 * elements it is made of: one that is lost, or read too soon, changes those behind it. */
void oracle_put_stair(const struct oracle_input *input, uint64_t index, void *out);

/* Writes one of the marks, each of which is before all elements of the recipe. */
void oracle_put_mark(const struct oracle_input *input, uint64_t which, void *out);

/* The finaliser of splitmix64 (Steele, Lea and Flood, 2014). */
uint64_t oracle_mix(uint64_t x);

/* --- Folding ------------------------------------------------------------------------------ */

enum { ORACLE_LANES = 8 };

/* The functions of oracle.h by the same names; only they use words[]. */
struct oracle_folding {
    void (*init)(struct oracle_fold *fold); /* NULL: zeros */

    /* Folds the first `count` of a block of widened elements, which it may change. */
    void (*add)(struct oracle_fold *fold, union element_block *block, uint64_t count);
    void (*merge)(struct oracle_fold *into, const struct oracle_fold *from);

    /* Writes the results of a scan at the first `count` of a block of widened elements; the doubts only
     * of oracle_fold_rough. */
    void (*scan)(struct oracle_fold *fold, union element_block *block, uint64_t count,
                 void *expects);

    /* Notes partial results inside another period behind what was merged; NULL: none is larger
     * than at its end. */
    void (*see_period)(struct oracle_fold *fold, const struct oracle_fold *period);
    int (*finish)(const struct oracle_fold *fold, oracle_bits *out, struct error *error);

    /* Where results round, else NULL: a random element (one of `stride` neighbours of a product
     * is not +-1), and oracle_reference_add. */
    double (*random)(uint64_t word, uint64_t position, uint64_t stride);
    void (*add_reference)(struct oracle_reference *reference, const struct problem *problem,
                          const void *elements, uint64_t count, double *compensation);
};

extern const struct oracle_folding oracle_fold_rough; /* floats whose sum or product rounds */
extern const struct oracle_folding oracle_fold_words, /* integers */
    oracle_fold_order,    /* the least or the greatest, of integers and floats */
    oracle_fold_sum,      /* floats */
    oracle_fold_product,  /* floats */
    oracle_fold_position; /* the position of the least or the greatest */

/* What is combined, before finish makes the result of it. */
int oracle_fold_value(const struct oracle_fold *fold, oracle_bits *out, struct error *error);

/* Are the least and the greatest noted with what other machines may have made of them? */
bool oracle_fold_has_ends(const struct oracle_fold *fold);

/* --- The table ---------------------------------------------------------------------------- */

/* Special values by name, because the largest and the least depend on the type. */
enum oracle_special_value {
    /* Of both kinds; -1 of an unsigned type is its greatest value. */
    ZERO,
    ONE,
    MINUS_ONE,
    /* Of integers: the top bit alone, the limits of the type, and their neighbours; the greatest
     * of half as many bits, and the next, which is the least of these were they signed. */
    TOP_BIT,
    LEAST,
    NEAR_LEAST,
    NEAR_GREATEST,
    GREATEST,
    HALF_GREATEST,
    PAST_HALF,
    /* Of floats. */
    NOT_A_NUMBER, /* of both signs, quiet and signalling, by turns */
    INF,
    NINF,
    NZERO,
    TWO,
    TINY,
    NTINY,
    SMALL,
    ROOT,
    WIDE,
    LARGEST
};

struct oracle_special {
    enum oracle_special_value others, one, two; /* the elements at large, and two of them */
};

struct oracle_kind {
    const struct oracle_values *values;
    const struct oracle_folding *folding;
    const struct oracle_special *specials;
    size_t special_count;
};

struct oracle_op {
    struct oracle_kind integers, floats; /* floats: zeros where there are none */

    /* The value of an element that is combined, NULL: the element itself. For floats the part
     * lost to rounding is added to `rests`, where that is not NULL. */
    void (*map_words)(union element_block *block);
    void (*map_floats)(union element_block *block, double rests[ORACLE_LANES]);

    int power; /* of oracle_sparse: an element x adds |x|^power */

    /* Words, of the least and the greatest as signed integers in the order of the values. */
    uint64_t (*combine)(uint64_t total, const union element_block *block);
    uint64_t (*combine_one)(uint64_t total, uint64_t word);
    uint64_t identity;

    /* One step as the kernels promise it, and its start value; NULL for positions. */
    double (*step)(double total, double x);
    double start;
};

/* The row of what an operation combines, and of what. */
const struct oracle_op *oracle_op(const struct problem *problem);

/* The half of the row that serves the problem's type. */
const struct oracle_kind *oracle_kind(const struct problem *problem);

#endif
