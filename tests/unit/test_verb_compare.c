/* The verb on files: what was measured on two GPUs, whose winner loses how much on the other by
 * its journal, and the portability of both. */
#include "autotune/cli/verbs.h"
#include "autotune/compare/compare_params.h"
#include "autotune/device/nvrtc.h"
#include "cache/journal.h"
#include "tests/unit/named_op.h"
#include "tests/unit/record_files.h"

static const char on_a[] =
    "BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4 ACCUMS=1 WARP=SHUFFLE LOAD=PLAIN "
    "STAGES=0 WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 FINISH=FLAGGED GRID=4";
static const char on_b[] =
    "BLOCK=512 ITEMS=16 VECTOR=4 UNROLL=4 ACCUMS=1 WARP=SHUFFLE LOAD=PLAIN "
    "STAGES=0 WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 FINISH=FLAGGED GRID=2";

/* A record of a sum of 2^28 f32 on a GPU of 1000 GB/s. */
static struct record make_record(const char *gpu, const char *params, uint64_t ps)
{
    struct record record = example_record;
    record.problem = (struct problem){.op = op_of(SUM),
                                      .type = F32,
                                      .acc = F32,
                                      .dims = DIMS_VALUE(1 << 28),
                                      .regime = COLD};
    record.memory_clock_khz = 1000000;
    record.bus_bits = 4000;
    record.median_ps = record.low_ps = record.high_ps = ps;
    snprintf(record.gpu, sizeof record.gpu, "%s", gpu);
    snprintf(record.params, sizeof record.params, "%s", params);
    return record;
}

static void keep_record(char path[PATH_CHARS], void **state, const char *name,
                        const struct record *record)
{
    struct error error;
    path_in(path, state, name);
    if (save_record(path, record, &error))
        fail_msg("%s", error.text);
}

static void add_trial(struct journal *journal, uint64_t identity, const char *params,
                      uint64_t first, uint64_t second)
{
    struct error error;
    struct journal_trial trial = {.identity = identity,
                                  .variant = identity,
                                  .trial.registers = 32,
                                  .prior = (double)first,
                                  .trial.status = TRIAL_MEASURED,
                                  .trial.times_ps = {first, second},
                                  .trial.time_count = 2};
    snprintf(trial.params, sizeof trial.params, "%s", params);
    if (journal_append(journal, &trial, &error))
        fail_msg("%s", error.text);
}

static void keep_journal(void **state, const struct record *record)
{
    struct text path = {0};
    struct journal journal;
    struct error error;
    if (journal_path(&path, *state, record, &error) ||
        journal_open(&journal, path.at, record, false, NULL, &error))
        fail_msg("%s", error.text);
    add_trial(&journal, 1, on_b, 4100, 4000);
    add_trial(&journal, 2, on_a, 5000, 5200);
    journal_close(&journal);
    text_dispose(&path);
}

/* What `autotune compare A B --json FILE` writes, with one more option. */
static struct text compare_with(void **state, char *a, char *b, char *option)
{
    char json[PATH_CHARS], out[] = "--json", cache[] = "--cache";
    char csv[] = "--csv=-";
    char verb[] = "autotune compare";
    path_in(json, state, "out.json");
    char *argv[] = {verb, a, b, out, json, csv, cache, *state, option, NULL};
    struct error error;
    if (verbs_run(&verb_compare, 9, argv, &error))
        fail_msg("%s", error.text);
    return get_file(json);
}

static struct text compare(void **state, char *a, char *b)
{
    char quiet[] = "--quiet";
    return compare_with(state, a, b, quiet);
}

static void check_holds(const struct text *text, const char *part)
{
    if (!strstr(text->at, part))
        fail_msg("\"%s\" is not in:\n%s", part, text->at);
}

