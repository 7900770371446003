/* sweep_drawing: finds the sweeps among records and draws each as two tables: its sizes, and
 * the variants that serve them. */
#ifndef AUTOTUNE_SWEEP_DRAWING_H
#define AUTOTUNE_SWEEP_DRAWING_H

#include "autotune/cli/request.h"
#include "autotune/print/legend.h"
#include "autotune/print/table.h"
#include "cache/store.h"
#include "generator/text.h"

/* The config that all sizes are compared with: the best at `n` of the configs raced at most
 * sizes. `n` is the size nearest to the usual one, cold if any is. 0 without sizes. */
struct sweep_single {
    uint64_t config, n;
};

/* One sweep: sizes of one problem on one GPU. */
struct sweep_drawing {
    const struct records *records;
    const struct interval **intervals; /* of a sweep of n, by regime and n */
    const struct record **sizes;       /* by regime, elements of a result, results */
    size_t interval_count, size_count;
    struct legend legend; /* the variants, by the first interval or size */
    struct sweep_single single;
};

/* How sweeps of n, or of shapes, are drawn: two tables for programs, and for people the same
 * two sweep by sweep. */
struct sweep_kind {
    const char *name, *variants_name; /* of the tables, in JSON */
    const struct table_column *columns, *variant_columns;
    size_t column_count, variant_column_count;
    bool has_intervals; /* and --n names a part */
    bool (*is_size)(const struct record *record);
    bool (*is_alike)(const struct record *a, const struct record *b); /* of one sweep */
    void (*title)(struct text *out, const struct sweep_drawing *drawing);
    void (*add_sizes)(struct table *table, struct sweep_drawing *drawing);
    void (*print_sizes)(struct text *out, struct sweep_drawing *drawing); /* NULL: that table */
    void (*add_variants)(struct table *table, struct sweep_drawing *drawing);
    void (*print_end)(struct text *out, const struct sweep_drawing *drawing); /* or NULL */
};

/* Of n: for each size the variant of its interval, its time and loss, and the time of one variant for
 * all sizes. */
extern const struct sweep_kind sweep_drawing_n;

/* Of a matrix: for each shape a line with its time and its variant. */
extern const struct sweep_kind sweep_drawing_dims;

/* Draws every sweep of the kind among the records, whose intervals are computed. Writes JSON
 * and CSV too. `count` (may be NULL) gets how many sweeps there are; without any nothing is
 * printed but empty JSON and CSV. */
int sweep_drawing_print(const struct sweep_kind *kind, const struct request *request,
                        const struct records *records, size_t *count, struct error *error);

struct sweep_single sweep_drawing_single(const struct records *records,
                                         const struct record *like);

#endif
