/* ladder: computes the figures of all cells and prints them in two forms: all figures for one
 * block size, or the times of many sizes in columns. */
#include "autotune/ladder/ladder.h"

#include "autotune/ladder/cause.h"
#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"
#include "generator/dims_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STEADY = 1.1; /* limit of a rung's slowest run over its fastest */

/* --- Figures ------------------------------------------------------------------------------ */

double ladder_bytes(const struct planner_plan *plan, const struct space *space,
                    const struct problem *problem)
{
    const double elem = problem_types[problem->type].bytes;
    const double accum = problem_partial_bytes(problem);
    double bytes = 0;
    for (int i = 0; i < plan->count; i++) {
        const struct planner_launch *launch = &plan->launches[i];
        const struct pass *pass = &space->passes[launch->pass];
        const int64_t outputs = launch->keys[PLANNER_OUTPUTS];
        if (pass_has_arg(pass, PLANNER_ARG_INPUT))
            bytes += (double)dims_n(&launch->dims) * (pass->reads_partials ? accum : elem);
        bytes += (double)(outputs ? outputs : 1) * accum;
    }
    return bytes;
}

double ladder_elements(const struct planner_plan *plan)
{
    const struct planner_launch *first = &plan->launches[plan->first];
    return fmax((double)first->keys[PLANNER_TILE],
                (double)dims_n(&first->dims) / (double)first->keys[PLANNER_GRID]);
}

double ladder_gbs(const struct ladder_cell *cell)
{
    return cell->ps ? cell->bytes / (double)cell->ps * 1e3 : 0;
}

double ladder_block_ps(const struct ladder_cell *cell)
{
    const struct analysis *analysis = &cell->analysis;
    return cell->grid ? (double)cell->ps * analysis->resident * analysis->sms / cell->grid : 0;
}

static struct ladder_cell *cell_at(const struct ladder *ladder, size_t rung, size_t column)
{
    return &ladder->cells[rung * ladder->columns + column];
}

static void compare_group(struct ladder *ladder, const struct rungs_group *group, size_t column)
{
    const struct ladder_cell *first = NULL, *before = NULL;
    for (size_t r = group->first; r < group->first + group->count; r++) {
        struct ladder_cell *cell = cell_at(ladder, r, column);
        if (!cell->ps)
            continue;
        cell->step = before ? (double)before->ps / (double)cell->ps : 0;
        cell->total = first ? (double)first->ps / (double)cell->ps : 0;
        before = cell;
        if (!first)
            first = cell;
    }
}

void ladder_compare(struct ladder *ladder)
{
    for (size_t g = 0; g < ladder->rungs->group_count; g++)
        for (size_t column = 0; column < ladder->columns; column++)
            compare_group(ladder, &ladder->rungs->groups[g], column);
}

/* --- Cells -------------------------------------------------------------------------------- */

static void add_ms(struct table *table, uint64_t ps)
{
    char number[NUMBER_CHARS];
    table_add(table, ps ? number_format_fixed(number, (ps + 50000) / 100000, 4) : NULL);
}

static void add_number(struct table *table, double value, int digits, const char *unit)
{
    if (value > 0)
        table_addf(table, "%.*f%s", digits, value, unit);
    else
        table_add(table, NULL);
}

static void add_speed(struct table *table, double gbs)
{
    char number[NUMBER_CHARS];
    table_add(table, gbs > 0 ? figures_speed(number, gbs) : NULL);
}

static double peak_percent(const struct ladder *ladder, const struct ladder_cell *cell)
{
    return ladder->peak ? ladder_gbs(cell) * 1e11 / (double)ladder->peak : 0;
}

/* --- For people --------------------------------------------------------------------------- */

static bool is_config(const struct ladder *ladder, size_t rung)
{
    for (size_t column = 0; column < ladder->columns; column++)
        if (cell_at(ladder, rung, column)->is_there)
            return true;
    return false;
}

static bool is_group(const struct ladder *ladder, const struct rungs_group *group)
{
    for (size_t r = group->first; r < group->first + group->count; r++)
        if (is_config(ladder, r))
            return true;
    return false;
}

static bool has_block_times(const struct ladder *ladder, const struct rungs_group *group)
{
    for (size_t r = group->first; r < group->first + group->count && !ladder->is_host; r++)
        if (ladder_block_ps(cell_at(ladder, r, 0)) > 0)
            return true;
    return false;
}

