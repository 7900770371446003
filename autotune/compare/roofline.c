/* roofline: divides what a kernel does by what its GPU does in a second, unit by unit. */
#include "autotune/compare/roofline.h"

#include "autotune/device/occupancy.h"
#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"
#include "generator/dims_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const roofline_names[ROOFLINE_ROOFS] = {
    [ROOFLINE_MEMORY] = "memory", [ROOFLINE_L2] = "L2",         [ROOFLINE_FLIGHT] = "in flight",
    [ROOFLINE_ISSUE] = "issue",   [ROOFLINE_BLOCKS] = "blocks", [ROOFLINE_ATOMICS] = "atomics",
};

/* --- Roofs -------------------------------------------------------------------------------- */

/* GB/s of a call that needs so many units, at so many a second. */
static double roof_of(double bytes, double units, double per_second)
{
    return units > 0 && per_second > 0 ? bytes * per_second / units / 1e9 : 0;
}

/* The share of the SMs that have a block. */
static double busy_share(const struct roofline_gpu *gpu, const struct roofline_work *work)
{
    return gpu->sms > 0 && work->blocks > 0 ? fmin(1, work->blocks / gpu->sms) : 1;
}

/* No more is in flight than there is to read. */
static double flight_roof(const struct roofline_gpu *gpu, const struct roofline_work *work)
{
    const double all = work->bytes / analysis_least_latency_s;
    const double loads = work->wanted > 0 ? gpu->memory * work->in_flight / work->wanted : 0;
    return fmin(loads * busy_share(gpu, work), all) / 1e9;
}

void roofline_fill(struct roofline_kernel *out, const struct roofline_gpu *gpu,
                   const struct roofline_work *work, double gbs)
{
    double *const roofs = out->roofs;
    out->gbs = gbs;
    out->is_warm = work->is_warm;
    out->per_byte = work->bytes > 0 ? work->instructions / work->bytes : 0;
    roofs[ROOFLINE_MEMORY] = work->is_warm ? 0 : gpu->memory / 1e9;
    roofs[ROOFLINE_L2] = work->is_warm ? gpu->l2 / 1e9 : 0;
    roofs[ROOFLINE_FLIGHT] = work->is_warm ? 0 : flight_roof(gpu, work);
    roofs[ROOFLINE_ISSUE] =
        roof_of(work->bytes, work->instructions, gpu->instructions * busy_share(gpu, work));
    roofs[ROOFLINE_BLOCKS] = roof_of(work->bytes, work->blocks, gpu->blocks);
    roofs[ROOFLINE_ATOMICS] = roof_of(work->bytes, work->atomics, gpu->atomics);
}

bool roofline_lowest(enum roofline_roof *out, const struct roofline_kernel *kernel)
{
    double least = 0;
    *out = ROOFLINE_MEMORY;
    for (int r = 0; r < ROOFLINE_ROOFS; r++)
        if (kernel->roofs[r] > 0 && (least <= 0 || kernel->roofs[r] < least)) {
            least = kernel->roofs[r];
            *out = (enum roofline_roof)r;
        }
    return least > 0;
}

/* --- A comparison ------------------------------------------------------------------------- */

/* Of a warm input that fits the L2 cache. */
static double warm_speed(const struct compare *compare, size_t side)
{
    double most = 0;
    for (size_t l = 0; l < compare->line_count; l++) {
        const struct compare_line *line = &compare->lines[l];
        const struct compare_cell *cell = &line->cells[side];
        if (cell->basis == COMPARE_MEASURED && line->problem.regime == WARM &&
            figures_bytes(&line->problem) <= (double)compare->sides[side].l2_bytes &&
            cell->gbs * 1e9 > most)
            most = cell->gbs * 1e9;
    }
    return most;
}

void roofline_gpu(struct roofline_gpu *out, const struct compare *compare, size_t side)
{
    const struct compare_side *of = &compare->sides[side];
    *out = (struct roofline_gpu){.sms = of->sms,
                                 .memory = (double)of->peak_bytes,
                                 .l2 = warm_speed(compare, side),
                                 .instructions = (double)of->sms * of->clock_khz * 1e3 *
                                                 ANALYSIS_ISSUED_PER_CYCLE * OCCUPANCY_WARP,
                                 .blocks = of->blocks,
                                 .atomics = of->atomics};
}

