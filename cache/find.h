/* find: finds the best record for a key, with a grade that says how well it fits. Records that
 * the space's rules do not allow here, or whose kernels have changed since, are passed over. */
#ifndef AUTOTUNE_FIND_H
#define AUTOTUNE_FIND_H

#include "cache/code.h"
#include "cache/record.h"
#include "cache/store.h"
#include "generator/emit.h"
#include "generator/point.h"
#include "generator/selector.h"

/* What to print: "exact", "same GPU, other size", ..., "default". */
extern const char *const find_grades[SELECTOR_GRADES];

/* What was tuned here serves rows, or columns, of lengths up to so many percent off its own alone. Of 100 shapes
 * drawn among those of a sweep, on an H200, six whose lengths were off by 8 to 53 % took 1.02 to 1.20 times as
 * long as untuned, and as many 0.94 to 0.98 times; of lengths off by up to 6 % none lost, however many the
 * results. */
enum { FIND_LENGTH_PERCENT = 6 };

struct find_result {
    struct record record; /* for SELECTOR_NONE the nearest, see find; zeros without one */
    uint64_t from, to;    /* the depths that it serves: an interval of a sweep, or its own */
    int64_t config[SPACE_NAMES_MAX]; /* its params; not for SELECTOR_NONE */
    enum selector_grade grade;
    char difference[32]; /* the key field that differs, "" when exact */
    /* Where none of this key serves: the field in which a record of this very problem differs, of
     * those first given. "" = there is none. */
    char other[32];
    struct error damaged; /* of the first damaged file of a folder, unless another has an exact
                           * fit; else ERROR_NONE */
    /* Why a record of this very GPU, with results that lie alike and nearer than those of the
     * record found, was passed over; else ERROR_NONE. */
    struct error rejected;
};

/* A search: begin it, then give it records, those of this GPU first. */
struct find {
    struct record want; /* the key */
    const struct point_context *here;
    const struct emit_sources *sources;
    struct code_memo *memo;
    const uint64_t *refused; /* set it: codes of records whose kernels the device cannot run */
    size_t refused_count;
    bool names_nearest; /* set it: where none serves, best.record is the nearest to the key */
    struct find_result best;     /* so far */
    struct selector_place place; /* private: of best.record */
    bool is_begun;               /* private: some records were given */
};

/* `want` holds the key fields, `here` the space, its problem and the target, `sources` its
 * kernels' sources; all of them and `memo` must outlive the search. */
void find_begin(struct find *out, const struct record *want, const struct point_context *here,
                const struct emit_sources *sources, struct code_memo *memo);

/* Takes a record that is better than the best so far, in selector.h's order; the first of
 * equals. A record of another problem, space or method is not found at all; where the nearest
 * is named, `difference` is the first such field. What ships serves sizes near its own alone, and
 * any record of a matrix shapes near its own. A published record is for comparison and never found;
 * an emulated one serves only its own device. -1 for memory alone, here and below. */
int find_among(struct find *find, const struct records *records, struct error *error);

/* The same for all files of a folder but `own`, by name. */
int find_in_folder(struct find *find, const char *folder, const char *own, struct error *error);

/* The same for shipped records; those tuned on this very GPU are better than another size's that is
 * farther, else any other record is better than these. */
int find_shipped(struct find *find, const struct records *records, struct error *error);

#endif
