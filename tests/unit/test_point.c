/* Tests of point: values, rules and launch geometry of the default space for any problem, the
 * size of that space, and configs as text. */
#include "autotune/device/gpus.h"
#include "generator/call.h"
#include "generator/number.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>

static struct error error;

static const uint64_t counts[] =
    {0, 1, 1000, 65536, 1000000, 400000000, UINT64_C(1) << 32, UINT64_C(1) << 40};
enum { COUNTS = sizeof counts / sizeof *counts };

static struct target find_target(const char *arch)
{
    struct target target;
    if (gpus_find(&target, arch, &error) != 0)
        fail_msg("%s", error.text);
    return target;
}

static int setup(void **state)
{
    *state = load_space("configs/reduce.ini");
    return 0;
}

static int teardown(void **state)
{
    space_free(*state);
    return 0;
}

static int64_t value_of(const struct space *space, const int64_t *values, const char *name)
{
    for (size_t i = 0; i < space->name_count; i++)
        if (strcmp(space->names[i], name) == 0)
            return values[i];
    fail_msg("no name '%s'", name);
    return 0;
}

/* --- Values and rules --------------------------------------------------------------------- */

static void test_values(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUMSQ),
                                    .type = I32,
                                    .acc = I64,
                                    .dims = DIMS_VALUE(100000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    int64_t row[SPACE_NAMES_MAX], values[SPACE_NAMES_MAX];
    const struct {
        const char *name;
        int64_t elements, partials;
    } expected[] = {
        {"N", 100000, 100000},
        {"BLOCKS", 0, 0},
        {"COMBINE", COMBINE_ADD, COMBINE_ADD},
        {"MAP", MAP_SQUARE, MAP_SAME},
        {"TYPE", I32, I64},
        {"ACC", I64, I64},
        {"ELEM_BYTES", 4, 8},
        {"ACCUM_BYTES", 8, 8},
        {"HOST", 0, 0},
        {"CC", 90, 90},
        {"SMS", 132, 132},
        {"BLOCK", 256, 256},
        {"ITEMS", 16, 16},
        {"VECTOR", 2, 2},
        {"STAGES", 0, 0},
        {"CLUSTER", 1, 1},
        {"TILE", 4096, 4096},
        {"LOADS", 8, 8},
        {"TILES", 25, 25},
        {"SPREAD", 25, 25},
        {"LOAD_BYTES", 8, 16},
        {"ADD", COMBINE_ADD, COMBINE_ADD},
        {"FIRST_GREATEST", COMBINE_FIRST_GREATEST, COMBINE_FIRST_GREATEST},
        {"SQUARE", MAP_SQUARE, MAP_SQUARE},
        {"F64", F64, F64},
        {"REDUX", 1, 1},
        {"WARP", 0, 0},
        {"THREADS_PER_BLOCK", 1024, 1024},
        {"THREADS_PER_SM", 2048, 2048},
    };
    make_row(space, "ITEMS=16 VECTOR=2 WARP=SHUFFLE", row);
    for (int partials = 0; partials < 2; partials++) {
        assert_int_equal(point_values(&context, row, partials, values, &error), 0);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            assert_int_equal(value_of(space, values, expected[i].name),
                             partials ? expected[i].partials : expected[i].elements);
    }
}

/* The launch of a pass of n elements; 1 where the pass does not apply. */
static int pass_of(struct planner_launch *out, const struct point_context *context,
                   const int64_t *row, size_t pass, uint64_t n)
{
    const struct dims dims = dims_value(n);
    bool applies;
    return call_pass(out, &applies, context, row, pass, &dims, &error) ? -1 : !applies;
}

static void test_overflow_names_the_line(void **state)
{
    (void)state;
    static const char bytes[] =
        "[space]\nname = a\ntemplate = a.cu\nkernel = a\n[param P]\nvalues = 1 2\n"
        "[derived]\nBIG = 9223372036854775807 - 1 + P\n[rule]\nno = 1 / (P - 2) <= 0\n"
        "[pass a]\nblock = 1\ngrid = N\ntile = 1\noutputs = 1\nargs = n\nheight = 1\n"
        "[default]\nP = 1\n";
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(5),
                                    .regime = COLD};
    struct space *space;
    assert_int_equal(space_load(&space, "a.ini", bytes, sizeof bytes - 1, NULL, &error), 0);
    const struct point_context context = {space, &problem, &target};
    int64_t row[] = {2}, values[SPACE_NAMES_MAX];
    struct points points;
    assert_int_equal(point_values(&context, row, false, values, &error), -1);
    assert_non_null(strstr(error.text, "a.ini:8: "));
    assert_int_equal(point_reject(&context, row, &error), POINT_FAILED);
    assert_int_equal(point_expand(&points, &context, &error), -1);
    assert_non_null(strstr(error.text, "a.ini:8: "));
    assert_null(points.configs);
    row[0] = 1;
    assert_int_equal(point_reject(&context, row, &error), POINT_VALID);
    struct planner_launch pass;
    const uint64_t bad[] = {0, UINT64_C(1) << 31, UINT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pass_of(&pass, &context, row, 0, bad[i]), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "a.ini"));
    }
    assert_int_equal(pass_of(&pass, &context, row, 0, 2147483647), 0);
    space_free(space);
}

