/* compare: writes the comparison's table for programs. */
#include "autotune/compare/compare.h"

#include "autotune/compare/compare_portability.h"
#include "autotune/print/figures.h"
#include "generator/number.h"

#include <inttypes.h>
#include <string.h>

const char *const compare_bases[] = {
    [COMPARE_NOTHING] = "unknown",     [COMPARE_WITHHELD] = "withheld",
    [COMPARE_BOUND] = "at most",       [COMPARE_PREDICTED] = "predicted",
    [COMPARE_PUBLISHED] = "published", [COMPARE_EMULATED] = "emulated",
    [COMPARE_MEASURED] = "measured",
};

const char *const compare_whys[] = {
    [COMPARE_SAID] = NULL,     [COMPARE_LATENCY] = "latency",   [COMPARE_CACHE] = "cache",
    [COMPARE_RANKS] = "ranks", [COMPARE_ACCURACY] = "accuracy",
};

static const struct table_column columns[] = {
    {"operation", "op", false},
    {"type", "type", false},
    {NULL, "acc", false},
    {NULL, "order", false},
    {"n", "n", true},
    {"row", "row", true},
    {"regime", "regime", false},
    {"GPU", "gpu", false},
    {"which is", "basis", false},
    {NULL, "us", true},
    {"time", "time", true}, /* with the digits that a document has */
    {NULL, "gbs", true},
    {NULL, "peak_pct", true},
    {"GB/s", NULL, true},
    {"% of peak", NULL, true},
    {NULL, "low_us", true},
    {NULL, "high_us", true},
    {NULL, "bound_us", true},
    {"bound us", NULL, true},
    {NULL, "computed", false},
    {NULL, "withheld_by", false},
    {"occupancy %", "occupancy_pct", true},
    {"limited by", "occupancy_limiter", false},
    {NULL, "blocks_per_sm", true},
    {"registers", "registers", true},
    {"shared B", "shared_bytes", true},
    {NULL, "local_bytes", true},
    {"KiB in flight", "in_flight_kib", true},
    {"KiB wanted", "wanted_kib", true},
    {"instructions / element", "instructions_per_element", true},
    {"counted in", "instructions_from", false},
    {"bound, % of peak", "bound_pct", true},
    {"bound by", "bound_by", false},
    {NULL, "loss_pct", true},
    {NULL, "ranked_candidates", true},
    {NULL, "bound_rank", true},
    {NULL, "prior_rank", true},
    {NULL, "code_rank", true},
    {NULL, "above_bound", true},
    {NULL, "portability_pct", true},
    {NULL, "portability_basis", false},
    {NULL, "source", false},
    {NULL, "not_analysed", false},
    {NULL, "changed", false},
    {NULL, "winner", false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

size_t compare_group_end(const struct compare *compare, size_t first)
{
    const struct compare_line *a = &compare->lines[first];
    size_t end = first + 1;
    for (; end < compare->line_count; end++) {
        const struct compare_line *b = &compare->lines[end];
        if (a->problem.op != b->problem.op || a->problem.type != b->problem.type ||
            a->problem.acc != b->problem.acc || a->problem.regime != b->problem.regime ||
            a->problem.order != b->problem.order || !a->row != !b->row ||
            a->is_document != b->is_document)
            break;
    }
    return end;
}

/* Percent of the peak from which on a bound tells nothing. */
static const double FREE = 99;

bool compare_is_free(const struct compare_cell *cell)
{
    return cell->basis == COMPARE_BOUND && cell->peak_pct >= FREE;
}

const char *compare_basis_word(const struct compare_cell *cell)
{
    return compare_is_free(cell) ? "no bound" : compare_bases[cell->basis];
}

bool compare_has_winner(const struct compare_cell *cell)
{
    return cell->basis > COMPARE_PREDICTED;
}

const char *compare_limiter(const struct analysis *analysis)
{
    return analysis->is_compiled ? analysis_limiters[analysis->limiter] : "the peak alone";
}

/* --- The table ---------------------------------------------------------------------------- */

static void add_problem(struct table *table, const struct compare_line *line)
{
    const struct problem *problem = &line->problem;
    table_add(table, problem->op->name);
    table_add(table, problem_types[problem->type].name);
    table_add(table, problem_types[problem->acc].name);
    table_add(table, problem_orders[problem->order].name);
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
    if (line->row)
        table_addf(table, "%" PRIu64, line->row);
    else
        table_add(table, NULL);
    table_add(table, line->is_document ? NULL : problem_regimes[problem->regime]);
}

static void add_analysis(struct table *table, const struct analysis *analysis)
{
    const bool is_known = analysis->is_compiled;
    const bool has_mix = analysis->mix.total > 0;
    const bool has_bound = analysis->bound > 0;
    table_add_number(table, is_known, 1, analysis->occupancy.share * 100);
    table_add(table, !is_known ? NULL
                     : occupancy_is_limited(&analysis->occupancy)
                         ? occupancy_names[analysis->occupancy.limiter]
                         : "none");
    table_add_number(table, is_known, 0, analysis->occupancy.blocks);
    table_add_number(table, is_known, 0, analysis->needs.registers);
    table_add_number(table, is_known, 0,
                     (double)(analysis->needs.shared_bytes + analysis->dynamic_bytes));
    table_add_number(table, is_known, 0, (double)analysis->needs.local_bytes);
    table_add_number(table, has_bound && is_known, 1, analysis->in_flight / 1024);
    table_add_number(table, has_bound && is_known, 1, analysis->wanted / 1024);
    table_add_number(table, has_mix && analysis->per_element > 0, 2, analysis->per_element);
    table_add(table, !has_mix ? NULL : analysis->mix.is_ptx ? "PTX" : "SASS");
    table_add_number(table, has_bound && is_known, 1, analysis->bound * 100);
    table_add(table, has_bound ? compare_limiter(analysis) : NULL);
}

/* Names the figures that are in no document, but computed from its GB/s or else from its time. */
static const char *computed_of(const struct compare_cell *cell)
{
    static const char *const names[2][2] = {{"gbs peak_pct", "gbs"}, {"peak_pct", NULL}};
    const struct compare_published *const published = &cell->published;
    return cell->basis == COMPARE_PUBLISHED
               ? names[published->gbs.is_own][published->share.is_own]
               : NULL;
}

/* For people in parentheses, where no document has it. */
static void add_value(struct table *table, const struct published_value *value, bool is_shown)
{
    char number[NUMBER_CHARS];
    if (value->value > 0)
        table_addf(table, is_shown && !value->is_own ? "(%s)" : "%s",
                   figures_short(number, value->value, value->digits));
    else
        table_add(table, NULL);
}

/* With the document's digits. */
static void add_published(struct table *table, const struct compare_published *published)
{
    table_add(table, published->us[0] ? published->us : NULL);
    table_add(table, published->time[0] ? published->time : NULL);
    for (int is_shown = 0; is_shown < 2; is_shown++) {
        add_value(table, &published->gbs, is_shown);
        add_value(table, &published->share, is_shown);
    }
}

void compare_add_bound(struct table *table, double bound, bool is_most)
{
    char number[NUMBER_CHARS];
    table_add(table, bound > 0 ? figures_bound(number, bound, is_most) : NULL);
}

void compare_add_speed(struct table *table, const struct compare_cell *cell)
{
    char speed[NUMBER_CHARS];
    if (cell->basis == COMPARE_BOUND) {
        compare_add_bound(table, compare_is_free(cell) ? 0 : cell->gbs, true);
        compare_add_bound(table, compare_is_free(cell) ? 0 : cell->peak_pct, true);
        return;
    }
    table_add(table, cell->gbs > 0 ? figures_speed(speed, cell->gbs) : NULL);
    table_add_number(table, cell->peak_pct >= 0, 1, cell->peak_pct);
}

static void add_figures(struct table *table, const struct compare_cell *cell)
{
    const bool has_time = cell->ps && cell->basis > COMPARE_PREDICTED;
    char us[NUMBER_CHARS] = "", speed[NUMBER_CHARS];
    table_add(table, has_time ? figures_us(us, cell->ps) : NULL);
    if (has_time)
        table_addf(table, "%s us", us);
    else
        table_add(table, NULL);
    const bool is_shown = !compare_is_free(cell);
    table_add(table, is_shown && cell->gbs > 0 ? figures_speed(speed, cell->gbs) : NULL);
    table_add_number(table, is_shown && cell->peak_pct >= 0, 1, cell->peak_pct);
    compare_add_speed(table, cell);
}

static void add_cell(struct table *table, const struct compare *compare,
                     const struct compare_line *line, size_t side)
{
    const struct compare_cell *cell = &line->cells[side];
    enum compare_basis basis;
    const double portability = compare_portability(compare, line, &basis);
    char us[NUMBER_CHARS];
    table_add(table, compare->sides[side].name);
    table_add(table, compare_basis_word(cell));
    if (cell->basis == COMPARE_PUBLISHED)
        add_published(table, &cell->published);
    else
        add_figures(table, cell);
    table_add(table, cell->low_ps ? figures_us(us, cell->low_ps) : NULL);
    table_add(table, cell->high_ps ? figures_us(us, cell->high_ps) : NULL);
    table_add(table, cell->bound_ps ? figures_us(us, cell->bound_ps) : NULL);
    compare_add_bound(table, (double)cell->bound_ps / 1e6, false);
    table_add(table, computed_of(cell));
    table_add(table, compare_whys[cell->why]);
    add_analysis(table, &cell->analysis);
    table_add_number(table, cell->has_loss, 1, cell->loss_pct);
    table_add_number(table, cell->evidence.count > 0, 0, (double)cell->evidence.count);
    table_add_number(table, cell->evidence.count > 0, 2, cell->evidence.bound);
    table_add_number(table, cell->evidence.count > 0, 2, cell->evidence.prior);
    table_add_number(table, cell->evidence.has_code, 2, cell->evidence.code);
    table_add_number(table, cell->evidence.count > 0, 0, (double)cell->evidence.above);
    table_add_number(table, portability >= 0, 1, portability);
    table_add(table, portability >= 0 ? compare_bases[basis] : NULL);
    table_add(table, cell->source[0] ? cell->source : NULL);
    table_add(table, cell->analysis.why[0] ? cell->analysis.why : NULL);
    table_add(table, cell->changed[0] ? cell->changed : NULL);
    table_add(table, cell->winner[0] ? cell->winner : NULL);
}

void compare_table(struct table *out, const struct compare *compare)
{
    *out = (struct table){.columns = columns, .column_count = COLUMNS};
    for (size_t l = 0; l < compare->line_count; l++)
        for (size_t s = 0; s < compare->side_count; s++) {
            add_problem(out, &compare->lines[l]);
            add_cell(out, compare, &compare->lines[l], s);
        }
}
