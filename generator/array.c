/* array: grows an array to the next power of two, so that its room follows from its count. */
#include "generator/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int array_grow(void *array, size_t count, size_t size, struct error *error)
{
    assert(size > 0);
    const size_t room = count ? 2 * count : 1;
    void *at;
    if (count & (count - 1))
        return 0;
    memcpy(&at, array, sizeof at);
    at = reallocarray(at, room, size);
    if (!at)
        return error_memory(error, (unsigned long long)room * size);
    memcpy(array, &at, sizeof at);
    return 0;
}
