/* verb_compare: prints a comparison of GPUs, or of the ladder's kernels: a table, and sentences
 * below it. */
#include "autotune/cli/option_conflicts.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/compare/compare_carry.h"
#include "autotune/compare/compare_gather.h"
#include "autotune/compare/compare_params.h"
#include "autotune/compare/compare_text.h"
#include "autotune/compare/roofline.h"
#include "autotune/compare/rung_shares_print.h"
#include "autotune/print/terminal.h"

/* What compare alone has options for. */
struct compare_request {
    bool by_rung;  /* the ladder's kernels */
    bool evidence; /* compile what the journals know, to rank predictions */
    bool more;     /* all tables and notes, not the first screen alone */
    bool port;     /* what to change, to carry what was tuned on the first to the others */
};

struct compare_verb {
    struct request request;
    struct compare_request own;
    struct comparison *comparison;
    struct rung_shares *shares; /* by_rung */
    struct compare_carry carry; /* port */
};

static int set_up(void *shared, struct error *error)
{
    struct compare_verb *verb = shared;
    struct request *request = &verb->request;
    if (compare_gather_open(&verb->comparison, request, (const char *const *)request->files,
                            request->file_count, error))
        return -1;
    verb->comparison->with_evidence = verb->own.evidence;
    verb->comparison->with_progress = !request->out.quiet;
    verb->comparison->is_brief = verb->own.port || (!verb->own.more && !verb->own.evidence &&
                                                    !request->out.csv && !request->out.json);
    return verb->own.by_rung ? rung_shares_open(&verb->shares, request, error) : 0;
}

/* The documents of the GPUs that were named, without any name all. */
static int add_documents(struct rung_shares *shares, const struct comparison *comparison,
                         struct error *error)
{
    const struct compare_input *const inputs = comparison->inputs;
    if (!comparison->compare.side_count)
        return rung_shares_add_built_in(shares, error);
    for (size_t i = 0; i < comparison->compare.side_count; i++)
        for (size_t d = 0; d < inputs[i].published_count; d++)
            if (rung_shares_add(shares, inputs[i].published[d], error))
                return -1;
    return 0;
}

static int gather_rungs(struct compare_verb *verb, struct error *error)
{
    const char *ladder = verb->request.ladder;
    if (add_documents(verb->shares, verb->comparison, error) ||
        (ladder && rung_shares_add_tables(verb->shares, ladder, error)))
        return -1;
    return verb->shares->figure_count
               ? 0
               : error_set(
                     error, ERROR_USAGE,
                     "no figure of a rung: 'autotune list published' has what documents "
                     "give, and 'autotune ladder --csv FILE' measures, for --ladder FILE");
}

static int gather(void *shared, struct error *error)
{
    struct compare_verb *verb = shared;
    if (verb->own.by_rung)
        return gather_rungs(verb, error);
    if (compare_gather_gather(verb->comparison, error))
        return -1;
    compare_gather_fill(verb->comparison);
    return verb->own.port ? compare_carry_find(&verb->carry, verb->comparison, error) : 0;
}

static void add_all(struct text *out, const struct comparison *comparison, bool has_color)
{
    compare_text(out, &comparison->compare, has_color);
    compare_params_print(out, comparison, has_color);
    roofline_print(out, &comparison->compare, has_color);
}

static int show(void *shared, struct error *error)
{
    const struct compare_verb *verb = shared;
    const bool has_color = terminal_has_color(stdout);
    struct table table;
    struct text text = {0};
    if (verb->own.by_rung) {
        rung_shares_table(&table, verb->shares);
        rung_shares_print(&text, verb->shares, has_color);
    } else if (verb->own.port) {
        compare_carry_table(&table, &verb->carry);
        compare_carry_print(&text, &verb->carry, verb->request.files, has_color);
    } else {
        compare_table(&table, &verb->comparison->compare);
        compare_screen(&text, &verb->comparison->compare, has_color);
        if (verb->own.more || verb->own.evidence)
            add_all(&text, verb->comparison, has_color);
        else
            text_adds(&text, "more      --more has every problem, kernel, bound and source\n");
    }
    const int failed = text_check(&text, error) ||
                       output_forms(&verb->request.out, &text, &table, NULL, error);
    text_dispose(&text);
    table_dispose(&table);
    return failed;
}

