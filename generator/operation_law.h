/* operation_law: says which laws an operation follows: templates, spaces and proofs ask for these, so that
 * a user's sum of squares gets what the one that ships does. */
#ifndef AUTOTUNE_OPERATION_LAW_H
#define AUTOTUNE_OPERATION_LAW_H

#include "generator/operation_file.h"

/* What combine is, whatever parentheses and order of a and b the file has. COMBINE_OTHER too where the
 * law's identity is not the file's own, or a FIRST_ law's result is not the position. */
enum combine_law operation_combine_law(const struct operation_text *text);

/* What map is with this accumulator; of a FIRST_ law, what the value compared is. A conversion that
 * changes nothing is nothing, so real(x) is MAP_SAME where acc is a float. */
enum map_law operation_map_law(const struct operation_text *text, enum type acc);

/* Is the result something else than the last value, or its position where the law is FIRST_? */
bool operation_has_finish(const struct operation_text *text, enum type acc);

/* Does combine calculate with floats, so that the order of combining may change what it gives? What only selects
 * and compares does not. */
bool operation_rounds(const struct operation_text *text, enum type acc);

/* The identity that a law supplies, in the language; NULL for COMBINE_OTHER. */
const char *operation_law_identity(enum combine_law law);

/* Sets text->combine, once all functions but identity are parsed; and again with it. */
int operation_find_laws(struct operation_text *text, struct error *error);
/* Sets the map law of each accumulator, once types are known. */
int operation_find_map_laws(struct operation_text *text, struct error *error);

#endif
