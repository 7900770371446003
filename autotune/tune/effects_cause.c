/* effects_cause: compares two kernels figure by figure. Hides what each figure is made of. */
#include "autotune/tune/effects_cause.h"

#include "autotune/device/host_trace.h"
#include "autotune/print/sentence.h"
#include "generator/call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Figures are told where they differ by this factor, the first so many. */
static const double WORSE = 1.1;
enum { CLAUSES_MAX = 3 };

static const double UNIT = 1024; /* elements */

/* --- Figures ------------------------------------------------------------------------------ */

/* Those of the accesses that the emulator sees one block make; there may be more loads than it
 * keeps. */
static void fill_pattern(struct effects_figures *out, const struct effects_subject *subject,
                         const int64_t *config, double elements)
{
    struct pattern pattern;
    struct error ignored;
    if (!subject->sources ||
        pattern_run(&pattern, subject->context, subject->sources, config, &ignored) ||
        !pattern.is_known || pattern.elements <= 0)
        return;
    const unsigned once = pattern.requests - pattern.passing_requests;
    if (pattern.loads < HOST_TRACE_LOADS_MAX)
        out->of[EFFECTS_LOADS] = pattern.loads * UNIT / pattern.elements;
    out->of[EFFECTS_ACCESSES] =
        once * UNIT / elements + pattern.passing_requests * UNIT / pattern.elements;
    out->of[EFFECTS_STEPS] = (double)pattern.step_count;
}

static void fill_analysis(struct effects_figures *out, const struct effects_subject *subject,
                          const int64_t *config, unsigned registers)
{
    const struct analysis known = {.is_compiled = true, .needs = {.registers = (int)registers}};
    const struct analysis_subject it = {.context = subject->context,
                                        .config = config,
                                        .peak_bytes = subject->peak_bytes};
    struct analysis analysis;
    struct error ignored;
    if (!registers || analysis_rerun(&analysis, &known, &it, &ignored))
        return;
    out->of[EFFECTS_WARPS] = analysis.occupancy.warps;
    if (analysis.wanted <= 0)
        return;
    out->of[EFFECTS_FLIGHT] = analysis.in_flight;
    out->wanted = analysis.wanted;
}

void effects_figures(struct effects_figures *out, const struct effects_subject *subject,
                     const int64_t *config, unsigned registers)
{
    struct planner_plan plan;
    struct error ignored;
    for (size_t f = 0; f < EFFECTS_FIGURES; f++)
        out->of[f] = EFFECTS_UNKNOWN;
    out->wanted = 0;
    if (call_plan(&plan, subject->context, config, &ignored) || !plan.count)
        return;
    const struct planner_launch *first = &plan.launches[plan.first];
    const double blocks = (double)first->keys[PLANNER_GRID];
    const double elements =
        fmax((double)first->keys[PLANNER_TILE], (double)dims_n(&first->dims) / blocks);
    out->of[EFFECTS_BLOCKS] = blocks;
    out->of[EFFECTS_LAUNCHES] = plan.count;
    fill_pattern(out, subject, config, elements);
    fill_analysis(out, subject, config, registers);
}

/* --- Clauses ------------------------------------------------------------------------------ */

/* What is said of a figure, before the slower's and between both. */
static const struct figure_row {
    const char *what;
    int digits;
    double scale; /* of what is shown */
    bool is_more_better;
} rows[EFFECTS_FIGURES] = {
    [EFFECTS_LOADS] = {"load instructions of a warp for 1024 elements", 1, 1, false},
    [EFFECTS_ACCESSES] = {"accesses of shared memory for 1024 elements", 1, 1, false},
    [EFFECTS_STEPS] = {"steps of a block in shared memory", 0, 1, false},
    [EFFECTS_WARPS] = {"warps on an SM", 0, 1, true},
    [EFFECTS_FLIGHT] = {"kB in flight on an SM", 1, 1e-3, true},
    [EFFECTS_BLOCKS] = {"blocks", 0, 1, false},
    [EFFECTS_LAUNCHES] = {"launches", 0, 1, false},
};

/* By which factor the slower's figure is worse; bytes past those that are enough change nothing.
 * 0 where one is unknown. */
static double worse(enum effects_figure figure, const struct effects_figures *faster,
                    const struct effects_figures *slower)
{
    double fast = faster->of[figure], slow = slower->of[figure];
    if (fast < 0 || slow < 0)
        return 0;
    if (figure == EFFECTS_FLIGHT) {
        fast = fmin(fast, faster->wanted);
        slow = fmin(slow, slower->wanted);
    }
    if (rows[figure].is_more_better)
        return slow > 0 ? fast / slow : 0;
    return fast > 0 ? slow / fast : slow > 0 ? HUGE_VAL : 0;
}

