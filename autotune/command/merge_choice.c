/* merge_choice: the intervals of both sides are laid over each other, the newest on top. Hides
 * which of two records is the better, and what becomes of a part without a size of its own. */
#include "autotune/command/merge_choice.h"

#include "cache/interval.h"

#include <string.h>

enum { MADE_WITH = RECORD_TIMING | RECORD_TOOLS };

struct choosing {
    const struct records *here, *file;
    struct records *out;
    struct records gaps; /* parts of intervals in which no size was measured */
};

/* --- Which is the better ------------------------------------------------------------------ */

static bool is_newer(const struct record *a, const struct record *b)
{
    return strcmp(a->tuned, b->tuned) > 0; /* UTC in one form: sorts as text */
}

/* A measured record answers look-ups where a published one only compares, so it goes first,
 * whatever their times. Times made with different tools say nothing of each other: there the
 * newer counts, and so among intervals, which were measured at different n. What is equal in
 * all stays. */
static bool is_better(const struct record *new, const struct record *old)
{
    const bool is_alike = !record_group_difference(new, old, MADE_WITH) &&
                          (new->code == old->code || strcmp(new->params, old->params) != 0);
    if (new->source != old->source)
        return new->source == RECORD_MEASURED ||
               (new->source == RECORD_EMULATED && old->source == RECORD_PUBLISHED);
    if ((!is_alike && strcmp(new->tuned, old->tuned)) || new->n_to)
        return is_newer(new, old);
    return new->median_ps != old->median_ps ? new->median_ps < old->median_ps
                                            : is_newer(new, old);
}

/* The last is what the store would have by then. */
static const struct record *find_same(const struct records *records,
                                      const struct record *record)
{
    for (size_t i = records->count; i-- > 0;)
        if (record_is_same_problem(&records->at[i], record))
            return &records->at[i];
    return NULL;
}

/* --- Sizes -------------------------------------------------------------------------------- */

static int choose_size(struct choosing *all, struct merge_choice *choice,
                       const struct record *size, struct error *error)
{
    const struct record *before = find_same(all->out, size);
    const struct record *here = before ? before : find_same(all->here, size);
    choice->is_taken = !here || is_better(size, here);
    choice->here_ps = here ? here->median_ps : 0;
    choice->result = !here              ? "added"
                     : choice->is_taken ? "better than the one here"
                                        : "kept the one here";
    return choice->is_taken ? store_add(all->out, size, error) : 0;
}

/* --- Intervals ---------------------------------------------------------------------------- */

/* Those that are here come first. */
static const struct record *record_at(const struct choosing *all, size_t i)
{
    return i < all->here->count ? &all->here->at[i] : &all->file->at[i - all->here->count];
}

/* Has i's record what both cover? Of equals the first has. */
static bool is_above(const struct choosing *all, size_t i, size_t k)
{
    const struct record *a = record_at(all, i), *b = record_at(all, k);
    return is_better(a, b) || (i < k && !is_better(b, a));
}

static int add_part(struct choosing *all, size_t k, uint64_t from, uint64_t to,
                    struct error *error)
{
    const struct record *interval = record_at(all, k);
    struct record part = *interval;
    if (interval_part(&part, interval, k < all->here->count ? all->here : all->file, from, to))
        return store_add(all->out, &part, error);
    part.n_from = from;
    part.n_to = to;
    return store_add(&all->gaps, &part, error);
}

/* What no newer one takes away of an interval, from the left. */
static int add_parts(struct choosing *all, size_t k, struct error *error)
{
    const struct record *interval = record_at(all, k);
    const size_t count = all->here->count + all->file->count;
    for (uint64_t from = interval->n_from, next; from <= interval->n_to; from = next + 1) {
        uint64_t to = interval->n_to; /* of the part that begins here; 0 = taken away */
        next = to;
        for (size_t i = 0; i < count && to; i++) {
            const struct record *top = record_at(all, i);
            if (top->n_to < from || top->n_from > to ||
                !record_is_same_problem(top, interval) || !is_above(all, i, k))
                continue;
            to = top->n_from > from ? top->n_from - 1 : 0;
            next = to ? to : top->n_to;
        }
        if (to && add_part(all, k, from, to, error))
            return -1;
    }
    return 0;
}

static int choose_interval(struct choosing *all, struct merge_choice *choice, size_t i,
                           struct error *error)
{
    const size_t k = all->here->count + i, before = all->out->count;
    const struct record *interval = record_at(all, k);
    bool is_over = false, is_under = false, is_older = false;
    if (add_parts(all, k, error))
        return -1;
    for (size_t h = 0; h < all->here->count; h++)
        if (record_is_same_problem(&all->here->at[h], interval)) {
            *(is_above(all, h, k) ? &is_under : &is_over) = true;
            is_older |= is_newer(&all->here->at[h], interval);
        }
    choice->is_taken = all->out->count > before;
    choice->result = !is_under          ? is_over ? "newer than the one here" : "added"
                     : choice->is_taken ? "added where none newer is here"
                     : is_older         ? "kept the newer here"
                                        : "kept the one here";
    return 0;
}

/* Who asks for an n in a gap gets what serves beside it, as beside a later sweep. */
static void close_gap(struct records *out, const struct record *gap)
{
    struct record around = *gap, *beside = NULL;
    around.n_from -= 1;
    around.n_to += 1;
    for (size_t i = 0; i < out->count; i++)
        if (record_is_same_problem(&out->at[i], &around) &&
            (!beside || is_newer(&out->at[i], beside)))
            beside = &out->at[i];
    if (beside && beside->n_to < gap->n_from)
        beside->n_to = gap->n_to;
    else if (beside)
        beside->n_from = gap->n_from;
}

/* --- The whole ---------------------------------------------------------------------------- */

/* Intervals of here that nothing was taken from or added to. */
static bool is_unchanged(const struct records *here, const struct record *record)
{
    const struct record *same = record->n_to ? find_same(here, record) : NULL;
    return same && !record_key_difference(same, record) && !is_newer(same, record) &&
           !is_newer(record, same) && strcmp(same->params, record->params) == 0;
}

/* The sizes of the file are settled while `out` has all intervals, and only those are left out
 * then that stay as they are. */
static void finish(struct choosing *all)
{
    struct records *out = all->out;
    size_t kept = 0;
    for (size_t i = 0; i < all->gaps.count; i++)
        close_gap(out, &all->gaps.at[i]);
    for (size_t i = 0; i < out->count; i++)
        interval_settle(&out->at[i], all->file,
                        interval_find(out->at, out->count, &out->at[i]));
    for (size_t i = 0; i < out->count; i++)
        if (!is_unchanged(all->here, &out->at[i]))
            out->at[kept++] = out->at[i];
    out->count = kept;
}

int merge_choose(struct records *out, struct merge_choice *choices, const struct records *here,
                 const struct records *file, struct error *error)
{
    struct choosing all = {.here = here, .file = file, .out = out};
    int failed = 0;
    for (size_t i = 0; i < here->count && !failed; i++)
        if (here->at[i].n_to)
            failed = add_parts(&all, i, error);
    for (size_t i = 0; i < file->count && !failed; i++)
        failed = file->at[i].n_to ? choose_interval(&all, &choices[i], i, error)
                                  : choose_size(&all, &choices[i], &file->at[i], error);
    if (!failed)
        finish(&all);
    store_dispose(&all.gaps);
    return failed ? -1 : 0;
}
