/* report_roofline: draws the rungs of the ladder's tables, a chart for each document, and this GPU's
 * winner under the roofs of the GPU. */
#include "autotune/report/report_table.h"
#include "autotune/report/roofline_chart.h"

#include "autotune/device/gpus.h"
#include "autotune/print/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_CHARS = 4096 };

/* Atomic operations for an element from which on their rate counts as the GPU's. */
static const double ATOMICS_MANY = 0.25;

/* --- The ladder's table ------------------------------------------------------------------- */

/* Numbers of a row; 0 where the table lacks one. */
struct figures {
    double gbs, ms, bytes, n, grid, instructions, in_flight, wanted, atomics, blocks_per_us;
};

static double read(const struct csv *csv, size_t row, const char *title)
{
    double value;
    return csv_real(&value, csv, row, csv_find(csv, title)) && value > 0 ? value : 0;
}

static struct figures read_figures(const struct csv *csv, size_t row)
{
    return (struct figures){.gbs = read(csv, row, "gbs"),
                            .ms = read(csv, row, "ms"),
                            .bytes = read(csv, row, "bytes"),
                            .n = read(csv, row, "n"),
                            .grid = read(csv, row, "grid"),
                            .instructions = read(csv, row, "instructions"),
                            .in_flight = read(csv, row, "in_flight_bytes"),
                            .wanted = read(csv, row, "wanted_bytes"),
                            .atomics = read(csv, row, "atomics_global"),
                            .blocks_per_us = read(csv, row, "blocks_per_us")};
}

/* What the GPU is known to do: by its table, by the ladder's own measurements. */
static void read_gpu(struct roofline_gpu *out, const struct csv *csv)
{
    for (size_t row = 0; row < csv->rows; row++) {
        const struct figures figures = read_figures(csv, row);
        const double atomics = figures.atomics * figures.grid;
        out->blocks = fmax(out->blocks, figures.blocks_per_us * 1e6);
        if (figures.ms > 0 && atomics > ATOMICS_MANY * figures.n)
            out->atomics = fmax(out->atomics, atomics / figures.ms * 1e3);
    }
}

static void add_rung(struct roofline_chart *chart, const struct csv *csv, size_t row)
{
    const struct figures figures = read_figures(csv, row);
    struct roofline_kernel kernel = {.group = roofline_chart_group(chart, "rungs")};
    const struct roofline_work work = {.bytes = figures.bytes,
                                       .instructions = figures.instructions * figures.n,
                                       .blocks = figures.grid,
                                       .atomics = figures.atomics * figures.grid,
                                       .in_flight = figures.in_flight,
                                       .wanted = figures.wanted * analysis_least_latency_s /
                                                 analysis_latency_s};
    if (figures.gbs <= 0 || figures.bytes <= 0 || figures.instructions <= 0)
        return;
    snprintf(kernel.name, sizeof kernel.name, "%.60s, blocks of %.20s",
             csv_at(csv, row, csv_find(csv, "rung")),
             csv_at(csv, row, csv_find(csv, "threads")));
    roofline_fill(&kernel, &chart->gpu, &work, figures.gbs);
    roofline_chart_add(chart, &kernel);
}

/* The fastest of a rung's block sizes? Of equals the first. */
static bool is_best(const struct csv *csv, size_t row)
{
    const int rung = csv_find(csv, "rung");
    const double gbs = read(csv, row, "gbs");
    for (size_t i = 0; i < csv->rows; i++) {
        const double other = read(csv, i, "gbs");
        if (strcmp(csv_at(csv, i, rung), csv_at(csv, row, rung)) == 0 &&
            (other > gbs || (other >= gbs && i < row)))
            return false;
    }
    return true;
}

/* --- Charts ------------------------------------------------------------------------------- */

/* The L2 cache is as fast as any warm record whose input fits it. */
static void find_gpu(struct roofline_gpu *out, const struct report *report)
{
    const struct records *records = &report->subject->records;
    const struct compare *compare = &report->comparison->compare;
    roofline_gpu(out, compare, 0);
    for (size_t i = 0; i < records->count; i++) {
        const struct record *record = &records->at[i];
        if (record->source == RECORD_MEASURED && record->problem.regime == WARM &&
            record->median_ps &&
            figures_bytes(&record->problem) <= (double)compare->sides[0].l2_bytes)
            out->l2 = fmax(out->l2, figures_gbs(&record->problem, record->median_ps) * 1e9);
    }
}

/* The winners of the comparison that are of this GPU, and analysed. */
static void add_winners(struct roofline_chart *chart, const struct roofline_gpu *gpu,
                        const struct report *report)
{
    const struct compare *compare = &report->comparison->compare;
    struct roofline_kernel kernel;
    for (size_t l = 0; l < compare->line_count; l++)
        if (roofline_cell(&kernel, gpu, &compare->lines[l], 0)) {
            kernel.group =
                roofline_chart_group(chart, compare->lines[l].is_document
                                                ? "kernels of documents, as published"
                                                : "winners of autotune");
            roofline_chart_add(chart, &kernel);
        }
}

