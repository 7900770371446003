/* compare_notes: what follows from GPUs side by side, in sentences. */
#ifndef AUTOTUNE_COMPARE_NOTES_H
#define AUTOTUNE_COMPARE_NOTES_H

#include "autotune/compare/prediction.h"
#include "autotune/print/legend.h"

/* Of the lines of a group: where the winners differ and why, which predictions are withheld and
 * why, the portability that is predicted, and how well predictions do where a journal tells. */
void compare_notes_group(struct text *out, const struct compare *compare,
                         const struct prediction *group, struct legend *legend);

/* Of all: what could not be analysed, each reason once, and what the words mean. */
void compare_notes_all(struct text *out, const struct compare *compare);

/* What the titles of columns in compare_text mean, where they are there. */
void compare_notes_columns(struct text *out, const struct compare *compare);

#endif
