/* api: reads what callers ask for, and checks it: what is wrong with it is told in the public codes
 * (fail.h), before anything is done. */
#ifndef AUTOTUNE_API_CHECKS_H
#define AUTOTUNE_API_CHECKS_H

#include "autotune/library/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* Do two ranges of bytes have one in common? One of no bytes has none. */
static inline bool api_overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a_bytes && b_bytes && (a - b < b_bytes || b - a < a_bytes);
}

static inline bool api_are_zeros(const void *from, size_t bytes)
{
    const unsigned char *at = from;
    for (size_t i = 0; i < bytes; i++)
        if (at[i])
            return false;
    return true;
}

int api_read_problem(struct problem *out, struct plan_count *count,
                     const struct autotune_problem *problem, struct autotune_error *error);
int api_check_options(const struct autotune_plan_options *options,
                      struct autotune_error *error);

/* Fields that a later version may give a meaning, of the struct `name`, are zeros. */
int api_check_reserved(void *const *reserved, size_t count, const char *name,
                       struct autotune_error *error);

#endif
