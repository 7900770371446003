/* published_check: a rule for each kind of figure gives the range in which it must lie, from the ranges of
 * the numbers that it follows from. */
#include "autotune/compare/published_check.h"

#include "autotune/compare/published_print.h"
#include "autotune/print/sentence.h"

#include "autotune/device/gpus.h"
#include "autotune/device/occupancy.h"
#include "autotune/print/table_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a rate of blocks, how near it is to the GPU's. */
static const double AT_RATE = 0.01;

struct range {
    double low, high;
    bool is_there;
};

static const struct range nothing = {0, 0, false};

/* The document, and what is known of its GPU. */
struct check {
    const struct published *published;
    bool has_gpu;
    struct gpus_model gpu;
    struct occupancy_limits limits;
};

static double unit_of(const struct published_number *number)
{
    return pow(10, -(double)number->decimals);
}

/* What a printed number may be: it is taken as rounded. */
static struct range range_of(const struct published_number *number)
{
    const double value = published_real(number), half = unit_of(number) / 2;
    return (struct range){value - half, value + half, number->is_there && value > 0};
}

static struct range exactly(double value)
{
    return (struct range){value, value, value > 0};
}

static struct range divide(struct range a, struct range b)
{
    if (!a.is_there || !b.is_there)
        return nothing;
    return (struct range){a.low / b.high, a.high / b.low, true};
}

static struct range times(struct range range, double factor)
{
    return (struct range){range.low * factor, range.high * factor, range.is_there};
}

static struct range milliseconds(const struct published_figure *figure)
{
    return figure->at[PUBLISHED_MS].is_there ? range_of(&figure->at[PUBLISHED_MS])
                                             : times(range_of(&figure->at[PUBLISHED_US]), 1e-3);
}

/* --- What is computed --------------------------------------------------------------------- */

typedef struct range rule_fn(const struct check *check, const struct published_figure *figure);

static uint64_t elements_of_block(const struct published_figure *figure)
{
    const uint64_t row = figure->at[PUBLISHED_ROW].digits;
    return row ? row
               : figure->at[PUBLISHED_THREADS].digits * figure->at[PUBLISHED_ITEMS].digits;
}

/* The bytes that the document counts; 0 = it does not say. */
static double bytes_of(const struct check *check, const struct published_figure *figure)
{
    const struct published *published = check->published;
    const double elem = problem_types[published->kernels[figure->kernel].problem.type].bytes;
    const uint64_t each = elements_of_block(figure);
    uint64_t n = published_n(published, figure);
    double words = (double)n;
    if (published->counts == PUBLISHED_COUNTS_NOTHING)
        return 0;
    if (published->counts != PUBLISHED_COUNTS_ELEMENTS && each < 2)
        return 0;
    if (published->counts == PUBLISHED_COUNTS_ROWS)
        words += (double)n / (double)each;
    for (; published->counts == PUBLISHED_COUNTS_LEVELS && n > 1; n = (n + each - 1) / each) {
        const uint64_t left = (n + each - 1) / each;
        words += (double)left + (left > 1 ? (double)left : 0); /* written, and read again */
    }
    return words * elem;
}

static struct range gbs(const struct check *check, const struct published_figure *figure)
{
    return divide(exactly(bytes_of(check, figure) / 1e6), milliseconds(figure));
}

static struct range peak(const struct check *check, const struct published_figure *figure)
{
    return times(divide(range_of(&figure->at[PUBLISHED_GBS]),
                        exactly(published_real(&check->published->peak_gbs))),
                 100);
}

static struct range cpu_ratio(const struct check *check, const struct published_figure *figure)
{
    (void)check;
    return divide(range_of(&figure->at[PUBLISHED_CPU_MS]), milliseconds(figure));
}

static struct range tflops(const struct check *check, const struct published_figure *figure)
{
    const double additions = (double)published_n(check->published, figure) - 1;
    return divide(exactly(additions / 1e9), milliseconds(figure));
}

