/* Tests of autotune/search/trials.c: the index, identities, outcomes, and what a journal gives
 * back to the same space, a larger one, and another template. */
#include "autotune/search/trials.h"

#include "autotune/device/gpus.h"
#include "tests/unit/named_op.h"
#include "tests/unit/record_files.h"
#include "tests/unit/reduce_files.h"

static const char journal_file[] = "trials.journal";
static struct error error;

/* --- The index ---------------------------------------------------------------------------- */

static uint64_t key_of(uint64_t i)
{
    return i * 0x2545f4914f6cdd1d; /* odd: all differ, and 0 is the first */
}

static void test_index(void **state)
{
    enum { KEYS = 20000 };
    struct trials_index index = {0};
    uint64_t value;
    (void)state;
    assert_null(trials_index_find(&index, 0));
    for (uint64_t i = 0; i < KEYS; i++) {
        assert_null(trials_index_find(&index, key_of(i)));
        assert_int_equal(trials_index_add(&index, key_of(i), i, &value, &error), 0);
        assert_non_null(trials_index_find(&index, key_of(i)));
    }
    assert_int_equal(index.count, KEYS);
    assert_true(index.capacity >= 2 * KEYS);
    for (uint64_t i = 0; i < KEYS; i++) { /* the first value stays */
        value = UINT64_MAX;
        assert_int_equal(trials_index_add(&index, key_of(i), i + 1, &value, &error), 1);
        assert_true(value == i);
    }
    assert_int_equal(index.count, KEYS);
    assert_null(trials_index_find(&index, key_of(KEYS)));
    trials_index_dispose(&index);
    assert_null(trials_index_find(&index, key_of(1)));
    trials_index_dispose(&index);
}

/* A compiler's message may quote what a source has. */
static void test_reason(void **state)
{
    char reason[TRIAL_REASON];
    (void)state;
    trial_set_reason(reason, "a\033[2Jb\n\tc\x7f\xc3\xa9");
    assert_string_equal(reason, "a?[2Jb\n\tc?\xc3\xa9");
}

/* Keys that all want the same place: the index takes it from the upper bits of a product. */
static void test_index_of_keys_alike(void **state)
{
    struct trials_index index = {0};
    uint64_t value;
    (void)state;
    for (uint64_t i = 0; i < 3000; i++)
        assert_int_equal(trials_index_add(&index, i << 44, i, &value, &error), 0);
    for (uint64_t i = 0; i < 3000; i++) {
        assert_int_equal(trials_index_add(&index, i << 44, 0, &value, &error), 1);
        assert_true(value == i);
    }
    trials_index_dispose(&index);
}

static void test_variant_of_a_candidate(void **state)
{
    struct point_variant variants[] = {{0, 1}, {1, 3}, {4, 1}, {5, 7}};
    const struct points points = {.variants = variants, .variant_count = 4, .count = 12};
    (void)state;
    for (size_t v = 0; v < 4; v++)
        for (size_t i = 0; i < variants[v].count; i++)
            assert_int_equal(tune_result_variant(&points, variants[v].first + i), v);
}

/* --- A space to try ----------------------------------------------------------------------- */

/* The default space with other values of BLOCK and GRID, so that there are few candidates. */
static struct space *space_of(const char *blocks, const char *grids)
{
    static const char all_blocks[] = "32 64 128 256 512 1024";
    static const char all_grids[] = "0 1 2 3 4 5 6 8 12 16";
    const char *from = find_file("configs/reduce.ini")->bytes;
    const char *block_at = strstr(from, all_blocks), *grid_at = strstr(from, all_grids);
    struct text text = {0};
    struct space *space;
    assert_true(block_at && grid_at && block_at < grid_at);
    text_add(&text, from, (size_t)(block_at - from));
    text_adds(&text, blocks);
    block_at += sizeof all_blocks - 1;
    text_add(&text, block_at, (size_t)(grid_at - block_at));
    text_addf(&text, "%s%s", grids, grid_at + sizeof all_grids - 1);
    if (space_load(&space, "reduce.ini", text.at, text.length, NULL, &error) != 0)
        fail_msg("%s", error.text);
    text_dispose(&text);
    return space;
}