static size_t count_placed(const struct roofline_chart *chart)
{
    size_t count = 0;
    for (size_t i = 0; i < chart->count; i++)
        count += chart->kernels[i].per_byte > 0;
    return count;
}

static void drop_chart(struct roofline_chart *chart)
{
    roofline_chart_kind.dispose(&chart->figure);
    free(chart);
}

/* A chart that has a kernel with a place becomes the document's; with the first comes a paragraph. */
static void take_chart(struct report *report, struct roofline_chart *chart, bool *is_any)
{
    struct document *document = &report->document;
    if (!count_placed(chart)) {
        drop_chart(chart);
        return;
    }
    if (!*is_any)
        document_add(
            document, DOCUMENT_TEXT,
            "Each mark is a kernel: how fast it is, over how many instructions its threads issue for "
            "a byte. It can lie no higher than the memory's line and that of the issue; where "
            "something else lets it reach less, a stroke above it says how much. A mark at its roof "
            "is limited by that; one far below by something that no roof here has: divergence, bank "
            "conflicts, barriers, latency.");
    *is_any = true;
    document_figure(document, &roofline_chart_kind, chart);
}

static struct roofline_chart *begin_chart(const struct report *report,
                                          const struct roofline_gpu *gpu, const char *what)
{
    struct roofline_chart *chart = calloc(1, sizeof *chart);
    if (!chart)
        return NULL;
    chart->gpu = *gpu;
    snprintf(chart->figure.title, sizeof chart->figure.title, "%.80s: %.100s under its roofs",
             report->comparison->compare.sides[0].name, what);
    return chart;
}

static void add_rungs(struct roofline_chart *chart, const struct csv *csv, size_t first)
{
    const int group = csv_find(csv, "group");
    for (size_t row = first; row < csv->rows; row++)
        if (strcmp(csv_at(csv, row, group), csv_at(csv, first, group)) == 0 &&
            is_best(csv, row))
            add_rung(chart, csv, row);
}

/* A group of few rungs shares a chart with others. */
static int add_group(struct report *report, const struct csv *csv, size_t first,
                     struct roofline_chart *rest, bool *is_any, struct error *error)
{
    enum { FEW = 4 };
    char what[100];
    snprintf(what, sizeof what, "rungs of %.80s", csv_at(csv, first, csv_find(csv, "group")));
    struct roofline_chart *chart = begin_chart(report, &rest->gpu, what);
    if (!chart)
        return error_memory(error, sizeof *chart);
    add_rungs(chart, csv, first);
    if (count_placed(chart) >= FEW) {
        take_chart(report, chart, is_any);
        return 0;
    }
    drop_chart(chart);
    add_rungs(rest, csv, first);
    return 0;
}

static bool is_first_of_group(const struct csv *csv, size_t row)
{
    const int group = csv_find(csv, "group");
    for (size_t i = 0; i < row; i++)
        if (strcmp(csv_at(csv, i, group), csv_at(csv, row, group)) == 0)
            return false;
    return true;
}

/* Tables that cannot be used were refused by the section on the ladder. */
static int add_tables(struct report *report, struct roofline_chart *rest, bool *is_any,
                      struct error *error)
{
    int failed = 0;
    for (const char *at = report->request->ladder; at && !failed;) {
        char file[PATH_CHARS];
        struct table_file table;
        struct error ignored;
        text_next_item(&at, file, sizeof file);
        if (table_file_open(&table, "--ladder", file, &ignored))
            continue;
        if (report_table_check(&table, report, false, &ignored) == 0) {
            read_gpu(&rest->gpu, &table.csv);
            for (size_t row = 0; row < table.csv.rows && !failed; row++)
                if (is_first_of_group(&table.csv, row))
                    failed = add_group(report, &table.csv, row, rest, is_any, error);
        }
        table_file_close(&table);
    }
    return failed;
}

int report_roofline(struct report *report, struct error *error)
{
    struct document *document = &report->document;
    struct roofline_gpu gpu;
    bool is_any = false;
    document_add(document, DOCUMENT_SECTION, "Under which roof");
    if (report->subject) {
        find_gpu(&gpu, report);
        struct roofline_chart *rest = begin_chart(report, &gpu, "other kernels");
        if (!rest)
            return error_memory(error, sizeof *rest);
        rest->gpu.atomics = 0; /* tables count those of threads, not of warps */
        if (add_tables(report, rest, &is_any, error)) {
            drop_chart(rest);
            return -1;
        }
        gpu.blocks = rest->gpu.blocks;
        add_winners(rest, &gpu, report);
        take_chart(report, rest, &is_any);
    }
    if (!is_any)
        document_add(
            document, DOCUMENT_MISSING,
            "No kernel's instructions are known here: 'autotune ladder --csv ladder.csv' and then "
            "--ladder ladder.csv bring those of the ladder, an NVRTC for this GPU those of the "
            "winner.");
    return 0;
}
