/* report_bench: draws the table of `autotune bench` as two charts: GB/s of both sides, and how
 * many times faster. Both sides were measured by turns, so they share a chart; records of other
 * runs do not. Where there are several other libraries each line of the table has the
 * fastest. */
#include "autotune/report/report_table.h"

#include "autotune/print/figures.h"
#include "generator/dims_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct columns {
    int n, ours_us, theirs_us, ratio, low, high, gbs, peak, shape, against;
};

/* One line of the table, as numbers; missing ones are 0. A matrix has no n: it would not give
 * the length of its rows. */
struct line {
    double n, ours_us, theirs_us, ratio, low, high, gbs, peak_pct;
    const char *against; /* the other library: "CUB 3.0.1" */
};

enum { OTHERS_MAX = LINE_CHART_SERIES_MAX - 1 }; /* ours is a series too */

struct bench {
    struct table_file table;
    struct columns at;
    const char *others[OTHERS_MAX]; /* the libraries that were the fastest at some n */
    size_t other_count;
    char title[100]; /* title of the fastest others: "CUB 3.0.1", "the fastest of CUB 3.0.1, CUB
                      * 2.8.2" */
};

static int find_columns(struct bench *bench, struct error *error)
{
    const struct csv *const csv = &bench->table.csv;
    struct columns *const out = &bench->at;
    *out = (struct columns){
        csv_find(csv, "n"),        csv_find(csv, "ours_us"),  csv_find(csv, "cub_us"),
        csv_find(csv, "ratio"),    csv_find(csv, "ratio_lo"), csv_find(csv, "ratio_hi"),
        csv_find(csv, "ours_gbs"), csv_find(csv, "peak_pct"), csv_find(csv, "shape"),
        csv_find(csv, "against"),
    };
    if (out->n >= 0 && out->ours_us >= 0 && out->theirs_us >= 0 && out->gbs >= 0)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "--bench %.200s: not a table of bench: it needs the columns n, ours_us, cub_us "
        "and ours_gbs; 'autotune bench --against cub --csv FILE' writes one",
        bench->table.file);
}

static double real_at(const struct csv *csv, size_t row, int column)
{
    double value;
    return csv_real(&value, csv, row, column) ? value : 0;
}

/* Tables of older versions name no other library: theirs was CUB. */
static struct line read_line(const struct bench *bench, size_t row)
{
    const struct csv *const csv = &bench->table.csv;
    const struct columns *const at = &bench->at;
    const char *const against = csv_at(csv, row, at->against);
    if (*csv_at(csv, row, at->shape))
        return (struct line){.n = 0};
    return (struct line){
        real_at(csv, row, at->n),         real_at(csv, row, at->ours_us),
        real_at(csv, row, at->theirs_us), real_at(csv, row, at->ratio),
        real_at(csv, row, at->low),       real_at(csv, row, at->high),
        real_at(csv, row, at->gbs),       real_at(csv, row, at->peak),
        *against ? against : "CUB",
    };
}

static bool is_whole(const struct line *line)
{
    return line->n > 0 && line->ours_us > 0 && line->theirs_us > 0 && line->gbs > 0;
}

/* Tables of older versions have only the times. */
static double ratio_of(const struct line *line)
{
    return line->ratio > 0 ? line->ratio : line->theirs_us / line->ours_us;
}

enum outcome { SLOWER, AS_FAST, FASTER, OUTCOMES };

/* By the interval, which tells ties apart, where the table has it. */
static enum outcome judge(const struct line *line)
{
    const bool has_interval = line->low > 0 && line->high > 0;
    const double low = has_interval ? line->low : ratio_of(line);
    const double high = has_interval ? line->high : ratio_of(line);
    return low > 1 ? FASTER : high < 1 ? SLOWER : AS_FAST;
}

/* Adds the library of a line, once; false: there is no room for another. */
static bool add_other(struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->other_count; i++)
        if (strcmp(bench->others[i], name) == 0)
            return true;
    if (bench->other_count == OTHERS_MAX)
        return false;
    bench->others[bench->other_count++] = name;
    return true;
}