/* How much faster than kernel `other` with as many threads, of as many elements. */
static struct range faster_than(const struct check *check,
                                const struct published_figure *figure, size_t other)
{
    const struct published *published = check->published;
    const struct published_kernel *kernel = &published->kernels[other];
    for (size_t i = kernel->first; i < kernel->first + kernel->count; i++) {
        const struct published_figure *slower = &published->figures[i];
        if (slower->at[PUBLISHED_THREADS].digits == figure->at[PUBLISHED_THREADS].digits &&
            published_n(published, slower) == published_n(published, figure))
            return divide(milliseconds(slower), milliseconds(figure));
    }
    return nothing;
}

static struct range step(const struct check *check, const struct published_figure *figure)
{
    return figure->kernel ? faster_than(check, figure, figure->kernel - 1) : nothing;
}

static struct range total(const struct check *check, const struct published_figure *figure)
{
    return faster_than(check, figure, 0);
}

/* Registers and shared memory where the document gives them: else neither is a limit. */
static bool occupy(struct occupancy *out, const struct check *check,
                   const struct published_figure *figure)
{
    const struct occupancy_kernel kernel = {(int)figure->at[PUBLISHED_THREADS].digits,
                                            (int)figure->at[PUBLISHED_REGISTERS].digits,
                                            (int64_t)figure->at[PUBLISHED_SHARED].digits};
    if (!check->has_gpu || kernel.block <= 0)
        return false;
    occupancy_compute(out, &check->limits, &kernel);
    return true;
}

static struct range occupancy(const struct check *check, const struct published_figure *figure)
{
    struct occupancy got;
    return occupy(&got, check, figure) ? exactly(got.share * 100) : nothing;
}

static struct range sm_blocks(const struct check *check, const struct published_figure *figure)
{
    struct occupancy got;
    return occupy(&got, check, figure) ? exactly(got.blocks) : nothing;
}

static struct range sm_warps(const struct check *check, const struct published_figure *figure)
{
    struct occupancy got;
    return occupy(&got, check, figure) ? exactly(got.warps) : nothing;
}

static struct range sm_threads(const struct check *check, const struct published_figure *figure)
{
    return times(sm_warps(check, figure), OCCUPANCY_WARP);
}

static struct range block_warps(const struct check *check,
                                const struct published_figure *figure)
{
    (void)check;
    return exactly(ceil((double)figure->at[PUBLISHED_THREADS].digits / OCCUPANCY_WARP));
}

static struct range fit(const struct check *check, const struct published_figure *figure,
                        enum occupancy_limiter limiter)
{
    struct occupancy got;
    return occupy(&got, check, figure) ? exactly(got.fit[limiter]) : nothing;
}

static struct range fit_warps(const struct check *check, const struct published_figure *figure)
{
    return fit(check, figure, OCCUPANCY_THREADS);
}

static struct range fit_registers(const struct check *check,
                                  const struct published_figure *figure)
{
    return fit(check, figure, OCCUPANCY_REGISTERS);
}

static struct range fit_shared(const struct check *check, const struct published_figure *figure)
{
    return fit(check, figure, OCCUPANCY_SHARED);
}

static const struct rule {
    enum published_column column;
    rule_fn *compute;
    const char *from;
} rules[] = {
    {PUBLISHED_GBS, gbs, "bytes and time"},
    {PUBLISHED_PEAK, peak, "GB/s and peak"},
    {PUBLISHED_CPU_RATIO, cpu_ratio, "both times"},
    {PUBLISHED_TFLOPS, tflops, "n - 1 operations and time"},
    {PUBLISHED_STEP, step, "time and that of the kernel before"},
    {PUBLISHED_TOTAL, total, "time and that of the first kernel"},
    {PUBLISHED_OCCUPANCY, occupancy, "threads and the GPU's limits"},
    {PUBLISHED_SM_BLOCKS, sm_blocks, "threads and the GPU's limits"},
    {PUBLISHED_SM_WARPS, sm_warps, "threads and the GPU's limits"},
    {PUBLISHED_SM_THREADS, sm_threads, "threads and the GPU's limits"},
    {PUBLISHED_BLOCK_WARPS, block_warps, "threads"},
    {PUBLISHED_FIT_WARPS, fit_warps, "threads and the GPU's limits"},
    {PUBLISHED_FIT_REGISTERS, fit_registers, "registers and the GPU's limits"},
    {PUBLISHED_FIT_SHARED, fit_shared, "shared memory and the GPU's limits"},
};
enum { RULES = sizeof rules / sizeof *rules };

