/* What the winners of one GPU lose on the other by the journals of both, the one config that loses
 * least, and how few do everywhere. */
#include "autotune/compare/compare_losses.h"
#include "cache/journal.h"
#include "tests/unit/named_op.h"
#include "tests/unit/record_files.h"

enum { SIZES = 2, GPUS = 2, CONFIGS = 4 };

static const char *const params[CONFIGS] = {"BLOCK=128 GRID=1", "BLOCK=256 GRID=1",
                                            "BLOCK=512 GRID=1", "BLOCK=1024 GRID=1"};
/* Of each GPU and size, by config; 0 = not tried. */
static const uint64_t times[GPUS][SIZES][CONFIGS] = {{{1000, 1010, 1100, 1500},
                                                      {2000, 2060, 2500, 0}},
                                                     {{1300, 1015, 1000, 900},
                                                      {3900, 3060, 3000, 3030}}};
static const size_t winners[GPUS][SIZES] = {{0, 0}, {3, 2}};

static struct record records[GPUS][SIZES];
static struct compare_line lines[SIZES];
static struct compare compare;

static void make(void)
{
    compare = (struct compare){.sides = {{.name = "One"}, {.name = "Two"}},
                               .side_count = GPUS,
                               .lines = lines,
                               .line_count = SIZES};
    for (size_t size = 0; size < SIZES; size++) {
        lines[size] =
            (struct compare_line){.problem = {.op = op_of(SUM),
                                              .type = F32,
                                              .acc = F32,
                                              .dims = dims_value(UINT64_C(1000) << size),
                                              .regime = COLD}};
        for (size_t gpu = 0; gpu < GPUS; gpu++) {
            struct record *record = &records[gpu][size];
            *record = example_record;
            record->problem = lines[size].problem;
            record->median_ps = times[gpu][size][winners[gpu][size]];
            snprintf(record->gpu, sizeof record->gpu, "%s", compare.sides[gpu].name);
            snprintf(record->params, sizeof record->params, "%s", params[winners[gpu][size]]);
            lines[size].cells[gpu] = (struct compare_cell){.basis = COMPARE_MEASURED,
                                                           .ps = record->median_ps,
                                                           .record = record};
        }
    }
}

static void keep_journal(void **state, size_t gpu, size_t size)
{
    struct text path = {0};
    struct journal journal;
    struct error error;
    const struct record *record = &records[gpu][size];
    if (journal_path(&path, *state, record, &error) ||
        journal_open(&journal, path.at, record, false, NULL, &error))
        fail_msg("%s", error.text);
    for (size_t c = 0; c < CONFIGS; c++) {
        const uint64_t ps = times[gpu][size][c];
        struct journal_trial trial = {.identity = c + 1,
                                      .variant = c + 1,
                                      .trial.status = ps ? TRIAL_MEASURED : TRIAL_WRONG,
                                      .trial.times_ps = {ps ? ps + 7 : 1, ps ? ps : 1},
                                      .trial.time_count = 2};
        snprintf(trial.params, sizeof trial.params, "%s", params[c]);
        assert_int_equal(journal_append(&journal, &trial, &error), 0);
    }
    journal_close(&journal);
    text_dispose(&path);
}

static void find(struct compare_losses *out, void **state)
{
    struct error error;
    if (compare_losses_find(out, &compare, 0, *state, &error))
        fail_msg("%s", error.text);
}

static void check_text(const struct compare_losses *losses, const char *want)
{
    struct text text = {0};
    compare_losses_print(&text, losses, &compare, false);
    assert_string_equal(text.at ? text.at : "", want);
    text_dispose(&text);
}

static void check_loss(const struct compare_losses *losses, size_t line, size_t of, size_t on,
                       double want)
{
    double percent;
    assert_true(compare_losses_at(&percent, losses, line, of, on));
    assert_true(percent > want - 0.01 && percent < want + 0.01);
}

