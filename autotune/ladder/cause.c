/* cause: computes how long each unit of a GPU is busy with a rung, and writes which one is the longest,
 * then behind a semicolon what else is short. Without machine code it compares a rung's figures with
 * thresholds. */
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
 * limit, share of the bandwidth that bytes in flight allow below which they are not the limit,
 * share of the time for which a unit has to be busy to be the limit, share of the longest from
 * which on units count as alike, share of a unit that is named beside the limit. */
static const double ATOMICS_MANY = 0.25, WAVEFRONTS_MANY = 1, CONFLICTS_MANY = 1.25,
                    LANES_FEW = 12, SECTORS_MANY = 1.25, WAVES_FEW = 4, WAVE_FULL = 0.5,
                    NEAR_PEAK = 0.8, FLIGHT_REACHED = 0.6, UNIT_BUSY = 0.6, ALIKE = 0.9,
                    ALSO_BUSY = 0.8;

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

/* Atomic operations that the GPU gets: compilers add a warp's integers first, by REDUX. */
static unsigned issued_atomics(const struct ladder_cell *cell, unsigned count)
{
    const unsigned warps = (cell->threads + OCCUPANCY_WARP - 1) / OCCUPANCY_WARP;
    const bool is_joined = cell->analysis.issue.joined > 0 && count > warps && warps;
    return is_joined ? count / OCCUPANCY_WARP : count;
}

static unsigned most_atomics(const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    return pattern->atomics_global >= pattern->atomics_shared ? pattern->atomics_global
                                                              : pattern->atomics_shared;
}

