/* export: the functions that an export carries, compiled as C99, choose what find
 * chooses and launch what call_plan launches; the same records give the same bytes; bad input
 * has a sentence. */
#include "autotune/device/nvrtc.h"
#include "cache/code.h"
#include "cache/find.h"
#include "generator/call.h"
#include "tests/unit/export_program.h"
#include "tests/unit/named_op.h"

#include <inttypes.h>

/* The GPUs of the records, then two that have none: another of a known kind, and a stranger. */
static const struct gpu gpus[] = {
    {"NVIDIA H200", 90, 132}, {"NVIDIA H100 PCIe", 90, 114}, {"NVIDIA H200 NVL", 90, 132},
    {"Tesla T4", 75, 40},     {"NVIDIA A100", 80, 108},      {"NVIDIA H20", 90, 78},
    {"NVIDIA L4", 89, 58},    {"NVIDIA H300", 90, 132},
};
enum { GPUS = sizeof gpus / sizeof *gpus, KNOWN_GPUS = 5 };

static const uint64_t tuned[] = {1000, 65536, 1 << 20, 100000007, UINT64_C(1) << 32};
static const uint64_t asked[] = {0,
                                 1,
                                 2,
                                 999,
                                 1000,
                                 1001,
                                 4096,
                                 8095,
                                 65535,
                                 65536,
                                 65537,
                                 262144,
                                 300000,
                                 524288,
                                 (1 << 20) - 1,
                                 1 << 20,
                                 (1 << 20) + 1,
                                 5000000,
                                 10239999,
                                 20480000,
                                 100000007,
                                 400000000,
                                 UINT64_C(655360022),
                                 (UINT64_C(1) << 32) - 1,
                                 UINT64_C(1) << 32,
                                 (UINT64_C(1) << 33) + 5};
enum { TUNED = sizeof tuned / sizeof *tuned, ASKED = sizeof asked / sizeof *asked };

/* --- Records ------------------------------------------------------------------------------ */

struct fixture {
    struct space *space;
    struct emit_sources sources;
    struct problem problem;
    struct interval records[64];
    size_t count;
    uint64_t random;
};

/* The default with some params changed, which the rules allow there. */
static void choose_params(struct fixture *fixture, const struct gpu *gpu, struct record *record)
{
    const struct space *space = fixture->space;
    const struct problem *problem = &record->problem;
    const struct target target = target_of(gpu);
    const struct point_context context = {space, problem, &target};
    int64_t row[SPACE_NAMES_MAX];
    for (int tries = 0; tries < 200000; tries++) {
        memcpy(row, space->default_config, space->param_count * sizeof *row);
        for (uint64_t changes = 1 + next_random(&fixture->random) % 8; changes > 0; changes--) {
            const size_t i = next_random(&fixture->random) % space->param_count;
            row[i] =
                space->params[i].values[next_random(&fixture->random) % space->params[i].count];
        }
        const int broken = point_reject(&context, row, &error);
        if (broken != POINT_VALID)
            continue;
        struct planner_plan plan;
        if (call_plan(&plan, &context, row, &error))
            continue;
        take_config(record, space, row);
        assert_int_equal(code_hash(&record->code, record, row, &context, &fixture->sources,
                                   &error),
                         0);
        return;
    }
    fail_msg("no row of the space was found");
}

static struct interval *add_record(struct fixture *fixture, const struct gpu *gpu, uint64_t n)
{
    struct interval *served = &fixture->records[fixture->count++];
    struct record *record = &served->record;
    struct problem problem = fixture->problem;
    problem.dims = dims_value(n);
    *record = make_record(gpu, fixture->space, &problem);
    choose_params(fixture, gpu, record);
    served->from = served->to = n;
    return served;
}

static void open_fixture_of(struct fixture *out, const struct operation *op, enum type type,
                            uint64_t seed)
{
    const struct gpu oldest = {"", 70, 0};
    struct target target = target_of(&oldest);
    *out = (struct fixture){.space = load_space("configs/reduce-wide.ini"),
                            .sources = load_sources(),
                            .random = seed,
                            .problem = {.op = op,
                                        .type = type,
                                        .acc = problem_default_acc(type),
                                        .dims = DIMS_VALUE(1)}};
    assert_int_equal(space_settle_default(out->space, &out->problem, &target, &error), 0);
    for (size_t g = 0; g < KNOWN_GPUS; g++)
        for (size_t i = 0; i < TUNED; i++)
            if (g < 2 || i % 2 == g % 2) /* not all sizes of all GPUs */
                add_record(out, &gpus[g], tuned[i]);
    struct interval *interval = add_record(out, &gpus[0], 300000);
    interval->from = 200000;
    interval->to = 700000;
}

