/* Tests of autotune/search/queued_unit.c: compiled units as they come from a worker, which of
 * their candidates are still to be tried, and the queue. */
#include "autotune/search/queued_unit.h"

#include "autotune/search/outcomes.h"

#include "autotune/device/gpus.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_CHARS = 32 };

static struct error error;

/* A search without workers, over the default space. */
struct fixture {
    struct space *space;
    struct problem problem;
    struct target target;
    struct point_context context;
    struct tune_job job;
    struct tune_options options;
    struct tune_result result;
    struct strategy_order order;
    double *prior;
    struct outcomes outcomes;
    struct queued_units queue;
};

static int setup(void **state)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    *f = (struct fixture){.space = load_space("configs/reduce.ini"),
                          .problem = {.op = op_of(SUM),
                                      .type = I32,
                                      .acc = I32,
                                      .dims = DIMS_VALUE(400000000),
                                      .regime = COLD}};
    assert_int_equal(gpus_find(&f->target, "sm_90", &error), 0);
    f->target.sms = 132; /* of the H200: gpus.ini knows architectures only */
    f->context = (struct point_context){f->space, &f->problem, &f->target};
    f->job = (struct tune_job){.context = &f->context};
    assert_int_equal(point_expand(&f->result.points, &f->context, &error), 0);
    f->result.trials = calloc(f->result.points.count, sizeof *f->result.trials);
    assert_non_null(f->result.trials);
    for (size_t i = 0; i < f->result.points.count; i++)
        f->result.trials[i].reason = -1;
    assert_int_equal(strategy_order(&f->order, &f->result.points, STRATEGY_RANDOM, NULL, NULL,
                                    0, 5, &error),
                     0);
    f->prior = calloc(f->result.points.count, sizeof *f->prior);
    f->outcomes = (struct outcomes){.job = &f->job,
                                    .options = &f->options,
                                    .result = &f->result,
                                    .order = &f->order,
                                    .prior = f->prior};
    assert_int_equal(outcomes_open(&f->outcomes, &error), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    queued_units_dispose(&f->queue);
    outcomes_dispose(&f->outcomes);
    free(f->prior);
    strategy_dispose(&f->order);
    tune_result_dispose(&f->result);
    space_free(f->space);
    return 0;
}

static const struct point_variant *variant_of(const struct fixture *f, size_t variant)
{
    return &f->result.points.variants[variant];
}

static const int64_t *first_row(const struct fixture *f, size_t variant)
{
    return tune_result_config(&f->result, variant_of(f, variant)->first);
}

/* Of these shapes there are several variants. */
#define SHAPE "BLOCK=128 ITEMS=32 UNROLL=8 WARP=REDUX FINISH=PACKED"
#define LARGER "BLOCK=128 ITEMS=64 UNROLL=8 WARP=REDUX FINISH=PACKED"

/* The variant of the space's default with these params. */
static size_t find_variant(const struct fixture *f, const char *params)
{
    int64_t row[SPACE_NAMES_MAX];
    make_row(f->space, params, row);
    for (size_t i = 0; i < f->result.points.count; i++)
        if (memcmp(tune_result_config(&f->result, i), row,
                   f->result.points.width * sizeof *row) == 0)
            return tune_result_variant(&f->result.points, i);
    fail_msg("the space has no %s", params);
    return 0;
}

/* --- As from a worker --------------------------------------------------------------------- */

/* One kernel a variant, whose machine code has this hash; 0 = unknown. A worker counts its
 * variants from 0. */
struct compiled {
    size_t variant;
    uint64_t hash;
    bool is_failed;
};

static struct frame frame_of(const struct compiled *compiled, size_t count)
{
    static char names[COMPILER_UNIT][NAME_CHARS], bytes[] = "ELF";
    static struct job_unit unit;
    char *name_of[COMPILER_UNIT];
    uint64_t hashes[COMPILER_UNIT];
    struct frame frame = {.kind = JOB_COMPILED};
    unit = (struct job_unit){.count = count, .compile_us = 1234};
    unit.image = (struct device_image){.bytes = bytes,
                                       .size = sizeof bytes,
                                       .names = name_of,
                                       .hashes = hashes};
    for (size_t i = 0; i < count; i++) {
        struct compiled_variant *variant = &unit.variants[i].compiled;
        *variant = (struct compiled_variant){.variant = i,
                                             .is_failed = compiled[i].is_failed,
                                             .sources_hash = 1000 + compiled[i].variant};
        for (size_t p = 0; p < SPACE_PASSES_MAX; p++)
            variant->kernel_of_pass[p] = p || variant->is_failed ? -1 : (int)unit.image.count;
        if (compiled[i].is_failed)
            continue;
        snprintf(names[i], sizeof names[i], "kernel%zu", i);
        name_of[unit.image.count] = names[i];
        hashes[unit.image.count++] = compiled[i].hash;
    }
    if (job_code_unit(&frame, &unit, 0, false, &error) != 0) /* no candidates: no width */
        fail_msg("%s", error.text);
    return frame;
}

