/* cause: compares a rung's figures with thresholds and writes the first that is over, then
 * behind a semicolon what else is short. */
#include "autotune/ladder/cause.h"

#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"
#include "generator/dims_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Thresholds: atomic operations for each element, wavefronts of shared memory for each load of
 * a warp, wavefronts relative to those without conflicts, active lanes, sectors of a load
 * relative to those of lanes side by side, waves of a grid of which the last one counts, share of
 * the wanted bytes that such a wave may lack, share of the peak from which on the memory is the
 * limit, share of the bandwidth that bytes in flight allow below which they are not the limit. */
static const double ATOMICS_MANY = 0.25, WAVEFRONTS_MANY = 1, CONFLICTS_MANY = 1.25,
                    LANES_FEW = 12, SECTORS_MANY = 1.25, WAVES_FEW = 4, WAVE_FULL = 0.5,
                    NEAR_PEAK = 0.8, FLIGHT_REACHED = 0.6;

/* Of a full block. */
static double elements_of(const struct ladder_cell *cell)
{
    return cell->elements_there > 0 ? cell->elements_there : cell->elements;
}

/* For one load of a warp, 32 elements, on average: of `count` of a tile, `passing` are made for
 * each tile, the others once a block. */
static double per_load(const struct ladder_cell *cell, unsigned count, unsigned passing)
{
    const double elements = elements_of(cell);
    const double once = elements > 0 ? (count - passing) * OCCUPANCY_WARP / elements : 0;
    return passing ? once + passing * OCCUPANCY_WARP / cell->pattern.elements : once;
}

/* Accesses of shared memory. */
static double requests_of(const struct ladder_cell *cell)
{
    return per_load(cell, cell->pattern.requests, cell->pattern.passing_requests);
}

/* Their wavefronts. */
static double wavefronts_of(const struct ladder_cell *cell)
{
    return per_load(cell, cell->pattern.wavefronts, cell->pattern.passing_wavefronts);
}

/* Those of the tree. */
static double tree_wavefronts_of(const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    return per_load(cell, pattern->wavefronts - pattern->passing_wavefronts, 0);
}

/* Bytes in flight on an SM, on average over all, those without a block too. */
static double in_flight_of(const struct analysis *analysis)
{
    const bool is_idle = (double)analysis->grid < analysis->sms;
    return analysis->in_flight * (is_idle ? (double)analysis->grid / analysis->sms : 1);
}

static bool is_short(const struct analysis *analysis)
{
    return analysis->in_flight > 0 && in_flight_of(analysis) < analysis->wanted;
}

/* Do SMs have no block, and the others too little in flight to make up for that? */
static bool is_idle(const struct analysis *analysis)
{
    return (double)analysis->grid < analysis->sms && is_short(analysis);
}

