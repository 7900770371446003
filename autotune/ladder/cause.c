/* cause: compares a rung's figures with thresholds and writes the first that is over, then
 * behind a semicolon what else is short. */
#include "autotune/ladder/cause.h"

#include "generator/dims_text.h"

#include <stdio.h>
#include <string.h>

/* Thresholds: atomic operations for each element, wavefronts of shared memory for each load of
 * a warp, wavefronts relative to those without conflicts, active lanes. */
static const double ATOMICS_MANY = 0.25, WAVEFRONTS_MANY = 1, CONFLICTS_MANY = 1.25,
                    LANES_FEW = 12;

/* Of a full block. */
static double elements_of(const struct ladder_cell *cell)
{
    return cell->elements_there > 0 ? cell->elements_there : cell->elements;
}

static double per_load(const struct ladder_cell *cell, double count)
{
    return elements_of(cell) > 0 ? count * OCCUPANCY_WARP / elements_of(cell) : 0;
}

/* Accesses of shared memory for one load of a warp, 32 elements, on average. */
static double requests_of(const struct ladder_cell *cell)
{
    return per_load(cell, cell->pattern.requests);
}

/* Their wavefronts. */
static double wavefronts_of(const struct ladder_cell *cell)
{
    return per_load(cell, cell->pattern.wavefronts);
}

static bool is_short(const struct analysis *analysis)
{
    return analysis->in_flight > 0 && analysis->in_flight < analysis->wanted;
}

/* --- The main clause ---------------------------------------------------------------------- */

static void add_atomics(struct text *out, const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    const bool is_global = pattern->atomics_global >= pattern->atomics_shared;
    const unsigned count = is_global ? pattern->atomics_global : pattern->atomics_shared;
    text_addf(out,
              "atomic operations: %u for the %.0f elements of a block, all on one word of %s",
              count, elements_of(cell), is_global ? "global memory" : "its shared memory");
}

static void add_divergence(struct text *out, const struct ladder_cell *cell)
{
    text_addf(out, "divergence: %.1f of 32 lanes active in an access of shared memory (",
              pattern_lanes(&cell->pattern));
    pattern_add_steps(out, &cell->pattern, true);
    text_addf(out, " by step), %.1f accesses for 32 elements", requests_of(cell));
}

static void add_conflicts(struct text *out, const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    text_addf(out, "bank conflicts, up to %u-way (", pattern->ways);
    pattern_add_steps(out, pattern, false);
    text_addf(out, " by step): %u wavefronts a block where %u would do, %.1f for 32 elements",
              pattern->wavefronts, pattern->ideal, wavefronts_of(cell));
}

static void add_tree(struct text *out, const struct ladder_cell *cell)
{
    text_addf(
        out,
        "a tree for few elements: %.1f accesses of shared memory for 32 elements, %.1f of "
        "32 lanes active",
        requests_of(cell), pattern_lanes(&cell->pattern));
}

static void add_in_flight(struct text *out, const struct ladder_cell *cell)
{
    text_addf(out, "bytes in flight: %.1f kB an SM of the %.1f that the memory wants",
              cell->analysis.in_flight / 1e3, cell->analysis.wanted / 1e3);
}

static void add_memory(struct text *out, const struct ladder_cell *cell)
{
    const struct analysis *analysis = &cell->analysis;
    if (analysis->in_flight > 0)
        text_addf(out, "the memory: loads ask for %.1f kB an SM at a time, %.1f are enough",
                  analysis->in_flight / 1e3, analysis->wanted / 1e3);
    else
        text_adds(out, "the loads");
    if (cell->pattern.requests)
        text_addf(out, "; %.2g accesses of shared memory for 32 elements", requests_of(cell));
}

typedef void add_clause(struct text *out, const struct ladder_cell *cell);

static add_clause *choose_clause(const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    const unsigned atomics = pattern->atomics_global + pattern->atomics_shared;
    if (atomics >= ATOMICS_MANY * elements_of(cell))
        return add_atomics;
    if (wavefronts_of(cell) < WAVEFRONTS_MANY)
        return is_short(&cell->analysis) ? add_in_flight : add_memory;
    if (pattern_lanes(pattern) < LANES_FEW)
        return add_divergence;
    if (pattern->wavefronts > CONFLICTS_MANY * pattern->ideal)
        return add_conflicts;
    return add_tree;
}

/* --- What else is short ------------------------------------------------------------------- */

static int most_warps(const struct occupancy *occupancy)
{
    return occupancy->share > 0 ? (int)(occupancy->warps / occupancy->share + 0.5) : 0;
}

static void add_occupancy(struct text *out, const struct ladder_cell *cell)
{
    const struct occupancy *occupancy = &cell->analysis.occupancy;
    if (cell->analysis.is_compiled && occupancy_is_limited(occupancy))
        text_addf(out, "; an SM holds %d of %d warps, limited by %s", occupancy->warps,
                  most_warps(occupancy), occupancy_names[occupancy->limiter]);
}

/* The time that a block takes an SM, from the time measured on a GPU. */
static void add_block(struct text *out, const struct ladder_cell *cell,
                      const struct ladder *ladder)
{
    if (cell->ps && ladder->sms && !ladder->is_host)
        text_addf(out, "; an SM takes %.0f ns a block",
                  (double)cell->ps * ladder->sms / cell->grid / 1000);
}

