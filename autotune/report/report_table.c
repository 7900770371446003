/* report_table: checks that a table is of the report's GPU, and tells where it is of another
 * problem. Compares the names of GPUs in their several forms. */
#include "autotune/report/report_table.h"

#include "autotune/cli/output.h"
#include "autotune/device/gpus.h"

#include <string.h>

/* Compares by the table of GPUs, else by the names that records have. */
static bool is_its_gpu(const struct table_file *table, const struct compare_input *subject)
{
    struct gpus_model own, its;
    struct error ignored;
    if (strcmp(table->gpu, subject->side.name) == 0)
        return true;
    if (gpus_find_model(&its, table->gpu, &ignored) == 0 &&
        gpus_find_model(&own, subject->side.name, &ignored) == 0)
        return strcmp(own.name, its.name) == 0;
    for (size_t i = 0; i < subject->records.count; i++)
        if (strcmp(subject->records.at[i].gpu, table->gpu) == 0)
            return true;
    return false;
}

static int check_gpu(const struct table_file *table, const struct report *report,
                     struct error *error)
{
    if (!report->subject || is_its_gpu(table, report->subject))
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "%s %.200s: was measured on %.60s, and this report is about %.60s: begin "
        "with the table's GPU, 'autotune report \"%.60s\" ...', or leave the table out",
        table->option, table->file, table->gpu, report->subject->side.name, table->gpu);
}

int report_table_check(struct table_file *table, const struct report *report, bool has_sizes,
                       struct error *error)
{
    return table_file_check(table, has_sizes, error) || check_gpu(table, report, error) ? -1
                                                                                        : 0;
}

bool report_table_is_of_title(const struct table_file *table, const struct report *report)
{
    const struct record *const headline = report->headline;
    return headline && strcmp(table->op, headline->problem.op->name) == 0 &&
           strcmp(table->type, problem_types[headline->problem.type].name) == 0;
}

void report_table_note(const struct table_file *table, struct report *report)
{
    char title[PROBLEM_CHARS];
    if (!report->headline || report_table_is_of_title(table, report))
        return;
    problem_format(title, &report->headline->problem);
    document_add(&report->document, DOCUMENT_TEXT,
                 "This is %s %s, not the problem of this page's title, %s.", table->op,
                 table->type, title);
    output_warn("%s %s is of %s %s, and the page's title is %s: it has a section of its own",
                table->option, table->file, table->op, table->type, title);
}
