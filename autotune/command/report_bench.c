/* report_bench: the table of `autotune bench` as two charts: GB/s of both sides, and how many
 * times faster. Both sides were measured by turns, so they stand in one chart; records of other
 * runs do not. */
#include "autotune/command/report_sections.h"

#include "autotune/report/figures.h"
#include "generator/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct columns {
    int n, ours_us, theirs_us, ratio, low, high, gbs, peak;
};

/* One line of the table, as numbers; those that are missing are 0. */
struct line {
    double n, ours_us, theirs_us, ratio, low, high, gbs, peak_pct;
};

static int find_columns(struct columns *out, const struct csv *csv, const char *file,
                        struct error *error)
{
    *out = (struct columns){
        csv_find(csv, "n"),        csv_find(csv, "ours_us"),  csv_find(csv, "cub_us"),
        csv_find(csv, "ratio"),    csv_find(csv, "ratio_lo"), csv_find(csv, "ratio_hi"),
        csv_find(csv, "ours_gbs"), csv_find(csv, "peak_pct"),
    };
    if (out->n >= 0 && out->ours_us >= 0 && out->theirs_us >= 0 && out->gbs >= 0)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "--bench %.200s: not a table of bench: it needs the columns n, ours_us, cub_us "
        "and ours_gbs; 'autotune bench --against cub --csv FILE' writes one",
        file);
}

static double real_at(const struct csv *csv, size_t row, int column)
{
    double value;
    return csv_real(&value, csv, row, column) ? value : 0;
}

static struct line read_line(const struct csv *csv, const struct columns *at, size_t row)
{
    return (struct line){
        real_at(csv, row, at->n),         real_at(csv, row, at->ours_us),
        real_at(csv, row, at->theirs_us), real_at(csv, row, at->ratio),
        real_at(csv, row, at->low),       real_at(csv, row, at->high),
        real_at(csv, row, at->gbs),       real_at(csv, row, at->peak),
    };
}

static bool is_whole(const struct line *line)
{
    return line->n > 0 && line->ours_us > 0 && line->theirs_us > 0 && line->gbs > 0;
}

/* The peak by which the table counts its percent, from the line that gives most digits of it.
 */
static double find_peak(const struct csv *csv, const struct columns *at)
{
    double peak = 0, most = 0;
    for (size_t row = 0; row < csv->rows; row++) {
        const struct line line = read_line(csv, at, row);
        if (line.peak_pct > most) {
            most = line.peak_pct;
            peak = line.gbs / line.peak_pct * 100;
        }
    }
    return peak;
}

/* Bytes of an element, from the line that gives most digits of it: with these GB/s of small n
 * has more digits than the table. */
static double find_bytes(const struct csv *csv, const struct columns *at)
{
    double bytes = 0, most = 0;
    for (size_t row = 0; row < csv->rows; row++) {
        const struct line line = read_line(csv, at, row);
        if (is_whole(&line) && line.gbs > most) {
            most = line.gbs;
            bytes = fmax(round(line.gbs * line.ours_us * 1e3 / line.n), 1);
        }
    }
    return bytes;
}

static struct line_chart *draw_bandwidth(const struct report *report, const struct csv *csv,
                                         const struct columns *at)
{
    struct line_chart *chart = calloc(1, sizeof *chart);
    const double bytes = find_bytes(csv, at);
    if (!chart)
        return NULL;
    *chart = (struct line_chart){.title = "GB/s over n, beside CUB, measured by turns",
                                 .x_title = "n, elements",
                                 .y_title = "GB/s",
                                 .limit = report_peak(report, find_peak(csv, at)),
                                 .from_zero = true};
    if (chart->limit > 0)
        snprintf(chart->limit_name, sizeof chart->limit_name, "theoretical peak, %.0f GB/s",
                 chart->limit);
    for (int side = 0; side < 2; side++) {
        line_chart_begin(chart, side ? "CUB" : "autotune");
        for (size_t row = 0; row < csv->rows; row++) {
            const struct line line = read_line(csv, at, row);
            const double us = side ? line.theirs_us : line.ours_us;
            if (is_whole(&line))
                line_chart_add(chart,
                               (struct line_point){line.n, line.n * bytes / us / 1e3, 0, 0});
        }
    }
    return chart;
}