/* The rules' reasons for rows with one thing wrong with them. */
static void test_rules(void **state)
{
    struct space *wide = load_space("configs/reduce-wide.ini");
    static const struct {
        const char *params, *reason;
        enum type type;
        int cc;
        uint64_t n;
        bool is_wide; /* a rule that only reduce-wide comes to */
    } cases[] = {
        {"FINISH=PACKED", NULL, I32, 90, 400000000, false},
        {"", NULL, F32, 90, 400000000, false},
        {"ITEMS=16 UNROLL=8", "the loads of a tile are unrolled evenly", I32, 90, 400000000,
         false},
        {"VECTOR=4 UNROLL=4 ITEMS=16", "a load is at most 16 bytes, 32 from sm_100 on", F64, 90,
         400000000, false},
        {"VECTOR=4 UNROLL=4 ITEMS=16", NULL, F64, 120, 400000000, false},
        {"FINISH=PACKED WARP=REDUX", "redux.sync takes 32-bit integers, from sm_80 on", I32, 75,
         400000000, false},
        {"WARP=REDUX", "redux.sync takes 32-bit integers, from sm_80 on", F32, 90, 400000000,
         false},
        {"FINISH=PACKED WARP=REDUX", NULL, I32, 90, 400000000, false},
        {"FINISH=INIT", "INIT is a step of ATOMIC", I32, 90, 400000000, false},
        {"FINISH=PACKED", "packed sums are 32-bit integers", F32, 90, 400000000, false},
        {"FINISH=PACKED_WARPS WARP=TREE", "warps arrive by themselves after shuffles or redux",
         I32, 90, 400000000, false},
        {"FINISH=VALUE",
         "values combined in place are integers, or sums in any order, no products", F32, 90,
         400000000, false},
        {"ACCUMS=4 UNROLL=2", "an accumulator has a load to take", I32, 90, 400000000, false},
        {"STAGES=4", "a ring has stages, registers have none", I32, 90, 400000000, false},
        {"LOAD=BULK", "a ring has stages, registers have none", I32, 90, 400000000, false},
        {"LOAD=BULK STAGES=4", "bulk copies need sm_90", I32, 80, 400000000, false},
        {"LOAD=BULK STAGES=12 BLOCK=1024 ITEMS=32", "a ring of bulk copies fits on an SM", I32,
         90, 400000000, false},
        {"WALK=CONTIGUOUS GRID=0", "neighbours need a grid of its own", I32, 90, 400000000,
         true},
        {"FINISH=BARRIER GRID=0", "a barrier's blocks are resident", I32, 90, 400000000, true},
        {"BLOCK=512 GRID=8", "the grid's blocks fit on the SMs at once", F32, 90, 400000000,
         false},
        {"", "with fewer tiles than blocks it is one tile per block", F32, 90, 1000, false},
        {"FINISH=PASSES GRID=0", "tiles are counted in 32 bits", F32, 90, UINT64_C(1) << 46,
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct space *space = cases[i].is_wide ? wide : *state;
        struct target target = find_target("sm_90");
        const struct problem problem = {.op = op_of(SUM),
                                        .type = cases[i].type,
                                        .acc = cases[i].type,
                                        .dims = DIMS_VALUE(cases[i].n),
                                        .regime = COLD};
        const struct point_context context = {space, &problem, &target};
        int64_t row[SPACE_NAMES_MAX];
        target.cc = cases[i].cc;
        make_row(space, "FINISH=FLAGGED WARP=SHUFFLE", row);
        assert_int_equal(point_parse(space, cases[i].params, row, &error), 0);
        const int broken = point_prune(&context, row, &error);
        if (broken == POINT_FAILED)
            fail_msg("%s", error.text);
        const char *got = broken >= 0 ? space->rules[broken].reason : NULL;
        if ((got != NULL) != (cases[i].reason != NULL) ||
            (got && strcmp(got, cases[i].reason) != 0))
            fail_msg("%s: expected %s, got %s", cases[i].params,
                     cases[i].reason ? cases[i].reason : "valid", got ? got : "valid");
    }
    space_free(wide);
}

/* --- The size of the space ---------------------------------------------------------------- */

static void assert_counts(const struct space *space, const struct points *points)
{
    uint64_t total = points->count, candidates = 0;
    for (size_t i = 0; i < space->rule_count; i++)
        total += points->rejected[i];
    assert_int_equal(total, points->total);
    for (size_t v = 0; v < points->variant_count; v++) {
        assert_int_equal(points->variants[v].first, candidates);
        assert_true(points->variants[v].count > 0);
        candidates += points->variants[v].count;
    }
    assert_int_equal(candidates, points->count);
    assert_int_equal(points->width, space->param_count);
    assert_in_range(points->variant_count, 1, 650);
    assert_in_range(points->count, 1, 4000);
}

/* Compile-time params are equal within a variant, and no config is there twice. */
static void assert_rows(const struct point_context *context, const struct points *points)
{
    const struct space *space = context->space;
    for (size_t v = 0; v < points->variant_count; v++) {
        const struct point_variant *variant = &points->variants[v];
        const int64_t *first = points->configs + variant->first * points->width;
        for (size_t i = 0; i < variant->count; i++) {
            const int64_t *row = first + i * points->width;
            assert_int_equal(point_prune(context, row, &error), POINT_VALID);
            for (size_t k = 0; k < points->width; k++)
                assert_true(space->params[k].is_launch || row[k] == first[k]);
            for (size_t k = 0; k < i; k++)
                assert_memory_not_equal(row, first + k * points->width,
                                        points->width * sizeof *row);
        }
    }
}

static void expand_problem(const struct space *space, const struct target *target, enum op op,
                           enum type type, enum type acc)
{
    for (size_t i = 0; i < COUNTS; i++) {
        const struct problem problem = {.op = op_of(op),
                                        .type = type,
                                        .acc = acc,
                                        .dims = DIMS_VALUE(counts[i]),
                                        .regime = COLD};
        const struct point_context context = {space, &problem, target};
        struct points points;
        if (problem_check(&problem, &error) != 0 || law_of(op)->is_position)
            return; /* positions have a space of their own */
        if (point_expand(&points, &context, &error) != 0)
            fail_msg("%s of %s, n = %llu: %s", named_ops[op], problem_types[type].name,
                     (unsigned long long)counts[i], error.text);
        assert_counts(space, &points);
        if (op == SUM && acc == type)
            assert_rows(&context, &points);
        point_dispose(&points);
    }
}

static void test_every_problem_has_points(void **state)
{
    static const char *const archs[] = {"sm_75", "sm_90", "sm_120"};
    for (size_t a = 0; a < 3; a++) {
        const struct target target = find_target(archs[a]);
        for (int op = 0; op < OP_COUNT; op++)
            for (int type = 0; type < TYPE_COUNT; type++) {
                /* Which operation matters to redux only. */
                if (law_of((enum op)op)->is_position)
                    continue; /* of another space */
                if (op == SUM || op == PROD || (op == AND && type <= U32) || target.cc == 90)
                    expand_problem(*state, &target, (enum op)op, (enum type)type,
                                   (enum type)type);
            }
        expand_problem(*state, &target, SUM, I32, I64);
        expand_problem(*state, &target, SUM, F32, F64);
    }
}

/* --- The walk
 * --------------------------------------------------------------------------------- */

/* What point_expand must give, found without its walk: all rows, the first compile-time param
 * slowest and launch-time params last, each judged by the rules alone. */
struct brute {
    int64_t rows[400][SPACE_NAMES_MAX / 8];
    size_t count;
    uint64_t total, rejected;
};

static void brute_force(struct brute *out, const struct point_context *context)
{
    const struct space *space = context->space;
    size_t order[8], count = 0, at[8] = {0};
    for (int is_launch = 0; is_launch < 2; is_launch++)
        for (size_t i = 0; i < space->param_count; i++)
            if (space->params[i].is_launch == is_launch)
                order[count++] = i;
    *out = (struct brute){.count = 0};
    for (bool is_over = false; !is_over;) {
        int64_t *row = out->rows[out->count];
        for (size_t i = 0; i < count; i++)
            row[order[i]] = space->params[order[i]].values[at[i]];
        const int broken = point_prune(context, row, &error);
        assert_int_not_equal(broken, POINT_FAILED);
        out->total++;
        out->rejected += broken != POINT_VALID;
        out->count += broken == POINT_VALID;
        assert_true(out->count < sizeof out->rows / sizeof *out->rows);
        size_t i = count;
        while (i > 0 && ++at[i - 1] == space->params[order[i - 1]].count)
            at[--i] = 0;
        is_over = i == 0;
    }
}

static void assert_as_brute_force(const struct point_context *context,
                                  const struct points *points, const struct brute *brute)
{
    const struct space *space = context->space;
    uint64_t rejected = 0;
    size_t variants = 0;
    for (size_t i = 0; i < space->rule_count; i++)
        rejected += points->rejected[i];
    assert_int_equal(points->total, brute->total);
    assert_int_equal(rejected, brute->rejected);
    assert_int_equal(points->count, brute->count);
    for (size_t i = 0; i < brute->count; i++) {
        bool is_new = i == 0;
        assert_memory_equal(points->configs + i * points->width, brute->rows[i],
                            points->width * sizeof **brute->rows);
        for (size_t k = 0; i > 0 && k < space->param_count; k++)
            is_new = is_new || (!space->params[k].is_launch &&
                                brute->rows[i][k] != brute->rows[i - 1][k]);
        if (is_new)
            assert_int_equal(points->variants[variants++].first, i);
    }
    assert_int_equal(points->variant_count, variants);
    for (size_t v = 0; v < variants; v++)
        assert_int_equal(points->variants[v].first + points->variants[v].count,
                         v + 1 < variants ? points->variants[v + 1].first : points->count);
}

#define WALKED "[space]\nname = a\ntemplate = a.cu\nkernel = a\n"
#define WALKED_END                                                                             \
    "[pass a]\nblock = 1\ngrid = 1\ntile = 1\noutputs = 1\nargs = n\nheight = 1\n[default]\n"

/* Rules over derived values over derived values, of compile-time and launch-time params that
 * stand in any order; rules that hold for nothing, for all, and that know no param. */
static const char *const walked[] = {
    WALKED "[param G]\nvalues = 0 1 2\nwhen = launch\n[param A]\nvalues = 1 2 3 4\n"
           "[param H]\nvalues = 5 6\nwhen = launch\n[param B]\nvalues = 1 2 3\n"
           "[derived]\nD = C + A\nC = A * B\nE = D * G\n"
           "[rule]\na = D != 4\nb = E < 20\nc = C % 2 == 0 || H == 5\nd = N > 10\n"
           "e = A < 4 || G != B\n" WALKED_END "G = 0\nA = 1\nH = 5\nB = 1\n",
    WALKED "[param G]\nvalues = 3 1 2\nwhen = launch\n[param H]\nvalues = 1 2 3\n"
           "when = launch\n[derived]\nC = G * H\n[rule]\na = C != 6\nb = C < 9\n" WALKED_END
           "G = 3\nH = 1\n",
    WALKED "[param A]\nvalues = 3 1 2\n[param B]\nvalues = 1 2 3\n[derived]\nC = A - B\n"
           "D = C * C\n[rule]\na = C != 1\nb = D < 4\nc = A != 1 || B != 1\n" WALKED_END
           "A = 3\nB = 1\n",
    WALKED "[param A]\nvalues = 7\n" WALKED_END "A = 7\n",
    WALKED "[param A]\nvalues = 1 2 3\n[param G]\nvalues = 1 2 3\nwhen = launch\n"
           "[rule]\na = G != A\nb = 1 / A != 1 || G > 2\n" WALKED_END "A = 1\nG = 1\n",
    WALKED "[param A]\nvalues = 1 2\n[param B]\nvalues = 1 2\n[param C]\nvalues = 1 2\n"
           "[rule]\nz = A + B > 0\na = A == 2 || C != 1\nb = B == 2 || C != 2\n" WALKED_END
           "A = 2\nB = 2\nC = 1\n",
};
enum { WALKED_SPACES = sizeof walked / sizeof *walked };

static struct space *load_walked(size_t i)
{
    struct space *space;
    if (space_load(&space, "a.ini", walked[i], strlen(walked[i]), NULL, &error) != 0)
        fail_msg("%s", error.text);
    return space;
}

static struct problem walked_problem = {.type = I32,
                                        .acc = I32,
                                        .dims = DIMS_VALUE(1000),
                                        .regime = COLD};
NAMED_PROBLEM(name_walked_problem, walked_problem, SUM)

static void test_walk(void **state)
{
    (void)state;
    const struct target target = find_target("sm_90");
    for (size_t i = 0; i < WALKED_SPACES; i++) {
        static struct brute brute;
        struct points points;
        struct space *space = load_walked(i);
        const struct point_context context = {space, &walked_problem, &target};
        brute_force(&brute, &context);
        assert_true(brute.count > 0 && (space->rule_count == 0 || brute.rejected > 0));
        if (point_expand(&points, &context, &error) != 0)
            fail_msg("%s", error.text);
        assert_as_brute_force(&context, &points, &brute);
        point_dispose(&points);
        const struct problem none = {.op = op_of(SUM),
                                     .type = I32,
                                     .acc = I32,
                                     .dims = DIMS_VALUE(10),
                                     .regime = COLD};
        const struct point_context empty = {space, &none, &target};
        if (i == 0) { /* a rule that knows no param rejects everything at once */
            assert_int_equal(point_expand(&points, &empty, &error), -1);
            assert_non_null(strstr(error.text, "'d'"));
        }
        space_free(space);
    }
}

/* Does a row have the values of the fixed params? */
static bool has_row(const struct brute *brute, const struct space *space, const int64_t *config,
                    const bool *is_fixed)
{
    for (size_t r = 0; r < brute->count; r++) {
        bool has = true;
        for (size_t i = 0; i < space->param_count; i++)
            has = has && (!is_fixed[i] || brute->rows[r][i] == config[i]);
        if (has)
            return true;
    }
    return false;
}

/* With every two values fixed a point is drawn where there is one; where there is none, that is
 * so for every problem unless a rule names what a problem says. Breaks when a depth is left that a
 * failure depends on, as when of the causes of several values one is kept. */
static void test_draw(void **state)
{
    enum { TRIES = 8 };
    (void)state;
    const struct target target = find_target("sm_90");
    uint64_t random = 1;
    size_t drawn = 0, never = 0;
    for (size_t s = 0; s < WALKED_SPACES; s++) {
        static struct brute brute;
        struct space *space = load_walked(s);
        const struct point_context context = {space, &walked_problem, &target};
        const size_t width = space->param_count;
        brute_force(&brute, &context);
        for (size_t a = 0; a < width; a++)
            for (size_t b = 0; b < width; b++)
                for (size_t i = 0; i < space->params[a].count * space->params[b].count * TRIES;
                     i++) {
                    const size_t pair = i / TRIES;
                    bool is_fixed[SPACE_NAMES_MAX] = {false};
                    int64_t config[SPACE_NAMES_MAX];
                    is_fixed[a] = is_fixed[b] = true;
                    config[a] = space->params[a].values[pair / space->params[b].count];
                    config[b] = space->params[b].values[pair % space->params[b].count];
                    const bool has = has_row(&brute, space, config, is_fixed);
                    const enum point_drawn found =
                        point_draw(config, is_fixed, &context, &random);
                    assert_int_equal(found, has ? POINT_DRAWN : POINT_NONE_EVER);
                    assert_true(!has || point_reject(&context, config, &error) == POINT_VALID);
                    drawn += has;
                    never += !has;
                }
        space_free(space);
    }
    assert_true(drawn > 1000 && never > 100);
    const struct problem small = {.op = op_of(SUM),
                                  .type = I32,
                                  .acc = I32,
                                  .dims = DIMS_VALUE(10),
                                  .regime = COLD};
    struct space *space = load_walked(0); /* whose rule d is of more than 10 elements */
    const struct point_context context = {space, &small, &target};
    const bool is_fixed[SPACE_NAMES_MAX] = {false};
    int64_t config[SPACE_NAMES_MAX];
    assert_int_equal(point_draw(config, is_fixed, &context, &random), POINT_NONE_HERE);
    space_free(space);
}

static void test_empty_expansion(void **state)
{
    const struct space *space = *state;
    struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    struct points points;
    const int grid = space_find_param(space, "GRID", 4);
    assert_true(grid >= 0);
    target.threads_per_sm = 0; /* only GRID = 0 fits */
    assert_int_equal(point_expand(&points, &context, &error), 0);
    for (size_t i = 0; i < points.count; i++)
        assert_int_equal(points.configs[i * points.width + (size_t)grid], 0);
    point_dispose(&points);
    const struct problem large = {.op = op_of(SUM),
                                  .type = I32,
                                  .acc = I32,
                                  .dims = DIMS_VALUE(UINT64_C(1) << 62),
                                  .regime = COLD};
    const struct point_context other = {space, &large, &target};
    assert_int_equal(point_expand(&points, &other, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "the rule that rejected most"));
}

/* One more row is a variant by itself, whatever the rules say of it; the others stay. */
static void test_add(void **state)
{
    const struct space *space = *state;
    struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    struct points all, more;
    int64_t row[SPACE_NAMES_MAX];
    make_row(space, "BLOCK=1024 GRID=8", row);
    assert_true(point_prune(&context, row, &error) >= 0);
    assert_int_equal(point_expand(&all, &context, &error), 0);
    assert_int_equal(point_expand(&more, &context, &error), 0);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(point_add(&more, row, &error), 0);
        assert_int_equal(more.count, all.count + i + 1);
        assert_int_equal(more.variant_count, all.variant_count + i + 1);
        assert_int_equal(more.variants[more.variant_count - 1].first, all.count + i);
        assert_int_equal(more.variants[more.variant_count - 1].count, 1);
        assert_memory_equal(more.configs + (all.count + i) * all.width, row,
                            all.width * sizeof *row);
    }
    assert_memory_equal(more.configs, all.configs, all.count * all.width * sizeof *row);
    assert_memory_equal(more.variants, all.variants, all.variant_count * sizeof *all.variants);
    point_dispose(&all);
    point_dispose(&more);
}

