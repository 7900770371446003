// exported: reductions that `autotune export --format cu --prefix exported` wrote, behind the plain C
// face that `autotune bench --against` opens: as another program has them, with its own workspace.
// ELEM and ACC name the types on the command line, TYPE and RESULT in CUDA C++.
#include "autotune/device/baseline_face.h"
#include "exported.h"

#include <cstring>

namespace {

constexpr unsigned long long MOST = 1ull << 33; // elements

int supports(const char *type, const char *acc, const char *op)
{
    return !strcmp(type, ELEM) && !strcmp(acc, ACC) && !strcmp(op, OP);
}

int temp_bytes(const char *, const char *, const char *, unsigned long long, size_t *out)
{
    *out = 0;
    return cudaSuccess;
}

int enqueue(const char *, const char *, const char *, const void *in, void *out,
            unsigned long long n, void *, size_t, void *stream)
{
    static void *workspace;
    static size_t bytes;
    if (!workspace) {
        cudaError_t error = exported_workspace_bytes(MOST, &bytes);
        if (error == cudaSuccess)
            error = cudaMalloc(&workspace, bytes);
        if (error == cudaSuccess)
            error = exported_workspace_init(workspace, bytes, static_cast<cudaStream_t>(stream));
        if (error != cudaSuccess)
            return error;
    }
    return exported(static_cast<const TYPE *>(in), n, static_cast<RESULT *>(out), workspace, bytes,
                    static_cast<cudaStream_t>(stream));
}

const char *explain(int error)
{
    return cudaGetErrorString(static_cast<cudaError_t>(error));
}

const baseline_face face = {BASELINE_VERSION, 0, "exported", supports, temp_bytes, enqueue, explain};

} // namespace

extern "C" __attribute__((visibility("default"))) const baseline_face *autotune_baseline(void)
{
    return &face;
}
