/* verb_judge: puts anyone's kernel through the proof of our own, and says what fails, at which sizes, in a
 * sentence. */
#include "autotune/cli/interrupt.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/supervise.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/judge_run.h"
#include "autotune/command/judge_source.h"
#include "autotune/command/judge_space.h"
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "autotune/print/table.h"
#include "cache/file.h"
#include "generator/dims_text.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { FILE_BYTES_MAX = 4 << 20, SHOWN_SIZES = 8 };

/* What judge alone has options for. */
struct judge_request {
    const char *kernel, *markdown;
    struct judge_signature signature;
};

struct judge {
    struct request request;
    struct judge_request own;
    struct interrupt_guard guard;
    const char *file;
    struct text source, template, space;
    struct emit_file made_space, made_template, made_types;
    uint64_t tile;
    struct judge_report *report; /* of supervise_alloc */
};

/* clang-format off */
static const struct table_column columns[] = {
    {"size", "size", false}, {NULL, "n", true}, {"launches", "launches", true}, {"wrong", "wrong", true},
    {"start", "start", true}, {"launch", "launch", true}, {"what", "what", false}, {"expected", "expected", false},
    {"got", "got", false},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

/* --- Set-up ------------------------------------------------------------------------------- */

static int read_source(struct judge *it, struct error *error)
{
    const char *end = strrchr(it->file, '.');
    if (!end || strcmp(end, ".cu") != 0)
        return error_set(
            error, ERROR_USAGE,
            "%.500s is no file of CUDA C, whose name ends in .cu: give such a file, with the "
            "kernel in it",
            it->file);
    return file_read_named(&it->source, it->file, FILE_BYTES_MAX, "a .cu with the kernel in it",
                           error) ||
                   text_check_lines(it->file, it->source.at, it->source.length, error)
               ? -1
               : 0;
}

/* Only what elements are combined to by a law is known of foreign kernels. */
static int check_problem(const struct problem *problem, struct error *error)
{
    if (oracle_is_plain(problem))
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "operation '%s' is more than a law of combining: judge knows sum, sumsq, prod, "
        "min, max, argmin, argmax, and, or and xor so far",
        problem->op->name);
}

static int write_space(struct judge *it, struct error *error)
{
    text_clear(&it->space);
    if (judge_space_write(&it->space, &it->own.signature, it->own.kernel, it->tile, error))
        return -1;
    it->made_space = (struct emit_file){"the signature", it->space.at};
    return 0;
}

/* Finds how many elements a block takes at a time, for the sizes of the proof are around it. */
static int find_tile(struct judge *it, struct error *error)
{
    struct problem problem = it->request.problem;
    struct target target;
    struct space *space = NULL;
    if (write_space(it, error) || gpus_find(&target, "sm_90", error) ||
        space_load(&space, it->made_space.name, it->space.at, it->space.length, embedded_space,
                   error)) {
        space_free(space);
        return -1;
    }
    if (!it->request.has_n)
        problem.dims = dims_run(PROBLEM_USUAL_N_EMULATED, problem.dims.scan);
    const struct point_context context = {space, &problem, &target};
    it->tile = judge_space_tile(&context);
    space_free(space);
    return it->tile ? write_space(it, error) : 0;
}

static int make_template(struct judge *it, struct error *error)
{
    const struct problem *problem = &it->request.problem;
    struct judge_source source = {.file = it->file,
                                  .kernel = it->own.kernel,
                                  .zeroed_bytes =
                                      it->own.signature.is_zeroed
                                          ? problem_types[problem_result(problem)].bytes
                                          : 0,
                                  .args = judge_space_count_args(it->own.signature.args)};
    if (judge_space_constant(&source.shared_bytes, it->own.signature.shared, "--shared",
                             error) ||
        judge_source_write(&it->template, &source, it->source.at, error))
        return -1;
    it->made_template = (struct emit_file){it->file, it->template.at};
    return 0;
}

static int set_up(void *shared, struct error *error)
{
    struct judge *it = shared;
    const struct embedded *builtins = embedded_find("templates/host/host_builtins.cu");
    interrupt_begin(&it->guard, NULL);
    it->file = it->request.files[0];
    it->report = supervise_alloc(sizeof *it->report);
    if (!it->report)
        return error_memory(error, sizeof *it->report);
    if (!builtins)
        return error_set(
            error, ERROR_FAILED,
            "templates/host/host_builtins.cu is missing in this program: build it again");
    it->made_types = (struct emit_file){builtins->name, builtins->bytes};
    if (check_problem(&it->request.problem, error) || read_source(it, error) ||
        make_template(it, error) || find_tile(it, error))
        return -1;
    it->request.problem.order = ORDER_ANY; /* as much as CUDA's own atomics promise */
    problem_simplify(&it->request.problem);
    it->request.made_space = &it->made_space;
    it->request.made_template = &it->made_template;
    it->request.made_types = &it->made_types;
    return 0;
}