static void open_fixture(struct fixture *out, enum op op, enum type type, uint64_t seed)
{
    open_fixture_of(out, op_of(op), type, seed);
}

static struct export_source source_of(const struct fixture *fixture)
{
    return (struct export_source){.space = fixture->space,
                                  .sources = &fixture->sources,
                                  .problem = fixture->problem,
                                  .records = fixture->records,
                                  .record_count = fixture->count,
                                  .prefix = "my",
                                  .command = "autotune export",
                                  .version = "0"};
}

/* --- The program that asks an export ------------------------------------------------------ */

static const char program[] =
    "#include \"my_table.h\"\n"
    "#include <inttypes.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "int main(int argc, char **argv)\n" /* code for CC, and rows with WORD are refused */
    "{\n"
    "    static unsigned char refused[MY_DEFAULT_ROW + 1];\n"
    "    char name[100];\n"
    "    static const char *const matches[] = {\"exact\", \"other n\", \"same cc\", "
    "\"default\"};\n"
    "    struct my_plan plan;\n"
    "    uint64_t n;\n"
    "    int cc, sms;\n"
    "    for (int row = 0; row < MY_DEFAULT_ROW; row++)\n"
    "        refused[row] = argc > 2 && strstr(my_rows[row].text, argv[2]) != 0;\n"
    "    while (scanf(\"%d %d %\" SCNu64 \" %99[^\\n]\", &cc, &sms, &n, name) == 4) {\n"
    "        const struct my_device device = {cc, sms, argc > 1 ? atoi(argv[1]) : cc, 0, 0,\n"
    "                                         name, refused};\n"
    "        enum my_fit match;\n"
    "        const int row = my_select(&device, n, &match);\n"
    "        const int failed = my_plan_row(&plan, row, sms, n);\n"
    "        printf(\"%s | %s |\", matches[match], my_rows[row].text);\n"
    "        if (failed)\n"
    "            printf(\" failed\");\n"
    "        else\n"
    "            printf(\" %\" PRIu64 \" %\" PRIu64, plan.scratch_bytes, plan.state_bytes);\n"
    "        for (int i = 0; i < plan.count && !failed; i++) {\n"
    "            const struct my_launch *l = &plan.launches[i];\n"
    "            printf(\" | %d %u %u %u %u %d %\" PRIu64 \" %\" PRIu64 \" %\" PRIu64 \" %\" "
    "PRIu64,\n"
    "                   l->step->pass, l->grid, l->step->block, l->step->cluster,\n"
    "                   l->step->shared_bytes, l->step->is_cooperative, l->inputs, "
    "l->outputs,\n"
    "                   l->output, l->partials);\n"
    "            for (int k = 0; k < l->step->arg_count; k++)\n"
    "                printf(\" %d\", (int)l->step->args[k]);\n"
    "        }\n"
    "        printf(\"\\n\");\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