static void test_single(void **state)
{
    const struct space *space = *state;
    struct points points;
    int64_t row[SPACE_NAMES_MAX];
    make_row(space, "BLOCK=64 GRID=3", row);
    assert_int_equal(point_single(&points, space, row, &error), 0);
    assert_int_equal(points.count, 1);
    assert_int_equal(points.total, 1);
    assert_int_equal(points.variant_count, 1);
    assert_int_equal(points.variants[0].count, 1);
    assert_memory_equal(points.configs, row, space->param_count * sizeof *row);
    point_dispose(&points);
    assert_null(points.configs);
}

/* --- Passes ------------------------------------------------------------------------------- */

/* The pass of this name. */
static size_t find_pass(const struct space *space, const char *name)
{
    for (size_t p = 0; p < space->pass_count; p++)
        if (strcmp(space->passes[p].name, name) == 0)
            return p;
    fail_msg("no pass '%s'", name);
    return 0;
}

/* The passes of the default space by its meaning: each finish has its own, and no others. */
static void test_which_passes_apply(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    static const struct {
        const char *params, *passes[2];
    } cases[] = {
        {"FINISH=PASSES", {"main", "rest"}}, {"FINISH=LAST_BLOCK", {"last"}},
        {"FINISH=BARRIER", {"meet"}},        {"FINISH=PACKED", {"gather"}},
        {"FINISH=PACKED_WARPS", {"gather"}}, {"FINISH=FLAGGED", {"gather"}},
        {"FINISH=VALUE", {"gather"}},        {"FINISH=ATOMIC", {"init", "atomic"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t row[SPACE_NAMES_MAX];
        make_row(space, cases[i].params, row);
        for (size_t p = 0; p < space->pass_count; p++) {
            struct planner_launch pass;
            bool applies = false;
            for (size_t k = 0; k < 2; k++)
                applies = applies || (cases[i].passes[k] &&
                                      strcmp(cases[i].passes[k], space->passes[p].name) == 0);
            assert_int_equal(pass_of(&pass, &context, row, p, 1000000), !applies);
        }
    }
}

static void assert_pass(const int64_t *keys, uint64_t n, int64_t tile, uint64_t blocks)
{
    const uint64_t tiles = n ? (n + (uint64_t)tile - 1) / (uint64_t)tile : 1;
    const uint64_t most = tiles < INT32_MAX ? tiles : INT32_MAX;
    assert_int_equal(keys[PLANNER_TILE], tile);
    assert_int_equal(keys[PLANNER_GRID], blocks && blocks < most ? blocks : most);
    assert_true(keys[PLANNER_OUTPUTS] == 1 || keys[PLANNER_OUTPUTS] == keys[PLANNER_GRID]);
    /* No thread has less than its share, no tree is higher than the elements are many. */
    assert_true((uint64_t)keys[PLANNER_HEIGHT] * (uint64_t)keys[PLANNER_GRID] *
                    (uint64_t)keys[PLANNER_BLOCK] >=
                n / 2);
}

static void test_geometry(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target("sm_90");
    static const struct {
        const char *params, *pass;
        uint64_t tile, per_sm;
        bool has_outputs, has_partials;
        int state; /* words; -1: one a block */
    } cases[] = {
        {"FINISH=PASSES GRID=0 ITEMS=16", "main", 4096, 0, true, false, 0},
        {"FINISH=PASSES GRID=4 ITEMS=16", "main", 4096, 4, true, false, 0},
        {"FINISH=PASSES GRID=1 ITEMS=16", "rest", 4096, 1, true, false, 0},
        {"FINISH=LAST_BLOCK GRID=0 ITEMS=16", "last", 4096, 0, false, true, 1},
        {"FINISH=LAST_BLOCK GRID=16 ITEMS=16", "last", 4096, 16, false, true, 1},
        {"FINISH=LAST_BLOCK GRID=0 BLOCK=64 ITEMS=4", "last", 256, 0, false, true, 1},
        {"FINISH=LAST_BLOCK GRID=2 BLOCK=1024 ITEMS=64", "last", 65536, 2, false, true, 1},
        {"FINISH=BARRIER GRID=2 ITEMS=16", "meet", 4096, 2, false, true, 1},
        {"FINISH=PACKED GRID=2 ITEMS=16", "gather", 4096, 2, false, false, 2},
        {"FINISH=VALUE GRID=0 ITEMS=16", "gather", 4096, 0, false, false, 2},
        {"FINISH=FLAGGED GRID=0 ITEMS=16", "gather", 4096, 0, false, false, -1},
        {"FINISH=ATOMIC GRID=1 ITEMS=16", "atomic", 4096, 1, false, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t tile = cases[i].tile;
        const size_t pass_index = find_pass(space, cases[i].pass);
        const uint64_t sizes[] = {0,
                                  1,
                                  31,
                                  tile - 1,
                                  tile,
                                  tile + 1,
                                  2 * tile,
                                  tile * 132 - 1,
                                  tile * 132 + 1,
                                  tile * 132 * 16 + 1,
                                  UINT64_C(2147483647),
                                  UINT64_C(1) << 33,
                                  UINT64_C(1) << 40,
                                  UINT64_C(1) << 62};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const struct problem problem = {.op = op_of(SUM),
                                            .type = I32,
                                            .acc = I32,
                                            .dims = DIMS_VALUE(77),
                                            .regime = COLD}; /* its n plays no part */
            const struct point_context context = {space, &problem, &target};
            int64_t row[SPACE_NAMES_MAX];
            struct planner_launch pass;
            make_row(space, cases[i].params, row);
            if (pass_of(&pass, &context, row, pass_index, sizes[k]) != 0)
                fail_msg("%s", error.text);
            assert_pass(pass.keys, sizes[k], (int64_t)tile,
                        cases[i].per_sm * (uint64_t)target.sms);
            assert_int_equal(pass.keys[PLANNER_PARTIALS],
                             cases[i].has_partials ? pass.keys[PLANNER_GRID] : 0);
            assert_int_equal(pass.keys[PLANNER_OUTPUTS],
                             cases[i].has_outputs ? pass.keys[PLANNER_GRID] : 1);
            assert_int_equal(pass.keys[PLANNER_STATE],
                             cases[i].state < 0 ? pass.keys[PLANNER_GRID] : cases[i].state);
            assert_int_equal(pass.keys[PLANNER_CLUSTER], 1);
            assert_int_equal(pass.keys[PLANNER_SHARED_BYTES], 0);
        }
    }
}

/* A pass over partial results loads as many of them as 16 bytes hold. */
static void test_pass_rows(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I64,
                                    .dims = DIMS_VALUE(1000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    int64_t row[SPACE_NAMES_MAX], out[SPACE_NAMES_MAX];
    make_row(space, "VECTOR=4 FINISH=PASSES ACCUMS=1", row);
    assert_int_equal(point_pass_config(&context, row, 0, out, &error), 0);
    assert_memory_equal(row, out, space->param_count * sizeof *row);
    assert_int_equal(point_pass_config(&context, row, 1, out, &error), 0);
    assert_int_equal(out[2], 2);
    row[2] = 2;
    assert_memory_equal(row, out, space->param_count * sizeof *row);
}

static void test_wrong_geometry(void **state)
{
    (void)state;
    static const char *const passes[] = {
        "block = 0\ngrid = 1\ntile = 1\noutputs = 1\nheight = 1\n",
        "block = 1025\ngrid = 1\ntile = 1\noutputs = 1\nheight = 1\n",
        "block = 1\ngrid = 0\ntile = 1\noutputs = 1\nheight = 1\n",
        "block = 1\ngrid = 2147483648\ntile = 1\noutputs = 1\nheight = 1\n",
        "block = 1\ngrid = 1\ntile = 0\noutputs = 1\nheight = 1\n",
        "block = 1\ngrid = 4\ntile = 1\noutputs = 5\nheight = 1\n",
        "block = 1\ngrid = 4\ntile = 1\noutputs = 1\npartials = 0 - 1\nheight = 1\n",
        "block = 1\ngrid = 4\ntile = 1\noutputs = 1\nheight = 0 - BLOCKS\n",
        "block = 1\ngrid = 4\ntile = 1\noutputs = 0 - 1\nheight = 1\n",
        "block = 1\ngrid = 4\ntile = 1\noutputs = 1\nstate = 0 - P\nheight = 1\n",
        "block = 1\ngrid = 4\ntile = 1\noutputs = 1\ncluster = 17\nheight = 1\n",
        "block = 1\ngrid = 4\ntile = 1\noutputs = 1\ncluster = 0 - 1\nheight = 1\n",
        "block = 1\ngrid = 4\ntile = 1\noutputs = 1\nshared_bytes = 0 - 1\nheight = 1\n",
        "block = 1\ngrid = 4\ntile = 1\noutputs = 1\nshared_bytes = 2147483648\nheight = 1\n",
        "block = 1\ngrid = 4 / (P - 1)\ntile = 1\noutputs = 1\nheight = 1\n",
    };
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(5),
                                    .regime = COLD};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        char bytes[400];
        snprintf(bytes, sizeof bytes,
                 "[space]\nname = a\ntemplate = a.cu\nkernel = a\n[param P]\nvalues = 1\n[pass "
                 "a]\n%s"
                 "args = n\n[default]\nP = 1\n",
                 passes[i]);
        struct space *space;
        if (space_load(&space, "a.ini", bytes, strlen(bytes), NULL, &error) != 0)
            fail_msg("%s", error.text);
        const struct point_context context = {space, &problem, &target};
        const int64_t row[] = {1};
        struct planner_launch pass;
        assert_int_equal(pass_of(&pass, &context, row, 0, 5), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "a.ini:"));
        space_free(space);
    }
}

