/* published_print: makes a table of each task's kernels, and shows a column where any of its
 * figures has a value. */
#include "autotune/compare/published_print.h"

#include "autotune/print/table_fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 9 }; /* columns before the document's, which are only for programs */

static const struct table_column columns[FIRST + PUBLISHED_COLUMNS] = {
    {NULL, "source", false},
    {NULL, "gpu", false},
    {NULL, "peak_gbs", true},
    {NULL, "kernel", false},
    {NULL, "rung", false},
    {NULL, "task", false},
    {NULL, "op", false},
    {NULL, "type", false},
    {NULL, "n", true},
    [FIRST + PUBLISHED_THREADS] = {"threads", "threads", true},
    [FIRST + PUBLISHED_ITEMS] = {"items", "items", true},
    [FIRST + PUBLISHED_ROW] = {"row", "row", true},
    [FIRST + PUBLISHED_ELEMENTS] = {"n", "elements", true},
    [FIRST + PUBLISHED_MS] = {"ms", "ms", true},
    [FIRST + PUBLISHED_US] = {"us", "us", true},
    [FIRST + PUBLISHED_CPU_MS] = {"CPU ms", "cpu_ms", true},
    [FIRST + PUBLISHED_CPU_RATIO] = {"x CPU", "cpu_ratio", true},
    [FIRST + PUBLISHED_TFLOPS] = {"TFLOPS", "tflops", true},
    [FIRST + PUBLISHED_GBS] = {"GB/s", "gbs", true},
    [FIRST + PUBLISHED_PEAK] = {"% peak", "peak_pct", true},
    [FIRST + PUBLISHED_COMPUTE] = {"compute %", "compute_pct", true},
    [FIRST + PUBLISHED_MEMORY] = {"memory %", "memory_pct", true},
    [FIRST + PUBLISHED_STEP] = {"step", "step", true},
    [FIRST + PUBLISHED_TOTAL] = {"total", "total", true},
    [FIRST + PUBLISHED_OCCUPANCY] = {"occupancy %", "occupancy_pct", true},
    [FIRST + PUBLISHED_REGISTERS] = {"registers", "registers", true},
    [FIRST + PUBLISHED_SHARED] = {"shared B", "shared_bytes", true},
    [FIRST + PUBLISHED_SM_THREADS] = {"threads/SM", "sm_threads", true},
    [FIRST + PUBLISHED_SM_WARPS] = {"warps/SM", "sm_warps", true},
    [FIRST + PUBLISHED_SM_BLOCKS] = {"blocks/SM", "sm_blocks", true},
    [FIRST + PUBLISHED_BLOCK_WARPS] = {"warps/block", "block_warps", true},
    [FIRST + PUBLISHED_LIMIT_WARPS] = {"SM warps", "limit_warps", true},
    [FIRST + PUBLISHED_LIMIT_REGISTERS] = {"by registers", "limit_registers", true},
    [FIRST + PUBLISHED_LIMIT_SHARED] = {"SM shared B", "limit_shared_bytes", true},
    [FIRST + PUBLISHED_FIT_WARPS] = {"fit: warps", "fit_warps", true},
    [FIRST + PUBLISHED_FIT_REGISTERS] = {"fit: registers", "fit_registers", true},
    [FIRST + PUBLISHED_FIT_SHARED] = {"fit: shared", "fit_shared", true},
};

const char *published_print_title(enum published_column column)
{
    return columns[FIRST + column].title;
}

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
        titles[table.column_count++] = columns[FIRST + part->shown[c]];
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
        table_show(out, &table, bold_titles);
    table_dispose(&table);
}

static void print_lines(struct text *out, const char *what, const char *of,
                        const struct ini_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        text_addf(out, "%-9s %s%s%s\n", what, of ? of : "", of ? ": " : "", lines->at[i]);
}

/* "sum f32 1024 to 16777216", where its figures say of how many elements they are. */
static void write_problem(char out[PROBLEM_CHARS], const struct published *published)
{
    const struct published_number *least = NULL, *most = NULL;
    const struct problem *problem = &published->problem;
    char low[NUMBER_CHARS], high[NUMBER_CHARS];
    for (size_t i = 0; i < published->figure_count; i++) {
        const struct published_number *n = &published->figures[i].at[PUBLISHED_ELEMENTS];
        if (n->is_there && (!least || n->digits < least->digits))
            least = n;
        if (n->is_there && (!most || n->digits > most->digits))
            most = n;
    }
    published_problem(out, problem);
    if (least)
        snprintf(out, PROBLEM_CHARS, "%s %s %s to %s", problem->op->name,
                 problem_types[problem->type].name, published_write(low, least),
                 published_write(high, most));
}

void published_print(struct text *out, const struct published *published,
                     const bool is_shown[PUBLISHED_KERNELS_MAX], bool bold_titles)
{
    struct part part = {.published = published, .is_shown = is_shown};
    char name[PROBLEM_CHARS], peak[NUMBER_CHARS];
    write_problem(name, published);
    text_addf(out, "%s, published: %s on %s", published->source, name, published->gpu_name);
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

void published_print_init(struct table *out)
{
    *out = (struct table){.columns = columns, .column_count = sizeof columns / sizeof *columns};
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
        table_add(table, kernel->problem.op->name);
        table_add(table, problem_types[kernel->problem.type].name);
        table_addf(table, "%" PRIu64, dims_n(&kernel->problem.dims));
        for (size_t c = 0; c < PUBLISHED_COLUMNS; c++)
            add_number(table, &figure->at[c]);
    }
}
