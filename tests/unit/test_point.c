/* Tests of point: values, rules and launch geometry of the default space for any problem, the
 * size of that space, and rows as text. */
#include "autotune/device/gpus.h"
#include "generator/number.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>

static struct error error;

static const uint64_t counts[] = {
    0, 1, 1000, 65536, 1000000, 400000000, UINT64_C(1) << 32, UINT64_C(1) << 40};
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
    const struct problem problem = {SUMSQ, I32, I64, 100000, COLD};
    const struct point_context context = {space, &problem, &target};
    int64_t row[SPACE_NAMES_MAX], values[SPACE_NAMES_MAX];
    const struct {
        const char *name;
        int64_t elements, partials;
    } expected[] = {
        {"N", 100000, 100000},
        {"BLOCKS", 0, 0},
        {"OP", SUMSQ, SUM},
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
        {"TILE", 4096, 4096},
        {"LOADS", 8, 8},
        {"TILES", 25, 25},
        {"SUM", SUM, SUM},
        {"F64", F64, F64},
        {"REDUX", 1, 1},
        {"WARP", 0, 0},
        {"THREADS_PER_BLOCK", 1024, 1024},
        {"THREADS_PER_SM", 2048, 2048},
    };
    make_row(space, "", row);
    for (int partials = 0; partials < 2; partials++) {
        assert_int_equal(point_values(&context, row, partials, values, &error), 0);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            assert_int_equal(value_of(space, values, expected[i].name),
                             partials ? expected[i].partials : expected[i].elements);
    }
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
    const struct problem problem = {SUM, I32, I32, 5, COLD};
    struct space *space;
    assert_int_equal(space_load(&space, "a.ini", bytes, sizeof bytes - 1, &error), 0);
    const struct point_context context = {space, &problem, &target};
    int64_t row[] = {2}, values[SPACE_NAMES_MAX];
    struct points points;
    assert_int_equal(point_values(&context, row, false, values, &error), -1);
    assert_non_null(strstr(error.text, "a.ini:8: "));
    assert_int_equal(point_reject(&context, row, &error), POINT_FAILED);
    assert_int_equal(point_expand(&points, &context, &error), -1);
    assert_non_null(strstr(error.text, "a.ini:8: "));
    assert_null(points.rows);
    row[0] = 1;
    assert_int_equal(point_reject(&context, row, &error), POINT_VALID);
    struct point_pass pass;
    const uint64_t bad[] = {0, UINT64_C(1) << 31, UINT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(point_pass(&context, row, 0, bad[i], &pass, &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "a.ini"));
    }
    assert_int_equal(point_pass(&context, row, 0, 2147483647, &pass, &error), 0);
    space_free(space);
}

/* The rules' reasons for rows with one thing wrong with them. */
static void test_rules(void **state)
{
    const struct space *space = *state;
    static const struct {
        const char *params, *reason;
        enum type type;
        int cc;
        uint64_t n;
    } cases[] = {
        {"", NULL, I32, 90, 400000000},
        {"ITEMS=4 VECTOR=4 UNROLL=2", "the loads of a tile are unrolled evenly", I32, 90,
         400000000},
        {"VECTOR=4", "a load is at most 16 bytes", F64, 90, 400000000},
        {"VECTOR=4 UNROLL=4 WARP=REDUX", "redux.sync takes 32-bit integers, from sm_80 on", I32,
         75, 400000000},
        {"VECTOR=4 UNROLL=4 WARP=REDUX", "redux.sync takes 32-bit integers, from sm_80 on", F32,
         90, 400000000},
        {"VECTOR=4 UNROLL=4 WARP=REDUX", NULL, I32, 90, 400000000},
        {"BLOCK=512 GRID=8 VECTOR=4 UNROLL=4", "the grid's blocks fit on the SMs at once", I32,
         90, 400000000},
        {"VECTOR=4 UNROLL=4", "with fewer tiles than blocks it is one tile per block", I32, 90,
         1000},
        {"VECTOR=4 UNROLL=4 GRID=0", NULL, I32, 90, 1000},
        {"VECTOR=4 UNROLL=4 GRID=0", "tiles are counted in 32 bits", I32, 90,
         UINT64_C(1) << 43},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct target target = find_target("sm_90");
        const struct problem problem = {SUM, cases[i].type, cases[i].type, cases[i].n, COLD};
        const struct point_context context = {space, &problem, &target};
        int64_t row[SPACE_NAMES_MAX];
        target.cc = cases[i].cc;
        make_row(space, cases[i].params, row);
        const int broken = point_reject(&context, row, &error);
        if (broken == POINT_FAILED)
            fail_msg("%s", error.text);
        const char *got = broken >= 0 ? space->rules[broken].reason : NULL;
        if ((got != NULL) != (cases[i].reason != NULL) ||
            (got && strcmp(got, cases[i].reason) != 0))
            fail_msg("%s: expected %s, got %s", cases[i].params,
                     cases[i].reason ? cases[i].reason : "valid", got ? got : "valid");
    }
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
    assert_in_range(points->variant_count, 1, 500);
    assert_in_range(points->count, 1, 4000);
}