static struct queued_unit *open_queued(struct fixture *f, const struct compiled *compiled,
                                       size_t count)
{
    struct frame frame = frame_of(compiled, count);
    struct decide_unit unit = {.count = count};
    for (size_t i = 0; i < count; i++)
        unit.variants[i] = compiled[i].variant;
    struct queued_unit *queued =
        queued_unit_open(&frame, &unit, f->result.points.width, &error);
    if (!queued)
        fail_msg("%s", error.text);
    assert_null(frame.body.at); /* taken over */
    return queued;
}

static int is_needed(void *outcomes, size_t candidate, uint64_t code_hash, struct error *unused)
{
    return outcomes_is_needed(outcomes, candidate, code_hash, unused);
}

/* Lists what is still to be tried, and queues the unit unless that is nothing. */
static void queue(struct fixture *f, struct queued_unit *queued)
{
    for (size_t i = 0; i < queued->unit.count; i++) {
        const struct compiled_variant *compiled = &queued->unit.variants[i].compiled;
        const struct point_variant *v = variant_of(f, compiled->variant);
        if (!compiled->is_failed &&
            queued_unit_list(queued, i, &f->result.points, f->order.candidates + v->first,
                             v->count, is_needed, &f->outcomes, &error) != 0)
            fail_msg("%s", error.text);
    }
    if (queued_unit_has_candidates(queued))
        queued_units_add(&f->queue, queued);
    else
        queued_unit_free(queued);
}

/* All candidates of the variant are listed, in the strategy's order, each with its row. */
static void assert_all_listed(const struct fixture *f, const struct job_variant *listed)
{
    const struct point_variant *variant = variant_of(f, listed->compiled.variant);
    assert_int_equal(listed->count, variant->count);
    for (size_t i = 0; i < listed->count; i++) {
        assert_int_equal(listed->ids[i], f->order.candidates[variant->first + i]);
        assert_memory_equal(listed->configs + i * f->result.points.width,
                            tune_result_config(&f->result, listed->ids[i]),
                            f->result.points.width * sizeof(int64_t));
    }
}

/* --- Opening ------------------------------------------------------------------------------ */

static void test_open(void **state)
{
    struct fixture *f = *state;
    const struct compiled compiled[] = {{30, 7, false}, {2, 0, false}, {9, 0, true}};
    struct queued_unit *queued = open_queued(f, compiled, 3);
    assert_int_equal(queued->unit.count, 3);
    assert_int_equal(queued->unit.compile_us, 1234);
    assert_int_equal(queued->unit.image.count, 2);
    assert_string_equal(queued->unit.image.names[1], "kernel1");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(queued->unit.variants[i].compiled.variant, compiled[i].variant);
        assert_int_equal(queued->unit.variants[i].count, 0);
        assert_int_equal(queued_unit_find(queued, compiled[i].variant), i);
    }
    assert_int_equal(queued_unit_find(queued, 1), 3);
    assert_int_equal(queued_unit_find(queued, JOB_NO_CANDIDATE), 3);
    assert_true(queued->unit.variants[2].compiled.is_failed);
    assert_true(queued_unit_hash(queued, 0) != 7 && queued_unit_hash(queued, 0) != 1030);
    assert_true(queued_unit_hash(queued, 1) ==
                1002); /* unknown code: its sources stand for it */
    queued_unit_free(queued);
    queued_unit_free(NULL);
}

