#ifndef PREFIX_H
#define PREFIX_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//: match
/* A matrix has `rows` rows of `len` elements, each `pitch` elements behind the one before (pitch is
 * len where there are no gaps). All functions are for the current device. */

/* Why such a matrix cannot be reduced, as a sentence, or NULL where it can. The functions below
 * then return cudaErrorInvalidValue. */
const char *prefix_refusal(size_t rows, size_t len, size_t pitch);

/* Bytes of a workspace for such a matrix, in device memory, aligned to 256 bytes (as cudaMalloc
 * does). One for matrices of several shapes has the most bytes that any of them needs. */
cudaError_t prefix_workspace_bytes(size_t rows, size_t len, size_t pitch, size_t *bytes);

/* Readies a workspace, once before its first use, and again after a launch that was aborted.
 * Then it serves one reduction after another; reductions that may run at the same time, as in
 * two streams, need one each. */
cudaError_t prefix_workspace_init(void *workspace, size_t bytes, cudaStream_t stream);

/* Reduces each LINE of the matrix `in` (device memory, aligned to an element) to a value of `out`,
 * in their order; one without elements to what changes nothing. Returns at once; errors of the
 * kernels show as those of any launch. cudaErrorInvalidValue: a pointer is missing, the workspace
 * is too small for this shape, or prefix_refusal says why. */
cudaError_t prefix(const ELEMENT *in, size_t rows, size_t len, size_t pitch, RESULT *out,
    void *workspace, size_t bytes, cudaStream_t stream);

/* How well what runs for such a matrix fits, and what it is; either pointer may be NULL. */
cudaError_t prefix_match(size_t rows, size_t len, size_t pitch, enum prefix_match *match,
    const char **params);

#ifdef __cplusplus
}
#endif

#endif
