/* check_verdict: says of a record's kernel, from what was measured now and what the record claims, whether it
 * is the same, slower or faster than before, or cannot be told. Pure: ratios in, a verdict out. */
#ifndef AUTOTUNE_CHECK_VERDICT_H
#define AUTOTUNE_CHECK_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

enum check_verdict {
    CHECK_SAME,
    CHECK_FASTER,
    CHECK_SLOWER,
    CHECK_WRONG,    /* it gives a wrong result, crashes or does not end */
    CHECK_UNTOLD,   /* too noisy, in another state, or it could not be measured */
    CHECK_STALE,    /* its source or the rules of its space have changed: it is not used */
    CHECK_LEFT_OUT, /* the budget was over */
    CHECK_VERDICTS,
};
extern const char *const check_verdicts[CHECK_VERDICTS]; /* "same", "slower", ... */

/* A time over another, with the interval that holds it. */
struct check_ratio {
    double middle, low, high; /* 0 = not known */
};

/* The time of the kernel, as it is compiled now, over other times. */
struct check_ratios {
    struct check_ratio old;          /* over its old machine code's, by turns, now */
    struct check_ratio untuned;      /* over the space's default's, by turns, now */
    struct check_ratio untuned_then; /* the same as the record says it */
    struct check_ratio claimed;      /* over the record's own, measured at another time */
    bool is_emulated;                /* such times are no model of a GPU's */
};

/* What decided. */
enum check_basis {
    CHECK_BY_NOTHING, /* nothing was timed that says it */
    CHECK_BY_OLD,     /* the old machine code, by turns */
    CHECK_BY_DEFAULT, /* how far it is ahead of the default, by turns both times */
    CHECK_BY_CLAIM,   /* the time on record */
    CHECK_BASES,
};
extern const char *const check_bases[CHECK_BASES]; /* "", "old code", ... */

struct check_judgement {
    enum check_verdict verdict;
    enum check_basis basis;
    struct check_ratio by; /* the time now over that before, by this basis */
    const char *why;       /* of what cannot be told, and of what is told with care; "" */
};

/* A ratio of ratios, and the opposite one; what is not known stays so. */
struct check_ratio check_ratio_over(struct check_ratio a, struct check_ratio b);
struct check_ratio check_ratio_inverse(struct check_ratio ratio);

/* By the old code where it raced; else by the lead over the default, then and now, as far as the time on
 * record agrees; else by that time alone, which can only warn. docs/tuning.md has the limits. */
struct check_judgement check_judge(const struct check_ratios *ratios);

#endif
