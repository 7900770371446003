/* Tests of sample: configs are points of their places, each pair of values that some point of
 * any place has occurs in some config, the same seed draws the same. */
#include "autotune/device/gpus.h"
#include "autotune/verify/sample.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdlib.h>

enum { TARGETS = 2, COLUMNS_MAX = 32, VALUES_MAX = 16 };

static struct error error;

/* Small, and with points that stand at one n, one type or one target alone. */
static const char small_space[] =
    "[space]\nname = small\ntemplate = reduce.cu\nkernel = reduce\n"
    "[param BLOCK]\nmeaning = threads\nvalues = 32 64 128\n"
    "[param WARP]\nmeaning = step\nvalues = SHUFFLE REDUX TREE\n"
    "[param LOAD]\nmeaning = load\nvalues = PLAIN BULK NEVER\n"
    "[param GRID]\nmeaning = blocks\nvalues = 0 1 2\nwhen = launch\n"
    "[rule]\n"
    "bulk copies need sm_90 = LOAD != BULK || CC >= 90\n"
    "no point has this = LOAD != NEVER\n"
    "redux takes 32 bits = WARP != REDUX || ACCUM_BYTES == 4\n"
    "blocks of 128 for small data = BLOCK != 128 || N <= 1024\n"
    "two blocks for large data = GRID != 2 || N >= 1073741824\n"
    "[pass main]\nblock = BLOCK\ngrid = 1\ntile = BLOCK\noutputs = 1\nargs = input n output\n"
    "height = 1\nrepeat = 1\n"
    "[default]\nBLOCK = 32\nWARP = SHUFFLE\nLOAD = PLAIN\nGRID = 0\n";

static struct space *load_text(const char *text)
{
    struct space *space;
    if (space_load(&space, "small.ini", text, strlen(text), NULL, &error))
        fail_msg("%s", error.text);
    return space;
}

static void find_targets(struct target targets[TARGETS])
{
    assert_int_equal(gpus_find(&targets[0], "sm_75", &error), 0);
    assert_int_equal(gpus_find(&targets[1], "sm_90", &error), 0);
}

/* The pairs of values seen, with those of a place behind the params. */
struct seen {
    const struct space *space;
    bool pairs[COLUMNS_MAX][COLUMNS_MAX][VALUES_MAX][VALUES_MAX];
};

static size_t see(struct seen *seen, const struct sample_place *place, const int64_t *row)
{
    const size_t params = seen->space->param_count;
    unsigned char values[COLUMNS_MAX];
    size_t fresh = 0;
    sample_index_config(seen->space, row, values);
    values[params] = (unsigned char)place->problem.op->place;
    values[params + 1] = (unsigned char)place->problem.type;
    values[params + 2] = (unsigned char)place->problem.acc;
    values[params + 3] = (unsigned char)place->target;
    for (size_t b = 1; b < params + 4; b++)
        for (size_t a = 0; a < b; a++) {
            fresh += !seen->pairs[a][b][values[a]][values[b]];
            seen->pairs[a][b][values[a]][values[b]] = true;
        }
    return fresh;
}

static size_t see_sample(struct seen *seen, const struct space *space,
                         const struct target *targets, const struct sample *sample)
{
    size_t pairs = 0;
    memset(seen, 0, sizeof *seen);
    seen->space = space;
    for (size_t i = 0; i < sample->count; i++) {
        const struct point_context context = {space, &sample->places[i].problem,
                                              &targets[sample->places[i].target]};
        const int64_t *row = sample->configs + i * sample->width;
        assert_int_equal(problem_check(context.problem, &error), 0);
        assert_int_equal(point_reject(&context, row, &error), POINT_VALID);
        pairs += see(seen, &sample->places[i], row);
    }
    return pairs;
}

static void test_places(void **state)
{
    (void)state;
    struct sample_place *places;
    size_t count, at[TARGETS] = {0};
    struct space *space = load_space("configs/reduce.ini");
    uint64_t least = UINT64_MAX, most = 0;
    assert_int_equal(sample_places(&places, &count, space, TARGETS, &error), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(problem_check(&places[i].problem, &error), 0);
        assert_true(places[i].target < TARGETS);
        at[places[i].target]++;
        least =
            dims_n(&places[i].problem.dims) < least ? dims_n(&places[i].problem.dims) : least;
        most = dims_n(&places[i].problem.dims) > most ? dims_n(&places[i].problem.dims) : most;
        assert_true(i == 0 || memcmp(&places[i], &places[i - 1], sizeof *places) != 0);
    }
    assert_int_equal(at[0], at[1]);
    assert_int_equal(least, 1024);
    assert_int_equal(most, 1073741824);
    free(places);
    space_free(space);
}

