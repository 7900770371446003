/* compare: the table and the sentences below it. Hides which words stand for which limit. */
#include "autotune/report/compare.h"

#include "autotune/report/figures.h"
#include "generator/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const compare_bases[] = {
    [COMPARE_NOTHING] = "nothing known", [COMPARE_PREDICTED] = "predicted",
    [COMPARE_PUBLISHED] = "published",   [COMPARE_EMULATED] = "emulated",
    [COMPARE_MEASURED] = "measured",
};

/* People read the problem in a word and the winner last, for it is long. */
static const struct table_column columns[] = {
    {"problem", NULL, false},
    {NULL, "op", false},
    {NULL, "type", false},
    {NULL, "acc", false},
    {NULL, "n", true},
    {NULL, "row", true},
    {NULL, "regime", false},
    {"gpu", "gpu", false},
    {"basis", "basis", false},
    {"us", "us", true},
    {"GB/s", "gbs", true},
    {"% peak", "peak_pct", true},
    {"occupancy %", "occupancy_pct", true},
    {"its limit", "occupancy_limiter", false},
    {NULL, "blocks_per_sm", true},
    {"registers", "registers", true},
    {NULL, "shared_bytes", true},
    {NULL, "local_bytes", true},
    {"KiB in flight", "in_flight_kib", true},
    {"wanted", "wanted_kib", true},
    {"instr/element", "instructions_per_element", true},
    {"of", "instructions_from", false},
    {NULL, "bound_pct", true},
    {NULL, "bound_by", false},
    {"loss %", "loss_pct", true},
    {NULL, "ranked_candidates", true},
    {NULL, "bound_rank", true},
    {NULL, "prior_rank", true},
    {NULL, "code_rank", true},
    {NULL, "above_bound", true},
    {NULL, "portability_pct", true},
    {NULL, "portability_basis", false},
    {NULL, "source", false},
    {NULL, "not_analysed", false},
    {"winner", "winner", false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* What all have; without that, each may still have a bound. */
static enum compare_basis find_common(const struct compare *compare,
                                      const struct compare_line *line)
{
    const enum compare_basis first = line->cells[0].basis;
    for (size_t s = 0; s < compare->side_count; s++)
        if (line->cells[s].basis != first || first == COMPARE_EMULATED)
            return COMPARE_PREDICTED;
    return first;
}

double compare_portability(const struct compare *compare, const struct compare_line *line,
                           enum compare_basis *basis)
{
    double sum = 0;
    *basis = find_common(compare, line);
    for (size_t s = 0; s < compare->side_count && *basis != COMPARE_NOTHING; s++) {
        const struct compare_cell *cell = &line->cells[s];
        const double percent =
            *basis == COMPARE_PREDICTED ? cell->analysis.bound * 100 : cell->peak_pct;
        if (percent <= 0)
            *basis = COMPARE_NOTHING;
        else
            sum += 1 / percent;
    }
    return *basis == COMPARE_NOTHING ? -1 : (double)compare->side_count / sum;
}

/* --- The table ---------------------------------------------------------------------------- */

static void add_problem(struct table *table, const struct compare_line *line)
{
    const struct problem *problem = &line->problem;
    char name[PROBLEM_CHARS], row[NUMBER_CHARS];
    if (line->row)
        table_addf(table, "%s in rows of %s", problem_format(name, problem),
                   number_format_count(row, line->row));
    else
        table_add(table, problem_format(name, problem));
    table_add(table, problem_ops[problem->op].name);
    table_add(table, problem_types[problem->type].name);
    table_add(table, problem_types[problem->acc].name);
    table_addf(table, "%" PRIu64, problem->n);
    if (line->row)
        table_addf(table, "%" PRIu64, line->row);
    else
        table_add(table, NULL);
    table_add(table, problem_regimes[problem->regime]);
}

/* A number, or nothing where it is not known. */
static void add_real(struct table *table, bool is_known, int decimals, double value)
{
    if (is_known)
        table_addf(table, "%.*f", decimals, value);
    else
        table_add(table, NULL);
}

static void add_analysis(struct table *table, const struct analysis *analysis)
{
    const bool is_known = analysis->is_compiled;
    const bool has_mix = analysis->mix.total > 0;
    const bool has_bound = analysis->bound > 0;
    add_real(table, is_known, 1, analysis->occupancy.share * 100);
    table_add(table, !is_known ? NULL
                     : occupancy_is_limited(&analysis->occupancy)
                         ? occupancy_names[analysis->occupancy.limiter]
                         : "none");
    add_real(table, is_known, 0, analysis->occupancy.blocks);
    add_real(table, is_known, 0, analysis->needs.registers);
    add_real(table, is_known, 0,
             (double)(analysis->needs.shared_bytes + analysis->dynamic_bytes));
    add_real(table, is_known, 0, (double)analysis->needs.local_bytes);
    add_real(table, has_bound, 1, analysis->in_flight / 1024);
    add_real(table, has_bound, 1, analysis->wanted / 1024);
    add_real(table, has_mix && analysis->per_element > 0, 2, analysis->per_element);
    table_add(table, !has_mix ? NULL : analysis->mix.is_ptx ? "PTX" : "SASS");
    add_real(table, has_bound, 1, analysis->bound * 100);
    table_add(table, has_bound ? analysis_limiters[analysis->limiter] : NULL);
}

static void add_cell(struct table *table, const struct compare *compare,
                     const struct compare_line *line, size_t side)
{
    const struct compare_cell *cell = &line->cells[side];
    enum compare_basis basis;
    const double portability = compare_portability(compare, line, &basis);
    char us[NUMBER_CHARS];
    table_add(table, compare->sides[side].name);
    table_add(table, compare_bases[cell->basis]);
    table_add(table, cell->ps ? figures_us(us, cell->ps) : NULL);
    add_real(table, cell->gbs > 0, cell->gbs < 10 ? 3 : 1, cell->gbs);
    add_real(table, cell->peak_pct >= 0, 1, cell->peak_pct);
    add_analysis(table, &cell->analysis);
    add_real(table, cell->has_loss, 1, cell->loss_pct);
    add_real(table, cell->evidence.count > 0, 0, (double)cell->evidence.count);
    add_real(table, cell->evidence.count > 0, 2, cell->evidence.bound);
    add_real(table, cell->evidence.count > 0, 2, cell->evidence.prior);
    add_real(table, cell->evidence.has_code, 2, cell->evidence.code);
    add_real(table, cell->evidence.count > 0, 0, (double)cell->evidence.above);
    add_real(table, portability >= 0, 1, portability);
    table_add(table, portability >= 0 ? compare_bases[basis] : NULL);
    table_add(table, cell->source[0] ? cell->source : NULL);
    table_add(table, cell->analysis.why[0] ? cell->analysis.why : NULL);
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

/* --- The sentences ------------------------------------------------------------------------ */

static void add_name(struct text *out, const struct compare_line *line)
{
    char name[PROBLEM_CHARS], row[NUMBER_CHARS];
    text_adds(out, problem_format(name, &line->problem));
    if (line->row)
        text_addf(out, " in rows of %s", number_format_count(row, line->row));
}

/* What keeps a kernel from more on a GPU: the bound, and the occupancy with its limit. */
static void add_cause(struct text *out, const struct compare_side *side,
                      const struct analysis *analysis)
{
    const struct occupancy *occupancy = &analysis->occupancy;
    text_addf(out, "on %s ", side->name);
    if (!analysis->is_compiled) {
        text_adds(out, "not analysed");
        return;
    }
    text_addf(out, "%d block%s of %u on an SM, %u %% of its warps", occupancy->blocks,
              occupancy->blocks == 1 ? "" : "s", analysis->block,
              (unsigned)(occupancy->share * 100 + 0.5));
    if (occupancy_is_limited(occupancy))
        text_addf(out, ", limited by %s", occupancy_names[occupancy->limiter]);
    if (analysis->bound > 0)
        text_addf(out, "; %u KiB in flight of the %u wanted",
                  (unsigned)(analysis->in_flight / 1024 + 0.5),
                  (unsigned)(analysis->wanted / 1024 + 0.5));
    if (analysis->bound > 0 && analysis->limiter != ANALYSIS_MEMORY)
        text_addf(out, ": bound by %s", analysis_limiters[analysis->limiter]);
}

static bool has_winner(const struct compare_cell *cell)
{
    return cell->basis > COMPARE_PREDICTED;
}

/* Only winners can differ: a prediction is of another GPU's winner. */
static void add_difference(struct text *out, const struct compare *compare,
                           const struct compare_line *line)
{
    for (size_t s = 1; s < compare->side_count; s++) {
        const struct compare_cell *first = &line->cells[0], *cell = &line->cells[s];
        if (!has_winner(first) || !has_winner(cell) || strcmp(first->winner, cell->winner) == 0)
            continue;
        text_adds(out, "differ    ");
        add_name(out, line);
        text_addf(out, ": %s on %s, %s on %s\n          ", first->winner,
                  compare->sides[0].name, cell->winner, compare->sides[s].name);
        add_cause(out, &compare->sides[0], &first->analysis);
        text_adds(out, "\n          ");
        add_cause(out, &compare->sides[s], &cell->analysis);
        text_adds(out, "\n");
    }
}

static void add_prediction(struct text *out, const struct compare *compare,
                           const struct compare_line *line)
{
    for (size_t s = 0; s < compare->side_count; s++) {
        if (line->cells[s].basis != COMPARE_PREDICTED)
            continue;
        text_adds(out, "predicted ");
        add_name(out, line);
        text_addf(out, ": %s\n          ", line->cells[s].winner);
        add_cause(out, &compare->sides[s], &line->cells[s].analysis);
        text_adds(out, "\n");
    }
}

static void add_loss(struct text *out, const struct compare *compare,
                     const struct compare_line *line)
{
    for (size_t s = 1; s < compare->side_count; s++) {
        const struct compare_cell *cell = &line->cells[s];
        if (!cell->has_loss)
            continue;
        text_adds(out, "loss      ");
        add_name(out, line);
        text_addf(out, ": %s's winner takes %u.%u %% longer on %s than its own\n",
                  compare->sides[0].name, (unsigned)(cell->loss_pct + 0.05),
                  (unsigned)(cell->loss_pct * 10 + 0.5) % 10, compare->sides[s].name);
    }
}

/* A correlation, with its sign. */
static void add_correlation(struct text *out, double value)
{
    const unsigned hundredths = (unsigned)((value < 0 ? -value : value) * 100 + 0.5);
    text_addf(out, "%s%u.%02u", value < 0 && hundredths ? "-" : "", hundredths / 100,
              hundredths % 100);
}

static void add_evidence(struct text *out, const struct compare *compare,
                         const struct compare_line *line)
{
    for (size_t s = 0; s < compare->side_count; s++) {
        const struct compare_evidence *evidence = &line->cells[s].evidence;
        if (!evidence->count)
            continue;
        text_adds(out, "evidence  ");
        add_name(out, line);
        text_addf(out, " on %s: rank correlation with the speed of %zu candidates: bound ",
                  compare->sides[s].name, evidence->count);
        add_correlation(out, evidence->bound);
        text_adds(out, ", prior ");
        add_correlation(out, evidence->prior);
        if (evidence->has_code) {
            text_adds(out, ", bound by machine code ");
            add_correlation(out, evidence->code);
        }
        text_addf(out, "; %zu above the%s bound\n", evidence->above,
                  evidence->has_code ? " last" : "");
    }
}

static void add_portability(struct text *out, const struct compare *compare,
                            const struct compare_line *line)
{
    enum compare_basis basis;
    const double percent = compare_portability(compare, line, &basis);
    if (percent < 0)
        return;
    text_adds(out, "portable  ");
    add_name(out, line);
    text_addf(out, ": %u.%u %% of peak, the harmonic mean over all, %s%s\n",
              (unsigned)(percent + 0.05), (unsigned)(percent * 10 + 0.5) % 10,
              compare_bases[basis], basis == COMPARE_PREDICTED ? ", at most" : "");
}

/* Each reason once. */
static void add_missing(struct text *out, const struct compare *compare)
{
    for (size_t s = 0; s < compare->side_count; s++) {
        const char *last = "";
        for (size_t l = 0; l < compare->line_count; l++) {
            const char *why = compare->lines[l].cells[s].analysis.why;
            if (*why && strcmp(why, last) != 0)
                text_addf(out, "note      %s: %s\n", compare->sides[s].name, why);
            last = *why ? why : last;
        }
    }
}

static bool has_basis(const struct compare *compare, enum compare_basis basis)
{
    for (size_t l = 0; l < compare->line_count; l++)
        for (size_t s = 0; s < compare->side_count; s++)
            if (compare->lines[l].cells[s].basis == basis)
                return true;
    return false;
}

static void add_words(struct text *out, const struct compare *compare)
{
    if (has_basis(compare, COMPARE_PUBLISHED))
        text_adds(out,
                  "published: a document's figures of its own kernels, counted its way; not "
                  "measured here\n");
    if (has_basis(compare, COMPARE_PREDICTED))
        text_adds(out,
                  "predicted: at most, by bytes in flight and instructions (static analysis); "
                  "nothing was run\n");
    if (has_basis(compare, COMPARE_EMULATED))
        text_adds(out, "emulated: on the host, no model of a GPU's speed\n");
}

void compare_notes(struct text *out, const struct compare *compare)
{
    static void (*const kinds[])(struct text *, const struct compare *,
                                 const struct compare_line *) = {
        add_difference, add_prediction, add_loss, add_portability, add_evidence};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t l = 0; l < compare->line_count; l++)
            kinds[k](out, compare, &compare->lines[l]);
    add_missing(out, compare);
    add_words(out, compare);
}
