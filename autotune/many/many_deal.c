/* many_deal: sorts each kind's problems once, the longest first, and goes through them. */
#include "autotune/many/many_deal.h"

#include "generator/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

struct problem {
    uint32_t place; /* in the list */
    double seconds, bytes;
};

struct kind {
    char *key;
    struct problem *sorted; /* all; in the list's order until the first is given */
    bool is_sorted;
    uint32_t next;                                 /* of `sorted`: none before it waits */
    enum state { WAITS, GIVEN, SETTLED } * states; /* by place */
    unsigned char *tries;                          /* by place */
    uint32_t settled, serving;
};

struct many_deal {
    uint32_t ranks, problems;
    struct kind *kinds;
    size_t kind_count;
    int *kind_of; /* by rank; NONE: serves no more, or did not join yet */
    int64_t *has; /* by rank: a place; NONE */
};

struct many_deal *many_deal_open(uint32_t ranks, uint32_t problems, struct error *error)
{
    struct many_deal *deal = calloc(1, sizeof *deal);
    if (deal) {
        *deal = (struct many_deal){.ranks = ranks,
                                   .problems = problems,
                                   .kind_of = malloc(ranks * sizeof *deal->kind_of),
                                   .has = malloc(ranks * sizeof *deal->has)};
        if (deal->kind_of && deal->has) {
            for (uint32_t i = 0; i < ranks; i++) {
                deal->kind_of[i] = NONE;
                deal->has[i] = NONE;
            }
            return deal;
        }
    }
    many_deal_close(deal);
    error_memory(error, ranks * sizeof *deal->has);
    return NULL;
}

static void dispose_kind(struct kind *kind)
{
    free(kind->key);
    free(kind->sorted);
    free(kind->states);
    free(kind->tries);
}

void many_deal_close(struct many_deal *deal)
{
    if (!deal)
        return;
    for (size_t i = 0; i < deal->kind_count; i++)
        dispose_kind(&deal->kinds[i]);
    free(deal->kinds);
    free(deal->kind_of);
    free(deal->has);
    free(deal);
}

/* --- Kinds -------------------------------------------------------------------------------- */

static int add_kind(struct many_deal *deal, const char *key, struct error *error)
{
    if (array_grow(&deal->kinds, deal->kind_count, sizeof *deal->kinds, error))
        return -1;
    struct kind *kind = &deal->kinds[deal->kind_count];
    *kind = (struct kind){.key = strdup(key),
                          .sorted = calloc(deal->problems, sizeof *kind->sorted),
                          .states = calloc(deal->problems, sizeof *kind->states),
                          .tries = calloc(deal->problems, sizeof *kind->tries)};
    if (!kind->key || !kind->sorted || !kind->states || !kind->tries) {
        dispose_kind(kind);
        return error_memory(error, deal->problems * sizeof *kind->sorted);
    }
    for (uint32_t i = 0; i < deal->problems; i++)
        kind->sorted[i].place = i;
    return (int)deal->kind_count++;
}

int many_deal_join(struct many_deal *deal, uint32_t rank, const char *key, struct error *error)
{
    int found = NONE;
    for (size_t i = 0; i < deal->kind_count && found == NONE; i++)
        if (strcmp(deal->kinds[i].key, key) == 0)
            found = (int)i;
    if (found == NONE)
        found = add_kind(deal, key, error);
    if (found < 0)
        return -1;
    deal->kind_of[rank] = found;
    deal->kinds[found].serving++;
    return found;
}

uint32_t many_deal_serving(const struct many_deal *deal, size_t kind)
{
    return deal->kinds[kind].serving;
}

int64_t many_deal_open_problem(const struct many_deal *deal, size_t kind)
{
    const struct kind *of = &deal->kinds[kind];
    for (uint32_t i = 0; i < deal->problems && of->settled < deal->problems; i++)
        if (of->states[i] != SETTLED)
            return i;
    return NONE;
}

/* --- Longest first ------------------------------------------------------------------------ */