/* Nothing is lost: no point of any place has a pair that the sample has not. */
static void test_pairs(void **state)
{
    (void)state;
    static struct seen seen;
    struct space *space = load_text(small_space);
    struct target targets[TARGETS];
    struct sample sample;
    struct sample_place *places;
    size_t count, total = 0;
    find_targets(targets);
    assert_int_equal(sample_draw(&sample, space, targets, TARGETS, 1, &error), 0);
    assert_int_equal(sample.width, space->param_count);
    assert_in_range(sample.count, 12 * 8 / 2, 200);
    assert_true(see_sample(&seen, space, targets, &sample) > 500);
    assert_true(sample.missed > 0); /* LOAD = NEVER with anything */
    assert_int_equal(sample_places(&places, &count, space, TARGETS, &error), 0);
    for (size_t i = 0; i < count; i++) {
        const struct point_context context = {space, &places[i].problem,
                                              &targets[places[i].target]};
        struct points points;
        assert_int_equal(point_expand(&points, &context, &error), 0);
        for (size_t k = 0; k < points.count; k++)
            assert_int_equal(see(&seen, &places[i], points.configs + k * points.width), 0);
        total += points.count;
        point_dispose(&points);
    }
    assert_true(total > 50 * sample.count);
    free(places);
    sample_dispose(&sample);
    space_free(space);
}

/* The same space, with lines more: what it serves and a param; a rule; a value of the default. */
static struct space *load_changed(const char *param, const char *rule, const char *value)
{
    const char *params = strstr(small_space, "[param BLOCK]"),
               *rules = strstr(params, "[rule]\n");
    const char *rest = rules + strlen("[rule]\n");
    struct text text = {0};
    text_addf(&text, "%.*s%s%.*s%s%s%s", (int)(params - small_space), small_space, param,
              (int)(rest - params), params, rule, rest, value);
    struct space *space = load_text(text.at);
    text_dispose(&text);
    return space;
}

/* Pairs that few places have, where hardly a point is drawn, are looked for until they are found: each
 * in more places than are looked at first that have the rest, but no such point. */
static void test_rare_pairs(void **state)
{
    (void)state;
    static struct seen seen;
    struct space *space = load_changed(
        "[param RARE]\nmeaning = of one place alone\nvalues = 0 1 2 3 4 5 6 7 8 9 10 11\n",
        "rare = RARE == 0 || (COMBINE == XOR && ELEM_BYTES == 2 && N == 1048576 && CC >= 90)\n",
        "RARE = 0\n");
    const size_t rare = (size_t)space_find_param(space, "RARE", strlen("RARE"));
    const size_t block = (size_t)space_find_param(space, "BLOCK", strlen("BLOCK"));
    struct target targets[TARGETS];
    struct sample sample;
    find_targets(targets);
    assert_int_equal(sample_draw(&sample, space, targets, TARGETS, 1, &error), 0);
    see_sample(&seen, space, targets, &sample);
    for (size_t value = 1; value < space->params[rare].count; value++) {
        assert_true(seen.pairs[rare][space->param_count][value][op_of(XOR)->place]);
        assert_true(seen.pairs[rare][space->param_count + 3][value][1]);
        for (size_t b = 0; b < 2; b++) /* blocks of 128 are for small data */
            assert_true(seen.pairs[rare < block ? rare : block][rare < block ? block : rare]
                                  [rare < block ? value : b][rare < block ? b : value]);
    }
    sample_dispose(&sample);
    space_free(space);
}

/* A sample of scans is of both kinds, and of none that is no scan. */
static void test_scans(void **state)
{
    (void)state;
    struct space *space = load_changed("serves = SCAN && INNER == 1\n", "", "");
    struct target targets[TARGETS];
    struct sample sample;
    size_t kinds[DIMS_SCANS] = {0}, at[TARGETS] = {0};
    find_targets(targets);
    assert_int_equal(sample_draw(&sample, space, targets, TARGETS, 1, &error), 0);
    for (size_t i = 0; i < sample.count; i++) {
        const struct point_context context = {space, &sample.places[i].problem,
                                              &targets[sample.places[i].target]};
        assert_int_equal(point_reject(&context, sample.configs + i * sample.width, &error),
                         POINT_VALID);
        kinds[context.problem->dims.scan]++;
        at[sample.places[i].target]++;
    }
    assert_int_equal(kinds[DIMS_ALL], 0);
    assert_true(kinds[DIMS_INCLUSIVE] > sample.count / 4 &&
                kinds[DIMS_EXCLUSIVE] > sample.count / 4);
    assert_true(at[0] > sample.count / 4 && at[1] > sample.count / 4);
    sample_dispose(&sample);
    space_free(space);
}

