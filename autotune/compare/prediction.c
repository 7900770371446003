/* prediction: sets bounds, withholds those that latencies, caches and journals leave without a
 * meaning, and makes ranges of the rest. */
#include "autotune/compare/prediction.h"

#include "autotune/print/figures.h"

#include <math.h>
#include <string.h>

/* Fewer candidates can be in rank order by chance. */
enum { CANDIDATES_MIN = 4 };
/* Of the normal distribution, one-sided at 5 %. */
static const double Z_ONE_SIDED = 1.645;
/* The least share of a known time: a prediction below it has left out the deciding limit. */
static const double LEAST_SHARE = 2.0 / 3;

/* --- Latency ------------------------------------------------------------------------------ */

/* Bytes that must come from memory: all but those of a warm input that fit the L2 cache. */
static double memory_bytes(const struct compare_side *side, const struct problem *problem)
{
    const double bytes = figures_bytes(problem);
    return problem->regime == WARM ? fmax(0, bytes - (double)side->l2_bytes) : bytes;
}

bool prediction_is_latency(const struct compare_side *side, const struct problem *problem)
{
    return figures_bytes(problem) <= analysis_latency_s * (double)side->peak_bytes;
}

static void gather_latencies(struct prediction *out, const struct compare *compare)
{
    const uint64_t *own = compare->lines[out->first].latency_ps;
    size_t best = compare->side_count;
    for (size_t s = 0; s < compare->side_count; s++)
        if (own[s] && (best == compare->side_count || own[s] < own[best]))
            best = s;
    for (size_t s = 0; s < compare->side_count; s++) {
        const size_t of = own[s] ? s : best;
        out->latency_of[s] = of;
        out->latency_s[s] =
            of < compare->side_count ? (double)own[of] / 1e12 : analysis_latency_s;
    }
}

uint64_t prediction_least_n(const struct prediction *prediction, const struct compare *compare,
                            size_t side)
{
    const struct problem *problem = &compare->lines[prediction->first].problem;
    return (uint64_t)ceil(prediction->latency_s[side] *
                          (double)compare->sides[side].peak_bytes /
                          problem_types[problem->type].bytes);
}

/* --- Evidence ----------------------------------------------------------------------------- */

double prediction_rank(const struct compare_evidence *evidence)
{
    return evidence->has_code ? evidence->code : evidence->bound;
}

static bool is_ranked(const struct compare_evidence *evidence)
{
    return prediction_rank(evidence) * sqrt((double)evidence->count - 1) > Z_ONE_SIDED;
}

/* Skips sizes for which the journal has too few candidates. */
static uint64_t ranks_from(const struct compare *compare, const struct prediction *group,
                           size_t side)
{
    uint64_t from = 0;
    for (size_t l = group->end; l > group->first; l--) {
        const struct compare_line *line = &compare->lines[l - 1];
        const struct compare_evidence *evidence = &line->cells[side].evidence;
        if (evidence->count < CANDIDATES_MIN)
            continue;
        if (!is_ranked(evidence))
            return from ? from : UINT64_MAX;
        from = dims_n(&line->problem.dims);
    }
    return from;
}

void prediction_gather(struct prediction *out, const struct compare *compare, size_t first)
{
    *out = (struct prediction){.first = first, .end = compare_group_end(compare, first)};
    gather_latencies(out, compare);
    for (size_t s = 0; s < compare->side_count; s++) {
        const uint64_t from = ranks_from(compare, out, s);
        out->ranks_from = from > out->ranks_from ? from : out->ranks_from;
    }
}

/* --- Times -------------------------------------------------------------------------------- */

enum compare_why prediction_why(const struct prediction *prediction,
                                const struct compare *compare, const struct compare_line *line,
                                size_t s)
{
    const struct compare_side *side = &compare->sides[s];
    const double bytes = memory_bytes(side, &line->problem);
    const double at_once = prediction->latency_s[s] * (double)side->peak_bytes;
    if (figures_bytes(&line->problem) < at_once)
        return COMPARE_LATENCY;
    if (line->problem.regime == WARM && bytes < (double)side->l2_bytes)
        return COMPARE_CACHE;
    return dims_n(&line->problem.dims) < prediction->ranks_from ? COMPARE_RANKS : COMPARE_SAID;
}

static double least_ps(const struct compare_cell *cell, const struct compare_side *side,
                       const struct problem *problem)
{
    return 1e12 * (analysis_latency_s + memory_bytes(side, problem) /
                                            (cell->analysis.bound * (double)side->peak_bytes));
}