/* Candidates that were not asked for lie in the frame, and are not freed. */
static void test_candidates_in_an_answer(void **state)
{
    static const uint64_t ids[] = {1, 2};
    struct fixture *f = *state;
    struct job_unit *unit = calloc(1, sizeof *unit);
    const struct decide_unit wanted = {{4, 5}, 2};
    struct frame frame = {.kind = JOB_COMPILED};
    assert_non_null(unit);
    unit->count = 2;
    unit->variants[1] = (struct job_variant){.count = 2,
                                             .ids = ids,
                                             .configs = tune_result_config(&f->result, 1)};
    for (size_t i = 0; i < 2; i++)
        memset(unit->variants[i].compiled.kernel_of_pass, -1,
               sizeof unit->variants[i].compiled.kernel_of_pass);
    assert_int_equal(job_code_unit(&frame, unit, f->result.points.width, false, &error), 0);
    struct queued_unit *queued =
        queued_unit_open(&frame, &wanted, f->result.points.width, &error);
    assert_non_null(queued);
    assert_int_equal(queued->unit.variants[1].count, 0);
    queued_unit_free(queued);
    free(unit);
}

/* Another number of variants than asked for, and every cut: no unit, the frame is freed. */
static void test_answers_that_are_none(void **state)
{
    struct fixture *f = *state;
    const struct compiled compiled[] = {{30, 7, false}, {2, 8, false}, {9, 0, true}};
    struct decide_unit unit = {{30, 2, 9}, 3};
    struct frame whole = frame_of(compiled, 3);
    for (size_t length = 0; length < whole.body.length; length++) {
        struct frame part = {0};
        assert_int_equal(frame_open_body(&part, JOB_COMPILED, length, &error), 0);
        memcpy(part.body.at, whole.body.at, length);
        assert_null(queued_unit_open(&part, &unit, f->result.points.width, &error));
        assert_null(part.body.at);
    }
    unit.count = 2;
    assert_null(queued_unit_open(&whole, &unit, f->result.points.width, &error));
    assert_non_null(strstr(error.text, "3 variants of 2"));
    whole = frame_of(compiled, 0);
    assert_null(queued_unit_open(&whole, &unit, f->result.points.width, &error));
    assert_non_null(strstr(error.text, "0 variants of 2"));
}

/* --- The queue ---------------------------------------------------------------------------- */

static void test_queue(void **state)
{
    struct fixture *f = *state;
    assert_null(queued_units_take(&f->queue));
    for (size_t v = 0; v < 6; v += 2) {
        const struct compiled compiled[] = {{v, 100 + v, false}, {v + 1, 101 + v, false}};
        queue(f, open_queued(f, compiled, 2));
        assert_int_equal(f->queue.count, v / 2 + 1);
    }
    for (size_t v = 0; v < 6; v += 2) { /* the first comes first */
        struct queued_unit *queued = queued_units_take(&f->queue);
        assert_non_null(queued);
        assert_int_equal(queued_unit_find(queued, v), 0);
        assert_int_equal(f->queue.count, 2 - v / 2);
        assert_all_listed(f, &queued->unit.variants[0]);
        assert_all_listed(f, &queued->unit.variants[1]);
        queued_unit_free(queued);
    }
    assert_null(queued_units_take(&f->queue));
    assert_int_equal(f->outcomes.done, 0);
}

/* One taken out goes to the end again, with what is left to be tried. */
static void test_queued_again(void **state)
{
    struct fixture *f = *state;
    const size_t variant = find_variant(f, SHAPE);
    const struct point_variant *v = variant_of(f, variant);
    const struct compiled a = {variant, 7, false}, b = {variant == 0, 8, false};
    assert_true(v->count > 2);
    queue(f, open_queued(f, &a, 1));
    queue(f, open_queued(f, &b, 1));
    struct queued_unit *queued = queued_units_take(&f->queue);
    const size_t tried = f->order.candidates[v->first + 1];
    trials_judge(&f->result, tried, TRIAL_CRASHED, "lost");
    queue(f, queued);
    assert_int_equal(f->queue.count, 2);
    assert_ptr_not_equal(f->queue.first, queued);
    queued_unit_free(queued_units_take(&f->queue));
    assert_ptr_equal(queued_units_take(&f->queue), queued);
    const struct job_variant *listed = &queued->unit.variants[0];
    assert_int_equal(listed->count, v->count - 1); /* none is equal to itself */
    for (size_t i = 0; i < listed->count; i++)
        assert_true(listed->ids[i] != tried);
    assert_int_equal(listed->ids[0], f->order.candidates[v->first]);
    assert_int_equal(listed->ids[1], f->order.candidates[v->first + 2]);
    assert_int_equal(f->result.counts[TRIAL_EQUAL], 0);
    queued_unit_free(queued);
}

