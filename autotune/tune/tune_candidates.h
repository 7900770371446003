/* tune_candidates: lists the configs that won in another record file, of another GPU for instance, so
 * that a tuning measures these too (--candidates). */
#ifndef AUTOTUNE_TUNE_CANDIDATES_H
#define AUTOTUNE_TUNE_CANDIDATES_H

#include "autotune/tune/sweep_configs.h"

/* So many are taken for a problem: those of its own size, else of the nearest. */
enum { TUNE_CANDIDATES_MAX = 4 };

/* The records of that file, which is read once, by the first of the functions below. Zeroed = not read;
 * without such a file there are none. */
struct tune_candidates {
    struct records records;
};
void tune_candidates_dispose(struct tune_candidates *candidates);

/* Adds the winners of the request's file that are of the setup's problem but for its size, by its
 * space, and that the rules allow here; the nearest size first. -1: the file cannot be used. */
int tune_candidates_add(struct sweep_configs *out, struct tune_candidates *from,
                        const struct request *request, struct error *error);

/* Is one of them not among the trials of the problem's journal? */
int tune_candidates_are_new(bool *are_new, struct tune_candidates *from,
                            const struct request *request, const struct setup *setup,
                            struct error *error);

/* Notes how many are measured first, and how many the rules refuse here; warns where there are none. */
int tune_candidates_note(struct tune_candidates *from, const struct request *request,
                         const struct setup *setup, struct error *error);

#endif
