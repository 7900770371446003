/* sectors: counts the sectors of memory that a warp's load or store touches.
 *
 * From compute capability 5.0 on global memory moves in sectors of 32 bytes (CUDA C++ Programming
 * Guide, global memory of each capability). Nsight Compute counts one request for each
 * instruction of a warp, and its sectors once each, whatever lanes want of them: a warp's 32
 * words side by side are four. */
#ifndef AUTOTUNE_SECTORS_H
#define AUTOTUNE_SECTORS_H

#include <stdint.h>

enum { SECTORS_BYTES = 32, SECTORS_LANES = 32, SECTORS_LOAD_MAX = 32 };

struct sectors {
    unsigned touched; /* different ones */
    unsigned ideal;   /* for as many bytes, side by side from the start of a sector on */
};

/* Counts for `bytes`, at most SECTORS_LOAD_MAX, of each lane whose bit is set, at `at[lane]` bytes from a
 * place where a sector begins. */
void sectors_count(struct sectors *out, uint32_t lanes, const uint64_t at[SECTORS_LANES],
                   unsigned bytes);

#endif
