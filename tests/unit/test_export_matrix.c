/* export of rows and columns: the functions that an export carries, compiled as C99, choose
 * the best ranked record under the space's rules, however far, and launch what call_plan launches;
 * sizes that no kernel serves are refused with a sentence. */
#include "cache/code.h"
#include "generator/call.h"
#include "generator/selector.h"
#include "tests/unit/export_program.h"
#include "tests/unit/matrix_dims.h"
#include "tests/unit/named_op.h"

#include <inttypes.h>
#include <math.h>

/* The GPUs of the records, then another of a known kind and a stranger. */
static const struct gpu gpus[] = {
    {"NVIDIA H200", 90, 132}, {"NVIDIA H100 PCIe", 90, 114}, {"Tesla T4", 75, 40},
    {"NVIDIA H20", 90, 78},   {"NVIDIA L4", 89, 58},
};
enum { GPUS = sizeof gpus / sizeof *gpus, KNOWN_GPUS = 3 };

static const struct matrix tuned[] = {
    {100000, 32, 32, 0},        {4096, 1024, 1024, 0}, {4096, 1000, 1003, 0},
    {3, 40000000, 40000000, 0}, {50, 65536, 65536, 0}, {1 << 20, 64, 64, 0},
    {200000, 7, 7, 0},
};
static const struct matrix asked[] = {
    {2, 2, 2, 0},
    {4096, 1024, 1024, 0},
    {4096, 1000, 1003, 0},
    {4097, 1021, 1021, 0},
    {4097, 1022, 1022, 0},
    {3, 40000000, 40000000, 0},
    {2, 39999999, 40000001, 0},
    {1 << 20, 67, 80, 0},
    {300000, 7, 7, 0},
    {1 << 20, 4096, 4096, 0},
    {5, 1000000000, 1000000000, 0},
    {12, 300000, 300000, 0},
    {300000, 13, 13, 0},
    {64, 2048, 2050, 0},
    {1000000, 129, 129, 0},
};
enum { TUNED = sizeof tuned / sizeof *tuned, ASKED = sizeof asked / sizeof *asked };

struct fixture {
    struct space *space;
    struct emit_sources sources;
    struct problem problem; /* whose default the space's is */
    struct interval records[KNOWN_GPUS * TUNED];
    size_t count;
    uint64_t random;
};

/* --- Records ------------------------------------------------------------------------------ */

static bool is_of_rows(const struct space *space)
{
    struct problem problem = {.op = op_of(SUM), .type = I32, .acc = I32};
    assert_true(space_find_dims(space, &problem, 1 << 20, 1 << 10, 0));
    return problem.dims.outer.n > 1;
}

/* For columns as deep, and as many. */
static struct matrix turned(const struct fixture *fixture, struct matrix shape)
{
    const uint64_t gap = shape.pitch - shape.len;
    const struct matrix columns = {shape.len, shape.rows, shape.rows + gap, OF_COLUMNS};
    shape.axis = OF_ROWS;
    return is_of_rows(fixture->space) ? shape : columns;
}

static struct problem shaped(const struct fixture *fixture, struct matrix shape)
{
    struct problem problem = fixture->problem;
    problem.dims = matrix_dims(turned(fixture, shape));
    return problem;
}

/* With a random row that all rules allow there. */
static void add_record(struct fixture *fixture, const struct gpu *gpu, struct matrix shape)
{
    const struct space *space = fixture->space;
    const struct problem problem = shaped(fixture, shape);
    const struct target target = target_of(gpu);
    const struct point_context context = {space, &problem, &target};
    struct interval *served = &fixture->records[fixture->count++];
    struct record *record = &served->record;
    int64_t row[SPACE_NAMES_MAX];
    *record = make_record(gpu, space, &problem);
    served->from = served->to = problem.dims.depth.n;
    for (int tries = 0; tries < 2000000; tries++) {
        for (size_t i = 0; i < space->param_count; i++)
            row[i] =
                space->params[i].values[next_random(&fixture->random) % space->params[i].count];
        if (point_reject(&context, row, &error) == POINT_VALID) {
            take_config(record, space, row);
            assert_int_equal(code_hash(&record->code, record, row, &context, &fixture->sources,
                                       &error),
                             0);
            return;
        }
    }
    fail_msg("no row of the space was found");
}

