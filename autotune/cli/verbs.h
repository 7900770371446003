/* verbs: lists what the program can do, one function for each verb. Each returns 0, or -1 with
 * error set, whose code is the program's exit code. `argv[0]` is what usage messages call the
 * program. */
#ifndef AUTOTUNE_VERBS_H
#define AUTOTUNE_VERBS_H

#include "generator/error.h"

typedef int verb_run(int argc, char **argv, struct error *error);

verb_run verb_tune, verb_ladder, verb_show, verb_merge, verb_list, verb_emit, verb_verify,
    verb_doctor, verb_bench, verb_compare, verb_report, verb_export, verb_profile, verb_help,
    verb_version, verb_worker;

struct verb_row {
    const char *name, *summary; /* without a summary: internal, and not listed */
    verb_run *run;
};
extern const struct verb_row verbs[]; /* ends with a NULL name */

/* The verb of this name, or NULL. */
const struct verb_row *verbs_find(const char *name);

/* Sets ERROR_USAGE: there is no such verb, with the nearest names. */
int verbs_refuse(const char *name, struct error *error);

#endif