static void test_loss_by_the_journal(void **state)
{
    char a[PATH_CHARS], b[PATH_CHARS];
    const struct record first = make_record("GPU A", on_a, 2 * UINT64_C(1073741824));
    const struct record second = make_record("GPU B", on_b, 4 * UINT64_C(1073741824));
    keep_record(a, state, "a.ini", &first);
    keep_record(b, state, "b.ini", &second);
    struct text got = compare(state, a, b); /* no journal: the loss is not known */
    check_holds(&got, "\"loss_pct\": null, \"ranked_candidates\": null, \"bound_rank\": null, "
                      "\"prior_rank\": null, \"code_rank\": null, \"above_bound\": null, "
                      "\"portability_pct\": 33.3, "
                      "\"portability_basis\": \"measured\"");
    if (strstr(got.at, "\"loss_pct\": 0") || strstr(got.at, "\"basis\": \"predicted\""))
        fail_msg("%s", got.at);
    text_dispose(&got);
    keep_journal(state, &second);
    got = compare(state, a, b);
    check_holds(&got, "\"gpu\": \"GPU A\", \"basis\": \"measured\", \"us\": 2147.48, "
                      "\"time\": \"2147.48 us\", \"gbs\": 500.0, \"peak_pct\": 50.0");
    check_holds(&got, "\"gpu\": \"GPU B\", \"basis\": \"measured\", \"us\": 4294.97, "
                      "\"time\": \"4294.97 us\", \"gbs\": 250.0, \"peak_pct\": 25.0");
    /* 5000 against 4000; both keep enough in flight; the prior was the higher of the slower;
     * and no GPU reads 1 GiB in 5000 ps. */
    check_holds(&got, "\"loss_pct\": 25.0, \"ranked_candidates\": 2, \"bound_rank\": 0.00, "
                      "\"prior_rank\": -1.00, \"code_rank\": null, \"above_bound\": 2, "
                      "\"portability_pct\": 33.3");
    text_dispose(&got);
}

/* Blocks that load little at a time, and few of them, are bound by bytes in flight, whatever
 * else is unknown of them; a journal that has them slow agrees with its bounds. */
