/* Tests of check: kernels written by hand, each wrong in one way, are rejected with the reason;
 * and the next kernel's outcome does not depend on them. */
#include "autotune/verify/check_small.h"
#include "generator/space.h"
#include "generator/text.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct error error;

static const char space_bytes[] =
    "[space]\nname = plain\ntemplate = plain.cu\nkernel = plain\nserves = INNER == 1\n"
    "[param P]\nvalues = 1\n"
    "[pass whole]\nblock = 64\ngrid = max(1, ceil_div(N, 256))\ntile = 256\noutputs = 1\n"
    "partials = BLOCKS\nstate = 3\nargs = input n output partials state\nheight = N\n"
    "[default]\nP = 1\n";

static const int64_t row[] = {1};

struct fixture {
    struct space *space;
    struct device *device;
    struct problem problem;
    struct check *check;
};

static const struct dims one_value = DIMS_VALUE(1000);

static void open_check_at(struct fixture *fixture, enum op op, enum type type,
                          const struct dims *dims, uint64_t positions)
{
    fixture->problem = (struct problem){.op = op_of(op),
                                        .type = type,
                                        .acc = problem_types[type].acc,
                                        .dims = *dims,
                                        .regime = COLD};
    if (check_open(&fixture->check, fixture->device, &fixture->problem, NULL, positions, 1,
                   &error) != 0)
        fail_msg("%s", error.text);
}

static void open_check_of(struct fixture *fixture, enum op op, enum type type,
                          const struct dims *dims)
{
    open_check_at(fixture, op, type, dims, 64);
}

static int setup(void **state)
{
    static struct fixture fixture;
    const struct device_options options = {.spec = "host", .seed = 5};
    if (host_open(&fixture.device, &options, &error) != 0 ||
        space_load(&fixture.space, "plain.ini", space_bytes, sizeof space_bytes - 1, NULL,
                   &error) != 0)
        return -1;
    open_check_of(&fixture, SUM, I32, &one_value);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    check_close(fixture->check);
    device_close(fixture->device);
    space_free(fixture->space);
    return 0;
}

/* A kernel in which one thread of one block does it all; `body` has a, x, n, y, partials and
 * state. */
static const char head[] =
    "__global__ void plain(int *x, unsigned long long n, unsigned *y, unsigned *partials,\n"
    "                      unsigned *state)\n"
    "{\n"
    "    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;\n"
    "    unsigned a = 0;\n";

/* A kernel that is loaded, and what can be proven of it. */
struct ready {
    struct point_context context;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct check_configs rows;
};

/* Loads the kernel of this body behind a head, and calls `prove` for each of the draws up to the last. */
typedef int prove_kernel(struct fixture *fixture, const struct ready *ready, uint64_t draw,
                         struct check_outcome *outcome);

static int prove_small(struct fixture *fixture, const struct ready *ready, uint64_t draw,
                       struct check_outcome *outcome)
{
    return check_small(fixture->check, &ready->context, ready->rows, ready->kernels, draw,
                       outcome, &error);
}

static int prove_rest(struct fixture *fixture, const struct ready *ready, uint64_t draw,
                      struct check_outcome *outcome)
{
    (void)draw;
    return check_positions(fixture->check, &ready->context, ready->rows, ready->kernels,
                           outcome, &error);
}

/* How many of the draws find the kernel wrong; -1: the last failed. */
static int run_draws(struct fixture *fixture, const char *begin, const char *body,
                     prove_kernel *prove, uint64_t first, uint64_t last,
                     struct check_outcome *outcome)
{
    struct ready ready = {.context = {fixture->space, &fixture->problem,
                                      &fixture->device->info.target},
                          .rows = {row, row}};
    struct device_kernel loaded[1];
    struct device_module *module = NULL;
    struct device_image image = {0};
    struct text text = {0};
    text_addf(&text, "%s%s}\n", begin, body);
    const struct device_source source = {text.at, "plain"};
    if (fixture->device->ops->compile(fixture->device, &source, 1, &image, &error) != 0 ||
        fixture->device->ops->load(fixture->device, &image, &module, loaded, &error) != 0)
        fail_msg("%s", error.text);
    ready.kernels[0] = loaded;
    int found = 0, failed = 0;
    for (uint64_t draw = first; !failed; draw++) {
        failed = prove(fixture, &ready, draw, outcome);
        found += !failed && !outcome->is_right;
        if (draw == last)
            break;
    }
    fixture->device->ops->unload(fixture->device, module);
    device_dispose_image(&image);
    text_dispose(&text);
    return failed ? -1 : found;
}

