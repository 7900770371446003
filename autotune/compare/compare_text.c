/* compare_text: writes the tables, and spreads the columns of many GPUs over several of
 * them. */
#include "autotune/compare/compare_text.h"

#include "autotune/compare/compare_losses.h"
#include "autotune/compare/compare_notes.h"
#include "autotune/compare/compare_port.h"
#include "autotune/compare/compare_portability.h"
#include "autotune/compare/compare_verdict.h"
#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"
#include "autotune/print/terminal.h"
#include "generator/dims_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH_MAX = 120,
    SIDE_COLUMNS = 5,
    COLUMNS_MAX = 2 + SIDE_COLUMNS * COMPARE_SIDES_MAX,
};

/* --- The GPUs ----------------------------------------------------------------------------- */

enum { FACTS = 8 };
static const struct table_column facts[FACTS] = {
    {"GPU", NULL, false},      {"arch", NULL, false},      {"SMs", NULL, true},
    {"MHz", NULL, true},       {"threads/SM", NULL, true}, {"L2", NULL, true},
    {"peak GB/s", NULL, true}, {"KiB/SM", NULL, true},
};

/* A number, or an empty cell where it is 0: unknown. */
static void add_known(struct table *table, const char *before, double value)
{
    if (value > 0)
        table_addf(table, "%s%.0f", before, value);
    else
        table_add(table, NULL);
}

/* Adds a GPU's hardware data; the last: bytes in flight on an SM by Little's law. */
static void add_facts(struct table *table, const struct compare_side *side)
{
    char size[NUMBER_CHARS];
    const double peak = (double)side->peak_bytes;
    table_add(table, side->name);
    add_known(table, "sm_", side->cc);
    add_known(table, "", side->sms);
    add_known(table, "", side->clock_khz / 1e3);
    add_known(table, "", side->threads_per_sm);
    table_add(table, side->l2_bytes ? figures_size(size, (double)side->l2_bytes) : NULL);
    add_known(table, "", peak / 1e9);
    add_known(table, "", side->sms ? peak * analysis_latency_s / side->sms / 1024 : 0);
}

/* A kind of figures: bounds that are a finding, and those that are none. */
struct kind {
    enum compare_basis basis;
    bool is_free;
};

static size_t count_kind(const struct compare *compare, size_t side, const struct kind *kind)
{
    size_t count = 0;
    for (size_t l = 0; l < compare->line_count; l++) {
        const struct compare_cell *cell = &compare->lines[l].cells[side];
        count += cell->basis == kind->basis && compare_is_free(cell) == kind->is_free;
    }
    return count;
}

/* The hardware data of each GPU, and its number of figures of each kind, the surest kind
 * first. */
static void print_sides(struct text *out, const struct compare *compare, bool is_bold)
{
    static const struct kind order[] = {{COMPARE_MEASURED, false},  {COMPARE_EMULATED, false},
                                        {COMPARE_PUBLISHED, false}, {COMPARE_PREDICTED, false},
                                        {COMPARE_BOUND, false},     {COMPARE_BOUND, true},
                                        {COMPARE_WITHHELD, false},  {COMPARE_NOTHING, false}};
    enum { KINDS = sizeof order / sizeof *order };
    const struct kind *there[KINDS];
    struct table_column columns[FACTS + KINDS];
    struct table table = {.columns = columns, .column_count = FACTS};
    memcpy(columns, facts, sizeof facts);
    for (size_t k = 0; k < KINDS; k++) {
        size_t sum = 0;
        for (size_t s = 0; s < compare->side_count; s++)
            sum += count_kind(compare, s, &order[k]);
        if (!sum)
            continue;
        there[table.column_count - FACTS] = &order[k];
        columns[table.column_count++] =
            (struct table_column){order[k].is_free ? "no bound" : compare_bases[order[k].basis],
                                  NULL, true};
    }
    for (size_t s = 0; s < compare->side_count; s++) {
        add_facts(&table, &compare->sides[s]);
        for (size_t k = 0; k < table.column_count - FACTS; k++)
            table_addf(&table, "%zu", count_kind(compare, s, there[k]));
    }
    table_show(out, &table, is_bold);
    table_dispose(&table);
}

/* --- Sizes -------------------------------------------------------------------------------- */