/* What the program should say, by the parts of autotune that tune. */
static void add_want(struct text *out, const struct fixture *fixture, const struct gpu *gpu,
                     uint64_t n)
{
    static const char *const matches[SELECTOR_GRADES] = {[SELECTOR_EXACT] = "exact",
                                                         [SELECTOR_OTHER_SIZE] = "other n",
                                                         [SELECTOR_SAME_CC] = "same cc",
                                                         [SELECTOR_NONE] = "default"};
    const struct space *space = fixture->space;
    const struct records set = {.intervals = (struct interval *)fixture->records,
                                .interval_count = fixture->count};
    struct record want = fixture->records[0].record;
    struct target target = target_of(gpu);
    struct problem problem = fixture->problem;
    const struct point_context context = {space, &problem, &target};
    int64_t row[SPACE_NAMES_MAX];
    struct code_memo memo = {.next = 0};
    struct find find;
    struct planner_plan plan;
    want.problem.dims = problem.dims = dims_value(n);
    want.cc = gpu->cc;
    want.sms = gpu->sms;
    snprintf(want.gpu, sizeof want.gpu, "%s", gpu->name);
    find_begin(&find, &want, &context, &fixture->sources, &memo);
    assert_int_equal(find_among(&find, &set, &error), 0);
    memcpy(row, find.best.grade == SELECTOR_NONE ? space->default_config : find.best.config,
           space->param_count * sizeof *row);
    text_addf(out, "%s | ", matches[find.best.grade]);
    point_format(out, space, row, true);
    if (call_plan(&plan, &context, row, &error)) {
        text_adds(out, " | failed\n");
        return;
    }
    text_addf(out, " | %" PRIu64 " %" PRIu64, plan.scratch_bytes, plan.state_bytes);
    for (int i = 0; i < plan.count; i++) {
        const struct planner_launch *launch = &plan.launches[i];
        const struct pass *pass = &space->passes[launch->pass];
        const int64_t *keys = launch->keys;
        text_addf(out,
                  " | %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %" PRIu64
                  " %" PRId64 " %" PRIu64 " %" PRIu64,
                  launch->pass, keys[PLANNER_GRID], keys[PLANNER_BLOCK], keys[PLANNER_CLUSTER],
                  keys[PLANNER_SHARED_BYTES], pass->is_cooperative, dims_n(&launch->dims),
                  keys[PLANNER_OUTPUTS], launch->output, launch->partials);
        for (size_t k = 0; k < pass->arg_count; k++)
            text_addf(out, " %d", (int)pass->args[k]);
    }
    text_adds(out, "\n");
}

static void add_question(struct text *out, size_t g, size_t i)
{
    text_addf(out, "%d %d %" PRIu64 " %s\n", gpus[g].cc, gpus[g].sms, asked[i], gpus[g].name);
}

static void compare_answers(const struct fixture *fixture, struct text *met)
{
    char folder[] = "/tmp/autotune-export-XXXXXX";
    const struct export_source source = source_of(fixture);
    struct text questions = {0}, want = {0};
    assert_non_null(mkdtemp(folder));
    build_program(folder, &source, program);
    for (size_t g = 0; g < GPUS; g++)
        for (size_t i = 0; i < ASKED; i++) {
            add_question(&questions, g, i);
            add_want(&want, fixture, &gpus[g], asked[i]);
        }
    compare_program(folder, &questions, &want);
    for (size_t i = 0; i < 4; i++) { /* every match was met */
        static const char *const matches[] = {"exact |", "other n |", "same cc |", "default |"};
        assert_non_null(strstr(want.at, matches[i]));
    }
    /* tiles are counted in 31 bits: what has more is refused, not cut */
    run(folder, "echo 60 1 1125899906842624 x | ./program | grep -q '^default.* failed$'");
    run(folder, "echo 60 1 17179869184 x | ./program | grep -q '^default' && "
                "! echo 60 1 17179869184 x | ./program | grep -q failed");
    run(folder, "rm -r \"$PWD\"");
    text_add(met, want.at, want.length);
    text_dispose(&questions);
    text_dispose(&want);
}

static void test_answers(void **state)
{
    static const struct {
        enum op op;
        enum type type;
    } problems[] = {{SUM, I32}, {SUM, F32}, {MAX, I64}, {SUMSQ, I8}, {PROD, F64}, {MIN, F16}};
    enum { SEEDS = 3 };
    struct text met = {0};
    (void)state;
    for (size_t i = 0; i < SEEDS * sizeof problems / sizeof *problems; i++) {
        struct fixture fixture;
        open_fixture(&fixture, problems[i / SEEDS].op, problems[i / SEEDS].type, 7 + i);
        compare_answers(&fixture, &met);
        space_free(fixture.space);
    }
    static const char *const finishes[] = {"PASSES",  "LAST_BLOCK", "PACKED",  "PACKED_WARPS",
                                           "FLAGGED", "VALUE",      "BARRIER", "ATOMIC"};
    for (size_t i = 0; i < sizeof finishes / sizeof *finishes; i++) {
        char word[40];
        snprintf(word, sizeof word, "FINISH=%s ", finishes[i]);
        if (!strstr(met.at, word))
            fail_msg("no row with %s was asked for: choose other seeds", word);
    }
    text_dispose(&met);
}

