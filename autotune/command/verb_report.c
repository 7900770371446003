/* verb_report: writes all sections of a report as a page of HTML, as Markdown, or drawn as
 * text. */
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/report/page_html.h"
#include "autotune/report/page_markdown.h"
#include "autotune/report/page_text.h"
#include "autotune/report/report_sections.h"

#include <string.h>

static report_section *const sections[] = {
    report_summary, report_bench, report_sizes,    report_trials, report_rungs,
    report_streams, report_sides, report_roofline, report_winner, report_method,
};

struct reporting {
    struct request request;
    struct report_request own;
    struct report report;
};

static int set_up(void *shared, struct error *error)
{
    struct reporting *it = shared;
    return report_open(&it->report, &it->request, error);
}

static int gather(void *shared, struct error *error)
{
    struct reporting *it = shared;
    int failed = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !failed; i++)
        failed = sections[i](&it->report, error);
    document_gather_missing(&it->report.document);
    return failed;
}

static bool is_markdown(const struct request *request)
{
    const struct report_request *own = request->own;
    const char *end = request->output ? strrchr(request->output, '.') : NULL;
    return own->markdown || (end && strcmp(end, ".md") == 0);
}

static int show(void *shared, struct error *error)
{
    struct reporting *it = shared;
    const struct request *request = &it->request;
    struct document *document = &it->report.document;
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
        output_note(&request->out, "report    %s\n", request->output);
    text_dispose(&text);
    return failed;
}

static void clean_up(void *shared)
{
    struct reporting *it = shared;
    report_close(&it->report);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_REPORT, "bench", "FILE", "a table that bench wrote as CSV: adds how our kernels compare with other libraries", .text = offsetof(struct report_request, bench), .more = "Its fields gpu, op and type say what was measured where: a table without them, or of another GPU than the report, is refused; one of another problem than the title stands under its own heading.", .group = 2},
    {VERB_REPORT, "streams", "FILE", "a table that ladder --data wrote as CSV: adds data on the host, copies and kernels as bars", .text = offsetof(struct report_request, streams), .group = 2},
    {VERB_REPORT, "md", NULL, "Markdown, for a README; to stdout where no file is named", .flag = offsetof(struct report_request, markdown), .group = 3},
    {.verbs = 0},
};

const struct verb_row verb_report = {
    .verb = VERB_REPORT,
    .name = "report",
    .summary = "make a page of it all: charts, heat map, ladder, GPUs, source",
    .arguments = "[A [B...]]",
    .help =
        "Makes a report of what records, their journals and tables know: GB/s over n, beside other "
        "libraries and the peak, the trials as a heat map, the ladder, other GPUs, the winner's source, and how it was "
        "measured. A is what it is about, B what that is compared with: each a record file, a GPU by name "
        "or published figures, as compare takes them (default: the newest records here, and the GPUs that "
        "something is published of). What is not there it says. Needs no device.\v"
        "Examples:\n"
        "  autotune report\n"
        "  autotune report -o report.html --bench cub.csv --ladder ladder.csv\n"
        "  autotune report nvidia-h200.ini v100 rtx5070ti --type f32 -o report.html\n"
        "  autotune report --md > RESULTS.md\n\n" VERBS_EXIT_COMPILED,
    .options = options,
    .bytes = sizeof(struct reporting),
    .own = offsetof(struct reporting, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