bool roofline_cell(struct roofline_kernel *out, const struct roofline_gpu *gpu,
                   const struct compare_line *line, size_t side)
{
    const struct compare_cell *cell = &line->cells[side];
    const struct analysis *analysis = &cell->analysis;
    const double n = (double)dims_n(&line->problem.dims);
    const bool has_atomics = analysis->mix.counts[SASS_ATOMIC] > 0;
    char count[DIMS_TEXT_CHARS];
    if (!compare_has_winner(cell) || cell->basis == COMPARE_EMULATED || cell->gbs <= 0 ||
        !analysis->is_compiled)
        return false;
    const struct roofline_work work = {.bytes = figures_bytes(&line->problem),
                                       .instructions = analysis_issued(analysis) * n,
                                       .blocks = analysis->grid,
                                       .atomics = has_atomics ? analysis->grid : 0,
                                       .in_flight = analysis->in_flight,
                                       .wanted = analysis->wanted_least,
                                       .is_warm = line->problem.regime == WARM};
    *out = (struct roofline_kernel){.group = line->is_document};
    dims_text_format(count, &line->problem.dims);
    if (line->is_document)
        snprintf(out->name, sizeof out->name, "%.24s: %.40s", count, cell->winner);
    else
        snprintf(out->name, sizeof out->name, "%.140s%s", count, work.is_warm ? " warm" : "");
    roofline_fill(out, gpu, &work, cell->gbs);
    return true;
}

/* --- Tables ------------------------------------------------------------------------------- */

static bool has_roof(const struct roofline_kernel *kernels, size_t count, int roof)
{
    for (size_t i = 0; i < count; i++)
        if (kernels[i].roofs[roof] > 0)
            return true;
    return false;
}

static void add_speed(struct table *table, double gbs)
{
    char number[NUMBER_CHARS];
    table_add(table, gbs > 0 ? figures_short(number, gbs, gbs < 1000 ? 3 : 4) : NULL);
}

/* One so high that it is none. */
static const double FAR = 10;

static void add_roof(struct table *table, const struct roofline_kernel *kernel, int roof)
{
    enum roofline_roof lowest;
    if (roofline_lowest(&lowest, kernel) && kernel->roofs[roof] > FAR * kernel->roofs[lowest])
        table_add(table, "-");
    else
        add_speed(table, kernel->roofs[roof]);
}

void roofline_table(struct table *out, struct table_column columns[ROOFLINE_COLUMNS],
                    const struct roofline_kernel *kernels, size_t count)
{
    size_t at = 0;
    columns[at++] = (struct table_column){"kernel", NULL, false};
    columns[at++] = (struct table_column){"GB/s", NULL, true};
    for (int r = 0; r < ROOFLINE_ROOFS; r++)
        if (has_roof(kernels, count, r))
            columns[at++] = (struct table_column){roofline_names[r], NULL, true};
    columns[at++] = (struct table_column){"lowest roof", NULL, false};
    *out = (struct table){.columns = columns, .column_count = at};
    for (size_t i = 0; i < count; i++) {
        enum roofline_roof lowest;
        table_add(out, kernels[i].name);
        add_speed(out, kernels[i].gbs);
        for (int r = 0; r < ROOFLINE_ROOFS; r++)
            if (has_roof(kernels, count, r))
                add_roof(out, &kernels[i], r);
        table_add(out, roofline_lowest(&lowest, &kernels[i]) ? roofline_names[lowest] : NULL);
    }
}

static void print_side(struct text *out, const struct compare *compare, size_t side,
                       struct roofline_kernel *kernels, bool bold_titles)
{
    struct table_column columns[ROOFLINE_COLUMNS];
    struct roofline_gpu gpu;
    struct table table;
    struct text note = {0};
    size_t count = 0;
    char title[160];
    roofline_gpu(&gpu, compare, side);
    for (size_t l = 0; l < compare->line_count; l++)
        count += roofline_cell(&kernels[count], &gpu, &compare->lines[l], side);
    if (!count)
        return;
    roofline_table(&table, columns, kernels, count);
    snprintf(title, sizeof title, "roofs of %s, GB/s", compare->sides[side].name);
    columns[0].title = title;
    columns[1].title = "reached";
    text_adds(out, "\n");
    table_show(out, &table, bold_titles);
    table_dispose(&table);
    text_adds(&note,
              "the most that each unit lets a kernel reach. memory: its peak; in flight: the "
              "bytes that it asks for at a time, or all there are, at a latency of ");
    sentence_add_fixed(&note, analysis_least_latency_s * 1e6, 2);
    text_adds(
        &note,
        " us; issue: four instructions of a warp on an SM in each clock; blocks: as many as "
        "the GPU starts; L2: as fast as any warm kernel here; atomics: one for each block, as "
        "many as any kernel did on one word. '-': more than ten times the lowest; nothing: "
        "not known, or it has none");
    sentence_end(out, "roofs", &note);
}

void roofline_print(struct text *out, const struct compare *compare, bool bold_titles)
{
    struct roofline_kernel *kernels = calloc(compare->line_count + 1, sizeof *kernels);
    out->failed |= !kernels;
    for (size_t s = 0; s < compare->side_count && kernels; s++)
        print_side(out, compare, s, kernels, bold_titles);
    free(kernels);
}