/* The default for any number of elements, as the command has it. */
static void settle_for_any(struct fixture *fixture)
{
    struct problem many = fixture->problem;
    const struct gpu oldest = {"", 70, 0};
    const struct target target = target_of(&oldest);
    many.dims = dims_value(PROBLEM_USUAL_N);
    assert_int_equal(space_settle_default(fixture->space, &many, &target, &error), 0);
}

/* Of operations whose values and results have types of their own. A block or cluster alone finishes what it
 * has: its rows are for no more elements than these take. */
static void test_answers_of_texts(void **state)
{
    static const struct {
        const char *op;
        enum type type;
        const char *result, *says;
    } problems[] = {
        {"mean", I32, "typedef double my_result;",
         "/* A result is what 'mean' gives: sum of the elements divided by their count; integers"},
        {"absmax", F32, "typedef float my_result;",
         "gives: greatest magnitude; a NaN wins. */"},
        {"any", U8, "typedef uint32_t my_result;",
         "gives: 1 if any element is not zero, else 0. */"},
    };
    struct text met = {0};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const struct operation *op;
        struct export_files files;
        struct fixture fixture;
        struct export export;
        assert_int_equal(operation_find(&op, problems[i].op, &error), 0);
        open_fixture_of(&fixture, op, problems[i].type, 3 + i);
        settle_for_any(&fixture);
        compare_answers(&fixture, &met);
        const struct export_source source = source_of(&fixture);
        assert_int_equal(export_init(&export, &source, &error), 0);
        write_format(&files, &export, "cu");
        assert_non_null(strstr(files.at[0].text.at, problems[i].result));
        assert_non_null(strstr(files.at[0].text.at, problems[i].says));
        export_dispose_files(&files);
        export_dispose(&export);
        space_free(fixture.space);
    }
    assert_non_null(strstr(met.at, "FINISH=PASSES "));
    assert_non_null(strstr(met.at, "FINISH=FLAGGED "));
    text_dispose(&met);
}

/* --- Rows that are not there -------------------------------------------------------------- */

/* Leaves out the records that code for `cc` lacks, and those with the word. Returns how many. */
static size_t leave_out(struct fixture *fixture, int cc, const char *word)
{
    const struct export_source source = source_of(fixture);
    struct export export;
    bool is_out[64] = {false};
    size_t kept = 0, out = 0;
    assert_int_equal(export_init(&export, &source, &error), 0);
    for (size_t r = 0; r + 1 < export.row_count; r++)
        for (size_t i = 0; i < fixture->count; i++)
            if (export.rows[r].record == &fixture->records[i].record)
                is_out[i] |= export_row_needs(&export, &export.rows[r]) > cc ||
                             (*word && strstr(fixture->records[i].record.params, word));
    export_dispose(&export);
    for (size_t i = 0; i < fixture->count; i++) {
        out += is_out[i];
        if (!is_out[i])
            fixture->records[kept++] = fixture->records[i];
    }
    fixture->count = kept;
    return out;
}

/* What older code lacks and what the device refuses is as if it had not been tuned: the others serve,
 * the nearest first. */
static void test_lacking(void **state)
{
    static const struct {
        int cc;
        const char *word;
    } asks[] = {{75, ""}, {80, ""}, {90, "FINISH=PASSES"}, {75, "VECTOR=4"}};
    struct text questions = {0};
    size_t all = 0;
    (void)state;
    for (size_t g = 0; g < GPUS; g++)
        for (size_t i = 0; i < ASKED; i++)
            if (gpus[g].cc == 90)
                add_question(&questions, g, i);
    for (size_t i = 0; i < 2 * sizeof asks / sizeof *asks; i++) {
        char folder[] = "/tmp/autotune-export-XXXXXX", command[200];
        struct fixture fixture;
        struct export_source source;
        assert_non_null(mkdtemp(folder));
        put(folder, "in", questions.at, questions.length);
        open_fixture(&fixture, i % 2 ? MAX : SUM, i % 2 ? F32 : I32, 40 + i);
        source = source_of(&fixture);
        build_program(folder, &source, program);
        snprintf(command, sizeof command, "./program %d %s < in > lacking", asks[i / 2].cc,
                 asks[i / 2].word);
        run(folder, command);
        all += leave_out(&fixture, asks[i / 2].cc, asks[i / 2].word);
        source = source_of(&fixture);
        build_program(folder, &source, program);
        snprintf(command, sizeof command,
                 "./program %d < in > want && grep -q '^same cc' want && cmp lacking want",
                 asks[i / 2].cc);
        run(folder, command);
        run(folder, "rm -r \"$PWD\"");
        space_free(fixture.space);
    }
    assert_true(all > 10);
    text_dispose(&questions);
}

