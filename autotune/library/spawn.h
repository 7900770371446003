/* spawn: runs the installed program `autotune` to tune a problem, in a process of its own. */
#ifndef AUTOTUNE_SPAWN_H
#define AUTOTUNE_SPAWN_H

#include "autotune/device/device.h"
#include "generator/error.h"
#include "generator/problem.h"

struct spawn_request {
    const char *program; /* its path; NULL: ERROR_NO_PROGRAM */
    const char *folder;  /* where it keeps its record */
    const char *nvrtc;   /* or NULL */
    const struct device_info *info;
    const struct problem *problem;
    double budget_seconds; /* 0: none */
};

/* Runs it to its end, which may take minutes. Waits for that process alone, writes nothing to
 * the caller's streams. ERROR_NO_PROGRAM: it cannot be started; ERROR_TUNE_FAILED with the sentence that it
 * ended with. */
int spawn_tuning(const struct spawn_request *request, struct error *error);

#endif
