/* rung_shares_print: writes a table with a column for each side, several tables where there are
 * many. */
#include "autotune/compare/rung_shares_print.h"

#include "autotune/compare/measured_figure.h"
#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SIDES_AT_ONCE = 5 };

/* --- For people --------------------------------------------------------------------------- */

static const struct table_column facts[] = {
    {"column", NULL, false},  {"peak GB/s", NULL, true}, {"peak by", NULL, false},
    {"shares %", NULL, true}, {"problem", NULL, false},  {"figures are", NULL, false},
    {"from", NULL, false},
};

/* "2.4 to 84.5": of its kernels, each at the block size that was best. */
static void add_range(struct table *table, const struct rung_shares *shares, size_t side)
{
    const struct rung_figure *least = NULL, *most = NULL;
    char from[NUMBER_CHARS], to[NUMBER_CHARS];
    for (size_t k = 0; k < shares->kernel_count; k++) {
        const struct rung_figure *best = rung_shares_best(shares, k, side);
        if (best && (!least || best->share.value < least->share.value))
            least = best;
        if (best && (!most || best->share.value > most->share.value))
            most = best;
    }
    if (least == most)
        table_add(table,
                  most ? figures_short(to, most->share.value, most->share.digits) : NULL);
    else
        table_addf(table, "%s to %s",
                   figures_short(from, least->share.value, least->share.digits),
                   figures_short(to, most->share.value, most->share.digits));
}

static void print_sides(struct text *out, const struct rung_shares *shares, bool bold_titles)
{
    struct table table = {.columns = facts, .column_count = sizeof facts / sizeof *facts};
    char number[NUMBER_CHARS];
    for (size_t s = 0; s < shares->side_count; s++) {
        const struct rung_side *side = &shares->sides[s];
        table_add(&table, side->title);
        table_add(&table, figures_short(number, side->peak_gbs, side->peak_digits));
        table_add(&table, side->peak_from);
        add_range(&table, shares, s);
        table_addf(&table, "%s %s %s%s", side->op, side->type,
                   number_format_count(number, side->n), side->has_rows ? " in rows" : "");
        table_add(&table, side->is_measured ? "measured" : "published");
        table_add(&table, side->source);
    }
    table_show(out, &table, bold_titles);
    table_dispose(&table);
}

/* The first clause of a cause; those after it are what else is known. */
static void print_cause(struct text *out, const struct rung_shares *shares, size_t kernel)
{
    const struct rung_figure *figure = rung_shares_cause(shares, kernel);
    struct text words = {0};
    text_addf(&words, "%s: %s", shares->kernels[kernel].name, shares->kernels[kernel].rungs);
    if (figure)
        text_addf(&words, "; on %s %.*s", shares->sides[figure->side].title,
                  (int)strcspn(figure->cause, ";"), figure->cause);
    text_adds(out, "  ");
    sentence_wrap(out, words.at ? words.at : "", 4, sentence_width());
    text_dispose(&words);
}

static void print_kernels(struct text *out, const struct rung_shares *shares)
{
    size_t order[RUNG_SHARES_KERNELS_MAX];
    const size_t count = rung_shares_order(shares, order);
    bool has_cause = false;
    for (size_t k = 0; k < count; k++)
        has_cause |= rung_shares_cause(shares, order[k]) != NULL;
    text_addf(out, "kernels and their rungs%s:\n",
              has_cause ? ", and what holds each back" : "");
    for (size_t k = 0; k < count; k++)
        print_cause(out, shares, order[k]);
    if (has_cause)
        return;
    struct text note = {0};
    text_adds(&note, "what holds each back on a GPU is a figure of the ladder there: 'autotune "
                     "ladder --csv ladder.csv' and then --ladder ladder.csv");
    sentence_end(out, "unknown", &note);
}

/* The measured time of a kernel at that n, in ms with as many digits as its table has; NULL = none. */
static const struct rung_figure *measured_at(const struct rung_shares *shares, size_t side,
                                             size_t kernel, uint64_t n)
{
    const struct rung_figure *best = rung_shares_best(shares, kernel, side);
    return shares->sides[side].is_measured && best && best->ms.value > 0 &&
                   published_is_size(n, dims_n(&best->problem.dims))
               ? best
               : NULL;
}

static bool has_time(const struct rung_shares *shares, size_t side)
{
    for (size_t t = 0; t < shares->time_count; t++) {
        const struct rung_time *time = &shares->times[t];
        if (measured_at(shares, side, time->kernel, published_n(time->document, time->figure)))
            return true;
    }
    return false;
}

static void add_time(struct table *table, const struct rung_shares *shares,
                     const struct rung_time *time, const size_t *sides, size_t count)
{
    const struct published *document = time->document;
    const uint64_t n = published_n(document, time->figure);
    char word[NUMBER_CHARS];
    table_add(table, document->kernels[time->figure->kernel].rung);
    table_addf(table, "%s %s %" PRIu64, document->problem.op->name,
               problem_types[document->problem.type].name, n);
    table_add(table, published_time(word, time->figure));
    for (size_t i = 0; i < count; i++) {
        const struct rung_figure *here = measured_at(shares, sides[i], time->kernel, n);
        if (here)
            table_addf(table, "%s ms", figures_short(word, here->ms.value, here->ms.digits));
        else
            table_add(table, NULL);
    }
}

