/* Tests the proof of operations that nobody knows: maps and finishes are drawn by a grammar, for floats and
 * integers. Kernels of each are found right; kernels of a text that differs a little are found wrong
 * in its place. EVERY=1: 300 of them. */
#include "autotune/verify/proof.h"
#include "generator/operation_eval.h"
#include "generator/random.h"
#include "generator/text.h"
#include "tests/unit/reduce_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SOME = 8, ALL = 300, DEPTH = 3, TRIES = 2000, VALUES = 64 };

static struct error error;

/* --- Texts -------------------------------------------------------------------------------- */

/* Draws by a state; the literal numbered `changed` is another one, which plants the fault. */
struct drawing {
    struct text text;
    uint64_t random;
    unsigned literals, changed;
};

static uint64_t draw(struct drawing *drawing, uint64_t kinds)
{
    return random_next(&drawing->random) % kinds;
}

static void draw_literal(struct drawing *drawing)
{
    static const char *const literals[] = {"0.5", "1.5", "2", "3", "0.25", "7", "1"};
    const uint64_t which = draw(drawing, sizeof literals / sizeof *literals);
    const bool is_changed = drawing->literals++ == drawing->changed;
    text_adds(&drawing->text, is_changed ? "5" : literals[which]);
}

/* An expression of an f32 named `name`. */
static void draw_float(struct drawing *drawing, const char *name, int depth)
{
    static const char *const operators[] = {" + ", " - ", " * ", " * "};
    static const char *const functions[] = {"magnitude(",
                                            "sqrt(magnitude(",
                                            "exp(least(3, ",
                                            "tanh(",
                                            "sin(",
                                            "cos(",
                                            "log(1 + magnitude(",
                                            "floor(",
                                            "exp2(least(4, ",
                                            "log1p(magnitude(",
                                            "expm1(least(2, ",
                                            "-("};
    const uint64_t kind = depth == 0 ? draw(drawing, 2) : 2 + draw(drawing, 6);
    struct text *text = &drawing->text;
    if (kind == 0) {
        text_adds(text, name);
    } else if (kind == 1) {
        draw_literal(drawing);
    } else if (kind <= 4) {
        text_adds(text, "(");
        draw_float(drawing, name, depth - 1);
        text_adds(text, operators[draw(drawing, 4)]);
        draw_float(drawing, name, draw(drawing, 2) ? 0 : depth - 1);
        text_adds(text, ")");
    } else if (kind <= 6) {
        const char *function = functions[draw(drawing, sizeof functions / sizeof *functions)];
        text_adds(text, function);
        draw_float(drawing, name, depth - 1);
        for (const char *at = function; *at; at++)
            text_adds(text, *at == '(' ? ")" : "");
    } else {
        text_addf(text, "(%s > ", name);
        draw_literal(drawing);
        text_adds(text, " ? ");
        draw_float(drawing, name, depth - 1);
        text_adds(text, " : ");
        draw_float(drawing, name, depth - 1);
        text_adds(text, ")");
    }
}

/* The file of a seed: two with the same seed differ in one literal. Gives how many there are. */
static unsigned draw_file(struct text *out, uint64_t seed, unsigned changed)
{
    static const char *const combines[] = {"a + b", "a + b", "least(a, b)", "greatest(a, b)"};
    static const char *const finishes[] = {NULL, "a / acc(n)", "sqrt(magnitude(a))", "a * 0.5",
                                           "log1p(magnitude(a))"};
    struct drawing drawing = {.random = seed, .changed = changed};
    text_addf(&drawing.text, "[operation]\nmeaning = drawn\nname = drawn_%u\ntypes = floats\n",
              (unsigned)seed);
    text_addf(&drawing.text, "combine = %s\n", combines[draw(&drawing, 4)]);
    const char *finish = finishes[draw(&drawing, 5)];
    if (finish)
        text_addf(&drawing.text, "finish = %s\n", finish);
    text_adds(&drawing.text, "map = ");
    draw_float(&drawing, "x", DEPTH);
    text_adds(&drawing.text, "\n");
    *out = drawing.text;
    return drawing.literals;
}

static const struct operation *load(const struct text *text)
{
    const struct operation *op = NULL;
    if (operation_load(&op, "drawn.ini", text->at, text->length, &error))
        fail_msg("%s: %s", error.text, text->at);
    return op;
}

/* --- What a text does --------------------------------------------------------------------- */

/* The result of small elements, one after another; not a number where it is of no use. */
static double result_of(const struct operation *op, enum type acc)
{
    struct operation_eval *eval = NULL;
    uint64_t total, values[VALUES], n = VALUES;
    double result;
    if (operation_eval_open(&eval, op->text, acc, &error))
        fail_msg("%s", error.text);
    operation_eval_identity(eval, &total, 1);
    for (int i = 0; i < VALUES; i++) {
        const double x = (double)(i - VALUES / 2) / 4;
        memcpy(&values[i], &x, sizeof x);
    }
    operation_eval_map(eval, values, NULL, values, VALUES);
    for (int i = 0; i < VALUES; i++)
        operation_eval_combine(eval, &total, &values[i], &total, 1);
    operation_eval_finish(eval, &total, &n, &total, 1);
    operation_eval_free(eval);
    memcpy(&result, &total, sizeof result);
    return result;
}

