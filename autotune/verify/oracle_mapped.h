/* oracle_mapped: evaluates on the host what an operation makes of elements and of its last value, and draws
 * elements that show an error of a kernel with such a map. Private to the oracle. */
#ifndef AUTOTUNE_ORACLE_MAPPED_H
#define AUTOTUNE_ORACLE_MAPPED_H

#include "autotune/verify/element.h"
#include "autotune/verify/oracle.h"

/* Made once for each operation, type of elements, accumulator and values of params, by oracle_prepare, and kept
 * as operations are. */
struct oracle_mapped;

/* NULL where elements, or their squares, are combined and the result is what that gives. */
const struct oracle_mapped *oracle_mapped(const struct problem *problem);

struct oracle_own;

/* What folds the values, where combine is a text of its own; else NULL. */
const struct oracle_own *mapped_own(const struct oracle_mapped *mapped);

/* Are elements drawn for the map, and values made by it? Else they are taken as they are, as of the law's plain
 * operation, and at most the result is made. */
bool oracle_has_map(const struct problem *problem);
bool mapped_has_map(const struct oracle_mapped *mapped);
enum type mapped_type(const struct oracle_mapped *mapped); /* of the elements */
enum type mapped_result(const struct oracle_mapped *mapped);

/* May the map give other values on another machine, or finish another result? */
bool mapped_has_spread(const struct oracle_mapped *mapped);
bool mapped_finish_has_spread(const struct oracle_mapped *mapped);

/* The problem of the values that are combined: of the law's plain operation. */
struct problem mapped_inner(const struct oracle_mapped *mapped, const struct problem *problem);

/* The first `count` of a block of widened elements become their values. Where `spreads` is not NULL it
 * gets how far each of them may be from that on another machine. */
void mapped_values(const struct oracle_mapped *mapped, union element_block *block,
                   double *spreads, uint64_t count);

/* The result of a value of n elements: both as words, as element_widen makes them. */
uint64_t mapped_finish(const struct oracle_mapped *mapped, uint64_t value, uint64_t n);

/* The bits of a word, in its type. */
oracle_bits mapped_narrow(enum type type, uint64_t word);

/* The results of `count` values, at most ELEMENT_BLOCK, of n elements, on this machine and with each function
 * of finish moved: the least and the greatest of all. False where one of them is a NaN. */
bool mapped_finish_range(const struct oracle_mapped *mapped, uint64_t *values, uint64_t n,
                         uint64_t count, uint64_t *least, uint64_t *greatest);

/* Writes elements [first, first + count) that are drawn by the input's seed. `is_random`: those of any
 * value, though sums of them round. */
void mapped_fill(const struct oracle_mapped *mapped, const struct oracle_input *input,
                 bool is_random, uint64_t first, uint64_t count, void *out);

/* The i-th element that is drawn of a type, as bits: small integers first, then special values, then any. */
enum { MAPPED_PLAIN = 129, MAPPED_SPECIAL = 10, MAPPED_DRAWN = 2048 };
uint64_t mapped_draw(enum type type, uint64_t i);

/* Writes the i-th of them. */
void mapped_put_drawn(const struct oracle_mapped *mapped, uint64_t i, void *out);

/* An element that decides among drawn ones; one for guard zones; one of stairs, as oracle_put_stair. */
void mapped_put_mark(const struct oracle_mapped *mapped, uint64_t hash, void *out);
void mapped_put_guard(const struct oracle_mapped *mapped, void *out);
void mapped_put_stair(const struct oracle_mapped *mapped, const struct oracle_input *input,
                      uint64_t index, void *out);

/* Does one deciding element alone make the value, however many others there are? */
bool mapped_is_clear(const struct oracle_mapped *mapped);

#endif
