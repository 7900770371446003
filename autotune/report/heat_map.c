/* heat_map: collects cells and orders their labels. */
#include "autotune/report/heat_map.h"

#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "autotune/report/markup.h"

#include <stdio.h>
#include <string.h>

/* --- Values ------------------------------------------------------------------------------- */

/* Numbers are in order of size; a word comes after all labels before it. */
static bool is_before(const char *a, const char *b)
{
    uint64_t x, y;
    struct error ignored;
    return number_parse_count(&x, a, "", &ignored) == 0 &&
           number_parse_count(&y, b, "", &ignored) == 0 && x < y;
}

/* The place of a label, which is added where it is new; -1: there is no room. */
static int find_label(struct heat_side *side, const char *label)
{
    for (size_t i = 0; i < side->count; i++)
        if (strcmp(side->labels[i], label) == 0)
            return (int)i;
    if (side->count == HEAT_MAP_SIDE_MAX || strlen(label) >= HEAT_MAP_LABEL)
        return -1;
    const size_t added = side->count++;
    snprintf(side->labels[added], HEAT_MAP_LABEL, "%s", label);
    size_t at = added;
    for (; at > 0 && is_before(label, side->labels[side->order[at - 1]]); at--)
        side->order[at] = side->order[at - 1];
    side->order[at] = added;
    return (int)added;
}

void heat_map_add(struct heat_map *map, const char *row, const char *column, double value,
                  const char *note)
{
    const int r = find_label(&map->rows, row), c = find_label(&map->columns, column);
    if (r < 0 || c < 0) {
        map->dropped++;
        return;
    }
    struct heat_cell *cell = &map->cells[r][c];
    map->count++;
    if (cell->count++ && cell->value >= value)
        return;
    cell->value = value;
    snprintf(cell->note, sizeof cell->note, "%s", note);
}

const struct heat_cell *heat_map_best(const struct heat_map *map, const char **row,
                                      const char **column)
{
    const struct heat_cell *best = NULL;
    for (size_t r = 0; r < map->rows.count; r++)
        for (size_t c = 0; c < map->columns.count; c++) {
            const struct heat_cell *cell = &map->cells[r][c];
            if (!cell->count || (best && cell->value <= best->value))
                continue;
            best = cell;
            *row = map->rows.labels[r];
            *column = map->columns.labels[c];
        }
    return best;
}

static double find_most(const struct heat_map *map)
{
    const char *row, *column;
    const struct heat_cell *best = heat_map_best(map, &row, &column);
    return best ? best->value : 0;
}

/* The start of each step but the first, in percent of the best: steps are finest near the best,
 * where a choice is made. */
static const unsigned steps[HEAT_MAP_STEPS - 1] = {25, 50, 70, 80, 90, 95, 98, 99};

unsigned heat_map_step(const struct heat_map *map, double value)
{
    const double percent = value / find_most(map) * 100;
    unsigned step = 0;
    while (step < HEAT_MAP_STEPS - 1 && percent >= steps[step])
        step++;
    return step;
}

static void dispose(struct figure *figure)
{
    (void)figure; /* it owns no memory */
}

enum { DIGITS = 4, CELL_DIGITS = 3 }; /* what a cell has room for on a phone */

static char *write_value(char out[NUMBER_CHARS], const struct heat_map *map,
                         const struct heat_cell *cell, int digits)
{
    return figures_short(out, cell->value,
                         map->digits && map->digits < digits ? map->digits : digits);
}

/* --- The table ---------------------------------------------------------------------------- */

static void write_table(struct table *out, struct figure *figure)
{
    struct heat_map *const map = (struct heat_map *)figure;
    const struct table_column columns[] = {{map->rows.name, NULL, true},
                                           {map->columns.name, NULL, true},
                                           {map->unit, NULL, true},
                                           {"figures", NULL, true},
                                           {"the best with", NULL, false}};
    char value[NUMBER_CHARS];
    memcpy(map->table_columns, columns, sizeof columns);
    *out = (struct table){.columns = map->table_columns,
                          .column_count = sizeof columns / sizeof *columns};
    for (size_t r = 0; r < map->rows.count; r++)
        for (size_t c = 0; c < map->columns.count; c++) {
            const size_t row = map->rows.order[r], column = map->columns.order[c];
            const struct heat_cell *cell = &map->cells[row][column];
            if (!cell->count)
                continue;
            table_add(out, map->rows.labels[row]);
            table_add(out, map->columns.labels[column]);
            table_add(out, write_value(value, map, cell, DIGITS));
            table_addf(out, "%zu", cell->count);
            table_add(out, cell->note);
        }
}