static bool has_loss(const struct compare *compare, const struct prediction *group, size_t side)
{
    for (size_t l = group->first; l < group->end; l++)
        if (compare->lines[l].cells[side].has_loss)
            return true;
    return false;
}

/* A bound's time would be the least that it can take beside a speed that is the greatest. */
static bool shows_time(const struct compare_cell *cell)
{
    return cell->basis == COMPARE_PUBLISHED ? cell->published.time[0] != '\0'
                                            : cell->ps && cell->basis != COMPARE_BOUND;
}

static bool has_time(const struct compare *compare, const struct prediction *group, size_t side)
{
    for (size_t l = group->first; l < group->end; l++)
        if (shows_time(&compare->lines[l].cells[side]))
            return true;
    return false;
}

/* Portability from figures; that from bounds is a note. */
static double known_portability(const struct compare *compare, const struct compare_line *line)
{
    enum compare_basis basis;
    const double percent = compare_portability(compare, line, &basis);
    return basis == COMPARE_BOUND ? -1 : percent;
}

static bool has_portability(const struct compare *compare, const struct prediction *group)
{
    for (size_t l = group->first; l < group->end; l++)
        if (known_portability(compare, &compare->lines[l]) >= 0)
            return true;
    return false;
}

static void add_size(struct table *table, const struct compare_line *line)
{
    char size[DIMS_TEXT_CHARS];
    table_add(table, dims_text_format(size, &line->problem.dims));
}

/* Microseconds with about four digits. */
static void add_us(struct table *table, uint64_t ps)
{
    const double us = (double)ps / 1e6;
    table_addf(table, "%.*f", us < 1000 ? 2 : us < 10000 ? 1 : 0, us);
}

/* Adds the ranges of times and of speeds. */
static void add_ranges(struct table *table, const struct compare_cell *cell, const char *unit)
{
    char low[NUMBER_CHARS], high[NUMBER_CHARS];
    const double middle = (double)cell->ps;
    const double slow = middle / (double)cell->high_ps, fast = middle / (double)cell->low_ps;
    table_addf(table, "%s-%s%s", figures_short(low, (double)cell->low_ps / 1e6, 4),
               figures_short(high, (double)cell->high_ps / 1e6, 4), unit);
    table_addf(table, "%s-%s", figures_short(low, cell->gbs * slow, 3),
               figures_short(high, cell->gbs * fast, 3));
    if (cell->peak_pct >= 0)
        table_addf(table, "%.0f-%.0f", cell->peak_pct * slow, cell->peak_pct * fast);
    else
        table_add(table, NULL);
}

/* In parentheses where no document has it. */
static void add_value(struct table *table, const struct published_value *value)
{
    char number[NUMBER_CHARS];
    if (value->value > 0)
        table_addf(table, value->is_own ? "%s" : "(%s)",
                   figures_short(number, value->value, value->digits));
    else
        table_add(table, NULL);
}

/* With the document's digits and unit. */
static void add_published(struct table *table, const struct compare_published *published,
                          bool with_time)
{
    if (with_time)
        table_add(table, published->time);
    add_value(table, &published->gbs);
    add_value(table, &published->share);
}

/* The times of documents have units of their own: their tables name each. */
static const char *time_title(const struct compare_line *line)
{
    return line->is_document ? "time" : "us";
}

static void add_cell(struct table *table, const struct compare_line *line, size_t side,
                     bool with_time, struct legend *legend)
{
    const struct compare_cell *cell = &line->cells[side];
    char name[NUMBER_CHARS];
    if (cell->basis > COMPARE_WITHHELD)
        table_addf(table, "%s%s %s", legend_name(name, legend_add(legend, cell->winner)),
                   cell->changed[0] ? "*" : "", compare_basis_word(cell));
    else
        table_addf(table, "- %s", compare_bases[cell->basis]);
    if (cell->basis == COMPARE_PREDICTED) {
        add_ranges(table, cell, line->is_document ? " us" : "");
        return;
    }
    if (cell->basis == COMPARE_PUBLISHED) {
        add_published(table, &cell->published, with_time);
        return;
    }
    if (with_time && shows_time(cell))
        add_us(table, cell->ps);
    else if (with_time)
        table_add(table, NULL);
    compare_add_speed(table, cell);
}