void cause_find(struct ladder_cell *cell, const struct ladder *ladder)
{
    struct text text = {0};
    cell->cause[0] = '\0';
    if (!cell->pattern.is_known && !is_short(&cell->analysis))
        return;
    add_clause *clause = choose_clause(cell);
    clause(&text, cell);
    if (clause != add_in_flight && clause != add_memory && is_short(&cell->analysis))
        text_addf(&text, "; %.1f of %.1f kB in flight", cell->analysis.in_flight / 1e3,
                  cell->analysis.wanted / 1e3);
    add_occupancy(&text, cell);
    if (clause == add_tree || clause == add_divergence || clause == add_conflicts)
        add_block(&text, cell, ladder);
    snprintf(cell->cause, sizeof cell->cause, "%s", text.failed ? "" : text.at);
    text_dispose(&text);
}

/* --- For people --------------------------------------------------------------------------- */

static void add_figure(struct table *table, bool is_known, double value, int digits,
                       const char *unit)
{
    if (is_known)
        table_addf(table, "%.*f%s", digits, value, unit);
    else
        table_add(table, NULL);
}

static void add_pattern(struct table *table, const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    const bool is_used = pattern->requests > 0;
    add_figure(table, is_used, pattern_lanes(pattern), 1, "");
    if (pattern->ways > 1)
        table_addf(table, "%u-way", pattern->ways);
    else
        table_add(table, is_used ? "none" : NULL);
    add_figure(table, is_used, wavefronts_of(cell), 2, "");
}

static void add_analysis(struct table *table, const struct analysis *analysis)
{
    const struct occupancy *occupancy = &analysis->occupancy;
    if (!analysis->is_compiled)
        return;
    table_addf(table, "%d/%d", occupancy->warps, most_warps(occupancy));
    table_add(table,
              occupancy_is_limited(occupancy) ? occupancy_names[occupancy->limiter] : "-");
    add_figure(table, analysis->in_flight > 0, analysis->in_flight / 1e3, 1, "");
    add_figure(table, analysis->per_element > 0, analysis->per_element, 1,
               analysis->mix.is_ptx ? " PTX" : " SASS");
}

static bool has_figures(const struct ladder_cell *cell)
{
    return cell->pattern.is_known || cell->analysis.is_compiled;
}

static void print_table(struct text *out, const struct ladder *ladder,
                        const struct rungs_group *group, bool has_gpu, bool bold_titles)
{
    static const struct table_column columns[] =
        {{"rung", NULL, false},        {"lanes of 32", NULL, true}, {"conflicts", NULL, true},
         {"wavefronts", NULL, true},   {"warps an SM", NULL, true}, {"limit", NULL, false},
         {"kB in flight", NULL, true}, {"instructions", NULL, true}};
    struct table table = {.columns = columns, .column_count = has_gpu ? 8 : 4};
    for (size_t r = group->first; r < group->first + group->count; r++) {
        const struct ladder_cell *cell = &ladder->cells[r * ladder->columns];
        if (!has_figures(cell))
            continue;
        table_add(&table, ladder->rungs->rungs[r].name);
        add_pattern(&table, cell);
        if (has_gpu)
            add_analysis(&table, &cell->analysis);
        while (table.cell_count % table.column_count)
            table_add(&table, NULL);
    }
    table_print(out, &table, bold_titles);
    table_dispose(&table);
}

void cause_print(struct text *out, const struct ladder *ladder, const struct rungs_group *group,
                 bool bold_titles)
{
    bool is_any = false, has_gpu = false;
    for (size_t r = group->first; r < group->first + group->count; r++) {
        const struct ladder_cell *cell = &ladder->cells[r * ladder->columns];
        is_any |= has_figures(cell);
        has_gpu |= cell->analysis.is_compiled;
    }
    if (!is_any)
        return;
    print_table(out, ladder, group, has_gpu, bold_titles);
    for (size_t r = group->first; r < group->first + group->count; r++) {
        const struct ladder_cell *cell = &ladder->cells[r * ladder->columns];
        if (*cell->cause)
            text_addf(out, "%s: %s\n", ladder->rungs->rungs[r].name, cell->cause);
    }
}

void cause_print_basis(struct text *out, const struct ladder *ladder,
                       const struct problem *problem)
{
    bool is_any = false, has_gpu = false;
    char size[DIMS_TEXT_CHARS];
    for (size_t r = 0; r < ladder->rungs->count && ladder->columns == 1; r++) {
        is_any |= has_figures(&ladder->cells[r]);
        has_gpu |= ladder->cells[r].analysis.is_compiled;
    }
    if (is_any || ladder->is_host)
        text_adds(out, "\n");
    if (is_any)
        text_adds(out,
                  "lanes, conflicts, wavefronts for 32 elements: of a block, as the emulator "
                  "sees it\n");
    if (has_gpu)
        text_addf(out,
                  "warps, kB in flight and instructions for an element: computed for %s, %s\n",
                  ladder->gpu, dims_text_format_named(size, &problem->dims));
    if (ladder->is_host)
        text_adds(out, "emulated: no model of a GPU's speed\n");
}
