/* published_print: makes a table of each task's kernels, and shows a column where any of its
 * figures has a value. */
#include "autotune/compare/published_print.h"

#include <inttypes.h>
#include <string.h>

/* By enum published_column. */
static const struct table_column columns[PUBLISHED_COLUMNS] = {
    [PUBLISHED_THREADS] = {"threads", "threads", true},
    [PUBLISHED_ITEMS] = {"items", "items", true},
    [PUBLISHED_ROW] = {"row", "row", true},
    [PUBLISHED_ELEMENTS] = {"n", "elements", true},
    [PUBLISHED_MS] = {"ms", "ms", true},
    [PUBLISHED_US] = {"us", "us", true},
    [PUBLISHED_CPU_MS] = {"CPU ms", "cpu_ms", true},
    [PUBLISHED_CPU_RATIO] = {"x CPU", "cpu_ratio", true},
    [PUBLISHED_TFLOPS] = {"TFLOPS", "tflops", true},
    [PUBLISHED_GBS] = {"GB/s", "gbs", true},
    [PUBLISHED_PEAK] = {"% peak", "peak_pct", true},
    [PUBLISHED_COMPUTE] = {"compute %", "compute_pct", true},
    [PUBLISHED_MEMORY] = {"memory %", "memory_pct", true},
    [PUBLISHED_STEP] = {"step", "step", true},
    [PUBLISHED_TOTAL] = {"total", "total", true},
    [PUBLISHED_OCCUPANCY] = {"occupancy %", "occupancy_pct", true},
    [PUBLISHED_REGISTERS] = {"registers", "registers", true},
    [PUBLISHED_SHARED] = {"shared B", "shared_bytes", true},
    [PUBLISHED_SM_THREADS] = {"threads/SM", "sm_threads", true},
    [PUBLISHED_SM_WARPS] = {"warps/SM", "sm_warps", true},
    [PUBLISHED_SM_BLOCKS] = {"blocks/SM", "sm_blocks", true},
    [PUBLISHED_BLOCK_WARPS] = {"warps/block", "block_warps", true},
    [PUBLISHED_LIMIT_WARPS] = {"SM warps", "limit_warps", true},
    [PUBLISHED_LIMIT_REGISTERS] = {"by registers", "limit_registers", true},
    [PUBLISHED_LIMIT_SHARED] = {"SM shared B", "limit_shared_bytes", true},
    [PUBLISHED_FIT_WARPS] = {"fit: warps", "fit_warps", true},
    [PUBLISHED_FIT_REGISTERS] = {"fit: registers", "fit_registers", true},
    [PUBLISHED_FIT_SHARED] = {"fit: shared", "fit_shared", true},
};

/* --- For people --------------------------------------------------------------------------- */

/* Some kernels of a document, and the columns of their figures. */
struct part {
    const struct published *published;
    const bool *is_shown;
    size_t first, end; /* kernels */
    bool has_n;        /* do they differ in n? */
    size_t shown[PUBLISHED_COLUMNS], shown_count;
};

static bool is_same_task(const struct published_kernel *a, const struct published_kernel *b)
{
    return a->task && b->task ? strcmp(a->task, b->task) == 0 : a->task == b->task;
}

static bool has_column(const struct part *part, size_t column)
{
    for (size_t k = part->first; k < part->end; k++) {
        const struct published_kernel *kernel = &part->published->kernels[k];
        for (size_t i = 0; part->is_shown[k] && i < kernel->count; i++)
            if (part->published->figures[kernel->first + i].at[column].is_there)
                return true;
    }
    return false;
}

/* Takes the kernels from `first` on with the same task. */
static void take_part(struct part *part, size_t first)
{
    const struct published *published = part->published;
    part->first = part->end = first;
    part->has_n = false;
    part->shown_count = 0;
    while (part->end < published->kernel_count &&
           is_same_task(&published->kernels[first], &published->kernels[part->end])) {
        const struct problem *problem = &published->kernels[part->end].problem;
        part->has_n |= part->is_shown[part->end] &&
                       dims_n(&problem->dims) != dims_n(&published->problem.dims);
        part->end++;
    }
    for (size_t c = 0; c < PUBLISHED_COLUMNS; c++)
        if (has_column(part, c))
            part->shown[part->shown_count++] = c;
}

static void add_number(struct table *table, const struct published_number *number)
{
    char word[NUMBER_CHARS];
    table_add(table, number->is_there ? published_write(word, number) : NULL);
}

static void print_table(struct text *out, const struct part *part, bool bold_titles)
{
    struct table_column titles[PUBLISHED_COLUMNS + 2] = {{"kernel", NULL, false}};
    struct table table = {.columns = titles, .column_count = 1};
    if (part->has_n)
        titles[table.column_count++] = (struct table_column){"n", NULL, true};
    for (size_t c = 0; c < part->shown_count; c++)
        titles[table.column_count++] = columns[part->shown[c]];
    for (size_t k = part->first; k < part->end; k++) {
        const struct published_kernel *kernel = &part->published->kernels[k];
        for (size_t i = 0; part->is_shown[k] && i < kernel->count; i++) {
            char n[NUMBER_CHARS];
            table_add(&table, i ? NULL : kernel->kernel);
            if (part->has_n)
                table_add(&table, number_format_count(n, dims_n(&kernel->problem.dims)));
            for (size_t c = 0; c < part->shown_count; c++)
                add_number(&table,
                           &part->published->figures[kernel->first + i].at[part->shown[c]]);
        }
    }
    if (table.row_count)
        table_print(out, &table, bold_titles);
    table_dispose(&table);
}

static void print_lines(struct text *out, const char *what, const char *of,
                        const struct published_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        text_addf(out, "%-9s %s%s%s\n", what, of ? of : "", of ? ": " : "", lines->at[i]);
}

