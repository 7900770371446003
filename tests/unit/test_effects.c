/* Tests of autotune/tune/effects*.c and report/trials_map.c: what each param does, from trials made by
 * hand, of a search and its race and of a journal; the words for it; and the cells of the map. */
#include "autotune/device/gpus.h"
#include "autotune/report/trials_map.h"
#include "autotune/tune/effects_cause.h"
#include "autotune/tune/effects_print.h"
#include "autotune/tune/effects_read.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>

static struct error error;
static struct space *space;
static struct target target;
static struct problem problem = {.type = I32,
                                 .acc = I32,
                                 .regime = COLD,
                                 .dims = DIMS_VALUE(400000000)};
NAMED_PROBLEM(name_problem, problem, SUM)

/* A config of the space axes: its default but for these params. */
static const int64_t *config_of(const char *params)
{
    static int64_t config[SPACE_NAMES_MAX];
    make_row(space, params, config);
    return config;
}

static void add(struct effects *effects, const char *params, uint64_t ps)
{
    const struct effects_trial trial = {.ps = ps, .times = 2};
    assert_int_equal(effects_add(effects, config_of(params), &trial, &error), 0);
}

/* A place in the race: the ratio with its interval, and that by which it was chosen. */
static void add_raced(struct effects *effects, const char *params, uint64_t ps, double ratio,
                      double low, double high, double choice)
{
    const struct effects_trial trial = {.ps = ps,
                                        .times = 20,
                                        .raced_ps = (uint64_t)(ratio * 1e6),
                                        .ratio = ratio,
                                        .ratio_low = low,
                                        .ratio_high = high,
                                        .choice = choice};
    assert_int_equal(effects_add(effects, config_of(params), &trial, &error), 0);
}

static const struct effects_param *param_of(const struct effects *effects, const char *name)
{
    for (size_t a = 0; a < effects->param_count; a++)
        if (strcmp(space->params[effects->params[a].param].name, name) == 0)
            return &effects->params[a];
    fail_msg("%s is no axis", name);
    return NULL;
}

static const struct effects_value *value_of(const struct effects_param *one, int64_t value)
{
    for (size_t v = 0; v < one->count; v++)
        if (one->values[v].value == value)
            return &one->values[v];
    fail_msg("%d was not tried", (int)value);
    return NULL;
}

static void assert_near(double is, double wanted)
{
    if (is < wanted * 0.999999 || is > wanted * 1.000001)
        fail_msg("%f, not %f", is, wanted);
}

static bool has(const struct text *text, const char *part)
{
    return text->at && strstr(text->at, part);
}

/* Two axes and a third value; the best with a value has any other value of the rest. */
static void fill(struct effects *effects)
{
    *effects = (struct effects){.space = space};
    add(effects, "BLOCK=64 WARP=SHUFFLE", 2000000);
    add(effects, "BLOCK=64 WARP=VOLATILE", 3000000);
    add(effects, "BLOCK=256 WARP=SHUFFLE", 1000000);
    add(effects, "BLOCK=256 WARP=VOLATILE", 1500000);
    add(effects, "BLOCK=512 WARP=VOLATILE", 4000000);
}

/* --- Of times alone ----------------------------------------------------------------------- */

static void test_best_with_each(void **state)
{
    (void)state;
    struct effects effects;
    fill(&effects);
    assert_int_equal(effects_find(&effects, &error), 0);
    assert_int_equal(effects.param_count, 2);
    assert_int_equal(effects.best, 2);
    const struct effects_param *block = param_of(&effects, "BLOCK");
    assert_int_equal(block->count, 3); /* not those that were not tried */
    assert_int_equal(value_of(block, 64)->tried, 2);
    assert_int_equal(value_of(block, 64)->best, 0);
    assert_near(value_of(block, 64)->ratio, 2);
    assert_near(value_of(block, 256)->ratio, 1);
    assert_near(value_of(block, 512)->ratio, 4);
    assert_true(value_of(block, 512)->high == 0);
    assert_int_equal(block->values[block->best].value, 256);
    assert_int_equal(block->values[block->worst].value, 512);
    assert_near(block->effect, 4);
    const struct effects_param *warp = param_of(&effects, "WARP");
    assert_int_equal(warp->count, 2);
    assert_near(warp->effect, 1.5);
    assert_int_equal(warp->values[1].best, 3);
    assert_true(effects_is_told(&effects, warp));
    effects.noise = 0.2; /* three spreads are more than the half */
    assert_false(effects_is_told(&effects, warp));
    assert_true(effects_is_told(&effects, block));
    effects_dispose(&effects);
}

