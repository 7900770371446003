/* figure: declares the interface that all kinds of figures share, so that a page writer need
 * not know the kind. */
#ifndef AUTOTUNE_FIGURE_H
#define AUTOTUNE_FIGURE_H

#include "autotune/print/table.h"
#include "autotune/print/terminal.h"

enum { FIGURE_TITLE = 200 };

/* The first member of each kind's struct. */
struct figure {
    char title[FIGURE_TITLE];
};

/* The functions of a kind, one for each form; a table is disposed of before its figure. */
struct figure_kind {
    void (*html)(struct text *out, struct figure *figure);    /* within a <figure> */
    void (*table)(struct table *out, struct figure *figure);  /* with all values */
    void (*matrix)(struct table *out, struct figure *figure); /* as it is drawn */
    void (*text)(struct text *out, struct figure *figure, const struct terminal_style *style);
    void (*dispose)(struct figure *figure); /* frees what the figure holds */
};

#endif
