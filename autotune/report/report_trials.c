/* report_trials: draws the trials of the headline's search as a heat map of two params; for a
 * GPU without records the figures that documents published by threads and elements per
 * thread. */
#include "autotune/report/report_sections.h"

#include "autotune/compare/compare_journal.h"
#include "autotune/print/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = HEAT_MAP_LABEL };

/* --- Params as text ----------------------------------------------------------------------- */

/* The value of a param in "BLOCK=256 ITEMS=16"; false when it is not there or too long. */
static bool find_value(char out[WORD], const char *params, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = params; *at; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word > length && at[length] == '=' && strncmp(at, name, length) == 0) {
            snprintf(out, WORD, "%.*s", (int)(word - length - 1), at + length + 1);
            return word - length - 1 < WORD;
        }
        at += word;
    }
    return false;
}

/* The params but for two of them. */
static void write_others(char *out, size_t size, const char *params, const char *first,
                         const char *second)
{
    size_t used = 0;
    *out = '\0';
    for (const char *at = params; *at; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " "), name = strcspn(at, "=");
        const bool is_axis = (name == strlen(first) && strncmp(at, first, name) == 0) ||
                             (name == strlen(second) && strncmp(at, second, name) == 0);
        if (!is_axis && used + word + 2 < size)
            used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? " " : "",
                                     (int)word, at);
        at += word;
    }
}

/* --- Axes --------------------------------------------------------------------------------- */

/* Names between '=' or ',': of --axes, else the first two of the params. */
static int choose_axes(struct heat_map *map, const char *axes, const char *params,
                       struct error *error)
{
    const char *at = axes ? axes : params, *const stop = axes ? "," : "=";
    const size_t first = strcspn(at, stop);
    const char *second = at + first;
    second += axes ? (*second == ',') : strcspn(second, " ");
    second += strspn(second, " ");
    snprintf(map->rows.name, WORD, "%.*s", (int)first, at);
    snprintf(map->columns.name, WORD, "%.*s", (int)strcspn(second, stop), second);
    char value[WORD];
    if (!axes || (strcmp(map->rows.name, map->columns.name) != 0 &&
                  find_value(value, params, map->rows.name) &&
                  find_value(value, params, map->columns.name)))
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "--axes is '%.60s': give two different params of the record, separated by a "
        "comma: it has %s",
        axes, params);
}

/* Explains the axes, where the space is known. */
static void explain_axes(struct heat_map *map, const struct space *space)
{
    struct heat_side *const sides[] = {&map->rows, &map->columns};
    for (size_t i = 0; i < 2; i++) {
        const int param = space_find_param(space, sides[i]->name, strlen(sides[i]->name));
        if (param >= 0)
            snprintf(sides[i]->meaning, sizeof sides[i]->meaning, "%s",
                     space->params[param].meaning);
    }
}

/* --- The journal -------------------------------------------------------------------------- */

static void add_trials(struct heat_map *map, const struct journal *journal,
                       const struct problem *problem)
{
    for (size_t i = 0; i < journal->count; i++) {
        const struct journal_trial *trial = &journal->trials[i];
        const uint64_t ps = compare_journal_least(&trial->trial);
        char row[WORD], column[WORD], others[200];
        if (!ps || !find_value(row, trial->params, map->rows.name) ||
            !find_value(column, trial->params, map->columns.name))
            continue;
        write_others(others, sizeof others, trial->params, map->rows.name, map->columns.name);
        heat_map_add(map, row, column, figures_gbs(problem, ps), others);
    }
}

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

/* Adds the journal's trials for the headline to `map`; nothing where there is no journal. */
static int fill_map(struct heat_map *map, const struct report *report, struct error *error)
{
    const struct record *record = report->headline;
    struct compare_kernel kernel;
    struct target target;
    struct journal journal;
    struct error ignored;
    char problem[PROBLEM_CHARS];
    if (choose_axes(map, report_own(report)->axes, record->params, error))
        return -1;
    if (!compare_journal_load(&journal, report->request->cache, record))
        return 0;
    snprintf(map->figure.title, sizeof map->figure.title, "Trials of %s: GB/s by %s and %s",
             problem_format(problem, &record->problem), map->rows.name, map->columns.name);
    snprintf(map->unit, sizeof map->unit, "GB/s");
    add_trials(map, &journal, &record->problem);
    journal_close(&journal);
    if (report_kernel(&kernel, &target, report, &ignored) == 0) {
        explain_axes(map, kernel.rung.space);
        compare_kernel_close(&kernel);
    }
    return 0;
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
    struct heat_map *map = calloc(1, sizeof *map);
    if (!map)
        return error_memory(error, sizeof *map);
    if (fill_map(map, report, error)) {
        free(map);
        return -1;
    }
    if (!map->count) {
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