static void open_fixture(struct fixture *out, const char *name, enum op op, enum type type,
                         uint64_t seed)
{
    static const struct gpu oldest = {"", 70, 0};
    const struct target target = target_of(&oldest);
    char path[64];
    snprintf(path, sizeof path, "configs/%s.ini", name);
    *out = (struct fixture){.space = load_space(path),
                            .sources = load_sources(),
                            .random = seed,
                            .problem = {.op = op_of(op),
                                        .type = type,
                                        .acc = problem_default_acc(type)}};
    snprintf(path, sizeof path, "templates/%s.cu", name);
    out->sources.template =
        (struct emit_file){out->space->template_name, find_file(path)->bytes};
    out->problem = shaped(out, (struct matrix){1 << 14, 1024, 1025, OF_ROWS});
    assert_int_equal(space_settle_default(out->space, &out->problem, &target, &error), 0);
    for (size_t g = 0; g < KNOWN_GPUS; g++)
        for (size_t i = g; i < TUNED; i += g + 1)
            add_record(out, &gpus[g], tuned[i]);
}

/* --- The program that asks an export ------------------------------------------------------ */

static const char program[] =
    "#include \"my_table.h\"\n"
    "#include <inttypes.h>\n"
    "#include <stdio.h>\n"
    "/* The first half of the rows, planned for all of them. */\n"
    "static void print_fewer(int row, int sms, const struct my_matrix *all)\n"
    "{\n"
    "    const struct my_matrix some = {(all->rows + 1) / 2, all->len, all->pitch};\n"
    "    const struct my_dims most = my_dims_of(all), dims = my_dims_of(&some);\n"
    "    struct my_planner_plan plan;\n"
    "    if (my_plan_dims(&plan, row, sms, &most, &dims))\n"
    "        printf(\" | fewer refused\");\n"
    "    for (int i = 0; i < plan.count; i++)\n"
    "        printf(\" | %\" PRIu64 \" %\" PRIu64 \" %\" PRId64 \" %\" PRId64 \" %\" PRIu64,\n"
    "               plan.launches[i].dims.outer.n, plan.launches[i].dims.depth.n,\n"
    "               plan.launches[i].parts, plan.launches[i].keys[MY_PLANNER_GRID],\n"
    "               plan.launches[i].output);\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    static const char *const matches[] = {\"exact\", \"other\", \"same cc\", "
    "\"default\"};\n"
    "    struct my_matrix m;\n"
    "    struct my_plan plan;\n"
    "    char name[100];\n"
    "    int cc, sms;\n"
    "    while (scanf(\"%d %d %\" SCNd64 \" %\" SCNd64 \" %\" SCNd64 \" %99[^\\n]\", &cc, &sms,\n"
    "                 &m.rows, &m.len, &m.pitch, name) == 6) {\n"
    "        enum my_fit match;\n"
    "        const struct my_device device = {cc, sms, cc, 0, 0, name, 0};\n"
    "        const int row = my_select(&device, &m, &match);\n"
    "        const int failed = my_plan_row(&plan, row, sms, &m);\n"
    "        printf(\"%s | %s |\", matches[match], my_rows[row].text);\n"
    "        if (failed)\n"
    "            printf(\" refused: %s\", plan.refusal);\n"
    "        else\n"
    "            printf(\" %\" PRIu64 \" %\" PRIu64, plan.scratch_bytes, plan.state_bytes);\n"
    "        for (int i = 0; i < plan.count && !failed; i++) {\n"
    "            const struct my_launch *l = &plan.launches[i];\n"
    "            const struct my_dims *d = &l->whole.dims;\n"
    "            printf(\" | %d %u %u\", l->step->pass, l->grid, l->step->block);\n"
    "            printf(\" %\" PRIu64 \" %\" PRIu64 \" %\" PRIu64 \" %\" PRIu64 \" %\" PRIu64 \" %\" PRIu64,\n"
    "                   d->outer.n, d->outer.stride, d->depth.n, d->depth.stride, d->inner.n,\n"
    "                   d->inner.stride);\n"
    "            printf(\" %\" PRId64 \" %\" PRIu64 \" %\" PRIu64 \" %\" PRIu64, l->whole.parts,\n"
    "                   l->outputs, l->output, l->partials);\n"
    "            for (int k = 0; k < l->step->arg_count; k++)\n"
    "                printf(\" %d\", (int)l->step->args[k]);\n"
    "        }\n"
    "        if (!failed)\n"
    "            print_fewer(row, sms, &m);\n"
    "        printf(\"\\n\");\n"
    "    }\n"
    "    return my_kernel_names[0] == 0;\n"
    "}\n";

