/* effects: keeps trials with their configs, and picks the best with each value. */
#include "autotune/tune/effects.h"

#include "autotune/print/figures.h"
#include "generator/array.h"
#include "generator/point.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void effects_dispose(struct effects *effects)
{
    for (size_t a = 0; a < effects->param_count; a++)
        free(effects->params[a].values);
    free(effects->params);
    free(effects->trials);
    free(effects->configs);
    *effects = (struct effects){.space = effects->space};
}

const int64_t *effects_config(const struct effects *effects, size_t trial)
{
    assert(trial < effects->count);
    return effects->configs + trial * effects->space->param_count;
}

int effects_add(struct effects *effects, const int64_t *config,
                const struct effects_trial *trial, struct error *error)
{
    const size_t width = effects->space->param_count * sizeof *config;
    assert(trial->ps > 0);
    if (array_grow(&effects->trials, effects->count, sizeof *effects->trials, error) ||
        array_grow(&effects->configs, effects->count, width, error))
        return -1;
    effects->trials[effects->count] = *trial;
    memcpy(effects->configs + effects->count * effects->space->param_count, config, width);
    effects->count++;
    return 0;
}

/* --- The best with each value ------------------------------------------------------------- */

/* By turns where both were raced: the search's times are few. */
static bool is_faster(const struct effects_trial *one, const struct effects_trial *other)
{
    return one->raced_ps && other->raced_ps ? one->choice < other->choice : one->ps < other->ps;
}

static void compare(struct effects_value *out, const struct effects *effects)
{
    const struct effects_trial *trial = &effects->trials[out->best];
    const struct effects_trial *best = &effects->trials[effects->best];
    out->ratio = (double)trial->ps / (double)best->ps;
    if (!trial->raced_ps || !best->raced_ps)
        return;
    out->ratio = trial->ratio / best->ratio;
    out->low = trial->ratio_low / best->ratio;
    out->high = trial->ratio_high / best->ratio;
}

/* Finds the value among the trials; its `tried` is 0 where none has it. */
static struct effects_value find_value(const struct effects *effects, size_t param,
                                       int64_t value)
{
    struct effects_value out = {.value = value};
    for (size_t i = 0; i < effects->count; i++) {
        if (effects_config(effects, i)[param] != value)
            continue;
        if (!out.tried++ || is_faster(&effects->trials[i], &effects->trials[out.best]))
            out.best = i;
    }
    if (out.tried)
        compare(&out, effects);
    return out;
}

static void choose_values(struct effects_param *one, const struct effects *effects)
{
    const struct effects_value *const values = one->values;
    for (size_t v = 1; v < one->count; v++)
        if (is_faster(&effects->trials[values[v].best],
                      &effects->trials[values[one->best].best]))
            one->best = v;
    one->worst = one->best == 0;
    for (size_t v = 0; v < one->count; v++)
        if (v != one->best && values[v].ratio > values[one->worst].ratio)
            one->worst = v;
    one->effect =
        one->count > 1 ? fmax(1, values[one->worst].ratio / values[one->best].ratio) : 1;
}

static int find_param(struct effects_param *out, const struct effects *effects, size_t param,
                      struct error *error)
{
    const struct param *row = &effects->space->params[param];
    *out = (struct effects_param){.param = param};
    out->values = calloc(row->count + 1, sizeof *out->values);
    if (!out->values)
        return error_memory(error, row->count * sizeof *out->values);
    for (size_t k = 0; k < row->count; k++) {
        const struct effects_value value = find_value(effects, param, row->values[k]);
        if (!value.tried)
            continue;
        out->values[out->count] = value;
        out->count++;
    }
    choose_values(out, effects);
    return 0;
}

int effects_find(struct effects *effects, struct error *error)
{
    const size_t params = effects->space->param_count;
    assert(!effects->params);
    effects->params = calloc(params + 1, sizeof *effects->params);
    if (!effects->params)
        return error_memory(error, params * sizeof *effects->params);
    for (size_t i = 1; i < effects->count; i++)
        if (is_faster(&effects->trials[i], &effects->trials[effects->best]))
            effects->best = i;
    for (size_t p = 0; p < params; p++) {
        struct effects_param *one = &effects->params[effects->param_count];
        if (find_param(one, effects, p, error))
            return -1;
        if (one->count > 1)
            effects->param_count++;
        else
            free(one->values);
    }
    return 0;
}

