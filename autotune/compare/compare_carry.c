/* compare_carry: fits each winner of the first GPU to the others, counts those that change alike, and
 * writes the commands. */
#include "autotune/compare/compare_carry.h"

#include "autotune/compare/compare_kernel.h"
#include "autotune/compare/compare_losses.h"
#include "autotune/compare/compare_port.h"
#include "autotune/compare/compare_verdict.h"
#include "autotune/device/nvrtc_release.h"
#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"
#include "generator/array.h"
#include "generator/dims_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- What changes ------------------------------------------------------------------------- */

static int add(struct compare_carry *carry, const struct compare_carry_row *row,
               struct error *error)
{
    for (size_t i = 0; i < carry->count; i++)
        if (carry->rows[i].to == row->to && strcmp(carry->rows[i].changed, row->changed) == 0) {
            carry->rows[i].winners++;
            return 0;
        }
    if (array_grow(&carry->rows, carry->count, sizeof *carry->rows, error))
        return -1;
    carry->rows[carry->count++] = *row;
    return 0;
}

static void name_rule(struct compare_carry_row *row, const struct compare_kernel *kernel,
                      const struct problem *problem, const struct target *target)
{
    const struct point_context context = {kernel->rung.space, problem, target};
    struct error ignored;
    const int broken = point_reject(&context, kernel->rung.config, &ignored);
    if (broken >= 0)
        snprintf(row->reason, sizeof row->reason, "%s", context.space->rules[broken].reason);
}

/* What is no kernel of today's space is left out. */
static int fit(struct compare_carry *carry, const struct compare_line *line, size_t to,
               struct error *error)
{
    const struct compare_winner winner = {.record = line->cells[0].record};
    const struct target *target = &carry->comparison->inputs[to].target;
    struct compare_carry_row row = {.to = to, .winners = 1};
    struct compare_kernel kernel;
    struct error ignored;
    if (compare_kernel_open(&kernel, &winner, NULL, &line->problem, target, &ignored))
        return 0;
    name_rule(&row, &kernel, &line->problem, target);
    const int unfit = compare_kernel_fit(&kernel, row.changed, sizeof row.changed,
                                         &line->problem, target, &ignored);
    compare_kernel_close(&kernel);
    if (unfit)
        snprintf(row.changed, sizeof row.changed, "no variant runs there");
    return add(carry, &row, error);
}

int compare_carry_find(struct compare_carry *out, const struct comparison *comparison,
                       struct error *error)
{
    const struct compare *compare = &comparison->compare;
    int failed = 0;
    *out = (struct compare_carry){.comparison = comparison};
    for (size_t to = 1; to < compare->side_count && !failed; to++)
        for (size_t l = 0; l < compare->line_count && !failed; l++)
            if (compare->lines[l].cells[0].record && comparison->inputs[to].has_target)
                failed = fit(out, &compare->lines[l], to, error);
    if (failed)
        compare_carry_dispose(out);
    return failed;
}

void compare_carry_dispose(struct compare_carry *carry)
{
    free(carry->rows);
    *carry = (struct compare_carry){.count = 0};
}

/* --- Tables ------------------------------------------------------------------------------- */

static void add_row(struct table *table, const struct compare_carry *carry,
                    const struct compare_carry_row *row)
{
    const struct compare_side *sides = carry->comparison->compare.sides;
    table_add(table, sides[0].name);
    table_add(table, sides[row->to].name);
    table_addf(table, "%zu", row->winners);
    table_add(table, *row->changed ? row->changed : "as they are");
    table_add(table, *row->changed ? row->changed : NULL);
    table_add(table, *row->reason ? row->reason : NULL);
}

