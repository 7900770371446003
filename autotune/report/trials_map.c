/* trials_map: cuts params into words, and names the map. */
#include "autotune/report/trials_map.h"

#include "autotune/print/figures.h"
#include "generator/point.h"

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
        const bool is_choice = (name == strlen(first) && strncmp(at, first, name) == 0) ||
                               (name == strlen(second) && strncmp(at, second, name) == 0);
        if (!is_choice && used + word + 2 < size)
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

void trials_map_explain(struct heat_map *map, const struct space *space)
{
    struct heat_side *const sides[] = {&map->rows, &map->columns};
    for (size_t i = 0; i < 2; i++) {
        const int param = space_find_param(space, sides[i]->name, strlen(sides[i]->name));
        if (param >= 0)
            snprintf(sides[i]->meaning, sizeof sides[i]->meaning, "%s",
                     space->params[param].meaning);
    }
}

int trials_map_make(struct heat_map **out, const char *axes, const char *params,
                    const struct problem *problem, struct error *error)
{
    struct heat_map *map = *out = calloc(1, sizeof *map);
    char words[PROBLEM_CHARS];
    if (!map)
        return error_memory(error, sizeof *map);
    if (choose_axes(map, axes, params, error)) {
        free(map);
        *out = NULL;
        return -1;
    }
    snprintf(map->figure.title, sizeof map->figure.title, "Trials of %s: GB/s by %s and %s",
             problem_format(words, problem), map->rows.name, map->columns.name);
    snprintf(map->unit, sizeof map->unit, "GB/s");
    return 0;
}

/* --- Trials ------------------------------------------------------------------------------- */

void trials_map_add(struct heat_map *map, const struct problem *problem, const char *params,
                    uint64_t ps)
{
    char row[WORD], column[WORD], others[200];
    if (!find_value(row, params, map->rows.name) ||
        !find_value(column, params, map->columns.name))
        return;
    write_others(others, sizeof others, params, map->rows.name, map->columns.name);
    heat_map_add(map, row, column, figures_gbs(problem, ps), others);
}

static void add_all(struct heat_map *map, const struct effects *effects,
                    const struct problem *problem)
{
    struct text params = {0};
    for (size_t i = 0; i < effects->count; i++) {
        text_clear(&params);
        point_format(&params, effects->space, effects_config(effects, i), true);
        if (params.at)
            trials_map_add(map, problem, params.at, effects->trials[i].ps);
    }
    text_dispose(&params);
}

int trials_map_of_effects(struct heat_map **out, const char *axes,
                          const struct effects *effects, const struct problem *problem,
                          struct error *error)
{
    struct text params = {0}, greatest = {0};
    size_t two[2];
    point_format(&params, effects->space, effects_config(effects, effects->best), true);
    if (effects_greatest(effects, two))
        text_addf(&greatest, "%s,%s",
                  effects->space->params[effects->params[two[0]].param].name,
                  effects->space->params[effects->params[two[1]].param].name);
    int failed = text_check(&params, error) || text_check(&greatest, error) ||
                 trials_map_make(out, axes ? axes : greatest.at, params.at ? params.at : "",
                                 problem, error);
    if (!failed) {
        trials_map_explain(*out, effects->space);
        add_all(*out, effects, problem);
    }
    text_dispose(&params);
    text_dispose(&greatest);
    return failed ? -1 : 0;
}