/* Failed variants, and those judged already: there is nothing to try. */
static void test_nothing_to_try(void **state)
{
    struct fixture *f = *state;
    const struct compiled failed[] = {{0, 0, true}, {1, 0, true}};
    const struct compiled mixed[] = {{2, 7, false}, {3, 8, false}};
    queue(f, open_queued(f, failed, 2));
    assert_null(f->queue.first);
    for (size_t i = 0; i < variant_of(f, 2)->count; i++)
        trials_judge(&f->result, variant_of(f, 2)->first + i, TRIAL_MEASURED, NULL);
    queue(f, open_queued(f, mixed, 1));
    assert_null(f->queue.first);
    queue(f, open_queued(f, mixed, 2));
    assert_int_equal(f->queue.count, 1);
    assert_int_equal(f->queue.first->unit.variants[0].count, 0);
    assert_all_listed(f, &f->queue.first->unit.variants[1]);
}

/* --- Equal candidates --------------------------------------------------------------------- */

static size_t count_equal(const struct fixture *f, size_t variant, size_t to)
{
    const struct point_variant *v = variant_of(f, variant);
    size_t count = 0;
    for (size_t i = v->first; i < v->first + v->count; i++) {
        const struct tune_trial *trial = &f->result.trials[i];
        if (!trial->is_judged)
            continue;
        assert_int_equal(trial->status, TRIAL_EQUAL);
        assert_int_equal(tune_result_variant(&f->result.points, trial->equal_to), to);
        count++;
    }
    return count;
}

/* Two variants of one machine code and one shape, in different units: each candidate of the
 * second is equal to the one of the first with the same GRID. */
static void test_equal_candidates(void **state)
{
    struct fixture *f = *state;
    const size_t one = find_variant(f, SHAPE);
    const size_t two = find_variant(f, SHAPE " LOAD=NONCOHERENT");
    const struct compiled first = {one, 7, false}, second = {two, 7, false};
    queue(f, open_queued(f, &first, 1));
    queue(f, open_queued(f, &second, 1));
    assert_int_equal(f->queue.count, 1); /* nothing of the second is left to try */
    assert_all_listed(f, &f->queue.first->unit.variants[0]);
    assert_int_equal(variant_of(f, one)->count, variant_of(f, two)->count);
    assert_int_equal(count_equal(f, one, one), 0);
    assert_int_equal(count_equal(f, two, one), variant_of(f, two)->count);
    assert_int_equal(f->outcomes.done, variant_of(f, two)->count);
    const size_t width = f->result.points.width;
    const int grid = space_find_param(f->space, "GRID", 4);
    for (size_t i = 0; i < variant_of(f, two)->count; i++) {
        const size_t candidate = variant_of(f, two)->first + i;
        const size_t other = f->result.trials[candidate].equal_to;
        assert_true(grid >= 0 && (size_t)grid < width);
        assert_true(tune_result_config(&f->result, candidate)[grid] ==
                    tune_result_config(&f->result, other)[grid]);
    }
}

/* The same in one unit; other code, unknown code and another block are not equal. */
static void test_unequal_candidates(void **state)
{
    struct fixture *f = *state;
    const size_t plain = find_variant(f, SHAPE);
    const size_t equal = find_variant(f, SHAPE " LOAD=NONCOHERENT");
    const size_t other = find_variant(f, LARGER);
    const size_t block = find_variant(f, "BLOCK=256 WARP=REDUX FINISH=PACKED");
    const size_t unknown[] = {find_variant(f, LARGER " LOAD=NONCOHERENT"),
                              find_variant(f, LARGER " ACCUMS=2")};
    const struct compiled unit[] = {{plain, 7, false},
                                    {equal, 7, false},
                                    {other, 8, false},
                                    {block, 7, false}};
    const struct compiled more[] = {{unknown[0], 0, false}, {unknown[1], 0, false}};
    queue(f, open_queued(f, unit, 4));
    queue(f, open_queued(f, more, 2));
    const struct job_variant *listed = f->queue.first->unit.variants;
    assert_all_listed(f, &listed[0]);
    assert_int_equal(listed[1].count, 0);
    assert_int_equal(count_equal(f, equal, plain), variant_of(f, equal)->count);
    assert_all_listed(f, &listed[2]);
    assert_all_listed(f, &listed[3]);
    assert_all_listed(f, &f->queue.first->next->unit.variants[0]);
    assert_all_listed(f, &f->queue.first->next->unit.variants[1]);
}

