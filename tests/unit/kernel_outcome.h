/* kernel_outcome: proves a loaded variant as a tuning does, and names its outcome: the exit
 * status of a process that checks kernels; any other status is a crash. */
#ifndef AUTOTUNE_TESTS_KERNEL_OUTCOME_H
#define AUTOTUNE_TESTS_KERNEL_OUTCOME_H

#include "autotune/verify/check_small.h"

#include <stdio.h>

enum outcome { RIGHT = 40, WRONG, FAILED };
enum { NOTE_CHARS = 400 };

/* `points` are candidates of one variant, of which it chooses two; why not goes to the note. */
static enum outcome check_kernels(struct device *device, const struct point_context *context,
                                  const struct points *points,
                                  const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                                  uint64_t positions, uint64_t seed, char note[NOTE_CHARS])
{
    struct check *check;
    struct check_configs rows;
    struct check_outcome outcome = {.is_right = false};
    struct error error = {0};
    if (check_open(&check, device, context->problem, positions, seed, &error)) {
        snprintf(note, NOTE_CHARS, "%.300s", error.text);
        return FAILED;
    }
    int failed = check_choose(&rows, context, points->configs, points->count, &error) ||
                 check_small(check, context, rows, kernels, &outcome, &error);
    if (!failed && outcome.is_right)
        failed = check_specials(check, context, rows, kernels, &outcome, &error);
    check_close(check);
    snprintf(note, NOTE_CHARS, "%.300s", failed ? error.text : outcome.reason);
    return failed ? FAILED : outcome.is_right ? RIGHT : WRONG;
}

#endif