/* Fills in `count` GPUs from `from` on. */
static void fill_sizes(struct table *table, struct table_column columns[COLUMNS_MAX],
                       const struct compare *compare, const struct prediction *group,
                       struct legend *legend, size_t from, size_t count)
{
    const bool is_last = from + count == compare->side_count;
    const bool has_last = is_last && has_portability(compare, group);
    size_t at = 0;
    columns[at++] =
        (struct table_column){published_row(&compare->lines[group->first].problem) ? "size"
                                                                                   : "n",
                              NULL, true};
    for (size_t s = from; s < from + count; s++) {
        columns[at++] = (struct table_column){compare->sides[s].name, NULL, false};
        if (has_time(compare, group, s))
            columns[at++] =
                (struct table_column){time_title(&compare->lines[group->first]), NULL, true};
        columns[at++] = (struct table_column){"GB/s", NULL, true};
        columns[at++] = (struct table_column){"%", NULL, true};
        if (has_loss(compare, group, s))
            columns[at++] = (struct table_column){"loss %", NULL, true};
    }
    if (has_last)
        columns[at++] = (struct table_column){"portable %", NULL, true};
    *table = (struct table){.columns = columns, .column_count = at};
    for (size_t l = group->first; l < group->end; l++) {
        const struct compare_line *line = &compare->lines[l];
        add_size(table, line);
        for (size_t s = from; s < from + count; s++) {
            add_cell(table, line, s, has_time(compare, group, s), legend);
            if (has_loss(compare, group, s))
                table_add_number(table, line->cells[s].has_loss, 1, line->cells[s].loss_pct);
        }
        if (has_last)
            table_add_number(table, known_portability(compare, line) >= 0, 1,
                             known_portability(compare, line));
    }
}

/* Of a table, on stdout. */
static size_t width_most(void)
{
    return (size_t)terminal_output_room(WIDTH_MAX);
}

/* As many GPUs in one table as fit, the others in tables below. */
static void print_sizes(struct text *out, const struct compare *compare,
                        const struct prediction *group, struct legend *legend, bool is_bold)
{
    struct table_column columns[COLUMNS_MAX];
    struct table table;
    for (size_t from = 0, count; from < compare->side_count; from += count) {
        count = compare->side_count - from;
        fill_sizes(&table, columns, compare, group, legend, from, count);
        while (count > 1 && table_width(&table) > width_most()) {
            table_dispose(&table);
            fill_sizes(&table, columns, compare, group, legend, from, --count);
        }
        text_adds(out, from ? "\n" : "");
        table_show(out, &table, is_bold);
        table_dispose(&table);
    }
}

/* --- The legend --------------------------------------------------------------------------- */

/* "A-D, F": the letters for which `is_of` is true; it has a place more than there are
 * letters. */
static void add_legend(struct text *out, const struct legend *legend, const bool *is_of)
{
    char name[NUMBER_CHARS];
    for (size_t i = 0, end; i < legend->count; i = end + 1) {
        for (end = i; is_of[end]; end++)
            ;
        if (end == i)
            continue;
        text_addf(out, "%s%s", out->length ? ", " : "", legend_name(name, i));
        if (end > i + 1)
            text_addf(out, "%s%s", end > i + 2 ? "-" : ", ", legend_name(name, end - 1));
    }
}

static const char *changed_of(const struct compare *compare, size_t line, size_t side)
{
    const struct compare_cell *cell = &compare->lines[line].cells[side];
    const bool is_fitted = cell->basis == COMPARE_BOUND || cell->basis == COMPARE_PREDICTED;
    return is_fitted ? cell->changed : "";
}

/* Explains the stars, from the line `at` on: each change once. */
static void add_change(struct text *out, const struct compare *compare,
                       const struct prediction *group, struct legend *legend, bool *is_of,
                       size_t side, size_t at)
{
    const char *changed = changed_of(compare, at, side);
    struct text list = {0};
    for (size_t l = group->first; l < at; l++)
        if (strcmp(changed_of(compare, l, side), changed) == 0)
            return;
    memset(is_of, 0, legend->count + 1);
    for (size_t l = at; l < group->end; l++)
        if (strcmp(changed_of(compare, l, side), changed) == 0)
            is_of[legend_add(legend, compare->lines[l].cells[side].winner)] = true;
    add_legend(&list, legend, is_of);
    text_addf(out,
              "*         %s on %s with %s: without, a rule of the space rejects %s there\n",
              list.at ? list.at : "", compare->sides[side].name, changed,
              list.length > 1 ? "them" : "it");
    text_dispose(&list);
}

