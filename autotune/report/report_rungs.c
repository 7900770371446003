/* report_rungs: draws the table of `autotune ladder` as bars, a chart for each document;
 * without one, the figures that documents published of their own rungs on this GPU. */
#include "autotune/report/report_table.h"

#include "autotune/compare/rung_shares.h"

#include "autotune/print/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_CHARS = 4096 };

/* --- The ladder's table ------------------------------------------------------------------- */

/* Missing columns are -1: a table of an older version has fewer. */
struct columns {
    int group, rung, kernel, threads, items, status, gbs, peak, step, total, reason, cause;
    int device, n, op, type, ms, bytes;
};

/* Do rows differ in this column? -1: it is not there. */
static bool has_several(const struct csv *csv, int column)
{
    for (size_t row = 1; row < csv->rows && column >= 0; row++)
        if (strcmp(csv_at(csv, row, column), csv_at(csv, 0, column)) != 0)
            return true;
    return false;
}

static int find_columns(struct columns *out, const struct csv *csv, const char *file,
                        struct error *error)
{
    *out = (struct columns){
        csv_find(csv, "group"),  csv_find(csv, "rung"),
        csv_find(csv, "kernel"), csv_find(csv, "threads"),
        csv_find(csv, "items"),  csv_find(csv, "status"),
        csv_find(csv, "gbs"),    csv_find(csv, "peak_percent"),
        csv_find(csv, "step"),   csv_find(csv, "total"),
        csv_find(csv, "reason"), csv_find(csv, "cause"),
        csv_find(csv, "device"), csv_find(csv, "n"),
        csv_find(csv, "op"),     csv_find(csv, "type"),
        csv_find(csv, "ms"),     csv_find(csv, "bytes"),
    };
    if (has_several(csv, out->n))
        return error_set(
            error, ERROR_USAGE,
            "--ladder %.200s: a table by n, and the ladder's bars are of one: make it "
            "by 'autotune ladder --n COUNT --csv FILE'",
            file);
    if (out->group >= 0 && out->rung >= 0 && out->kernel >= 0 && out->gbs >= 0)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "--ladder %.200s: not a table of the ladder: it needs the columns group, rung, "
        "kernel and gbs; 'autotune ladder --csv FILE' writes one",
        file);
}

/* GB/s of a row: from its bytes and time, which have more digits, else its own figure; 0 =
 * none. */
static double gbs_at(const struct csv *csv, const struct columns *at, size_t row)
{
    double ms, bytes, gbs;
    if (csv_real(&ms, csv, row, at->ms) && csv_real(&bytes, csv, row, at->bytes) && ms > 0)
        return bytes / ms / 1e6;
    return csv_real(&gbs, csv, row, at->gbs) ? gbs : 0;
}

static bool is_same(const struct csv *csv, size_t a, size_t b, int column)
{
    return strcmp(csv_at(csv, a, column), csv_at(csv, b, column)) == 0;
}

/* The row of a rung with the most GB/s, searched from its first row on. */
static size_t find_best(const struct csv *csv, const struct columns *at, size_t first,
                        size_t *count)
{
    size_t best = first;
    double most = 0;
    *count = 0;
    for (size_t row = first; row < csv->rows; row++) {
        if (!is_same(csv, row, first, at->rung) || !is_same(csv, row, first, at->group))
            continue;
        ++*count;
        const double gbs = gbs_at(csv, at, row);
        if (gbs > most) {
            most = gbs;
            best = row;
        }
    }
    return best;
}

static bool is_first_of(const struct csv *csv, size_t row, int column, int within)
{
    for (size_t i = 0; i < row; i++)
        if (is_same(csv, i, row, column) && (within < 0 || is_same(csv, i, row, within)))
            return false;
    return true;
}

/* A phrase of the note, separated from those before. */
static void add_phrase(struct text *note, const char *before, const char *value,
                       const char *after)
{
    if (*value)
        text_addf(note, "%s%s%s%s", note->length ? "; " : "", before, value, after);
}

