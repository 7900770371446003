/* report_trials: draws the trials of the headline's search as a heat map of two params; for a
 * GPU without records the figures that documents published by threads and elements per
 * thread. */
#include "autotune/report/report_sections.h"

#include "autotune/compare/compare_journal.h"
#include "autotune/print/figures.h"
#include "autotune/report/trials_map.h"
#include "autotune/search/strategy.h"
#include "autotune/tune/effects_cause.h"
#include "autotune/tune/effects_print.h"
#include "autotune/tune/effects_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = HEAT_MAP_LABEL };

/* --- The journal -------------------------------------------------------------------------- */

static void say_best(struct report *report, const struct heat_map *map)
{
    const char *row, *column;
    const struct heat_cell *best = heat_map_best(map, &row, &column);
    char value[NUMBER_CHARS];
    document_add(
        &report->document, DOCUMENT_TEXT,
        "Each cell has the best of all trials with these two values, whatever their other "
        "params: %zu in all. The best single time had %s=%s %s=%s: %s GB/s. These are the "
        "search's times, taken once; the winner is chosen from interleaved rounds, and "
        "may be another of those that tie.",
        map->count, map->rows.name, row, map->columns.name, column,
        figures_short(value, best->value, 4));
}

/* The map of all trials of a journal. */
static int map_journal(struct heat_map **out, const struct report *report,
                       const struct journal *journal, struct error *error)
{
    const struct record *record = report->headline;
    if (trials_map_make(out, report->request->axes, record->params, &record->problem, error))
        return -1;
    for (size_t i = 0; i < journal->count; i++) {
        const uint64_t ps = compare_journal_least(&journal->trials[i].trial);
        if (ps)
            trials_map_add(*out, &record->problem, journal->trials[i].params, ps);
    }
    return 0;
}

/* --- What each param does ------------------------------------------------------------------ */

static void add_bar(struct bar_chart *chart, const struct report *report,
                    const struct effects *effects, const struct effects_param *one,
                    const struct effects_value *value)
{
    const struct param *param = &effects->space->params[one->param];
    const struct problem *problem = &report->headline->problem;
    struct text word = {0}, unlike = {0};
    struct bar bar = {.value = figures_gbs(problem, effects->trials[value->best].ps),
                      .kind = report->headline->source == RECORD_EMULATED ? BAR_EMULATED
                                                                          : BAR_MEASURED};
    point_format_value(&word, param, value->value);
    point_format_unlike(&unlike, effects->space, effects_config(effects, value->best),
                        effects_config(effects, effects->best));
    snprintf(bar.label, sizeof bar.label, "%s=%s", param->name, word.at ? word.at : "");
    snprintf(bar.note, sizeof bar.note, "%.3f times the best's time, of %zu tried%s%s",
             value->ratio, value->tried, unlike.at ? ", unlike it in " : "",
             unlike.at ? unlike.at : "");
    bar_chart_add(chart, &bar);
    text_dispose(&word);
    text_dispose(&unlike);
}

static struct bar_chart *draw_effects(const struct report *report,
                                      const struct effects *effects)
{
    struct bar_chart *chart = calloc(1, sizeof *chart);
    char words[PROBLEM_CHARS];
    if (!chart)
        return NULL;
    snprintf(chart->figure.title, sizeof chart->figure.title,
             "Axes of %s: the best GB/s with each value",
             problem_format(words, &report->headline->problem));
    snprintf(chart->unit, sizeof chart->unit, "GB/s");
    chart->digits = 4;
    for (size_t a = 0; a < effects->param_count; a++)
        for (size_t v = 0; v < effects->params[a].count; v++)
            add_bar(chart, report, effects, &effects->params[a], &effects->params[a].values[v]);
    return chart;
}

static void add_effects(struct report *report, const struct effects *effects)
{
    struct document *document = &report->document;
    struct text basis = {0}, times = {0};
    effects_add_basis(&basis, effects);
    effects_add_times(&times, effects);
    document->failed |= basis.failed || times.failed;
    document_add(document, DOCUMENT_TEXT, "Shown is %s. A factor is %s.",
                 basis.at ? basis.at : "", times.at ? times.at : "");
    document_figure(document, &bar_chart_kind, draw_effects(report, effects));
    for (size_t a = 0; a < effects->param_count; a++)
        if (*effects->params[a].why)
            document_add(document, DOCUMENT_TEXT, "%s: %s.",
                         effects->space->params[effects->params[a].param].name,
                         effects->params[a].why);
    text_dispose(&basis);
    text_dispose(&times);
}

/* Of a space that is searched whole its axes, and the map of its trials alone; NULL where the journal
 * has none. What other searches leave out is in no figure of a param. */
static int map_effects(struct heat_map **out, struct report *report,
                       const struct journal *journal, const struct point_context *context,
                       const struct emit_sources *sources, struct error *error)
{
    const struct effects_subject subject = {context, sources, report->subject->side.peak_bytes};
    struct effects effects = {.space = context->space};
    int failed = effects_read_journal(&effects, context, journal, error);
    if (!failed && effects.param_count) {
        effects_explain(&effects, &subject);
        add_effects(report, &effects);
        failed = trials_map_of_effects(out, report->request->axes, &effects, context->problem,
                                       error);
    }
    effects_dispose(&effects);
    return failed ? -1 : 0;
}

