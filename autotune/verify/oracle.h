/* oracle: makes inputs whose every partial result is exact in the accumulator, and computes the
 * right result. Any element lost, read twice or read outside the input changes the result.
 * Hides how values are made; no device here. Formulas: docs/correctness.md. */
#ifndef AUTOTUNE_ORACLE_H
#define AUTOTUNE_ORACLE_H

#include "generator/error.h"
#include "generator/operation_file.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of the result's type (problem_result): its bytes in the low end, the rest zero. */
typedef uint64_t oracle_bits;

/* Are elements, or their squares, combined by a law, and is the result what that gives? Else the operation has a
 * map, a combine or a finish of its own. */
bool oracle_is_plain(const struct problem *problem);

/* Makes what the oracle needs to know of an operation with a text of its own: call it before anything else for
 * such a problem. Others need nothing. It lasts as long as the process. A combine that is not
 * associative or commutative, or has a wrong identity, is ERROR_USAGE, with elements that show it. */
int oracle_prepare(const struct problem *problem, struct error *error);

/* How far a right result may be from the expected one. */
struct oracle_doubt {
    uint64_t value; /* what finish is given, as a word of element_widen */
    uint64_t n;     /* elements combined */
    double sum_abs; /* the order of combining moves a float by oracle_bound of this */
    double slack;   /* functions that another machine rounds otherwise move it by this, too */
    /* Where combine is a text of its own, sum_abs is what errors of combining in this order make of the result, slack
     * those of finish: */
    uint32_t height; /* of the order's tree */
    bool may_be_nan;
    bool
        is_open; /* beyond the type's range on the way, or not, by the order: any result is right */
};

/* Are all results of the problem's exact inputs expected to the bit? Else they have doubts. */
bool oracle_is_certain(const struct problem *problem);

/* Is `got` right? It is where the bits are the expected ones (oracle_equal), or, with a doubt, within what that
 * leaves at this height of the tree of combinations. */
bool oracle_accepts(const struct problem *problem, oracle_bits expect,
                    const struct oracle_doubt *doubt, uint64_t height, oracle_bits got);

/* The same of floats that round; `error` is how far `got` is from the expected result, and `bound` how far it may be,
 * both relative to what the error of combining is relative to. */
bool oracle_judge(const struct problem *problem, oracle_bits expect,
                  const struct oracle_doubt *doubt, uint64_t height, oracle_bits got,
                  double *error, double *bound);

/* --- Small: every size, every misalignment, every position -------------------------------- */

struct oracle_shape {
    uint64_t block, tile;   /* threads per block; elements per tile */
    uint64_t positions_max; /* positions tried one by one for operations that need it */
    uint64_t at_once;       /* results that a block makes at a time */
    size_t part, parts; /* only one case in so many is tried, from this one on; 0 parts: all */
};

/* The input begins at elements[offset]; its results start at expects[first]. */
struct oracle_case {
    uint64_t offset;
    struct dims dims;
    struct problem_further
        further[PROBLEM_FURTHER_MAX]; /* of several inputs: how the others lie */
    uint64_t first;
    uint64_t
        step; /* of the sweep over positions: a draw may leave the case out; else ORACLE_KEPT */
    uint64_t borders; /* of segments: where its offsets are among all borders */
    bool is_open;     /* any results are right: its offsets are none */
    bool is_left_out; /* of another part: it has no results, and is not tried */
};
#define ORACLE_KEPT UINT64_MAX

/* The steps of a sweep that tries all positions, as a block reads them: `columns` next to each other, of
 * `share` steps each, then the same again. No steps: nothing may be left out. */
struct oracle_sweep {
    uint64_t columns, share, steps, starts;
};

struct oracle_cases {
    void *elements; /* of problem.type; lay it at a 256-byte aligned address */
    uint64_t element_count;
    struct oracle_case *cases;
    size_t count;
    oracle_bits *expects;
    struct oracle_doubt *doubts; /* of each, or NULL: none */
    struct oracle_sweep sweep;
    uint64_t
        *borders; /* of segments: offsets, in the type that oracle_store_borders gives them */
    uint64_t border_count;
};

