/* compare_losses: sorts the trials of all journals by their params, so that each config has a row of
 * times, and compares these with the winners' own. */
#include "autotune/compare/compare_losses.h"

#include "autotune/compare/compare_journal.h"
#include "autotune/print/table_fit.h"
#include "generator/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Trials ------------------------------------------------------------------------------- */

/* A time of a config in a cell. */
struct timed {
    char *params;
    size_t cell, order;
    uint64_t ps;
};

struct gathering {
    struct compare_losses *losses;
    struct timed *timed;
    size_t count;
};

static int add_timed(struct gathering *gathering, size_t cell, const char *params, uint64_t ps,
                     struct error *error)
{
    char *copy;
    if (array_grow(&gathering->timed, gathering->count, sizeof *gathering->timed, error))
        return -1;
    copy = strdup(params);
    if (!copy)
        return error_memory(error, strlen(params) + 1);
    gathering->timed[gathering->count] = (struct timed){copy, cell, gathering->count, ps};
    gathering->count++;
    return 0;
}

static bool is_timed(const struct trial *trial)
{
    return (trial->status == TRIAL_MEASURED || trial->status == TRIAL_EQUAL) &&
           trial->time_count > 0;
}

static bool has_winner(const struct journal *journal, const char *params)
{
    for (size_t i = 0; i < journal->count; i++)
        if (is_timed(&journal->trials[i].trial) &&
            strcmp(journal->trials[i].params, params) == 0)
            return true;
    return false;
}

/* Times of a journal compare with one another alone: without the winner's own the record's time
 * stands alone, which tells that the same config won elsewhere. */
static int add_journal(struct gathering *gathering, size_t cell, const struct record *record,
                       const char *cache, struct error *error)
{
    struct journal journal;
    int failed = 0;
    if (!compare_journal_load(&journal, cache, record))
        return add_timed(gathering, cell, record->params, record->median_ps, error);
    if (!has_winner(&journal, record->params)) {
        failed = add_timed(gathering, cell, record->params, record->median_ps, error);
        journal_close(&journal);
        return failed;
    }
    for (size_t i = 0; i < journal.count && !failed; i++) {
        const struct journal_trial *trial = &journal.trials[i];
        if (is_timed(&trial->trial))
            failed = add_timed(gathering, cell, trial->params,
                               compare_journal_least(&trial->trial), error);
    }
    journal_close(&journal);
    return failed;
}

/* --- Cells -------------------------------------------------------------------------------- */

static bool is_measured(const struct compare_line *line, size_t side)
{
    return line->cells[side].basis == COMPARE_MEASURED && line->cells[side].record;
}

/* Params of several spaces do not compare. */
static bool has_two(const struct compare *compare, const struct compare_line *line)
{
    const struct record *first = NULL;
    size_t count = 0;
    for (size_t s = 0; s < compare->side_count; s++) {
        const struct record *record = line->cells[s].record;
        if (!is_measured(line, s))
            continue;
        if (first && strcmp(record->space, first->space) != 0)
            return false;
        first = first ? first : record;
        count++;
    }
    return count > 1;
}

static int add_cells(struct gathering *gathering, const struct compare *compare,
                     const char *cache, struct error *error)
{
    struct compare_losses *losses = gathering->losses;
    for (size_t l = losses->first; l < losses->end; l++) {
        const struct compare_line *line = &compare->lines[l];
        for (size_t s = 0; s < compare->side_count && has_two(compare, line); s++) {
            if (!is_measured(line, s))
                continue;
            if (array_grow(&losses->cells, losses->cell_count, sizeof *losses->cells, error))
                return -1;
            losses->cells[losses->cell_count] =
                (struct compare_losses_cell){.line = l, .side = s};
            if (add_journal(gathering, losses->cell_count++, line->cells[s].record, cache,
                            error))
                return -1;
        }
    }
    return 0;
}

static int by_params(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    const int order = strcmp(x->params, y->params);
    return order ? order : x->order < y->order ? -1 : 1;
}

/* Of trials of the same params the last counts. */
static int make_rows(struct gathering *gathering, struct error *error)
{
    struct compare_losses *losses = gathering->losses;
    struct timed *const timed = gathering->timed;
    if (gathering->count)
        qsort(timed, gathering->count, sizeof *timed, by_params);
    losses->params = calloc(gathering->count + 1, sizeof *losses->params);
    losses->times =
        calloc((gathering->count + 1) * (losses->cell_count + 1), sizeof *losses->times);
    if (!losses->params || !losses->times)
        return error_memory(error, gathering->count * sizeof *losses->times);
    for (size_t i = 0; i < gathering->count; i++) {
        if (i == 0 || strcmp(timed[i].params, timed[i - 1].params) != 0)
            losses->params[losses->config_count++] = timed[i].params;
        losses->times[(losses->config_count - 1) * losses->cell_count + timed[i].cell] =
            timed[i].ps;
    }
    return 0;
}