static bool has_needs(const struct export *export, int needs)
{
    for (size_t k = 0; k < export->kernel_count; k++)
        if (export_kernel_needs(&export->kernels[k]) == needs)
            return true;
    return false;
}

/* A kernel needs what it uses, not the GPU on which it won. */
static void test_needs(void **state)
{
    static const struct {
        const char *params; /* beside the default's */
        enum type type;
        int needs;
        size_t versions;
    } kernels[] = {
        {"", F32, 70, 1},
        {"LOAD=BULK STAGES=3 WALK=STRIDED FINISH=LAST_BLOCK GRID=2", F32, 90, 1},
        {"WARP=REDUX FINISH=PASSES GRID=0", I32, 80, 1},
        {"LOAD=L2_256B FINISH=PASSES GRID=0", F32, 80, 1},
        {"CLUSTER=8 FINISH=PASSES GRID=0", F32, 90, 1},
        {"BLOCK=512 WALK=STRIDED MIN_BLOCKS=2 FINISH=PASSES GRID=0", F32, 70, 1},
        {"BLOCK=512 WALK=STRIDED MIN_BLOCKS=4 FINISH=PASSES GRID=0", F32, 90,
         1}, /* sm_89: 1536 threads */
    };
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct fixture fixture;
        struct export export;
        int64_t row[SPACE_NAMES_MAX];
        open_fixture(&fixture, SUM, kernels[i].type, 1);
        fixture.count = 1; /* of sm_90 */
        memcpy(row, fixture.space->default_config, fixture.space->param_count * sizeof *row);
        assert_int_equal(point_parse(fixture.space, kernels[i].params, row, &error), 0);
        take_config(&fixture.records[0].record, fixture.space, row);
        struct export_source source = source_of(&fixture);
        assert_int_equal(export_init(&export, &source, &error), 0);
        if (export_row_needs(&export, &export.rows[0]) != kernels[i].needs)
            fail_msg("%s needs sm_%d", kernels[i].params,
                     export_row_needs(&export, &export.rows[0]));
        if (export.kernels[0].count != kernels[i].versions)
            fail_msg("%s: %zu versions", kernels[i].params, export.kernels[0].count);
        assert_true(has_needs(&export, 70)); /* of the default */
        export_dispose(&export);
        space_free(fixture.space);
    }
}

/* --- Bytes -------------------------------------------------------------------------------- */

static void write_all(struct text *out, const struct fixture *fixture)
{
    struct export_source source = source_of(fixture);
    struct export export;
    if (export_init(&export, &source, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; export_formats[i]; i++) {
        struct export_files files;
        if (export_formats[i]->code)
            continue; /* which needs a compiler */
        write_format(&files, &export, export_formats[i]->name);
        for (size_t k = 0; k < files.count; k++) {
            const char *mark = strstr(files.at[k].text.at, export_mark);
            assert_non_null(mark);
            assert_true(mark - files.at[k].text.at < 1000);
            text_addf(out, "%s\n%s", files.at[k].name, files.at[k].text.at);
        }
        export_dispose_files(&files);
    }
    export_dispose(&export);
}

/* How many lines begin with the `length` characters of `line`. */
static size_t count_lines(const char *text, const char *line, size_t length)
{
    size_t count = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
        count += strncmp(at, line, length) == 0;
    return count;
}

/* No variable is set twice. */
static void assert_each_once(const char *text, const char *open, const char *assign)
{
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
        const size_t line = strcspn(at, "\n");
        const size_t skip = strncmp(at, open, strlen(open)) == 0 ? strlen(open) : line;
        const size_t name = skip + strcspn(at + skip, " \n");
        const bool is_set = name < line && strncmp(at + name, assign, strlen(assign)) == 0;
        const size_t length = is_set ? name + 1 : 0;
        if (length && count_lines(text, at, length) != 1)
            fail_msg("twice: %.*s", (int)length, at);
    }
}

