/* verb_compare: prints a comparison of GPUs: a table, and sentences below it. */
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/compare/compare_gather.h"
#include "autotune/compare/compare_text.h"
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

int verb_compare(int argc, char **argv, struct error *error)
{
    struct request request;
    struct comparison *comparison;
    if (request_parse(&request, VERB_COMPARE, argc, argv, error) ||
        compare_gather_open(&comparison, &request, (const char *const *)request.files,
                            request.file_count, error))
        return -1;
    int failed = compare_gather_gather(comparison, error);
    if (!failed) {
        compare_gather_fill(comparison);
        failed = print(comparison, error);
    }
    compare_gather_close(comparison);
    return failed ? -1 : 0;
}
