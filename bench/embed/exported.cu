// exported: reductions that `autotune export --format cu --prefix exported` wrote, behind the plain C
// face that `autotune bench --against` opens: as another program has them.
// ELEM and ACC name the types on the command line, TYPE and RESULT in CUDA C++.
#include "autotune/measure/baseline_face.h"
#include "exported.h"

#include <cstring>

namespace {

int supports(const char *type, const char *acc, const char *op, const struct dims *dims)
{
    return !strcmp(type, ELEM) && !strcmp(acc, ACC) && !strcmp(op, OP) &&
           dims_extent(dims) == dims->depth.n;
}

int temp_bytes(const char *, const char *, const char *, const struct dims *dims, size_t *out)
{
    return exported_workspace_bytes(dims->depth.n, out);
}

// The first call with a workspace readies it; what a call leaves behind is what the next expects. For
// another n the caller may get another one at the same address.
int enqueue(const char *, const char *, const char *, const void *in, void *out,
            const struct dims *dims, void *temp, size_t bytes, void *stream)
{
    static void *ready;
    static unsigned long long ready_n;
    const unsigned long long n = dims->depth.n;
    if (temp != ready || n != ready_n) {
        const cudaError_t error =
            exported_workspace_init(temp, bytes, static_cast<cudaStream_t>(stream));
        if (error != cudaSuccess)
            return error;
        ready = temp;
        ready_n = n;
    }
    return exported(static_cast<const TYPE *>(in), n, static_cast<RESULT *>(out), temp, bytes,
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