/* The first half of the rows, planned for all of them. */
static void add_fewer(struct text *out, const struct point_context *context, const int64_t *row)
{
    struct dims some = context->problem->dims;
    struct planner_plan plan;
    struct call *call;
    uint64_t *rows = is_of_rows(context->space) ? &some.outer.n : &some.depth.n;
    *rows = (*rows + 1) / 2;
    if (call_make(&call, &plan, context, row, &error) || call_ask(call, &plan, &some, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < plan.count; i++)
        text_addf(out, " | %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64,
                  plan.launches[i].dims.outer.n, plan.launches[i].dims.depth.n,
                  plan.launches[i].parts, plan.launches[i].keys[PLANNER_GRID],
                  plan.launches[i].output);
    call_free(call);
}

/* The config of the best ranked record that the rules allow, and its grade. Another than find takes
 * where the nearest is far: an export has no kernels but those of its records. */
static enum selector_grade choose(int64_t *out, const struct fixture *fixture,
                                  const struct record *want, const struct point_context *here)
{
    const struct selector_key key = {want->problem.dims, (int)want->problem.regime, want->cc,
                                     want->sms, true};
    const size_t bytes = here->space->param_count * sizeof *out;
    struct selector_place best = {.grade = SELECTOR_NONE, .size = HUGE_VAL};
    int64_t config[SPACE_NAMES_MAX];
    memcpy(out, here->space->default_config, bytes);
    for (size_t i = 0; i < fixture->count; i++) {
        const struct record *record = &fixture->records[i].record;
        const uint64_t depth = record->problem.dims.depth.n;
        const bool is_here = strcmp(record->gpu, want->gpu) == 0;
        const struct selector_entry entry = {.key = {record->problem.dims,
                                                     (int)record->problem.regime, record->cc,
                                                     record->sms, is_here},
                                             .from = depth,
                                             .to = depth};
        const struct selector_place place = selector_rank(&key, &entry);
        if (place.grade == SELECTOR_NONE || !selector_is_better(&place, &best) ||
            point_parse_record(here->space, record->params, config, &error) ||
            point_reject(here, config, &error) != POINT_VALID)
            continue;
        best = place;
        memcpy(out, config, bytes);
    }
    return best.grade;
}

/* What the program should say, by the parts of autotune that tune. */
static void add_want(struct text *out, const struct fixture *fixture, const struct gpu *gpu,
                     const struct problem *problem)
{
    static const char *const matches[SELECTOR_GRADES] = {[SELECTOR_EXACT] = "exact",
                                                         [SELECTOR_OTHER_SIZE] = "other",
                                                         [SELECTOR_SAME_CC] = "same cc",
                                                         [SELECTOR_NONE] = "default"};
    const struct space *space = fixture->space;
    const struct target target = target_of(gpu);
    const struct point_context context = {space, problem, &target};
    struct record want = fixture->records[0].record;
    int64_t row[SPACE_NAMES_MAX];
    struct planner_plan plan;
    want.problem = *problem;
    want.cc = gpu->cc;
    want.sms = gpu->sms;
    snprintf(want.gpu, sizeof want.gpu, "%s", gpu->name);
    text_addf(out, "%s | ", matches[choose(row, fixture, &want, &context)]);
    point_format(out, space, row, true);
    if (call_plan(&plan, &context, row, &error))
        fail_msg("%s", error.text);
    text_addf(out, " | %" PRIu64 " %" PRIu64, plan.scratch_bytes, plan.state_bytes);
    for (int i = 0; i < plan.count; i++) {
        const struct planner_launch *launch = &plan.launches[i];
        const struct pass *pass = &space->passes[launch->pass];
        const struct dims *dims = &launch->dims;
        text_addf(out, " | %d %" PRId64 " %" PRId64, launch->pass, launch->keys[PLANNER_GRID],
                  launch->keys[PLANNER_BLOCK]);
        text_addf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                  dims->outer.n, dims->outer.stride, dims->depth.n, dims->depth.stride,
                  dims->inner.n, dims->inner.stride);
        text_addf(out, " %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64, launch->parts,
                  launch->keys[PLANNER_OUTPUTS], launch->output, launch->partials);
        for (size_t k = 0; k < pass->arg_count; k++)
            text_addf(out, " %d", (int)pass->args[k]);
    }
    add_fewer(out, &context, row);
    text_adds(out, "\n");
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

static void compare_answers(const struct fixture *fixture, struct text *met)
{
    char folder[] = "/tmp/autotune-export-XXXXXX";
    const struct export_source source = source_of(fixture);
    struct text questions = {0}, want = {0};
    assert_non_null(mkdtemp(folder));
    build_program(folder, &source, program);
    for (size_t g = 0; g < GPUS; g++)
        for (size_t i = 0; i < ASKED; i++) {
            const struct problem problem = shaped(fixture, asked[i]);
            const struct matrix matrix = turned(fixture, asked[i]);
            text_addf(&questions, "%d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", gpus[g].cc,
                      gpus[g].sms, matrix.rows, matrix.len, matrix.pitch, gpus[g].name);
            add_want(&want, fixture, &gpus[g], &problem);
        }
    compare_program(folder, &questions, &want);
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
    } problems[] = {{SUM, F32}, {MAX, I8}, {SUMSQ, F16}, {MIN, F64}};
    static const char *const words[] = {"exact |",       "other |",      "same cc |",
                                        "default |",     "SPLIT=PARTS ", "SPLIT=LAST_BLOCK ",
                                        "EDGES=SIMPLE ", "EDGES=MASKED "};
    struct text met = {0};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof problems / sizeof *problems; i++) {
        struct fixture fixture;
        open_fixture(&fixture, i % 2 ? "columns" : "rows", problems[i / 2].op,
                     problems[i / 2].type, 7 + i);
        compare_answers(&fixture, &met);
        space_free(fixture.space);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(met.at, words[i]))
            fail_msg("'%s' was not met: choose other seeds", words[i]);
    text_dispose(&met);
}