void published_print_print(struct text *out, const struct published *published,
                           const bool is_shown[PUBLISHED_KERNELS_MAX], bool bold_titles)
{
    struct part part = {.published = published, .is_shown = is_shown};
    const struct problem *problem = &published->problem;
    char n[NUMBER_CHARS], peak[NUMBER_CHARS];
    text_addf(out, "%s, published: %s %s %s on %s", published->source,
              problem_ops[problem->op].name, problem_types[problem->type].name,
              number_format_count(n, dims_n(&problem->dims)), published->gpu_name);
    if (published->peak_gbs.is_there)
        text_addf(out, ", peak %s GB/s", published_write(peak, &published->peak_gbs));
    text_adds(out, "\n");
    print_lines(out, "condition", NULL, &published->conditions);
    for (size_t k = 0; k < published->kernel_count; k = part.end) {
        take_part(&part, k);
        if (published->kernels[k].task && part.shown_count)
            text_addf(out, "%s\n", published->kernels[k].task);
        print_table(out, &part, bold_titles);
    }
    print_lines(out, "note", NULL, &published->notes);
    for (size_t k = 0; k < published->kernel_count; k++)
        if (is_shown[k])
            print_lines(out, "note", published->kernels[k].kernel,
                        &published->kernels[k].notes);
    print_lines(out, "remark", NULL, &published->remarks);
    for (size_t k = 0; k < published->kernel_count; k++)
        if (is_shown[k])
            print_lines(out, "remark", published->kernels[k].kernel,
                        &published->kernels[k].remarks);
}

/* --- For programs ------------------------------------------------------------------------- */

enum { FIRST = 9 }; /* columns before the document's */

static const struct table_column all[FIRST + PUBLISHED_COLUMNS] = {
    {NULL, "source", false},
    {NULL, "gpu", false},
    {NULL, "peak_gbs", true},
    {NULL, "kernel", false},
    {NULL, "rung", false},
    {NULL, "task", false},
    {NULL, "op", false},
    {NULL, "type", false},
    {NULL, "n", true},
    [FIRST + PUBLISHED_THREADS] = {NULL, "threads", true},
    [FIRST + PUBLISHED_ITEMS] = {NULL, "items", true},
    [FIRST + PUBLISHED_ROW] = {NULL, "row", true},
    [FIRST + PUBLISHED_ELEMENTS] = {NULL, "elements", true},
    [FIRST + PUBLISHED_MS] = {NULL, "ms", true},
    [FIRST + PUBLISHED_US] = {NULL, "us", true},
    [FIRST + PUBLISHED_CPU_MS] = {NULL, "cpu_ms", true},
    [FIRST + PUBLISHED_CPU_RATIO] = {NULL, "cpu_ratio", true},
    [FIRST + PUBLISHED_TFLOPS] = {NULL, "tflops", true},
    [FIRST + PUBLISHED_GBS] = {NULL, "gbs", true},
    [FIRST + PUBLISHED_PEAK] = {NULL, "peak_pct", true},
    [FIRST + PUBLISHED_COMPUTE] = {NULL, "compute_pct", true},
    [FIRST + PUBLISHED_MEMORY] = {NULL, "memory_pct", true},
    [FIRST + PUBLISHED_STEP] = {NULL, "step", true},
    [FIRST + PUBLISHED_TOTAL] = {NULL, "total", true},
    [FIRST + PUBLISHED_OCCUPANCY] = {NULL, "occupancy_pct", true},
    [FIRST + PUBLISHED_REGISTERS] = {NULL, "registers", true},
    [FIRST + PUBLISHED_SHARED] = {NULL, "shared_bytes", true},
    [FIRST + PUBLISHED_SM_THREADS] = {NULL, "sm_threads", true},
    [FIRST + PUBLISHED_SM_WARPS] = {NULL, "sm_warps", true},
    [FIRST + PUBLISHED_SM_BLOCKS] = {NULL, "sm_blocks", true},
    [FIRST + PUBLISHED_BLOCK_WARPS] = {NULL, "block_warps", true},
    [FIRST + PUBLISHED_LIMIT_WARPS] = {NULL, "limit_warps", true},
    [FIRST + PUBLISHED_LIMIT_REGISTERS] = {NULL, "limit_registers", true},
    [FIRST + PUBLISHED_LIMIT_SHARED] = {NULL, "limit_shared_bytes", true},
    [FIRST + PUBLISHED_FIT_WARPS] = {NULL, "fit_warps", true},
    [FIRST + PUBLISHED_FIT_REGISTERS] = {NULL, "fit_registers", true},
    [FIRST + PUBLISHED_FIT_SHARED] = {NULL, "fit_shared", true},
};

void published_print_init(struct table *out)
{
    *out = (struct table){.columns = all, .column_count = sizeof all / sizeof *all};
}

void published_print_add(struct table *table, const struct published *published,
                         const bool is_shown[PUBLISHED_KERNELS_MAX])
{
    for (size_t i = 0; i < published->figure_count; i++) {
        const struct published_figure *figure = &published->figures[i];
        const struct published_kernel *kernel = &published->kernels[figure->kernel];
        if (!is_shown[figure->kernel])
            continue;
        table_add(table, published->source);
        table_add(table, published->gpu_name);
        add_number(table, &published->peak_gbs);
        table_add(table, kernel->kernel);
        table_add(table, kernel->rung);
        table_add(table, kernel->task);
        table_add(table, problem_ops[kernel->problem.op].name);
        table_add(table, problem_types[kernel->problem.type].name);
        table_addf(table, "%" PRIu64, dims_n(&kernel->problem.dims));
        for (size_t c = 0; c < PUBLISHED_COLUMNS; c++)
            add_number(table, &figure->at[c]);
    }
}