/* Of one GPU: an interval around two sizes that have records too, one of them the interval's
 * own n, and an n alone. */
static void test_variables(void **state)
{
    static const char *const set[] = {
        ("my_ROWS := sm_90_132_1000 sm_90_132_300000_from_14143 sm_90_132_250000 "
         "sm_90_132_300000_from_250001 sm_90_132_300000 sm_90_132_300000_from_300001 default\n"),
        "my_sm_90_132_1000_SERVES_FROM := 0\n",
        "my_sm_90_132_300000_from_14143_SERVES_UP_TO := 249999\n",
        "my_sm_90_132_300000_SERVES_FROM := 300000\n",
        "my_sm_90_132_300000_SERVES_UP_TO := 300000\n",
        "my_sm_90_132_300000_from_300001_SERVES_UP_TO := 9223372036854775807\n",
        "my_sm_90_132_300000_BLOCK := ",
        "my_default_BLOCK := ",
    };
    struct fixture fixture;
    struct export_files made, cmade;
    struct export export;
    (void)state;
    open_fixture(&fixture, SUM, I32, 21);
    fixture.count = 0;
    add_record(&fixture, &gpus[0], 1000);
    add_record(&fixture, &gpus[0], 250000);
    add_record(&fixture, &gpus[0], 300000);
    struct interval *interval = add_record(&fixture, &gpus[0], 300000);
    interval->from = 200000;
    interval->to = 700000;
    struct export_source source = source_of(&fixture);
    assert_int_equal(export_init(&export, &source, &error), 0);
    write_format(&made, &export, "make");
    write_format(&cmade, &export, "cmake");
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        if (!strstr(made.at[0].text.at, set[i]))
            fail_msg("no %s in %s", set[i], made.at[0].text.at);
    assert_non_null(strstr(cmade.at[0].text.at,
                           "set(my_sm_90_132_300000_from_250001_SERVES_FROM 250001)\n"));
    assert_null(strstr(made.at[0].text.at, "my_default_SERVES"));
    assert_each_once(made.at[0].text.at, "", " := ");
    assert_each_once(cmade.at[0].text.at, "set(", " ");
    export_dispose_files(&made);
    export_dispose_files(&cmade);
    export_dispose(&export);
    space_free(fixture.space);
}

/* Sizes next to each other that have one config are one row, with the time of each; one between them
 * with another config parts them. The face of the files has each config once, and microseconds. */