static void write_matrix(struct table *out, struct figure *figure)
{
    struct heat_map *const map = (struct heat_map *)figure;
    char value[NUMBER_CHARS];
    snprintf(map->corner, sizeof map->corner, "%s, %s", map->rows.name, map->columns.name);
    map->matrix_columns[0] = (struct table_column){map->corner, NULL, true};
    for (size_t c = 0; c < map->columns.count; c++)
        map->matrix_columns[1 + c] =
            (struct table_column){map->columns.labels[map->columns.order[c]], NULL, true};
    *out =
        (struct table){.columns = map->matrix_columns, .column_count = 1 + map->columns.count};
    for (size_t r = 0; r < map->rows.count; r++) {
        const size_t row = map->rows.order[r];
        table_add(out, map->rows.labels[row]);
        for (size_t c = 0; c < map->columns.count; c++) {
            const struct heat_cell *cell = &map->cells[row][map->columns.order[c]];
            table_add(out, cell->count ? write_value(value, map, cell, DIGITS) : NULL);
        }
    }
}

/* --- HTML --------------------------------------------------------------------------------- */

static void add_side(struct text *out, const struct heat_side *side, const char *where)
{
    markup_text(out, where);
    text_adds(out, ": <b>");
    markup_text(out, side->name);
    text_adds(out, "</b>");
    if (*side->meaning) {
        text_adds(out, ", ");
        markup_text(out, side->meaning);
    }
    text_adds(out, ". ");
}

static void add_titles(struct text *out, const struct heat_map *map)
{
    text_adds(out, "<thead><tr><th scope=\"col\">");
    markup_text(out, map->rows.name);
    text_addf(out, "</th><th scope=\"colgroup\" colspan=\"%zu\">", map->columns.count);
    markup_text(out, map->columns.name);
    text_adds(out, "</th></tr>\n<tr><td></td>");
    for (size_t c = 0; c < map->columns.count; c++) {
        text_adds(out, "<th scope=\"col\">");
        markup_text(out, map->columns.labels[map->columns.order[c]]);
        text_adds(out, "</th>");
    }
    text_adds(out, "</tr></thead>\n");
}

static void add_cell(struct text *out, const struct heat_map *map, const struct heat_cell *cell)
{
    char value[NUMBER_CHARS];
    if (!cell->count) {
        text_adds(out, "<td class=\"none\">&#183;</td>");
        return;
    }
    text_addf(out, "<td class=\"h%u%s\" title=\"%s ", heat_map_step(map, cell->value),
              cell->value >= find_most(map) ? " best" : "",
              write_value(value, map, cell, DIGITS));
    markup_text(out, map->unit);
    text_addf(out, ", the best of %zu: ", cell->count);
    markup_text(out, cell->note);
    text_addf(out, "\">%s</td>", write_value(value, map, cell, CELL_DIGITS));
}

static void write_step(char out[NUMBER_CHARS], unsigned step)
{
    if (step)
        snprintf(out, NUMBER_CHARS, "%u", steps[step - 1]);
    else
        snprintf(out, NUMBER_CHARS, "<%u", steps[0]);
}

static void add_scale(struct text *out)
{
    char from[NUMBER_CHARS], class[24];
    text_adds(out, "<p class=\"scale\">");
    for (unsigned step = 0; step < HEAT_MAP_STEPS; step++) {
        write_step(from, step);
        snprintf(class, sizeof class, "h%u", step);
        markup_element(out, "i", class, from);
    }
    text_adds(out, "<span>% of the best and more</span><span>&#183; no figure</span></p>\n");
}

