/* compare_carry: says what to do so that what was tuned on one GPU serves on another: which of its
 * winners run there as they are, what changes in the others, what to compile with, and the commands
 * that measure and embed it. */
#ifndef AUTOTUNE_COMPARE_CARRY_H
#define AUTOTUNE_COMPARE_CARRY_H

#include "autotune/compare/compare_gather.h"

/* Winners of the first GPU that change alike on another. */
struct compare_carry_row {
    size_t to, winners;
    char changed[512], reason[160]; /* "": they run as they are */
};

struct compare_carry {
    const struct comparison *comparison;
    struct compare_carry_row *rows;
    size_t count;
};

/* Asks the rules of the space for each winner, and each other GPU; nothing is compiled. -1: no
 * memory. Dispose of it. */
int compare_carry_find(struct compare_carry *out, const struct comparison *comparison,
                       struct error *error);
void compare_carry_dispose(struct compare_carry *carry);

/* Appends it for people: a part for each other GPU. `names`: the arguments, as they were given. */
void compare_carry_print(struct text *out, const struct compare_carry *carry,
                         char *const *names, bool bold_titles);

/* A row for each of the rows. Dispose of the table. */
void compare_carry_table(struct table *out, const struct compare_carry *carry);

#endif