static void test_nothing(void **state)
{
    (void)state;
    struct effects effects = {.space = space};
    size_t two[2];
    assert_int_equal(effects_find(&effects, &error), 0);
    assert_int_equal(effects.param_count, 0);
    assert_false(effects_greatest(&effects, two));
    effects_dispose(&effects);
    add(&effects, "BLOCK=64", 1000);
    assert_int_equal(effects_find(&effects, &error), 0);
    assert_int_equal(effects.param_count, 0);
    effects_dispose(&effects);
}

/* --- Of a race ---------------------------------------------------------------------------- */

/* Who led the race is the best of all, whatever the search said and whoever was luckier behind; the
 * ratios are those to it. */
static void test_race_decides(void **state)
{
    (void)state;
    struct effects effects = {.space = space};
    add_raced(&effects, "BLOCK=64", 1100000, 1, 1, 1, 1);
    add_raced(&effects, "BLOCK=128", 1000000, 1.02, 1.01, 1.03, 1.01);
    add_raced(&effects, "BLOCK=256", 1050000, 0.99, 0.98, 1.01, 1.005);
    add(&effects, "BLOCK=512", 2200000);
    assert_int_equal(effects_find(&effects, &error), 0);
    assert_int_equal(effects.best, 0);
    const struct effects_param *block = param_of(&effects, "BLOCK");
    assert_near(value_of(block, 64)->ratio, 1);
    assert_near(value_of(block, 128)->ratio, 1.02);
    assert_near(value_of(block, 128)->low, 1.01);
    assert_near(value_of(block, 128)->high, 1.03);
    assert_near(value_of(block, 256)->ratio, 0.99);
    assert_near(value_of(block, 512)->ratio, 2);
    assert_true(value_of(block, 512)->high == 0);
    assert_int_equal(block->values[block->best].value, 64);
    assert_near(block->effect, 2);
    effects_dispose(&effects);
}

/* Intervals that meet tell nothing apart. */
static void test_told_apart(void **state)
{
    (void)state;
    struct effects effects = {.space = space};
    add_raced(&effects, "BLOCK=64 WARP=SHUFFLE", 1000, 1, 1, 1, 1);
    add_raced(&effects, "BLOCK=64 WARP=VOLATILE", 1000, 1.1, 0.99, 1.2, 1.1);
    add_raced(&effects, "BLOCK=128 WARP=SHUFFLE", 1000, 1.003, 1.001, 1.004, 1.003);
    assert_int_equal(effects_find(&effects, &error), 0);
    assert_false(effects_is_told(&effects, param_of(&effects, "WARP")));
    assert_true(effects_is_told(&effects, param_of(&effects, "BLOCK")));
    effects_dispose(&effects);
}

/* --- Where trials are from ---------------------------------------------------------------- */

static void test_of_a_search(void **state)
{
    (void)state;
    enum { TRIALS = 5 };
    static const char *const params[TRIALS] = {"BLOCK=32", "BLOCK=64", "BLOCK=128", "BLOCK=256",
                                               "BLOCK=512"};
    const size_t width = space->param_count;
    int64_t *configs = calloc(TRIALS, width * sizeof *configs);
    struct tune_trial trials[TRIALS] = {
        {.is_judged = true, .status = TRIAL_MEASURED, .score = 2000, .times = 2},
        {.is_judged = true, .status = TRIAL_EQUAL, .equal_to = 0, .score = 2000, .times = 2},
        {.is_judged = true, .status = TRIAL_WRONG, .score = 100},
        {.is_judged = false, .status = TRIAL_MEASURED, .score = 100},
        {.is_judged = true,
         .status = TRIAL_MEASURED,
         .score = 1000,
         .times = 1,
         .registers = 40},
    };
    assert_non_null(configs);
    for (size_t i = 0; i < TRIALS; i++)
        make_row(space, params[i], configs + i * width);
    struct tune_place places[] = {{.config = configs,
                                   .median_ps = 2100,
                                   .ratio = 2.05,
                                   .ratio_low = 2,
                                   .ratio_high = 2.1,
                                   .choice = 2,
                                   .rounds = 7}};
    const struct tune_result result = {.points = {.width = width,
                                                  .configs = configs,
                                                  .count = TRIALS},
                                       .trials = trials,
                                       .places = places,
                                       .place_count = 1,
                                       .noise = 0.01};
    struct effects effects = {.space = space};
    assert_int_equal(effects_read_result(&effects, &result, &error), 0);
    assert_int_equal(effects.count, 3);
    assert_int_equal(effects.candidates, TRIALS);
    assert_int_equal(effects.trials[0].times, 7);
    assert_int_equal(effects.trials[1].raced_ps, 2100); /* by the one that it equals */
    assert_int_equal(effects.trials[2].raced_ps, 0);
    assert_int_equal(effects.trials[2].registers, 40);
    assert_near(value_of(param_of(&effects, "BLOCK"), 64)->ratio, 2);
    effects_dispose(&effects);
    free(configs);
}