/* Frees what is not the losses'. */
static void close_gathering(struct gathering *gathering)
{
    size_t config = 0;
    for (size_t i = 0; i < gathering->count; i++)
        if (config < gathering->losses->config_count &&
            gathering->timed[i].params == gathering->losses->params[config])
            config++;
        else
            free(gathering->timed[i].params);
    free(gathering->timed);
}

static uint64_t time_of(const struct compare_losses *losses, size_t config, size_t cell)
{
    return losses->times[config * losses->cell_count + cell];
}

static void find_winners(struct compare_losses *losses, const struct compare *compare)
{
    for (size_t i = 0; i < losses->cell_count; i++) {
        struct compare_losses_cell *cell = &losses->cells[i];
        const struct record *record = compare->lines[cell->line].cells[cell->side].record;
        while (strcmp(losses->params[cell->winner], record->params) != 0)
            cell->winner++;
        cell->own_ps = time_of(losses, cell->winner, i);
    }
}

int compare_losses_find(struct compare_losses *out, const struct compare *compare, size_t first,
                        const char *cache, struct error *error)
{
    struct gathering gathering = {.losses = out};
    *out = (struct compare_losses){.first = first, .end = compare_group_end(compare, first)};
    const int failed =
        add_cells(&gathering, compare, cache, error) || make_rows(&gathering, error);
    close_gathering(&gathering);
    if (failed) {
        compare_losses_dispose(out);
        return -1;
    }
    find_winners(out, compare);
    return 0;
}

void compare_losses_dispose(struct compare_losses *losses)
{
    for (size_t c = 0; c < losses->config_count; c++)
        free(losses->params[c]);
    free(losses->params);
    free(losses->times);
    free(losses->cells);
    *losses = (struct compare_losses){.first = 0};
}

/* --- Losses ------------------------------------------------------------------------------- */

/* In percent, negative where it is faster; false: not known. */
static bool find_loss(double *percent, const struct compare_losses *losses, size_t config,
                      size_t cell)
{
    const uint64_t ps = time_of(losses, config, cell), own = losses->cells[cell].own_ps;
    *percent = ps && own ? ((double)ps / (double)own - 1) * 100 : 0;
    return ps && own;
}

/* The number of the cell; cell_count = there is none. */
static size_t find_cell(const struct compare_losses *losses, size_t line, size_t side)
{
    size_t i = 0;
    while (i < losses->cell_count &&
           (losses->cells[i].line != line || losses->cells[i].side != side))
        i++;
    return i;
}

bool compare_losses_at(double *percent, const struct compare_losses *losses, size_t line,
                       size_t of, size_t on)
{
    const size_t from = find_cell(losses, line, of), to = find_cell(losses, line, on);
    *percent = 0;
    return from < losses->cell_count && to < losses->cell_count &&
           find_loss(percent, losses, losses->cells[from].winner, to);
}

bool compare_losses_config(double *percent, const struct compare_losses *losses,
                           const char *params, size_t line, size_t on)
{
    const size_t cell = find_cell(losses, line, on);
    size_t config = 0;
    *percent = 0;
    while (config < losses->config_count && strcmp(losses->params[config], params) != 0)
        config++;
    return config < losses->config_count && cell < losses->cell_count &&
           find_loss(percent, losses, config, cell);
}

struct sentence_range compare_losses_of(const struct compare_losses *losses, size_t config,
                                        size_t on)
{
    struct sentence_range range = {.count = 0};
    double percent;
    for (size_t i = 0; i < losses->cell_count; i++)
        if (losses->cells[i].side == on && find_loss(&percent, losses, config, i))
            sentence_extend(&range, percent);
    return range;
}

bool compare_losses_best(size_t *config, double *percent, const struct compare_losses *losses)
{
    bool is_found = false;
    for (size_t c = 0; c < losses->config_count && losses->cell_count; c++) {
        double most = -HUGE_VAL, loss;
        size_t i = 0;
        for (; i < losses->cell_count && find_loss(&loss, losses, c, i); i++)
            most = fmax(most, loss);
        if (i < losses->cell_count || (is_found && most >= *percent))
            continue;
        is_found = true;
        *config = c;
        *percent = most;
    }
    return is_found;
}

static size_t count_covered(const struct compare_losses *losses, size_t config, double percent,
                            const bool *is_covered)
{
    size_t count = 0;
    double loss;
    for (size_t i = 0; i < losses->cell_count; i++)
        count += !is_covered[i] && find_loss(&loss, losses, config, i) && loss <= percent;
    return count;
}

size_t compare_losses_cover(size_t *configs, const struct compare_losses *losses,
                            double percent)
{
    bool *is_covered = calloc(losses->cell_count + 1, sizeof *is_covered);
    size_t chosen = 0;
    double loss;
    for (size_t left = is_covered ? losses->cell_count : 0; left > 0;) {
        size_t best = 0, most = 0;
        for (size_t c = 0; c < losses->config_count; c++) {
            const size_t count = count_covered(losses, c, percent, is_covered);
            best = count > most ? c : best;
            most = count > most ? count : most;
        }
        configs[chosen++] = best;
        left -= most;
        for (size_t i = 0; i < losses->cell_count; i++)
            is_covered[i] |= find_loss(&loss, losses, best, i) && loss <= percent;
    }
    free(is_covered);
    return chosen;
}