static void add_atomics(struct text *out, const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    const bool is_global = pattern->atomics_global >= pattern->atomics_shared;
    const unsigned count = most_atomics(cell), issued = issued_atomics(cell, count);
    text_addf(out,
              "atomic operations: %u for the %.0f elements of a block, all on one word of %s",
              issued, elements_of(cell), is_global ? "global memory" : "its shared memory");
    if (issued < count)
        text_adds(out, "; each adds what a warp's REDUX has added first");
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
        "the tree, which combines few elements: %.1f accesses of shared memory for 32 elements, %.1f of "
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

/* --- Units --------------------------------------------------------------------------------- */

static double block_count(const struct ladder_cell *cell)
{
    return cell->analysis.grid;
}

static bool is_timed(const struct ladder_cell *cell, const struct ladder *ladder)
{
    return cell->ps && !ladder->is_host;
}

static double bytes_of(const struct ladder_cell *cell, const struct ladder *ladder)
{
    return cell->ps && !ladder->is_host ? cell->bytes
                                        : block_count(cell) * cell->analysis.elements *
                                              problem_types[ladder->problem->type].bytes;
}

/* Seconds of all SMs that have a block, for so many cycles of each block. */
static double seconds_of_cycles(const struct ladder_cell *cell, const struct ladder *ladder,
                                double cycles)
{
    const double sms = fmin(block_count(cell), cell->analysis.sms);
    const double per_second = sms * ladder->machine.clock_khz * 1e3;
    return per_second > 0 ? cycles * block_count(cell) / per_second : 0;
}

/* Is it known what its blocks issue? Not of PTX, which is not what runs. */
static bool has_code(const struct ladder_cell *cell)
{
    return cell->analysis.issue.instructions > 0 && !cell->analysis.mix.is_ptx;
}

/* Wavefronts that bank conflicts cost come on top of what the pipe takes anyway. */
static double shared_seconds(const struct ladder_cell *cell, const struct ladder *ladder)
{
    const struct pattern *pattern = &cell->pattern;
    const double conflicts = (double)pattern->wavefronts - pattern->requests;
    const double cycles = cell->analysis.issue.memory + fmax(0, conflicts);
    return has_code(cell) ? seconds_of_cycles(cell, ladder, cycles) : 0;
}

static double issue_seconds(const struct ladder_cell *cell, const struct ladder *ladder)
{
    const double cycles = cell->analysis.issue.instructions / ANALYSIS_ISSUED_PER_CYCLE;
    return has_code(cell) ? seconds_of_cycles(cell, ladder, cycles) : 0;
}

static double flight_seconds(const struct ladder_cell *cell, const struct ladder *ladder)
{
    const double peak = (double)ladder->machine.peak_bytes;
    const double share = in_flight_of(&cell->analysis) / fmax(1, cell->analysis.wanted);
    return peak > 0 && share > 0 && share < 1 ? bytes_of(cell, ladder) / (peak * share) : 0;
}

static double start_seconds(const struct ladder_cell *cell, const struct ladder *ladder)
{
    return ladder->machine.blocks > 0 ? block_count(cell) / ladder->machine.blocks : 0;
}

static double memory_seconds(const struct ladder_cell *cell, const struct ladder *ladder)
{
    const double peak = (double)ladder->machine.peak_bytes;
    return peak > 0 ? bytes_of(cell, ladder) / peak : 0;
}

static bool is_conflicting(const struct pattern *pattern)
{
    return pattern->wavefronts > CONFLICTS_MANY * pattern->ideal;
}

static void add_shared(struct text *out, const struct ladder_cell *cell)
{
    if (is_conflicting(&cell->pattern))
        add_conflicts(out, cell);
    else
        text_addf(out, "shared memory: %.1f accesses for 32 elements", requests_of(cell));
}

static void add_issue(struct text *out, const struct ladder_cell *cell)
{
    const struct sass_issue *issue = &cell->analysis.issue;
    const double loads = fmax(1, cell->analysis.elements / OCCUPANCY_WARP);
    text_addf(out, "instructions: a warp issues %.3g for 32 elements",
              issue->instructions / loads);
    if (issue->in_tree > issue->instructions / 2)
        text_addf(out, ", %.3g of them in the tree", issue->in_tree / loads);
    if (issue->divisions > 0)
        text_adds(out, ", which divides in each step for its % (I2F, MUFU.RCP, F2I)");
}

static void add_start(struct text *out, const struct ladder_cell *cell)
{
    text_addf(out, "the rate of blocks: it starts %.0f, each for %.0f elements",
              block_count(cell), elements_of(cell));
}

static void add_memory_bound(struct text *out, const struct ladder_cell *cell)
{
    add_loads(out, cell);
}

/* A unit, how long it is busy, and how that is said. Of those that are busy for about as long the first
 * is named: what the kernel does itself stands before what comes with its grid. */
static const struct unit {
    const char *name;
    double (*seconds)(const struct ladder_cell *cell, const struct ladder *ladder);
    void (*add)(struct text *out, const struct ladder_cell *cell);
    bool is_beside; /* may be named beside another */
} units[] = {
    {"shared memory", shared_seconds, add_shared, true},
    {"the issue of instructions", issue_seconds, add_issue, true},
    {"bytes in flight", flight_seconds, add_in_flight, false},
    {"the start of blocks", start_seconds, add_start, true},
    {"the memory", memory_seconds, add_memory_bound, false},
};
enum { UNITS = sizeof units / sizeof *units };

/* Without a time the longest unit is told only where all are known. */
static bool has_units(const struct ladder_cell *cell, const struct ladder *ladder)
{
    return cell->pattern.is_known && ladder->machine.clock_khz > 0 && cell->analysis.grid > 0 &&
           (has_code(cell) || is_timed(cell, ladder));
}

/* The share of the measured time; of a GPU that is not here, of the longest unit's. */
static double unit_share(const struct unit *unit, const struct ladder_cell *cell,
                         const struct ladder *ladder)
{
    double all = is_timed(cell, ladder) ? (double)cell->ps / 1e12 : 0;
    for (size_t i = 0; i < UNITS && !is_timed(cell, ladder); i++)
        all = fmax(all, units[i].seconds(cell, ladder));
    return all > 0 ? unit->seconds(cell, ladder) / all : 0;
}

/* The unit that limits a rung; NULL = none is busy enough to be it. */
static const struct unit *find_unit(const struct ladder_cell *cell, const struct ladder *ladder)
{
    double most = 0;
    for (size_t i = 0; i < UNITS; i++)
        most = fmax(most, unit_share(&units[i], cell, ladder));
    for (size_t i = 0; i < UNITS && most >= UNIT_BUSY; i++)
        if (unit_share(&units[i], cell, ladder) >= ALIKE * most)
            return &units[i];
    return NULL;
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

static bool is_atomic(const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    return pattern->atomics_global + pattern->atomics_shared >=
           ATOMICS_MANY * elements_of(cell);
}

/* By what accesses of shared memory are like, where no unit is told. */
static add_clause *choose_by_pattern(const struct ladder_cell *cell,
                                     const struct ladder *ladder)
{
    if (tree_wavefronts_of(cell) < WAVEFRONTS_MANY)
        return is_short(&cell->analysis) ? add_in_flight
               : has_share(cell, ladder) ? add_unknown
                                         : add_loads;
    if (pattern_lanes(&cell->pattern) < LANES_FEW)
        return add_divergence;
    if (is_conflicting(&cell->pattern))
        return add_conflicts;
    return start_seconds(cell, ladder) >
                   fmax(flight_seconds(cell, ladder), memory_seconds(cell, ladder))
               ? add_start
               : add_tree;
}

static add_clause *choose_clause(const struct ladder_cell *cell, const struct ladder *ladder)
{
    const bool is_tree = tree_wavefronts_of(cell) >= WAVEFRONTS_MANY;
    if (is_near_peak(cell, ladder)) /* and hides what else it does */
        return add_memory;
    if (is_atomic(cell))
        return add_atomics;
    if (!is_tree && is_scattered(&cell->pattern))
        return add_sectors;
    if (!is_tree && is_idle(&cell->analysis))
        return add_idle;
    if (!is_tree && is_queued(cell, ladder))
        return add_atomics;
    const struct unit *unit = has_units(cell, ladder) ? find_unit(cell, ladder) : NULL;
    return unit ? unit->add : choose_by_pattern(cell, ladder);
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
    const bool is_global = cell->pattern.atomics_global >= cell->pattern.atomics_shared;
    const unsigned issued = issued_atomics(cell, most_atomics(cell));
    if (issued > 1)
        text_addf(out, "; %u atomic operations a block, all on one word of %s", issued,
                  is_global ? "global memory" : "its shared memory");
}

/* How busy the limit is, and what else is. */
static void add_shares(struct text *out, const struct ladder_cell *cell,
                       const struct ladder *ladder, add_clause *clause)
{
    for (size_t i = 0; i < UNITS && is_timed(cell, ladder); i++)
        if (units[i].add == clause && units[i].is_beside)
            text_addf(out, "; that takes %.0f %% of the time",
                      fmin(100, unit_share(&units[i], cell, ladder) * 100));
    for (size_t i = 0; i < UNITS; i++) {
        const double percent = fmin(100, unit_share(&units[i], cell, ladder) * 100);
        if (units[i].add != clause && units[i].is_beside && percent >= ALSO_BUSY * 100)
            text_addf(out, "; %s takes %.0f %%%s", units[i].name, percent,
                      is_timed(cell, ladder) ? "" : " as long");
    }
}

/* What its accesses are like, where another unit is the limit. */
static void add_accesses_beside(struct text *out, const struct ladder_cell *cell,
                                add_clause *clause)
{
    if (clause != add_issue && clause != add_start)
        return;
    if (pattern_lanes(&cell->pattern) > 0 && pattern_lanes(&cell->pattern) < LANES_FEW) {
        text_adds(out, "; ");
        add_divergence(out, cell);
    } else if (is_conflicting(&cell->pattern)) {
        text_adds(out, "; ");
        add_conflicts(out, cell);
    }
}

/* How long a block takes, from the time measured on a GPU. */
static void add_block(struct text *out, const struct ladder_cell *cell,
                      const struct ladder *ladder)
{
    if (!cell->ps || !ladder->sms || ladder->is_host)
        return;
    text_addf(out, "; an SM takes %.0f ns a block",
              (double)cell->ps * ladder->sms / cell->grid / 1000);
    if (ladder_block_ps(cell) > 0)
        text_addf(out, ", %.0f at once, so each lives %.2f us", cell->analysis.resident,
                  ladder_block_ps(cell) / 1e6);
}

void cause_find(struct ladder_cell *cell, const struct ladder *ladder)
{
    struct text text = {0};
    cell->cause[0] = '\0';
    if (!cell->pattern.is_known && !is_short(&cell->analysis))
        return;
    add_clause *clause = choose_clause(cell, ladder);
    clause(&text, cell);
    if (has_units(cell, ladder))
        add_shares(&text, cell, ladder, clause);
    add_accesses_beside(&text, cell, clause);
    if (clause != add_sectors)
        add_scatter(&text, cell);
    if (clause != add_in_flight && clause != add_idle)
        add_flight(&text, cell);
    if (clause != add_atomics)
        add_more_atomics(&text, cell);
    add_wave(&text, cell, ladder);
    add_occupancy(&text, cell);
    if (clause != add_memory && clause != add_in_flight && clause != add_idle &&
        clause != add_sectors && clause != add_atomics && clause != add_loads)
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
    const double issued = analysis_issued(analysis);
    add_figure(table, issued > 0, issued, 1, analysis->mix.is_ptx ? " PTX" : " SASS");
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
