/* merge_choice: which records of a file are kept beside those that are here: of two for the
 * same problem the better. */
#ifndef AUTOTUNE_MERGE_CHOICE_H
#define AUTOTUNE_MERGE_CHOICE_H

#include "cache/store.h"

/* What becomes of one record of the file. */
struct merge_choice {
    const char *result; /* for people: "added" */
    uint64_t here_ps;   /* of what is here for the same problem; 0 = none */
    bool is_taken;
};

/* `file` has records of one GPU, `here` those of that GPU's file. `out`, empty, gets what
 * store_save is to keep at once, in the file's order; `choices` one of each record of the
 * file. A record that is kept and of an older sweep, or of none, becomes a size of the newer
 * one, by interval_inherit. -1 only for memory; store_dispose frees `out` either way. */
int merge_choose(struct records *out, struct merge_choice *choices, const struct records *here,
                 const struct records *file, struct error *error);

#endif
