/* field: reads, writes and compares one field of a record. A field is a row of a table: its
 * name, its form, its place in the struct and its range; nothing else is needed. */
#ifndef AUTOTUNE_FIELD_H
#define AUTOTUNE_FIELD_H

#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Forms of a value, and the type of the member that holds it. */
enum field_form {
    FIELD_OP,        /* a const struct operation * */
    FIELD_TYPE,      /* enum type */
    FIELD_REGIME,    /* enum regime */
    FIELD_ORDER,     /* enum order, or ORDER_FREE and the field is left out */
    FIELD_SCAN,      /* enum dims_scan, or DIMS_ALL and the field is left out */
    FIELD_OFFSETS,   /* enum type, or I8 and the field is left out */
    FIELD_LENGTHS,   /* enum lengths, or LENGTHS_ANY and the field is left out */
    FIELD_LIE,       /* enum problem_lie, or LIES_ALIKE and the field is left out */
    FIELD_SOURCE,    /* enum record_source */
    FIELD_INT,       /* int or unsigned */
    FIELD_COUNT,     /* uint64_t */
    FIELD_HASH,      /* uint64_t, 16 hexadecimal digits in the file */
    FIELD_NAME,      /* char[]: letters, digits, '_' and '-' */
    FIELD_LABEL,     /* char[]: a name given by a vendor */
    FIELD_ANY_LABEL, /* char[]: likewise, or "" and the field is left out */
    FIELD_PARAMS,    /* char[]: NAME=VALUE words */
    FIELD_DECIMAL,   /* char[]: a decimal number or nothing */
    FIELD_UTC,       /* char[]: a time */
    FIELD_ANY_UTC,   /* char[]: a time, or "" and the field is left out */
    FIELD_GIVEN, /* char[]: values of an operation's params, or "" and the field is left out */
    FIELD_DIM,   /* struct dim: "4096 stride 1000", a stride of 1 left out */
    FIELD_KEPT,  /* likewise; one of stride 1, and the field is left out */
    FIELD_ANY,   /* uint64_t: a count, or 0 and the field is left out */
    FIELD_FORMS
};

enum { FIELD_CHARS = 512 }; /* no text member is longer */

struct field {
    const char *name;
    enum field_form form;
    size_t offset; /* of the member */
    /* Range of a number; fewest and most bytes of a text; the first choice. */
    int64_t low, high;
    unsigned group; /* for the owner of the table */
};

/* Reads the value into the member; false when it is not of the form or out of range. */
bool field_read(const struct field *field, void *record, const char *value);

/* Appends the value. A character that has no place in the form becomes '_'. */
void field_write(const struct field *field, const void *record, struct text *out);

/* Is the field written to the file at all? A field that may be missing is left out where its
 * value says that there is none. */
bool field_stands(const struct field *field, const void *record);

/* May a field of the form be missing in a file? */
bool field_may_lack(enum field_form form);

/* Are both written as the same value? */
bool field_is_same(const struct field *field, const void *a, const void *b);

/* What a value of the form must be, for errors: "NAME=VALUE words". */
const char *field_describe(enum field_form form);

/* Exactly 16 digits of 0-9 a-f. */
bool field_parse_hash(uint64_t *out, const char *value);

#endif
