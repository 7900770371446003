/* npy: reads the header of a file that NumPy's save() wrote, of versions 1 to 3: what its elements are, how many,
 * and where they begin. Bytes in, numbers out. Source: numpy.lib.format, "Format Version 1.0" and on. */
#ifndef AUTOTUNE_NPY_H
#define AUTOTUNE_NPY_H

#include "generator/error.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPY_HEADER_MAX = 4096 }; /* bytes; those of plain elements have 128 */

struct npy {
    enum type type; /* u8 for bool */
    uint64_t n;     /* elements */
    uint64_t at;    /* bytes before the first */
    bool is_turned; /* several axes in Fortran's order, the first one fastest */
};

/* Do these first bytes of a file say that it is one? */
bool npy_is(const void *bytes, size_t size);

/* Reads the first bytes of a file, up to NPY_HEADER_MAX of them. ERROR_IO: what is wrong with it, and what to do; the
 * sentence begins with `name`. */
int npy_read(struct npy *out, const char *name, const void *bytes, size_t size,
             struct error *error);

#endif
