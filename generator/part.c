/* part: deals items to parts in rows, one to each part; each row begins with a part drawn for it. */
#include "generator/part.h"

#include "generator/random.h"

#include <assert.h>

unsigned part_of(uint64_t item, unsigned count)
{
    assert(count >= 1);
    uint64_t state = item / count * 0x9e3779b97f4a7c15U + count;
    return (unsigned)((item % count + random_next(&state) % count) % count);
}
