/* rung_shares: sets the kernels of the ladder side by side across documents and GPUs: which share
 * of its peak bandwidth each reached with the same kernel, as published or as measured. */
#ifndef AUTOTUNE_RUNG_SHARES_H
#define AUTOTUNE_RUNG_SHARES_H

#include "autotune/compare/published.h"
#include "autotune/compare/table_file.h"
#include "autotune/ladder/rungs.h"
#include "autotune/print/table.h"

struct request;

enum {
    RUNG_SHARES_SIDES_MAX = 12,
    RUNG_SHARES_DOCUMENTS_MAX = 16,
    RUNG_SHARES_TABLES_MAX = 8,
    RUNG_SHARES_KERNELS_MAX = 2 * RUNGS_MAX,
};

/* A document, or a table that `autotune ladder` wrote. */
struct rung_side {
    char title[64];                  /* "V100 f32" */
    char gpu[64];                    /* "V100" */
    const char *source;              /* the document, or the file */
    const struct ini_lines *remarks; /* on the document; NULL = none */
    const char *op, *type;           /* names */
    uint64_t n;                      /* of the most figures */
    double peak_gbs;                 /* what shares are of */
    int peak_digits;                 /* significant digits of it */
    const char *peak_from;           /* who says so */
    bool is_measured;                /* else published */
    bool has_rows;                   /* a result for each row */
    size_t figures;
};

/* Rungs of several documents are one kernel if they have one space and, but for the size of a
 * block and a grid that is as large as fits, the same params. */
struct rung_kernel {
    char name[80];  /* "interleaved modulo"; "chunks, ITEMS=4"; "rows modulo, rows of 128" */
    char rungs[96]; /* "harris-1, cs599-1" */
    size_t first;   /* the first of these, in the order of the ladder */
    uint64_t n;     /* where a document has another n for it than for most; else 0 */
};

struct rung_figure {
    size_t kernel, side;
    const struct rung *rung;
    const char *label; /* the kernel's name there */
    struct problem problem;
    uint64_t threads; /* a block; 0 = unknown */
    /* Percent of the side's peak; its own is what was measured, or what the document has. */
    struct published_value ms, gbs, share;
    const char *cause; /* by the ladder's table; "" = unknown */
};

/* A time of which no share is known: the document names no GPU, or its task is no reduction. */
struct rung_time {
    size_t kernel;
    const struct published *document;
    const struct published_figure *figure;
};

struct rung_shares {
    const struct request *request; /* only its operation, type and n; NULL = all */
    struct rungs rungs;
    struct rung_side sides[RUNG_SHARES_SIDES_MAX];
    struct rung_kernel kernels[RUNG_SHARES_KERNELS_MAX];
    size_t kernel_of_rung[RUNGS_MAX];
    struct rung_figure *figures;
    struct rung_time *times;
    size_t side_count, kernel_count, figure_count, time_count;
    struct published *documents[RUNG_SHARES_DOCUMENTS_MAX]; /* those built in that it opened */
    struct table_file tables[RUNG_SHARES_TABLES_MAX];
    char *names; /* of these files */
    size_t document_count, table_count;
    struct table_column columns[1 + 2 * RUNG_SHARES_SIDES_MAX]; /* of rung_shares_matrix */
};

int rung_shares_open(struct rung_shares **out, const struct request *request,
                     struct error *error);
void rung_shares_close(struct rung_shares *shares); /* NULL is none */

/* Adds the figures of a document, which must outlive the shares; nothing where it has none of a
 * rung. */
int rung_shares_add(struct rung_shares *shares, const struct published *published,
                    struct error *error);

/* Adds all documents that are built in. */
int rung_shares_add_built_in(struct rung_shares *shares, struct error *error);

/* Adds tables of the ladder, their names separated by commas. ERROR_USAGE: a table is not of the
 * ladder, has several sizes, or is the emulator's. */
int rung_shares_add_tables(struct rung_shares *shares, const char *files, struct error *error);

/* The figure with the greatest share of a kernel on a side, over the sizes of a block; NULL =
 * none. */
const struct rung_figure *rung_shares_best(const struct rung_shares *shares, size_t kernel,
                                           size_t side);

/* The kernels with a figure, in the order of the ladder: their indices. Returns how many. */
size_t rung_shares_order(const struct rung_shares *shares, size_t out[RUNG_SHARES_KERNELS_MAX]);

/* The best figure that has a cause; NULL = none. */
const struct rung_figure *rung_shares_cause(const struct rung_shares *shares, size_t kernel);

/* Makes the table of sides first .. end - 1: a row for each kernel with a figure there, a share
 * and a block size for each side; in parentheses a share that no document has. Its titles stand in `shares`. */
void rung_shares_matrix(struct table *out, struct rung_shares *shares, size_t first,
                        size_t end);

/* How a figure's share came about, in words. */
const char *rung_shares_how(const struct rung_shares *shares, const struct rung_figure *figure);

#endif