static void write_note(struct bar *bar, const struct csv *csv, const struct columns *at,
                       size_t row, size_t count)
{
    struct text note = {0};
    char sizes[64] = "";
    double step;
    if (bar->kind == BAR_NONE) {
        add_phrase(&note, "", csv_at(csv, row, at->status), "");
        add_phrase(&note, "", csv_at(csv, row, at->reason), "");
    } else {
        if (count > 1)
            snprintf(sizes, sizeof sizes, ", the best of %zu shapes", count);
        add_phrase(&note, "blocks of ", csv_at(csv, row, at->threads), sizes);
        if (count == 1 && csv_real(&step, csv, row, at->step) && step > 0) {
            char times[NUMBER_CHARS];
            number_format_fixed(times, (uint64_t)(step * 100 + 0.5), 2);
            add_phrase(&note, "", times, "x the one before");
        }
        add_phrase(&note, "", csv_at(csv, row, at->cause), "");
    }
    snprintf(bar->note, sizeof bar->note, "%s", note.at ? note.at : "");
    text_dispose(&note);
}

static struct bar read_bar(const struct csv *csv, const struct columns *at, size_t first)
{
    size_t count;
    const size_t row = find_best(csv, at, first, &count);
    const bool is_emulated = strcmp(csv_at(csv, row, at->device), "host") == 0;
    struct bar bar = {.kind = is_emulated ? BAR_EMULATED : BAR_MEASURED};
    snprintf(bar.label, sizeof bar.label, "%s", csv_at(csv, row, at->kernel));
    bar.value = gbs_at(csv, at, row);
    if (bar.value <= 0)
        bar.kind = BAR_NONE;
    write_note(&bar, csv, at, row, count);
    return bar;
}

static double find_peak(const struct csv *csv, const struct columns *at)
{
    double peak = 0, most = 0, percent;
    for (size_t row = 0; row < csv->rows; row++)
        if (csv_real(&percent, csv, row, at->peak) && percent > most) {
            most = percent;
            peak = gbs_at(csv, at, row) / percent * 100;
        }
    return peak;
}

/* The title that the list of the ladder has for a group, else its name. */
static void write_title(char *out, size_t size, const struct report *report, const char *group)
{
    const struct rungs *rungs = &report->comparison->rungs;
    snprintf(out, size, "%s", group);
    for (size_t g = 0; g < rungs->group_count; g++)
        if (strcmp(rungs->groups[g].name, group) == 0)
            snprintf(out, size, "%s", rungs->groups[g].title);
}

/* A group of `autotune ladder --grid`: it has no rungs but sizes of one kernel. */
static const char grid_start[] = "grid-";

static bool is_grid(const char *group)
{
    return strncmp(group, grid_start, strlen(grid_start)) == 0;
}

/* Draws a group measured at several block sizes and elements per thread as the grid of both.
 * NULL: it was not, or there is no memory. */
static struct heat_map *draw_grid(const struct report *report, const struct csv *csv,
                                  const struct columns *at, size_t first)
{
    struct heat_map *map = at->threads < 0 || at->items < 0 ? NULL : calloc(1, sizeof *map);
    if (!map)
        return NULL;
    char title[120];
    const char *group = csv_at(csv, first, at->group);
    write_title(title, sizeof title, report, group + (is_grid(group) ? strlen(grid_start) : 0));
    snprintf(map->figure.title, sizeof map->figure.title, "%s: GB/s by threads and elements",
             title);
    snprintf(map->unit, sizeof map->unit, "GB/s");
    snprintf(map->rows.name, sizeof map->rows.name, "threads");
    snprintf(map->rows.meaning, sizeof map->rows.meaning, "per block");
    snprintf(map->columns.name, sizeof map->columns.name, "elements");
    snprintf(map->columns.meaning, sizeof map->columns.meaning, "per thread");
    for (size_t row = first; row < csv->rows; row++)
        if (is_same(csv, row, first, at->group) && gbs_at(csv, at, row) > 0)
            heat_map_add(map, csv_at(csv, row, at->threads), csv_at(csv, row, at->items),
                         gbs_at(csv, at, row), csv_at(csv, row, at->kernel));
    if (map->rows.count > 1 && map->columns.count > 1)
        return map;
    free(map);
    return NULL;
}