static void add_number(struct text *out, double value, const struct figure_row *row)
{
    const double shown = value * row->scale;
    if (value <= 0)
        text_adds(out, "none");
    else if (shown >= 10000)
        sentence_add_about(out, (uint64_t)shown);
    else
        sentence_add_fixed(out, shown, shown < 10 ? row->digits : 0);
}

static void add_clause(struct text *out, enum effects_figure figure,
                       const struct effects_figures *faster,
                       const struct effects_figures *slower)
{
    const struct figure_row *row = &rows[figure];
    add_number(out, slower->of[figure], row);
    text_addf(out, " %s, not ", row->what);
    add_number(out, faster->of[figure], row);
    if (figure != EFFECTS_FLIGHT)
        return;
    text_adds(out, " (");
    sentence_add_fixed(out, slower->wanted / 1e3, 1);
    text_adds(out, " are enough)");
}

void effects_cause_compare(struct text *out, const struct effects_figures *faster,
                           const struct effects_figures *slower)
{
    bool is_told[EFFECTS_FIGURES] = {false};
    for (size_t told = 0; told < CLAUSES_MAX; told++) {
        int most = -1;
        for (int f = 0; f < EFFECTS_FIGURES; f++)
            if (!is_told[f] && worse((enum effects_figure)f, faster, slower) >= WORSE &&
                (most < 0 || worse((enum effects_figure)f, faster, slower) >
                                 worse((enum effects_figure)most, faster, slower)))
                most = f;
        if (most < 0)
            return;
        text_adds(out, told ? "; " : "");
        add_clause(out, (enum effects_figure)most, faster, slower);
        is_told[most] = true;
    }
}

/* --- Sentences ---------------------------------------------------------------------------- */

static void add_value(struct text *out, const struct effects *effects,
                      const struct effects_param *one, size_t value)
{
    point_format_value(out, &effects->space->params[one->param], one->values[value].value);
}

static void write_sentence(struct text *out, const struct effects *effects,
                           const struct effects_param *one, const struct text *clauses)
{
    if (!effects_is_told(effects, one)) {
        text_adds(out, "no difference that can be told: the best with ");
        add_value(out, effects, one, one->worst);
        text_adds(out, " takes ");
        sentence_add_fixed(out, one->effect, 3);
        text_adds(out, " times as long as that with ");
        add_value(out, effects, one, one->best);
        return;
    }
    add_value(out, effects, one, one->worst);
    text_adds(out, " takes ");
    sentence_add_fixed(out, one->effect, 2);
    text_adds(out, " times as long as ");
    add_value(out, effects, one, one->best);
    text_adds(out, clauses->length ? ": its best has " : ", and no figure here says why");
    text_adds(out, clauses->length ? clauses->at : "");
}

/* Figures by trial, computed once: the best of all is the best with a value of each param. */
struct computed {
    size_t *trials;
    struct effects_figures *figures;
    size_t count;
};

static const struct effects_figures *compute(struct computed *all,
                                             const struct effects *effects,
                                             const struct effects_subject *subject,
                                             size_t trial)
{
    size_t i = 0;
    while (i < all->count && all->trials[i] != trial)
        i++;
    if (i == all->count) {
        all->trials[all->count++] = trial;
        effects_figures(&all->figures[i], subject, effects_config(effects, trial),
                        effects->trials[trial].registers);
    }
    return &all->figures[i];
}

static void explain(struct effects_param *one, const struct effects *effects,
                    const struct effects_subject *subject, struct computed *all)
{
    struct text clauses = {0}, sentence = {0};
    if (effects_is_told(effects, one))
        effects_cause_compare(&clauses,
                              compute(all, effects, subject, one->values[one->best].best),
                              compute(all, effects, subject, one->values[one->worst].best));
    write_sentence(&sentence, effects, one, &clauses);
    snprintf(one->why, sizeof one->why, "%s",
             sentence.failed || clauses.failed || !sentence.at ? "" : sentence.at);
    text_dispose(&clauses);
    text_dispose(&sentence);
}

void effects_explain(struct effects *effects, const struct effects_subject *subject)
{
    const size_t most = 2 * effects->param_count + 1;
    struct computed all = {.trials = calloc(most, sizeof *all.trials),
                           .figures = calloc(most, sizeof *all.figures)};
    for (size_t a = 0; a < effects->param_count && all.trials && all.figures; a++)
        explain(&effects->params[a], effects, subject, &all);
    free(all.trials);
    free(all.figures);
}
