/* oracle_own: folds values that an operation combines by a text of its own, with a bound of the error where
 * they round. Private to the oracle. */
#ifndef AUTOTUNE_ORACLE_OWN_H
#define AUTOTUNE_ORACLE_OWN_H

#include "autotune/verify/oracle.h"

/* Kept with an operation, type of elements and accumulator, as struct oracle_mapped is. */
struct oracle_own;

/* Tries the operation's laws, too: a breach is ERROR_USAGE, in a sentence with elements. */
int own_open(struct oracle_own **out, const struct problem *problem, struct error *error);
void own_close(struct oracle_own *own);

/* Does nothing round, so that each result is known to the bit? */
bool own_is_certain(const struct oracle_own *own);

/* Do values of many elements leave their type's range, unless these are next to 1? */
bool own_grows(const struct oracle_own *own);

/* Is the element one whose value is a number of usual size, in each of its fields? */
bool own_is_usual(const struct oracle_own *own, uint64_t word);

/* Element `at` of a further input's pattern, `input` from 1 on. */
uint64_t own_further_bits(const struct oracle_own *own, size_t input, uint64_t at);

/* The functions of oracle.h for such a fold; `elements` lie one behind another from fold->next on. */
void own_fold_init(const struct oracle_own *own, struct oracle_fold *fold);
void own_fold_add(const struct oracle_own *own, struct oracle_fold *fold, const void *elements,
                  uint64_t count);
void own_fold_merge(const struct oracle_own *own, struct oracle_fold *into,
                    const struct oracle_fold *from);
void own_fold_scan(const struct oracle_own *own, struct oracle_fold *fold, const void *elements,
                   uint64_t count, void *expects, struct oracle_doubt *doubts);
oracle_bits own_fold_finish(const struct oracle_own *own, const struct oracle_fold *fold,
                            struct oracle_doubt *doubt);
void own_fold_results(const struct oracle_own *own, const struct problem *problem,
                      uint64_t first, uint64_t count, const void *elements, void *expects,
                      struct oracle_doubt *doubts);

/* How far a result of a kernel of this height may be from the expected one. */
double own_bound(const struct problem *problem, oracle_bits expect,
                 const struct oracle_doubt *doubt, uint64_t height);
bool own_accepts(const struct problem *problem, oracle_bits expect,
                 const struct oracle_doubt *doubt, uint64_t height, oracle_bits got);

#endif
