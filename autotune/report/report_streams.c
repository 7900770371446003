/* report_streams: shows the table of the ladder of streams: each way as a share of a plain copy, its
 * copies and kernels as bars over time, and what calls between two streams' work do to it. */
#include "autotune/report/report_table.h"
#include "autotune/report/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct columns {
    int rung, memory, streams, chunks, threads, ms, gbs, percent, copy_ms, what, overlap, bars;
};

static int find_columns(struct columns *out, const struct table_file *table,
                        struct error *error)
{
    const struct csv *csv = &table->csv;
    *out = (struct columns){
        csv_find(csv, "rung"),   csv_find(csv, "memory"),       csv_find(csv, "streams"),
        csv_find(csv, "chunks"), csv_find(csv, "threads"),      csv_find(csv, "ms"),
        csv_find(csv, "gbs"),    csv_find(csv, "copy_percent"), csv_find(csv, "copy_ms"),
        csv_find(csv, "what"),   csv_find(csv, "overlap"),      csv_find(csv, "bars"),
    };
    return out->rung >= 0 && out->percent >= 0 && out->what >= 0 && out->bars >= 0
               ? 0
               : error_set(
                     error, ERROR_USAGE,
                     "--streams %.200s: not a table of streams: it needs the columns rung, "
                     "copy_percent, what and bars; 'autotune ladder --data pinned --csv "
                     "FILE' writes one",
                     table->file);
}

static bool is_rung(const struct csv *csv, const struct columns *at, size_t row)
{
    return strncmp(csv_at(csv, row, at->rung), "streams-", strlen("streams-")) == 0;
}

static void name_rung(char *out, size_t size, const struct csv *csv, const struct columns *at,
                      size_t row)
{
    snprintf(out, size, "%s: %s", csv_at(csv, row, at->rung), csv_at(csv, row, at->what));
}

/* --- Shares ------------------------------------------------------------------------------- */

static void draw_shares(struct report *report, const struct csv *csv, const struct columns *at,
                        bool is_host)
{
    struct bar_chart *chart = calloc(1, sizeof *chart);
    if (chart) {
        snprintf(chart->figure.title, sizeof chart->figure.title,
                 "Data on the host: share of a plain copy of pinned memory");
        snprintf(chart->unit, sizeof chart->unit, "%%");
        snprintf(chart->limit_name, sizeof chart->limit_name, "a plain copy");
        chart->limit = 100;
        chart->digits = 3;
    }
    for (size_t row = 0; row < csv->rows && chart; row++) {
        struct bar bar = {.kind = is_host ? BAR_EMULATED : BAR_MEASURED};
        if (!is_rung(csv, at, row) || !csv_real(&bar.value, csv, row, at->percent))
            continue;
        name_rung(bar.label, sizeof bar.label, csv, at, row);
        const char *streams = csv_at(csv, row, at->streams),
                   *chunks = csv_at(csv, row, at->chunks);
        snprintf(bar.note, sizeof bar.note,
                 "%.20s ms, %.20s GB/s; %.20s memory, %.20s stream%s, %.20s chunk%s",
                 csv_at(csv, row, at->ms), csv_at(csv, row, at->gbs),
                 csv_at(csv, row, at->memory), streams, strcmp(streams, "1") ? "s" : "", chunks,
                 strcmp(chunks, "1") ? "s" : "");
        bar_chart_add(chart, &bar);
    }
    document_figure(&report->document, &bar_chart_kind, chart);
}

/* --- Times -------------------------------------------------------------------------------- */

/* Takes "FROM:COPIED:REDUCED", in microseconds; false: it is none. */
static bool take_bar(const char **at, double *out)
{
    for (int i = 0; i < 3; i++) {
        char *end;
        out[i] = strtod(*at, &end);
        if (end == *at ||
            *end != (i < 2          ? ':'
                     : *end == '\0' ? '\0'
                                    : ' ') ||
            !(out[i] >= 0 && out[i] < 1e12))
            return false;
        *at = end + (*end != '\0');
    }
    return out[0] <= out[1];
}

/* A kernel begins when its copy has ended, and the kernel before it. */
static void add_bars(struct timeline *timeline, const char *bars)
{
    double times[3], free_at = 0;
    while (*bars && take_bar(&bars, times)) {
        const double from = times[1] > free_at ? times[1] : free_at;
        timeline_add(timeline, (struct timeline_bar){TIMELINE_COPY, times[0], times[1]});
        if (times[2] > from)
            timeline_add(timeline, (struct timeline_bar){TIMELINE_KERNEL, from, times[2]});
        free_at = times[2];
    }
}

