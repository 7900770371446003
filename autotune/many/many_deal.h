/* many_deal: says which rank tunes which problem of a list next. It knows no MPI, no file and no clock,
 * so that a test drives it with thousands of ranks. */
#ifndef AUTOTUNE_MANY_DEAL_H
#define AUTOTUNE_MANY_DEAL_H

#include "generator/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MANY_DEAL_TRIES = 3
}; /* ranks that gave no result for a problem, before it has failed */

struct many_deal;

struct many_deal *many_deal_open(uint32_t ranks, uint32_t problems, struct error *error);
void many_deal_close(struct many_deal *deal);

/* The rank has such a device: it serves the list of this kind, which each kind has whole. The kind's
 * number, from 0 on; -1 for memory. */
int many_deal_join(struct many_deal *deal, uint32_t rank, const char *key, struct error *error);

/* What a problem may take on this kind, before any of them is given: `seconds` as known from before, or
 * 0; of those that are not known, those with more `bytes` take longer, and as long as the known one that is
 * nearest in bytes. */
void many_deal_expect(struct many_deal *deal, size_t kind, uint32_t problem, double seconds,
                      double bytes);

/* Gives the rank the longest of its kind's problems that wait; false: none does. A rank has one at a
 * time. */
bool many_deal_next(struct many_deal *deal, uint32_t rank, uint32_t *problem);

/* What the rank has is done; a problem that no rank has is: it was known, or has failed. */
void many_deal_done(struct many_deal *deal, uint32_t rank);
void many_deal_settle(struct many_deal *deal, size_t kind, uint32_t problem);

bool many_deal_is_done(const struct many_deal *deal, size_t kind, uint32_t problem);

/* The rank gives what it has back without a result, and serves no more. True where the problem waits
 * again; false where it was tried too often, or the rank had none. */
bool many_deal_lose(struct many_deal *deal, uint32_t rank);

/* What the rank has; false: nothing. */
bool many_deal_has(const struct many_deal *deal, uint32_t rank, uint32_t *problem);

/* How many ranks serve the kind; a problem that has no result yet, or -1. */
uint32_t many_deal_serving(const struct many_deal *deal, size_t kind);
int64_t many_deal_open_problem(const struct many_deal *deal, size_t kind);

#endif