static struct journal_trial line_of(uint64_t identity, const char *params, uint64_t ps)
{
    struct journal_trial line = {.identity = identity,
                                 .trial = {.status = TRIAL_MEASURED,
                                           .times_ps = {ps, ps + 20},
                                           .time_count = 2}};
    struct text all = {0};
    point_format(&all, space, config_of(params), true);
    snprintf(line.params, sizeof line.params, "%s", all.at);
    text_dispose(&all);
    return line;
}

/* The last of an identity counts; what another space tried under the same problem does not, nor
 * what has no time. */
static void test_of_a_journal(void **state)
{
    (void)state;
    const struct point_context context = {space, &problem, &target};
    struct journal_trial lines[] = {
        line_of(1, "BLOCK=64", 9000),  line_of(2, "BLOCK=128", 1000),
        line_of(1, "BLOCK=64", 3000),  line_of(3, "BLOCK=256", 500),
        line_of(4, "BLOCK=512", 2000), line_of(5, "BLOCK=1024", 10),
        line_of(6, "BLOCK=32", 4000),
    };
    lines[3].trial.status = TRIAL_WRONG;
    lines[6].trial.status = TRIAL_EQUAL;
    strcpy(lines[5].params + strlen(lines[5].params) - strlen("GRID=0"), "GRID=4");
    const struct journal journal = {.trials = lines, .count = sizeof lines / sizeof *lines};
    struct effects effects = {.space = space};
    assert_int_equal(effects_read_journal(&effects, &context, &journal, &error), 0);
    assert_int_equal(effects.count, 4);
    const struct effects_param *block = param_of(&effects, "BLOCK");
    assert_int_equal(block->count, 4);
    assert_int_equal(effects.trials[value_of(block, 64)->best].ps, 3010); /* the median */
    assert_int_equal(effects.trials[value_of(block, 32)->best].ps, 4010);
    assert_near(value_of(block, 512)->ratio, 2010. / 1010);
    effects_dispose(&effects);

    /* A value of reduce that axes prunes is none of its trials either. */
    lines[1] = line_of(2, "BLOCK=128", 1000);
    char *const warp = strstr(lines[1].params, "FINISH=PASSES");
    memcpy(warp, "FINISH=PACKED", strlen("FINISH=PACKED"));
    assert_int_equal(effects_read_journal(&effects, &context, &journal, &error), 0);
    assert_int_equal(effects.count, 3);
    effects_dispose(&effects);
}

/* --- Words -------------------------------------------------------------------------------- */

static struct effects_figures unknown(void)
{
    struct effects_figures figures = {.wanted = 0};
    for (size_t f = 0; f < EFFECTS_FIGURES; f++)
        figures.of[f] = EFFECTS_UNKNOWN;
    return figures;
}

static void assert_cause(const struct effects_figures *faster,
                         const struct effects_figures *slower, const char *wanted)
{
    struct text out = {0};
    effects_cause_compare(&out, faster, slower);
    assert_string_equal(out.at ? out.at : "", wanted);
    text_dispose(&out);
}

