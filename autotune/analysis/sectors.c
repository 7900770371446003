/* sectors: lists the sectors of each lane, each once. */
#include "autotune/analysis/sectors.h"

#include <assert.h>

void sectors_count(struct sectors *out, uint32_t lanes, const uint64_t at[SECTORS_LANES],
                   unsigned bytes)
{
    uint64_t seen[2 * SECTORS_LANES]; /* a lane that is not aligned touches two */
    unsigned count = 0;
    assert(bytes <= SECTORS_LOAD_MAX);
    for (unsigned lane = 0; lane < SECTORS_LANES; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        const uint64_t last = (at[lane] + bytes - 1) / SECTORS_BYTES;
        for (uint64_t sector = at[lane] / SECTORS_BYTES; sector <= last; sector++) {
            unsigned i = 0;
            while (i < count && seen[i] != sector)
                i++;
            if (i == count)
                seen[count++] = sector;
        }
    }
    const unsigned wanted = (unsigned)__builtin_popcount(lanes) * bytes;
    *out = (struct sectors){count, (wanted + SECTORS_BYTES - 1) / SECTORS_BYTES};
}