static void test_ranges(void **state)
{
    static const char *const told[] = {
        ("/* What was tuned: the sizes that each config serves, times, and params. All have\n"),
        " *   tuned 2026-11-21, driver 580 (CUDA 13.0), NVRTC 13.0\n",
        " *     n = 0 to 4472: 1.283 us at n = 1K to 1.284 us at n = 2K: ITEMS=",
        " *     n = 4473 to 31622: 343.2 us at n = 10K: ITEMS=",
        " *     n from 31623 on: 914.2 us at n = 100K to 914.2 us at n = 400K: ITEMS=",
    };
    static const struct {
        uint64_t n, ps;
    } sizes[] = {{1000, 1282999},     {2000, 1284000},     {10000, 343151986},
                 {100000, 914200000}, {200000, 914200000}, {400000, 914200000}};
    struct fixture fixture;
    struct export_files header, variables;
    struct export export;
    (void)state;
    open_fixture(&fixture, SUM, I32, 21);
    fixture.count = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct record *record = &add_record(&fixture, &gpus[0], sizes[i].n)->record;
        record->median_ps = sizes[i].ps;
        if (i == 1 || i > 3) { /* the same config as before */
            memcpy(record->params, fixture.records[i - 1].record.params, sizeof record->params);
            record->code = fixture.records[i - 1].record.code;
        }
    }
    struct interval *interval = &fixture.records[fixture.count++];
    *interval = fixture.records[4]; /* of 200000, around two */
    interval->from = 100000;
    interval->to = 250000;
    struct export_source source = source_of(&fixture);
    assert_int_equal(export_init(&export, &source, &error), 0);
    assert_int_equal(export.row_count, 4);
    assert_int_equal(export.rows[2].from, 100000);
    assert_int_equal(export.rows[2].to, 400000);
    write_format(&header, &export, "cu");
    write_format(&variables, &export, "make");
    const char *at = strstr(header.at[0].text.at, "\n#endif\n\n/* What was tuned");
    assert_non_null(at); /* behind the functions */
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!at || !(at = strstr(at, told[i])))
            fail_msg("no %s in order in %s", told[i],
                     strstr(header.at[0].text.at, "/* What was tuned"));
    assert_null(strstr(header.at[0].text.at, " ps"));
    assert_non_null(strstr(header.at[0].text.at,
                           "\n * Compile it by nvcc -std=c++17 -O3 -arch=sm_90 -c my.cu;"));
    assert_true(strstr(header.at[0].text.at, "cudaError_t my(") - header.at[0].text.at < 2500);
    assert_non_null(
        strstr(variables.at[0].text.at,
               "my_ROWS := sm_90_132_1000 sm_90_132_10000 sm_90_132_100000 default\n"));
    export_dispose_files(&header);
    export_dispose_files(&variables);
    export_dispose(&export);
    space_free(fixture.space);
}

/* In whatever order files and records were read. */
static void test_same_bytes(void **state)
{
    struct fixture fixture;
    struct text first = {0}, second = {0};
    (void)state;
    open_fixture(&fixture, SUM, I32, 3);
    write_all(&first, &fixture);
    for (size_t i = fixture.count; i > 1; i--) {
        const size_t k = next_random(&fixture.random) % i;
        const struct interval swapped = fixture.records[k];
        fixture.records[k] = fixture.records[i - 1];
        fixture.records[i - 1] = swapped;
    }
    write_all(&second, &fixture);
    assert_string_equal(first.at, second.at);
    text_dispose(&first);
    text_dispose(&second);
    space_free(fixture.space);
}

/* Rows that differ in what is known at launch alone share a kernel; the text of one for a newer
 * architecture is left out where an older one is compiled for. */
static void test_kernels(void **state)
{
    struct fixture fixture;
    struct export_files files;
    struct export export;
    (void)state;
    open_fixture(&fixture, SUM, I32, 5);
    fixture.count = 2; /* two of one GPU */
    struct record *const first = &fixture.records[0].record;
    struct record *const second = &fixture.records[1].record;
    snprintf(second->params, sizeof second->params, "%s", first->params);
    char *grid = strstr(second->params, "GRID=");
    assert_non_null(grid);
    strcpy(grid, strcmp(grid, "GRID=2") == 0 ? "GRID=1" : "GRID=2");
    struct export_source source = source_of(&fixture);
    assert_int_equal(export_init(&export, &source, &error), 0);
    assert_int_equal(export.row_count, 3);
    assert_int_equal(export.rows[0].record == export.rows[1].record, 0);
    assert_int_equal(export.steps[export.rows[0].first_step].kernel,
                     export.steps[export.rows[1].first_step].kernel);
    write_format(&files, &export, "cu");
    assert_string_equal(files.at[0].name, "my.h");
    assert_string_equal(files.at[1].name, "my.cu");
    assert_non_null(strstr(files.at[1].text.at, "__CUDA_ARCH__ >= 900"));
    assert_null(strstr(files.at[1].text.at, "__CUDA_ARCH__ >= 700"));
    export_dispose_files(&files);
    export_dispose(&export);
    space_free(fixture.space);
}

/* NVRTC compiles the .cu as it stands, for an architecture that has all kernels and for one
 * that is too old for them, and finds the kernels by their names. */