/* What a run has when it looks into its journal. */
struct run {
    struct space *space;
    struct problem problem;
    struct target target;
    struct point_context context;
    struct emit_sources sources;
    struct tune_job job;
    struct tune_result result;
};

static void open_run(struct run *run, const char *blocks, const char *grids)
{
    *run = (struct run){.space = space_of(blocks, grids),
                        .sources = load_sources(),
                        .problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD}};
    assert_int_equal(gpus_find(&run->target, "sm_90", &error), 0);
    run->target.sms = 132; /* of the H200: gpus.ini knows architectures only */
    run->context = (struct point_context){run->space, &run->problem, &run->target};
    run->job = (struct tune_job){.context = &run->context, .sources = &run->sources};
    if (point_expand(&run->result.points, &run->context, &error) != 0)
        fail_msg("%s", error.text);
    run->result.trials = calloc(run->result.points.count, sizeof *run->result.trials);
    assert_non_null(run->result.trials);
    for (size_t i = 0; i < run->result.points.count; i++)
        run->result.trials[i].reason = -1;
}

static void close_run(struct run *run)
{
    tune_result_dispose(&run->result);
    space_free(run->space);
}

/* --- Identities --------------------------------------------------------------------------- */

static uint64_t identity_of(const struct run *run, const char *params, uint64_t n,
                            uint64_t hash)
{
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(n),
                                    .regime = COLD};
    const struct point_context context = {run->space, &problem, &run->target};
    int64_t row[SPACE_NAMES_MAX];
    uint64_t identity;
    make_row(run->space, params, row);
    if (trials_identity(&identity, &context, row, hash, &error) != 0)
        fail_msg("%s", error.text);
    return identity;
}

/* Equal kernels, launched alike: whatever the space calls it. */
static void test_identity(void **state)
{
    const uint64_t n = 400000000;
    struct run run;
    (void)state;
    open_run(&run, "64 128 256 512 1024", "0 1 2 4 8 16");
    const uint64_t identity = identity_of(&run, "BLOCK=256 ITEMS=16 GRID=4", n, 9);
    assert_true(identity == identity_of(&run, "BLOCK=256 ITEMS=16 GRID=4", n, 9));
    assert_true(identity == identity_of(&run, "WARP=TREE UNROLL=2 GRID=4 ITEMS=16", n, 9));
    assert_true(identity != identity_of(&run, "BLOCK=256 ITEMS=16 GRID=4", n, 10));
    assert_true(identity != identity_of(&run, "BLOCK=512 ITEMS=16 GRID=4", n, 9));
    assert_true(identity != identity_of(&run, "BLOCK=256 ITEMS=16 GRID=2", n, 9));
    assert_true(identity != identity_of(&run, "BLOCK=256 ITEMS=16 GRID=0", n, 9));
    assert_true(identity != identity_of(&run, "BLOCK=256 ITEMS=16 GRID=4", n + 1, 9));
    assert_true(identity != identity_of(&run, "FINISH=LAST_BLOCK GRID=4", n, 9));
    close_run(&run);
}

/* One tile a block has the same grid with twice the threads and half the items; the block tells
 * them apart. With so few tiles that GRID does not matter it plays no part. */
static void test_identity_of_equal_grids(void **state)
{
    struct run run;
    (void)state;
    open_run(&run, "64 128 256 512 1024", "0 1 2 4 8 16");
    assert_true(identity_of(&run, "BLOCK=256 ITEMS=32 GRID=0 FINISH=LAST_BLOCK", 1 << 20, 9) !=
                identity_of(&run, "BLOCK=512 ITEMS=16 GRID=0 FINISH=LAST_BLOCK", 1 << 20, 9));
    const uint64_t few = 1 << 18, many = 1 << 24;
    assert_true(identity_of(&run, "GRID=0", few, 9) == identity_of(&run, "GRID=1", few, 9));
    assert_true(identity_of(&run, "GRID=8", few, 9) == identity_of(&run, "GRID=1", few, 9));
    assert_true(identity_of(&run, "GRID=0", many, 9) != identity_of(&run, "GRID=1", many, 9));
    close_run(&run);
}

/* Kernels that get their arguments in another order are launched otherwise: what a wrong space
 * file gave is not held against the right one. */