/* Checks the kernel of this body behind a head. */
static int run_behind(struct fixture *fixture, const char *begin, const char *body,
                      struct check_outcome *outcome)
{
    return run_draws(fixture, begin, body, prove_small, CHECK_ALL, CHECK_ALL, outcome) < 0 ? -1
                                                                                           : 0;
}

static int run_kernel(struct fixture *fixture, const char *body, struct check_outcome *outcome)
{
    return run_behind(fixture, head, body, outcome);
}

static const char right[] =
    "    if (is_first) {\n"
    "        for (unsigned long long i = 0; i < n; i++) a += (unsigned)x[i];\n"
    "        *y = a;\n"
    "    }\n";

/* The same with each block counted in, as kernels that finish in one launch do. */
#define COUNTED_IN(word)                                                                       \
    "    if (threadIdx.x == 0 && host_arrive(" word ", gridDim.x) == gridDim.x - 1) {\n"       \
    "        for (unsigned long long i = 0; i < n; i++) a += (unsigned)x[i];\n"                \
    "        *y = a;\n"                                                                        \
    "    }\n"
static const char counting[] = COUNTED_IN("state");

#define SUM_TO(end) "for (unsigned long long i = 0; i < " end "; i++) a += (unsigned)x[i];\n"
#define ALONE(statements) "    if (!is_first) return;\n" statements "\n"

static const struct wrong {
    const char *body, *reason; /* how the reason begins */
} wrongs[] = {
    {"", "no result written at n = 0, start 0"},
    {ALONE("if (n == 5) return;" SUM_TO("n") "*y = a;"), "no result written at n = 5, start 0"},
    {ALONE("*y = a;"), "wrong result at n = 1, start 0 elements past alignment: expected "},
    {ALONE("a = 1;" SUM_TO("n") "*y = a;"),
     "wrong result at n = 0, start 0 elements past alignment: expected 0, got 1"},
    {ALONE(SUM_TO("n / 64 * 64") "*y = a;"), "wrong result at n = 1, start 0"},
    {ALONE(SUM_TO("(n > 63 ? n - n % 64 : n)") "*y = a;"), "wrong result at n = 65, start 0"},
    {ALONE("if ((unsigned long long)x % 16 == 12) a = 7;" SUM_TO("n") "*y = a;"),
     "wrong result at n = 0, start 3 elements past alignment: expected 0, got 7"},
    {ALONE(SUM_TO("(n == 100003 ? n - 1 : n)") "*y = a;"),
     "wrong result at n = 100003, start 0"},
    {ALONE(SUM_TO("n + (n == 257)") "*y = a;"), "wrong result at n = 257, start 0"},
    {ALONE(SUM_TO("n") "y[0] = y[1] = a;"), "wrote past its results at n = 0, start 0"},
    {ALONE(SUM_TO("n") "y[0] = a; ((char *)y)[15] = 0;"), "wrote past its results at n = 0"},
    {ALONE(SUM_TO("n") "*y = a; partials[gridDim.x] = a;"), "wrote past its scratch memory"},
    {ALONE(SUM_TO("n") "*y = a; partials[gridDim.x + 1000] = 0;"),
     "wrote past its scratch memory"},
    {ALONE(SUM_TO("n") "*y = a + partials[0];"), "wrong result at n = 0, start 0"},
    {ALONE("*y = partials[0];"), "wrong result at n = 0, start 0"},
    {ALONE(SUM_TO("n") "*y = a; if (n == 31) *state = 1;"), "left its state above zero"},
    {ALONE(SUM_TO("n") "*y = a; atomicAdd(state, 1u);"), "left its state above zero"},
    {ALONE(SUM_TO("n") "*y = a; state[4] = 1;"), "left its state above zero"},
    {ALONE(SUM_TO("n") "*y = a; ((char *)state)[23] = 1;"), "left its state above zero"},
    {ALONE(SUM_TO("n") "*y = a; ((char *)state)[24] = 1;"), "wrote past its state"},
    {ALONE(SUM_TO("n") "*y = a; state[6 + 63] = 1;"), "wrote past its state"},
    {COUNTED_IN("state + 6"), "wrote past its state"},
    {COUNTED_IN("state + 6 + 63"), "wrote past its state"},
    {COUNTED_IN("state + 6 + 1023"), "wrote past its state"},
    {COUNTED_IN("state - 1"), "wrote before its state"},
    {ALONE(SUM_TO("n") "*y = a + state[6];"), "wrong result at n = 0"},
    {ALONE(SUM_TO("n") "*y = a + state[5]; state[5] = n == 2;"), "wrong result at n = "},
    {ALONE(SUM_TO("n") "*y = a; if (n > 9) x[n - 9] = 0;"), "wrong result at n = "},
};