static void write_html(struct text *out, struct figure *figure)
{
    struct heat_map *const map = (struct heat_map *)figure;
    text_adds(out, "<p class=\"axes\">");
    add_side(out, &map->rows, "Down");
    add_side(out, &map->columns, "Across");
    text_adds(out, "</p>\n");
    markup_open_scroll(out, map->figure.title);
    text_addf(out, "<table class=\"heat\" style=\"--columns:%zu\">", map->columns.count);
    markup_element(out, "caption", NULL, map->figure.title);
    add_titles(out, map);
    text_adds(out, "<tbody>\n");
    for (size_t r = 0; r < map->rows.count; r++) {
        const size_t row = map->rows.order[r];
        text_adds(out, "<tr><th scope=\"row\">");
        markup_text(out, map->rows.labels[row]);
        text_adds(out, "</th>");
        for (size_t c = 0; c < map->columns.count; c++)
            add_cell(out, map, &map->cells[row][map->columns.order[c]]);
        text_adds(out, "</tr>\n");
    }
    text_adds(out, "</tbody></table></div>\n");
    add_scale(out);
}

/* --- As text ------------------------------------------------------------------------------ */

enum { LABEL_COLUMNS = 10, CELL_COLUMNS = 8 };

/* As many as the longest label and a blank have. */
static int cell_columns(const struct heat_map *map)
{
    int most = CELL_COLUMNS - 1;
    for (size_t c = 0; c < map->columns.count; c++) {
        const int columns = terminal_columns(map->columns.labels[c]);
        most = columns > most ? columns : most;
    }
    return most + 1;
}

static void draw_titles(struct text *out, const struct heat_map *map,
                        const struct terminal_style *style)
{
    terminal_label(out, map->rows.name, LABEL_COLUMNS, true, style);
    for (size_t c = 0; c < map->columns.count; c++)
        terminal_label(out, map->columns.labels[map->columns.order[c]], cell_columns(map), true,
                       style);
    text_adds(out, "  ");
    text_add_visible(out, map->columns.name);
    text_adds(out, "\n");
}

static void draw_scale(struct text *out, const struct terminal_style *style)
{
    char from[NUMBER_CHARS], cell[NUMBER_CHARS + 4];
    text_addf(out, "%10s ", "");
    for (unsigned step = 0; step < HEAT_MAP_STEPS; step++) {
        write_step(from, step);
        snprintf(cell, sizeof cell, " %s ", from);
        terminal_cell(out, step, cell, style);
    }
    text_adds(out, " % of the best and more\n");
}

static void write_text(struct text *out, struct figure *figure,
                       const struct terminal_style *style)
{
    struct heat_map *const map = (struct heat_map *)figure;
    const double most = find_most(map);
    const int columns = cell_columns(map);
    draw_titles(out, map, style);
    for (size_t r = 0; r < map->rows.count; r++) {
        const size_t row = map->rows.order[r];
        terminal_label(out, map->rows.labels[row], LABEL_COLUMNS, true, style);
        for (size_t c = 0; c < map->columns.count; c++) {
            const struct heat_cell *cell = &map->cells[row][map->columns.order[c]];
            char value[NUMBER_CHARS], ground[2 * NUMBER_CHARS];
            if (!cell->count) {
                text_addf(out, "%*s ", columns - 1, ".");
                continue;
            }
            snprintf(ground, sizeof ground, "%*s%s", columns - 1,
                     write_value(value, map, cell, DIGITS), cell->value >= most ? "*" : " ");
            terminal_cell(out, heat_map_step(map, cell->value), ground, style);
        }
        text_adds(out, "\n");
    }
    if (style->has_color)
        draw_scale(out, style);
    struct text words = {0};
    text_addf(&words, "%s, the best of all with these two; * the best of all, . no figure",
              map->unit);
    sentence_wrap(out, words.at ? words.at : "", 0, (size_t)style->width);
    out->failed |= words.failed;
    text_dispose(&words);
}

const struct figure_kind heat_map_kind = {write_html, write_table, write_matrix, write_text,
                                          dispose};
