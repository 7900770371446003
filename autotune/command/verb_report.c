/* verb_report: writes all sections of a report as a page of HTML, as Markdown, or drawn as
 * text. */
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/report/page_html.h"
#include "autotune/report/page_markdown.h"
#include "autotune/report/page_text.h"
#include "autotune/report/report_sections.h"

#include <string.h>

static report_section *const sections[] = {
    report_summary, report_bench, report_sizes,  report_trials,
    report_rungs,   report_sides, report_winner, report_method,
};

static bool is_markdown(const struct request *request)
{
    const char *end = request->output ? strrchr(request->output, '.') : NULL;
    return request->markdown || (end && strcmp(end, ".md") == 0);
}

static int write(const struct request *request, struct document *document, struct error *error)
{
    struct text text = {0};
    int failed;
    if (is_markdown(request)) {
        failed = page_markdown(&text, document, error);
    } else if (request->output) {
        failed = page_html(&text, document, error);
    } else {
        const struct terminal_style style = terminal_style(stdout);
        failed = page_text(&text, document, &style, error);
    }
    if (!failed)
        failed = output_write(request->output ? request->output : "-", &text, error);
    if (!failed && request->output && strcmp(request->output, "-") != 0)
        output_note(request, "report    %s\n", request->output);
    text_dispose(&text);
    return failed;
}

int verb_report(int argc, char **argv, struct error *error)
{
    struct request request;
    struct report report;
    if (request_parse(&request, VERB_REPORT, argc, argv, error) ||
        report_open(&report, &request, error))
        return -1;
    int failed = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !failed; i++)
        failed = sections[i](&report, error);
    if (!failed)
        failed = write(&request, &report.document, error);
    report_close(&report);
    return failed ? -1 : 0;
}
