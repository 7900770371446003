/* Tests that operations whose combine is a text of their own are tried: right ones are taken for all of their
 * types, wrong ones refused in one sentence that has the law, the elements and both results. */
#include "autotune/device/fiber.h" /* FIBER_ASAN */
#include "autotune/verify/oracle.h"
#include "generator/operation_type.h"
#include "tests/unit/is_turn.h"
#include "tests/unit/load_operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct error error;

#ifdef FIBER_ASAN
enum { DAYS = 3 }; /* in which each type has had its turn: it is the same code, not optimized */
#else
enum { DAYS = 1 };
#endif

static const struct operation *load(const char *name, const char *text)
{
    char file[80];
    snprintf(file, sizeof file, "%s.ini", name);
    return load_operation(file, text);
}

static int try_type(const struct operation *op, enum type type)
{
    const struct problem problem = {.op = op,
                                    .type = type,
                                    .acc = problem_default_acc(type),
                                    .dims = dims_value(1000)};
    assert_int_equal(problem_combine(&problem), COMBINE_OTHER);
    return oracle_prepare(&problem, &error);
}

/* --- Right ones --------------------------------------------------------------------------- */

#define HEAD "[operation]\nmeaning = tried\n"

static const struct {
    const char *name, *text;
} right[] = {
    {"complex", HEAD "types = floats\nvalue = re:acc im:acc\nmap = make(x, x * 0.5)\n"
                     "combine = make(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)\n"
                     "identity = make(1, 0)\nfinish = a.re + a.im\n"},
    {"range", HEAD "value = low:acc high:acc\nmap = make(x, x)\n"
                   "combine = make(least(a.low, b.low), greatest(a.high, b.high))\n"
                   "identity = make(highest(), lowest())\nfinish = a.high - a.low\n"},
    {"last", HEAD "value = what:acc at:u64\nmap = make(x, i + 1)\n"
                  "combine = b.at > a.at ? b : a\nidentity = make(0, 0)\nfinish = a.what\n"},
    {"first",
     HEAD "value = what:acc at:u64\nmap = make(x, i)\n"
          "combine = b.at < a.at ? b : a\nidentity = make(0, none())\nfinish = a.what\n"},
    {"saturated", HEAD "types = integers\nvalue = u32\nmap = u32(x)\n"
                       "combine = a + b < a ? highest() : a + b\nidentity = 0\n"},
    {"carryless", HEAD "types = integers\nvalue = any:u64 all:u64 odd:u64\n"
                       "map = make(u64(x), u64(x), u64(x))\n"
                       "combine = make(a.any | b.any, a.all & b.all, a.odd ^ b.odd)\n"
                       "identity = make(0, none(), 0)\nfinish = a.any ^ a.all ^ a.odd\n"},
    {"weighted", HEAD "types = floats\nvalue = weight:acc mean:acc\nmap = make(1 + x * x, x)\n"
                      "let all = a.weight + b.weight\n"
                      "combine = all == 0 ? a : make(all, (a.weight * a.mean + b.weight * "
                      "b.mean) / all)\nidentity = make(0, 0)\nfinish = a.mean\n"},
    {"naive", HEAD "value = n:real sum:real squares:real\nmap = make(1, real(x), real(x) * "
                   "real(x))\ncombine = make(a.n + b.n, a.sum + b.sum, a.squares + b.squares)\n"
                   "identity = make(0, 0, 0)\n"
                   "finish = sqrt(a.squares / a.n - a.sum / a.n * (a.sum / a.n))\n"},
    {"harmonic", HEAD "types = floats\nmap = 1 / x\ncombine = a + b\nidentity = 0 * 1\n"
                      "finish = acc(n) / a\n"},
    {"hypot", HEAD "types = floats\nmap = magnitude(x)\n"
                   "combine = sqrt(a * a + b * b)\nidentity = 0\n"},
    {"affine", HEAD "types = floats\nvalue = factor:acc term:acc\nmap = make(0.5, x)\n"
                    "combine = make(a.factor * b.factor, a.term * b.factor + b.term)\n"
                    "identity = make(1, 0)\nfinish = a.term\nkeeps_order = yes\n"},
    {"ordered", HEAD "types = integers\ncombine = a ^ b\nkeeps_order = yes\n"},
    {"softplus", HEAD "types = floats\nlet d = magnitude(a - b)\n"
                      "combine = a == b ? a + log(acc(2)) : greatest(a, b) + log1p(exp(-d))\n"
                      "identity = lowest()\n"},
};

static void try_types(const struct operation *op)
{
    for (enum type type = 0; type < TYPE_COUNT; type++) {
        const struct problem problem = {.op = op,
                                        .type = type,
                                        .acc = problem_default_acc(type)};
        struct error ignored;
        if (!is_turn(type, DAYS) || !operation_takes(op->text, type) ||
            operation_check_types(op->text, type, problem.acc, &ignored))
            continue;
        if (try_type(op, type))
            fail_msg("%s %s: %s", op->name, problem_types[type].name, error.text);
    }
}

static void takes_right_ones(void **state)
{
    (void)state;
    static const char *const files[] = {"configs/operations/var.ini",
                                        "configs/operations/std.ini",
                                        "configs/operations/logsumexp.ini"};
    for (size_t i = 0; i < COUNT_OF(files); i++)
        try_types(load_operation_file(files[i]));
    for (size_t i = 0; i < COUNT_OF(right); i++)
        try_types(load(right[i].name, right[i].text));
}

