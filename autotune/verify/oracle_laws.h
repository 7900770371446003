/* oracle_laws: tries on elements what proofs and kernels rely on: that an operation's identity changes no value,
 * and that values may be combined in any order. Private to the oracle. */
#ifndef AUTOTUNE_ORACLE_LAWS_H
#define AUTOTUNE_ORACLE_LAWS_H

#include "generator/operation_error.h"

/* The laws hold but for values of which a field is infinite, or so large or small that products of a few are beyond its
 * type's range; and but for a NaN that the identity lets into other fields. */
struct laws {
    bool lose_infinite, lose_extreme, lose_nan;
    bool
        grow; /* values of a few thousand elements are extreme, though these are not: as products are */
};

/* What a value has, in any of its fields: flags beside those of operation_error.h. */
enum {
    LAWS_INFINITE = 4,
    LAWS_EXTREME = 8,
    LAWS_NAN = 16,
    LAWS_CLASSES = LAWS_INFINITE | LAWS_EXTREME | LAWS_NAN
};
uint8_t laws_class(const enum type *types, int fields, const struct operation_values *values,
                   size_t k);

/* A breach is ERROR_USAGE: the law, the elements, and both results. */
int laws_try(struct laws *out, const struct problem *problem, struct operation_eval *eval,
             struct operation_error *bounds, struct error *error);

#endif