/* --- Sizes at the edge -------------------------------------------------------------------- */

static void test_edges(void **state)
{
    static const struct {
        const char *question, *answer;
    } cases[] = {
        {"60 1 5 9 8", "refused: the pitch is less than the elements of a row$"},
        {"60 1 1 2147483649 2147483649", "refused: a row has more than 2^31 elements$"},
        {"60 1 1 2147483648 2147483648", "[|] 0 1 256 1 2147483648 2147483648 "},
        {"60 1 4294967296 1 4294967296", "refused: the matrix is larger than any memory$"},
        {"60 1 -1 1 1", "refused: the matrix is larger than any memory$"},
        {"60 1 1 1 -1", "refused: the matrix is larger than any memory$"},
        {"60 1 9007199254740992 1 1",
         "refused: a kernel would need more blocks than a grid has$"},
        {"60 0 5 5 5", "refused: "},
        {"60 1 0 5 5", "| 0 0$"},
        {"60 1 5 0 0", "| 0 0 [|] 0 2 256 5 0 0 "},
    };
    char folder[] = "/tmp/autotune-export-XXXXXX", command[300];
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, "rows", SUM, F32, 1);
    const struct export_source source = source_of(&fixture);
    assert_non_null(mkdtemp(folder));
    build_program(folder, &source, program);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(
            command, sizeof command,
            "echo %s x | ./program > out; grep -q '^default .*%s' out || { cat out; false; }",
            cases[i].question, cases[i].answer);
        run(folder, command);
    }
    run(folder, "rm -r \"$PWD\"");
    space_free(fixture.space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
