/* expr: parses and evaluates integer expressions, for derived values, rules, passes and the
 * templates' control lines. Values are int64_t; overflow and division by zero are errors, not
 * wrap-around. Grammar, weakest first:  a ? b : c   ||   &&   == !=   < <= > >=   + -   * / %
 * unary - !   ( )   integer   NAME   min(a, b, ...) max(a, b, ...) ceil_div(a, b)
 * is_pow2(a) log2(a) floor_pow2(a).  ?:, && and || evaluate only what they need. */
#ifndef AUTOTUNE_EXPR_H
#define AUTOTUNE_EXPR_H

#include "generator/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names that are gone, which old files may still use. */
struct expr_former {
    const char *const *names; /* ends with NULL */
    const char *instead;      /* what to write: "ask what COMBINE is" */
};

/* The names an expression may use; names[i] has its value in values[i] when evaluated. */
struct expr_scope {
    const char *const *names;
    size_t count;
    const struct expr_former *former; /* NULL: none */
};

struct expr;

/* `file` and `line` are in every error, also in those of expr_eval. An unknown name is an error
 * here that offers the nearest known name, or says what to write for a former one.
 * Nesting is bounded (no stack overflow). */
int expr_parse(struct expr **out, const char *source, const struct expr_scope *scope,
               const char *file, int line, struct error *error);
void expr_free(struct expr *expr);

/* Comparisons and logic give 0 or 1. ceil_div(a, b) needs a >= 0, b > 0; log2 is floor(log2 a) and
 * floor_pow2 2 to that, a > 0; is_pow2(a) is 0 for a <= 0. '/' and '%' truncate as in C. */
int expr_eval(const struct expr *expr, const int64_t *values, int64_t *out,
              struct error *error);

/* Does the expression mention the name of this slot? */
bool expr_uses(const struct expr *expr, size_t slot);

/* Does it mention the name of any slot that is marked? */
bool expr_uses_any(const struct expr *expr, const bool *is_marked);

/* Marks the slots of all names that it mentions. */
void expr_mark(const struct expr *expr, bool *is_marked);

/* The text it was parsed from. */
const char *expr_source(const struct expr *expr);

#endif
