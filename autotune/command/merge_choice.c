/* merge_choice: compares each record of the file with the record it would replace, and keeps
 * the better. */
#include "autotune/command/merge_choice.h"

#include <string.h>

enum { MADE_WITH = RECORD_TIMING | RECORD_TOOLS };

/* --- Choosing the better ------------------------------------------------------------------ */

static bool is_newer(const struct record *a, const struct record *b)
{
    return strcmp(a->tuned, b->tuned) > 0; /* UTC in one form: sorts as text */
}

bool merge_choice_is_better(const struct record *new, const struct record *old)
{
    const bool is_alike = !record_group_difference(new, old, MADE_WITH) &&
                          (new->code == old->code || strcmp(new->params, old->params) != 0);
    if (new->source != old->source)
        return new->source == RECORD_MEASURED ||
               (new->source == RECORD_EMULATED && old->source == RECORD_PUBLISHED);
    if ((!is_alike && strcmp(new->tuned, old->tuned) != 0) || new->median_ps == old->median_ps)
        return is_newer(new, old);
    return new->median_ps < old->median_ps;
}

/* The last match is the one that the store would have by then. */
static const struct record *find_same(const struct records *records,
                                      const struct record *record)
{
    for (size_t i = records->count; i-- > 0;)
        if (record_is_same_problem(&records->at[i], record))
            return &records->at[i];
    return NULL;
}

/* --- One record --------------------------------------------------------------------------- */

/* A record, and the list that it is in. */
struct side {
    const struct records *of;
    struct record record;
};

/* Appends the winner, which may take over the loser's sweep. The loser is in `out` only
 * meanwhile. `*is_changed` is false where the winner stays as it is. */
static int join(struct records *out, const struct side *winner, const struct side *loser,
                bool *is_changed, struct error *error)
{
    if (store_copy(out, loser->of, &loser->record, error))
        return -1;
    const struct record lost = out->at[--out->count];
    if (store_copy(out, winner->of, &winner->record, error))
        return -1;
    struct record *won = &out->at[out->count - 1];
    interval_inherit(won, &lost);
    *is_changed = strcmp(won->swept, winner->record.swept) != 0;
    return 0;
}

static int choose(struct records *out, struct merge_choice *choice, const struct records *here,
                  const struct side *new, struct error *error)
{
    const struct record *before = find_same(out, &new->record);
    const struct record *found = before ? before : find_same(here, &new->record);
    choice->is_taken = !found || merge_choice_is_better(&new->record, found);
    choice->here_ps = found ? found->median_ps : 0;
    choice->result = !found             ? "added"
                     : choice->is_taken ? "better than the one here"
                                        : "kept the one here";
    if (!found)
        return store_copy(out, new->of, &new->record, error);
    const struct side old = {before ? out : here, *found};
    bool is_changed;
    if (choice->is_taken)
        return join(out, new, &old, &is_changed, error);
    const int failed = join(out, &old, new, &is_changed, error);
    out->count -= !failed && !is_changed;
    return failed;
}

int merge_choose(struct records *out, struct merge_choice *choices, const struct records *here,
                 const struct records *file, struct error *error)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct side new = {file, file->at[i]};
        if (choose(out, &choices[i], here, &new, error))
            return -1;
    }
    return 0;
}