static void add_group(struct report *report, const struct csv *csv, const struct columns *at,
                      size_t first)
{
    struct heat_map *grid = draw_grid(report, csv, at, first);
    if (grid)
        document_figure(&report->document, &heat_map_kind, grid);
    if (grid && is_grid(csv_at(csv, first, at->group)))
        return;
    struct bar_chart *chart = calloc(1, sizeof *chart);
    if (chart) {
        *chart = (struct bar_chart){.unit = "GB/s",
                                    .digits = 4,
                                    .limit = report_peak(report, find_peak(csv, at))};
        snprintf(chart->limit_name, sizeof chart->limit_name, "the theoretical peak, %.0f GB/s",
                 chart->limit);
        write_title(chart->figure.title, sizeof chart->figure.title, report,
                    csv_at(csv, first, at->group));
    }
    for (size_t row = first; row < csv->rows && chart; row++)
        if (is_same(csv, row, first, at->group) && is_first_of(csv, row, at->rung, at->group)) {
            const struct bar bar = read_bar(csv, at, row);
            bar_chart_add(chart, &bar);
        }
    document_figure(&report->document, &bar_chart_kind, chart);
}

static void say_where(struct report *report, const struct table_file *table, int column)
{
    const struct csv *const csv = &table->csv;
    const char *n = csv_at(csv, 0, column), *len = csv_at(csv, 0, csv_find(csv, "len"));
    char count[NUMBER_CHARS];
    uint64_t elements;
    struct error ignored;
    if (number_parse_count(&elements, n, "", &ignored) == 0)
        n = number_format_count(count, elements);
    document_add(&report->document, DOCUMENT_TEXT, "%s %s%s%s%s%s on %s, from %s:", table->op,
                 table->type, *n ? " " : "", n, *len ? " in rows or columns of " : "", len,
                 table->gpu, table->file);
    report_table_note(table, report);
}

static int add_ladder(struct report *report, const char *file, struct error *error)
{
    struct columns at;
    struct table_file table;
    const struct csv *const csv = &table.csv;
    if (table_file_open(&table, "--ladder", file, error))
        return -1;
    const int failed =
        find_columns(&at, csv, file, error) || report_table_check(&table, report, false, error);
    if (!failed)
        say_where(report, &table, at.n);
    for (size_t row = 0; row < csv->rows && !failed; row++)
        if (is_first_of(csv, row, at.group, -1))
            add_group(report, csv, &at, row);
    table_file_close(&table);
    return failed ? -1 : 0;
}

/* Names separated by commas. */
static int add_ladders(struct report *report, const char *files, struct error *error)
{
    document_add(
        &report->document, DOCUMENT_TEXT,
        "The reductions of teaching documents, each proven correct and then timed: GB/s "
        "counts what all launches of a reduction read and write.");
    for (const char *at = files; at;) {
        char file[PATH_CHARS];
        const size_t length = text_next_item(&at, file, sizeof file);
        if (length >= sizeof file)
            return error_set(error, ERROR_USAGE, "--ladder: a name is too long");
        if (length == 0)
            return error_set(
                error, ERROR_USAGE,
                "--ladder is '%.200s', with an empty name: give files, separated by "
                "commas",
                files);
        if (add_ladder(report, file, error))
            return -1;
    }
    return 0;
}

/* --- Documents ---------------------------------------------------------------------------- */

/* A problem of its own has a bar of its own: another n, another length of rows. */
static void name_bar(struct bar *bar, const struct published *published,
                     const struct published_figure *figure)
{
    const struct published_kernel *const kernel = &published->kernels[figure->kernel];
    const struct published_number *const row = &figure->at[PUBLISHED_ROW];
    const uint64_t n = dims_n(&kernel->problem.dims);
    char count[NUMBER_CHARS];
    if (row->is_there)
        snprintf(bar->label, sizeof bar->label, "rows of %" PRIu64 ": %.100s", row->digits,
                 kernel->kernel);
    else if (n != dims_n(&published->problem.dims))
        snprintf(bar->label, sizeof bar->label, "n = %s: %.100s", number_format_count(count, n),
                 kernel->kernel);
    else
        snprintf(bar->label, sizeof bar->label, "%.100s", kernel->kernel);
}

