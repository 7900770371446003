/* input_matrix: fills device memory with a matrix and folds all its results. All cores work on
 * shares of rows, then on shares of results. Hides the threads. */
#ifndef AUTOTUNE_INPUT_MATRIX_H
#define AUTOTUNE_INPUT_MATRIX_H

#include "autotune/device/device.h"
#include "autotune/tune/oracle.h"

/* Writes the matrix that `source` describes (oracle_matrix.h) to `address`, its results to
 * `expects`; `largest` grows to the largest partial magnitude. */
int input_matrix_fill(struct device *device, const struct oracle_input *source, uint64_t address,
                      void *expects, double *largest, struct error *error);

#endif
