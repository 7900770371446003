/* poison: defines the bytes that fill buffers before a run, so that outputs left unwritten and
 * stray writes show. */
#ifndef AUTOTUNE_POISON_H
#define AUTOTUNE_POISON_H

#include <stdbool.h>
#include <stddef.h>

enum {
    POISON_OUTPUT = 0xA5,
    POISON_SCRATCH = 0xC3, /* unwritten scratch memory differs from unwritten output */
    POISON_STATE =
        0x96, /* around the state, which is zero: a read there gives a wrong result */
};

/* Bytes of guard around the memory that a kernel may use. */
enum {
    POISON_RESULTS_GUARD = 256, /* of a matrix's results, then on to a multiple of it: poison */
    POISON_SCRATCH_GUARD = 4096, /* of scratch memory: the same poison as in it */
    POISON_STATE_GUARD = 4096,   /* of the state: poison, unlike the zeros before it */
};

/* Do all `count` bytes have this value? */
bool poison_is_all(const unsigned char *bytes, size_t count, unsigned char value);

/* The fault of a kernel by its state, as words for "it ..."; NULL when it has none. `all` are the
 * `before` bytes of guard in front of the state, its `used` bytes and the guard behind it. A
 * state that is not zero is a fault only of a kernel whose results are right, and that leaves
 * zeros. */
const char *poison_state_fault(const unsigned char *all, size_t before, size_t used,
                               bool is_right, bool leaves_epoch);

#endif