/* Is the case one of those that `draw` chooses? All that are no step of the sweep; of the sweep one
 * for each column: for each thread that loads 16 bytes at a time. They lie one row further in each
 * column, and where a column has several, at each place of a load in turn. */
bool oracle_is_drawn(const struct oracle_cases *cases, size_t i, uint64_t draw);

/* Makes the cases that prove a kernel of this shape: sizes 0, 1, 2, 31..33, block +-1, tile
 * +-1, 2 tiles and a tail; each of the 16 / element bytes starts modulo 16 bytes; guard zones
 * of loud values around each input; and by operation, from the table in docs/correctness.md:
 * sum, sumsq, xor, prod by hashed values; min, max, argmin and argmax by the extremum at each
 * position, the latter two also by equals of it elsewhere; and, or by one bit at each position.
 * With more than positions_max of them, a seeded sample with both edges of each thread's,
 * warp's and tile's share. The sizes of problem.dims are not used. */
/* Where results are several, or their elements lie apart: numbers of results and of elements
 * around the counts that a block takes at a time, starts, gaps, and cases of whole loads in all
 * but one of these; the deciding element is at another place in each result. */
int oracle_make_cases(struct oracle_cases *out, const struct problem *problem,
                      const struct oracle_shape *shape, uint64_t seed, struct error *error);
void oracle_dispose_cases(struct oracle_cases *cases);

/* --- Full: any dims, in chunks ------------------------------------------------------------ */

/* Is it one result whose elements lie one behind another? Such an input is made in chunks, and
 * its cases try every position; others are made whole. */
bool oracle_is_run(const struct dims *dims);

/* Dims for the same kernels: a run of `depth` elements for a run, else as dims_resized. */
struct dims oracle_resize(const struct dims *dims, uint64_t results, uint64_t depth,
                          uint64_t gap);

struct oracle_input {
    struct problem problem;
    uint64_t seed;
    uint64_t mark;   /* min, max, argmin, argmax, and, or: the position of the deciding element
                      * in the first result; in result r it is r elements further, modulo the
                      * depth */
    uint64_t period; /* plain elements of a run repeat after this many; 0 = never */
    uint64_t
        tail; /* from here on they do not, and may be larger than those before; 0 = nowhere */
};

#define ORACLE_NO_MARK UINT64_MAX /* a mark beyond every input: no element is marked */

/* Writes elements [first, first + count) of the span of the dims to `out`; gaps get loud
 * values. Pure: any chunking gives the same input. Float products: seeds 2k and 2k + 1 have
 * complementary signs, prove with both. min, max: odd seeds put all values on the identity's
 * side of zero. */
void oracle_fill(const struct oracle_input *input, uint64_t first, uint64_t count, void *out);

/* Writes the elements without the deciding ones: the part that the period repeats. The
 * deciding elements (the mark, the bits of and, or, the 2 of a float product) occur once in
 * each result. */
void oracle_fill_plain(const struct oracle_input *input, uint64_t first, uint64_t count,
                       void *out);

/* Lists the positions of the first result's deciding elements, the mark's last; a position may
 * be listed more than once. */
enum { ORACLE_DECIDING_MAX = 64 };
size_t oracle_list_deciding(const struct oracle_input *input,
                            uint64_t out[ORACLE_DECIDING_MAX]);

/* Float sums: the largest magnitude of an element such that no partial result is rounded when
 * the input repeats after `period` elements (0 = never). Sums of squares: the same; from the n
 * where it is 1, elements are up to +-2, but most of them 0. Other operations: 0. */
uint32_t oracle_span(const struct problem *problem, uint64_t period);

/* --- Further inputs ----------------------------------------------------------------------- */

