/* mutants: lists single faults of a program's text: each changes one line. They are what a
 * person could write by mistake: another comparison, one more or less, another operand, a
 * statement or a barrier left out, another thread's or block's number, another identity. */
#ifndef AUTOTUNE_TEST_MUTANTS_H
#define AUTOTUNE_TEST_MUTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mutant {
    size_t line;      /* of the text, from 1 */
    const char *kind; /* "comparison" */
    char *changed;    /* the line as it becomes, without its end */
};

struct mutants {
    struct mutant *list;
    size_t count;
};

/* The mutants of all lines of code: control lines, comments, preprocessor lines, lines with a string and
 * assertions, which hold, are left as they are. Ends the program when memory is out. */
void mutants_list(struct mutants *out, const char *text);
void mutants_dispose(struct mutants *mutants);

/* Is the line (from 1) one that mutants are made of? */
bool mutants_is_code(const char *text, size_t line);

/* The line (from 1) of the text, without its end: where it begins, and its length. */
const char *mutants_line(const char *text, size_t line, size_t *length);

/* The text with one line replaced; owned by the caller. */
char *mutants_apply(const char *text, const struct mutant *mutant);

/* A hash of the line as it was and as it becomes: the same wherever the line stands, so that a
 * sample drawn by it stays as it is when other lines are added. */
uint64_t mutants_hash(const char *text, const struct mutant *mutant);

#endif
