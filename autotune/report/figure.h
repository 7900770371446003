/* figure: what the kinds of figures have in common, so that whoever writes a document needs not
 * know which kind one is. */
#ifndef AUTOTUNE_FIGURE_H
#define AUTOTUNE_FIGURE_H

#include "autotune/print/table.h"
#include "autotune/print/terminal.h"

enum { FIGURE_TITLE = 200 };

/* The first member of each kind's struct. */
struct figure {
    char title[FIGURE_TITLE];
};

/* Its figures are appended in each form; a table is disposed of before the figure. */
struct figure_kind {
    void (*html)(struct text *out, struct figure *figure);    /* within a <figure> */
    void (*table)(struct table *out, struct figure *figure);  /* with all that is known */
    void (*matrix)(struct table *out, struct figure *figure); /* as it is drawn */
    void (*text)(struct text *out, struct figure *figure, const struct terminal_style *style);
    void (*dispose)(struct figure *figure); /* of what it holds */
};

#endif