static void assert_right(struct fixture *fixture, const char *body, const char *after)
{
    struct check_outcome outcome;
    if (run_kernel(fixture, body, &outcome) != 0)
        fail_msg("after %s: %s", after, error.text);
    if (!outcome.is_right)
        fail_msg("after %s: %s", after, outcome.reason);
    assert_true(outcome.cases > 100);
}

static void test_right_kernels(void **state)
{
    assert_right(*state, right, "nothing");
    assert_right(*state, counting, "nothing");
}

static uint64_t begins, answers;

static void count_begin(void)
{
    begins++;
}

static void count_answer(void)
{
    answers++;
}

/* One that waits for an answer hears of a few launches at a time on the emulator. */
static void test_answers(void **state)
{
    struct fixture *fixture = *state;
    struct check_outcome outcome;
    check_tell(fixture->check, count_begin, count_answer);
    assert_int_equal(run_kernel(fixture, counting, &outcome), 0);
    check_tell(fixture->check, NULL, NULL);
    assert_true(outcome.is_right);
    assert_in_range(answers, outcome.cases / 20, outcome.cases);
    assert_true(begins > 0 &&
                begins + 2 >= answers); /* two runs answer once more at their ends */
}

static void test_wrong_kernels(void **state)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        struct check_outcome outcome;
        if (run_kernel(*state, wrongs[i].body, &outcome) != 0)
            fail_msg("%s: %s", wrongs[i].body, error.text);
        if (outcome.is_right)
            fail_msg("found right: %s", wrongs[i].body);
        if (strncmp(outcome.reason, wrongs[i].reason, strlen(wrongs[i].reason)) != 0)
            fail_msg("%s: expected %s, got %s", wrongs[i].body, wrongs[i].reason,
                     outcome.reason);
        assert_right(*state, counting, wrongs[i].body);
    }
}

/* A pass may have a state of no words: it is told where, and may write nothing there. */
static void test_state_of_no_words(void **state)
{
    struct fixture fixture = *(struct fixture *)*state;
    struct check_outcome outcome;
    char *bytes = strdup(space_bytes);
    assert_non_null(bytes);
    *(strstr(bytes, "state = 3") + 8) = '0';
    assert_int_equal(space_load(&fixture.space, "plain.ini", bytes, strlen(bytes), NULL,
                                &error),
                     0);
    open_check_of(&fixture, SUM, I32, &one_value);
    assert_right(&fixture, right, "nothing");
    assert_int_equal(run_kernel(&fixture, ALONE(SUM_TO("n") "*y = a; *state = 1;"), &outcome),
                     0);
    assert_false(outcome.is_right);
    assert_string_equal(outcome.reason, "wrote past its state");
    check_close(fixture.check);
    space_free(fixture.space);
    free(bytes);
}

/* --- One part of the proof alone ---------------------------------------------------------- */

/* Of a kernel with other types of elements and results; one of rows. */
#define HEAD(elem, result)                                                                     \
    "__global__ void plain(" elem " *x, unsigned long long n, " result " *y,\n"                \
    "                      unsigned *partials, unsigned *state)\n"                             \
    "{\n"                                                                                      \
    "    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;\n"