/* Each further input has a pattern that begins anywhere: problem.further[].first says where an input does. Before
 * ORACLE_USUAL its elements are any, from there on of usual size, and repeat after ORACLE_PATTERN of them. */
enum { ORACLE_USUAL = 8192, ORACLE_PATTERN = 15713431 };

/* Writes elements [first, first + count) of an input's pattern, `input` from 1 on, to `out`. */
void oracle_fill_further(const struct problem *problem, size_t input, uint64_t first,
                         uint64_t count, void *out);

/* Does an input still show errors as well, and stay exact, when it repeats after `period`? */
bool oracle_can_repeat(const struct problem *problem, uint64_t period);

/* Do the values of its elements repeat, too, so that oracle_fold_periods may be used? Not where they depend on the
 * elements' index: then the last elements should be a tail, so that they may decide. */
bool oracle_values_repeat(const struct problem *problem);

/* The fewest inputs, of seeds 2k on, that prove a kernel: two for float products, whose
 * complementary signs together show every element, one otherwise. */
size_t oracle_inputs_least(const struct problem *problem);

/* The element at `position` with and without the mark there (to move a mark on the device
 * without filling again). */
void oracle_element(const struct oracle_input *input, uint64_t position, bool marked,
                    void *out);
bool oracle_has_mark(const struct problem *problem); /* does this operation use the mark? */

/* A value for guard zones around the input: taken into the result it always shows. */
void oracle_guard(const struct problem *problem, void *out);

/* Computes the right result while filling: init, add chunk by chunk (elements as filled), merge
 * folds of different chunks in any order, finish. A fold of elements that do not begin the
 * input has `next` set to their position, after init: argmin and argmax need it. Of no elements
 * they give 2^64 - 1. Fails with ERROR_FAILED if a partial result leaves the exact range
 * (checked while adding). */
struct oracle_mapped;
/* A value that a text of its own combines. */
struct oracle_own_value {
    uint64_t words[OPERATION_FIELDS_MAX];
    double errors[OPERATION_FIELDS_MAX];
    unsigned flags;
    uint64_t height; /* of the tree of combinations */
};
struct oracle_fold {
    struct problem problem;
    uint64_t words[4];
    double largest;       /* the largest partial magnitude seen */
    uint64_t count, next; /* elements added; the position of the next */
    uint64_t result;      /* which of the problem's results it is: further inputs differ */
    const struct oracle_mapped
        *mapped;   /* makes values, of which `problem` is, or the result; or NULL */
    bool is_rough; /* the values' sum or product may round, and be no number */
    struct oracle_rough {
        double value, rest; /* what they are combined to, to twice the precision of double */
        double sum_abs;     /* of a product: the factors that are not +-1 */
        double slack;
        double above, below; /* of a product: how far it may go up and down, in powers of two;
                                * of the least and the greatest: what they are at most and at least */
        int exponent;        /* a product's */
        int grid;            /* all values are multiples of this power of two */
        unsigned flags;
    } rough;
    struct oracle_own_value own;
};
void oracle_fold_init(struct oracle_fold *fold, const struct problem *problem);
void oracle_fold_add(struct oracle_fold *fold, const void *elements, uint64_t count);
void oracle_fold_merge(struct oracle_fold *into, const struct oracle_fold *from);

/* Folds a whole input that has a period: from the folds of the plain elements [0, period) and
 * [0, n % period). `largest` covers whole periods with a part of one behind them. */
void oracle_fold_periods(struct oracle_fold *out, const struct oracle_input *input,
                         const struct oracle_fold *period, const struct oracle_fold *rest);
int oracle_fold_finish(const struct oracle_fold *fold, oracle_bits *out, struct error *error);

/* The doubt about the result. */
struct oracle_doubt oracle_fold_doubt(const struct oracle_fold *fold);

/* Lets the fold take any floats, also where the exact ones of the problem need no doubt. */
void oracle_fold_roughly(struct oracle_fold *fold);

