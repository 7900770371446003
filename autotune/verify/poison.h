/* poison: the bytes that buffers hold before a run, so that what was not written, and what was
 * written where nothing belongs, shows. */
#ifndef AUTOTUNE_POISON_H
#define AUTOTUNE_POISON_H

#include <stdbool.h>
#include <stddef.h>

enum {
    POISON_OUTPUT = 0xA5,
    POISON_SCRATCH = 0xC3, /* another one: what is read from there is no output left alone */
    POISON_STATE = 0x96,   /* around the state, which is zero: what is taken for it is wrong */
};

/* Bytes watched behind what a kernel may use. */
enum {
    POISON_RESULTS_GUARD = 256, /* of a matrix's results, then on to a multiple of it: poison */
    POISON_SCRATCH_GUARD = 4096, /* of scratch memory: poison, as that before it */
    POISON_STATE_GUARD = 4096,   /* of the state: poison, unlike the state before it */
};

/* Do all `count` bytes have this value? */
bool poison_is_all(const unsigned char *bytes, size_t count, unsigned char value);

#endif
