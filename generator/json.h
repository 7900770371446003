/* json: writes JSON item by item: commas, quotes and nulls are its own. Fails as its text does:
 * append freely, check once. */
#ifndef AUTOTUNE_JSON_H
#define AUTOTUNE_JSON_H

#include "generator/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Initialise with `struct json j = {.out = text};`. */
struct json {
    struct text *out;
    bool has_item;    /* where it writes: a comma comes first */
    const char *lead; /* written before the next item; NULL = a blank, or nothing */
};

/* Each writes an item: in an object under its key, in an array with NULL. */
void json_string(struct json *json, const char *key, const char *value); /* NULL: null */
void json_number(struct json *json, const char *key, const char *value); /* as it is written */
void json_count(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
void json_real(struct json *json, const char *key, double value, int decimals);
void json_bool(struct json *json, const char *key, bool value);

/* An object is '{' and '}', an array '[' and ']'. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* The next item begins with these blanks on a line of its own. */
void json_line(struct json *json, const char *newline_and_blanks);

#endif