static struct line_chart *draw_ratio(const struct csv *csv, const struct columns *at)
{
    struct line_chart *chart = calloc(1, sizeof *chart);
    if (!chart)
        return NULL;
    *chart =
        (struct line_chart){.title = "How many times faster than CUB, with the 95 % interval",
                            .x_title = "n, elements",
                            .y_title = "CUB's time over ours",
                            .limit_name = "1: as fast as CUB",
                            .limit = 1};
    line_chart_begin(chart, "autotune");
    for (size_t row = 0; row < csv->rows; row++) {
        const struct line line = read_line(csv, at, row);
        const double ratio = line.ratio > 0 ? line.ratio : line.theirs_us / line.ours_us;
        if (is_whole(&line))
            line_chart_add(chart, (struct line_point){line.n, ratio, line.low, line.high});
    }
    return chart;
}

/* What was measured on which GPU, where the table says it; those of older versions do not. */
static void say_where(struct document *document, const struct csv *csv, const char *file)
{
    const char *const gpu = csv_at(csv, 0, csv_find(csv, "gpu"));
    if (*gpu)
        document_add(document, DOCUMENT_TEXT, "%s %s, %s, on %s, against %s. From %s.",
                     csv_at(csv, 0, csv_find(csv, "op")), csv_at(csv, 0, csv_find(csv, "type")),
                     csv_at(csv, 0, csv_find(csv, "regime")), gpu,
                     csv_at(csv, 0, csv_find(csv, "against")), file);
    else
        document_add(document, DOCUMENT_TEXT,
                     "From %s, which does not say on which GPU it was measured.", file);
}

/* In a sentence: where ours is faster, the most, and the largest n. */
static void describe(struct document *document, const struct csv *csv, const struct columns *at,
                     const char *file)
{
    struct line most = {.ratio = 0}, last = {.n = 0};
    size_t count = 0, faster = 0;
    char at_most[NUMBER_CHARS], largest[NUMBER_CHARS];
    for (size_t row = 0; row < csv->rows; row++) {
        const struct line line = read_line(csv, at, row);
        if (!is_whole(&line))
            continue;
        const double ratio = line.theirs_us / line.ours_us;
        count++;
        faster += ratio > 1;
        if (ratio > most.ratio)
            most = (struct line){.n = line.n, .ratio = ratio};
        if (line.n > last.n)
            last = (struct line){.n = line.n, .ratio = ratio};
    }
    document_add(document, DOCUMENT_TEXT,
                 "Faster at %zu of %zu sizes, %.2f times at %s, %.2f times at %s, the largest. "
                 "Figures of other runs do not stand in these charts.",
                 faster, count, most.ratio, number_format_count(at_most, (uint64_t)most.n),
                 last.ratio, number_format_count(largest, (uint64_t)last.n));
    say_where(document, csv, file);
}

int report_bench(struct report *report, struct error *error)
{
    struct document *document = &report->document;
    const char *file = report->request->bench;
    struct columns at;
    struct csv csv;
    document_add(document, DOCUMENT_SECTION, "Against CUB");
    if (!file) {
        document_add(
            document, DOCUMENT_MISSING,
            "Nothing is said of CUB: 'make bench' builds it, 'autotune bench --against cub "
            "--n 1Ki,64Ki,1Mi,64Mi,400M --csv cub.csv' measures both, and --bench cub.csv "
            "brings it in here.");
        return 0;
    }
    if (report_read_csv(&csv, file, error))
        return -1;
    int failed = find_columns(&at, &csv, file, error);
    if (!failed) {
        struct line_chart *bandwidth = draw_bandwidth(report, &csv, &at);
        if (bandwidth && !line_chart_count(bandwidth)) {
            failed = error_set(error, ERROR_USAGE, "--bench %.200s: no line has figures", file);
            free(bandwidth);
        } else {
            describe(document, &csv, &at, file);
            document_figure(document, DOCUMENT_LINES, bandwidth);
            document_figure(document, DOCUMENT_LINES, draw_ratio(&csv, &at));
        }
    }
    csv_dispose(&csv);
    return failed;
}