/* Of times that the search took once or twice. */
static const double TOLD = 0.01, TOLD_SPREADS = 3;

bool effects_is_told(const struct effects *effects, const struct effects_param *one)
{
    const struct effects_value *best = &one->values[one->best];
    const struct effects_value *worst = &one->values[one->worst];
    return best->high > 0 && worst->high > 0
               ? worst->low > best->high
               : one->effect > 1 + fmax(TOLD, TOLD_SPREADS * effects->noise);
}

/* --- Two of them -------------------------------------------------------------------------- */

bool effects_greatest(const struct effects *effects, size_t two[2])
{
    const struct effects_param *all = effects->params;
    if (effects->param_count < 2)
        return false;
    two[0] = 0;
    for (size_t a = 1; a < effects->param_count; a++)
        if (all[a].effect > all[two[0]].effect)
            two[0] = a;
    two[1] = two[0] == 0;
    for (size_t a = 0; a < effects->param_count; a++)
        if (a != two[0] && all[a].effect > all[two[1]].effect)
            two[1] = a;
    return true;
}

/* --- The table ---------------------------------------------------------------------------- */

/* People read a param once, and what makes a candidate another than the best. */
static const struct table_column columns[] = {
    {"param", NULL, false},
    {NULL, "param", false},
    {"value", "value", true},
    {"tried", "tried", true},
    {"us", "us", true},
    {"x best", "ratio", true},
    {"95 % interval", NULL, true},
    {NULL, "ratio_low", true},
    {NULL, "ratio_high", true},
    {"times", "times", true},
    {"unlike the best", NULL, false},
    {NULL, "params", false},
};

/* The best of all has no interval: its ratio is 1. */
static void add_times(struct table *out, const struct effects *effects,
                      const struct effects_value *value)
{
    const struct effects_trial *trial = &effects->trials[value->best];
    const bool has_interval = value->high > 0 && value->best != effects->best;
    char us[NUMBER_CHARS];
    table_add(out, figures_us(us, trial->raced_ps ? trial->raced_ps : trial->ps));
    table_addf(out, "%.4f", value->ratio);
    if (has_interval)
        table_addf(out, "%.4f to %.4f", value->low, value->high);
    else
        table_add(out, NULL);
    table_add_number(out, has_interval, 4, value->low);
    table_add_number(out, has_interval, 4, value->high);
    table_add_number(out, trial->times > 0, 0, trial->times);
}

static void add_config(struct table *out, const struct effects *effects, size_t trial)
{
    const int64_t *config = effects_config(effects, trial);
    struct text unlike = {0}, params = {0};
    point_format_unlike(&unlike, effects->space, config,
                        effects_config(effects, effects->best));
    point_format(&params, effects->space, config, true);
    table_add(out, trial == effects->best ? "the best of all" : unlike.at ? unlike.at : "");
    table_add(out, params.at ? params.at : "");
    out->failed |= unlike.failed || params.failed;
    text_dispose(&unlike);
    text_dispose(&params);
}

void effects_table(struct table *out, const struct effects *effects)
{
    *out = (struct table){.columns = columns, .column_count = sizeof columns / sizeof *columns};
    for (size_t a = 0; a < effects->param_count; a++) {
        const struct effects_param *one = &effects->params[a];
        const struct param *param = &effects->space->params[one->param];
        for (size_t v = 0; v < one->count; v++) {
            const struct effects_value *value = &one->values[v];
            struct text word = {0};
            point_format_value(&word, param, value->value);
            table_add(out, v == 0 ? param->name : "");
            table_add(out, param->name);
            table_add(out, word.at);
            table_addf(out, "%zu", value->tried);
            add_times(out, effects, value);
            add_config(out, effects, value->best);
            text_dispose(&word);
        }
    }
}