/* Adds elements as oracle_fold_add does and writes the result of a scan at each of them, one behind
 * the other, each in the result type's bytes: before it is added, or after. Whether the fold has
 * stayed exact oracle_fold_finish tells. `doubts` may be NULL where they are certain. */
void oracle_fold_scan(struct oracle_fold *fold, const void *elements, uint64_t count,
                      void *expects, struct oracle_doubt *doubts);

/* Folds the results [first, first + count) of the array at `elements` to `expects`, one behind
 * the other, each in the result type's bytes. `largest` grows to the largest partial magnitude.
 * `doubts` may be NULL where they are certain; else any elements will do. Fails as oracle_fold_finish where not exact. */
int oracle_fold_results(const struct problem *problem, uint64_t first, uint64_t count,
                        const void *elements, void *expects, struct oracle_doubt *doubts,
                        double *largest, struct error *error);

/* --- Finalists: floats that round, and special values ------------------------------------- */

/* Makes random values of both signs and several magnitudes where results round
 * (problem_rounds), rounded to the elements' type; else as oracle_fill. */
void oracle_fill_random(const struct oracle_input *input, uint64_t first, uint64_t count,
                        void *out);

/* Adds to a compensated double (exact for practical purposes) reference and to sum |x|, of the
 * squares for sumsq; for products sum |x| is (1 + the factors that are not +-1) * |product|.
 * Problems that do not round leave it as it is. Start from zeros, *compensation too. */
struct oracle_reference {
    double value, sum_abs;
};
void oracle_reference_add(struct oracle_reference *reference, const struct problem *problem,
                          const void *elements, uint64_t count, double *compensation);

/* The same of a scan: all results of `count` rows from `first` on, to where they lie among those of
 * all rows at `expects`, and `doubts`. */
int oracle_scan_rows(const struct problem *problem, uint64_t first, uint64_t count,
                     const void *elements, void *expects, struct oracle_doubt *doubts,
                     double *largest, struct error *error);

/* The references of all results of the array at `elements`; of a scan at each element. */
void oracle_references(struct oracle_reference *out, const struct problem *problem,
                       const void *elements);

/* --- Segments ----------------------------------------------------------------------------- */

/* Writes the borders of a problem's segments, one more than there are, with such lengths. */
void oracle_make_borders(uint64_t *out, const struct problem *problem, enum lengths lengths,
                         uint64_t seed);

/* Writes borders as offsets of the problem's type, which some of them may not fit. */
void oracle_store_borders(const struct problem *problem, const uint64_t *borders,
                          uint64_t count, void *out);

/* As oracle_fold_results, of segments between borders. */
int oracle_fold_segments(const struct problem *problem, const uint64_t *borders, uint64_t first,
                         uint64_t count, const void *elements, void *expects,
                         struct oracle_doubt *doubts, double *largest, struct error *error);

/* gamma_h * sum|x| with u the accumulator's unit roundoff: h u / (1 - h u) (Higham, Accuracy
 * and Stability of Numerical Algorithms, 2nd ed., section 4.2); h additions, for sumsq and the
 * multiplication before them. HUGE_VAL where h u >= 1; 0 for integers, which do not round. */
double oracle_bound(enum type acc, uint64_t height, double sum_abs);

/* Makes cases with NaN, Inf, -Inf, -0 and denormals at the first, middle and last position,
 * with the result docs/correctness.md promises; float accumulators only (else no cases). Of order
 * n also random floats, with the bits of autotune_reference.h. */
int oracle_make_specials(struct oracle_cases *out, const struct problem *problem,
                         const struct oracle_shape *shape, struct error *error);

/* Is `got` the promised result? Bits equal, except that any NaN equals any NaN. */
bool oracle_equal(enum type type, oracle_bits expect, oracle_bits got);

enum { ORACLE_CHARS = 48 };
char *oracle_format(char out[ORACLE_CHARS], enum type type, oracle_bits value);
double oracle_to_double(enum type type, oracle_bits value);

#endif
