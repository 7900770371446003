/* options: declares every option of every verb: its names, what it stores, and its help. Hides
 * argp's tables. */
#ifndef AUTOTUNE_OPTIONS_H
#define AUTOTUNE_OPTIONS_H

#include "autotune/cli/request.h"
#include "generator/text.h"

#include <argp.h>

enum { OPTIONS_MAX = 112 };

/* A row: an option of some verbs, or without a name the heading of a group. */
struct option_row {
    unsigned verbs;
    const char *name;     /* without the dashes */
    const char *value;    /* what stands for it in the help, as "COUNT"; NULL: a flag */
    const char *help;     /* '@' stands for what add_names adds */
    size_t flag, text;    /* the request's bool or string that it sets; 0 = neither */
    request_value *parse; /* takes the value; NULL: nothing to do */
    void (*add_names)(struct text *out);
    const char *more; /* sentences for the manual; NULL: none */
    int group;        /* of a heading */
    char letter;      /* its short name; 0 = none */
    bool repeats;     /* may be given again: the last counts, or all */
};
extern const struct option_row option_rows[]; /* ends with one of no verbs */

/* What argp needs to know of a verb; the strings live as long as the program. */
void options_fill(struct argp *out, struct argp_option argp_options[OPTIONS_MAX],
                  enum verb verb);

/* The verb's option of this key of argp's, or NULL. */
const struct option_row *options_find(int key, enum verb verb);

/* Is it one of those that say what a problem is, or where its kernels are from? */
bool options_is_of_problem(const struct option_row *option);

/* Sets what the option sets; ERROR_USAGE names it and a valid value. */
int options_store(struct request *request, const struct option_row *option, const char *value,
                  struct error *error);

/* Appends the option's help, with its names. */
void options_add_help(struct text *out, const struct option_row *option);

/* Appends the whole --help, from within a parse. */
void options_help(struct text *out, struct argp_state *state);

#endif