/* --- Text --------------------------------------------------------------------------------- */

static void test_round_trip(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    struct points points;
    struct text text = {0};
    assert_int_equal(point_expand(&points, &context, &error), 0);
    for (size_t i = 0; i < points.count; i++) {
        const int64_t *row = points.configs + i * points.width;
        int64_t back[SPACE_NAMES_MAX];
        text_clear(&text);
        point_format(&text, space, row, true);
        memset(back, -1, sizeof back);
        assert_int_equal(point_parse(space, text.at, back, &error), 0);
        assert_memory_equal(row, back, points.width * sizeof *row);
    }
    text_clear(&text);
    point_format(&text, space, space->default_config, false);
    assert_int_equal(strncmp(text.at, "BLOCK=256 ITEMS=32 VECTOR=4 UNROLL=8 ", 37), 0);
    assert_non_null(strstr(text.at, " WARP=REDUX LOAD=PLAIN "));
    assert_non_null(strstr(text.at, " FINISH=PACKED"));
    assert_null(strstr(text.at, "GRID="));
    text_dispose(&text);
    point_dispose(&points);
}

static void test_parse(void **state)
{
    const struct space *space = *state;
    static const char *const same[] = {
        "", " ", ",,", "BLOCK=64,WARP=TREE", " WARP=TREE  BLOCK=64 ", "BLOCK=64,,WARP=TREE,",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        int64_t row[SPACE_NAMES_MAX];
        memcpy(row, space->default_config, space->param_count * sizeof *row);
        assert_int_equal(point_parse(space, same[i], row, &error), 0);
        assert_int_equal(row[0], i < 3 ? 256 : 64);
        assert_int_equal(row[space_find_param(space, "WARP", 4)],
                         i < 3 ? 1 : 3); /* redux, and a tree */
        assert_int_equal(row[1], 32);
    }
}