#define ROWS_HEAD                                                                              \
    "__global__ void plain(const unsigned *x, unsigned long long rows,\n"                      \
    "                      unsigned long long len, unsigned long long pitch, unsigned *y)\n"   \
    "{\n"                                                                                      \
    "    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;\n"
#define EACH(statements) "for (unsigned long long i = 0; i < n; i++) { " statements " }\n"
#define ROWS(statements)                                                                       \
    ALONE("for (unsigned long long r = 0; r < rows; r++) {\n"                                  \
          "    unsigned a = 0;\n"                                                              \
          "    const unsigned *row = x + r * pitch, *end = row + len;\n" statements            \
          "    while (row < end) a |= *row++;\n"                                               \
          "    y[r] = a;\n"                                                                    \
          "}\n")

/* The lines of a pass. */
#define OF_VALUES(outputs, state)                                                              \
    "outputs = " outputs "\npartials = BLOCKS\nstate = " state                                 \
    "\nargs = input n output partials state\nheight = N\n"
#define OF_ROWS                                                                                \
    "results = 64\noutputs = OUTER\nargs = input outer depth outer_stride output\nheight = N\n"

#define ROWS_OF(n)                                                                             \
    {                                                                                          \
        .outer = {100, n},                                                                     \
        .depth = {n, 1},                                                                       \
        .inner = {1, 1},                                                                       \
    }

/* Kernels that are right wherever a proof looks but at one place, each beside what makes them right
 * there too. */
static const struct part {
    const char *name;
    enum op op;
    enum type type;
    struct dims dims;
    const char *pass, *head, *right, *wrong, *reason;
} parts[] = {
    {"a scan in place",
     SUM,
     I32,
     {.outer = {1, 1000}, .depth = {1000, 1}, .inner = {1, 1}, .scan = DIMS_EXCLUSIVE},
     OF_VALUES("N", "3"),
     HEAD("int", "int"),
     ALONE("int a = 0;" EACH("int v = x[i]; y[i] = a; a += v;")),
     ALONE("int a = 0;" EACH("y[i] = a; a += x[i];")),
     "wrong result of "},
    {"the end of a smaller state", SUM, I32, DIMS_VALUE(1000), OF_VALUES("1", "N > 64 ? 3 : 1"),
     head, COUNTED_IN("state"), COUNTED_IN("(n > 64 ? state : state + 2)"),
     "wrote past its state"},
    {"the end of smaller scratch memory", SUM, I32, DIMS_VALUE(1000), OF_VALUES("1", "3"), head,
     ALONE(SUM_TO("n") "*y = a; partials[gridDim.x - 1] = a;"),
     ALONE(SUM_TO("n") "*y = a; partials[gridDim.x == 1 ? 64 : 0] = a;"),
     "wrote past its scratch memory"},
    /* Where it is written over by the next but for what lies between them. */
    {"what is between two results", SUM, I64, DIMS_VALUE(1000), OF_VALUES("1", "3"),
     HEAD("long long", "long long"), ALONE("long long a = 0;" EACH("a += x[i];") "*y = a;"),
     ALONE("long long a = 0;" EACH(
         "a += x[i];") "*y = a;"
                       "if (n == 17 && (unsigned long long)x % 16 == 0) y[1] = a;"),
     "wrote past its results at n = 17, start 0"},
    {"a least position among equals", ARGMIN, F32, DIMS_VALUE(1000), OF_VALUES("1", "3"),
     HEAD("float", "unsigned long long"),
     ALONE("float a = __builtin_inff(); unsigned long long at = n ? 0 : -1;" EACH(
         "if (x[i] < a) { a = x[i]; at = i; }") "*y = at;"),
     ALONE("float a = __builtin_inff(); unsigned long long at = -1;" EACH(
         "if (x[i] < a) { a = x[i]; at = i; }") "*y = at;"),
     "wrong result at n = 1, start 0"},
    {"a greatest position among equals", ARGMAX, I16, DIMS_VALUE(1000), OF_VALUES("1", "3"),
     HEAD("short", "unsigned long long"),
     ALONE("int a = -32768; unsigned long long at = n ? 0 : -1;" EACH(
         "if (x[i] > a) { a = x[i]; at = i; }") "*y = at;"),
     ALONE("int a = -32768; unsigned long long at = n - 1;" EACH(
         "if (x[i] > a) { a = x[i]; at = i; }") "*y = at;"),
     "wrong result at n = 2, start 0"},
    {"what is between rows", OR, U32, ROWS_OF(1000), OF_ROWS, ROWS_HEAD, ROWS(""),
     ROWS("if (len > 4 && len < 200) { row = x + r * len; end = row + len; }"),
     "wrong result of "},
    /* Whole tiles, which would lie side by side. */
    {"what is behind the last row", OR, U32, ROWS_OF(1000), OF_ROWS, ROWS_HEAD, ROWS(""),
     ROWS("if (r == rows - 1 && r > 62 && len == 256 && pitch == len &&"
          "    (unsigned long long)x % 256 == 0) end++;"),
     "wrong result of "},
};