/* The map of trials of the headline's kernel. */
static int map_kernel(struct heat_map **out, struct report *report,
                      const struct journal *journal, const struct compare_kernel *kernel,
                      const struct target *target, struct error *error)
{
    const struct space *space = kernel->rung.space;
    const struct point_context context = {space, &report->headline->problem, target};
    if (strategy_space_is_whole(space) &&
        map_effects(out, report, journal, &context, &kernel->sources, error))
        return -1;
    if (!*out && map_journal(out, report, journal, error))
        return -1;
    trials_map_explain(*out, space);
    return 0;
}

/* NULL where there is no journal. */
static int make_map(struct heat_map **out, struct report *report, struct error *error)
{
    struct compare_kernel kernel;
    struct target target;
    struct journal journal;
    struct error ignored;
    *out = NULL;
    if (!compare_journal_load(&journal, report->request->cache, report->headline))
        return 0;
    const bool is_here = report_kernel(&kernel, &target, report, &ignored) == 0;
    const int failed = is_here ? map_kernel(out, report, &journal, &kernel, &target, error)
                               : map_journal(out, report, &journal, error);
    if (is_here)
        compare_kernel_close(&kernel);
    journal_close(&journal);
    return failed;
}

/* --- Documents ---------------------------------------------------------------------------- */

static bool is_grid(const struct published *published)
{
    for (size_t i = 0; i < published->figure_count; i++)
        if (published->figures[i].ps && published->figures[i].at[PUBLISHED_ITEMS].is_there &&
            published->figures[i].at[PUBLISHED_THREADS].is_there)
            return true;
    return false;
}

/* Are there times without the document's own GB/s? */
static bool has_computed(const struct published *published)
{
    for (size_t i = 0; i < published->figure_count; i++)
        if (published->figures[i].ps && !published->figures[i].at[PUBLISHED_GBS].is_there)
            return true;
    return false;
}

static struct heat_map *draw_published(const struct published *published)
{
    struct heat_map *map = calloc(1, sizeof *map);
    if (!map)
        return NULL;
    snprintf(map->figure.title, sizeof map->figure.title,
             "Published by %.70s: the best GB/s by block and elements%s", published->source,
             has_computed(published) ? ", or computed from its times" : "");
    snprintf(map->unit, sizeof map->unit, "GB/s");
    snprintf(map->rows.name, sizeof map->rows.name, "threads");
    snprintf(map->rows.meaning, sizeof map->rows.meaning, "per block");
    snprintf(map->columns.name, sizeof map->columns.name, "elements");
    snprintf(map->columns.meaning, sizeof map->columns.meaning, "per thread at load");
    for (size_t i = 0; i < published->figure_count; i++) {
        const struct published_figure *figure = &published->figures[i];
        const struct published_number *at = figure->at;
        const struct published_kernel *kernel = &published->kernels[figure->kernel];
        char row[WORD], column[WORD];
        if (!figure->ps || !at[PUBLISHED_THREADS].is_there || !at[PUBLISHED_ITEMS].is_there)
            continue;
        snprintf(row, sizeof row, "%" PRIu64, at[PUBLISHED_THREADS].digits);
        snprintf(column, sizeof column, "%" PRIu64, at[PUBLISHED_ITEMS].digits);
        const struct published_value gbs = published_gbs(published, figure);
        char detail[120];
        snprintf(detail, sizeof detail, "%.90s%s", kernel->kernel,
                 gbs.is_own ? "" : " (computed from its time)");
        heat_map_add(map, row, column, gbs.value, detail);
        map->digits = map->digits && map->digits < gbs.digits ? map->digits : gbs.digits;
    }
    return map;
}

static bool add_published(struct report *report)
{
    const struct compare_input *subject = report->subject;
    bool is_any = false;
    for (size_t i = 0; subject && i < subject->published_count; i++)
        if (is_grid(subject->published[i])) {
            document_figure(&report->document, &heat_map_kind,
                            draw_published(subject->published[i]));
            is_any = true;
        }
    return is_any;
}

/* --- The section -------------------------------------------------------------------------- */

int report_trials(struct report *report, struct error *error)
{
    struct document *document = &report->document;
    document_add(document, DOCUMENT_SECTION, "What was tried");
    if (!report->headline) {
        if (!add_published(report))
            document_add(document, DOCUMENT_MISSING,
                         "No search ran on this GPU here, so there are no trials to show.");
        return 0;
    }
    struct heat_map *map;
    if (make_map(&map, report, error))
        return -1;
    if (!map || !map->count) {
        document_add(
            document, DOCUMENT_MISSING,
            "The journal of this record's search is not here, so there are no trials to "
            "show: it stays in the folder journal/ where the tuning ran.");
        free(map);
        return 0;
    }
    say_best(report, map);
    document_figure(document, &heat_map_kind, map);
    return 0;
}
