/* merge_choice: chooses the records of a file to keep: of two for the same problem the better
 * one. */
#ifndef AUTOTUNE_MERGE_CHOICE_H
#define AUTOTUNE_MERGE_CHOICE_H

#include "cache/store.h"

/* The choice for one record of the file. */
struct merge_choice {
    const char *result; /* for people: "added" */
    uint64_t here_ps;   /* of the record here for the same problem; 0 = none */
    bool is_taken;
};

/* Is the new one of two for the same problem the one to keep? A measured record answers look-ups
 * where a published one only compares, so it comes first, whatever their times. Times made with
 * different tools cannot be compared: there the newer counts. Where all is equal the old record
 * stays. */
bool merge_choice_is_better(const struct record *new, const struct record *old);

/* Chooses among the records in `file`, of one GPU, and those in `here`, of that GPU's file.
 * `out`, empty, gets the records for one store_save, in the file's order; `choices` one entry
 * for each record of the file. A record that is kept and of an older sweep, or of none, becomes
 * a size of the newer one, by interval_inherit. -1 only for memory; store_dispose frees `out`
 * either way. */
int merge_choose(struct records *out, struct merge_choice *choices, const struct records *here,
                 const struct records *file, struct error *error);

#endif