/* When the last of a row's work has ended; 0 where it has no bars. */
static double end_of(const struct csv *csv, const struct columns *at, size_t row)
{
    const char *bars = csv_at(csv, row, at->bars);
    double times[3], end = 0;
    while (is_rung(csv, at, row) && *bars && take_bar(&bars, times))
        end = times[2] > end ? times[2] : end;
    return end;
}

/* Those that end between these times, so that what is quick has an axis of its own. */
static void draw_times(struct report *report, const struct csv *csv, const struct columns *at,
                       const char *title, double from, double to)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);
    char label[160];
    if (timeline)
        snprintf(timeline->figure.title, sizeof timeline->figure.title, "%s", title);
    for (size_t row = 0; row < csv->rows && timeline; row++) {
        const double end = end_of(csv, at, row);
        if (end <= from || end > to)
            continue;
        name_rung(label, sizeof label, csv, at, row);
        timeline_begin(timeline, label);
        add_bars(timeline, csv_at(csv, row, at->bars));
    }
    if (timeline && !timeline->count)
        free(timeline);
    else
        document_figure(&report->document, &timeline_kind, timeline);
}

static void draw_all_times(struct report *report, const struct csv *csv,
                           const struct columns *at)
{
    enum { SLOW = 3 }; /* times the quickest */
    double least = 0;
    for (size_t row = 0; row < csv->rows; row++) {
        const double end = end_of(csv, at, row);
        least = end > 0 && (least <= 0 || end < least) ? end : least;
    }
    draw_times(report, csv, at, "Copies and kernels of one run of each", 0, SLOW * least);
    draw_times(report, csv, at, "The slower ones, over a longer time", SLOW * least, 1e12);
}

/* --- Caveats ------------------------------------------------------------------------------ */

static void add_caveats(struct report *report, const struct csv *csv, const struct columns *at)
{
    struct document *document = &report->document;
    struct table *table = NULL;
    for (size_t row = 0; row < csv->rows; row++) {
        const char *bars = csv_at(csv, row, at->bars);
        double times[3];
        if (is_rung(csv, at, row) || !take_bar(&bars, times))
            continue;
        if (!table) {
            document_add(
                document, DOCUMENT_TEXT,
                "A lecture of 2015 warns: two commands of different streams cannot run "
                "at the same time if certain calls are issued between them. Here a copy "
                "is queued in one stream, then each such call is made, then a kernel is "
                "queued in another stream; where it ends before the copy, the call has "
                "kept nothing apart.");
            table = document_table(document, DOCUMENT_FACTS, NULL, NULL, 0);
        }
        if (!table)
            return;
        table_add(table, csv_at(csv, row, at->what));
        table_add(table,
                  strcmp(csv_at(csv, row, at->overlap), "yes") == 0 ? "overlap" : "apart");
        table_addf(table, "the copy ends after %.1f us, the kernel after %.1f", times[1],
                   times[2]);
    }
}

static int add_streams(struct report *report, struct table_file *table, struct error *error)
{
    struct document *document = &report->document;
    struct columns at;
    double copy_ms;
    if (find_columns(&at, table, error) || report_table_check(table, report, false, error))
        return -1;
    document_add(document, DOCUMENT_SECTION, "Data on the host: streams");
    if (csv_real(&copy_ms, &table->csv, 0, at.copy_ms))
        document_add(
            document, DOCUMENT_TEXT,
            "%s %s of %s elements that lie in the host's memory, on %s. A plain copy of "
            "them from pinned memory takes %.3f ms, and nothing that needs them all can "
            "take less: each way is a share of that.",
            table->op, table->type, csv_at(&table->csv, 0, csv_find(&table->csv, "n")),
            table->gpu, copy_ms);
    draw_shares(report, &table->csv, &at, strcmp(table->gpu, "host") == 0);
    draw_all_times(report, &table->csv, &at);
    add_caveats(report, &table->csv, &at);
    return 0;
}

int report_streams(struct report *report, struct error *error)
{
    struct table_file table;
    const char *file = report_own(report)->streams;
    if (!file)
        return 0;
    if (table_file_open(&table, "--streams", file, error))
        return -1;
    const int failed = add_streams(report, &table, error);
    table_file_close(&table);
    return failed;
}
