/* compare_notes: writes the conclusions of a comparison of GPUs as sentences. */
#ifndef AUTOTUNE_COMPARE_NOTES_H
#define AUTOTUNE_COMPARE_NOTES_H

#include "autotune/compare/prediction.h"
#include "autotune/print/legend.h"

/* Appends the notes on a group of lines: where the winners differ and why, which predictions
 * are withheld and why, the predicted portability, and the accuracy of predictions where a
 * journal has it. */
void compare_notes_group(struct text *out, const struct compare *compare,
                         const struct prediction *group, struct legend *legend);

/* Appends the notes on all lines: why analyses failed, each reason once, and the meaning of the
 * words. */
void compare_notes_all(struct text *out, const struct compare *compare);

/* Appends the meaning of compare_text's column titles, as far as they are used. */
void compare_notes_columns(struct text *out, const struct compare *compare);

#endif
