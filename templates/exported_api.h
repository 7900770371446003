#ifndef PREFIX_H
#define PREFIX_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//: match
/* All are for the current device. */

/* Bytes of a workspace for up to n_max elements, in device memory, aligned to 256 bytes (as
 * cudaMalloc does). */
cudaError_t prefix_workspace_bytes(size_t n_max, size_t *bytes);

/* Readies a workspace, once before its first use, and again after a launch that was aborted.
 * Then it serves one reduction after another; reductions that may run at the same time, as in
 * two streams, need one each. */
cudaError_t prefix_workspace_init(void *workspace, size_t bytes, cudaStream_t stream);

/* Reduces n elements of `in` (device memory, aligned to an element; n may be 0) to *out (device
 * memory). Returns at once; errors of the kernels show as those of any launch.
 * cudaErrorInvalidValue: the workspace is too small for n, or n too large for any kernel. */
cudaError_t prefix(const ELEMENT *in, size_t n, RESULT *out, void *workspace, size_t bytes,
    cudaStream_t stream);

/* How well what runs for n elements fits, and what it is; either pointer may be NULL. */
cudaError_t prefix_match(size_t n, enum prefix_match *match, const char **params);

#ifdef __cplusplus
}
#endif

#endif