static void test_identity_of_other_arguments(void **state)
{
    struct run run;
    (void)state;
    open_run(&run, "256", "4");
    const uint64_t identity = identity_of(&run, "FINISH=PASSES", 400000000, 9);
    struct pass *pass = &run.space->passes[0];
    const enum planner_arg first = pass->args[0];
    pass->args[0] = pass->args[2];
    pass->args[2] = first;
    assert_true(identity != identity_of(&run, "FINISH=PASSES", 400000000, 9));
    close_run(&run);
}

static void test_identity_of_passes_that_are_not_timed(void **state)
{
    struct run run;
    (void)state;
    open_run(&run, "256", "4");
    const uint64_t identity = identity_of(&run, "FINISH=PASSES", 400000000, 9);
    run.space->passes[1].is_timed = !run.space->passes[1].is_timed;
    assert_true(identity != identity_of(&run, "FINISH=PASSES", 400000000, 9));
    close_run(&run);
}

/* Each number of a launch tells it apart, even where it is the only one that differs. */
static void test_identity_of_each_number(void **state)
{
    static const char *const keys[] = {"block = 32 * P\ngrid = 3\npartials = 3\n",
                                       "block = 32\ngrid = P\npartials = 3\n",
                                       "block = 32\ngrid = 3\npartials = P\n"};
    static const struct target target = {.cc = 90, .sms = 132, .threads_per_block = 1024};
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000),
                                    .regime = COLD};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        uint64_t identities[2];
        struct text text = {0};
        struct space *space;
        text_addf(&text,
                  "[space]\nname = a\ntemplate = a.cu\nkernel = a\n"
                  "[param P]\nvalues = 1 2\nwhen = launch\n"
                  "[pass a]\n%stile = 1\noutputs = 1\nargs = input n output partials\n"
                  "height = 1\n[default]\nP = 1\n",
                  keys[i]);
        if (space_load(&space, "a.ini", text.at, text.length, NULL, &error))
            fail_msg("%s", error.text);
        const struct point_context context = {space, &problem, &target};
        for (int64_t p = 1; p <= 2; p++)
            if (trials_identity(&identities[p - 1], &context, &p, 9, &error))
                fail_msg("%s", error.text);
        assert_true(identities[0] != identities[1]);
        space_free(space);
        text_dispose(&text);
    }
}

/* --- Outcomes ----------------------------------------------------------------------------- */

enum { FEW = 8 };

static void open_few(struct tune_result *result, struct tune_trial trials[FEW])
{
    *result = (struct tune_result){.points = {.count = FEW}, .trials = trials};
    for (size_t i = 0; i < FEW; i++)
        trials[i] = (struct tune_trial){.reason = -1};
}

static size_t count_all(const struct tune_result *result)
{
    size_t sum = 0;
    for (size_t i = 0; i < TRIAL_STATUSES; i++)
        sum += result->counts[i];
    return sum;
}

static void test_judge(void **state)
{
    struct tune_trial trials[FEW];
    struct tune_result result;
    (void)state;
    open_few(&result, trials);
    trials_judge(&result, 0, TRIAL_WRONG, "gave 3, not 4");
    trials_judge(&result, 1, TRIAL_WRONG, "gave 3, not 4");
    trials_judge(&result, 2, TRIAL_FAILED, "no registers");
    trials_judge(&result, 3, TRIAL_MEASURED, NULL);
    trials_judge(&result, 4, TRIAL_LEFT_OUT, "");
    assert_true(trials[0].is_judged && !trials[5].is_judged);
    assert_int_equal(result.counts[TRIAL_WRONG], 2);
    assert_int_equal(count_all(&result), 5);
    assert_int_equal(result.reason_count, 2);
    assert_string_equal(result.reasons[trials[0].reason], "gave 3, not 4");
    assert_int_equal(trials[1].reason, trials[0].reason);
    assert_string_equal(result.reasons[trials[2].reason], "no registers");
    assert_int_equal(trials[3].reason, -1);
    assert_int_equal(trials[4].reason, -1);
    trials_judge(&result, 3, TRIAL_CRASHED, "lost"); /* a later outcome replaces it */
    trials_judge(&result, 0, TRIAL_MEASURED, NULL);
    assert_int_equal(trials[0].reason, -1);
    assert_int_equal(result.counts[TRIAL_MEASURED], 1);
    assert_int_equal(result.counts[TRIAL_CRASHED], 1);
    assert_int_equal(result.counts[TRIAL_WRONG], 1);
    assert_int_equal(count_all(&result), 5);
}