void many_deal_expect(struct many_deal *deal, size_t kind, uint32_t problem, double seconds,
                      double bytes)
{
    deal->kinds[kind].sorted[problem] = (struct problem){problem, seconds, bytes};
}

static int by_bytes(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? -1 : 1)
                                : (x->place < y->place ? -1 : 1);
}

static int longest_first(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return x->bytes != y->bytes ? (x->bytes > y->bytes ? -1 : 1)
                                : (x->place < y->place ? -1 : 1);
}

static double distance(const struct problem *a, const struct problem *b)
{
    return fabs(log2(a->bytes + 1) - log2(b->bytes + 1));
}

/* Of problems sorted by bytes, those whose seconds are not known take those of the nearest that is known,
 * below or above. */
static void guess(struct problem *sorted, uint32_t count)
{
    const struct problem *below = NULL, *above = NULL;
    for (uint32_t i = 0, next = 0; i < count; i++) {
        if (sorted[i].seconds > 0) {
            below = &sorted[i];
            continue;
        }
        for (next = next > i ? next : i; next < count && !(sorted[next].seconds > 0);)
            next++;
        above = next < count ? &sorted[next] : NULL;
        const bool is_below =
            below && (!above || distance(below, &sorted[i]) <= distance(above, &sorted[i]));
        if (below || above) /* the sign tells it from what is known */
            sorted[i].seconds = -(is_below ? below : above)->seconds;
    }
    for (uint32_t i = 0; i < count; i++)
        sorted[i].seconds = fabs(sorted[i].seconds);
}

static void sort(struct kind *kind, uint32_t count)
{
    qsort(kind->sorted, count, sizeof *kind->sorted, by_bytes);
    guess(kind->sorted, count);
    qsort(kind->sorted, count, sizeof *kind->sorted, longest_first);
    kind->is_sorted = true;
}

/* --- Giving and taking -------------------------------------------------------------------- */

bool many_deal_next(struct many_deal *deal, uint32_t rank, uint32_t *problem)
{
    if (deal->kind_of[rank] == NONE || deal->has[rank] != NONE)
        return false;
    struct kind *kind = &deal->kinds[deal->kind_of[rank]];
    if (!kind->is_sorted)
        sort(kind, deal->problems);
    while (kind->next < deal->problems && kind->states[kind->sorted[kind->next].place] != WAITS)
        kind->next++;
    if (kind->next == deal->problems)
        return false;
    *problem = kind->sorted[kind->next].place;
    kind->states[*problem] = GIVEN;
    deal->has[rank] = *problem;
    return true;
}

void many_deal_settle(struct many_deal *deal, size_t kind, uint32_t problem)
{
    struct kind *of = &deal->kinds[kind];
    of->settled += of->states[problem] != SETTLED;
    of->states[problem] = SETTLED;
}

void many_deal_done(struct many_deal *deal, uint32_t rank)
{
    many_deal_settle(deal, (size_t)deal->kind_of[rank], (uint32_t)deal->has[rank]);
    deal->has[rank] = NONE;
}

bool many_deal_is_done(const struct many_deal *deal, size_t kind, uint32_t problem)
{
    return deal->kinds[kind].states[problem] == SETTLED;
}

bool many_deal_lose(struct many_deal *deal, uint32_t rank)
{
    const int64_t problem = deal->has[rank];
    if (deal->kind_of[rank] == NONE)
        return false;
    struct kind *kind = &deal->kinds[deal->kind_of[rank]];
    deal->kind_of[rank] = NONE;
    deal->has[rank] = NONE;
    kind->serving--;
    if (problem == NONE || ++kind->tries[problem] >= MANY_DEAL_TRIES)
        return false;
    kind->states[problem] = WAITS;
    kind->next = 0;
    return true;
}

bool many_deal_has(const struct many_deal *deal, uint32_t rank, uint32_t *problem)
{
    *problem = deal->has[rank] == NONE ? 0 : (uint32_t)deal->has[rank];
    return deal->has[rank] != NONE;
}