static void clean_up(void *shared)
{
    struct compare_verb *verb = shared;
    rung_shares_close(verb->shares);
    compare_carry_dispose(&verb->carry);
    compare_gather_close(verb->comparison);
}

static int check(const struct request *request, struct error *error)
{
    const struct compare_request *own = request->own;
    const struct option_conflict conflicts[] = {
        {request->ladder && !own->by_rung,
         "--ladder has rungs of the ladder: give --rungs too"},
        {own->port && (own->by_rung || own->more || own->evidence),
         "--port is a page by itself: leave --rungs, --more and --evidence out"},
        {own->by_rung && own->evidence,
         "--evidence is of records and --rungs has none: leave one of them out"},
        {own->by_rung && (request->has_order || request->deterministic),
         "the ladder's kernels combine in an order of their own: leave --order out with --rungs"},
        {request->file_count < 2 && !own->by_rung,
         "nothing to compare: write 'autotune compare A B', each a record file, a GPU's name "
         "or published figures"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_COMPARE, "evidence", NULL, "where a record has its journal here, compile every variant in it, and say how bounds, made as for a GPU that is not here, rank with the times", .flag = offsetof(struct compare_request, evidence), .more = "The rank is Spearman's correlation; how many candidates are faster than their bound is said too.", .group = 2},
    {VERB_COMPARE, "more", NULL, "below the first screen a table of each problem, the kernels, what bounds each, and where all figures are from", .flag = offsetof(struct compare_request, more), .more = "Kernels are compiled and analysed for it: that takes a while.", .group = 2},
    {VERB_COMPARE, "port", NULL, "what to do so that what was tuned on A serves on B: which winners run there as they are, what changes in the others, what to compile with, and the commands that measure and embed it", .flag = offsetof(struct compare_request, port), .group = 2},
    {VERB_COMPARE, "rungs", NULL, "the ladder's kernels instead: those that are alike across documents (default: all) and GPUs, as shares of each one's peak bandwidth", .flag = offsetof(struct compare_request, by_rung), .group = 2},
    {.verbs = 0},
};

const struct verb_row verb_compare = {
    .verb = VERB_COMPARE,
    .name = "compare",
    .summary = "set GPUs side by side: records, published figures, predictions",
    .arguments = "A B [C...]\n--rungs [A...]",
    .help =
        "Sets GPUs side by side, problem by problem: each a record file, a GPU by name (v100, h200, "
        "rtx5070ti: with what is published of it, the records kept here and those that ship), or a file or a name of "
        "published figures. Begins with the outcome and what decides a port; --more has the rest. Where a GPU has no figure of its own, static "
        "analysis of another's winner bounds it (\"at most\"), or says why not. Says what is measured, "
        "published, a bound or predicted. With --rungs it sets the ladder's kernels side by side. "
        "Needs no device.\v"
        "Examples:\n"
        "  autotune compare v100 rtx5070ti\n"
        "  autotune compare v100 rtx5070ti --more\n"
        "  autotune compare --port h200 v100\n"
        "  autotune compare nvidia-h200.ini v100 --n 1Gi --type f32\n"
        "  autotune compare cs599-lecture-6 rtx5070 --json -\n"
        "  autotune compare h200 v100 --n 400M --evidence\n"
        "  autotune compare --rungs --ladder ladder.csv\n\n" VERBS_EXIT_COMPILED,
    .options = options,
    .check = check,
    .bytes = sizeof(struct compare_verb),
    .own = offsetof(struct compare_verb, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
