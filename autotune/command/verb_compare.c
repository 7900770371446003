/* verb_compare: prints a comparison of GPUs, or of the ladder's kernels: a table, and sentences
 * below it. */
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/compare/compare_gather.h"
#include "autotune/compare/compare_text.h"
#include "autotune/compare/rung_shares_print.h"
#include "autotune/print/terminal.h"

static int print(const struct comparison *comparison, struct error *error)
{
    struct table table;
    struct text text = {0};
    compare_table(&table, &comparison->compare);
    compare_text(&text, &comparison->compare, terminal_has_color(stdout));
    const int failed = text_check(&text, error) ||
                       output_forms(comparison->request, &text, &table, NULL, error);
    text_dispose(&text);
    table_dispose(&table);
    return failed ? -1 : 0;
}

static int print_rungs(const struct request *request, struct rung_shares *shares,
                       struct error *error)
{
    struct table table;
    struct text text = {0};
    rung_shares_table(&table, shares);
    rung_shares_print(&text, shares, terminal_has_color(stdout));
    const int failed =
        text_check(&text, error) || output_forms(request, &text, &table, NULL, error);
    text_dispose(&text);
    table_dispose(&table);
    return failed ? -1 : 0;
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

static int compare_rungs(const struct request *request, const struct comparison *comparison,
                         struct error *error)
{
    struct rung_shares *shares;
    if (rung_shares_open(&shares, request, error))
        return -1;
    int failed = add_documents(shares, comparison, error) ||
                 (request->ladder && rung_shares_add_tables(shares, request->ladder, error));
    if (!failed && !shares->figure_count)
        failed =
            error_set(error, ERROR_USAGE,
                      "no figure of a rung: 'autotune list published' has what documents "
                      "give, and 'autotune ladder --csv FILE' measures, for --ladder FILE");
    failed = failed || print_rungs(request, shares, error);
    rung_shares_close(shares);
    return failed ? -1 : 0;
}

static int compare_problems(struct comparison *comparison, struct error *error)
{
    if (compare_gather_gather(comparison, error))
        return -1;
    compare_gather_fill(comparison);
    return print(comparison, error);
}

int verb_compare(int argc, char **argv, struct error *error)
{
    struct request request;
    struct comparison *comparison;
    if (request_parse(&request, VERB_COMPARE, argc, argv, error) ||
        compare_gather_open(&comparison, &request, (const char *const *)request.files,
                            request.file_count, error))
        return -1;
    const int failed = request.by_rung ? compare_rungs(&request, comparison, error)
                                       : compare_problems(comparison, error);
    compare_gather_close(comparison);
    return failed ? -1 : 0;
}
