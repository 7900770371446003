/* effects_print: chooses the words for what the trials are. */
#include "autotune/tune/effects_print.h"

#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"

void effects_add_basis(struct text *out, const struct effects *effects)
{
    text_addf(
        out,
        "of each value of %zu params the fastest that was tried with it, whatever its other "
        "values; %zu ",
        effects->param_count, effects->count);
    if (effects->candidates)
        text_addf(out, "of %zu candidates have a time", effects->candidates);
    else
        text_adds(out, "candidates have a time");
}

/* Fewer rounds have no interval of 95 %: the range of all, which is given then, covers less. */
enum { ROUNDS_ENOUGH = 6 };

/* The rows, those of them by turns, and those of few rounds among these. */
struct rows {
    size_t count, raced, few;
};

static struct rows count_rows(const struct effects *effects)
{
    struct rows rows = {0};
    for (size_t a = 0; a < effects->param_count; a++)
        for (size_t v = 0; v < effects->params[a].count; v++) {
            const struct effects_value *value = &effects->params[a].values[v];
            const bool is_raced = value->high > 0;
            rows.count++;
            rows.raced += is_raced;
            rows.few += is_raced && effects->trials[value->best].times < ROUNDS_ENOUGH;
        }
    return rows;
}

static void add_search(struct text *out, const struct effects *effects)
{
    text_adds(out, " in the search, which measures once or twice, too few for an interval");
    if (effects->noise <= 0)
        return;
    text_adds(out, "; its times of one kernel spread by ");
    sentence_add_fixed(out, 100 * effects->noise, 2);
    text_adds(out, " %");
}

void effects_add_times(struct text *out, const struct effects *effects)
{
    const struct rows rows = count_rows(effects);
    text_adds(out, "the time over that of the best of all");
    if (rows.raced)
        text_adds(out,
                  ", by turns in the final race: the median of the ratios of so many rounds, "
                  "with its 95 % interval");
    if (rows.few)
        text_adds(out, " (of fewer than 6 the range of all, which covers less: of 4 88 %)");
    if (rows.raced && rows.raced < rows.count)
        text_adds(out, "; without an interval,");
    if (rows.raced < rows.count)
        add_search(out, effects);
}

static void add_label(struct text *out, const char *label, struct text *words)
{
    sentence_end(out, label, words);
}

static void add_causes(struct text *out, const struct effects *effects)
{
    bool is_first = true;
    for (size_t a = 0; a < effects->param_count; a++) {
        const struct effects_param *one = &effects->params[a];
        struct text words = {0};
        if (!*one->why)
            continue;
        text_addf(&words, "%s: %s", effects->space->params[one->param].name, one->why);
        add_label(out, is_first ? "why" : "", &words);
        is_first = false;
    }
}

void effects_print(struct text *out, const struct effects *effects, bool is_host,
                   bool bold_titles)
{
    struct text basis = {0}, times = {0};
    struct table table;
    effects_table(&table, effects);
    effects_add_basis(&basis, effects);
    add_label(out, "effects", &basis);
    table_show(out, &table, bold_titles);
    effects_add_times(&times, effects);
    add_label(out, "x best", &times);
    add_causes(out, effects);
    if (is_host)
        text_adds(out, "          emulated: no model of a GPU's speed\n");
    table_dispose(&table);
}
