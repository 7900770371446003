/* matrix_dims: dims of matrices for tests: of rows, or of columns. */
#ifndef AUTOTUNE_MATRIX_DIMS_H
#define AUTOTUNE_MATRIX_DIMS_H

#include "generator/dims_text.h"

#include <assert.h>

enum { OF_COLUMNS, OF_ROWS }; /* axes */

static inline struct dims matrix_dims(struct matrix matrix)
{
    struct dims dims = DIMS_VALUE(0);
    struct error ignored;
    const int failed = dims_text_read(&dims, &matrix, 1, &ignored);
    assert(!failed);
    (void)failed;
    return dims;
}

#endif