static int gather(void *shared, struct error *error)
{
    struct judge *it = shared;
    const struct judge_launch launch = {it->tile, !strstr(it->own.signature.args, "stride")};
    return judge_run(it->report, &it->request, &launch, error);
}

/* --- Showing ------------------------------------------------------------------------------ */

static bool is_right(const struct judge_report *report)
{
    return judge_findings_is_right(&report->findings) && !*report->at_n;
}

static void add_size(struct table *table, const struct judge_size *size)
{
    char words[DIMS_TEXT_CHARS];
    const struct judge_fault *fault = &size->first;
    table_add(table, dims_text_format(words, &size->dims));
    table_addf(table, "%" PRIu64, dims_n(&size->dims));
    table_addf(table, "%" PRIu64, size->runs);
    table_addf(table, "%" PRIu64, size->wrong);
    if (size->wrong == 0)
        return (void)table_add(table, NULL);
    table_addf(table, "%" PRIu64, fault->start);
    table_addf(table, "%u", fault->launch + 1);
    table_add(table, fault->what);
    table_add(table, fault->has_bits ? fault->expected : NULL);
    table_add(table, fault->has_bits ? fault->got : NULL);
}

/* The sizes from the smallest on: all of them, or `most` of those that are wrong. */
static void add_sizes(struct table *table, const struct judge_findings *findings, bool all,
                      size_t most)
{
    bool is_done[JUDGE_SIZES_MAX] = {false};
    for (size_t k = 0; k < findings->size_count && table->row_count < most; k++) {
        size_t least = findings->size_count;
        for (size_t i = 0; i < findings->size_count; i++)
            if (!is_done[i] &&
                (least == findings->size_count ||
                 dims_n(&findings->sizes[i].dims) < dims_n(&findings->sizes[least].dims)))
                least = i;
        is_done[least] = true;
        if (all || findings->sizes[least].wrong) {
            add_size(table, &findings->sizes[least]);
            while (table->cell_count % COLUMNS)
                table_add(table, NULL);
        }
    }
}

static uint64_t count_wrong_sizes(const struct judge_findings *findings)
{
    uint64_t count = 0;
    for (size_t i = 0; i < findings->size_count; i++)
        count += findings->sizes[i].wrong > 0;
    return count;
}

/* "sum i32: kernel total of blog.cu on NVIDIA H200". */
static void add_title(struct text *out, const struct judge *it)
{
    const struct problem *problem = &it->request.problem;
    text_addf(out, "%s %s: kernel %s of ", problem->op->name, problem_types[problem->type].name,
              it->own.kernel);
    text_add_visible(out, it->file);
    text_addf(out, " on %s", it->report->device);
}

/* What is wrong, or why n = 0 is not counted; "" where all is well. */
static void explain(struct text *out, const struct judge_report *report)
{
    const struct judge_findings *findings = &report->findings;
    judge_findings_explain(out, findings);
    if (out->length == 0 && *report->at_n)
        text_addf(out, "It is right at small sizes, and wrong at n = %" PRIu64 ": %s.",
                  report->n, report->at_n);
    if (is_right(report) && findings->wrong)
        text_adds(out,
                  "Of no elements it gives no right result, which is not counted as wrong: "
                  "callers with n = 0 must not launch it.");
}

static void add_smallest(struct text *out, const struct judge_findings *findings,
                         const char *before)
{
    const struct judge_size *size = judge_findings_smallest(findings);
    char words[DIMS_TEXT_CHARS];
    if (!size)
        return;
    text_addf(out, "%sThe smallest: %s, start %" PRIu64 " elements past alignment", before,
              dims_text_format_named(words, &size->dims), size->first.start);
    if (size->first.launch)
        text_adds(out, ", launched again");
    if (size->first.has_bits)
        text_addf(out, ": expected %s, got %s", size->first.expected, size->first.got);
    text_adds(out, ".");
}

static void add_counts(struct text *out, const struct judge_findings *findings)
{
    text_addf(out,
              "%" PRIu64 " of %zu sizes are wrong, %" PRIu64 " of %" PRIu64
              " cases, each of two launches.",
              count_wrong_sizes(findings), findings->size_count, findings->wrong,
              findings->runs);
}

static void add_cost(struct text *out, const struct judge_report *report, const char *before)
{
    if (report->registers)
        text_addf(out,
                  "%s%d registers a thread, %" PRId64
                  " bytes of static shared memory a block, %" PRId64 " bytes spilled.",
                  before, report->registers, report->shared_bytes, report->local_bytes);
}