static int find_others(struct bench *bench, struct error *error)
{
    struct text title = {0};
    for (size_t row = 0; row < bench->table.csv.rows; row++) {
        const struct line line = read_line(bench, row);
        if (is_whole(&line) && !add_other(bench, line.against))
            return error_set(error, ERROR_USAGE,
                             "--bench %.200s: more than %d other libraries: split the table",
                             bench->table.file, OTHERS_MAX);
    }
    if (!bench->other_count)
        return error_set(error, ERROR_USAGE,
                         "--bench %.200s: no line has figures of a reduction to one value: "
                         "name a table of bench with --n",
                         bench->table.file);
    text_adds(&title, bench->other_count > 1 ? "the fastest of " : "");
    for (size_t i = 0; i < bench->other_count; i++) {
        text_adds(&title, i ? ", " : "");
        text_add_visible(&title, bench->others[i]);
    }
    const int failed = text_check(&title, error);
    if (!failed)
        snprintf(bench->title, sizeof bench->title, "%s", title.at);
    text_dispose(&title);
    return failed;
}

/* The peak behind the table's percent, from the line that gives most digits of it. */
static double find_peak(const struct bench *bench)
{
    double peak = 0, most = 0;
    for (size_t row = 0; row < bench->table.csv.rows; row++) {
        const struct line line = read_line(bench, row);
        if (line.peak_pct > most) {
            most = line.peak_pct;
            peak = line.gbs / line.peak_pct * 100;
        }
    }
    return peak;
}

/* Bytes of an element, from the line that gives most digits of it: with these GB/s of small n
 * has more digits than the table. */
static double find_bytes(const struct bench *bench)
{
    double bytes = 0, most = 0;
    for (size_t row = 0; row < bench->table.csv.rows; row++) {
        const struct line line = read_line(bench, row);
        if (is_whole(&line) && line.gbs > most) {
            most = line.gbs;
            bytes = fmax(round(line.gbs * line.ours_us * 1e3 / line.n), 1);
        }
    }
    return bytes;
}

/* Adds a series of times, or given `bytes` of an element of GB/s; ours, or the fastest other's,
 * which may be another library at each n. */
static void add_series(struct line_chart *chart, const struct bench *bench, bool is_ours,
                       double bytes)
{
    line_chart_begin(chart, is_ours ? "autotune" : bench->title);
    for (size_t row = 0; row < bench->table.csv.rows; row++) {
        const struct line line = read_line(bench, row);
        const double us = is_ours ? line.ours_us : line.theirs_us;
        const double y = bytes > 0 ? line.n * bytes / us / 1e3 : us;
        if (is_whole(&line))
            line_chart_add(chart, (struct line_point){line.n, y, 0, 0});
    }
}

static struct line_chart *draw_times(const struct bench *bench)
{
    struct line_chart *chart = calloc(1, sizeof *chart);
    if (!chart)
        return NULL;
    *chart = (struct line_chart){.x_title = "n, elements", .y_title = "us", .is_log = true};
    snprintf(chart->figure.title, sizeof chart->figure.title,
             "Time in us over n, beside %s, measured by turns", bench->title);
    add_series(chart, bench, true, 0);
    add_series(chart, bench, false, 0);
    return chart;
}

static struct line_chart *draw_bandwidth(const struct report *report, const struct bench *bench)
{
    struct line_chart *chart = calloc(1, sizeof *chart);
    if (!chart)
        return NULL;
    *chart = (struct line_chart){.x_title = "n, elements",
                                 .y_title = "GB/s",
                                 .limit = report_peak(report, find_peak(bench)),
                                 .from_zero = true};
    snprintf(chart->figure.title, sizeof chart->figure.title,
             "GB/s over n, beside %s, measured by turns", bench->title);
    if (chart->limit > 0)
        snprintf(chart->limit_name, sizeof chart->limit_name, "theoretical peak, %.0f GB/s",
                 chart->limit);
    add_series(chart, bench, true, find_bytes(bench));
    add_series(chart, bench, false, find_bytes(bench));
    return chart;
}