/* There is room for the first reasons; long ones are cut. */
static void test_reasons(void **state)
{
    struct tune_trial trials[FEW];
    struct tune_result result;
    char reason[3 * TRIAL_REASON];
    (void)state;
    open_few(&result, trials);
    memset(reason, 'x', sizeof reason);
    reason[sizeof reason - 1] = '\0';
    trials_judge(&result, 0, TRIAL_WRONG, reason);
    assert_true(strlen(result.reasons[0]) < TRIAL_REASON);
    assert_int_equal(strncmp(result.reasons[0], reason, 200), 0);
    for (int i = 1; i < 2 * TUNE_REASONS_MAX; i++) {
        snprintf(reason, sizeof reason, "reason %d", i);
        trials_judge(&result, 1, TRIAL_WRONG, reason);
        assert_int_equal(trials[1].reason, i < TUNE_REASONS_MAX ? i : -1);
    }
    assert_int_equal(result.reason_count, TUNE_REASONS_MAX);
    assert_string_equal(result.reasons[TUNE_REASONS_MAX - 1], "reason 63");
    assert_int_equal(count_all(&result), 2);
}

static void test_take(void **state)
{
    struct trial message = {.status = TRIAL_MEASURED,
                            .times_ps = {900, 1000, 5000},
                            .time_count = 3,
                            .registers = 46};
    struct tune_trial trials[FEW];
    struct tune_result result;
    (void)state;
    open_few(&result, trials);
    trials_take(&result, 2, &message); /* no reference yet: the score is the time */
    assert_int_equal(trials[2].score, 1000);
    result.reference_ps = 40000;
    trials_take(&result, 2, &message);
    assert_int_equal(trials[2].score, 1000);
    message.reference_ps = 80000; /* the device was slower then */
    trials_take(&result, 2, &message);
    assert_int_equal(trials[2].status, TRIAL_MEASURED);
    assert_int_equal(trials[2].time_ps, 1000);
    assert_int_equal(trials[2].score, 500);
    assert_int_equal(trials[2].registers, 46);
    assert_int_equal(message.times_ps[2], 5000); /* the message is as it was */
    message.status = TRIAL_TOO_FAST;
    strcpy(message.reason, "faster than memory");
    trials_take(&result, 3, &message);
    assert_int_equal(trials[3].time_ps, 0);
    assert_int_equal(trials[3].score, 0);
    assert_string_equal(result.reasons[trials[3].reason], "faster than memory");
    assert_int_equal(result.counts[TRIAL_TOO_FAST], 1);
    assert_int_equal(count_all(&result), 2);
}

/* Candidates 0 to 3 were tried, or not; 4 to 7 are equal to them. */
static void test_settle(void **state)
{
    struct trial message = {.times_ps = {1000},
                            .time_count = 1,
                            .reference_ps = 500,
                            .registers = 46};
    struct tune_trial trials[FEW];
    struct tune_result result;
    (void)state;
    open_few(&result, trials);
    result.reference_ps = 1000;
    trials_take(&result, 0, &message);
    trials_judge(&result, 1, TRIAL_WRONG, "gave 3, not 4");
    trials_judge(&result, 2, TRIAL_LEFT_OUT, NULL);
    for (size_t i = 4; i < FEW; i++) {
        trials_judge(&result, i, TRIAL_EQUAL, NULL);
        trials[i].equal_to = (uint32_t)i - 4;
    }
    trials_settle(&result);
    assert_int_equal(trials[4].status, TRIAL_EQUAL);
    assert_int_equal(trials[4].time_ps, 1000);
    assert_int_equal(trials[4].score, 2000);
    assert_int_equal(trials[4].registers, 46);
    assert_int_equal(trials[5].status, TRIAL_WRONG);
    assert_string_equal(result.reasons[trials[5].reason], "gave 3, not 4");
    assert_int_equal(trials[6].status, TRIAL_LEFT_OUT);
    assert_int_equal(trials[7].status, TRIAL_LEFT_OUT); /* the original had no turn */
    assert_false(trials[3].is_judged);
    assert_int_equal(result.counts[TRIAL_EQUAL], 1);
    assert_int_equal(result.counts[TRIAL_WRONG], 2);
    assert_int_equal(result.counts[TRIAL_LEFT_OUT], 3);
    assert_int_equal(count_all(&result), 7);
    trials_settle(&result); /* settled is settled */
    assert_int_equal(result.counts[TRIAL_EQUAL], 1);
    assert_int_equal(count_all(&result), 7);
}

