/* banks: in how many wavefronts the shared memory of an SM serves an access of a warp. Pure.
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
    unsigned wavefronts; /* that it takes */
    unsigned ideal; /* that would do for as many bytes: 128 in each, as Nsight Compute has it.
                          * Lanes of 8 bytes, every other one active, take twice as many: a half of
                          * the warp at a time */
    unsigned ways;  /* the most different words that are wanted of a bank in one part: n of
                          * an n-way bank conflict; 1 = none, 0 = no lane is active */
};

/* Of a load or store of `bytes` by the lanes whose bits are set, at `at[lane]` bytes from the
 * start of shared memory. More than 16 bytes a lane are taken as several accesses of 16. */
void banks_count(struct banks *out, uint32_t lanes, const uint64_t at[BANKS_LANES],
                 unsigned bytes);

#endif