static void test_causes(void **state)
{
    (void)state;
    struct effects_figures fast = unknown(), slow = unknown();
    assert_cause(&fast, &slow, "");
    fast.of[EFFECTS_WARPS] = 64, slow.of[EFFECTS_WARPS] = 32;
    assert_cause(&fast, &slow, "32 warps on an SM, not 64");
    assert_cause(&slow, &fast, ""); /* more is no cause */
    slow.of[EFFECTS_WARPS] = 60;    /* too near */
    assert_cause(&fast, &slow, "");
    slow.of[EFFECTS_WARPS] = 32;
    fast.of[EFFECTS_LOADS] = 8, slow.of[EFFECTS_LOADS] = 32; /* the most first */
    assert_cause(
        &fast, &slow,
        "32 load instructions of a warp for 1024 elements, not 8.0; 32 warps on an SM, "
        "not 64");
    fast.of[EFFECTS_LOADS] = EFFECTS_UNKNOWN;
    fast.of[EFFECTS_ACCESSES] = 0,
    slow.of[EFFECTS_ACCESSES] = 2.25; /* from none on: more still */
    fast.of[EFFECTS_BLOCKS] = 1000, slow.of[EFFECTS_BLOCKS] = 12500000;
    fast.of[EFFECTS_LAUNCHES] = 2, slow.of[EFFECTS_LAUNCHES] = 3;
    assert_cause(
        &fast, &slow,
        "2.3 accesses of shared memory for 1024 elements, not none; 12500K blocks, not "
        "1000; 32 warps on an SM, not 64");
}

/* Bytes in flight that are more than enough are no better than enough. */
static void test_in_flight(void **state)
{
    (void)state;
    struct effects_figures fast = unknown(), slow = unknown();
    fast.wanted = slow.wanted = 18200;
    fast.of[EFFECTS_FLIGHT] = 65536, slow.of[EFFECTS_FLIGHT] = 32768;
    assert_cause(&fast, &slow, "");
    slow.of[EFFECTS_FLIGHT] = 8192;
    assert_cause(&fast, &slow, "8.2 kB in flight on an SM, not 66 (18.2 are enough)");
}

/* Figures follow from kernel and launch: of an H200 by registers, of the emulator without. */
static void test_figures(void **state)
{
    (void)state;
    const struct point_context context = {space, &problem, &target};
    const struct emit_sources sources = load_sources();
    const struct effects_subject subject = {&context, &sources, UINT64_C(4800000000000)};
    const struct effects_subject unseen = {&context, NULL, UINT64_C(4800000000000)};
    struct effects_figures one, other;
    effects_figures(&one, &subject, config_of("BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4"), 32);
    assert_near(one.of[EFFECTS_WARPS], 64);
    assert_near(one.of[EFFECTS_FLIGHT], 8 * 256 * 4 * 16.);
    assert_near(one.of[EFFECTS_BLOCKS], 97656 + 1);
    assert_near(one.of[EFFECTS_LOADS], 8);
    assert_true(one.of[EFFECTS_ACCESSES] > 0);
    effects_figures(&other, &unseen, config_of("BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4"), 64);
    assert_near(other.of[EFFECTS_WARPS], 32);
    assert_true(other.of[EFFECTS_LOADS] < 0);
    effects_figures(&other, &subject, config_of("ITEMS=16 VECTOR=1 UNROLL=4 WARP=VOLATILE"), 0);
    assert_near(other.of[EFFECTS_LOADS], 32);
    assert_true(other.of[EFFECTS_WARPS] < 0);
    assert_true(other.of[EFFECTS_ACCESSES] > 2 * one.of[EFFECTS_ACCESSES]);
    assert_true(other.of[EFFECTS_STEPS] > one.of[EFFECTS_STEPS]);
    effects_figures(&other, &subject, config_of("BLOCK=32 WARP=SHUFFLE"), 0);
    assert_true(other.of[EFFECTS_ACCESSES] == 0); /* known, and none */
}

static void test_sentences(void **state)
{
    (void)state;
    const struct point_context context = {space, &problem, &target};
    const struct effects_subject subject = {.context = &context};
    struct effects effects = {.space = space};
    struct text out = {0};
    add(&effects, "BLOCK=64 ITEMS=16 VECTOR=4 UNROLL=4", 3000);
    add(&effects, "BLOCK=64 ITEMS=4 VECTOR=4 UNROLL=1", 6000);
    add_raced(&effects, "BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4", 1000, 1, 1, 1, 1);
    add_raced(&effects, "BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=2", 1000, 1.01, 0.99, 1.02, 1.01);
    assert_int_equal(effects_find(&effects, &error), 0);
    effects.candidates = 720;
    effects_explain(&effects, &subject);
    assert_string_equal(
        param_of(&effects, "BLOCK")->why,
        "64 takes 3.00 times as long as 256: its best has 391K blocks, not 97700");
    assert_string_equal(
        param_of(&effects, "UNROLL")->why,
        "1 takes 6.00 times as long as 4: its best has 1570K blocks, not 97700; "
        "4 launches, not 3");
    effects_print(&out, &effects, true, false);
    assert_true(has(&out, "of each value of 3 params"));
    assert_true(has(&out, "; 4 of 720"));
    assert_true(has(&out, "emulated: no model of a GPU's speed"));
    assert_true(has(&out, "in the final race"));
    assert_true(has(&out, "; without an interval, in the search"));
    text_dispose(&out);
    effects_dispose(&effects);
}