/* --- For people --------------------------------------------------------------------------- */

static const double WITHIN = 2; /* percent */

static bool has_cells(const struct compare_losses *losses, size_t side)
{
    for (size_t i = 0; i < losses->cell_count; i++)
        if (losses->cells[i].side == side)
            return true;
    return false;
}

/* Over the sizes, what the winners of `of` lose on `on`. */
static struct sentence_range find_range(const struct compare_losses *losses, size_t of,
                                        size_t on)
{
    struct sentence_range range = {.count = 0};
    double percent;
    for (size_t l = losses->first; l < losses->end; l++)
        if (compare_losses_at(&percent, losses, l, of, on))
            sentence_extend(&range, percent);
    return range;
}

static void add_range(struct table *table, const struct sentence_range *range, bool *is_less)
{
    struct text text = {0};
    if (range->count)
        sentence_add_range(&text, range, 1);
    *is_less |= range->count && range->low < 0;
    table_add(table, text.at);
    table->failed |= text.failed;
    text_dispose(&text);
}

static void add_winners(struct table *table, const struct compare_losses *losses,
                        const struct compare *compare, size_t of, bool *is_less)
{
    table_addf(table, "winners of %s", compare->sides[of].name);
    for (size_t on = 0; on < compare->side_count; on++) {
        const struct sentence_range range = find_range(losses, of, on);
        if (has_cells(losses, on) && on == of)
            table_add(table, "-");
        else if (has_cells(losses, on))
            add_range(table, &range, is_less);
    }
}

static void add_one(struct table *table, const struct compare_losses *losses,
                    const struct compare *compare, size_t config, bool *is_less)
{
    table_add(table, "one config for all");
    for (size_t on = 0; on < compare->side_count; on++) {
        const struct sentence_range range = compare_losses_of(losses, config, on);
        if (has_cells(losses, on))
            add_range(table, &range, is_less);
    }
}

/* Are there losses of another GPU's winners? */
static bool is_known(const struct compare_losses *losses, const struct compare *compare)
{
    for (size_t of = 0; of < compare->side_count; of++)
        for (size_t on = 0; on < compare->side_count; on++)
            if (of != on && find_range(losses, of, on).count)
                return true;
    return false;
}

void compare_losses_add_most(struct text *out, double percent)
{
    text_adds(out, percent < 0 ? "at least " : "at most ");
    sentence_add_longer(out, &(struct sentence_range){percent, percent, 1}, 1);
    text_adds(out, " than a GPU's own winner");
}

static void add_covers(struct text *out, const struct compare_losses *losses)
{
    size_t *configs = calloc(losses->cell_count, sizeof *configs), best, count;
    double percent;
    struct text text = {0};
    out->failed |= !configs;
    if (compare_losses_best(&best, &percent, losses)) {
        text_adds(&text, "config for all of them, which takes ");
        compare_losses_add_most(&text, percent);
        text_addf(&text, ": %s", losses->params[best]);
        sentence_end(out, "one", &text);
    }
    count = configs ? compare_losses_cover(configs, losses, WITHIN) : 0;
    if (losses->end > losses->first + 1 && count) {
        text_addf(&text,
                  "%zu config%s enough to be within %.0f %% of the winner at every size "
                  "on each of these GPUs",
                  count, count == 1 ? " is" : "s are", WITHIN);
        sentence_end(out, "few", &text);
    }
    free(configs);
}

void compare_losses_print(struct text *out, const struct compare_losses *losses,
                          const struct compare *compare, bool bold_titles)
{
    struct table_column columns[1 + COMPARE_SIDES_MAX] = {{"longer by %", NULL, false}};
    struct table table = {.columns = columns, .column_count = 1};
    char titles[COMPARE_SIDES_MAX][sizeof compare->sides[0].name + 4];
    double percent;
    size_t best;
    bool is_less = false;
    struct text text = {0};
    if (!losses->cell_count)
        return;
    if (!is_known(losses, compare)) {
        text_adds(&text, "what the winners of one lose on the other is not known: 'autotune "
                         "--candidates FILE' measures those of the record file FILE first");
        sentence_end(out, "loss", &text);
        return;
    }
    for (size_t s = 0; s < compare->side_count; s++) {
        snprintf(titles[s], sizeof titles[s], "on %s", compare->sides[s].name);
        if (has_cells(losses, s))
            columns[table.column_count++] = (struct table_column){titles[s], NULL, true};
    }
    for (size_t s = 0; s < compare->side_count; s++)
        if (has_cells(losses, s))
            add_winners(&table, losses, compare, s, &is_less);
    if (compare_losses_best(&best, &percent, losses))
        add_one(&table, losses, compare, best, &is_less);
    table_show(out, &table, bold_titles);
    table_dispose(&table);
    if (is_less) {
        text_adds(&text,
                  "0: in the search it took less time than that GPU's own winner, which won "
                  "the last race, or is the simplest of those that cannot be told apart");
        sentence_end(out, "below", &text);
    }
    add_covers(out, losses);
}