/* Of a record: what it does not name has the value that leaves the kernel as it was. */
static void test_parse_record(void **state)
{
    const struct space *space = *state;
    static const char all[] = "BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4 WARP=SHUFFLE FINISH=PACKED "
                              "GRID=2";
    int64_t row[SPACE_NAMES_MAX] = {0};
    struct text text = {0};
    assert_int_equal(point_parse_record(space, all, row, &error), 0);
    point_format(&text, space, row, true);
    assert_string_equal(text.at, "BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4 ACCUMS=1 MATH=CUDA "
                                 "WARP=SHUFFLE LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=0 "
                                 "CLUSTER=1 FINISH=PACKED GRID=2");
    text_dispose(&text);
    assert_int_equal(point_parse_record(space, all + strlen("BLOCK=256 "), row, &error), -1);
    assert_non_null(strstr(error.text, "BLOCK is not named"));
    assert_int_equal(point_parse_record(space, "BLOK=1", row, &error), -1);
}

static void test_hostile_strings(void **state)
{
    const struct space *space = *state;
    static const struct {
        const char *string, *said;
    } cases[] = {
        {"BLOCK", "'BLOCK' names no param"},
        {"BLOCK=", "values 32 64 128 256"},
        {"=64", "names no param"},
        {"=", "BLOCK ITEMS VECTOR"},
        {"block=64", "names no param"},
        {"BLOCK =64", "names no param"},
        {"BLOCK=65", "64 128 256 512 1024"},
        {"BLOCK=064", "64 128 256 512 1024"},
        {"BLOCK=64x", "64 128 256 512 1024"},
        {"BLOCK=-64", "64 128 256 512 1024"},
        {"BLOCK=64=64", "64 128 256 512 1024"},
        {"BLOCK=18446744073709551680", "64 128 256 512 1024"},
        {"BLOCK=64 BLOCK=64", "given twice"},
        {"WARP=0", "SHUFFLE REDUX VOLATILE TREE"},
        {"WARP=SHUFFLE;rm", "SHUFFLE REDUX VOLATILE TREE"},
        {"WARP=%s%n", "SHUFFLE REDUX VOLATILE TREE"},
        {"TILE=4096", "names no param"},
        {"N=5", "names no param"},
        {"BLOCK=64\nWARP=TREE", "64 128 256 512 1024"},
        {"BLOCK=64\tWARP=TREE", "64 128 256 512 1024"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t row[SPACE_NAMES_MAX];
        memcpy(row, space->default_config, space->param_count * sizeof *row);
        if (point_parse(space, cases[i].string, row, &error) != -1)
            fail_msg("'%s' was accepted", cases[i].string);
        assert_int_equal(error.code, ERROR_USAGE);
        if (!strstr(error.text, cases[i].said))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].said);
    }
}

static void test_long_strings(void **state)
{
    const struct space *space = *state;
    enum { LENGTH = 1 << 20 };
    char *string = malloc(LENGTH + 1);
    int64_t row[SPACE_NAMES_MAX];
    assert_non_null(string);
    memcpy(row, space->default_config, space->param_count * sizeof *row);
    memset(string, 'A', LENGTH);
    string[LENGTH] = '\0';
    assert_int_equal(point_parse(space, string, row, &error), -1);
    memcpy(string, "BLOCK=", 6);
    assert_int_equal(point_parse(space, string, row, &error), -1);
    assert_true(strlen(error.text) < 400);
    memset(string, ',', LENGTH);
    assert_int_equal(point_parse(space, string, row, &error), 0);
    free(string);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_overflow_names_the_line),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_every_problem_has_points),
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_draw),
        cmocka_unit_test(test_empty_expansion),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_which_passes_apply),
        cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_pass_rows),
        cmocka_unit_test(test_wrong_geometry),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_parse_record),
        cmocka_unit_test(test_hostile_strings),
        cmocka_unit_test(test_long_strings),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
