/* operation_type: gives each node of an operation its type, for an accumulator. Arithmetic needs
 * arguments of one type; numbers take the type of what they stand beside. */
#ifndef AUTOTUNE_OPERATION_TYPE_H
#define AUTOTUNE_OPERATION_TYPE_H

#include "generator/operation_file.h"

/* Is it for elements of this type, as `types` in the file says? */
bool operation_takes(const struct operation_text *text, enum type type);

/* Does the operation go together with elements of this type and this accumulator (of 32 or 64 bits)?
 * ERROR_USAGE with the place in the file and what to write says why not. What follows here and in
 * the other files needs a pair that passes. */
int operation_check_types(const struct operation_text *text, enum type type, enum type acc,
                          struct error *error);

/* The type of a value; of the values compared, where combine finds the first of the least or greatest;
 * TYPE_COUNT of another value with fields. */
enum type operation_value_type(const struct operation_text *text, enum type acc);
/* Of the result. */
enum type operation_result_type(const struct operation_text *text, enum type acc);

/* The fields of a value: 1 where it has none, which `field` 0 then is. */
int operation_field_count(const struct operation_text *text);
const char *operation_field_name(const struct operation_text *text, int field);
enum type operation_field_type(const struct operation_text *text, int field, enum type acc);

/* The bytes of a value, as C places its fields. */
int operation_value_bytes(const struct operation_text *text, enum type acc);

/* Types every node for every accumulator; faults are kept in text->of. -1 is memory alone. */
int operation_type_all(struct operation_text *text, struct error *error);

#endif