/* Each document once. */
static void print_timers(struct text *out, const struct rung_shares *shares)
{
    for (size_t t = 0; t < shares->time_count; t++) {
        const struct published *document = shares->times[t].document;
        struct text text = {0};
        if (t && shares->times[t - 1].document == document)
            continue;
        text_addf(&text, "%s on %s: without a peak times stand alone, for %s", document->source,
                  document->gpu_name,
                  document->kernels[shares->times[t].figure->kernel].kernel);
        sentence_end(out, "published", &text);
        for (size_t i = 0; i < document->remarks.count; i++) {
            text_adds(&text, document->remarks.at[i]);
            sentence_end(out, "remark", &text);
        }
    }
}

/* What documents timed on a GPU of which no peak is known, beside what tables have of that n. */
static void print_times(struct text *out, const struct rung_shares *shares, bool bold_titles)
{
    struct table_column columns[3 + SIDES_AT_ONCE] = {{"rung", NULL, false},
                                                      {"problem", NULL, false},
                                                      {"published", NULL, true}};
    struct table table = {.columns = columns, .column_count = 3};
    size_t sides[SIDES_AT_ONCE], count = 0;
    for (size_t s = 0; s < shares->side_count && count < SIDES_AT_ONCE; s++)
        if (has_time(shares, s)) {
            sides[count++] = s;
            columns[table.column_count++] =
                (struct table_column){shares->sides[s].title, NULL, true};
        }
    for (size_t t = 0; t < shares->time_count; t++)
        add_time(&table, shares, &shares->times[t], sides, count);
    text_adds(out, "\nTimes of kernels, where no peak is known\n\n");
    table_show(out, &table, bold_titles);
    print_timers(out, shares);
    text_adds(out, "\n");
    table_dispose(&table);
}

static bool has_published(const struct rung_shares *shares)
{
    for (size_t s = 0; s < shares->side_count; s++)
        if (!shares->sides[s].is_measured)
            return true;
    return false;
}

static void print_remarks(struct text *out, const struct rung_side *side)
{
    for (size_t i = 0; side->remarks && i < side->remarks->count; i++) {
        struct text remark = {0};
        text_addf(&remark, "%s: %s", side->title, side->remarks->at[i]);
        sentence_end(out, "remark", &remark);
    }
}

static void print_basis(struct text *out, const struct rung_shares *shares)
{
    struct text published = {0}, counted = {0}, alike = {0};
    text_adds(&published,
              "Figures of documents, not measured here. A share in parentheses is computed and "
              "in no document: its GB/s by the peak above, or where it gives no GB/s the bytes "
              "of its elements by its time.");
    text_adds(
        &counted,
        "Documents count bytes their own way ('autotune list published'); measured are the "
        "bytes of all launches. With one element a thread the blocks' results add 6 % at "
        "blocks of 32, and less than 2 % from 128 on.");
    text_adds(
        &alike,
        "Kernels are alike, not equal: 'autotune ladder' says where a rung differs from its "
        "document's kernel. The arrays are of different sizes and types, and what is best of several "
        "block sizes is more than what one size that was tried gives.");
    if (has_published(shares))
        sentence_end(out, "published", &published);
    else
        text_dispose(&published);
    sentence_end(out, "counted", &counted);
    sentence_end(out, "alike", &alike);
    for (size_t s = 0; s < shares->side_count; s++)
        print_remarks(out, &shares->sides[s]);
}

void rung_shares_print(struct text *out, struct rung_shares *shares, bool bold_titles)
{
    text_adds(out,
              "Kernels that are alike, on several GPUs: % of each one's theoretical memory "
              "bandwidth, at the block size that was best there\n\n");
    print_sides(out, shares, bold_titles);
    for (size_t first = 0; first < shares->side_count; first += SIDES_AT_ONCE) {
        const size_t left = shares->side_count - first;
        struct table table;
        rung_shares_matrix(&table, shares, first,
                           first + (left < SIDES_AT_ONCE ? left : SIDES_AT_ONCE));
        text_adds(out, "\n");
        table_show(out, &table, bold_titles);
        table_dispose(&table);
    }
    if (shares->time_count)
        print_times(out, shares, bold_titles);
    else
        text_adds(out, "\n");
    print_kernels(out, shares);
    print_basis(out, shares);
}

/* --- For programs ------------------------------------------------------------------------- */

/* A figure, which comes first, and what only rungs have; "" = none. */
struct row {
    struct measured_figure figure;
    const char *alike, *rung; /* the kernels that are alike; the rung */
    uint64_t threads;
    char peak[NUMBER_CHARS], share_is[96];
    const char *gbs_is, *peak_by;
    const char *is_best; /* "yes", "no" */
};

static const struct row *row_of(const void *row)
{
    return row;
}

static void add_text(struct table *table, const char *text)
{
    table_add(table, text && *text ? text : NULL);
}

