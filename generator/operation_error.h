/* operation_error: evaluates an operation's functions as operation_eval.h does, each value with a bound of how
 * far off it may be where elements are combined in another order, or by another machine. Where many
 * elements are combined, each step's own roundings and those of what it is given go through its
 * derivatives: a running error analysis (Higham, Accuracy and Stability, 2nd ed., section 3.3). */
#ifndef AUTOTUNE_OPERATION_ERROR_H
#define AUTOTUNE_OPERATION_ERROR_H

#include "generator/operation_eval.h"

/* From here on a bound says nothing. */
#define OPERATION_ERROR_OPEN 1e300

enum {
    OPERATION_IS_LOST =
        1, /* a number left its type's range, or an infinity met its opposite or 0 */
    OPERATION_MAY_BE_NAN = 2 /* a root or a logarithm is of what may be negative */
};

/* Up to 256 values of each field: words as operation_eval.h has them, and bounds. */
struct operation_values {
    uint64_t words[OPERATION_FIELDS_MAX][OPERATION_LANES];
    double errors[OPERATION_FIELDS_MAX][OPERATION_LANES];
    uint8_t flags[OPERATION_LANES];
};

struct operation_error;

/* It is one thread's at a time. */
int operation_error_open(struct operation_error **out, const struct operation_text *text,
                         enum type acc, struct error *error);
/* From now on the params are these words, as many as the operation has; zeros before. */
void operation_error_give(struct operation_error *self, const uint64_t *params);
void operation_error_free(struct operation_error *self);

/* Of map only functions that machines round differently make errors. */
void operation_error_map(struct operation_error *self, const uint64_t *x, const uint64_t *i,
                         struct operation_values *out, size_t count);

/* `out` may be `a` or `b`. */
void operation_error_combine(struct operation_error *self, const struct operation_values *a,
                             const struct operation_values *b, struct operation_values *out,
                             size_t count);

/* The results are words[0]. errors[0] is what the values' errors make of them, errors[1] what
 * finish itself adds. */
void operation_error_finish(struct operation_error *self, const struct operation_values *a,
                            const uint64_t *n, struct operation_values *out, size_t count);

#endif
