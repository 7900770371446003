/* baseline_face: defines what a shared object offers to be timed against: reductions of another
 * library behind plain C. Both sides include it; `autotune bench --against FILE` opens the
 * object and looks for the function named BASELINE_SYMBOL. */
#ifndef AUTOTUNE_BASELINE_FACE_H
#define AUTOTUNE_BASELINE_FACE_H

#include "generator/dims.h"

#include <stddef.h> /* size_t */

#define BASELINE_SYMBOL "autotune_baseline"

enum { BASELINE_VERSION = 4 }; /* of this interface; any other is refused */

/* Names of types and operations are those of the command line: "i32", "f16", "sum". Elements
 * and results are as in the program: f16 and bf16 of 2 bytes, the result of type `acc`. */
struct baseline_face {
    int version;      /* BASELINE_VERSION */
    int is_host;      /* addresses are the host's and work is done at once, else a GPU's */
    const char *name; /* "CUB 3.0.1" */

    /* Does it have the operation for the type and such dims, of which one value is n elements
     * one behind another? dims->scan tells a scan from it. */
    int (*supports)(const char *type, const char *acc, const char *op, const struct dims *dims);

    /* Bytes of temporary memory that enqueue needs. 0, or an error for explain. */
    int (*temp_bytes)(const char *type, const char *acc, const char *op,
                      const struct dims *dims, size_t *out);

    /* Queues one reduction of the elements at `in` to results that lie one behind another at
     * `out`, as dims.h says. `temp` is 256-byte aligned, `in` to an element. `stream` is a
     * CUstream of the device's primary context, which is current; NULL on the host. Must be fit
     * for stream capture from its second call on. */
    int (*enqueue)(const char *type, const char *acc, const char *op, const void *in, void *out,
                   const struct dims *dims, void *temp, size_t temp_bytes, void *stream);

    const char *(*explain)(int error); /* a sentence for an error of a function here */
};

/* The one function that a shared object exports. */
typedef const struct baseline_face *baseline_get(void);

#endif
