/* verb_compare: GPUs side by side, as a table and what is said below it. */
#include "autotune/command/comparison.h"
#include "autotune/command/output.h"
#include "autotune/command/verbs.h"

static int print(const struct comparison *comparison, struct error *error)
{
    struct table table;
    struct text notes = {0};
    compare_table(&table, &comparison->compare);
    int failed = output_table(comparison->request, &table, NULL, error);
    compare_notes(&notes, &comparison->compare);
    if (!failed && !output_is_taken(comparison->request)) {
        struct text all = {0};
        text_addf(&all, "\n%s", notes.at ? notes.at : "");
        failed = output_write("-", &all, error);
        text_dispose(&all);
    }
    text_dispose(&notes);
    table_dispose(&table);
    return failed;
}

int verb_compare(int argc, char **argv, struct error *error)
{
    struct request request;
    struct comparison *comparison;
    if (request_parse(&request, VERB_COMPARE, argc, argv, error) ||
        comparison_open(&comparison, &request, (const char *const *)request.files,
                        request.file_count, error))
        return -1;
    int failed = comparison_gather(comparison, error);
    if (!failed) {
        comparison_fill(comparison);
        failed = print(comparison, error);
    }
    comparison_close(comparison);
    return failed ? -1 : 0;
}
