/* find: the best record for a key, with a grade that says how well it fits. A record that the
 * space's rules do not allow where it is to be used is left out before any is chosen. */
#ifndef AUTOTUNE_FIND_H
#define AUTOTUNE_FIND_H

#include "cache/record.h"
#include "cache/store.h"
#include "generator/emit.h"
#include "generator/point.h"

enum find_grade {
    FIND_EXACT,     /* every field of the key */
    FIND_STALE,     /* driver or compiler changed: prove again before use */
    FIND_OTHER_N,   /* same GPU and problem, other n (an interval around n, else the nearest in
                     * log n) or cache regime */
    FIND_SAME_CC,   /* same compute capability, other GPU */
    FIND_SHIPPED,   /* from the records shipped with the program */
    FIND_NONE,      /* nothing fits: the space's default */
    FIND_GRADES
};
/* What to print: "exact", "same GPU, other n", ... */
extern const char *const find_grades[FIND_GRADES];
/* The same for a problem, which as a matrix has not only an n: "same GPU, other shape". */
const char *find_grade_name(enum find_grade grade, const struct problem *problem);

struct find_result {
    struct record record; /* for FIND_NONE the nearest, which does not serve; zeros without one */
    uint64_t from, to; /* the n that it serves: an interval of a sweep, or its own */
    int64_t row[SPACE_NAMES_MAX]; /* its params, over the space's default; not for FIND_NONE */
    enum find_grade grade;
    char difference[32];   /* the key field that differs, "" when exact */
    struct error damaged;  /* what the first damaged file of a folder says of itself, unless
                            * another has what fits exactly; else ERROR_NONE */
    struct error rejected; /* of this very GPU and shape, and nearer than what serves, but no
                            * point of the space, or the rules do not allow it, or it has other
                            * kernels now; likewise */
};

/* A search: begin it, then show it what records there are, the own GPU's first. */
struct find {
    struct record want; /* the key */
    const struct point_context *here;
    const struct emit_sources *sources;
    struct find_result best; /* so far */
    double distance;         /* private: of the best, within its grade */
};

/* `want` holds the key fields, `here` the space, its problem and the target, `sources` are those of
 * its kernels; both must outlive the search. */
void find_begin(struct find *out, const struct record *want, const struct point_context *here,
                const struct emit_sources *sources);

/* A record of another problem, space or method is not found at all, nor one of other kernels, but
 * `difference` names the first such field of the nearest record when nothing better is there. A
 * published record is for comparison and never found; an emulated one stands only for its own
 * device. The rules are asked at the greater n, the wanted or the record's: what is right for
 * some n is right for every smaller one. Those that depend on n are not asked where this very GPU
 * proved the record: a sweep races a variant at every size, whatever they say. Among records of
 * one grade: the nearest in n (a factor; an interval around n is nearer than any), where another
 * cache regime counts like a factor of 4, then in SMs; the first of equals. Of a matrix a factor of
 * 2 in the elements of a result counts like one of 16 in those of all. */
void find_among(struct find *find, const struct records *records);

/* The same for all files of a folder but `own`, by name. -1 for memory alone. */
int find_in_folder(struct find *find, const char *folder, const char *own, struct error *error);

/* The same for what ships, of which any other record is better. Those of the same GPU come first,
 * then the same compute capability, then the nearest older one. */
void find_shipped(struct find *find, const struct records *records);

#endif
