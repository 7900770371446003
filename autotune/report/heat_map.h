/* heat_map: draws the best figure for each pair of values of two params, as a coloured table of
 * HTML, as a plain one, and as text. */
#ifndef AUTOTUNE_HEAT_MAP_H
#define AUTOTUNE_HEAT_MAP_H

#include "autotune/report/figure.h"

#include <stddef.h>

enum { HEAT_MAP_SIDE_MAX = 32, HEAT_MAP_LABEL = 24, HEAT_MAP_STEPS = TERMINAL_STEPS };

struct heat_cell {
    double value; /* the greatest value added */
    size_t count; /* number of values added; 0 = none */
    char note[200];
};

struct heat_side {
    char name[HEAT_MAP_LABEL]; /* "BLOCK" */
    char meaning[120];         /* "threads per block"; "" = not known */
    char labels[HEAT_MAP_SIDE_MAX][HEAT_MAP_LABEL];
    size_t order[HEAT_MAP_SIDE_MAX]; /* of the labels: numbers by size, words as they came */
    size_t count;
};

/* About 250 KB: allocate it, filled with zeros, and set titles and names. */
struct heat_map {
    struct figure figure;
    char unit[24];
    int digits; /* significant digits of its values; 0 = 4 */
    struct heat_side rows, columns;
    struct heat_cell cells[HEAT_MAP_SIDE_MAX][HEAT_MAP_SIDE_MAX]; /* as the labels came */
    size_t count;                                                 /* of the values added */
    size_t dropped; /* values whose label had no room */
    struct table_column table_columns[5], matrix_columns[1 + HEAT_MAP_SIDE_MAX];
    char corner[2 * HEAT_MAP_LABEL + 4]; /* title of the matrix's first column */
};

/* Adds a value above 0; of several in a cell the greatest stays, with its note. */
void heat_map_add(struct heat_map *map, const char *row, const char *column, double value,
                  const char *note);

/* The cell that has the greatest value; NULL when there is none. Sets its labels. */
const struct heat_cell *heat_map_best(const struct heat_map *map, const char **row,
                                      const char **column);

/* The step of a value, 0 .. HEAT_MAP_STEPS - 1, by its share of the greatest of the map. */
unsigned heat_map_step(const struct heat_map *map, double value);

/* HTML: the coloured table, and the scale. Table: a row for each cell that has a value; matrix:
 * a row and a column for each label. As text with its values, the best with a '*'. */
extern const struct figure_kind heat_map_kind;

#endif