/* Rounded or cut. */
static bool follows(const struct published_number *number, struct range range)
{
    const double value = published_real(number), unit = unit_of(number), dust = unit * 1e-6;
    return value - unit / 2 - dust <= range.high && value + unit > range.low + dust;
}

/* --- Blocks ------------------------------------------------------------------------------- */

struct blocks {
    double count, per_us, us; /* that one lives; 0 = unknown */
    bool is_at_rate;          /* of the GPU, whatever a block does */
};

/* Of all launches, where the document counts these. */
static double count_blocks(const struct check *check, uint64_t n, uint64_t each)
{
    double count = 0;
    do {
        n = (n + each - 1) / each;
        count += (double)n;
    } while (check->published->counts == PUBLISHED_COUNTS_LEVELS && n > 1);
    return count;
}

/* False where the document does not say how many there are, or how long they take. */
static bool find_blocks(struct blocks *out, const struct check *check,
                        const struct published_figure *figure)
{
    const uint64_t each = elements_of_block(figure);
    const uint64_t n = published_n(check->published, figure);
    struct occupancy got;
    if (each < 2 || !figure->ps)
        return false;
    const double us = (double)figure->ps / 1e6, rate = check->gpu.blocks_per_us;
    *out = (struct blocks){.count = count_blocks(check, n, each)};
    out->per_us = out->count / us;
    if (occupy(&got, check, figure))
        out->us = got.blocks * check->gpu.target.sms * us / out->count;
    out->is_at_rate = check->has_gpu && rate > 0 && fabs(out->per_us / rate - 1) < AT_RATE;
    return true;
}

/* --- Rows --------------------------------------------------------------------------------- */

enum { CHECK_COLUMNS = 11 };
static const struct table_column columns[CHECK_COLUMNS] = {
    {NULL, "source", false},      {"kernel", "kernel", false},
    {"threads", "threads", true}, {"n", "n", true},
    {NULL, "figure", false},      {"figure", NULL, false},
    {"printed", "printed", true}, {"least", "low", true},
    {"most", "high", true},       {NULL, "follows", false},
    {"from", "from", false},
};

static void add_threads(struct table *table, const struct published_figure *figure)
{
    char word[NUMBER_CHARS];
    const struct published_number *threads = &figure->at[PUBLISHED_THREADS];
    table_add(table, threads->is_there ? published_write(word, threads) : NULL);
}

static void add_row(struct table *table, const struct check *check,
                    const struct published_figure *figure, const struct rule *rule,
                    struct range range)
{
    const struct published_number *number = &figure->at[rule->column];
    char word[NUMBER_CHARS];
    table_add(table, check->published->source);
    table_add(table, check->published->kernels[figure->kernel].kernel);
    add_threads(table, figure);
    table_addf(table, "%llu", (unsigned long long)published_n(check->published, figure));
    table_add(table, published_columns[rule->column]);
    table_add(table, published_print_title(rule->column));
    table_add(table, published_write(word, number));
    table_addf(table, "%.*f", (int)number->decimals + 1, range.low);
    table_addf(table, "%.*f", (int)number->decimals + 1, range.high);
    table_add(table, follows(number, range) ? "yes" : "no");
    table_add(table, rule->from);
}

static void add_computed(struct table *table, const struct check *check,
                         const struct published_figure *figure, const char *name, double value,
                         const char *from)
{
    table_add(table, check->published->source);
    table_add(table, check->published->kernels[figure->kernel].kernel);
    add_threads(table, figure);
    table_addf(table, "%llu", (unsigned long long)published_n(check->published, figure));
    table_add(table, name);
    table_add(table, NULL);
    table_add(table, NULL);
    table_addf(table, "%.3f", value);
    table_addf(table, "%.3f", value);
    table_add(table, NULL);
    table_add(table, from);
}

struct counts {
    size_t all, wrong;
};

static void check_figures(struct table *all, struct table *wrong, struct counts *counts,
                          const struct check *check)
{
    const struct published *published = check->published;
    for (size_t i = 0; i < published->figure_count; i++)
        for (size_t r = 0; r < RULES; r++) {
            const struct published_figure *figure = &published->figures[i];
            const struct published_number *number = &figure->at[rules[r].column];
            const struct range range =
                number->is_there ? rules[r].compute(check, figure) : nothing;
            if (!range.is_there)
                continue;
            counts->all++;
            add_row(all, check, figure, &rules[r], range);
            if (follows(number, range))
                continue;
            counts->wrong++;
            add_row(wrong, check, figure, &rules[r], range);
        }
}

