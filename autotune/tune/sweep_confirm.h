/* sweep_confirm: measures again what a kept sweep says of its intervals: --confirm. */
#ifndef AUTOTUNE_SWEEP_CONFIRM_H
#define AUTOTUNE_SWEEP_CONFIRM_H

#include "autotune/tune/sweep_size.h"

/* Races each requested size's winner against its interval's variant; the new losses count from
 * then on, and with --loss so does the new limit. Prints the sweep that this gives. */
int sweep_confirm(struct sweep *sweep, struct error *error);

#endif