/* --- The journal -------------------------------------------------------------------------- */

static struct journal open_journal(void **state)
{
    char path[PATH_CHARS];
    struct journal journal;
    if (journal_open(&journal, path_in(path, state, journal_file), &example_record, false, NULL,
                     &error) != 0)
        fail_msg("%s", error.text);
    return journal;
}

/* The outcomes of the first run's candidates, several of each, and times that tell which. */
static struct trial trial_of(size_t candidate)
{
    struct trial trial = {.grid = 528,
                          .block = 256,
                          .registers = 20 + (unsigned)candidate % 50,
                          .measure_us = 5,
                          .compile_us = 7,
                          .prove_us = 8};
    trial.status = candidate % 11 == 3   ? TRIAL_WRONG
                   : candidate % 11 == 5 ? TRIAL_LEFT_OUT
                   : candidate % 11 == 7 ? TRIAL_HUNG
                                         : TRIAL_MEASURED;
    if (trial.status == TRIAL_WRONG)
        snprintf(trial.reason, sizeof trial.reason, "gave %zu,\tnot 4", candidate / 100);
    trial.reference_ps = candidate == 0 ? 0 : 1000000 * (1 + candidate % 2);
    if (trial.status != TRIAL_MEASURED)
        return trial;
    trial.time_count = 1 + candidate % 3;
    for (size_t i = 0; i < trial.time_count; i++)
        trial.times_ps[i] = 2000 + 10 * candidate;
    return trial;
}

static uint64_t sources_hash_of(const struct run *run, size_t variant)
{
    struct emit_variant emitted;
    const size_t first = run->result.points.variants[variant].first;
    assert_int_equal(emit_variant(&emitted, &run->context, &run->sources,
                                  tune_result_config(&run->result, first), &error),
                     0);
    const uint64_t hash = emit_hash_variant(&emitted);
    emit_dispose(&emitted);
    return hash;
}

static void record_all(struct run *run, void **state)
{
    struct journal journal = open_journal(state);
    const struct points *points = &run->result.points;
    for (size_t v = 0; v < points->variant_count; v++) {
        const uint64_t hash = sources_hash_of(run, v);
        for (size_t i = 0; i < points->variants[v].count; i++) {
            const size_t candidate = points->variants[v].first + i;
            const struct trial trial = trial_of(candidate);
            trials_record(&run->result, &run->job, &journal, candidate, &trial, hash, 0.5);
        }
    }
    assert_int_equal(run->result.journal_warning.code, ERROR_NONE);
    assert_int_equal(journal.count, points->count);
    assert_string_equal(trial_statuses[journal.trials[3].trial.status], "wrong");
    assert_int_equal(journal.trials[3].trial.compile_us, 7);
    assert_int_equal(journal.trials[3].trial.prove_us, 8);
    assert_int_equal(journal.trials[3].trial.measure_us, 5);
    assert_true(journal.trials[1].variant == journal.trials[0].variant ||
                points->variants[0].count == 1);
    assert_int_equal(strncmp(journal.trials[0].params, "BLOCK=", 6), 0);
    journal_close(&journal);
}

static void recall(struct run *run, void **state, enum strategy strategy)
{
    struct journal journal = open_journal(state);
    assert_int_equal(trials_recall(&run->result, &run->job, &journal, strategy, &error), 0);
    assert_null(journal.trials);
    journal_close(&journal);
}

