/* Tests what bounds say where rounding may decide: of two that are nearly equal, either may be taken. */
#include "generator/operation_error.h"
#include "generator/operation_file.h"
#include "tests/unit/load_operation.h"

#include <math.h>
#include <stdio.h>

static struct error error;

/* A number that is off by as much as its error. */
struct number {
    double value, error;
};

static void put(struct operation_values *values, int field, struct number number)
{
    memcpy(&values->words[field][0], &number.value, sizeof number.value);
    values->errors[field][0] = number.error;
}

/* What finish makes of two numbers, and of their errors. */
static struct number finish(const char *expression, struct number a, struct number b)
{
    static struct operation_values value, result;
    const uint64_t n = 2;
    struct operation_error *bounds;
    struct number out;
    char text[400];
    snprintf(text, sizeof text,
             "[operation]\nmeaning = m\nname = m\ntypes = floats\nvalue = p:acc q:acc\n"
             "map = make(x, x)\ncombine = make(a.p + b.p, a.q + b.q)\n"
             "identity = make(0, 0)\nfinish = %s\n",
             expression);
    const struct operation *op = load_operation("m.ini", text);
    if (operation_error_open(&bounds, op->text, F64, &error))
        fail_msg("%s", error.text);
    value.flags[0] = 0;
    put(&value, 0, a);
    put(&value, 1, b);
    operation_error_finish(bounds, &value, &n, &result, 1);
    operation_error_free(bounds);
    memcpy(&out.value, &result.words[0][0], sizeof out.value);
    out.error = result.errors[0][0] + result.errors[1][0];
    assert_int_equal(result.flags[0], 0);
    return out;
}

static double evaluate(const char *expression, double a, double b)
{
    return finish(expression, (struct number){a, 0}, (struct number){b, 0}).value;
}

/* The bound holds at all corners of what a and b may be, and is no more than `most`. */
static void assert_bound(const char *expression, struct number a, struct number b, double most)
{
    const struct number found = finish(expression, a, b);
    for (int corner = 0; corner < 25; corner++) {
        const double at = a.value + a.error * (corner % 5 - 2) / 2,
                     bt = b.value + b.error * (corner / 5 - 2) / 2;
        const double off = fabs(evaluate(expression, at, bt) - found.value);
        if (off > found.error * (1 + 1e-9))
            fail_msg("%s of %g and %g: off by %g, bound %g", expression, at, bt, off,
                     found.error);
    }
    if (found.error > most)
        fail_msg("%s: the bound %g is more than %g", expression, found.error, most);
}

static void knows_near_ties(void **state)
{
    (void)state;
    const struct number exact = {1, 0}, near = {1, 0.25}, less = {0.875, 0.25}, far = {9, 0.25};
    assert_bound("greatest(a.p, a.q)", exact, near, 0.26);
    assert_bound("greatest(a.p, a.q)", near, exact, 0.51);
    assert_bound("greatest(a.p, a.q)", exact, less, 0.13);
    assert_bound("greatest(a.p, a.q)", near, less, 0.63);
    assert_bound("greatest(a.p, a.q)", exact, far, 0.26);
    assert_bound("least(a.p, a.q)", exact, near, 0.26);
    assert_bound("least(a.p, a.q)", less, near, 0.63);
    assert_bound("least(a.p, a.q)", exact, far, 0);
    assert_bound("greatest(a.p, a.q) - a.p", near, near, 0.51);
}

static void knows_other_branches(void **state)
{
    (void)state;
    const struct number exact = {1, 0}, near = {1, 0.25}, less = {0.875, 0.25},
                        edge = {0.75, 0.25};
    /* Both branches give 0 here, of which one is off. */
    assert_bound("a.p < a.q ? 0 : (a.p - a.q) * 100", less, exact, 63);
    assert_bound("a.p < a.q ? 0 : (a.p - a.q) * 100", near, exact, 51);
    assert_bound("a.p < a.q ? (a.p - 1) * 100 : 0", near, exact, 51);
    assert_bound("a.p <= a.q ? 5 : 0", exact, near, 5);
    assert_bound("a.p < a.q ? 5 : 0", edge, exact, 5);
    assert_bound("a.p < 4 ? a.q : a.q * 100", exact, near, 0.26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_near_ties),
        cmocka_unit_test(knows_other_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