/* Places are in the order that allows most, and rows, columns and a middle axis with and without gaps. */
static void test_kinds_of_places(void **state)
{
    (void)state;
    static const struct {
        const char *space;
        enum order order;
        bool has_scans, has_gaps;
    } kinds[] = {
        {"configs/reduce.ini", ORDER_ANY, false, false},
        {"configs/rows.ini", ORDER_ANY, false, true},
        {"configs/columns.ini", ORDER_ANY, false, true},
        {"configs/middle.ini", ORDER_ANY, false, true},
        {"configs/scan.ini", ORDER_ANY, true, false},
        {"configs/ordered.ini", ORDER_BY_N, false, false},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct space *space = load_space(kinds[k].space);
        struct sample_place *places;
        size_t count, gaps = 0, scans[DIMS_SCANS] = {0};
        assert_int_equal(sample_places(&places, &count, space, TARGETS, &error), 0);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            const struct dims *dims = &places[i].problem.dims;
            assert_int_equal(places[i].problem.order, kinds[k].order);
            gaps += dims_extent(dims) > dims_n(dims);
            scans[dims->scan]++;
        }
        assert_int_equal(scans[DIMS_ALL] == 0, kinds[k].has_scans);
        assert_true(scans[DIMS_INCLUSIVE] == scans[DIMS_EXCLUSIVE]);
        if (kinds[k].has_gaps)
            assert_in_range(gaps, count / 3, count - count / 3);
        else
            assert_int_equal(gaps, 0);
        free(places);
        space_free(space);
    }
}

/* What each param has a value for is in the sample of the spaces that ship. */
static void test_reduce(void **state)
{
    (void)state;
    static const char *const values[] = {"LOAD=BULK",       "LOAD=ASYNC",
                                         "WARP=REDUX",      "FINISH=PACKED_WARPS",
                                         "FINISH=BARRIER",  "CLUSTER=16",
                                         "WALK=CONTIGUOUS", "VECTOR=32",
                                         "MATH=TENSOR"};
    struct space *space = load_space("configs/reduce-wide.ini");
    struct target targets[TARGETS];
    struct sample sample;
    struct text all = {0};
    find_targets(targets);
    assert_int_equal(gpus_find(&targets[0], "sm_120", &error), 0);
    assert_int_equal(sample_draw(&sample, space, targets, TARGETS, 3, &error), 0);
    assert_in_range(sample.count, 144, 500);
    for (size_t i = 0; i < sample.count; i++) {
        point_format(&all, space, sample.configs + i * sample.width, true);
        text_adds(&all, " ");
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!strstr(all.at, values[i]))
            fail_msg("no row has %s", values[i]);
    text_dispose(&all);
    sample_dispose(&sample);
    space_free(space);
}

static void test_seeds(void **state)
{
    (void)state;
    struct space *space = load_text(small_space);
    struct target targets[TARGETS];
    struct sample a, b, c;
    find_targets(targets);
    assert_int_equal(sample_draw(&a, space, targets, TARGETS, 1, &error), 0);
    assert_int_equal(sample_draw(&b, space, targets, TARGETS, 1, &error), 0);
    assert_int_equal(sample_draw(&c, space, targets, TARGETS, 2, &error), 0);
    const size_t bytes = a.count * a.width * sizeof *a.configs;
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.configs, b.configs, bytes);
    assert_int_equal(a.missed, c.missed);
    assert_true(a.count != c.count || memcmp(a.configs, c.configs, bytes) != 0);
    sample_dispose(&a);
    sample_dispose(&b);
    sample_dispose(&c);
    space_free(space);
}

static void test_nothing(void **state)
{
    (void)state;
    struct text text = {0};
    struct target targets[TARGETS];
    struct sample sample;
    const char *rules = strstr(small_space, "[rule]\n") + strlen("[rule]\n");
    text_add(&text, small_space, (size_t)(rules - small_space));
    text_adds(&text, "nothing will do = BLOCK == 7\n");
    text_adds(&text, rules);
    struct space *space = load_text(text.at);
    find_targets(targets);
    assert_int_equal(sample_draw(&sample, space, targets, TARGETS, 1, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "nothing will do"));
    text_dispose(&text);
    space_free(space);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),          cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_rare_pairs),      cmocka_unit_test(test_scans),
        cmocka_unit_test(test_kinds_of_places), cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_seeds),           cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
