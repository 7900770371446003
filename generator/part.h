/* part: deals a list of work to parts that know nothing of each other, as --part K/M names them. */
#ifndef AUTOTUNE_PART_H
#define AUTOTUNE_PART_H

#include <stdint.h>

struct part {
    unsigned index, count; /* from 0, of so many; count >= 1 */
};

/* The part, from 0, that gets an item of a list; of `count` items in a row each part gets one. What
 * one of M parts gets is spread over all N parts, where the list is dealt to another number, so
 * that those share what a lost part has left. */
unsigned part_of(uint64_t item, unsigned count);

#endif