/* --- The map ------------------------------------------------------------------------------ */

static double cell_of(const struct heat_map *map, const char *row, const char *column)
{
    for (size_t r = 0; r < map->rows.count; r++)
        for (size_t c = 0; c < map->columns.count; c++)
            if (strcmp(map->rows.labels[r], row) == 0 &&
                strcmp(map->columns.labels[c], column) == 0)
                return map->cells[r][c].count ? map->cells[r][c].value : 0;
    return -1;
}

static void test_map(void **state)
{
    (void)state;
    struct effects effects;
    struct heat_map *map;
    fill(&effects);
    add(&effects, "BLOCK=256 WARP=SHUFFLE UNROLL=2", 1250000); /* the best of a cell stays */
    assert_int_equal(effects_find(&effects, &error), 0);
    assert_int_equal(trials_map_of_effects(&map, NULL, &effects, &problem, &error), 0);
    assert_string_equal(map->rows.name, "BLOCK"); /* the greatest, then the next */
    assert_string_equal(map->columns.name, "WARP");
    assert_string_equal(map->rows.meaning, "threads per block");
    assert_int_equal(map->count, 6);
    assert_near(cell_of(map, "256", "SHUFFLE"), 1.6e9 / 1e-6 / 1e9);
    assert_near(cell_of(map, "64", "VOLATILE"), 1.6e9 / 3e-6 / 1e9);
    assert_near(cell_of(map, "512", "VOLATILE"), 1.6e9 / 4e-6 / 1e9);
    assert_true(cell_of(map, "512", "SHUFFLE") == 0);
    free(map);
    assert_int_equal(trials_map_of_effects(&map, "UNROLL,BLOCK", &effects, &problem, &error),
                     0);
    assert_near(cell_of(map, "2", "256"), 1.6e9 / 1.25e-6 / 1e9);
    free(map);
    assert_int_equal(trials_map_of_effects(&map, "UNROLL", &effects, &problem, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    effects_dispose(&effects);
}

/* --- The table ---------------------------------------------------------------------------- */

static void test_table(void **state)
{
    (void)state;
    struct effects effects = {.space = space};
    struct table table;
    struct text out = {0};
    add_raced(&effects, "BLOCK=64", 1000000, 1, 1, 1, 1);
    add_raced(&effects, "BLOCK=128 UNROLL=2", 1000000, 1.5, 1.25, 1.75, 1.5);
    add(&effects, "BLOCK=256 UNROLL=2", 2000000);
    assert_int_equal(effects_find(&effects, &error), 0);
    effects_table(&table, &effects);
    assert_int_equal(table.row_count, 5);
    table_print(&out, &table, false);
    assert_true(
        has(&out,
            "BLOCK      64      1  1.00  1.0000                       20  the best of all\n"));
    assert_true(
        has(&out, "128      1  1.50  1.5000  1.2500 to 1.7500     20  BLOCK=128 UNROLL=2\n"));
    assert_true(
        has(&out, "256      1  2.00  2.0000                        2  BLOCK=256 UNROLL=2\n"));
    text_clear(&out);
    table_csv(&out, &table);
    assert_true(has(&out, "param,value,tried,us,ratio,ratio_low,ratio_high,times,params\r\n"));
    assert_true(has(&out, "\nBLOCK,128,1,1.50,1.5000,1.2500,1.7500,20,BLOCK=128 ITEMS=16 "));
    assert_true(has(&out, "\nUNROLL,4,1,1.00,1.0000,,,20,BLOCK=64 "));
    text_dispose(&out);
    table_dispose(&table);
    effects_dispose(&effects);
}

static int open_space(void **state)
{
    (void)state;
    space = load_space("configs/axes.ini");
    return gpus_find(&target, "sm_90", &error) ||
           space_settle_default(space, &problem, &target, &error);
}

static int close_space(void **state)
{
    (void)state;
    space_free(space);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_with_each),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_race_decides),
        cmocka_unit_test(test_told_apart),
        cmocka_unit_test(test_of_a_search),
        cmocka_unit_test(test_of_a_journal),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_in_flight),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, open_space, close_space);
}