static void check_part(struct fixture *fixture, const struct part *part, const char *body,
                       struct check_outcome *outcome)
{
    struct fixture own = *fixture;
    struct text space = {0};
    const char *from = strstr(space_bytes, "outputs ="), *to = strstr(space_bytes, "[default]");
    text_addf(&space, "%.*s%s%s", (int)(from - space_bytes), space_bytes, part->pass, to);
    if (space_load(&own.space, "plain.ini", space.at, space.length, NULL, &error) != 0)
        fail_msg("%s", error.text);
    open_check_of(&own, part->op, part->type, &part->dims);
    if (run_behind(&own, part->head, body, outcome) != 0)
        fail_msg("%s: %s", part->name, error.text);
    check_close(own.check);
    space_free(own.space);
    text_dispose(&space);
}

static void test_parts_of_the_proof(void **state)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *part = &parts[i];
        struct check_outcome outcome;
        check_part(*state, part, part->right, &outcome);
        if (!outcome.is_right)
            fail_msg("%s: right, but: %s", part->name, outcome.reason);
        check_part(*state, part, part->wrong, &outcome);
        if (outcome.is_right)
            fail_msg("%s is not looked at", part->name);
        if (strncmp(outcome.reason, part->reason, strlen(part->reason)) != 0)
            fail_msg("%s: expected %s, got %s", part->name, part->reason, outcome.reason);
    }
}

/* A kernel that cannot go on is named, and spoils nothing for the next. */
static void test_kernels_that_hang(void **state)
{
    static const char *const bodies[] = {
        "    if (threadIdx.x < 32) __syncthreads(); else __syncwarp(1);\n",
        "    if (threadIdx.x == 0) host_arrive(state, 1000);\n"
        "    if (threadIdx.x < 31) __syncwarp(); else __syncthreads();\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct check_outcome outcome;
        if (run_kernel(*state, bodies[i], &outcome) != 0)
            fail_msg("%s", error.text);
        assert_false(outcome.is_right);
        assert_non_null(strstr(outcome.reason, "kernel 'plain'"));
        assert_right(*state, counting, bodies[i]);
    }
}

/* Float results that are right but for a sign, a NaN or an infinity are right at small sizes
 * and wrong among the special values. */
