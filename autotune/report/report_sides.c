/* report_sides: compares this GPU with others: a chart for each problem, in percent of each
 * one's peak, and the sentences of `autotune compare`. */
#include "autotune/report/report_sections.h"

#include "autotune/compare/compare_notes.h"
#include "autotune/print/figures.h"

#include <stdio.h>
#include <stdlib.h>

static const enum bar_kind kinds[] = {
    [COMPARE_NOTHING] = BAR_NONE,        [COMPARE_WITHHELD] = BAR_NONE,
    [COMPARE_BOUND] = BAR_BOUND,         [COMPARE_PREDICTED] = BAR_PREDICTED,
    [COMPARE_PUBLISHED] = BAR_PUBLISHED, [COMPARE_EMULATED] = BAR_EMULATED,
    [COMPARE_MEASURED] = BAR_MEASURED,
};

/* "4.90 ms, 876.63 GB/s (% computed): #6 ..." */
static void note_published(struct bar *bar, const struct compare_cell *cell)
{
    const struct compare_published *const published = &cell->published;
    char gbs[NUMBER_CHARS];
    snprintf(bar->note, sizeof bar->note, "%s%s%s GB/s%s: %.150s", published->time,
             published->time[0] ? ", " : "",
             figures_short(gbs, published->gbs.value, published->gbs.digits),
             !published->gbs.is_own     ? " (computed, and so %)"
             : !published->share.is_own ? " (% computed)"
                                        : "",
             cell->winner);
}

static struct bar make_bar(const struct compare *compare, const struct compare_line *line,
                           size_t side)
{
    const struct compare_cell *cell = &line->cells[side];
    const bool has_value = cell->peak_pct >= 0 && !compare_is_free(cell);
    struct bar bar = {.kind = has_value ? kinds[cell->basis] : BAR_NONE};
    char gbs[NUMBER_CHARS], us[NUMBER_CHARS];
    bar.value = has_value ? cell->peak_pct : 0;
    snprintf(bar.label, sizeof bar.label, "%.120s", compare->sides[side].name);
    if (cell->basis == COMPARE_PUBLISHED)
        bar.digits = cell->published.share.digits;
    if (bar.kind == BAR_PUBLISHED && !cell->published.share.is_own)
        bar.kind = BAR_COMPUTED;
    if (cell->basis == COMPARE_WITHHELD)
        snprintf(bar.text, sizeof bar.text, "withheld");
    else if (cell->peak_pct < 0)
        snprintf(bar.text, sizeof bar.text, "no peak known");
    else if (compare_is_free(cell))
        snprintf(bar.text, sizeof bar.text, "no bound");
    else if (cell->basis == COMPARE_BOUND)
        snprintf(bar.text, sizeof bar.text, "at most %s %%",
                 figures_bound(gbs, cell->peak_pct, true));
    else if (cell->basis == COMPARE_PREDICTED)
        snprintf(bar.text, sizeof bar.text, "%.0f to %.0f %%",
                 cell->peak_pct * (double)cell->ps / (double)cell->high_ps,
                 cell->peak_pct * (double)cell->ps / (double)cell->low_ps);
    if (cell->basis == COMPARE_WITHHELD)
        snprintf(bar.note, sizeof bar.note, "a bound would say nothing (%s): %.150s",
                 compare_whys[cell->why], cell->winner);
    else if (compare_is_free(cell))
        snprintf(bar.note, sizeof bar.note,
                 "nothing that was looked at keeps it from the peak: %.150s", cell->winner);
    else if (cell->basis == COMPARE_PUBLISHED)
        note_published(&bar, cell);
    else if (cell->ps && cell->basis > COMPARE_PREDICTED)
        snprintf(bar.note, sizeof bar.note, "%s%s us, %s GB/s: %.150s%s%.200s",
                 cell->basis == COMPARE_EMULATED ? "emulated: " : "", figures_us(us, cell->ps),
                 figures_short(gbs, cell->gbs, 4), cell->winner, *cell->changed ? ", but " : "",
                 cell->changed);
    else
        snprintf(bar.note, sizeof bar.note, "%s%s GB/s, its bound is by %s: %.150s%s%.200s",
                 cell->basis == COMPARE_BOUND ? "at most " : "about ",
                 cell->basis == COMPARE_BOUND ? figures_bound(gbs, cell->gbs, true)
                                              : figures_short(gbs, cell->gbs, 3),
                 compare_limiter(&cell->analysis), cell->winner, *cell->changed ? ", but " : "",
                 cell->changed);
    return bar;
}

