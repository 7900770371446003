/* queued_unit: keeps a compiled unit from the worker that compiled it to one that measures, and
 * the queue of these. */
#ifndef AUTOTUNE_QUEUED_UNIT_H
#define AUTOTUNE_QUEUED_UNIT_H

#include "autotune/search/decide.h"

struct queued_unit {
    struct frame frame;   /* holds what `unit` points to, unless another's does */
    struct job_unit unit; /* ids and configs are the queued unit's own */
    uint64_t prove_us[COMPILER_UNIT];
    struct queued_unit *next;
};

/* Takes over a JOB_COMPILED frame, the answer to `unit`, for configs of `width` values. NULL
 * with the error. */
struct queued_unit *queued_unit_open(struct frame *frame, const struct decide_unit *unit,
                                     size_t width, struct error *error);
/* A unit of some variants of another, which must outlive it: variants[i] of `variants` is the one at
 * places[i]. Nothing was compiled for it. NULL with the error. */
struct queued_unit *queued_unit_share(const struct queued_unit *of, const size_t *places,
                                      const struct decide_unit *variants, struct error *error);
void queued_unit_free(struct queued_unit *queued);

/* The shadows that came with a unit, as a unit of their own, which it must outlive: places[i] becomes the place
 * of the variant that the i-th is of. Without variants where none came. NULL with the error. */
struct queued_unit *queued_unit_shadows(const struct queued_unit *of,
                                        size_t places[COMPILER_UNIT], struct error *error);
/* Gives variant `i`, which has none, the shadow that is variant `at` of another unit, which must outlive it. */
void queued_unit_give_shadow(struct queued_unit *queued, size_t i, const struct queued_unit *of,
                             size_t at);

/* The place of a variant in the unit; unit.count when it is not there. All of its variants. */
size_t queued_unit_find(const struct queued_unit *queued, uint64_t variant);
struct decide_unit queued_unit_variants(const struct queued_unit *queued);

/* A hash of a variant's machine code, or where that is unknown of its sources: one compiler
 * makes the same machine code of the same sources. */
uint64_t queued_unit_hash(const struct queued_unit *queued, size_t i);

/* Is a candidate of the unit with this code to be tried? 1, 0, or -1. */
typedef int queued_unit_filter(void *context, size_t candidate, uint64_t code_hash,
                               struct error *error);
/* Lists those of these candidates that belong to the unit's variant `i` and pass the filter, in
 * this order. */
int queued_unit_list(struct queued_unit *queued, size_t i, const struct points *points,
                     const size_t *candidates, size_t count, queued_unit_filter *filter,
                     void *context, struct error *error);
bool queued_unit_has_candidates(const struct queued_unit *queued);

/* First in, first out. Initialise with zeros. */
struct queued_units {
    struct queued_unit *first;
    size_t count;
};
void queued_units_add(struct queued_units *queue, struct queued_unit *queued);
struct queued_unit *queued_units_take(struct queued_units *queue);       /* NULL: it is empty */
bool queued_units_has(const struct queued_units *queue, size_t variant); /* of units of one */
void queued_units_dispose(struct queued_units *queue);

#endif
