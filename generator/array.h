/* array: grows an array by one element at a time. */
#ifndef AUTOTUNE_ARRAY_H
#define AUTOTUNE_ARRAY_H

#include "generator/error.h"

#include <stddef.h>

/* Makes room for one more element of `size` bytes behind the `count` that there are. `array` is
 * the address of the pointer to them, NULL at first; only this function may change how much
 * room there is. The pointer is the owner's to free. -1 only for memory: then the elements are
 * as they were. */
int array_grow(void *array, size_t count, size_t size, struct error *error);

#endif