static void add_blocks(struct table *all, struct table *shown, const struct check *check,
                       const struct published_figure *figure, const struct blocks *blocks)
{
    add_computed(all, check, figure, "blocks_per_us", blocks->per_us, "blocks and time");
    if (blocks->us > 0)
        add_computed(all, check, figure, "block_us", blocks->us, "time and blocks at once");
    table_add(shown, check->published->kernels[figure->kernel].kernel);
    add_threads(shown, figure);
    table_addf(shown, "%.0f", blocks->count);
    table_addf(shown, "%.1f", blocks->per_us);
    table_add_number(shown, blocks->us > 0, 2, blocks->us);
    table_add(shown, blocks->is_at_rate ? "the rate of blocks" : NULL);
}

/* Appends the table of blocks; nothing where the document tells of none. */
static void print_blocks(struct text *out, struct table *all, const struct check *check,
                         bool bold_titles)
{
    static const struct table_column titles[] = {{"kernel", NULL, false},
                                                 {"threads", NULL, true},
                                                 {"blocks", NULL, true},
                                                 {"blocks/us", NULL, true},
                                                 {"us a block", NULL, true},
                                                 {"limit", NULL, false}};
    struct table shown = {.columns = titles, .column_count = sizeof titles / sizeof *titles};
    size_t count = 0, at_rate = 0;
    double low = 0, high = 0;
    for (size_t i = 0; i < check->published->figure_count; i++) {
        const struct published_figure *figure = &check->published->figures[i];
        struct blocks blocks;
        if (!find_blocks(&blocks, check, figure))
            continue;
        count++;
        add_blocks(all, &shown, check, figure, &blocks);
        if (!blocks.is_at_rate)
            continue;
        low = at_rate ? fmin(low, blocks.per_us) : blocks.per_us;
        high = fmax(high, blocks.per_us);
        at_rate++;
    }
    if (count)
        table_show(out, &shown, bold_titles);
    if (at_rate)
        text_addf(
            out,
            "%zu of %zu start %.0f to %.0f blocks a us, as many as this GPU can: they would take as "
            "long if their blocks did nothing\n",
            at_rate, count, low, high);
    table_dispose(&shown);
}

void published_check_legend(struct text *out)
{
    struct text text = {0};
    text_adds(
        &text,
        "as the document has it; least, most: what follows from the document's other figures, "
        "those of the last column, as exactly as their digits tell");
    sentence_end(out, "printed", &text);
    text_adds(
        &text,
        "blocks that start in a microsecond; us a block: how long one lives, by the time and by how "
        "many blocks all SMs hold at once; limit: the rate of blocks, where it is that of a kernel "
        "that does nothing");
    sentence_end(out, "blocks/us", &text);
}

void published_check_init(struct table *out)
{
    *out = (struct table){.columns = columns, .column_count = CHECK_COLUMNS};
}

int published_check(struct text *out, struct table *table, const struct published *published,
                    bool bold_titles, struct error *error)
{
    struct check check = {.published = published, .has_gpu = published->gpu != NULL};
    struct table wrong;
    struct counts counts = {0, 0};
    if (check.has_gpu && (gpus_find_model(&check.gpu, published->gpu, error) ||
                          gpus_limits(&check.limits, check.gpu.target.cc, error)))
        return -1;
    published_check_init(&wrong);
    check_figures(table, &wrong, &counts, &check);
    text_addf(out, "%s on %s: ", published->source, published->gpu_name);
    if (counts.all)
        text_addf(out, "%zu of %zu figures follow from others of it%s\n",
                  counts.all - counts.wrong, counts.all,
                  counts.wrong ? "; these do not, neither rounded nor cut:" : "");
    else
        text_adds(out, "no figure of it follows from others\n");
    if (counts.wrong)
        table_show(out, &wrong, bold_titles);
    print_blocks(out, table, &check, bold_titles);
    table_dispose(&wrong);
    return 0;
}