/* One size: all figures. */
static void print_figures(struct text *out, const struct ladder *ladder,
                          const struct rungs_group *group, bool bold_titles)
{
    static const struct table_column columns[] =
        {{"kernel", NULL, false}, {"threads", NULL, true},   {"ms", NULL, true},
         {"GB/s", NULL, true},    {"% peak", NULL, true},    {"step", NULL, true},
         {"total", NULL, true},   {"us a block", NULL, true}};
    const size_t most = sizeof columns / sizeof *columns;
    struct table table = {.columns = columns,
                          .column_count = has_block_times(ladder, group) ? most : most - 1};
    for (size_t r = group->first; r < group->first + group->count; r++) {
        const struct ladder_cell *cell = cell_at(ladder, r, 0);
        if (!cell->is_there)
            continue;
        table_add(&table, ladder->rungs->rungs[r].kernel);
        table_addf(&table, "%u", cell->threads);
        if (cell->ps)
            add_ms(&table, cell->ps);
        else
            table_add(&table, cell->status);
        add_speed(&table, ladder_gbs(cell));
        add_number(&table, peak_percent(ladder, cell), 1, "");
        add_number(&table, cell->step, 2, "x");
        add_number(&table, cell->total, 2, "x");
        if (table.column_count == most)
            add_number(&table, ladder_block_ps(cell) / 1e6, 2, "");
    }
    table_show(out, &table, bold_titles);
    table_dispose(&table);
}

static void add_time(struct table *table, const struct ladder_cell *cell)
{
    add_ms(table, cell->ps);
}

static void add_gbs(struct table *table, const struct ladder_cell *cell)
{
    add_speed(table, ladder_gbs(cell));
}

/* A figure of each of several sizes, n or depths. */
static void print_by_size(struct text *out, const struct ladder *ladder,
                          const struct rungs_group *group, bool bold_titles, const char *unit,
                          void (*add)(struct table *table, const struct ladder_cell *cell))
{
    char title[64];
    struct table_column columns[1 + LADDER_COLUMNS_MAX] = {{title, NULL, false}};
    char titles[LADDER_COLUMNS_MAX][NUMBER_CHARS];
    struct table table = {.columns = columns, .column_count = 1 + ladder->columns};
    for (size_t column = 0; column < ladder->columns; column++) {
        if (ladder->is_by_depth)
            number_format_fixed(titles[column], ladder->sizes[column].depth.n, 0);
        else if (ladder->sizes)
            number_format_count(titles[column], dims_n(&ladder->sizes[column]));
        else
            snprintf(titles[column], sizeof titles[column], "%u", ladder->blocks[column]);
        columns[1 + column] = (struct table_column){titles[column], NULL, true};
    }
    snprintf(title, sizeof title, "%s by %s", unit,
             ladder->is_by_depth ? "elements of a result"
             : ladder->sizes     ? "n"
                                 : "threads per block");
    for (size_t r = group->first; r < group->first + group->count; r++) {
        if (!is_config(ladder, r))
            continue;
        table_add(&table, ladder->rungs->rungs[r].kernel);
        for (size_t column = 0; column < ladder->columns; column++) {
            const struct ladder_cell *cell = cell_at(ladder, r, column);
            if (cell->ps)
                add(&table, cell);
            else
                table_add(&table, cell->is_there ? cell->status : "-");
        }
    }
    table_show(out, &table, bold_titles);
    table_dispose(&table);
}

static void print_times(struct text *out, const struct ladder *ladder,
                        const struct rungs_group *group, bool bold_titles)
{
    print_by_size(out, ladder, group, bold_titles, "ms", add_time);
    if (ladder->is_by_depth)
        print_by_size(out, ladder, group, bold_titles, "GB/s", add_gbs);
}

static void print_unsteady(struct text *out, const char *name, const struct ladder_cell *cell)
{
    struct text words = {0};
    text_addf(&words,
              "%s: not steady: %.4f to %.4f ms with %u threads; does another program use this "
              "GPU? Run it again",
              name, (double)cell->low_ps / 1e9, (double)cell->high_ps / 1e9, cell->threads);
    sentence_fit(out, &words);
}