static struct line_chart *draw_ratio(const struct bench *bench)
{
    struct line_chart *chart = calloc(1, sizeof *chart);
    if (!chart)
        return NULL;
    *chart = (struct line_chart){.x_title = "n, elements",
                                 .y_title = "their time over ours",
                                 .limit_name = "1: as fast as they",
                                 .limit = 1};
    snprintf(chart->figure.title, sizeof chart->figure.title,
             "How many times faster than %s, with the 95 %% interval", bench->title);
    line_chart_begin(chart, "autotune");
    for (size_t row = 0; row < bench->table.csv.rows; row++) {
        const struct line line = read_line(bench, row);
        if (is_whole(&line))
            line_chart_add(chart,
                           (struct line_point){line.n, ratio_of(&line), line.low, line.high});
    }
    return chart;
}

static void say_where(struct document *document, const struct bench *bench)
{
    const struct table_file *const table = &bench->table;
    document_add(document, DOCUMENT_TEXT, "%s %s%s%s%s, on %s, against %s. From %s.", table->op,
                 table->type, *table->regime ? ", " : "", table->regime, table->how, table->gpu,
                 bench->title, table->file);
}

/* "Faster at 3 of 5 sizes, as fast at 1, slower at 1". */
static void add_outcomes(struct text *out, const size_t counts[OUTCOMES])
{
    text_addf(out, "Faster at %zu of %zu sizes", counts[FASTER],
              counts[FASTER] + counts[AS_FAST] + counts[SLOWER]);
    if (counts[AS_FAST])
        text_addf(out, ", as fast at %zu", counts[AS_FAST]);
    if (counts[SLOWER])
        text_addf(out, ", slower at %zu", counts[SLOWER]);
}

/* "1.976 times at 40K": with the digits of the chart's table. */
static void add_times(struct text *out, const struct line *line)
{
    char ratio[NUMBER_CHARS], n[NUMBER_CHARS];
    text_addf(out, "%s times at %s", figures_short(ratio, line->ratio, 4),
              number_format_count(n, (uint64_t)line->n));
}

/* The number of sizes with each outcome, the lines of the least and of the largest ratio, and that
 * of the largest n. */
struct totals {
    struct line least, most, last; /* only n and ratio are set */
    size_t count, outcomes[OUTCOMES];
};

static struct totals add_up(const struct bench *bench)
{
    struct totals out = {.count = 0};
    for (size_t row = 0; row < bench->table.csv.rows; row++) {
        const struct line line = read_line(bench, row);
        if (!is_whole(&line))
            continue;
        const double ratio = ratio_of(&line);
        out.count++;
        out.outcomes[judge(&line)]++;
        const struct line only = {.n = line.n, .ratio = ratio};
        if (out.count == 1 || ratio < out.least.ratio)
            out.least = only;
        if (ratio > out.most.ratio)
            out.most = only;
        if (line.n > out.last.n)
            out.last = only;
    }
    return out;
}

/* In a sentence. */
static void describe(struct document *document, const struct bench *bench)
{
    const struct totals totals = add_up(bench);
    struct text text = {0};
    add_outcomes(&text, totals.outcomes);
    text_adds(&text, ": ");
    add_times(&text, &totals.least);
    if (totals.count > 1) {
        text_adds(&text, " to ");
        add_times(&text, &totals.most);
        text_adds(&text, "; ");
        add_times(&text, &totals.last);
        text_adds(&text, ", the largest n");
    }
    document_add(document, DOCUMENT_TEXT,
                 "%s. Figures of other runs do not stand in these charts.",
                 text.at ? text.at : "");
    document->failed |= text.failed;
    text_dispose(&text);
    say_where(document, bench);
    if (totals.count < bench->table.csv.rows)
        document_add(
            document, DOCUMENT_TEXT,
            "Left out: %zu of the table's %zu lines, which lack a figure or are of " DIMS_TEXT_SEVERAL
            ".",
            bench->table.csv.rows - totals.count, bench->table.csv.rows);
}