static void test_nvrtc(void **state)
{
    struct fixture fixture;
    struct export_files files;
    struct export export;
    (void)state;
    open_fixture(&fixture, SUM, I32, 13);
    struct export_source source = source_of(&fixture);
    assert_int_equal(export_init(&export, &source, &error), 0);
    write_format(&files, &export, "cu");
    for (int cc = 75; cc <= 90; cc += 15) {
        const struct device_source unit = {files.at[1].text.at, "my_kernels::v0::reduce"};
        struct device_image image;
        struct nvrtc *nvrtc;
        if (nvrtc_open(&nvrtc, NULL, cc, &error)) {
            print_message("no NVRTC here\n");
            skip();
        }
        if (nvrtc_compile(nvrtc, cc, NVRTC_CUBIN, &unit, 1, &image, &error))
            fail_msg("sm_%d: %s", cc, error.text);
        device_dispose_image(&image);
        nvrtc_close(nvrtc);
    }
    export_dispose_files(&files);
    export_dispose(&export);
    space_free(fixture.space);
}

/* What no launch of the rows mentions is not computed: compilers warn of it. */
static void test_unused(void **state)
{
    char folder[] = "/tmp/autotune-export-XXXXXX";
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, SUM, I32, 5);
    fixture.count = 1;
    take_config(&fixture.records[0].record, fixture.space, fixture.space->default_config);
    const struct export_source source = source_of(&fixture);
    assert_non_null(mkdtemp(folder));
    build_program(folder, &source, program);
    run(folder, "rm -r \"$PWD\"");
    space_free(fixture.space);
}

/* GPUs of as many SMs keep their rows, with names of their own. */
static void test_alike(void **state)
{
    struct fixture fixture;
    struct export_files files;
    struct export export;
    (void)state;
    open_fixture(&fixture, SUM, I32, 11);
    struct export_source source = source_of(&fixture);
    assert_int_equal(export_init(&export, &source, &error), 0);
    assert_int_equal(export.gpu_count, KNOWN_GPUS);
    write_format(&files, &export, "make");
    assert_non_null(strstr(files.at[0].text.at, "\nmy_sm_90_132_nvidia_h200_1000_BLOCK := "));
    assert_non_null(
        strstr(files.at[0].text.at, "\nmy_sm_90_132_nvidia_h200_nvl_1000_BLOCK := "));
    assert_non_null(strstr(files.at[0].text.at, "\nmy_sm_80_108_1000_BLOCK := "));
    assert_each_once(files.at[0].text.at, "", " := ");
    export_dispose_files(&files);
    export_dispose(&export);
    space_free(fixture.space);
}

/* --- Bad input ---------------------------------------------------------------------------- */

static void test_nothing(void **state)
{
    struct fixture fixture;
    struct export export;
    (void)state;
    open_fixture(&fixture, SUM, I32, 1);
    fixture.count = 0;
    struct export_source source = source_of(&fixture);
    assert_int_equal(export_init(&export, &source, &error), -1);
    assert_int_equal(error.code, ERROR_FAILED);
    assert_non_null(strstr(error.text, "nothing to export"));
    space_free(fixture.space);
}

static void test_prefix(void **state)
{
    static const char *const good[] = {"a", "sum_i32", "Sum4", "x_"};
    static const char *const bad[] =
        {"",          "4u",  "_x",
         "a-b",       "a b", "int",
         "namespace", "a;b", "abcdefghijabcdefghijabcdefghijabcdefghija"};
    char name[EXPORT_PREFIX_CHARS];
    struct problem problem = {.op = op_of(SUM), .type = I8, .acc = I64, .order = ORDER_RUN};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(export_check_prefix(good[i], &error), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(export_check_prefix(bad[i], &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
    }
    export_default_prefix(name, &problem);
    assert_string_equal(name, "sum_i8_i64_deterministic");
    assert_int_equal(export_check_prefix(name, &error), 0);
}

static void test_format(void **state)
{
    const struct export_format *format;
    (void)state;
    for (size_t i = 0; export_formats[i]; i++) {
        assert_int_equal(export_find_format(&format, export_formats[i]->name, &error), 0);
        assert_ptr_equal(format, export_formats[i]);
    }
    assert_int_equal(export_find_format(&format, "cuda", &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),    cmocka_unit_test(test_answers_of_texts),
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_unused),     cmocka_unit_test(test_alike),
        cmocka_unit_test(test_nvrtc),      cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_prefix),     cmocka_unit_test(test_format),
        cmocka_unit_test(test_variables),  cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_needs),      cmocka_unit_test(test_lacking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