/* Prints why rungs have no time, each reason once for all sizes, and which times are not
 * steady. */
static void print_reasons(struct text *out, const struct ladder *ladder,
                          const struct rungs_group *group)
{
    for (size_t r = group->first; r < group->first + group->count; r++)
        for (size_t column = 0; column < ladder->columns; column++) {
            const struct ladder_cell *cell = cell_at(ladder, r, column);
            const struct ladder_cell *last = column ? cell - 1 : NULL;
            if (cell->is_there && !cell->ps && cell->reason &&
                !(last && last->reason && strcmp(last->reason, cell->reason) == 0))
                text_addf(out, "%s: %s: %s\n", ladder->rungs->rungs[r].name, cell->status,
                          cell->reason);
            if (!ladder->is_host && (double)cell->high_ps > STEADY * (double)cell->low_ps)
                print_unsteady(out, ladder->rungs->rungs[r].name, cell);
        }
}

static void print_lines(struct text *out, const char *who, const struct ini_lines *lines)
{
    struct text words = {0};
    for (size_t i = 0; i < lines->count; i++)
        text_addf(&words, "%s%s %s", i ? "" : who, i ? "" : ":", lines->at[i]);
    if (words.length)
        sentence_fit(out, &words);
}

static void print_note(struct text *out, const char *note)
{
    struct text words = {0};
    text_adds(&words, note);
    sentence_fit(out, &words);
}

/* Prints how kernels of rungs differ from the document's. */
static void print_differences(struct text *out, const struct ladder *ladder,
                              const struct rungs_group *group)
{
    for (size_t r = group->first; r < group->first + group->count; r++) {
        const struct rung *rung = &ladder->rungs->rungs[r];
        char who[100];
        snprintf(who, sizeof who, "%.80s differs", rung->name);
        if (is_config(ladder, r))
            print_lines(out, who, &rung->differs);
    }
}

/* Prints the fastest of several sizes. */
static void print_best(struct text *out, const struct ladder *ladder,
                       const struct rungs_group *group)
{
    const struct ladder_cell *best = NULL;
    char speed[NUMBER_CHARS];
    size_t rung = 0, size = 0;
    for (size_t r = group->first; r < group->first + group->count; r++)
        for (size_t column = 0; column < ladder->columns; column++) {
            const struct ladder_cell *cell = cell_at(ladder, r, column);
            if (cell->ps && (!best || cell->ps < best->ps)) {
                best = cell;
                rung = r;
                size = column;
            }
        }
    if (!best)
        return;
    text_addf(out, "best: %s, %u threads: %.4f ms, %s GB/s", ladder->rungs->rungs[rung].kernel,
              ladder->blocks[size], (double)best->ps / 1e9,
              figures_speed(speed, ladder_gbs(best)));
    if (ladder->peak)
        text_addf(out, ", %.1f %% of peak", peak_percent(ladder, best));
    text_adds(out, "\n");
}

void ladder_print(struct text *out, const struct ladder *ladder, bool bold_titles)
{
    const char *between = "";
    for (size_t g = 0; g < ladder->rungs->group_count; g++) {
        const struct rungs_group *group = &ladder->rungs->groups[g];
        if (!is_group(ladder, group))
            continue;
        text_addf(out, "%s%s\n", between, group->title);
        (ladder->columns == 1 ? print_figures : print_times)(out, ladder, group, bold_titles);
        for (size_t i = 0; i < group->notes.count; i++)
            print_note(out, group->notes.at[i]);
        print_differences(out, ladder, group);
        print_reasons(out, ladder, group);
        if (ladder->columns == 1)
            cause_print(out, ladder, group, bold_titles);
        else if (!ladder->sizes)
            print_best(out, ladder, group);
        between = "\n";
    }
    text_adds(out, ladder->rungs->differs.count ? "\n" : "");
    print_lines(out, "all rungs differ from the documents' kernels", &ladder->rungs->differs);
}

/* --- For programs ------------------------------------------------------------------------- */

