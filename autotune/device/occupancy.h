/* occupancy: computes how many blocks of a kernel one SM holds at once, and what keeps it from
 * holding more. Pure arithmetic on the limits of an architecture: the GPU need not be here. */
#ifndef AUTOTUNE_OCCUPANCY_H
#define AUTOTUNE_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

enum { OCCUPANCY_WARP = 32 }; /* threads of a warp */

/* Of an SM, unless it says otherwise; gpus_limits has them by architecture. */
struct occupancy_limits {
    int threads, blocks, registers;
    int threads_per_block;
    int registers_per_thread; /* of a block they may be all of the SM's registers */
    int register_unit;        /* a warp gets registers in multiples of this */
    int64_t shared;           /* bytes */
    int64_t shared_opt_in;    /* the most that one block may ask for */
    int64_t shared_reserved;  /* taken of every block's by the system */
    int64_t shared_unit;      /* a block gets bytes in multiples of this */
};

/* What a launch of a kernel asks for. */
struct occupancy_kernel {
    int block;            /* threads per block */
    int registers;        /* per thread */
    int64_t shared_bytes; /* of a block, static and dynamic */
};

enum occupancy_limiter {
    OCCUPANCY_THREADS,
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED,
    OCCUPANCY_BLOCKS,
    OCCUPANCY_LIMITERS
};
extern const char *const occupancy_names[OCCUPANCY_LIMITERS]; /* "threads", "registers" ... */

struct occupancy {
    int blocks; /* on an SM at once; 0: the kernel cannot be launched there */
    int warps;
    double share;                   /* warps / the SM's most, 0 .. 1 */
    int fit[OCCUPANCY_LIMITERS];    /* blocks that each limit alone would allow */
    enum occupancy_limiter limiter; /* the least of them, the first where several are */
};

/* Registers are handed out by warp and within the four parts of an SM, shared memory by block:
 * as cuOccupancyMaxActiveBlocksPerMultiprocessor counts for a kernel that prefers nothing. */
void occupancy_compute(struct occupancy *out, const struct occupancy_limits *limits,
                       const struct occupancy_kernel *kernel);

/* Is there a limit that could be lifted? Not where the SM has all the warps it can hold. */
bool occupancy_is_limited(const struct occupancy *occupancy);

#endif
