/* spawn: runs the installed program `autotune` to tune a problem, in a process of its own. */
#ifndef AUTOTUNE_SPAWN_H
#define AUTOTUNE_SPAWN_H

#include "autotune/device/device.h"
#include "autotune/library/fail.h"

struct spawn_request {
    const char *program; /* its path; NULL: NO_PROGRAM */
    const char *folder;  /* where it keeps its record */
    const char *nvrtc;   /* or NULL */
    const struct device_info *info;
    const struct problem *problem;
    double budget_seconds; /* 0: none */
};

/* Runs it to its end, which may take minutes. Waits for that process alone, writes nothing to
 * the caller's streams. NO_PROGRAM: it cannot be started; TUNE_FAILED with the sentence that it
 * ended with. */
int spawn_tuning(const struct spawn_request *request, struct autotune_error *error);

#endif
