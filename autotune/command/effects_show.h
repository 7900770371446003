/* effects_show: finds, explains and prints what each param does, at the end of a tuning or from the
 * journal of one. */
#ifndef AUTOTUNE_EFFECTS_SHOW_H
#define AUTOTUNE_EFFECTS_SHOW_H

#include "autotune/tune/effects.h"
#include "autotune/tune/tune_task.h"

/* ERROR_USAGE where --axes is not two params of the space that have several values. */
int effects_show_check(const struct request *request, const struct space *space,
                       struct error *error);

/* Finds and explains the effects of a task that was tuned or answered, `record` being its winner.
 * Of an answer without a journal there are none: none, and a note. effects_dispose frees them,
 * after an error too. */
int effects_show_find(struct effects *out, const struct tune_task *task,
                      const struct record *record, struct error *error);

/* Prints them and the heat map on stdout, unless --json - or --csv - is there. */
int effects_show(const struct effects *effects, const struct tune_task *task,
                 struct error *error);

#endif
