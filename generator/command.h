/* command: writes words of a command line that a shell, or a person, runs again. */
#ifndef AUTOTUNE_COMMAND_H
#define AUTOTUNE_COMMAND_H

#include "generator/problem.h"
#include "generator/text.h"

/* Appends one word, quoted for a shell where it must be; always on one line. */
void command_add_word(struct text *out, const char *word);

/* Appends " NAME VALUE", the value as one word; nothing where it is NULL. */
void command_add_option(struct text *out, const char *name, const char *value);

/* Appends " --op sum --type f32 --acc f32", of a scan its kind, and " --order ..." where there is
 * one; then, of the problem itself, its regime and its size. */
enum { COMMAND_REGIME = 1, COMMAND_SIZE = 2 };
void command_add_problem(struct text *out, const struct problem *problem, unsigned parts);

/* Takes the next word off a line, as a shell would: quotes and backslashes are taken away, in place.
 * NULL behind the last; a quote that is not closed ends with the line. */
char *command_next_word(char **line);

#endif
