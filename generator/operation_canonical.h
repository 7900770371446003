/* operation_canonical: writes a parsed operation back in one spelling, without its name, meaning and scale: two
 * operations are the same where these texts are. */
#ifndef AUTOTUNE_OPERATION_CANONICAL_H
#define AUTOTUNE_OPERATION_CANONICAL_H

#include "generator/operation_node.h"
#include "generator/text.h"

/* The canonical text, in lines "key = value". */
const char *operation_canonical(const struct operation_text *text);

enum { OPERATION_HASH_CHARS = 65 };

/* The SHA-256 of the canonical text, in 64 hexadecimal digits. Returns `out`. */
char *operation_hash(char out[OPERATION_HASH_CHARS], const struct operation_text *text);

/* Appends an expression in the language. With an accumulator `acc` (else NO_TYPE), conversions that change
 * no type are left out. `by_number`: fields are a.0, a.1, ... */
void operation_write_source(struct text *out, const struct operation_text *text, int node,
                            enum operation_type acc, bool by_number);

/* Writes text->canonical. */
int operation_make_canonical(struct operation_text *text, struct error *error);

#endif