static void add_changes(struct text *out, const struct compare *compare,
                        const struct prediction *group, struct legend *legend)
{
    bool *is_of = calloc(legend->count + 1, sizeof *is_of);
    out->failed |= !is_of;
    for (size_t s = 0; s < compare->side_count && is_of; s++)
        for (size_t l = group->first; l < group->end; l++)
            if (changed_of(compare, l, s)[0])
                add_change(out, compare, group, legend, is_of, s, l);
    free(is_of);
}

/* Prints the legend of kernels; below it the params that all have in common. */
static void print_kernels(struct text *out, const struct compare *compare,
                          const struct prediction *group, struct legend *legend)
{
    char name[NUMBER_CHARS];
    struct text shared = {0};
    for (size_t i = 0; i < legend->count; i++) {
        struct text words = {0};
        legend_add_words(&words, legend, legend->kernels[i], false);
        legend_add_words(&shared, legend, shared.length ? "" : legend->kernels[i], true);
        sentence_end(out, legend_name(name, i), &words);
    }
    if (shared.length)
        sentence_end(out, "in all", &shared);
    text_dispose(&shared);
    add_changes(out, compare, group, legend);
}

/* --- What holds them back ----------------------------------------------------------------- */

/* Rows of kernels: title and names of these, and whether a kernel belongs into one of them. */
struct limits {
    const char *title, *const *names;
    size_t count;
    bool (*is_of)(size_t row, const struct prediction *group, const struct compare *compare,
                  const struct compare_line *line, size_t side);
};

enum {
    BY_WHY = ANALYSIS_INSTRUCTIONS + 1,  /* first the limiter of the bound, then latency and */
    BY_FAR = BY_WHY + COMPARE_RANKS - 1, /* cache, then what the bound leaves out, */
    BY_PEAK,                             /* then the peak alone */
    BYS
};

static bool is_bound_by(size_t by, const struct prediction *group,
                        const struct compare *compare, const struct compare_line *line,
                        size_t side)
{
    const struct compare_cell *cell = &line->cells[side];
    const enum compare_why why = prediction_why(group, compare, line, side);
    const bool is_free = why == COMPARE_SAID || why == COMPARE_RANKS;
    if (cell->analysis.bound <= 0 || !cell->analysis.is_compiled)
        return by == BY_PEAK && cell->analysis.bound > 0;
    if (by == BY_FAR)
        return prediction_is_far(cell);
    if (by >= BY_WHY)
        return by < BY_FAR && !is_free && by - BY_WHY + 1 == why;
    return is_free && by == cell->analysis.limiter && !prediction_is_far(cell);
}

static bool is_limited_by(size_t by, const struct prediction *group,
                          const struct compare *compare, const struct compare_line *line,
                          size_t side)
{
    const struct analysis *analysis = &line->cells[side].analysis;
    (void)group;
    (void)compare;
    return analysis->is_compiled && occupancy_is_limited(&analysis->occupancy) &&
           by == analysis->occupancy.limiter;
}

/* The letters of the kernels of a row on a GPU. */
static void add_held(struct text *out, const struct limits *limits, size_t row,
                     const struct prediction *group, const struct compare *compare,
                     struct legend *legend, bool *is_of, size_t side)
{
    memset(is_of, 0, legend->count + 1);
    for (size_t l = group->first; l < group->end; l++) {
        const struct compare_line *line = &compare->lines[l];
        if (line->cells[side].basis > COMPARE_WITHHELD &&
            limits->is_of(row, group, compare, line, side))
            is_of[legend_add(legend, line->cells[side].winner)] = true;
    }
    add_legend(out, legend, is_of);
}

static void add_prediction_row(struct table *table, const struct limits *limits, size_t row,
                               const struct prediction *group, const struct compare *compare,
                               struct legend *legend, bool *is_of)
{
    struct text cells[COMPARE_SIDES_MAX] = {{0}};
    bool is_any = false;
    for (size_t s = 0; s < compare->side_count; s++) {
        add_held(&cells[s], limits, row, group, compare, legend, is_of, s);
        is_any |= cells[s].length > 0;
    }
    if (is_any)
        table_add(table, limits->names[row]);
    for (size_t s = 0; s < compare->side_count; s++) {
        if (is_any)
            table_add(table, cells[s].at);
        text_dispose(&cells[s]);
    }
}

