//? if PIECE == OPENED
#ifndef PREFIX_H
#define PREFIX_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//? else

/* Readies a workspace, once before its first use, and again after a launch that was aborted.
 * Then it serves one reduction after another; reductions that may run at the same time, as in
 * two streams, need one each. */
cudaError_t prefix_workspace_init(void *workspace, size_t bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
//? end