/* A map of its own that depends on x, whose values are no infinities. */
static bool is_fit(const struct problem *problem)
{
    return problem_map(problem) == MAP_MAPPED && problem_check(problem, &error) == 0 &&
           isfinite(result_of(problem->op, problem->acc)) &&
           operation_mentions(problem->op->text, OPERATION_MAP, OPERATION_X);
}

/* Another literal of the same text that changes the result by far more than rounding does; NULL where none
 * does. */
static const struct operation *change(const struct problem *problem, uint64_t seed,
                                      unsigned literals)
{
    const double right = result_of(problem->op, problem->acc);
    const struct operation *wrong = NULL;
    for (unsigned i = 0; i < literals && !wrong; i++) {
        struct text text = {0};
        draw_file(&text, seed, i);
        const struct operation *op = load(&text);
        const double result = result_of(op, problem->acc);
        if (isfinite(result) && fabs(result - right) > 0.05 * fmax(fabs(right), fabs(result)))
            wrong = op;
        text_dispose(&text);
    }
    return wrong;
}

/* --- Proofs ------------------------------------------------------------------------------- */

struct fixture {
    struct device *device;
    struct space *space;
    struct emit_sources sources;
};

static const char *const configs[] = {
    "BLOCK=64 ITEMS=8 VECTOR=2 UNROLL=2 LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=0 CLUSTER=1 "
    "FINISH=LAST_BLOCK WARP=SHUFFLE GRID=2",
    "BLOCK=64 ITEMS=16 VECTOR=2 UNROLL=2 LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=0 CLUSTER=1 "
    "FINISH=FLAGGED WARP=SHUFFLE GRID=3",
    "BLOCK=128 ITEMS=8 VECTOR=1 UNROLL=4 LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=0 CLUSTER=1 "
    "FINISH=LAST_BLOCK WARP=TREE GRID=1",
};

/* Proves kernels of one operation as those of another. */
static void prove(struct proof *proof, const struct problem *of, const struct problem *as,
                  const struct fixture *fixture, uint64_t which)
{
    const struct target target = fixture->device->info.target;
    const struct point_context made = {fixture->space, of, &target};
    const struct point_context asked = {fixture->space, as, &target};
    int64_t config[SPACE_NAMES_MAX];
    struct point_variant variant = {0, 1};
    const size_t first = 0;
    struct compiled_unit unit;
    make_row(fixture->space, configs[which % (sizeof configs / sizeof *configs)], config);
    const struct points points = {.width = fixture->space->param_count,
                                  .configs = config,
                                  .count = 1,
                                  .variants = &variant,
                                  .variant_count = 1};
    const int broken = point_reject(&made, config, &error);
    if (broken != POINT_VALID)
        fail_msg("%s", broken >= 0 ? fixture->space->rules[broken].reason : error.text);
    if (compiler_compile(&unit, fixture->device, &made, &fixture->sources, &points, &first, 1,
                         &error))
        fail_msg("%s", error.text);
    if (proof_unit(proof, &asked, &points, &unit, &error))
        fail_msg("%s", error.text);
    compiler_dispose(&unit);
}

static struct proof_result prove_both(const struct fixture *fixture, const struct problem *of,
                                      const struct problem *as, uint64_t which)
{
    static struct proof_result result;
    result = (struct proof_result){.variants = 0};
    struct proof proof = {.device = fixture->device,
                          .sources = &fixture->sources,
                          .result = &result,
                          .seed = which + 1,
                          .positions = 32};
    prove(&proof, of, as, fixture, which);
    proof_dispose(&proof);
    return result;
}

/* One drawn text, and one that differs; false where it is of no use. */
static bool try_seed(const struct fixture *fixture, uint64_t seed)
{
    struct text text = {0};
    struct problem problem = {.type = seed % 4 == 0   ? F64
                                      : seed % 4 == 1 ? F16
                                                      : F32,
                              .dims = DIMS_VALUE(400000000),
                              .regime = COLD};
    problem.acc = problem_default_acc(problem.type);
    const unsigned literals = draw_file(&text, seed, UINT32_MAX);
    problem.op = load(&text);
    struct problem wrong = problem;
    const bool is_useful =
        is_fit(&problem) && (wrong.op = change(&problem, seed, literals)) != NULL;
    if (is_useful) {
        const struct proof_result right = prove_both(fixture, &problem, &problem, seed);
        if (right.wrong)
            fail_msg("refused: %s: %s", right.failures[0].reason, text.at);
        const struct proof_result refused = prove_both(fixture, &wrong, &problem, seed);
        if (!refused.wrong)
            fail_msg("another literal is not found: %s", text.at);
    }
    text_dispose(&text);
    return is_useful;
}

static void right_texts_are_right_and_others_wrong(void **state)
{
    const unsigned wanted = getenv("EVERY") ? ALL : SOME;
    unsigned tried = 0;
    for (uint64_t seed = 1; seed < TRIES && tried < wanted; seed++)
        tried += try_seed(*state, seed);
    assert_int_equal(tried, wanted);
}

/* --- Setup -------------------------------------------------------------------------------- */

static int setup(void **state)
{
    static struct fixture fixture;
    const struct device_options options = {.spec = "host", .seed = 1};
    fixture.space = load_space("configs/reduce.ini");
    fixture.sources = load_sources();
    if (host_open(&fixture.device, &options, &error))
        fail_msg("%s", error.text);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    device_close(fixture->device);
    space_free(fixture->space);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_texts_are_right_and_others_wrong),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
