/* verbs: lists what the program can do, and runs it. Each verb's file ends with its row: what it is
 * called, what its help says, which options it alone has, and its steps, which are those of all. */
#ifndef AUTOTUNE_VERBS_H
#define AUTOTUNE_VERBS_H

#include "generator/error.h"

#include <stddef.h>

struct option_row;
struct request;

/* Verbs as bits, so that an option can name those it belongs to. */
enum verb {
    VERB_TUNE = 1 << 0,
    VERB_SHOW = 1 << 1,
    VERB_LIST = 1 << 2,
    VERB_EMIT = 1 << 3,
    VERB_VERIFY = 1 << 4,
    VERB_DOCTOR = 1 << 5,
    VERB_MERGE = 1 << 6,
    VERB_BENCH = 1 << 7,
    VERB_LADDER = 1 << 8,
    VERB_EXPORT = 1 << 9,
    VERB_COMPARE = 1 << 10,
    VERB_PROFILE = 1 << 11,
    VERB_REPORT = 1 << 12,
    VERB_REDUCE = 1 << 13,
    VERB_CHECK = 1 << 14,
    VERB_JUDGE = 1 << 15,
};

/* A step of a verb, given what all its steps share. Returns 0, or -1 with error set, whose code is the
 * program's exit code. */
typedef int verb_step(void *shared, struct error *error);

struct verb_row {
    enum verb verb;             /* 0: has no options */
    const char *name, *summary; /* without a summary: internal, and not listed */
    const char *arguments;      /* "FILE..."; NULL: none */
    const char *help;           /* what it does, '\v', examples and VERBS_EXIT */
    /* Of this verb alone, for request->own; ends with one of no verbs; NULL: none. */
    const struct option_row *options;
    /* Of them; NULL: any go. */
    int (*check)(const struct request *request, struct error *error);
    /* What its steps share: a struct of so many bytes that begins with the request, which is read; the
     * struct of the verb's own options is at `own`, 0 = it has none. All else is 0 at first. */
    size_t bytes, own;
    /* Opens what is needed; does the work, and shows no more than progress and notes; prints or writes
     * what came of it. Each but the second may be NULL. A step that fails is the last; one that has
     * something to show all the same leaves its error to `show`. */
    verb_step *set_up, *gather, *show;
    /* Follows in any case once the request was read; NULL: nothing is open. */
    void (*clean_up)(void *shared);
    /* In place of all of these, of a verb without options. */
    int (*run)(int argc, char **argv, struct error *error);
};

#define VERBS_EXIT                                                                             \
    "Exit: 0 done, 1 failed, 64 usage, 69 no such device, driver or NVRTC, "                   \
    "70 a result was wrong, 74 input or output failed, 75 too noisy to decide, "               \
    "130 interrupted, progress kept."

/* Of verbs that run nothing: those that compile for what they say, and those that only read. */
#define VERBS_EXIT_COMPILED                                                                    \
    "Exit: 0 done, 1 failed, 64 usage, 69 no such NVRTC, 74 input or output failed."
#define VERBS_EXIT_READ "Exit: 0 done, 1 failed, 64 usage, 74 input or output failed."

extern const struct verb_row verb_tune, verb_show, verb_merge, verb_list, verb_emit,
    verb_verify, verb_bench, verb_ladder, verb_profile, verb_reduce, verb_export, verb_compare,
    verb_report, verb_check, verb_judge, verb_doctor, verb_help, verb_version;
extern const struct verb_row *const verbs[]; /* as help lists them; ends with NULL */

/* Runs a verb. `argv[0]` is what usage messages call the program. Returns as a step does. */
int verbs_run(const struct verb_row *verb, int argc, char **argv, struct error *error);

/* The verb of this name, or NULL. */
const struct verb_row *verbs_find(const char *name);

/* The first of these verbs (a mask), or NULL. */
const struct verb_row *verbs_of(unsigned mask);

/* Sets ERROR_USAGE: there is no such verb, with the nearest names. */
int verbs_refuse(const char *name, struct error *error);

#endif
