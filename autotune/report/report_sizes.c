/* report_sizes: draws the records over n: the winner of each size, cold and warm, the time of
 * the one variant that is best for the usual size, and the intervals of a sweep. */
#include "autotune/report/report_sections.h"

#include "autotune/print/figures.h"
#include "autotune/tune/sweep_drawing.h"
#include "generator/dims_text.h"

#include <stdio.h>
#include <stdlib.h>

/* The time of a size's winner, or of the config `single` unless that is 0; 0 where it was not
 * raced. */
static uint64_t time_at(const struct record *size, uint64_t single)
{
    struct raced raced = {.ps = size->median_ps};
    return !single || interval_raced(&raced, size, single) ? raced.ps : 0;
}

/* A series of the records of a regime. */
static void add_series(struct line_chart *chart, const struct report *report, const char *name,
                       enum regime regime, uint64_t single)
{
    const struct records *records = &report->subject->records;
    const size_t before = chart->series_count;
    line_chart_begin(chart, name);
    for (size_t i = 0; i < records->count; i++) {
        const struct record *record = &records->at[i];
        const uint64_t ps = time_at(record, single);
        if (!dims_n(&record->problem.dims) || !report_is_alike(report, record) ||
            record->problem.regime != regime || !ps)
            continue;
        line_chart_add(chart, (struct line_point){(double)dims_n(&record->problem.dims),
                                                  figures_gbs(&record->problem, ps), 0, 0});
    }
    if (!chart->series[before].count)
        chart->series_count = before;
}

/* "sum f32 order n": what all its lines are of. */
static void name_subject(char *out, size_t size, const struct report *report)
{
    const struct problem *problem = &report->headline->problem;
    const bool is_usual = problem->acc == problem_default_acc(problem->type);
    char promise[DIMS_TEXT_CHARS];
    snprintf(out, size, "%s %s%s%s%s%s", problem->op->name, problem_types[problem->type].name,
             is_usual ? "" : " acc ", is_usual ? "" : problem_types[problem->acc].name,
             problem_orders[problem->order].shown, dims_text_promise(promise, &problem->dims));
}

/* Of many results: GB/s by how many there are and how long each is. */
static struct heat_map *draw_shapes(const struct report *report)
{
    const struct records *records = &report->subject->records;
    struct heat_map *map = calloc(1, sizeof *map);
    char subject[PROBLEM_CHARS];
    if (!map)
        return NULL;
    name_subject(subject, sizeof subject, report);
    snprintf(map->figure.title, sizeof map->figure.title, "GB/s by shape of %.150s", subject);
    snprintf(map->unit, sizeof map->unit, "GB/s");
    snprintf(map->rows.name, sizeof map->rows.name, "results");
    snprintf(map->columns.name, sizeof map->columns.name, "elements");
    snprintf(map->columns.meaning, sizeof map->columns.meaning, "of each result");
    for (size_t i = 0; i < records->count; i++) {
        const struct record *record = &records->at[i];
        const struct dims *dims = &record->problem.dims;
        char results[NUMBER_CHARS], depth[NUMBER_CHARS];
        if (!dims_n(dims) || !report_is_alike(report, record) || !record->median_ps)
            continue;
        heat_map_add(map, number_format_count(results, dims_kept(dims)),
                     number_format_count(depth, dims->depth.n),
                     figures_gbs(&record->problem, record->median_ps), record->params);
    }
    return map;
}

static struct line_chart *draw(const struct report *report)
{
    char subject[PROBLEM_CHARS];
    struct line_chart *chart = calloc(1, sizeof *chart);
    if (!chart)
        return NULL;
    name_subject(subject, sizeof subject, report);
    *chart = (struct line_chart){.x_title = "n, elements",
                                 .y_title = "GB/s",
                                 .limit = (double)report->subject->side.peak_bytes / 1e9,
                                 .from_zero = true};
    snprintf(chart->figure.title, sizeof chart->figure.title,
             "GB/s over n of %.150s, from the records", subject);
    if (chart->limit > 0)
        snprintf(chart->limit_name, sizeof chart->limit_name, "theoretical peak, %.0f GB/s",
                 chart->limit);
    add_series(chart, report, "tuned for each n, data not in the L2 cache (cold)", COLD, 0);
    add_series(chart, report, "tuned for each n, data in the L2 cache (warm)", WARM, 0);
    const uint64_t single =
        sweep_drawing_single(&report->subject->records, report->headline).config;
    if (single)
        add_series(chart, report, "one variant for all n (cold)", COLD, single);
    return chart;
}

static const struct table_column columns[] = {{"from", NULL, true},
                                              {"to", NULL, true},
                                              {"regime", NULL, false},
                                              {"params", NULL, false}};

/* Draws the intervals, in each of which one variant serves. */
static void draw_intervals(struct report *report)
{
    const struct records *records = &report->subject->records;
    struct table *table = NULL;
    size_t count = 0;
    for (size_t i = 0; i < records->interval_count; i++)
        count += report_is_alike(report, &records->intervals[i].record);
    if (!count)
        return;
    document_add(&report->document, DOCUMENT_TEXT,
                 "The sweep cuts this range into %zu interval%s, in each of which one variant "
                 "serves: who asks for an n that was not tuned gets that of its interval.",
                 count, count == 1 ? "" : "s");
    table = document_table(&report->document, DOCUMENT_TABLE, "The intervals", columns,
                           sizeof columns / sizeof *columns);
    for (size_t i = 0; i < records->interval_count && table; i++) {
        const struct interval *interval = &records->intervals[i];
        char n[NUMBER_CHARS];
        if (!report_is_alike(report, &interval->record))
            continue;
        table_add(table, number_format_count(n, interval->from));
        table_add(table, number_format_count(n, interval->to));
        table_add(table, problem_regimes[interval->record.problem.regime]);
        table_add(table, interval->record.params);
    }
}

int report_sizes(struct report *report, struct error *error)
{
    (void)error;
    struct document *document = &report->document;
    document_add(document, DOCUMENT_SECTION, "Over n");
    if (!report->headline) {
        document_add(document, DOCUMENT_MISSING,
                     "No record is here to draw over n: 'autotune --n 1K..4G' tunes a range.");
        return 0;
    }
    if (published_row(&report->headline->problem)) {
        document_figure(document, &heat_map_kind, draw_shapes(report));
        return 0;
    }
    struct line_chart *chart = draw(report);
    if (chart && (!chart->series_count || chart->series[0].count < 2)) {
        document_add(
            document, DOCUMENT_MISSING,
            "One size is tuned, so there is nothing to draw over n: 'autotune --n 1K..4G' "
            "tunes a range.");
        line_chart_kind.dispose(&chart->figure);
        free(chart);
        return 0;
    }
    document_figure(document, &line_chart_kind, chart);
    if (!report->subject->side.peak_bytes)
        document_add(document, DOCUMENT_MISSING,
                     "No peak is drawn: the memory's bandwidth is not known here.");
    draw_intervals(report);
    return 0;
}