/* Compile-time params are equal within a variant, and no row stands twice. */
static void assert_rows(const struct point_context *context, const struct points *points)
{
    const struct space *space = context->space;
    for (size_t v = 0; v < points->variant_count; v++) {
        const struct point_variant *variant = &points->variants[v];
        const int64_t *first = points->rows + variant->first * points->width;
        for (size_t i = 0; i < variant->count; i++) {
            const int64_t *row = first + i * points->width;
            assert_int_equal(point_reject(context, row, &error), POINT_VALID);
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
        const struct problem problem = {op, type, acc, counts[i], COLD};
        const struct point_context context = {space, &problem, target};
        struct points points;
        if (problem_check(&problem, &error) != 0)
            return;
        if (point_expand(&points, &context, &error) != 0)
            fail_msg("%s of %s, n = %llu: %s", problem_ops[op].name, problem_types[type].name,
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
                if (op == SUM || op == PROD || (op == AND && type <= U32) || target.cc == 90)
                    expand_problem(*state, &target, (enum op)op, (enum type)type,
                                   (enum type)type);
            }
        expand_problem(*state, &target, SUM, I32, I64);
        expand_problem(*state, &target, SUM, F32, F64);
    }
}

static void test_empty_expansion(void **state)
{
    const struct space *space = *state;
    struct target target = find_target("sm_90");
    const struct problem problem = {SUM, I32, I32, 1000, COLD};
    const struct point_context context = {space, &problem, &target};
    struct points points;
    target.threads_per_sm = 0; /* only GRID = 0 fits */
    assert_int_equal(point_expand(&points, &context, &error), 0);
    for (size_t i = 0; i < points.count; i++)
        assert_int_equal(points.rows[i * points.width + 8], 0);
    point_dispose(&points);
    const struct problem large = {SUM, I32, I32, UINT64_C(1) << 62, COLD};
    const struct point_context other = {space, &large, &target};
    assert_int_equal(point_expand(&points, &other, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "the rule that rejected most"));
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
    assert_memory_equal(points.rows, row, space->param_count * sizeof *row);
    point_dispose(&points);
    assert_null(points.rows);
}

/* --- Passes ------------------------------------------------------------------------------- */

/* The passes of the default space by its meaning: `whole` and `main`/`rest` exclude each other.
 */
static void test_which_passes_apply(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target("sm_90");
    const struct problem problem = {SUM, F32, F32, 1000000, COLD};
    const struct point_context context = {space, &problem, &target};
    int64_t row[SPACE_NAMES_MAX];
    struct point_pass pass;
    static const bool applies[2][3] = {{true, true, false}, {false, false, true}};
    for (int finish = 0; finish < 2; finish++) {
        make_row(space, finish ? "FINISH=LAST_BLOCK" : "FINISH=PASSES", row);
        for (size_t p = 0; p < 3; p++) {
            assert_int_equal(point_pass(&context, row, p, 1000000, &pass, &error), 0);
            assert_int_equal(pass.applies, applies[finish][p]);
        }
    }
}

static void assert_pass(const struct point_pass *pass, uint64_t n, uint64_t tile,
                        uint64_t blocks)
{
    const uint64_t tiles = n ? (n + tile - 1) / tile : 1;
    const uint64_t most = tiles < INT32_MAX ? tiles : INT32_MAX;
    assert_true(pass->applies);
    assert_int_equal(pass->tile, tile);
    assert_int_equal(pass->grid, blocks && blocks < most ? blocks : most);
    assert_true(pass->grid >= 1 && pass->grid <= INT32_MAX);
    assert_true(pass->outputs == 1 || pass->outputs == pass->grid);
    /* No thread has less than its share, no tree is higher than the elements are many. */
    assert_true(pass->height * pass->grid * pass->block >= n / 2);
}

static void test_geometry(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target("sm_90");
    static const struct {
        const char *params;
        size_t pass;
        uint64_t tile, per_sm;
    } cases[] = {
        {"FINISH=PASSES GRID=0", 0, 4096, 0},
        {"FINISH=PASSES GRID=4", 0, 4096, 4},
        {"FINISH=PASSES GRID=1", 1, 4096, 1},
        {"FINISH=LAST_BLOCK GRID=0", 2, 4096, 0},
        {"FINISH=LAST_BLOCK GRID=16", 2, 4096, 16},
        {"FINISH=LAST_BLOCK GRID=0 BLOCK=64 ITEMS=4", 2, 256, 0},
        {"FINISH=LAST_BLOCK GRID=2 BLOCK=1024 ITEMS=64", 2, 65536, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t tile = cases[i].tile;
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
            const struct problem problem = {SUM, I32, I32, 77, COLD}; /* its n plays no part */
            const struct point_context context = {space, &problem, &target};
            int64_t row[SPACE_NAMES_MAX];
            struct point_pass pass;
            make_row(space, cases[i].params, row);
            if (point_pass(&context, row, cases[i].pass, sizes[k], &pass, &error) != 0)
                fail_msg("%s", error.text);
            assert_pass(&pass, sizes[k], tile, cases[i].per_sm * (uint64_t)target.sms);
            assert_int_equal(pass.partials, cases[i].pass == 2 ? pass.grid : 0);
            assert_int_equal(pass.outputs, cases[i].pass == 2 ? 1 : pass.grid);
        }
    }
}

/* A pass over partial results loads as many of them as 16 bytes hold. */
static void test_pass_rows(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target("sm_90");
    const struct problem problem = {SUM, I32, I64, 1000, COLD};
    const struct point_context context = {space, &problem, &target};
    int64_t row[SPACE_NAMES_MAX], out[SPACE_NAMES_MAX];
    make_row(space, "VECTOR=4 FINISH=PASSES", row);
    assert_int_equal(point_pass_row(&context, row, 0, out, &error), 0);
    assert_memory_equal(row, out, space->param_count * sizeof *row);
    assert_int_equal(point_pass_row(&context, row, 1, out, &error), 0);
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
        "block = 1\ngrid = 4 / (P - 1)\ntile = 1\noutputs = 1\nheight = 1\n",
    };
    const struct target target = find_target("sm_90");
    const struct problem problem = {SUM, I32, I32, 5, COLD};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        char bytes[400];
        snprintf(bytes, sizeof bytes,
                 "[space]\nname = a\ntemplate = a.cu\nkernel = a\n[param P]\nvalues = 1\n[pass "
                 "a]\n%s"
                 "args = n\n[default]\nP = 1\n",
                 passes[i]);
        struct space *space;
        if (space_load(&space, "a.ini", bytes, strlen(bytes), &error) != 0)
            fail_msg("%s", error.text);
        const struct point_context context = {space, &problem, &target};
        const int64_t row[] = {1};
        struct point_pass pass;
        assert_int_equal(point_pass(&context, row, 0, 5, &pass, &error), -1);
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
    const struct problem problem = {SUM, I32, I32, 400000000, COLD};
    const struct point_context context = {space, &problem, &target};
    struct points points;
    struct text text = {0};
    assert_int_equal(point_expand(&points, &context, &error), 0);
    for (size_t i = 0; i < points.count; i++) {
        const int64_t *row = points.rows + i * points.width;
        int64_t back[SPACE_NAMES_MAX];
        text_clear(&text);
        point_format(&text, space, row, true);
        memset(back, -1, sizeof back);
        assert_int_equal(point_parse(space, text.at, back, &error), 0);
        assert_memory_equal(row, back, points.width * sizeof *row);
    }
    text_clear(&text);
    point_format(&text, space, space->default_row, false);
    assert_string_equal(text.at, "BLOCK=256 ITEMS=16 VECTOR=2 UNROLL=8 WARP=SHUFFLE LOAD=PLAIN "
                                 "MIN_BLOCKS=1 FINISH=PASSES");
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
        memcpy(row, space->default_row, space->param_count * sizeof *row);
        assert_int_equal(point_parse(space, same[i], row, &error), 0);
        assert_int_equal(row[0], i < 3 ? 256 : 64);
        assert_int_equal(row[4], i < 3 ? 0 : 3);
        assert_int_equal(row[1], 16);
    }
}

static void test_hostile_strings(void **state)
{
    const struct space *space = *state;
    static const struct {
        const char *string, *said;
    } cases[] = {
        {"BLOCK", "'BLOCK' names no param"},
        {"BLOCK=", "values 64 128 256"},
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
        memcpy(row, space->default_row, space->param_count * sizeof *row);
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
    memcpy(row, space->default_row, space->param_count * sizeof *row);
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
        cmocka_unit_test(test_empty_expansion),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_which_passes_apply),
        cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_pass_rows),
        cmocka_unit_test(test_wrong_geometry),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_hostile_strings),
        cmocka_unit_test(test_long_strings),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
