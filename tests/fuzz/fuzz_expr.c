/* Fuzzes generator/expr.c: no text crashes it, every refusal names its place, and what it
 * accepts means the same inside parentheses, a conditional and a logical operator. */
#include "generator/expr.h"
#include "generator/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"A", "B", "LEAST", "MOST", "ZERO", "BLOCK_SIZE"};
static const int64_t values[] = {7, -3, INT64_MIN, INT64_MAX, 0, 1024};
static const struct expr_scope scope = {.names = names,
                                        .count = sizeof names / sizeof names[0]};

static void demand(bool holds)
{
    if (!holds)
        abort();
}

enum outcome { REFUSED, NO_RESULT, RESULT };

static enum outcome evaluate(const char *source, int64_t *value)
{
    struct expr *expr;
    struct error error = {0};

    if (expr_parse(&expr, source, &scope, "fuzz", 1, &error)) {
        demand(!expr && strncmp(error.text, "fuzz:1: ", 8) == 0 && error.code == ERROR_USAGE);
        return REFUSED;
    }
    demand(strcmp(expr_source(expr), source) == 0);
    int status = expr_eval(expr, values, value, &error);
    demand(status == 0 || strncmp(error.text, "fuzz:1: ", 8) == 0);
    expr_free(expr);
    return status ? NO_RESULT : RESULT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        const char *head, *tail;
        bool is_truth; /* the result is only 0 or 1 */
    } wraps[] = {
        {"(", ")", false},       {"0?1/0:(", ")", false},    {"-3+(", ")+3", false},
        {"1?(", "):1/0", false}, {"0||(", ")", true},        {"1&&(", ")", true},
        {"!!(", ")", true},      {"max(", ",LEAST)", false},
    };
    struct text source = {0}, wrapped = {0};
    int64_t value = 0, other = 0;

    text_add(&source, (const char *)data, size);
    enum outcome outcome = evaluate(source.at, &value);
    for (size_t i = 0; outcome != REFUSED && i < sizeof wraps / sizeof wraps[0]; i++) {
        text_clear(&wrapped);
        text_addf(&wrapped, "%s%s%s", wraps[i].head, source.at, wraps[i].tail);
        enum outcome again = evaluate(wrapped.at, &other);
        /* REFUSED: nested too deeply now; the sum may overflow */
        if (again == RESULT)
            demand(outcome == RESULT && other == (wraps[i].is_truth ? value != 0 : value));
        else if (again == NO_RESULT && outcome == RESULT)
            demand(wraps[i].head[0] == '-' && value < INT64_MIN + 3);
    }
    text_dispose(&source);
    text_dispose(&wrapped);
    return 0;
}
