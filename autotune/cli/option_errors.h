/* option_errors: refuses options that a verb has not, before argp reads them. */
#ifndef AUTOTUNE_OPTION_ERRORS_H
#define AUTOTUNE_OPTION_ERRORS_H

#include "generator/error.h"

struct verb_row;

/* ERROR_USAGE for the first word that is no option of the verb, written in full, or lacks its value or
 * has one too many: with the verbs that have it, or the names that are like it. Words behind "--",
 * and behind an option for help, are not looked at. argv[0] is what messages call the program. */
int option_errors_check(int argc, char **argv, const struct verb_row *verb,
                        struct error *error);

#endif