static void add_figure(struct bar_chart *chart, const struct published *published,
                       const struct published_figure *figure)
{
    const struct published_value gbs = published_gbs(published, figure);
    const struct published_number *const threads = &figure->at[PUBLISHED_THREADS];
    struct bar bar = {.kind = gbs.is_own ? BAR_PUBLISHED : BAR_COMPUTED,
                      .value = gbs.value,
                      .digits = gbs.digits};
    name_bar(&bar, published, figure);
    if (threads->is_there)
        snprintf(bar.note, sizeof bar.note, "blocks of %" PRIu64, threads->digits);
    if (!gbs.is_own)
        snprintf(bar.note + strlen(bar.note), sizeof bar.note - strlen(bar.note),
                 "%sGB/s computed from its time", *bar.note ? "; " : "");
    bar_chart_add(chart, &bar);
}

static void add_kernel(struct bar_chart *chart, const struct published *published, size_t k)
{
    const struct published_kernel *kernel = &published->kernels[k];
    for (size_t i = kernel->first; i < kernel->first + kernel->count && !kernel->task; i++) {
        const struct published_figure *figure = &published->figures[i];
        if (published_fastest(published, figure) == figure)
            add_figure(chart, published, figure);
    }
}

static bool has_rows(const struct published *published)
{
    for (size_t i = 0; i < published->figure_count; i++)
        if (published->figures[i].at[PUBLISHED_ROW].is_there)
            return true;
    return false;
}

static void add_document(struct report *report, const struct published *published)
{
    struct bar_chart *chart = calloc(1, sizeof *chart);
    if (chart) {
        char problem[PROBLEM_CHARS], peak[NUMBER_CHARS];
        *chart = (struct bar_chart){.unit = "GB/s",
                                    .digits = 4,
                                    .limit = published_real(&published->peak_gbs)};
        snprintf(chart->limit_name, sizeof chart->limit_name, "the document's peak, %s GB/s",
                 published_write(peak, &published->peak_gbs));
        snprintf(chart->figure.title, sizeof chart->figure.title, "%.80s%s, published by %.80s",
                 published_problem(problem, &published->problem),
                 has_rows(published) ? ", a result for each row" : "", published->source);
        for (size_t k = 0; k < published->kernel_count; k++)
            add_kernel(chart, published, k);
    }
    document_figure(&report->document, &bar_chart_kind, chart);
}

/* --- Beside other GPUs -------------------------------------------------------------------- */

/* Adds the documents of the GPUs that were named, else all that are built in. */
static int add_published(struct rung_shares *shares, const struct report *report,
                         struct error *error)
{
    const struct comparison *const comparison = report->comparison;
    const size_t measured = shares->side_count;
    for (size_t i = 0; i < report->request->file_count; i++)
        for (size_t d = 0; d < comparison->inputs[i].published_count; d++)
            if (rung_shares_add(shares, comparison->inputs[i].published[d], error))
                return -1;
    return shares->side_count > measured ? 0 : rung_shares_add_built_in(shares, error);
}

static void add_share(struct bar_chart *chart, const struct rung_shares *shares,
                      const struct rung_figure *figure)
{
    const struct rung_side *side = &shares->sides[figure->side];
    const char *kernel = shares->kernels[figure->kernel].name;
    struct bar bar = {.kind = side->is_measured      ? BAR_MEASURED
                              : figure->share.is_own ? BAR_PUBLISHED
                                                     : BAR_COMPUTED,
                      .value = figure->share.value,
                      .digits = figure->share.digits};
    snprintf(bar.label, sizeof bar.label, "%s, %s", kernel, side->title);
    snprintf(bar.note, sizeof bar.note, "%.120s: %.160s", side->source, figure->label);
    if (figure->threads)
        snprintf(bar.note + strlen(bar.note), sizeof bar.note - strlen(bar.note),
                 "; blocks of %" PRIu64, figure->threads);
    if (!figure->share.is_own)
        snprintf(bar.note + strlen(bar.note), sizeof bar.note - strlen(bar.note),
                 "; computed: %s", rung_shares_how(shares, figure));
    bar_chart_add(chart, &bar);
}