/* Is more known than that the GPU cannot pass its own peak? */
static bool is_telling(const struct compare_cell *cell)
{
    return cell->basis != COMPARE_NOTHING && cell->basis != COMPARE_WITHHELD &&
           !compare_is_free(cell);
}

static bool has_figure(const struct compare *compare, const struct compare_line *line)
{
    for (size_t s = 0; s < compare->side_count; s++)
        if (is_telling(&line->cells[s]))
            return true;
    return false;
}

static bool has_prediction(const struct compare *compare)
{
    for (size_t l = 0; l < compare->line_count; l++)
        for (size_t s = 0; s < compare->side_count; s++)
            if (compare->lines[l].cells[s].basis == COMPARE_PREDICTED)
                return true;
    return false;
}

static struct bar_chart *draw(const struct compare *compare, const struct compare_line *line)
{
    struct bar_chart *chart = calloc(1, sizeof *chart);
    char problem[PROBLEM_CHARS];
    if (!chart)
        return NULL;
    if (line->is_document)
        published_problem(problem, &line->problem);
    else
        problem_format(problem, &line->problem);
    *chart = (struct bar_chart){.unit = "%",
                                .digits = 3,
                                .limit = 100,
                                .limit_name = "100 % of each GPU's own theoretical bandwidth"};
    snprintf(chart->figure.title, sizeof chart->figure.title, "%.150s: %s", problem,
             line->is_document ? "kernels of documents" : "autotune's kernels");
    for (size_t s = 0; s < compare->side_count; s++) {
        if (!is_telling(&line->cells[s]))
            continue;
        const struct bar bar = make_bar(compare, line, s);
        bar_chart_add(chart, &bar);
    }
    return chart;
}

/* Chooses the headline, and the documents' figures of any side for the same operation. */
static int choose_lines(struct report *report, struct error *error)
{
    struct comparison *comparison = report->comparison;
    struct request wanted = {.has_op = true, .problem = report->request->problem};
    if (report->headline)
        wanted.problem.op = report->headline->problem.op;
    if (report->headline && compare_gather_add(comparison, &report->headline->problem, error))
        return -1;
    for (size_t s = 0; s < comparison->compare.side_count; s++)
        if (compare_gather_add_published(comparison, &comparison->inputs[s], &wanted, false,
                                         error))
            return -1;
    return 0;
}

int report_sides(struct report *report, struct error *error)
{
    struct document *document = &report->document;
    struct comparison *comparison = report->comparison;
    const struct compare *compare = &comparison->compare;
    struct text notes = {0};
    document_add(document, DOCUMENT_SECTION, "Beside other GPUs");
    if (compare->side_count < 2) {
        document_add(
            document, DOCUMENT_MISSING,
            "Without records there is nothing to compare with other GPUs: name two, as "
            "'autotune report v100 rtx5070ti'.");
        return 0;
    }
    if (choose_lines(report, error))
        return -1;
    compare_gather_fill(comparison);
    document_add(
        document, DOCUMENT_TEXT,
        "Beside each figure stands what it is: measured; published, a document's figure of its "
        "own kernel; computed, a share that follows from published figures and is in no "
        "document; or a bound, \"at most\", for which nothing was run%s. A GPU of which nothing "
        "can be said, or only that it cannot pass its peak, is left out of a chart.",
        has_prediction(compare)
            ? "; a prediction is a range: such bounds, divided by what they were of times known "
              "on three GPUs or more"
            : "");
    for (size_t l = 0; l < compare->line_count; l++)
        if (has_figure(compare, &compare->lines[l]))
            document_figure(document, &bar_chart_kind, draw(compare, &compare->lines[l]));
    struct table *table =
        document_table(document, DOCUMENT_TABLE,
                       "All that is known of these, with occupancy and limits", NULL, 0);
    if (table)
        compare_table(table, compare);
    compare_notes_all(&notes, compare);
    if (notes.length)
        document_add(document, DOCUMENT_NOTES, "%s", notes.at);
    document->failed |= notes.failed;
    text_dispose(&notes);
    return 0;
}