static const struct table_column columns[] = {
    {NULL, "from", false},        {NULL, "to", false},
    {"winners", "winners", true}, {"run there with", NULL, false},
    {NULL, "changed", false},     {"the rule that refuses them as they are", "rule", false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

void compare_carry_table(struct table *out, const struct compare_carry *carry)
{
    *out = (struct table){.columns = columns, .column_count = COLUMNS};
    for (size_t i = 0; i < carry->count; i++)
        add_row(out, carry, &carry->rows[i]);
}

/* --- For people --------------------------------------------------------------------------- */

/* Its own lines, of one problem: those of the first that has a record of the first GPU. */
struct carried {
    const struct compare_line *line;
    struct sentence_range sizes;
    size_t winners; /* of all problems */
};

static struct carried find_carried(const struct compare *compare)
{
    struct carried found = {.line = NULL};
    size_t end = 0;
    for (size_t l = 0; l < compare->line_count; l++) {
        const struct compare_line *line = &compare->lines[l];
        if (!line->cells[0].record)
            continue;
        found.winners++;
        if (!found.line) {
            found.line = line;
            end = compare_group_end(compare, l);
        }
        if (l < end)
            sentence_extend(&found.sizes, (double)dims_n(&line->problem.dims));
    }
    return found;
}

static void print_rows(struct text *out, const struct compare_carry *carry, size_t to,
                       bool bold_titles)
{
    struct table table = {.columns = columns, .column_count = COLUMNS};
    for (size_t i = 0; i < carry->count; i++)
        if (carry->rows[i].to == to)
            add_row(&table, carry, &carry->rows[i]);
    if (table.row_count)
        table_show(out, &table, bold_titles);
    table_dispose(&table);
}

/* The options of the problem, with the sizes that were tuned: " --op sum --type f32 --n 1K..1G". */
static void add_problem(struct text *out, const struct compare *compare,
                        const struct carried *carried)
{
    const struct problem *problem =
        carried->line ? &carried->line->problem : &compare->lines[0].problem;
    text_addf(out, " --op %s --type %s%s", operation_option(problem->op),
              problem_types[problem->type].name, problem_orders[problem->order].option);
    if (!carried->line || published_row(problem)) {
        text_addf(out, " %s", compare_sweep_options(&problem->dims));
        return;
    }
    text_adds(out, " --n ");
    sentence_add_n(out, (uint64_t)carried->sizes.low);
    if (carried->sizes.high > carried->sizes.low) {
        text_adds(out, "..");
        sentence_add_n(out, (uint64_t)carried->sizes.high);
    }
}

static bool is_file(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') || (length > 4 && strcmp(name + length - 4, ".ini") == 0);
}

/* What ships is tried wherever one tunes. */
static void add_measure(struct text *out, const struct comparison *comparison,
                        const struct carried *carried, const char *name, size_t to)
{
    const struct compare_input *from = &comparison->inputs[0];
    const struct compare *compare = &comparison->compare;
    const bool has_own = from->records.count > from->shipped_count;
    struct text text = {0};
    text_addf(&text, "on %s: 'autotune --device 0", compare->sides[to].name);
    add_problem(&text, compare, carried);
    if (has_own)
        text_addf(&text, " --candidates %s", is_file(name) ? name : "FILE");
    text_adds(&text, "'");
    if (from->shipped_count && !has_own)
        text_addf(&text, ", which tries what ships of %s, too", compare->sides[0].name);
    if (has_own && !is_file(name))
        text_addf(&text, " (FILE: the records of %s, as 'autotune show' names it)",
                  compare->sides[0].name);
    sentence_end(out, "measure", &text);
}

static void add_embed(struct text *out, const struct compare *compare,
                      const struct carried *carried, size_t to)
{
    struct text text = {0};
    const struct problem *problem =
        carried->line ? &carried->line->problem : &compare->lines[0].problem;
    static const struct dims value = DIMS_VALUE(1);
    char cell[NUMBER_CHARS], of_value[NUMBER_CHARS];
    const char *shape = dims_text_cell(cell, &problem->dims, 0);
    if (dims_is_middle(&problem->dims) ||
        dims_is_strided(&problem->dims)) /* no export has these */
        return;
    text_addf(&text,
              "'autotune merge' of the record file that it names, then 'autotune export --gpu "
              "\"%s,%s\" --op %s --type %s",
              compare->sides[0].name, compare->sides[to].name, operation_option(problem->op),
              problem_types[problem->type].name);
    if (strcmp(shape, dims_text_cell(of_value, &value, 0)) != 0)
        text_addf(&text, " --shape %s", shape);
    if (problem->dims.scan)
        text_addf(&text, " --scan %s", dims_text_scans[problem->dims.scan]);
    text_adds(&text, " --output tuned': at run time each GPU takes its own rows");
    sentence_end(out, "embed", &text);
}

static void add_compile(struct text *out, const struct comparison *comparison, size_t to)
{
    const struct compare_side *side = &comparison->compare.sides[to];
    struct text text = {0};
    text_addf(&text,
              "for sm_%d, 'nvcc -gencode arch=compute_%d,code=sm_%d' beside that of sm_%d",
              side->cc, side->cc, side->cc, comparison->compare.sides[0].cc);
    text_addf(&text, ": CUDA %s", nvrtc_needed(side->cc));
    if (!comparison->inputs[to].nvrtc)
        text_adds(&text, ", which is not here");
    sentence_end(out, "compile", &text);
}

/* One config for both, where the journals know one. */
static void add_one(struct text *out, const struct compare *compare)
{
    double percent;
    size_t config;
    for (size_t i = 0; i < compare->losses_count; i++) {
        const struct compare_losses *losses = &compare->losses[i];
        struct text text = {0};
        if (!losses->cell_count || !compare_losses_best(&config, &percent, losses))
            continue;
        text_adds(&text, "if there is to be one for all of them: it takes ");
        compare_losses_add_most(&text, percent);
        text_addf(&text, ", at any size: %s", losses->params[config]);
        sentence_end(out, "config", &text);
        return;
    }
}

static void print_to(struct text *out, const struct compare_carry *carry, size_t to,
                     const char *name, bool bold_titles)
{
    const struct compare *compare = &carry->comparison->compare;
    const struct carried carried = find_carried(compare);
    struct text text = {0};
    if (carried.winners)
        text_addf(&text, "%zu winner%s of %s to %s", carried.winners,
                  carried.winners == 1 ? "" : "s", compare->sides[0].name,
                  compare->sides[to].name);
    else
        text_addf(
            &text,
            "nothing of %s to %s yet, for no record of it is here: the default follows the "
            "GPU by itself",
            compare->sides[0].name, compare->sides[to].name);
    sentence_end(out, "carry", &text);
    print_rows(out, carry, to, bold_titles);
    if (!carry->comparison->inputs[to].has_target)
        return;
    add_compile(out, carry->comparison, to);
    add_one(out, compare);
    add_measure(out, carry->comparison, &carried, name, to);
    add_embed(out, compare, &carried, to);
}

void compare_carry_print(struct text *out, const struct compare_carry *carry,
                         char *const *names, bool bold_titles)
{
    const struct compare *compare = &carry->comparison->compare;
    for (size_t to = 1; to < compare->side_count; to++) {
        text_adds(out, to > 1 ? "\n" : "");
        print_to(out, carry, to, names[0], bold_titles);
    }
    compare_port_lacks(out, compare);
}