static void print_rows(struct text *out, const struct limits *limits,
                       const struct compare *compare, const struct prediction *group,
                       struct legend *legend, bool is_bold)
{
    struct table_column columns[1 + COMPARE_SIDES_MAX] = {{limits->title, NULL, false}};
    struct table table = {.columns = columns, .column_count = 1 + compare->side_count};
    bool *is_of = calloc(legend->count + 1, sizeof *is_of);
    out->failed |= !is_of;
    for (size_t s = 0; s < compare->side_count; s++)
        columns[1 + s] = (struct table_column){compare->sides[s].name, NULL, false};
    for (size_t row = 0; row < limits->count && is_of; row++)
        add_prediction_row(&table, limits, row, group, compare, legend, is_of);
    if (table.row_count) {
        text_adds(out, "\n");
        table_show(out, &table, is_bold);
    }
    table_dispose(&table);
    free(is_of);
}

/* What the bound is by, and apart from it, for it need not slow a kernel, the occupancy. */
static void print_limits(struct text *out, const struct compare *compare,
                         const struct prediction *group, struct legend *legend, bool is_bold)
{
    static const char *const bys[BYS] = {"memory",        "bytes in flight", "instructions",
                                         "latency",       "L2 cache",        "not by its bound",
                                         "the peak alone"};
    static const struct limits limits[] = {
        {"bound by", bys, BYS, is_bound_by},
        {"occupancy by", occupancy_names, OCCUPANCY_LIMITERS, is_limited_by},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        print_rows(out, &limits[i], compare, group, legend, is_bold);
}

/* --- The whole ---------------------------------------------------------------------------- */

/* Of the problem that begins with a line. */
static void print_losses(struct text *out, const struct compare *compare, size_t first,
                         bool is_bold)
{
    for (size_t i = 0; i < compare->losses_count; i++)
        if (compare->losses[i].first == first && compare->losses[i].cell_count) {
            text_adds(out, "\n");
            compare_losses_print(out, &compare->losses[i], compare, is_bold);
        }
}

static void add_heading(struct text *out, const struct compare_line *line, bool is_bold)
{
    const struct problem *problem = &line->problem;
    char promise[DIMS_TEXT_CHARS];
    text_addf(out, "\n%s%s %s", is_bold ? "\033[1m" : "", problem->op->name,
              problem_types[problem->type].name);
    if (problem->acc != problem_default_acc(problem->type))
        text_addf(out, " acc %s", problem_types[problem->acc].name);
    if (!line->is_document) /* documents say nothing of caches */
        text_addf(out, " %s", problem_regimes[problem->regime]);
    text_addf(out, "%s: %s%s%s\n", problem_orders[problem->order].shown,
              line->is_document ? "kernels of documents" : "autotune's kernels",
              dims_text_promise(promise, &problem->dims), is_bold ? "\033[0m" : "");
}

void compare_screen(struct text *out, const struct compare *compare, bool is_bold)
{
    compare_verdict(out, compare);
    compare_port(out, compare, is_bold);
    for (size_t i = 0; i < compare->losses_count; i++) {
        if (!compare->losses[i].cell_count)
            continue;
        text_adds(out, "\n");
        compare_losses_print(out, &compare->losses[i], compare, is_bold);
        break; /* that of the verdict: --more has the others */
    }
}

void compare_text(struct text *out, const struct compare *compare, bool is_bold)
{
    struct legend legend = {calloc(compare->line_count * compare->side_count + 1,
                                   sizeof *legend.kernels),
                            0};
    struct prediction group;
    out->failed |= !legend.kernels;
    print_sides(out, compare, is_bold);
    for (size_t first = 0; first < compare->line_count && !out->failed; first = group.end) {
        prediction_gather(&group, compare, first);
        legend.count = 0;
        add_heading(out, &compare->lines[first], is_bold);
        print_sizes(out, compare, &group, &legend, is_bold);
        text_adds(out, legend.count ? "\n" : "");
        print_kernels(out, compare, &group, &legend);
        print_limits(out, compare, &group, &legend, is_bold);
        print_losses(out, compare, first, is_bold);
        compare_notes_group(out, compare, &group, &legend);
    }
    compare_notes_all(out, compare);
    compare_notes_columns(out, compare);
    free(legend.kernels);
}