/* In the order of add_row. */
static const struct table_column columns[] = {
    {NULL, "group", false},
    {NULL, "rung", false},
    {NULL, "kernel", false},
    {NULL, "threads", true},
    {NULL, "status", false},
    {NULL, "ms", true},
    {NULL, "ms_low", true},
    {NULL, "ms_high", true},
    {NULL, "bytes", true},
    {NULL, "gbs", true},
    {NULL, "peak_percent", true},
    {NULL, "step", true},
    {NULL, "total", true},
    {NULL, "registers", true},
    {NULL, "reason", false},
    /* add_conditions */
    {NULL, "device", false},
    {NULL, "source", false},
    {NULL, "n", true},
    {NULL, "op", false},
    {NULL, "type", false},
    {NULL, "items", true},
    {NULL, "grid", true},
    /* add_pattern: of a block */
    {NULL, "shared_requests", true},
    {NULL, "shared_wavefronts", true},
    {NULL, "shared_wavefronts_ideal", true},
    {NULL, "conflict_ways", true},
    {NULL, "lanes", true},
    {NULL, "lanes_by_step", false},
    {NULL, "ways_by_step", false},
    {NULL, "atomics_shared", true},
    {NULL, "atomics_global", true},
    /* add_analysis: of an SM, and of an element */
    {NULL, "sm_blocks", true},
    {NULL, "sm_warps", true},
    {NULL, "occupancy_percent", true},
    {NULL, "occupancy_limiter", false},
    {NULL, "in_flight_bytes", true},
    {NULL, "wanted_bytes", true},
    {NULL, "instructions", true},
    {NULL, "instructions_of", false},
    {NULL, "cause", false},
    {NULL, "requests_by_site", false},
    {NULL, "excess_by_site", false},
    {NULL, "computed_for", false},
    {NULL, "sm_blocks_by_limit", false}, /* add_fit */
    /* add_loads: of a block */
    {NULL, "load_requests", true},
    {NULL, "load_sectors", true},
    {NULL, "load_sectors_ideal", true},
    /* add_blocks */
    {NULL, "block_us", true},
    {NULL, "blocks_per_us", true},
    DIMS_TEXT_COLUMNS,
};

static void add_count(struct table *table, double value)
{
    add_number(table, value, 0, "");
}

static const struct dims *dims_of(const struct ladder *ladder, size_t column)
{
    return ladder->sizes ? &ladder->sizes[column] : &ladder->problem->dims;
}

/* The problem and the device. */
static void add_conditions(struct table *table, const struct ladder *ladder, size_t rung,
                           size_t column)
{
    const struct ladder_cell *cell = cell_at(ladder, rung, column);
    const struct problem *problem = ladder->problem;
    table_add(table, ladder->device);
    table_addf(table, "ladder/%s", ladder->rungs->rungs[rung].space);
    table_addf(table, "%" PRIu64, dims_n(dims_of(ladder, column)));
    table_add(table, problem->op->name);
    table_add(table, problem_types[problem->type].name);
    add_count(table, cell->threads ? ceil(cell->elements / cell->threads) : 0);
    add_count(table, cell->grid);
}

static void add_steps(struct table *table, const struct pattern *pattern, bool is_lanes)
{
    struct text words = {0};
    pattern_add_steps(&words, pattern, is_lanes);
    table_add(table, words.at);
    text_dispose(&words);
}

/* The same, a word an instruction: how often it runs, or its wavefronts beyond the ideal. */
static void add_sites(struct table *table, const struct pattern *pattern, bool is_excess)
{
    struct text words = {0};
    for (size_t i = 0; i < pattern->site_count; i++) {
        const struct pattern_site *site = &pattern->sites[i];
        text_addf(&words, "%s%u", i ? " " : "",
                  is_excess ? site->wavefronts - site->ideal : site->requests);
    }
    table_add(table, words.at);
    text_dispose(&words);
}

static void add_pattern(struct table *table, const struct pattern *pattern)
{
    table_add_number(table, pattern->is_known, 0, pattern->requests);
    table_add_number(table, pattern->is_known, 0, pattern->wavefronts);
    table_add_number(table, pattern->is_known, 0, pattern->ideal);
    table_add_number(table, pattern->ways > 0, 0, pattern->ways);
    add_number(table, pattern_lanes(pattern), 2, "");
    add_steps(table, pattern, true);
    add_steps(table, pattern, false);
    table_add_number(table, pattern->is_known, 0, pattern->atomics_shared);
    table_add_number(table, pattern->is_known, 0, pattern->atomics_global);
}