static void test_special_values(void **state)
{
    struct fixture *fixture = *state;
    const struct point_context context = {fixture->space, &fixture->problem,
                                          &fixture->device->info.target};
    static const struct {
        const char *combine;
        bool is_right;
    } cases[] = {
        {"a != a || v != v ? a + v : a < v || (a == v && __builtin_signbit(a)) ? a : v", true},
        {"v < a ? v : a", false},
        {"a != a || v != v ? a + v : v < a ? v : a", false},
    };
    check_close(fixture->check);
    open_check_of(fixture, MIN, F32, &one_value);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct check_configs rows = {row, row};
        const struct device_kernel *kernels[SPACE_PASSES_MAX] = {NULL};
        struct device_kernel loaded[1];
        struct device_module *module;
        struct device_image image;
        struct check_outcome outcome;
        char text[800];
        snprintf(text, sizeof text,
                 "__global__ void plain(const float *x, unsigned long long n, float *y,\n"
                 "                      float *partials, unsigned *state)\n"
                 "{\n"
                 "    float a = __builtin_inff();\n"
                 "    if (blockIdx.x || threadIdx.x) return;\n"
                 "    for (unsigned long long i = 0; i < n; i++) {\n"
                 "        float v = x[i];\n"
                 "        a = %s;\n"
                 "    }\n"
                 "    *y = a;\n"
                 "}\n",
                 cases[i].combine);
        const struct device_source source = {text, "plain"};
        struct device *device = fixture->device;
        assert_int_equal(device->ops->compile(device, &source, 1, &image, &error), 0);
        assert_int_equal(device->ops->load(device, &image, &module, loaded, &error), 0);
        kernels[0] = loaded;
        assert_int_equal(check_small(fixture->check, &context, rows, kernels, CHECK_ALL,
                                     &outcome, &error),
                         0);
        if (!outcome.is_right)
            fail_msg("%s", outcome.reason);
        assert_int_equal(check_specials(fixture->check, &context, rows, kernels, &outcome,
                                        &error),
                         0);
        if (outcome.is_right != cases[i].is_right)
            fail_msg("%s: %s", cases[i].combine, outcome.is_right ? "right" : outcome.reason);
        device->ops->unload(device, module);
        device_dispose_image(&image);
    }
}

/* A maximum that leaves out an element of the sweep, whose n is 545 = 2 * 256 + 33. */
#define MAX_BUT(which)                                                                         \
    ALONE("int m = -2147483647 - 1;\n"                                                         \
          "for (unsigned long long i = 0; i < n; i++)\n"                                       \
          "    if (x[i] > m && !(n == 545 && (" which "))) m = x[i];\n"                        \
          "*y = (unsigned)m; (void)a;")

/* One place is found by few draws and by all positions; what a thread reads, by each draw. */
static void test_positions(void **state)
{
    enum { DRAWS = 120 };
    struct fixture *fixture = *state;
    struct check_outcome outcome;
    check_close(fixture->check);
    open_check_at(fixture, MAX, I32, &one_value, UINT64_MAX);
    assert_int_equal(run_draws(fixture, head, MAX_BUT("0"), prove_small, 1, 3, &outcome), 0);
    assert_int_equal(run_draws(fixture, head, MAX_BUT("0"), prove_rest, 0, 0, &outcome), 0);
    assert_true(outcome.cases > 400);
    const int few =
        run_draws(fixture, head, MAX_BUT("i == 301"), prove_small, 1, DRAWS, &outcome);
    if (few < 1 || few > DRAWS / 3)
        fail_msg("%d of %d draws have place 301", few, DRAWS);
    assert_int_equal(run_draws(fixture, head, MAX_BUT("i == 301"), prove_rest, 0, 0, &outcome),
                     1);
    assert_non_null(strstr(outcome.reason, "wrong result at n = 545, start 0"));
    assert_int_equal(run_draws(fixture, head, MAX_BUT("i == 301"), prove_small, CHECK_ALL,
                               CHECK_ALL, &outcome),
                     1);
    assert_int_equal(run_draws(fixture, head, MAX_BUT("i / 4 % 64 == 37"), prove_small, 1,
                               DRAWS, &outcome),
                     DRAWS);
    assert_int_equal(run_draws(fixture, head, MAX_BUT("i % 64 == 37"), prove_small, 1, DRAWS,
                               &outcome),
                     DRAWS);
    check_close(fixture->check);
    open_check_at(fixture, SUM, I32, &one_value, UINT64_MAX);
    assert_int_equal(run_draws(fixture, head, right, prove_rest, 0, 0, &outcome), 0);
    assert_int_equal(outcome.cases, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_kernels),      cmocka_unit_test(test_answers),
        cmocka_unit_test(test_wrong_kernels),      cmocka_unit_test(test_state_of_no_words),
        cmocka_unit_test(test_parts_of_the_proof), cmocka_unit_test(test_kernels_that_hang),
        cmocka_unit_test(test_special_values),     cmocka_unit_test(test_positions),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