static void test_evidence(void **state)
{
    static const struct {
        const char *block, *grid;
        uint64_t us;
    } trials[] = {{"32", "1", 9000}, {"64", "1", 6000}, {"64", "2", 4000}, {"256", "4", 400}};
    char a[PATH_CHARS], name[] = "v100", option[] = "--evidence";
    struct record record = make_record("NVIDIA H200", on_a, 400 * UINT64_C(1000000));
    struct text path = {0};
    struct journal journal;
    struct nvrtc *nvrtc;
    struct error error;
    record.memory_clock_khz = 3201000;
    record.bus_bits = 6016;
    keep_record(a, state, "nvidia-h200.ini", &record);
    if (journal_path(&path, *state, &record, &error) ||
        journal_open(&journal, path.at, &record, false, NULL, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        char params[CONFIG_PARAMS_MAX];
        snprintf(params, sizeof params,
                 "BLOCK=%s ITEMS=4 VECTOR=4 UNROLL=1 ACCUMS=1 WARP=SHUFFLE LOAD=PLAIN STAGES=0 "
                 "WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 FINISH=FLAGGED GRID=%s",
                 trials[i].block, trials[i].grid);
        add_trial(&journal, i + 1, params, trials[i].us * 1000000, trials[i].us * 1000000);
    }
    journal_close(&journal);
    text_dispose(&path);
    struct text got = compare(state, a, name);
    check_holds(&got, "\"ranked_candidates\": 4, \"bound_rank\": 1.00, \"prior_rank\": -1.00, "
                      "\"code_rank\": null, \"above_bound\": 0");
    text_dispose(&got);
    if (nvrtc_open(&nvrtc, NULL, 90, &error)) {
        print_message("no NVRTC compiles for sm_90 here\n");
        skip();
    }
    nvrtc_close(nvrtc);
    got = compare_with(state, a, name, option);
    check_holds(&got, "\"ranked_candidates\": 4, \"bound_rank\": 1.00, \"prior_rank\": -1.00, "
                      "\"code_rank\": 1.00, \"above_bound\": 0");
    text_dispose(&got);
}

/* Of each param in which two winners differ: the rule that the other's value breaks, and what it costs
 * by the journal. */
static void test_params_that_differ(void **state)
{
    static const char *const all[] =
        {"BLOCK=512 ITEMS=16 VECTOR=4 UNROLL=4 ACCUMS=1 MATH=CUDA "
         "WARP=REDUX LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=1 "
         "CLUSTER=1 FINISH=FLAGGED GRID=4",
         "BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4 ACCUMS=1 MATH=CUDA "
         "WARP=SHUFFLE LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=1 "
         "CLUSTER=1 FINISH=FLAGGED GRID=4",
         "BLOCK=512 ITEMS=16 VECTOR=4 UNROLL=4 ACCUMS=1 MATH=CUDA "
         "WARP=SHUFFLE LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=1 "
         "CLUSTER=1 FINISH=FLAGGED GRID=4"};
    static const char *const gpus[] = {"NVIDIA H200", "Tesla V100 SXM2"};
    char paths[2][PATH_CHARS];
    struct comparison *comparison;
    struct request request = {.cache = *state, .out.quiet = true};
    struct text text = {0};
    struct error error;
    for (size_t i = 0; i < 2; i++) {
        struct record record = make_record(gpus[i], all[i], 4 * UINT64_C(1073741824));
        struct text path = {0};
        struct journal journal;
        record.problem.type = record.problem.acc = I32;
        keep_record(paths[i], state, i ? "b.ini" : "a.ini", &record);
        if (journal_path(&path, *state, &record, &error) ||
            journal_open(&journal, path.at, &record, false, NULL, &error))
            fail_msg("%s", error.text);
        for (size_t c = i; c < 3; c++)
            add_trial(&journal, c, all[c], c == i ? 1000 : 1100 + 10 * c, 2000);
        journal_close(&journal);
        text_dispose(&path);
    }
    const char *const names[] = {paths[0], paths[1]};
    if (compare_gather_open(&comparison, &request, names, 2, &error))
        fail_msg("%s", error.text);
    comparison->is_brief = true;
    assert_int_equal(compare_gather_gather(comparison, &error), 0);
    compare_gather_fill(comparison);
    compare_params_print(&text, comparison, false);
    assert_string_equal(
        text.at,
        "\nsum i32 256Mi cold  H200   V100     what is known of it\n"
        "BLOCK               512    256      512 in its place takes 12.0 % longer on V100\n"
        "WARP                REDUX  SHUFFLE  SHUFFLE in its place takes 12.0 % longer on H200; REDUX "
        "is not allowed on V100: redux.sync takes 32-bit integers, from sm_80 on\n");
    text_dispose(&text);
    compare_gather_close(comparison);
}

static void test_same_winner_loses_nothing(void **state)
{
    char a[PATH_CHARS], b[PATH_CHARS];
    const struct record first = make_record("GPU A", on_a, 2 * UINT64_C(1073741824));
    const struct record second = make_record("GPU B", on_a, 2 * UINT64_C(1073741824));
    keep_record(a, state, "a.ini", &first);
    keep_record(b, state, "b.ini", &second);
    struct text got = compare(state, a, b);
    check_holds(&got, "\"loss_pct\": 0.0, \"ranked_candidates\": null");
    text_dispose(&got);
}

/* What a rule of the space rejects on another GPU is changed for it, and that is said: one param,
 * and two of which neither fits alone. */
static void test_changed_where_rejected(void **state)
{
    static const char *const words[][2] = {{"WARP=SHUFFLE LOAD=PLAIN STAGES=0", "null"},
                                           {"WARP=REDUX LOAD=PLAIN STAGES=0",
                                            "\"WARP=SHUFFLE\""},
                                           {"WARP=SHUFFLE LOAD=BULK STAGES=2",
                                            "\"LOAD=PLAIN STAGES=0\""}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char a[PATH_CHARS], params[CONFIG_PARAMS_MAX], part[600], v100[] = "v100";
        struct text got;
        snprintf(params, sizeof params,
                 "BLOCK=512 ITEMS=32 VECTOR=4 UNROLL=4 ACCUMS=1 MATH=CUDA %s "
                 "WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 FINISH=PACKED GRID=0",
                 words[i][0]);
        struct record record = make_record("NVIDIA H200", params, 400 * UINT64_C(1000000));
        record.problem.type = record.problem.acc = I32;
        snprintf(part, sizeof part, "%zu.ini", i);
        keep_record(a, state, part, &record);
        got = compare(state, a, v100);
        snprintf(part, sizeof part, "\"changed\": %s, \"winner\": \"%s\"", words[i][1], params);
        check_holds(&got, part);
        text_dispose(&got);
    }
}

/* A GPU's name stands for the records kept of it, whatever their file is called. */
static void test_records_by_name(void **state)
{
    char a[PATH_CHARS], b[PATH_CHARS], name[] = "h200", other[] = "v100";
    struct record kept = make_record("NVIDIA H200", on_a, 2 * UINT64_C(1073741824));
    const struct record alien = make_record("GPU B", on_b, 1000);
    keep_record(a, state, "whatever.ini", &kept);
    keep_record(b, state, "b.ini", &alien);
    struct text got = compare(state, name, other);
    check_holds(&got, "\"gpu\": \"H200\", \"basis\": \"measured\", \"us\": 2147.48");
    if (strstr(got.at, "GPU B"))
        fail_msg("%s", got.at);
    text_dispose(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_loss_by_the_journal),       IN_FOLDER(test_evidence),
        IN_FOLDER(test_same_winner_loses_nothing), IN_FOLDER(test_changed_where_rejected),
        IN_FOLDER(test_records_by_name),           IN_FOLDER(test_params_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
