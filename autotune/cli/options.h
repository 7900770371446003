/* options: declares what an option is: its names, what it stores, and its help. Those of one verb
 * stand in that verb's file, all others in options.c. Hides argp's tables. */
#ifndef AUTOTUNE_OPTIONS_H
#define AUTOTUNE_OPTIONS_H

#include "autotune/cli/request.h"
#include "generator/text.h"

#include <argp.h>

struct verb_row;

enum { OPTIONS_MAX = 192, OPTIONS_GROUPS = 3 }; /* of all verbs together */

/* A row: an option of some verbs, or without a name the heading of a group. */
struct option_row {
    unsigned verbs;
    const char *name;  /* without the dashes */
    const char *value; /* what stands for it in the help, as "COUNT"; NULL: a flag */
    const char *help;  /* '@' stands for what add_names adds */
    size_t flag, text; /* where in the struct its bool is, or its string: the request, or of a
                           * verb's own options what request->own is; unused with `parse` */
    request_value *parse; /* takes the value; NULL: stores it */
    void (*add_names)(struct text *out);
    const char *more; /* sentences for the manual; NULL: none */
    int group; /* of a heading: 1 the problem, 2 where and how, 3 output; and of a verb's own */
    char letter;  /* its short name; 0 = none */
    bool repeats; /* may be given again: the last counts, or all */
};

/* All of them by number, then NULL: the shared ones, then each verb's own. */
const struct option_row *options_at(size_t i);

/* What argp needs to know of a verb; the strings live as long as the program. */
void options_fill(struct argp *out, struct argp_option argp_options[OPTIONS_MAX],
                  const struct verb_row *verb);

/* The number of the verb's option of this key of argp's; past the last where there is none. */
size_t options_find(int key, enum verb verb);

/* Is it one of those that say what a problem is, or where its kernels are from? */
bool options_is_of_problem(const struct option_row *option);

/* Sets what the option sets; ERROR_USAGE names it and a valid value. */
int options_store(struct request *request, const struct option_row *option, const char *value,
                  struct error *error);

/* Reads "30s", "500ms" or "2m" into seconds. */
int options_parse_time(double *out, const char *value, const char *option, struct error *error);

/* Appends the option's help, with its names. */
void options_add_help(struct text *out, const struct option_row *option);

/* Appends the whole --help, from within a parse. */
void options_help(struct text *out, struct argp_state *state);

#endif
