/* compare: writes the comparison's table for programs. */
#include "autotune/compare/compare.h"

#include "autotune/compare/compare_portability.h"
#include "autotune/compare/measured_figure.h"
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

size_t compare_group_end(const struct compare *compare, size_t first)
{
    const struct compare_line *a = &compare->lines[first];
    size_t end = first + 1;
    for (; end < compare->line_count; end++) {
        const struct compare_line *b = &compare->lines[end];
        if (operation_compare(a->problem.op, b->problem.op) != 0 ||
            a->problem.type != b->problem.type || a->problem.acc != b->problem.acc ||
            a->problem.regime != b->problem.regime || a->problem.order != b->problem.order ||
            !dims_is_alike(&a->problem.dims, &b->problem.dims) ||
            !problem_has_same_segments(&a->problem, &b->problem) ||
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

void compare_add_bound(struct table *table, double bound, bool is_most)
{
    char number[NUMBER_CHARS];
    table_add(table, bound > 0 ? figures_bound(number, bound, is_most) : NULL);
}

static void add_speed(struct table *table, const struct compare_cell *cell)
{
    char speed[NUMBER_CHARS];
    if (cell->basis == COMPARE_BOUND)
        compare_add_bound(table, compare_is_free(cell) ? 0 : cell->gbs, true);
    else
        table_add(table, cell->gbs > 0 ? figures_speed(speed, cell->gbs) : NULL);
}

static void add_share(struct table *table, const struct compare_cell *cell)
{
    if (cell->basis == COMPARE_BOUND)
        compare_add_bound(table, compare_is_free(cell) ? 0 : cell->peak_pct, true);
    else
        table_add_number(table, cell->peak_pct >= 0, 1, cell->peak_pct);
}

void compare_add_speed(struct table *table, const struct compare_cell *cell)
{
    add_speed(table, cell);
    add_share(table, cell);
}

/* A cell with its figure, which comes first, and the portability of its line. */
struct row {
    struct measured_figure figure;
    const struct compare_line *line;
    const struct compare_cell *cell;
    double portability;
    enum compare_basis portability_basis;
};

static const struct compare_cell *cell_of(const void *row)
{
    return ((const struct row *)row)->cell;
}

/* Of what was analysed: NULL where the kernel was not compiled. */
static const struct analysis *compiled(const void *row)
{
    const struct analysis *analysis = &cell_of(row)->analysis;
    return analysis->is_compiled ? analysis : NULL;
}

static void add_text(struct table *table, const char *text)
{
    table_add(table, text && *text ? text : NULL);
}

static void add_ps(struct table *table, uint64_t ps)
{
    char us[NUMBER_CHARS];
    table_add(table, ps ? figures_us(us, ps) : NULL);
}

static void add_regime(struct table *table, const void *row)
{
    const struct compare_line *line = ((const struct row *)row)->line;
    table_add(table, line->is_document ? NULL : problem_regimes[line->problem.regime]);
}

/* For people, in parentheses where no document has it. */
static void add_parenthesized(struct table *table, const struct measured_number *number)
{
    if (number->text[0])
        table_addf(table, number->is_computed ? "(%s)" : "%s", number->text);
    else
        table_add(table, NULL);
}

static void add_speed_shown(struct table *table, const void *row)
{
    if (cell_of(row)->basis == COMPARE_PUBLISHED)
        add_parenthesized(table, &((const struct row *)row)->figure.gbs);
    else
        add_speed(table, cell_of(row));
}

static void add_share_shown(struct table *table, const void *row)
{
    if (cell_of(row)->basis == COMPARE_PUBLISHED)
        add_parenthesized(table, &((const struct row *)row)->figure.share);
    else
        add_share(table, cell_of(row));
}

static void add_low(struct table *table, const void *row)
{
    add_ps(table, cell_of(row)->low_ps);
}

static void add_high(struct table *table, const void *row)
{
    add_ps(table, cell_of(row)->high_ps);
}

static void add_bound(struct table *table, const void *row)
{
    add_ps(table, cell_of(row)->bound_ps);
}

static void add_bound_shown(struct table *table, const void *row)
{
    compare_add_bound(table, (double)cell_of(row)->bound_ps / 1e6, false);
}

/* Names the figures that are in no document, but computed from its GB/s or else from its time. */
static void add_computed(struct table *table, const void *row)
{
    static const char *const names[2][2] = {{"gbs peak_pct", "gbs"}, {"peak_pct", NULL}};
    const struct compare_cell *cell = cell_of(row);
    const struct compare_published *const published = &cell->published;
    table_add(table, cell->basis == COMPARE_PUBLISHED
                         ? names[published->gbs.is_own][published->share.is_own]
                         : NULL);
}

static void add_why(struct table *table, const void *row)
{
    table_add(table, compare_whys[cell_of(row)->why]);
}

static void add_occupancy(struct table *table, const void *row)
{
    const struct analysis *analysis = compiled(row);
    table_add_number(table, analysis, 1, analysis ? analysis->occupancy.share * 100 : 0);
}

static void add_occupancy_limiter(struct table *table, const void *row)
{
    const struct analysis *analysis = compiled(row);
    table_add(table, !analysis ? NULL
                     : occupancy_is_limited(&analysis->occupancy)
                         ? occupancy_names[analysis->occupancy.limiter]
                         : "none");
}

static void add_blocks(struct table *table, const void *row)
{
    const struct analysis *analysis = compiled(row);
    table_add_number(table, analysis, 0, analysis ? analysis->occupancy.blocks : 0);
}

static void add_registers(struct table *table, const void *row)
{
    const struct analysis *analysis = compiled(row);
    table_add_number(table, analysis, 0, analysis ? analysis->needs.registers : 0);
}

static void add_shared(struct table *table, const void *row)
{
    const struct analysis *analysis = compiled(row);
    table_add_number(table, analysis, 0,
                     analysis ? (double)(analysis->needs.shared_bytes + analysis->dynamic_bytes)
                              : 0);
}

static void add_local(struct table *table, const void *row)
{
    const struct analysis *analysis = compiled(row);
    table_add_number(table, analysis, 0, analysis ? (double)analysis->needs.local_bytes : 0);
}

static bool has_bound(const void *row)
{
    return compiled(row) && cell_of(row)->analysis.bound > 0;
}

static void add_in_flight(struct table *table, const void *row)
{
    table_add_number(table, has_bound(row), 1, cell_of(row)->analysis.in_flight / 1024);
}

static void add_wanted(struct table *table, const void *row)
{
    table_add_number(table, has_bound(row), 1, cell_of(row)->analysis.wanted / 1024);
}

static void add_instructions(struct table *table, const void *row)
{
    const struct analysis *analysis = &cell_of(row)->analysis;
    table_add_number(table, analysis->mix.total > 0 && analysis->per_element > 0, 2,
                     analysis->per_element);
}

static void add_counted_in(struct table *table, const void *row)
{
    const struct sass_mix *mix = &cell_of(row)->analysis.mix;
    table_add(table, mix->total <= 0 ? NULL : mix->is_ptx ? "PTX" : "SASS");
}

static void add_bound_share(struct table *table, const void *row)
{
    table_add_number(table, has_bound(row), 1, cell_of(row)->analysis.bound * 100);
}

static void add_loss(struct table *table, const void *row)
{
    table_add_number(table, cell_of(row)->has_loss, 1, cell_of(row)->loss_pct);
}

static void add_ranked(struct table *table, const void *row)
{
    const struct compare_evidence *evidence = &cell_of(row)->evidence;
    table_add_number(table, evidence->count > 0, 0, (double)evidence->count);
}

static void add_bound_rank(struct table *table, const void *row)
{
    table_add_number(table, cell_of(row)->evidence.count > 0, 2, cell_of(row)->evidence.bound);
}

static void add_prior_rank(struct table *table, const void *row)
{
    table_add_number(table, cell_of(row)->evidence.count > 0, 2, cell_of(row)->evidence.prior);
}

static void add_code_rank(struct table *table, const void *row)
{
    table_add_number(table, cell_of(row)->evidence.has_code, 2, cell_of(row)->evidence.code);
}

static void add_above(struct table *table, const void *row)
{
    table_add_number(table, cell_of(row)->evidence.count > 0, 0,
                     (double)cell_of(row)->evidence.above);
}

static void add_portability(struct table *table, const void *row)
{
    const double percent = ((const struct row *)row)->portability;
    table_add_number(table, percent >= 0, 1, percent);
}

static void add_portability_basis(struct table *table, const void *row)
{
    const struct row *of = row;
    table_add(table, of->portability >= 0 ? compare_bases[of->portability_basis] : NULL);
}

static void add_not_analysed(struct table *table, const void *row)
{
    add_text(table, cell_of(row)->analysis.why);
}

static void add_changed(struct table *table, const void *row)
{
    add_text(table, cell_of(row)->changed);
}

static const struct column columns[] = {
    COLUMN("operation", "op", false, measured_op),
    COLUMN("type", "type", false, measured_type),
    COLUMN(NULL, "acc", false, measured_acc),
    COLUMN(NULL, "order", false, measured_order),
    COLUMN("n", "n", true, measured_n),
    COLUMN_GROUP(measured_dims_columns, measured_dims),
    COLUMN("regime", "regime", false, add_regime),
    COLUMN("GPU", "gpu", false, measured_gpu),
    COLUMN("which is", "basis", false, measured_basis),
    COLUMN(NULL, "us", true, measured_us),
    COLUMN("time", "time", true, measured_time), /* with the digits that a document has */
    COLUMN(NULL, "gbs", true, measured_gbs),
    COLUMN(NULL, "peak_pct", true, measured_share),
    COLUMN("GB/s", NULL, true, add_speed_shown),
    COLUMN("% of peak", NULL, true, add_share_shown),
    COLUMN(NULL, "low_us", true, add_low),
    COLUMN(NULL, "high_us", true, add_high),
    COLUMN(NULL, "bound_us", true, add_bound),
    COLUMN("bound us", NULL, true, add_bound_shown),
    COLUMN(NULL, "computed", false, add_computed),
    COLUMN(NULL, "withheld_by", false, add_why),
    COLUMN("occupancy %", "occupancy_pct", true, add_occupancy),
    COLUMN("limited by", "occupancy_limiter", false, add_occupancy_limiter),
    COLUMN(NULL, "blocks_per_sm", true, add_blocks),
    COLUMN("registers", "registers", true, add_registers),
    COLUMN("shared B", "shared_bytes", true, add_shared),
    COLUMN(NULL, "local_bytes", true, add_local),
    COLUMN("KiB in flight", "in_flight_kib", true, add_in_flight),
    COLUMN("KiB wanted", "wanted_kib", true, add_wanted),
    COLUMN("instructions / element", "instructions_per_element", true, add_instructions),
    COLUMN("counted in", "instructions_from", false, add_counted_in),
    COLUMN("bound, % of peak", "bound_pct", true, add_bound_share),
    COLUMN("bound by", "bound_by", false, measured_cause),
    COLUMN(NULL, "loss_pct", true, add_loss),
    COLUMN(NULL, "ranked_candidates", true, add_ranked),
    COLUMN(NULL, "bound_rank", true, add_bound_rank),
    COLUMN(NULL, "prior_rank", true, add_prior_rank),
    COLUMN(NULL, "code_rank", true, add_code_rank),
    COLUMN(NULL, "above_bound", true, add_above),
    COLUMN(NULL, "portability_pct", true, add_portability),
    COLUMN(NULL, "portability_basis", false, add_portability_basis),
    COLUMN(NULL, "source", false, measured_source),
    COLUMN(NULL, "not_analysed", false, add_not_analysed),
    COLUMN(NULL, "changed", false, add_changed),
    COLUMN(NULL, "winner", false, measured_kernel),
};

static struct columns all = {.columns = columns, .count = sizeof columns / sizeof *columns};

void compare_table(struct table *out, const struct compare *compare)
{
    columns_begin(out, &all);
    for (size_t l = 0; l < compare->line_count; l++)
        for (size_t s = 0; s < compare->side_count; s++) {
            const struct compare_line *line = &compare->lines[l];
            struct row row = {.line = line, .cell = &line->cells[s]};
            row.portability = compare_portability(compare, line, &row.portability_basis);
            measured_figure_of_cell(&row.figure, compare, line, s);
            columns_add(out, &all, &row);
        }
}