/* Has the kernel figures of both kinds? */
static bool is_on_both(const struct rung_shares *shares, size_t kernel)
{
    bool has[2] = {false, false};
    for (size_t s = 0; s < shares->side_count; s++)
        has[shares->sides[s].is_measured] |= rung_shares_best(shares, kernel, s) != NULL;
    return has[false] && has[true];
}

static void draw_shares(struct document *document, const struct rung_shares *shares)
{
    size_t order[RUNG_SHARES_KERNELS_MAX];
    const size_t count = rung_shares_order(shares, order);
    struct bar_chart *chart = calloc(1, sizeof *chart);
    if (chart)
        *chart = (struct bar_chart){
            .figure.title =
                "Kernels that are alike, in documents and measured, each at its best block",
            .unit = "%",
            .digits = 3,
            .limit = 100,
            .limit_name = "100 % of each GPU's own theoretical bandwidth"};
    for (size_t k = 0; k < count && chart; k++)
        for (size_t s = 0; s < shares->side_count && is_on_both(shares, order[k]); s++) {
            const struct rung_figure *best = rung_shares_best(shares, order[k], s);
            if (best)
                add_share(chart, shares, best);
        }
    if (chart && !chart->count)
        free(chart);
    else
        document_figure(document, &bar_chart_kind, chart);
}

static void say_sides(struct document *document, const struct rung_shares *shares)
{
    struct text words = {0};
    for (size_t s = 0; s < shares->side_count; s++) {
        const struct rung_side *side = &shares->sides[s];
        char n[NUMBER_CHARS], peak[NUMBER_CHARS];
        text_addf(&words, "%s%s: %s, %s %s%s, of %s GB/s", s ? "; " : "", side->title,
                  side->source, side->op, number_format_count(n, side->n),
                  side->has_rows ? " in rows" : "",
                  figures_short(peak, side->peak_gbs, side->peak_digits));
    }
    document_add(
        document, DOCUMENT_TEXT,
        "Beside them kernels of documents that are alike, each as a share of its own GPU's "
        "peak: published, or computed from what is published. %s.",
        words.at ? words.at : "");
    text_dispose(&words);
}

/* The rungs of the tables beside kernels of documents that are alike. Nothing for tables without a
 * share of a peak, as those of the emulator. */
static int add_shares(struct report *report, struct error *error)
{
    struct rung_shares *shares;
    if (rung_shares_open(&shares, NULL, error))
        return -1;
    int failed = rung_shares_add_tables(shares, report->request->ladder, error);
    if (failed && error->code == ERROR_USAGE) {
        rung_shares_close(shares);
        return 0;
    }
    failed = failed || add_published(shares, report, error);
    if (!failed) {
        say_sides(&report->document, shares);
        draw_shares(&report->document, shares);
    }
    rung_shares_close(shares);
    return failed ? -1 : 0;
}

int report_rungs(struct report *report, struct error *error)
{
    struct document *document = &report->document;
    const struct compare_input *subject = report->subject;
    document_add(document, DOCUMENT_SECTION, "The ladder");
    if (report->request->ladder && add_ladders(report, report->request->ladder, error))
        return -1;
    for (size_t i = 0; subject && i < subject->published_count; i++)
        add_document(report, subject->published[i]);
    if (report->request->ladder)
        return add_shares(report, error);
    document_add(
        document, DOCUMENT_MISSING,
        "The classic reductions were not measured%s: 'autotune ladder --csv ladder.csv' does "
        "it, and --ladder ladder.csv brings it in here.",
        subject && subject->published_count ? " here" : "");
    return 0;
}