/* The trial of the first run's candidate `old` is known as that of `candidate`. */
static void assert_recalled(const struct tune_result *result, size_t candidate, size_t old)
{
    const struct trial was = trial_of(old);
    const struct tune_trial *is = &result->trials[candidate];
    const bool is_measured = was.status == TRIAL_MEASURED;
    assert_true(is->is_judged && is->is_recalled);
    assert_int_equal(is->status, was.status);
    assert_int_equal(is->registers, was.registers);
    assert_int_equal(is->time_ps, is_measured ? was.times_ps[0] : 0);
    /* candidate 1 has the first reference time: 2000000 */
    assert_int_equal(is->score, !is_measured                  ? 0
                                : was.reference_ps == 1000000 ? 2 * was.times_ps[0]
                                                              : was.times_ps[0]);
    if (*was.reason)
        assert_string_equal(result->reasons[is->reason], was.reason);
    else
        assert_int_equal(is->reason, -1);
}

static void test_recall(void **state)
{
    struct run first, second;
    size_t left_out = 0;
    open_run(&first, "256", "0 2 4");
    open_run(&second, "256", "0 2 4");
    record_all(&first, state);
    recall(&second, state, STRATEGY_RACE);
    for (size_t i = 0; i < second.result.points.count; i++)
        assert_recalled(&second.result, i, i);
    assert_int_equal(second.result.recalled, second.result.points.count);
    assert_int_equal(second.result.reference_ps, 2000000);
    assert_int_equal(count_all(&second.result), second.result.points.count);
    close_run(&second);
    open_run(&second, "256", "0 2 4");
    recall(&second, state, STRATEGY_EXHAUSTIVE); /* what a race left out is to be tried */
    for (size_t i = 0; i < second.result.points.count; i++) {
        const bool is_left_out = trial_of(i).status == TRIAL_LEFT_OUT;
        assert_int_equal(second.result.trials[i].is_judged, !is_left_out);
        left_out += is_left_out;
        if (!is_left_out)
            assert_recalled(&second.result, i, i);
    }
    assert_true(left_out > 0);
    assert_int_equal(second.result.recalled, second.result.points.count - left_out);
    close_run(&second);
    close_run(&first);
}

static size_t find_row(const struct run *run, const int64_t *row)
{
    size_t i = 0;
    while (i < run->result.points.count && memcmp(tune_result_config(&run->result, i), row,
                                                  run->result.points.width * sizeof *row) != 0)
        i++;
    return i;
}

/* A space that has grown: all that it had is known, and what is new is not. */
static void check_growth(void **state, const char *blocks, const char *grids)
{
    struct run first, second;
    size_t new = 0;
    open_run(&first, "256", "0 2 4");
    open_run(&second, blocks, grids);
    recall(&second, state, STRATEGY_RACE);
    assert_int_equal(second.result.recalled, first.result.points.count);
    for (size_t i = 0; i < second.result.points.count; i++) {
        const size_t old = find_row(&first, tune_result_config(&second.result, i));
        new += !second.result.trials[i].is_judged;
        if (old < first.result.points.count)
            assert_recalled(&second.result, i, old);
        else
            assert_false(second.result.trials[i].is_judged);
    }
    assert_true(new > 0);
    assert_int_equal(new, second.result.points.count - first.result.points.count);
    close_run(&first);
    close_run(&second);
}

static void test_a_space_with_one_value_more(void **state)
{
    struct run run;
    open_run(&run, "256", "0 2 4");
    record_all(&run, state);
    close_run(&run);
    check_growth(state, "256", "0 2 4 8");
    check_growth(state, "128 256", "0 2 4");
}

static void test_a_changed_template(void **state)
{
    struct run first, second;
    struct text template = {0};
    open_run(&first, "256", "4");
    record_all(&first, state);
    close_run(&first);
    open_run(&second, "256", "4");
    text_adds(&template, second.sources.template.text);
    char *at =
        strstr(template.at, "__global__ void\n"); /* the kernel that reads the elements */
    assert_non_null(at);
    const size_t offset = (size_t)(at - template.at);
    struct text changed = {0};
    text_add(&changed, template.at, offset);
    text_addf(&changed, "/* changed */ %s", template.at + offset);
    second.sources.template.text = changed.at;
    recall(&second, state, STRATEGY_RACE);
    assert_int_equal(second.result.recalled, 0);
    assert_int_equal(count_all(&second.result), 0);
    text_dispose(&template);
    text_dispose(&changed);
    close_run(&second);
}

