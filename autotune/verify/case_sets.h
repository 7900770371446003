/* case_sets: keeps the oracle's cases on the device. The cases of one shape are written there
 * once and serve all variants of that shape. */
#ifndef AUTOTUNE_CASE_SETS_H
#define AUTOTUNE_CASE_SETS_H

#include "autotune/device/device.h"
#include "autotune/verify/oracle.h"
#include "generator/call.h"

enum {
    CASE_SETS_MAX = 64,
    CASE_SLOT_BYTES = 16, /* each slot begins another number of results past a multiple */
};

/* The cases of one shape. */
struct case_set {
    struct oracle_shape shape;
    bool is_special;
    struct oracle_cases cases;
    uint64_t elements; /* device address */
    uint64_t offsets;  /* of all cases of segments, likewise; 0: there are none */
    uint64_t further
        [PROBLEM_FURTHER_MAX]; /* of each further input's pattern, from its first element on */
    uint64_t further_counts[PROBLEM_FURTHER_MAX]; /* elements of it */
    uint64_t *slots; /* the place of each case's outputs, a guard behind them: bytes from the
                        * first; and behind the last, their end */
    size_t *plan_of; /* of each case the number of its plan: cases of the same dims that follow
                        * each other have one */
    size_t plan_count;
};

struct case_sets {
    struct device *device;
    const struct problem *problem; /* its n is not used */
    uint64_t positions_max, seed;  /* as of check_open */
    size_t part, parts;            /* as of struct oracle_shape */
    struct case_set sets[CASE_SETS_MAX];
    size_t count;
};

void case_sets_dispose(struct case_sets *sets);

/* The set of a plan's shape, made at first use; NULL with the error. The next call may free
 * it. */
struct case_set *case_sets_find(struct case_sets *sets, const struct planner_plan *plan,
                                bool is_special, struct error *error);

/* Writes the elements again: a kernel may have changed the input of other kernels. */
int case_sets_restore(const struct case_sets *sets, const struct case_set *set,
                      struct error *error);

#endif