static void add_text(struct text *out, const struct judge *it, const struct text *why)
{
    static const char before[] = "\n          ";
    const struct judge_report *report = it->report;
    const struct judge_findings *findings = &report->findings;
    struct table table = {.columns = columns, .column_count = COLUMNS};
    text_adds(out, is_right(report) ? "right     " : "wrong     ");
    add_title(out, it);
    if (why->length)
        text_addf(out, "%s%s", before, why->at);
    text_adds(out, before);
    if (findings->wrong)
        add_counts(out, findings);
    else
        text_addf(out, "%" PRIu64 " cases at %zu sizes, each of two launches.", findings->runs,
                  findings->size_count);
    add_smallest(out, findings, before);
    if (report->n && !*report->at_n)
        text_addf(out, "%sRight at n = %" PRIu64 ", too.", before, report->n);
    if (report->n && !*report->at_n && report->error >= 0)
        text_addf(out, " Error %.1e, bound %.1e.", report->error, report->bound);
    add_cost(out, report, before);
    text_adds(out, "\n");
    add_sizes(&table, findings, false, SHOWN_SIZES);
    if (table.row_count) {
        text_adds(out, "\n");
        table_print(out, &table, false);
        if (count_wrong_sizes(findings) > SHOWN_SIZES)
            text_addf(out, "... and %" PRIu64 " more sizes; --json has them all\n",
                      count_wrong_sizes(findings) - SHOWN_SIZES);
    }
    table_dispose(&table);
}

static void add_json(struct text *out, const struct judge *it, const struct text *why,
                     const struct table *table)
{
    const struct judge_report *report = it->report;
    const struct problem *problem = &it->request.problem;
    text_adds(out, "{\n\"file\": ");
    text_add_json(out, it->file);
    text_adds(out, ",\n\"kernel\": ");
    text_add_json(out, it->own.kernel);
    text_addf(out, ",\n\"op\": \"%s\",\n\"type\": \"%s\",\n\"device\": ", problem->op->name,
              problem_types[problem->type].name);
    text_add_json(out, report->device);
    text_addf(out, ",\n\"verdict\": \"%s\",\n\"why\": ", is_right(report) ? "right" : "wrong");
    text_add_json(out, why->at ? why->at : "");
    text_addf(out, ",\n\"cases\": %" PRIu64 ",\n\"wrong\": %" PRIu64 ",\n\"n\": %" PRIu64,
              report->findings.runs, report->findings.wrong, report->n);
    text_addf(out, ",\n\"registers\": %d,\n\"sizes\": ", report->registers);
    table_json(out, table);
    text_adds(out, "}\n");
}

static void add_cell(struct text *out, const char *cell)
{
    text_adds(out, " ");
    for (; cell && *cell; cell++)
        text_addf(out, *cell == '|' ? "\\%c" : "%c", *cell == '\n' ? ' ' : *cell);
    text_adds(out, " |");
}

static void add_markdown(struct text *out, const struct judge *it, const struct text *why,
                         const struct table *table)
{
    text_addf(out, "## %s: ", is_right(it->report) ? "Right" : "Wrong");
    add_title(out, it);
    text_addf(out, "\n\n%s%s", why->at ? why->at : "", why->length ? " " : "");
    add_counts(out, &it->report->findings);
    add_smallest(out, &it->report->findings, " ");
    add_cost(out, it->report, " ");
    text_adds(out, "\n");
    if (it->report->findings.wrong == 0)
        return;
    text_adds(out, "\n|");
    for (size_t c = 0; c < COLUMNS; c++)
        if (columns[c].title)
            add_cell(out, columns[c].title);
    text_adds(out, "\n|");
    for (size_t c = 0; c < COLUMNS; c++)
        text_adds(out, columns[c].title ? "---|" : "");
    text_adds(out, "\n");
    for (size_t r = 0; r < table->row_count; r++) {
        if (!table_cell(table, r, 6)) /* right */
            continue;
        text_adds(out, "|");
        for (size_t c = 0; c < COLUMNS; c++)
            if (columns[c].title)
                add_cell(out, table_cell(table, r, c));
        text_adds(out, "\n");
    }
}

static int show(void *shared, struct error *error)
{
    const struct judge *it = shared;
    struct text why = {0}, text = {0}, json = {0}, markdown = {0};
    struct table table = {.columns = columns, .column_count = COLUMNS};
    explain(&why, it->report);
    add_text(&text, it, &why);
    add_sizes(&table, &it->report->findings, true, JUDGE_SIZES_MAX);
    add_json(&json, it, &why, &table);
    int failed = output_forms(&it->request.out, &text, &table, &json, error);
    if (!failed && it->own.markdown) {
        add_markdown(&markdown, it, &why, &table);
        failed = output_write(it->own.markdown, &markdown, error);
    }
    if (!failed && !is_right(it->report))
        failed = error_set(error, ERROR_WRONG, "kernel %s of %.300s is wrong: %s",
                           it->own.kernel, it->file, why.at ? why.at : "");
    text_dispose(&why);
    text_dispose(&text);
    text_dispose(&json);
    text_dispose(&markdown);
    table_dispose(&table);
    return failed ? -1 : 0;
}

