/* oracle_position: where the first of the least, or of the greatest, elements stands. Private to
 * oracle_fold.c. */
#ifndef AUTOTUNE_ORACLE_POSITION_H
#define AUTOTUNE_ORACLE_POSITION_H

#include "autotune/tune/oracle.h"

void position_init(struct oracle_fold *fold);

/* The elements [fold->next, fold->next + count), added in any order of such pieces. */
void position_add(struct oracle_fold *fold, const void *elements, uint64_t count);
void position_merge(struct oracle_fold *into, const struct oracle_fold *from);

/* 2^64 - 1 where nothing was added. */
oracle_bits position_result(const struct oracle_fold *fold);

#endif