static void append(struct run *run, struct journal *journal, size_t candidate,
                   const struct trial *trial)
{
    const size_t variant = tune_result_variant(&run->result.points, candidate);
    trials_record(&run->result, &run->job, journal, candidate, trial,
                  sources_hash_of(run, variant), 0);
}

static void test_the_last_of_an_identity_counts(void **state)
{
    struct trial trial = {.times_ps = {700}, .time_count = 1};
    struct run run;
    open_run(&run, "256", "0 2 4");
    struct journal journal = open_journal(state);
    append(&run, &journal, 2, &trial);
    trial.times_ps[0] = 800;
    append(&run, &journal, 2, &trial);
    append(&run, &journal, 4, &trial);
    trial.status = TRIAL_WRONG;
    strcpy(trial.reason, "gave 3, not 4");
    append(&run, &journal, 4, &trial);
    journal_close(&journal);
    recall(&run, state, STRATEGY_RACE);
    assert_int_equal(run.result.recalled, 2);
    assert_int_equal(run.result.trials[2].time_ps, 800);
    assert_int_equal(run.result.trials[4].status, TRIAL_WRONG);
    assert_int_equal(run.result.trials[4].time_ps, 0);
    close_run(&run);
}

/* Lines without an outcome here: of another version's status, and measured without a time. A
 * candidate equal to another has that one's time, and is as good as measured. */
static void test_lines_that_mean_nothing(void **state)
{
    struct trial trial = {.times_ps = {700}, .time_count = 1};
    struct run run;
    open_run(&run, "256", "0 2 4");
    struct journal journal = open_journal(state);
    append(&run, &journal, 1, &trial);
    struct journal_trial line = journal.trials[0];
    for (int i = 0; i < 4; i++) {
        static const enum trial_status statuses[] = {TRIAL_STATUSES, TRIAL_MEASURED,
                                                     TRIAL_EQUAL, TRIAL_EQUAL};
        line.trial.status = statuses[i];
        line.trial.time_count = i % 2 == 0;
        assert_int_equal(journal_append(&journal, &line, &error), 0);
        struct run again;
        open_run(&again, "256", "0 2 4");
        journal_close(&journal);
        recall(&again, state, STRATEGY_RACE);
        assert_int_equal(again.result.recalled, i == 2);
        assert_int_equal(again.result.trials[1].is_judged, i == 2);
        assert_int_equal(again.result.counts[TRIAL_MEASURED], i == 2);
        assert_int_equal(again.result.trials[1].time_ps, i == 2 ? 700 : 0);
        close_run(&again);
        journal = open_journal(state);
    }
    journal_close(&journal);
    close_run(&run);
}

/* The first failure is kept and ends the recording. No journal is no failure. */
static void test_a_journal_that_cannot_be_written(void **state)
{
    const struct trial trial = {.times_ps = {700}, .time_count = 1};
    struct run run;
    open_run(&run, "256", "0 2 4");
    append(&run, NULL, 1, &trial);
    assert_int_equal(run.result.journal_warning.code, ERROR_NONE);
    struct journal journal = open_journal(state);
    const int file = journal.file;
    journal.file = -1;
    append(&run, &journal, 1, &trial);
    assert_int_equal(run.result.journal_warning.code, ERROR_IO);
    const struct error warning = run.result.journal_warning;
    journal.file = file;
    append(&run, &journal, 1, &trial);
    assert_string_equal(run.result.journal_warning.text, warning.text);
    assert_int_equal(journal.count, 0);
    journal_close(&journal);
    close_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reason),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_index_of_keys_alike),
        cmocka_unit_test(test_variant_of_a_candidate),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_identity_of_equal_grids),
        cmocka_unit_test(test_identity_of_other_arguments),
        cmocka_unit_test(test_identity_of_passes_that_are_not_timed),
        cmocka_unit_test(test_identity_of_each_number),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_take),
        cmocka_unit_test(test_settle),
        IN_FOLDER(test_recall),
        IN_FOLDER(test_a_space_with_one_value_more),
        IN_FOLDER(test_a_changed_template),
        IN_FOLDER(test_the_last_of_an_identity_counts),
        IN_FOLDER(test_lines_that_mean_nothing),
        IN_FOLDER(test_a_journal_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
