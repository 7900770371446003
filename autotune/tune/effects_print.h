/* effects_print: writes what each param does for people: a table with a row for each value, and a
 * sentence for each param. */
#ifndef AUTOTUNE_EFFECTS_PRINT_H
#define AUTOTUNE_EFFECTS_PRINT_H

#include "autotune/tune/effects.h"

/* Appends it; of the emulator it says that its times are no GPU's. */
void effects_print(struct text *out, const struct effects *effects, bool is_host,
                   bool bold_titles);

/* Appends what the rows are, and of how many candidates. */
void effects_add_basis(struct text *out, const struct effects *effects);

/* Appends what the times are: of the race, or of the search alone. */
void effects_add_times(struct text *out, const struct effects *effects);

#endif