/* --- Lists ----------------------------------------------------------------------------- */

static int is_not(void *context, size_t candidate, uint64_t code_hash, struct error *unused)
{
    (void)code_hash;
    (void)unused;
    return candidate != *(const size_t *)context;
}

/* Whatever is judged, those of the unit's variant that pass the filter are listed. */
static void test_list(void **state)
{
    struct fixture *f = *state;
    const size_t variant = find_variant(f, SHAPE);
    const struct point_variant *v = variant_of(f, variant);
    const struct compiled compiled = {variant, 7, false};
    for (size_t i = 0; i < v->count; i++)
        trials_judge(&f->result, v->first + i, TRIAL_MEASURED, NULL);
    struct queued_unit *queued = open_queued(f, &compiled, 1);
    struct job_variant *listed = &queued->unit.variants[0];
    assert_int_equal(listed->count, 0);
    const size_t wanted[] = {v->first + v->count, v->first + v->count - 1,
                             v->first - (v->first > 0), v->first};
    size_t none = SIZE_MAX, last = wanted[1];
    assert_int_equal(queued_unit_list(queued, 0, &f->result.points, wanted, 4, is_not, &none,
                                      &error),
                     0);
    assert_int_equal(listed->count, v->first > 0 ? 2 : 3);
    assert_int_equal(listed->ids[0], v->first + v->count - 1);
    assert_int_equal(listed->ids[listed->count - 1], v->first);
    assert_memory_equal(listed->configs + (listed->count - 1) * f->result.points.width,
                        first_row(f, variant), f->result.points.width * sizeof(int64_t));
    assert_int_equal(queued_unit_list(queued, 0, &f->result.points, wanted, 2, is_not, &last,
                                      &error),
                     0);
    assert_int_equal(listed->count, 0);
    assert_false(queued_unit_has_candidates(queued));
    assert_int_equal(queued_unit_list(queued, 0, &f->result.points, NULL, 0, is_not, &none,
                                      &error),
                     0);
    assert_int_equal(listed->count, 0);
    queued_unit_free(queued);
}

/* What was opened and listed can be sent on to a measuring worker. */
static void test_sent_on(void **state)
{
    struct fixture *f = *state;
    const struct compiled compiled[] = {{0, 7, false}, {3, 8, false}};
    struct frame frame = {.kind = JOB_TRY};
    struct job_unit *unit = calloc(1, sizeof *unit);
    assert_non_null(unit);
    queue(f, open_queued(f, compiled, 2));
    const size_t width = f->result.points.width;
    assert_int_equal(job_code_unit(&frame, &f->queue.first->unit, width, false, &error), 0);
    assert_int_equal(job_code_unit(&frame, unit, width, true, &error), 0);
    assert_all_listed(f, &unit->variants[0]);
    assert_all_listed(f, &unit->variants[1]);
    assert_string_equal(unit->image.names[1], "kernel1");
    frame_dispose(&frame);
    free(unit);
}

#define WITH_SEARCH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Variants of a kept unit in another order, as another search numbers them. */
static void test_share(void **state)
{
    struct fixture *f = *state;
    const struct compiled compiled[] = {{30, 7, false}, {2, 8, true}, {9, 0, false}};
    struct queued_unit *of = open_queued(f, compiled, 3);
    const size_t places[] = {2, 0};
    const struct decide_unit variants = {.variants = {4, 5}, .count = 2};
    struct queued_unit *queued = queued_unit_share(of, places, &variants, &error);
    assert_non_null(queued);
    assert_int_equal(queued->unit.count, 2);
    assert_int_equal(queued->unit.compile_us, 0);
    assert_int_equal(queued_unit_find(queued, 4), 0);
    assert_int_equal(queued_unit_find(queued, 5), 1);
    assert_int_equal(queued_unit_find(queued, 30), 2);
    assert_int_equal(queued_unit_hash(queued, 0), 1009); /* of the sources */
    assert_int_equal(queued_unit_hash(queued, 1), queued_unit_hash(of, 0));
    assert_ptr_equal(queued->unit.image.bytes, of->unit.image.bytes);
    queue(f, queued);
    assert_true(f->queue.count == 1);
    assert_all_listed(f, &f->queue.first->unit.variants[0]);
    assert_int_equal(of->unit.variants[0].count, 0);
    queued_units_dispose(&f->queue);
    queued_unit_free(of);
}

