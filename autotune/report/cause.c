/* cause: a headline, its figures, and behind a semicolon what else is short. Hides from where on
 * a figure is a cause. */
#include "autotune/report/cause.h"

#include <stdio.h>
#include <string.h>

/* From where on: an atomic operation for so many elements, so many wavefronts of shared memory
 * beside one load of a warp, so many more of them than without conflicts, so few lanes. */
static const double ATOMICS_MANY = 0.25, WAVEFRONTS_MANY = 1, CONFLICTS_MANY = 1.25,
                    LANES_FEW = 12;

static double per_load(const struct ladder_cell *cell, double count)
{
    return cell->elements > 0 ? count * OCCUPANCY_WARP / cell->elements : 0;
}

double cause_requests(const struct ladder_cell *cell)
{
    return per_load(cell, cell->pattern.requests);
}

double cause_wavefronts(const struct ladder_cell *cell)
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
    text_addf(out, "atomic operations: %u for the %.0f elements of a block, all on one word of %s",
              count, cell->elements, is_global ? "global memory" : "its shared memory");
}

static void add_divergence(struct text *out, const struct ladder_cell *cell)
{
    text_addf(out,
              "divergence: %.1f of 32 lanes are active in an access of shared memory, and "
              "there are %.1f accesses for 32 elements",
              pattern_lanes(&cell->pattern), cause_requests(cell));
}

static void add_conflicts(struct text *out, const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    text_addf(out,
              "bank conflicts, up to %u-way: %u wavefronts a block where %u would do, %.1f for "
              "32 elements",
              pattern->ways, pattern->wavefronts, pattern->ideal, cause_wavefronts(cell));
}

static void add_tree(struct text *out, const struct ladder_cell *cell)
{
    text_addf(out,
              "the tree for few elements: %.1f accesses of shared memory for 32 elements, "
              "without conflicts, %.1f of 32 lanes active",
              cause_requests(cell), pattern_lanes(&cell->pattern));
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
        text_addf(out, "the memory: %.1f kB an SM in flight, %.1f are wanted",
                  analysis->in_flight / 1e3, analysis->wanted / 1e3);
    else
        text_adds(out, "the loads");
    text_addf(out, "; %.2g accesses of shared memory for 32 elements", cause_requests(cell));
}

typedef void add_clause(struct text *out, const struct ladder_cell *cell);

static add_clause *choose_clause(const struct ladder_cell *cell)
{
    const struct pattern *pattern = &cell->pattern;
    const unsigned atomics = pattern->atomics_global + pattern->atomics_shared;
    if (atomics >= ATOMICS_MANY * cell->elements)
        return add_atomics;
    if (cause_wavefronts(cell) < WAVEFRONTS_MANY)
        return is_short(&cell->analysis) ? add_in_flight : add_memory;
    if (pattern_lanes(pattern) < LANES_FEW)
        return add_divergence;
    if (pattern->wavefronts > CONFLICTS_MANY * pattern->ideal)
        return add_conflicts;
    return add_tree;
}

/* --- What else is short ------------------------------------------------------------------- */

static void add_occupancy(struct text *out, const struct ladder_cell *cell)
{
    const struct occupancy *occupancy = &cell->analysis.occupancy;
    if (cell->analysis.is_compiled && occupancy_is_limited(occupancy))
        text_addf(out, "; an SM holds %d warps, %.0f %% of its most, for want of %s",
                  occupancy->warps, occupancy->share * 100,
                  occupancy->limiter == OCCUPANCY_SHARED ? "shared memory"
                                                         : occupancy_names[occupancy->limiter]);
}

/* How long a block takes an SM, of the time that was measured on a GPU. */
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
    if (!cell->pattern.is_known)
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