/* --- Wrong ones --------------------------------------------------------------------------- */

static const struct {
    const char *name, *text, *says;
} wrong[] = {
    {"sum1", HEAD "combine = a + b\nidentity = 1\n", "the identity changes a value"},
    {"max0", HEAD "combine = greatest(a, b)\nidentity = 0\n", "the identity changes a value"},
    {"minus", HEAD "combine = a - b\nidentity = 0\n", "combine is not commutative"},
    {"middle", HEAD "types = floats\ncombine = (a + b) / 2\nidentity = 0\n",
     "combine is not associative"},
    {"between",
     HEAD "types = floats\nvalue = mean:acc n:u32\nmap = make(x, 1)\n"
          "combine = a.n == 0 ? b : b.n == 0 ? a : make((a.mean + b.mean) / 2, 1)\n"
          "identity = make(0, 0)\nfinish = a.mean\n",
     "combine is not associative"},
    {"compare", HEAD "types = floats\ncombine = a > b ? a : b\nidentity = lowest()\n",
     "combine is not commutative"},
    {"welford",
     HEAD "types = floats\nvalue = n:acc mean:acc m2:acc\nmap = make(1, x, 0)\n"
          "let all = a.n + b.n\nlet part = b.n / all\nlet d = b.mean - a.mean\n"
          "combine = make(all, a.mean + d * part, a.m2 + b.m2 + d * d * a.n * part)\n"
          "identity = make(0, 0, 0)\nfinish = a.m2 / a.n\n",
     "combine(identity, identity) is not the identity"},
    {"lost_m2",
     HEAD "types = floats\nvalue = n:acc mean:acc m2:acc\nmap = make(1, x, 0)\n"
          "let all = a.n + b.n\nlet part = b.n / all\nlet d = b.mean - a.mean\n"
          "combine = all == 0 ? a : make(all, a.mean + d * part, a.m2 + d * d * a.n "
          "* part)\nidentity = make(0, 0, 0)\nfinish = a.m2 / a.n\n",
     "combine is not"},
    {"keeps_left",
     HEAD "value = what:acc has:u32\nmap = make(x, 1)\n"
          "combine = a.has == 1 ? a : b\nidentity = make(0, 0)\n"
          "finish = a.what\n",
     "combine is not commutative"},
    {"unordered",
     HEAD "types = integers\nvalue = factor:acc term:acc\nmap = make(3, x)\n"
          "combine = make(a.factor * b.factor, a.term * b.factor + b.term)\n"
          "identity = make(1, 0)\nfinish = a.term\n",
     "combine is not commutative"},
    {"ordered_minus", HEAD "combine = a - b\nidentity = 0\nkeeps_order = yes\n",
     "combine is not associative"},
    {"from_the_left",
     HEAD "types = integers\ncombine = a * 3 + b\nidentity = 0\nkeeps_order = yes\n",
     "combine is not associative"},
    {"ordered_last", HEAD "combine = b\nidentity = 0\nkeeps_order = yes\n",
     "the identity changes a value"},
    {"late",
     HEAD "types = floats\nvalue = best:acc at:u64\nmap = make(x, i)\n"
          "combine = b.best >= a.best ? b : a\nidentity = make(lowest(), none())\n"
          "finish = a.at\nresult = u64\n",
     "combine is not commutative"},
    {"half",
     HEAD "types = integers\nvalue = u32\nmap = u32(x)\ncombine = (a + b) >> 1\nidentity = 0\n",
     "combine is not associative"},
    {"log_naive",
     HEAD "types = floats\nvalue = top:acc sum:acc\nmap = make(x, 1)\n"
          "let top = greatest(a.top, b.top)\n"
          "combine = make(top, a.sum * exp(a.top - top) + b.sum * exp(b.top - top))"
          "\nidentity = make(lowest(), 0)\nfinish = a.top + log(a.sum)\n",
     "combine(identity, identity) is not the identity"},
    {"count1",
     HEAD "types = floats\nvalue = n:acc sum:acc\nmap = make(1, x)\n"
          "combine = make(a.n + b.n, a.sum + b.sum)\nidentity = make(1, 0)\n"
          "finish = a.sum / a.n\n",
     "the identity changes a value"},
};

static void refuses_wrong_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        for (enum type type = 0; type < TYPE_COUNT; type++) {
            const struct operation *op = load(wrong[i].name, wrong[i].text);
            struct error ignored;
            if (!is_turn(type, DAYS) || !operation_takes(op->text, type) ||
                operation_check_types(op->text, type, problem_default_acc(type), &ignored) ||
                (strcmp(wrong[i].name, "max0") == 0 && !problem_types[type].is_signed))
                continue;
            if (try_type(op, type) == 0)
                fail_msg("%s %s is taken", wrong[i].name, problem_types[type].name);
            if (getenv("SHOW"))
                printf("%s\n", error.text);
            assert_int_equal(error.code, ERROR_USAGE);
            if (!strstr(error.text, wrong[i].says))
                fail_msg("%s %s: %s", wrong[i].name, problem_types[type].name, error.text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_right_ones),
        cmocka_unit_test(refuses_wrong_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