/* Gives the unit in a frame shadows: one image of those of variants 0 and 2. */
static struct queued_unit *open_shadowed(struct fixture *f, const struct compiled *compiled,
                                         size_t count)
{
    static char shadows[] = "shadows", first[] = "s0", last[] = "s2", *names[] = {first, last};
    struct job_unit *unit = calloc(1, sizeof *unit);
    struct frame frame = frame_of(compiled, count);
    struct decide_unit variants = {.count = count};
    assert_non_null(unit);
    assert_int_equal(job_code_unit(&frame, unit, 0, true, &error), 0);
    unit->shadows[0] = (struct device_image){.bytes = shadows,
                                             .size = sizeof shadows,
                                             .names = names,
                                             .count = 2};
    unit->shadow_count = 1;
    for (size_t i = 0; i < count; i++) {
        struct job_variant *variant = &unit->variants[i];
        variants.variants[i] = compiled[i].variant;
        variant->shadow_image = i % 2 == 0;
        variant->shadow = (struct compiled_variant){.sources_hash = 2000 + compiled[i].variant};
        for (size_t p = 0; p < SPACE_PASSES_MAX; p++)
            variant->shadow.kernel_of_pass[p] = p ? -1 : (int)i / 2;
    }
    struct frame shadowed = {.kind = JOB_COMPILED};
    assert_int_equal(job_code_unit(&shadowed, unit, 0, false, &error), 0);
    struct queued_unit *queued =
        queued_unit_open(&shadowed, &variants, f->result.points.width, &error);
    assert_non_null(queued);
    frame_dispose(&frame);
    free(unit);
    return queued;
}

/* Shadows of one unit serve another, from their own image. */
static void test_shadows(void **state)
{
    struct fixture *f = *state;
    const struct compiled some[] = {{30, 7, false}, {2, 8, false}, {9, 0, false}};
    const struct compiled others[] = {{5, 9, false}, {6, 10, false}, {7, 11, false}};
    struct queued_unit *with = open_shadowed(f, some, 3), *without = open_queued(f, others, 3);
    size_t places[COMPILER_UNIT];
    struct queued_unit *shadows = queued_unit_shadows(with, places, &error);
    assert_non_null(shadows);
    assert_int_equal(shadows->unit.count, 2);
    assert_int_equal(places[0], 0);
    assert_int_equal(places[1], 2);
    assert_int_equal(queued_unit_hash(shadows, 1), 2009);
    assert_string_equal(shadows->unit.image.bytes, "shadows");
    queued_unit_give_shadow(without, 0, shadows, 1);
    queued_unit_give_shadow(without, 1, with, 1); /* plain code may be another's shadow */
    queued_unit_give_shadow(without, 2, shadows, 0);
    assert_int_equal(without->unit.shadow_count, 2);
    for (size_t i = 0; i < 3; i++) {
        const struct job_variant *variant = &without->unit.variants[i];
        assert_string_equal(job_shadow_image(&without->unit, variant)->bytes,
                            i == 1 ? "ELF" : "shadows");
    }
    assert_int_equal(without->unit.variants[0].shadow.kernel_of_pass[0], 1);
    assert_int_equal(without->unit.variants[1].shadow.sources_hash, 1002);
    queued_unit_free(shadows);
    queued_unit_free(without);
    queued_unit_free(with);
}

/* Units of one variant, found by it. */
static void test_has(void **state)
{
    struct fixture *f = *state;
    const struct compiled compiled[] = {{1, 101, false}};
    queue(f, open_queued(f, compiled, 1));
    assert_true(queued_units_has(&f->queue, 1));
    assert_false(queued_units_has(&f->queue, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SEARCH(test_open),
        WITH_SEARCH(test_candidates_in_an_answer),
        WITH_SEARCH(test_answers_that_are_none),
        WITH_SEARCH(test_queue),
        WITH_SEARCH(test_share),
        WITH_SEARCH(test_shadows),
        WITH_SEARCH(test_has),
        WITH_SEARCH(test_queued_again),
        WITH_SEARCH(test_nothing_to_try),
        WITH_SEARCH(test_equal_candidates),
        WITH_SEARCH(test_unequal_candidates),
        WITH_SEARCH(test_list),
        WITH_SEARCH(test_sent_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
