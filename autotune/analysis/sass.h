/* sass: counts the instructions of a kernel by kind, from its disassembly or, if there is none,
 * its PTX, and finds the loop that reads most. It counts the instructions in the code, not
 * those executed. */
#ifndef AUTOTUNE_SASS_H
#define AUTOTUNE_SASS_H

#include "generator/error.h"

#include <stdbool.h>
#include <stdint.h>

enum sass_kind {
    SASS_LOAD,  /* from global memory */
    SASS_STORE, /* to it */
    SASS_ATOMIC,
    SASS_SHARED,  /* loads and stores of shared memory */
    SASS_LOCAL,   /* of local memory: spills */
    SASS_WARP,    /* shuffles, votes, reductions of a warp */
    SASS_BARRIER, /* and fences */
    SASS_BRANCH,
    SASS_OTHER, /* arithmetic, moves, addresses */
    SASS_KINDS
};

struct sass_mix {
    bool is_ptx; /* PTX is not what runs: the compiler still turns it into machine code */
    uint64_t total, counts[SASS_KINDS];
    /* Bytes of one thread's global loads, each counted once. Bulk copies are made for the whole
     * block: with these, the thread's loads of shared memory count too. */
    uint64_t load_bytes;
    /* The loop without a loop in it that has the most bytes to load; 0 instructions = none. A
     * loop that loads far less than the rest of the kernel handles the remainder: it does not
     * count. */
    uint64_t loop_total, loop_bytes;
};

/* Counts in the text of one kernel: of nvdisasm or cuobjdump, or of NVRTC's PTX. ERROR_FAILED
 * when it has no instruction, or no memory is left. */
int sass_count(struct sass_mix *out, const char *text, bool is_ptx, struct error *error);

/* Instructions for each element of `elem_bytes`, in that loop, or else in the whole kernel; 0 =
 * it loads nothing. */
double sass_per_element(const struct sass_mix *mix, int elem_bytes);

#endif
