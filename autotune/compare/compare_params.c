/* compare_params: puts one value of the other GPU's winner into each winner, and asks the rules, the
 * journal and the compiler what comes of it. */
#include "autotune/compare/compare_params.h"

#include "autotune/compare/compare_kernel.h"
#include "autotune/compare/compare_losses.h"
#include "autotune/print/table_fit.h"

#include <string.h>

/* A GPU, its winner there, and what is known of it. */
struct winner {
    const struct compare_input *input;
    const struct compare_cell *cell;
    const char *gpu;
    size_t side;
    struct compare_kernel kernel;
};

struct pair {
    const struct comparison *comparison;
    const struct compare_losses *losses;
    size_t line;
    const struct problem *problem;
    struct winner winners[2];
};

/* The largest size at which both have a winner, and not the same; false: there is none. */
static bool find_line(size_t *line, const struct compare *compare,
                      const struct compare_losses *losses, size_t side)
{
    for (size_t l = losses->end; l-- > losses->first;) {
        const struct record *a = compare->lines[l].cells[0].record;
        const struct record *b = compare->lines[l].cells[side].record;
        if (a && b && strcmp(a->space, b->space) == 0 && strcmp(a->params, b->params) != 0) {
            *line = l;
            return true;
        }
    }
    return false;
}

static bool open_winner(struct winner *out, const struct pair *pair, size_t side)
{
    const struct compare *compare = &pair->comparison->compare;
    struct error ignored;
    out->input = &pair->comparison->inputs[side];
    out->cell = &compare->lines[pair->line].cells[side];
    out->gpu = compare->sides[side].name;
    out->side = side;
    const struct compare_winner winner = {.record = out->cell->record};
    return out->input->has_target &&
           compare_kernel_open(&out->kernel, &winner, NULL, pair->problem, &out->input->target,
                               &ignored) == 0;
}

/* --- Clauses ------------------------------------------------------------------------------ */

static void add_rule(struct text *out, const struct winner *here,
                     const struct point_context *context, const char *value,
                     const int64_t *config)
{
    struct error ignored;
    const int broken = point_reject(context, config, &ignored);
    if (broken >= 0)
        text_addf(out, "%s%s is not allowed on %s: %s", out->length ? "; " : "", value,
                  here->gpu, context->space->rules[broken].reason);
}

static void add_loss(struct text *out, const struct pair *pair, const struct winner *here,
                     const char *value, const int64_t *config)
{
    struct text params = {0};
    double percent;
    point_format(&params, here->kernel.rung.space, config, true);
    if (params.at &&
        compare_losses_config(&percent, pair->losses, params.at, pair->line, here->side)) {
        text_addf(out, "%s%s in its place takes ", out->length ? "; " : "", value);
        sentence_add_longer(out, &(struct sentence_range){percent, percent, 1}, 1);
        text_addf(out, " on %s", here->gpu);
    }
    text_dispose(&params);
}

static void add_warps(struct text *out, const struct pair *pair, const struct winner *here,
                      const struct point_context *context, const char *value,
                      const int64_t *config)
{
    const struct occupancy *own = &here->cell->analysis.occupancy;
    struct analysis changed;
    struct error ignored;
    const struct analysis_subject subject = {.context = context,
                                             .sources = &here->kernel.sources,
                                             .config = config,
                                             .peak_bytes = here->input->side.peak_bytes,
                                             .clock_khz = here->input->clock_khz,
                                             .nvrtc = here->input->nvrtc};
    if (pair->comparison->is_brief || !here->input->nvrtc ||
        !here->cell->analysis.is_compiled || analysis_run(&changed, &subject, &ignored) ||
        !changed.is_compiled || changed.occupancy.warps == own->warps)
        return;
    text_addf(out, "%swith %s an SM of %s holds %d warps, not %d", out->length ? "; " : "",
              value, here->gpu, changed.occupancy.warps, own->warps);
}

/* The winner of one GPU with a value of the other's. */
static void add_other(struct text *out, const struct pair *pair, size_t on, size_t param)
{
    const struct winner *here = &pair->winners[on], *there = &pair->winners[!on];
    const struct space *space = here->kernel.rung.space;
    const struct point_context context = {space, pair->problem, &here->input->target};
    int64_t config[SPACE_NAMES_MAX];
    struct text value = {0};
    const size_t before = out->length;
    memcpy(config, here->kernel.rung.config, space->param_count * sizeof *config);
    config[param] = there->kernel.rung.config[param];
    point_format_value(&value, &space->params[param], config[param]);
    if (value.at) {
        add_rule(out, here, &context, value.at, config);
        if (out->length == before) {
            add_loss(out, pair, here, value.at, config);
            add_warps(out, pair, here, &context, value.at, config);
        }
    }
    text_dispose(&value);
}

/* --- The table ---------------------------------------------------------------------------- */

static void add_row(struct table *table, const struct pair *pair, size_t param)
{
    const struct param *of = &pair->winners[0].kernel.rung.space->params[param];
    struct text why = {0};
    table_add(table, of->name);
    for (size_t i = 0; i < 2; i++) {
        struct text value = {0};
        point_format_value(&value, of, pair->winners[i].kernel.rung.config[param]);
        table_add(table, value.at);
        text_dispose(&value);
    }
    for (size_t i = 0; i < 2; i++)
        add_other(&why, pair, i, param);
    table_add(table, why.length ? why.at : "the journals have neither with the other's value");
    table->failed |= why.failed;
    text_dispose(&why);
}

static void print(struct text *out, const struct pair *pair, bool bold_titles)
{
    const struct compare_kernel *a = &pair->winners[0].kernel, *b = &pair->winners[1].kernel;
    char title[PROBLEM_CHARS];
    problem_format(title, pair->problem);
    const struct table_column columns[] = {{title, NULL, false},
                                           {pair->winners[0].gpu, NULL, false},
                                           {pair->winners[1].gpu, NULL, false},
                                           {"what is known of it", NULL, false}};
    struct table table = {.columns = columns, .column_count = 4};
    for (size_t p = 0; p < a->rung.space->param_count; p++)
        if (a->rung.config[p] != b->rung.config[p])
            add_row(&table, pair, p);
    if (table.row_count) {
        text_adds(out, "\n");
        table_show(out, &table, bold_titles);
    }
    table_dispose(&table);
}

static void print_pair(struct text *out, const struct comparison *comparison,
                       const struct compare_losses *losses, size_t side, bool bold_titles)
{
    const struct compare *compare = &comparison->compare;
    struct pair pair = {.comparison = comparison, .losses = losses};
    if (!find_line(&pair.line, compare, losses, side))
        return;
    pair.problem = &compare->lines[pair.line].problem;
    if (!open_winner(&pair.winners[0], &pair, 0))
        return;
    if (open_winner(&pair.winners[1], &pair, side)) {
        print(out, &pair, bold_titles);
        compare_kernel_close(&pair.winners[1].kernel);
    }
    compare_kernel_close(&pair.winners[0].kernel);
}

void compare_params_print(struct text *out, const struct comparison *comparison,
                          bool bold_titles)
{
    const struct compare *compare = &comparison->compare;
    for (size_t i = 0; i < compare->losses_count; i++)
        for (size_t s = 1; s < compare->side_count; s++)
            print_pair(out, comparison, &compare->losses[i], s, bold_titles);
}
