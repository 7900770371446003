/* banks: counts the wavefronts in which the shared memory of an SM serves an access of a warp.
 *
 * From compute capability 5.0 on there are 32 banks of 4 bytes, each of which serves one word a
 * wavefront, to any number of lanes (CUDA C++ Programming Guide, shared memory of each
 * capability). Accesses of 8 bytes are served half a warp after the other, of 16 bytes a
 * quarter: 128 bytes at a time. */
#ifndef AUTOTUNE_BANKS_H
#define AUTOTUNE_BANKS_H

#include <stdint.h>

enum { BANKS = 32, BANKS_WORD = 4, BANKS_LANES = 32 };

struct banks {
    unsigned wavefronts; /* for this access */
    unsigned ideal; /* for as many bytes at 128 a wavefront, as Nsight Compute counts. Lanes
                     * of 8 bytes, every other one active, take twice as many: half a warp
                     * at a time */
    unsigned ways;  /* the most different words wanted of one bank in one part: n of an
                     * n-way bank conflict; 1 = none, 0 = no lane is active */
};

/* Counts for a load or store of `bytes` by the lanes whose bits are set, at `at[lane]` bytes
 * from the start of shared memory. More than 16 bytes a lane count as several accesses of
 * 16. */
void banks_count(struct banks *out, uint32_t lanes, const uint64_t at[BANKS_LANES],
                 unsigned bytes);

#endif