static void predict(struct compare_cell *cell, const struct prediction *prediction,
                    const struct compare *compare, const struct compare_line *line, size_t s)
{
    const struct compare_side *side = &compare->sides[s];
    if (cell->analysis.bound <= 0)
        return;
    const enum compare_why why = prediction_why(prediction, compare, line, s);
    if (why == COMPARE_SAID)
        cell->bound_ps = (uint64_t)least_ps(cell, side, &line->problem);
    if (cell->basis != COMPARE_BOUND)
        return;
    cell->why = why;
    cell->basis = why == COMPARE_SAID ? COMPARE_BOUND : COMPARE_WITHHELD;
    cell->ps = cell->bound_ps;
    cell->gbs = figures_gbs(&line->problem, cell->ps);
    cell->peak_pct =
        cell->ps ? figures_peak_percent(&line->problem, cell->ps, side->peak_bytes) : -1;
}

/* Has it a known time and a bound of its own, which is not just the peak? */
static bool is_checked(const struct compare_cell *cell)
{
    return (cell->basis == COMPARE_MEASURED || cell->basis == COMPARE_PUBLISHED) && cell->ps &&
           cell->analysis.is_compiled && cell->analysis.bound > 0;
}

double prediction_share(const struct compare_cell *cell)
{
    return is_checked(cell) ? (double)cell->bound_ps / (double)cell->ps : 0;
}

bool prediction_is_far(const struct compare_cell *cell)
{
    const double share = prediction_share(cell);
    return share > 0 && share < LEAST_SHARE;
}

/* Is the kernel's bound far below its time on the GPU where it ran, also where latency decides
 * there? */
static bool is_refuted(const struct prediction *prediction, const struct compare *compare,
                       const struct compare_line *line, const char *winner)
{
    for (size_t s = 0; s < compare->side_count; s++) {
        const struct compare_cell *cell = &line->cells[s];
        const enum compare_why why = prediction_why(prediction, compare, line, s);
        if (is_checked(cell) && (why == COMPARE_SAID || why == COMPARE_LATENCY) &&
            strcmp(cell->winner, winner) == 0 &&
            least_ps(cell, &compare->sides[s], &line->problem) < LEAST_SHARE * (double)cell->ps)
            return true;
    }
    return false;
}

/* Called after all cells of the line have their bounds. */
static void withhold_refuted(const struct prediction *prediction, const struct compare *compare,
                             struct compare_line *line)
{
    for (size_t s = 0; s < compare->side_count; s++) {
        struct compare_cell *cell = &line->cells[s];
        if (cell->basis != COMPARE_BOUND ||
            !is_refuted(prediction, compare, line, cell->winner))
            continue;
        cell->basis = COMPARE_WITHHELD;
        cell->why = COMPARE_ACCURACY;
        cell->ps = cell->bound_ps = 0;
        cell->gbs = 0;
        cell->peak_pct = -1;
    }
}

/* --- Ranges ------------------------------------------------------------------------------- */

struct prediction_range prediction_evidence(const struct compare *compare, size_t first,
                                            size_t end)
{
    struct prediction_range range = {.gpus = 0};
    for (size_t s = 0; s < compare->side_count; s++) {
        bool is_any = false;
        for (size_t l = first; l < end; l++) {
            const double share = prediction_share(&compare->lines[l].cells[s]);
            if (share <= 0)
                continue;
            range.low = range.low > 0 ? fmin(range.low, share) : share;
            range.high = fmax(range.high, share);
            is_any = true;
        }
        range.gpus += is_any;
    }
    return range;
}

/* A bound becomes a prediction where enough GPUs have ratios of bound to time. */
static void set_range(struct compare_cell *cell, const struct prediction_range *range,
                      const struct compare_line *line, const struct compare_side *side)
{
    if (cell->basis != COMPARE_BOUND || range->gpus < PREDICTION_GPUS_MIN)
        return;
    const double bound = (double)cell->bound_ps;
    cell->basis = COMPARE_PREDICTED;
    cell->low_ps = (uint64_t)(bound / range->high);
    cell->high_ps = (uint64_t)(bound / range->low);
    cell->ps = (uint64_t)(bound / sqrt(range->low * range->high));
    cell->gbs = figures_gbs(&line->problem, cell->ps);
    cell->peak_pct = figures_peak_percent(&line->problem, cell->ps, side->peak_bytes);
}

void prediction_run(struct compare *compare)
{
    struct prediction prediction;
    for (size_t first = 0; first < compare->line_count; first = prediction.end) {
        prediction_gather(&prediction, compare, first);
        for (size_t l = first; l < prediction.end; l++) {
            struct compare_line *line = &compare->lines[l];
            for (size_t s = 0; s < compare->side_count; s++)
                predict(&line->cells[s], &prediction, compare, line, s);
            withhold_refuted(&prediction, compare, line);
        }
        const struct prediction_range range =
            prediction_evidence(compare, first, prediction.end);
        for (size_t l = first; l < prediction.end; l++)
            for (size_t s = 0; s < compare->side_count; s++)
                set_range(&compare->lines[l].cells[s], &range, &compare->lines[l],
                          &compare->sides[s]);
    }
}
