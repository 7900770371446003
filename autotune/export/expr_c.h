/* expr_c: writes an expression as an expression of C99 and C++, of type int64_t, or plainly, as a
 * reader of any language evaluates it, for programs that compute a launch without this one. Known
 * values are folded. */
#ifndef AUTOTUNE_EXPR_C_H
#define AUTOTUNE_EXPR_C_H

#include "generator/error.h"
#include "generator/expr.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The C expression for a name. */
struct expr_c_name {
    const char *text; /* a C expression of type int64_t that needs no parentheses */
    bool is_known;
    int64_t value; /* if known; then `text` is not used */
};

/* Appends the expression; names[i] is for slot i. It calls PREFIX_min, PREFIX_max,
 * PREFIX_ceil_div, PREFIX_is_pow2, PREFIX_log2 and PREFIX_floor_pow2, which expr_c_helpers defines;
 * they and the operators are exact where expr_eval has no error. With prefix NULL it is plain: in
 * the grammar of expr.h, without casts, suffixes and prefixes. A mistake among known values is
 * ERROR_USAGE. */
int expr_c_print(struct text *out, const struct expr *expr, const struct expr_c_name *names,
                 const char *prefix, struct error *error);

/* Appends definitions of those helpers that `code` calls. */
void expr_c_helpers(struct text *out, const char *code, const char *prefix);

#endif
