/* control: keeps or drops lines of a template by its control lines, each a comment of its own:
 *     //? if EXPR   //? elif EXPR   //? else   //? end
 * and repeats those between
 *     //? each EXPR   //? next
 * once for each number from 2 to the value of EXPR, for which '$' stands in them.
 * Nothing else makes kernels, exported files and the frame of a report from templates. */
#ifndef AUTOTUNE_CONTROL_H
#define AUTOTUNE_CONTROL_H

#include "generator/error.h"
#include "generator/space.h"
#include "generator/text.h"

enum { CONTROL_CHARS = 512 }; /* the words of a control line are shorter */

/* The words of a control line ("if WARP == TREE"), copied without trailing blanks and cut to
 * `size`; NULL for code. */
const char *control_words(const char *line, size_t length, char *copy, size_t size);

/* Lines, and what their conditions are evaluated with. */
struct control_lines {
    const char *file; /* where the lines are, for errors: the file's name ... */
    int line;         /* ... and the number of the first line */
    const char *from;
    size_t length;
    struct expr_scope scope;   /* names that conditions may use */
    const int64_t *values;     /* of these names */
    const struct space *space; /* the space of these names, or NULL */
    bool marks_lines;          /* writes #line wherever the numbers of kept lines have a gap */
};

/* Appends the lines that are kept, no two blank ones in a row. */
int control_filter(struct text *out, const struct control_lines *lines, struct error *error);

#endif
