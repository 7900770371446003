/* selector: ranks tuned configs by how well they fit a problem on a GPU. It only ranks: what must
 * not be used there, by the rules, for instance, the caller leaves out. The weights of what differs
 * stand here alone. Portable C99 without allocation, and C++17: exports carry this file. */
#ifndef AUTOTUNE_SELECTOR_H
#define AUTOTUNE_SELECTOR_H

#include "generator/dims.h"

/* How well a config fits, the best first; but of what is of this very GPU, shipped or not, the
 * nearer size comes first where none is exact, and what is far (SELECTOR_FAR) last. */
enum selector_grade {
    SELECTOR_EXACT, /* it was tuned on this GPU for these dims */
    SELECTOR_STALE, /* the same, but with another driver or compiler: prove it before use */
    SELECTOR_OTHER_SIZE, /* on this GPU for other dims (or an interval around these) or regime */
    SELECTOR_SAME_CC,    /* on another GPU of the same compute capability */
    SELECTOR_SHIPPED,    /* on any GPU, and it came with the program */
    SELECTOR_CLASS,      /* the same, for another problem that costs the same */
    SELECTOR_NONE,       /* it does not fit */
    SELECTOR_GRADES
};

/* What a config was tuned for, or what one is wanted for. */
struct selector_key {
    struct dims dims; /* in canonical form */
    int regime;       /* of the cache: any number for each */
    int cc, sms;      /* compute capability, 90 for 9.0; multiprocessors */
    int gpu;          /* any number for each GPU */
};

struct selector_entry {
    struct selector_key key;
    uint64_t from, to; /* depths that it serves: an interval around its own, or that alone */
    int is_stale, is_shipped;
    int is_class; /* of what is shipped: tuned for another problem of the same cost class */
};

/* A place in the order: of two entries the one that selector_is_better says serves. */
struct selector_place {
    enum selector_grade grade;
    int tier;    /* of what is shipped: 0 the same GPU, 1 the same compute capability, then by
                     * how much older that is, then by how much newer */
    double size; /* how far the dims are, as a factor; 1 for the same */
    int is_between; /* an interval around the depth, which goes behind the depth itself */
    double sms;     /* how far the multiprocessors are, as a factor */
};

/* What a factor of two in the depth counts for beside one in all elements, as a power of two: what
 * a result is like decides more than how many there are. Another cache regime counts as much as four
 * times the depth. */
enum { SELECTOR_DEPTH_WEIGHT = 4, SELECTOR_REGIME_DEPTH = 4 };

/* So many times the depth, or so few, or in another cache regime, what was tuned says less than what
 * ships for it: on an H100 the winner at 400M took 1.5 times as long at 10K as what ships. */
enum { SELECTOR_FAR = 4 };

/* More than any difference of compute capabilities: what was tuned on an older GPU comes before what
 * was on a newer one, for its blocks need no more than there is; of the newer one's, rules leave
 * out what does. */
enum { SELECTOR_NEWER = 1000 };

/* The greater by the smaller; 0 counts as 1. */
static inline double selector_factor(double a, double b)
{
    a = a < 1 ? 1 : a;
    b = b < 1 ? 1 : b;
    return a < b ? b / a : a > b ? a / b : 1;
}

/* Of the depth and of all elements together, when both differ by these factors. */
static inline double selector_weigh(double depth, double elements)
{
    for (int i = 0; i < SELECTOR_DEPTH_WEIGHT; i++)
        elements *= depth;
    return elements;
}

static inline double selector_size(const struct selector_key *want,
                                   const struct selector_entry *entry)
{
    const uint64_t n = want->dims.depth.n;
    const double depth = (double)n;
    const double nearest = (double)(n < entry->from ? entry->from
                                    : n > entry->to ? entry->to
                                                    : n);
    const double results = (double)dims_kept(&want->dims);
    const double tuned = (double)dims_kept(&entry->key.dims);
    const double regime = want->regime == entry->key.regime ? 1 : SELECTOR_REGIME_DEPTH;
    return selector_weigh(selector_factor(depth, nearest),
                          selector_factor(results * depth, tuned * nearest)) *
           selector_weigh(regime, regime);
}

static inline int selector_is_same_size(const struct selector_key *want,
                                        const struct selector_entry *entry)
{
    return entry->from == entry->to && want->regime == entry->key.regime &&
           dims_is_same(&want->dims, &entry->key.dims);
}

static inline enum selector_grade selector_grade(const struct selector_key *want,
                                                 const struct selector_entry *entry)
{
    if (entry->is_shipped)
        return entry->is_class ? SELECTOR_CLASS : SELECTOR_SHIPPED;
    if (entry->key.cc != want->cc)
        return SELECTOR_NONE;
    if (entry->key.gpu != want->gpu)
        return SELECTOR_SAME_CC;
    if (!selector_is_same_size(want, entry))
        return SELECTOR_OTHER_SIZE;
    return entry->is_stale ? SELECTOR_STALE : SELECTOR_EXACT;
}

/* An entry's place among all that may serve what is wanted. */
static inline struct selector_place selector_rank(const struct selector_key *want,
                                                  const struct selector_entry *entry)
{
    struct selector_place place;
    place.grade = selector_grade(want, entry);
    place.tier = entry->key.cc > want->cc      ? SELECTOR_NEWER + entry->key.cc - want->cc
                 : entry->key.cc < want->cc    ? 2 + want->cc - entry->key.cc
                 : entry->key.gpu != want->gpu ? 1
                                               : 0;
    place.size = selector_size(want, entry);
    place.is_between = entry->from != entry->to;
    place.sms = selector_factor(want->sms, entry->key.sms);
    return place;
}

/* By the grade. What ships and was tuned on this very GPU stands beside other sizes, and what one size
 * was tuned for behind all that ships where it is far: it is no reason to serve a far n worse than one who
 * never tuned. */
static inline int selector_order(const struct selector_place *place)
{
    const double most = SELECTOR_FAR;
    const int is_own = place->grade == SELECTOR_OTHER_SIZE || place->grade == SELECTOR_SAME_CC;
    const int is_beside =
        place->tier == 0 && place->grade < SELECTOR_NONE && place->grade > SELECTOR_OTHER_SIZE;
    if (is_own && place->size >= selector_weigh(most, most))
        return 2 * (int)SELECTOR_CLASS + 1;
    return 2 * (int)(is_beside ? SELECTOR_OTHER_SIZE : place->grade);
}

/* Does `a` serve before `b`? Of equals neither does: take the first. */
static inline int selector_is_better(const struct selector_place *a,
                                     const struct selector_place *b)
{
    const int a_order = selector_order(a), b_order = selector_order(b);
    if (a_order != b_order)
        return a_order < b_order;
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if (a->size < b->size || a->size > b->size)
        return a->size < b->size;
    if (a->grade != b->grade)
        return a->grade < b->grade;
    if (a->is_between != b->is_between)
        return a->is_between < b->is_between;
    return a->sms < b->sms;
}

#endif