static void add_alike(struct table *table, const void *row)
{
    add_text(table, row_of(row)->alike);
}

static void add_rung(struct table *table, const void *row)
{
    add_text(table, row_of(row)->rung);
}

static void add_threads(struct table *table, const void *row)
{
    table_add_number(table, row_of(row)->threads > 0, 0, (double)row_of(row)->threads);
}

static void add_gbs_is(struct table *table, const void *row)
{
    add_text(table, row_of(row)->gbs_is);
}

static void add_peak(struct table *table, const void *row)
{
    add_text(table, row_of(row)->peak);
}

static void add_peak_by(struct table *table, const void *row)
{
    add_text(table, row_of(row)->peak_by);
}

static void add_share_is(struct table *table, const void *row)
{
    add_text(table, row_of(row)->share_is);
}

static void add_is_best(struct table *table, const void *row)
{
    add_text(table, row_of(row)->is_best);
}

static const struct column columns[] = {
    COLUMN(NULL, "kernel", false, add_alike),
    COLUMN(NULL, "rung", false, add_rung),
    COLUMN(NULL, "kernel_there", false, measured_kernel),
    COLUMN(NULL, "gpu", false, measured_gpu),
    COLUMN(NULL, "basis", false, measured_basis),
    COLUMN(NULL, "source", false, measured_source),
    COLUMN(NULL, "op", false, measured_op),
    COLUMN(NULL, "type", false, measured_type),
    COLUMN(NULL, "n", true, measured_n),
    COLUMN(NULL, "row", true, measured_depth),
    COLUMN(NULL, "threads", true, add_threads),
    COLUMN(NULL, "ms", true, measured_ms),
    COLUMN(NULL, "gbs", true, measured_gbs),
    COLUMN(NULL, "gbs_is", false, add_gbs_is),
    COLUMN(NULL, "peak_gbs", true, add_peak),
    COLUMN(NULL, "peak_by", false, add_peak_by),
    COLUMN(NULL, "peak_pct", true, measured_share),
    COLUMN(NULL, "peak_pct_is", false, add_share_is),
    COLUMN(NULL, "is_best", false, add_is_best),
    COLUMN(NULL, "cause", false, measured_cause),
};
static struct columns all = {.columns = columns, .count = sizeof columns / sizeof *columns};

static void add_figure(struct table *table, const struct rung_shares *shares,
                       const struct rung_figure *figure)
{
    const struct rung_side *side = &shares->sides[figure->side];
    const char *basis = side->is_measured ? "measured" : "published";
    struct row row = {.figure = {.problem = &figure->problem,
                                 .gpu = side->gpu,
                                 .kernel = figure->label,
                                 .basis = basis,
                                 .source = side->source,
                                 .cause = figure->cause},
                      .alike = shares->kernels[figure->kernel].name,
                      .rung = figure->rung->name,
                      .threads = figure->threads,
                      .gbs_is = figure->gbs.value <= 0 ? NULL
                                : figure->gbs.is_own
                                    ? basis
                                    : "computed: the bytes of its elements by its time",
                      .peak_by = side->peak_from};
    measured_figure_of_values(&row.figure, &figure->ms, &figure->gbs, &figure->share);
    if (side->peak_gbs > 0)
        figures_short(row.peak, side->peak_gbs, side->peak_digits);
    snprintf(row.share_is, sizeof row.share_is, "%s%s",
             figure->share.is_own ? "" : "computed: ", rung_shares_how(shares, figure));
    row.is_best =
        rung_shares_best(shares, figure->kernel, figure->side) == figure ? "yes" : "no";
    columns_add(table, &all, &row);
}

/* A time alone: no share, and no block. */
static void add_time_alone(struct table *table, const struct rung_time *time)
{
    const struct published *document = time->document;
    const struct published_kernel *kernel = &document->kernels[time->figure->kernel];
    struct problem problem = kernel->problem;
    const struct published_number *own = &time->figure->at[PUBLISHED_MS];
    const struct published_value ms = published_ms(time->figure), none = {.value = 0};
    struct row row = {.figure = {.problem = &problem,
                                 .gpu = document->gpu_name,
                                 .kernel = kernel->kernel,
                                 .basis = "published",
                                 .source = document->source},
                      .alike = kernel->task,
                      .rung = kernel->rung};
    problem.dims = dims_run(published_n(document, time->figure), problem.dims.scan);
    measured_figure_of_values(&row.figure, &ms, &none, &none);
    if (own->is_there)
        published_write(row.figure.ms.text, own);
    columns_add(table, &all, &row);
}

void rung_shares_table(struct table *out, const struct rung_shares *shares)
{
    size_t order[RUNG_SHARES_KERNELS_MAX];
    const size_t count = rung_shares_order(shares, order);
    columns_begin(out, &all);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < shares->figure_count; i++)
            if (shares->figures[i].kernel == order[k])
                add_figure(out, shares, &shares->figures[i]);
    for (size_t t = 0; t < shares->time_count; t++)
        add_time_alone(out, &shares->times[t]);
}
