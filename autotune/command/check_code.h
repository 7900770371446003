/* check_code: finds the machine code that is kept of a record's kernels, as the compiler made it that the record
 * names, and tells whether the compiler that is here makes the same. Keeps what is compiled now. */
#ifndef AUTOTUNE_CHECK_CODE_H
#define AUTOTUNE_CHECK_CODE_H

#include "autotune/cli/setup.h"
#include "autotune/search/tune_job.h"

enum check_code_state {
    CHECK_CODE_UNKNOWN,   /* it was not looked for */
    CHECK_CODE_SAME_TOOL, /* the record's compiler is the one that is here */
    CHECK_CODE_UNCHANGED, /* another compiler, the same machine code */
    CHECK_CODE_CHANGED,   /* other machine code; the old is in `old` */
    CHECK_CODE_NOT_KEPT,  /* of the record's compiler nothing is kept */
    CHECK_CODE_STATES,
};
extern const char *const check_code_states[CHECK_CODE_STATES]; /* "", "same compiler", ... */

struct check_code {
    enum check_code_state state;
    struct tune_old_code old; /* of CHECK_CODE_CHANGED */
};

/* Looks in `kernels`, the folder where the library keeps compiled kernels, for those of the record's config,
 * and keeps there what the device's compiler makes of it, unless that is kept: the next compiler's is compared
 * with it. What cannot be read or kept is warned of. -1: the config's kernels cannot be emitted or do not
 * compile. */
int check_code_find(struct check_code *out, const struct setup *setup,
                    const struct record *record, const int64_t *config, const char *kernels,
                    struct error *error);
void check_code_dispose(struct check_code *code);

#endif