static void clean_up(void *shared)
{
    struct judge *it = shared;
    interrupt_end(&it->guard);
    text_dispose(&it->source);
    text_dispose(&it->template);
    text_dispose(&it->space);
    supervise_free(it->report, sizeof *it->report);
}

/* --- Options ------------------------------------------------------------------------------ */

static int check(const struct request *request, struct error *error)
{
    const struct judge_request *own = request->own;
    const struct judge_signature *signature = &own->signature;
    const struct {
        const char *value, *what;
    } needed[] = {
        {own->kernel, "--kernel NAME, the name of the kernel"},
        {signature->args, "--args, as 'input n output': its parameters in their order"},
        {signature->grid, "--grid, as 'ceil_div(n, 256)': how many blocks are launched"},
        {signature->block, "--block, as 256: the threads of a block"},
    };
    if (request->file_count != 1)
        return error_set(error, ERROR_USAGE,
                         "judge takes one file: autotune judge FILE.cu --kernel NAME ...");
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!needed[i].value)
            return error_set(error, ERROR_USAGE,
                             "judge cannot know how it is launched: give %s", needed[i].what);
    return 0;
}

#define OWN(member) offsetof(struct judge_request, member)

/* clang-format off */
static const struct option_row options[] = {
    {VERB_JUDGE, "kernel", "NAME", "the kernel: a __global__ function of FILE", .text = OWN(kernel), .group = 1},
    {VERB_JUDGE, "args", "WORDS", "its parameters in their order: input, n, output, scratch, state, or a dim, as depth", .text = OWN(signature.args), .more = "A count goes to a parameter of any type of integers.", .group = 1},
    {VERB_JUDGE, "grid", "EXPRESSION", "blocks of a launch, as 'ceil_div(n, 256)': of n, results and depth, with + - * / %, comparisons, ?:, min, max, ceil_div and log2; one block at least", .text = OWN(signature.grid), .group = 1},
    {VERB_JUDGE, "block", "EXPRESSION", "threads of a block", .text = OWN(signature.block), .group = 1},
    {VERB_JUDGE, "shared", "BYTES", "dynamic shared memory of a block, the same for every n", .text = OWN(signature.shared), .group = 1},
    {VERB_JUDGE, "scratch", "EXPRESSION", "bytes of its parameter scratch, which holds anything before a launch", .text = OWN(signature.scratch), .group = 1},
    {VERB_JUDGE, "state", "EXPRESSION", "bytes of its parameter state, which is zero before the first launch, and which each launch leaves zero", .text = OWN(signature.state), .group = 1},
    {VERB_JUDGE, "outputs", "EXPRESSION", "values that a launch writes, as 'ceil_div(n, 256)', where it is launched again on these until one is left", .text = OWN(signature.outputs), .group = 1},
    {VERB_JUDGE, "zeroed", NULL, "its results are zero before a launch, as after cudaMemset: what atomicAdd needs", .flag = OWN(signature.is_zeroed), .group = 1},
    {VERB_JUDGE, "markdown", "FILE", "also write Markdown, '-' for stdout", .text = OWN(markdown), .group = 3},
    {.verbs = 0},
};

const struct verb_row verb_judge = {
    .verb = VERB_JUDGE,
    .name = "judge",
    .summary = "prove anyone's kernel, and say what is wrong with it, in a sentence",
    .arguments = "FILE",
    .help =
        "Puts a kernel that somebody else wrote through the proof of our own: many sizes, each start of its input, "
        "guards around all memory, poison in what is not its to read, exact inputs, special values, each launch "
        "twice. Says what fails, at which sizes, and what was expected.\v"
        "Examples:\n"
        "  autotune judge blog.cu --kernel total --op sum --type f32 --args 'input output n' --grid 1 --block 256\n"
        "  autotune judge sum.cu --kernel sum --args 'input n output' --grid 'ceil_div(n, 256)' --block 256 --zeroed\n"
        "  autotune judge harris.cu --kernel reduce3 --args 'input output n' --grid 'ceil_div(n, 256)' --block 256 "
        "--shared 1024 --outputs 'ceil_div(n, 256)'\n\n"
        "Exit: 0 it is right, 70 it is wrong; 1 failed, as where it does not compile, 64 usage, 69 no such device, "
        "driver or NVRTC, 74 input or output failed, 130 interrupted.",
    .options = options,
    .check = check,
    .bytes = sizeof(struct judge),
    .own = offsetof(struct judge, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
