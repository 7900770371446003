/* cost_class: says which problems cost the same, so that a config tuned for one serves all of them.
 * A class is the bytes of an element, the accumulator and the kind of combining; it follows from
 * operation and types by a rule, and no list of problems has to be kept. */
#ifndef AUTOTUNE_COST_CLASS_H
#define AUTOTUNE_COST_CLASS_H

#include "generator/problem.h"

struct cost_class {
    int element_bytes, acc_bytes;
    bool is_float; /* the accumulator */
    enum combining combining;
};

/* The class of operation, type and accumulator; dims, regime and order do not count. */
struct cost_class cost_class_of(const struct problem *problem);

bool cost_class_is_same(const struct cost_class *a, const struct cost_class *b);

enum { COST_CLASS_CHARS = 40 };

/* "adding-2-f32": the kind of combining, the bytes of an element, the accumulator, which is
 * named as its signed type. Returns `out`. */
char *cost_class_format(char out[COST_CLASS_CHARS], const struct cost_class *class);

/* Operation, type and the usual accumulator of the member that is tuned for its class: the first
 * operation that combines so, and the widest signed type, of bf16 and f16 bf16. False: no problem
 * with a usual accumulator is of this class. */
bool cost_class_tuned(struct problem *out, const struct cost_class *class);

#endif