static bool is_scattered(const struct pattern *pattern)
{
    return pattern->sectors > SECTORS_MANY * pattern->sectors_ideal;
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

static void add_sectors(struct text *out, const struct ladder_cell *cell)
{
    text_addf(out, "loads that are not coalesced: %.3g sectors a request where %.3g would do",
              pattern_sectors(&cell->pattern), pattern_sectors_ideal(&cell->pattern));
}

static void add_idle(struct text *out, const struct ladder_cell *cell)
{
    const struct analysis *analysis = &cell->analysis;
    text_addf(out,
              "idle SMs: %u block%s for %d SMs; %.1f kB in flight where there is one, and the "
              "memory wants %.1f to %.1f an SM",
              analysis->grid, analysis->grid == 1 ? "" : "s", analysis->sms,
              analysis->in_flight / 1e3, analysis->wanted_least / 1e3, analysis->wanted / 1e3);
}

static void add_in_flight(struct text *out, const struct ladder_cell *cell)
{
    const struct analysis *analysis = &cell->analysis;
    text_addf(out, "bytes in flight: %.1f kB an SM of the %.1f to %.1f that the memory wants",
              analysis->in_flight / 1e3, analysis->wanted_least / 1e3, analysis->wanted / 1e3);
}

static void add_accesses(struct text *out, const struct ladder_cell *cell)
{
    if (cell->pattern.requests)
        text_addf(out, "; %.2g accesses of shared memory for 32 elements", requests_of(cell));
}

/* For a time that is near the peak. */
static void add_memory(struct text *out, const struct ladder_cell *cell)
{
    const struct analysis *analysis = &cell->analysis;
    text_adds(out, "the memory");
    if (analysis->in_flight > 0 && !is_short(analysis))
        text_addf(out, ": loads ask for %.1f kB an SM at a time, %.1f are enough",
                  analysis->in_flight / 1e3, analysis->wanted / 1e3);
    add_accesses(out, cell);
}

/* For a time that is far from it: no figure here explains that. */
static void add_unknown(struct text *out, const struct ladder_cell *cell)
{
    const struct analysis *analysis = &cell->analysis;
    text_addf(out, "not known: less than %.0f %% of the peak", NEAR_PEAK * 100);
    if (analysis->in_flight > 0)
        text_addf(out, ", though loads ask for %.1f kB an SM at a time and %.1f should do",
                  analysis->in_flight / 1e3, analysis->wanted / 1e3);
    add_accesses(out, cell);
}

/* Where no time can tell. */
static void add_loads(struct text *out, const struct ladder_cell *cell)
{
    const struct analysis *analysis = &cell->analysis;
    text_adds(out, "the loads");
    if (analysis->in_flight > 0)
        text_addf(out, ": they ask for %.1f kB an SM at a time, and %.1f should do",
                  analysis->in_flight / 1e3, analysis->wanted / 1e3);
    add_accesses(out, cell);
}

typedef void add_clause(struct text *out, const struct ladder_cell *cell);

/* Was it timed on a GPU whose peak is known? */
static bool has_share(const struct ladder_cell *cell, const struct ladder *ladder)
{
    return !ladder->is_host && ladder->peak && cell->ps;
}

static bool is_near_peak(const struct ladder_cell *cell, const struct ladder *ladder)
{
    return has_share(cell, ladder) &&
           ladder_gbs(cell) * 1e9 >= NEAR_PEAK * (double)ladder->peak;
}

/* Is the time far longer than its bytes in flight explain, with atomic operations of more than
 * one thread a block? They come one after another then. */
static bool is_queued(const struct ladder_cell *cell, const struct ladder *ladder)
{
    const struct analysis *analysis = &cell->analysis;
    const double allowed = in_flight_of(analysis) / fmax(1, analysis->wanted_least);
    return has_share(cell, ladder) && cell->pattern.atomics_global > 1 && is_short(analysis) &&
           ladder_gbs(cell) * 1e9 < FLIGHT_REACHED * fmin(1, allowed) * (double)ladder->peak;
}

static add_clause *choose_clause(const struct ladder_cell *cell, const struct ladder *ladder)
{
    const struct pattern *pattern = &cell->pattern;
    const unsigned atomics = pattern->atomics_global + pattern->atomics_shared;
    if (is_near_peak(cell, ladder)) /* and hides what else it does */
        return add_memory;
    if (atomics >= ATOMICS_MANY * elements_of(cell))
        return add_atomics;
    if (tree_wavefronts_of(cell) < WAVEFRONTS_MANY)
        return is_scattered(pattern)       ? add_sectors
               : is_idle(&cell->analysis)  ? add_idle
               : is_queued(cell, ladder)   ? add_atomics
               : is_short(&cell->analysis) ? add_in_flight
               : has_share(cell, ladder)   ? add_unknown
                                           : add_loads;
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

static void add_flight(struct text *out, const struct ladder_cell *cell)
{
    const struct analysis *analysis = &cell->analysis;
    if (is_short(analysis))
        text_addf(out, "; %.1f of %.1f kB in flight", in_flight_of(analysis) / 1e3,
                  analysis->wanted / 1e3);
    if (is_idle(analysis))
        text_addf(out, ": %u block%s for %d SMs", analysis->grid,
                  analysis->grid == 1 ? "" : "s", analysis->sms);
}

/* The last wave of a grid of few, where it is too small to keep the memory busy. */
static void add_wave(struct text *out, const struct ladder_cell *cell,
                     const struct ladder *ladder)
{
    const struct analysis *analysis = &cell->analysis;
    const double at_once = (double)analysis->occupancy.blocks * analysis->sms;
    if (at_once <= 0 || analysis->grid <= at_once || is_near_peak(cell, ladder))
        return;
    const double waves = ceil(analysis->grid / at_once);
    const double last = analysis->grid - (waves - 1) * at_once;
    const double bytes = last * analysis->in_flight / analysis->resident / analysis->sms;
    if (waves <= WAVES_FEW && bytes > 0 && bytes < WAVE_FULL * analysis->wanted)
        text_addf(out, "; the last of %.0f waves has %.0f of %u blocks", waves, last,
                  analysis->grid);
}

static void add_scatter(struct text *out, const struct ladder_cell *cell)
{
    if (is_scattered(&cell->pattern))
        text_addf(out, "; %.3g sectors a request of a load where %.3g would do",
                  pattern_sectors(&cell->pattern), pattern_sectors_ideal(&cell->pattern));
}

/* More than the one by which a block adds its result. */
static void add_more_atomics(struct text *out, const struct ladder_cell *cell)
{
    const unsigned global = cell->pattern.atomics_global, shared = cell->pattern.atomics_shared;
    const bool is_global = global >= shared;
    if ((is_global ? global : shared) > 1)
        text_addf(out, "; %u atomic operations a block, all on one word of %s",
                  is_global ? global : shared,
                  is_global ? "global memory" : "its shared memory");
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
    add_clause *clause = choose_clause(cell, ladder);
    clause(&text, cell);
    if (clause != add_sectors)
        add_scatter(&text, cell);
    if (clause != add_in_flight && clause != add_idle)
        add_flight(&text, cell);
    if (clause != add_atomics)
        add_more_atomics(&text, cell);
    add_wave(&text, cell, ladder);
    add_occupancy(&text, cell);
    if (clause == add_tree || clause == add_divergence || clause == add_conflicts ||
        clause == add_unknown)
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
    if (pattern->loads)
        table_addf(table, "%.3g/%.3g", pattern_sectors(pattern),
                   pattern_sectors_ideal(pattern));
    else
        table_add(table, NULL);
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
    static const struct table_column columns[] = {{"rung", NULL, false},
                                                  {"lanes of 32", NULL, true},
                                                  {"conflicts", NULL, true},
                                                  {"wavefronts", NULL, true},
                                                  {"sectors", NULL, true},
                                                  {"warps an SM", NULL, true},
                                                  {"limit", NULL, false},
                                                  {"kB in flight", NULL, true},
                                                  {"instructions", NULL, true}};
    struct table table = {.columns = columns, .column_count = has_gpu ? 9 : 5};
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
    table_show(out, &table, bold_titles);
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
        struct text words = {0};
        if (!*cell->cause)
            continue;
        text_addf(&words, "%s: %s", ladder->rungs->rungs[r].name, cell->cause);
        sentence_fit(out, &words);
    }
}

void cause_print_basis(struct text *out, const struct ladder *ladder,
                       const struct problem *problem)
{
    bool is_any = false, has_gpu = false;
    char size[DIMS_TEXT_CHARS];
    struct text words = {0};
    for (size_t r = 0; r < ladder->rungs->count && ladder->columns == 1; r++) {
        is_any |= has_figures(&ladder->cells[r]);
        has_gpu |= ladder->cells[r].analysis.is_compiled;
    }
    if (is_any || ladder->is_host)
        text_adds(out, "\n");
    if (is_any) {
        text_adds(
            &words,
            "of a block, as the emulator sees it: active lanes of 32, bank conflicts, "
            "wavefronts for 32 elements, sectors that a load's request takes / has to take");
        sentence_fit(out, &words);
    }
    if (has_gpu)
        text_addf(out,
                  "warps, kB in flight and instructions for an element: computed for %s, %s\n",
                  ladder->gpu, dims_text_format_named(size, &problem->dims));
    if (ladder->is_host)
        text_adds(out, "emulated: no model of a GPU's speed\n");
}