/* The table's line of this n; its n is 0 where it has none. */
static struct line find_line(const struct bench *bench, uint64_t n)
{
    for (size_t row = 0; row < bench->table.csv.rows; row++) {
        const struct line line = read_line(bench, row);
        if (is_whole(&line) && (uint64_t)line.n == n)
            return (struct line){.n = line.n, .ratio = ratio_of(&line)};
    }
    return (struct line){.n = 0};
}

/* At the page's own n first, where the table has it. */
static void add_tile(struct table *tiles, const struct report *report,
                     const struct bench *bench)
{
    const struct totals totals = add_up(bench);
    const struct line own =
        find_line(bench, report->headline ? dims_n(&report->headline->problem.dims) : 0);
    const struct line shown = own.n > 0 ? own : totals.most;
    struct text remark = {0};
    char ratio[NUMBER_CHARS], n[NUMBER_CHARS];
    text_addf(&remark, "than %s at %s", bench->title,
              number_format_count(n, (uint64_t)shown.n));
    if (totals.count > 1) {
        text_adds(&remark, "; the least: ");
        add_times(&remark, &totals.least);
    }
    if (totals.count > 1 && own.n > 0) {
        text_adds(&remark, ", the most: ");
        add_times(&remark, &totals.most);
    }
    table_add(tiles, "faster than others");
    table_addf(tiles, "%s%s times", totals.count > 1 && own.n == 0 ? "up to " : "",
               figures_short(ratio, shown.ratio, 3));
    table_add(tiles, remark.at);
    tiles->failed |= remark.failed;
    text_dispose(&remark);
}

int report_bench_tile(struct table *tiles, const struct report *report, struct error *error)
{
    struct bench bench = {.other_count = 0};
    if (!report_own(report)->bench)
        return 0;
    if (table_file_open(&bench.table, "--bench", report_own(report)->bench, error))
        return -1;
    const int failed = find_columns(&bench, error) ||
                       report_table_check(&bench.table, report, true, error) ||
                       find_others(&bench, error);
    if (!failed && report_table_is_of_title(&bench.table, report))
        add_tile(tiles, report, &bench);
    table_file_close(&bench.table);
    return failed ? -1 : 0;
}

/* Adds the sentences and charts of the named table. */
static int add_bench(struct report *report, struct bench *bench, struct error *error)
{
    struct document *document = &report->document;
    const struct table_file *const table = &bench->table;
    if (find_columns(bench, error) || report_table_check(&bench->table, report, true, error) ||
        find_others(bench, error))
        return -1;
    document_add(document, DOCUMENT_SECTION, "%s %s%s%s%s on %s against %s", table->op,
                 table->type, *table->regime ? " " : "", table->regime, table->how, table->gpu,
                 bench->title);
    report_table_note(table, report);
    describe(document, bench);
    document_figure(document, &line_chart_kind, draw_ratio(bench));
    document_figure(document, &line_chart_kind, draw_times(bench));
    document_figure(document, &line_chart_kind, draw_bandwidth(report, bench));
    return 0;
}

int report_bench(struct report *report, struct error *error)
{
    struct document *document = &report->document;
    struct bench bench = {.other_count = 0};
    if (!report_own(report)->bench) {
        document_add(document, DOCUMENT_SECTION, "Against other libraries");
        document_add(
            document, DOCUMENT_MISSING,
            "Nothing is said of other libraries: bench/cub/build.sh of autotune's sources builds CUB, 'autotune bench "
            "--against cub --n 1Ki,64Ki,1Mi,64Mi,400M --csv cub.csv' measures both, and --bench "
            "cub.csv brings it in here.");
        return 0;
    }
    if (table_file_open(&bench.table, "--bench", report_own(report)->bench, error))
        return -1;
    const int failed = add_bench(report, &bench, error);
    table_file_close(&bench.table);
    return failed;
}