static void test_both_ways(void **state)
{
    struct compare_losses losses;
    double percent;
    size_t configs[GPUS * SIZES], best;
    make();
    for (size_t gpu = 0; gpu < GPUS; gpu++)
        for (size_t size = 0; size < SIZES; size++)
            keep_journal(state, gpu, size);
    find(&losses, state);
    assert_int_equal(losses.cell_count, GPUS * SIZES);
    check_loss(&losses, 0, 0, 1, 44.44); /* 1300 of 900 */
    check_loss(&losses, 1, 0, 1, 30);
    check_loss(&losses, 0, 1, 0, 50);
    check_loss(&losses, 1, 1, 0, 25); /* a wrong one has no time; this one's winner does */
    assert_true(compare_losses_best(&best, &percent, &losses));
    assert_string_equal(losses.params[best], params[1]);
    assert_true(percent > 12.7 && percent < 12.8); /* 1015 of 900 */
    assert_int_equal(compare_losses_cover(configs, &losses, 2), 2);
    assert_string_equal(losses.params[configs[0]], params[3]);
    assert_string_equal(losses.params[configs[1]], params[0]);
    assert_int_equal(compare_losses_cover(configs, &losses, 13), 1);
    check_text(
        &losses,
        "longer by %               on One        on Two\n"
        "winners of One                 -  30.0 to 44.4\n"
        "winners of Two      25.0 to 50.0             -\n"
        "one config for all    1.0 to 3.0   2.0 to 12.8\n"
        "one       config for all of them, which takes at most 12.8 % longer than a GPU's own winner: BLOCK=256 GRID=1\n"
        "few       2 configs are enough to be within 2 % of the winner at every size on each of these GPUs\n");
    compare_losses_dispose(&losses);
}

static void test_without_journals(void **state)
{
    struct compare_losses losses;
    double percent;
    make();
    find(&losses, state);
    assert_false(compare_losses_at(&percent, &losses, 0, 0, 1));
    check_text(&losses,
               "loss      what the winners of one lose on the other is not known: 'autotune "
               "--candidates FILE' measures those\n          of the record file FILE first\n");
    compare_losses_dispose(&losses);
    snprintf(records[1][0].params, sizeof records[1][0].params, "%s", params[0]);
    find(&losses, state);
    check_loss(&losses, 0, 0, 1, 0); /* the same config won */
    compare_losses_dispose(&losses);
}

/* Winners that other configs beat in the search. */
static void test_less(void **state)
{
    static const size_t slow[GPUS][SIZES] = {{3, 2}, {0, 0}};
    struct compare_losses losses;
    make();
    for (size_t gpu = 0; gpu < GPUS; gpu++)
        for (size_t size = 0; size < SIZES; size++) {
            struct record *record = &records[gpu][size];
            snprintf(record->params, sizeof record->params, "%s", params[slow[gpu][size]]);
            keep_journal(state, gpu, size);
        }
    find(&losses, state);
    check_text(
        &losses,
        "longer by %                 on One          on Two\n"
        "winners of One                   -  -30.8 to -23.1\n"
        "winners of Two      -33.3 to -20.0               -\n"
        "one config for all  -32.7 to -17.6  -21.9 to -21.5\n"
        "below     0: in the search it took less time than that GPU's own winner, which won the "
        "last race, or is the\n"
        "          simplest of those that cannot be told apart\n"
        "one       config for all of them, which takes at least 17.6 % less than a GPU's own "
        "winner: BLOCK=256 GRID=1\n"
        "few       1 config is enough to be within 2 % of the winner at every size on each of "
        "these GPUs\n");
    compare_losses_dispose(&losses);
}

/* One of them was not measured, or by another space: nothing compares. */
static void test_one_alone(void **state)
{
    struct compare_losses losses;
    make();
    lines[0].cells[1].basis = COMPARE_BOUND;
    snprintf(records[1][1].space, sizeof records[1][1].space, "other");
    find(&losses, state);
    assert_int_equal(losses.cell_count, 0);
    check_text(&losses, "");
    compare_losses_dispose(&losses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(test_both_ways),
                                       IN_FOLDER(test_without_journals), IN_FOLDER(test_less),
                                       IN_FOLDER(test_one_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
