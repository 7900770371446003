/* operation_syntax: parses an expression of an operation's file into nodes. Grammar: C's, of these,
 * weakest first:  a ? b : c   ||   &&   |   ^   &   == !=   < <= > >=   << >>   + -   * / %
 * unary - ! ~   value.FIELD   ( )   number   NAME   TYPE(a)   FUNCTION(a, b, ...) */
#ifndef AUTOTUNE_OPERATION_SYNTAX_H
#define AUTOTUNE_OPERATION_SYNTAX_H

#include "generator/operation_node.h"

enum { OPERATION_SPANS_MAX = 64 };

/* A value of an INI file, which may stand in several of its lines. */
struct operation_value {
    const char *at;
    struct operation_span {
        size_t from;                  /* this byte of the value and those behind it ... */
        struct operation_place place; /* ... stand from here on */
    } spans[OPERATION_SPANS_MAX];
    size_t span_count; /* 1 at least */
    bool is_default;   /* stands in no file: all of it is where spans[0] says */
};

/* Where a byte of the value stands in the file. */
struct operation_place operation_place_at(const struct operation_value *value, size_t offset);

/* Parses a function, or a let where `part` is OPERATION_PARTS, whose fields and lets text has. */
int operation_parse(struct operation_text *text, struct operation_source *out,
                    const struct operation_value *value, enum operation_part part,
                    struct error *error);

/* Parses a number alone, with or without '-', which becomes a node; its place, -1 for a fault. */
int operation_parse_number(struct operation_text *text, const struct operation_value *value,
                           size_t offset, struct error *error);

/* Does a word mean anything to the language, so that no let may be called so? */
bool operation_is_reserved(const char *word);

/* The type that a word of `length` bytes names; NO_TYPE = none. */
enum operation_type operation_find_type(const char *word, size_t length);

#endif