static void add_analysis(struct table *table, const struct analysis *analysis)
{
    const struct occupancy *occupancy = &analysis->occupancy;
    const bool is_there = analysis->is_compiled;
    add_count(table, is_there ? occupancy->blocks : 0);
    add_count(table, is_there ? occupancy->warps : 0);
    add_number(table, is_there ? occupancy->share * 100 : 0, 1, "");
    table_add(table, is_there && occupancy_is_limited(occupancy)
                         ? occupancy_names[occupancy->limiter]
                         : NULL);
    add_count(table, analysis->in_flight);
    add_count(table, analysis->wanted);
    add_number(table, analysis_issued(analysis), 2, "");
    table_add(table, analysis_issued(analysis) <= 0 ? NULL
                     : analysis->mix.is_ptx         ? "PTX"
                                                    : "SASS");
}

static void add_dims(struct table *table, const struct dims *dims)
{
    char number[NUMBER_CHARS];
    for (size_t i = 0; i < DIMS_TEXT_CELLS; i++)
        table_add(table, dims_text_cell(number, dims, i));
}

/* Blocks on an SM as limited by threads, registers, shared memory and the count of blocks, each
 * by itself. */
static void add_fit(struct table *table, const struct analysis *analysis)
{
    struct text words = {0};
    for (int i = 0; analysis->is_compiled && i < OCCUPANCY_LIMITERS; i++)
        text_addf(&words, "%s%d", i ? " " : "", analysis->occupancy.fit[i]);
    table_add(table, words.at);
    text_dispose(&words);
}

static void add_loads(struct table *table, const struct pattern *pattern)
{
    table_add_number(table, pattern->loads > 0, 0, pattern->loads);
    table_add_number(table, pattern->loads > 0, 0, pattern->sectors);
    table_add_number(table, pattern->loads > 0, 0, pattern->sectors_ideal);
}

/* How long a block lives, and how many of a kernel that does nothing the GPU of the analyses starts. */
static void add_blocks(struct table *table, const struct ladder *ladder,
                       const struct ladder_cell *cell)
{
    add_number(table, ladder->is_host ? 0 : ladder_block_ps(cell) / 1e6, 3, "");
    add_number(table, ladder->machine.blocks / 1e6, 1, "");
}

static void add_cell_row(struct table *table, const struct ladder *ladder, size_t rung,
                         size_t column)
{
    const struct ladder_cell *cell = cell_at(ladder, rung, column);
    const struct rungs *rungs = ladder->rungs;
    table_add(table, rungs->groups[rungs->rungs[rung].group].name);
    table_add(table, rungs->rungs[rung].name);
    table_add(table, rungs->rungs[rung].kernel);
    table_addf(table, "%u", cell->threads);
    table_add(table, cell->status);
    add_ms(table, cell->ps);
    add_ms(table, cell->low_ps);
    add_ms(table, cell->high_ps);
    table_addf(table, "%.0f", cell->bytes);
    add_number(table, ladder_gbs(cell), 2, "");
    add_number(table, peak_percent(ladder, cell), 2, "");
    add_number(table, cell->step, 4, "");
    add_number(table, cell->total, 4, "");
    add_number(table, cell->registers, 0, "");
    table_add(table, cell->ps ? NULL : cell->reason);
    add_conditions(table, ladder, rung, column);
    add_pattern(table, &cell->pattern);
    add_analysis(table, &cell->analysis);
    table_add(table, *cell->cause ? cell->cause : NULL);
    add_sites(table, &cell->pattern, false);
    add_sites(table, &cell->pattern, true);
    table_add(table, cell->analysis.is_compiled ? ladder->gpu : NULL);
    add_fit(table, &cell->analysis);
    add_loads(table, &cell->pattern);
    add_blocks(table, ladder, cell);
    add_dims(table, dims_of(ladder, column));
}

void ladder_table(struct table *out, const struct ladder *ladder)
{
    *out = (struct table){.columns = columns, .column_count = sizeof columns / sizeof *columns};
    for (size_t r = 0; r < ladder->rungs->count; r++)
        for (size_t column = 0; column < ladder->columns; column++)
            if (cell_at(ladder, r, column)->is_there)
                add_cell_row(out, ladder, r, column);
}
