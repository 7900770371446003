/* filter: says which records are wanted, by a list of conditions, and which of them a record does
 * not meet. */
#ifndef AUTOTUNE_FILTER_H
#define AUTOTUNE_FILTER_H

#include "cache/interval.h"

/* What may be asked for, in the order in which it is compared. */
enum filter_part {
    FILTER_USE =
        1 << 0, /* it can serve a problem: it is not published, to compare with alone */
    FILTER_DEVICE = 1 << 1, /* its data is on the device, not on the host */
    FILTER_OP = 1 << 2,
    FILTER_TYPE = 1 << 3,
    FILTER_ACC = 1 << 4,
    FILTER_ORDER = 1 << 5,
    FILTER_SPACE = 1 << 6,
    FILTER_METHOD = 1 << 7, /* its times are measured as today's are */
    FILTER_REGIME = 1 << 8,
    FILTER_GPU = 1 << 9,
    FILTER_SHAPE = 1 << 10, /* how its results lie */
    FILTER_SCAN = 1 << 11,
    FILTER_DIMS = 1 << 12,  /* these very dims */
    FILTER_N = 1 << 13,     /* it serves one of n_low..n_high */
    FILTER_SIZES = 1 << 14, /* it serves one of `sizes` */
    FILTER_PROBLEM = FILTER_OP | FILTER_TYPE | FILTER_ACC | FILTER_ORDER,
};

struct filter {
    unsigned asked;         /* FILTER_ bits: of all else nothing is asked */
    struct problem problem; /* op, type, acc, order, scan, regime and dims that are wanted */
    const char *space;
    const char *shape; /* dims_text_name of these */
    uint64_t n_low, n_high;
    const struct dims *sizes;
    size_t size_count;
    bool (*is_gpu)(void *context, const struct record *record); /* of FILTER_GPU */
    void *gpu;                                                  /* its context */
};

/* The first part asked for that the record does not have; 0 where it has all. Of one record n is its
 * elements, of an interval each of its depths. */
unsigned filter_lacks(const struct filter *filter, const struct interval *served);

/* The same of a problem alone, of which nothing else is asked. */
bool filter_wants(const struct filter *filter, const struct problem *problem);

#endif
