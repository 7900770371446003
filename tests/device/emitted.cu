// Proves emitted reductions that share a program: two types, two sizes, a cluster of 16 and a ring in shared
// memory among them. After a reset of the device each asks anew for what its kernel needs.
// Exit code 0 = all right.
#include "f32_64Ki.cuh"
#include "f32_1Gi.cuh"
#include "i32_64Ki.cuh"
#include "i32_1Gi.cuh"

#include <cstdio>
#include <cstdlib>

using launcher = cudaError_t (*)(const void *, void *, void *, void *, cudaStream_t);
enum { SCRATCH_BYTES = 64 << 20 };

static void need(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(error));
    std::exit(1);
}

// Every element is 1, but for each 64th, which is 0: f32 has the sum without rounding.
template <typename T> __global__ void fill(T *x, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = i % 64 != 0;
}

template <typename T> static bool is_right(launcher launch, size_t n, const char *name)
{
    T *x, *y, got = 0;
    char *scratch, *state;
    need(cudaMalloc(&x, n * sizeof(T)), "making room");
    need(cudaMalloc(&y, sizeof(T)), "making room");
    need(cudaMalloc(&scratch, SCRATCH_BYTES), "making room");
    need(cudaMalloc(&state, SCRATCH_BYTES), "making room");
    need(cudaMemset(state, 0, SCRATCH_BYTES), "clearing");
    fill<<<1024, 256>>>(x, n);
    for (int i = 0; i < 3; i++)
        need(launch(x, y, scratch, state, 0), name);
    need(cudaMemcpy(&got, y, sizeof(T), cudaMemcpyDeviceToHost), name);
    const T want = (T)(n / 64 * 63);
    const bool right = got == want;
    std::printf("%s: %s\n", name, right ? "right" : "WRONG");
    cudaFree(x), cudaFree(y), cudaFree(scratch), cudaFree(state);
    return right;
}

int main()
{
    bool all = true;
    for (int context = 0; context < 2; context++) {
        all &= is_right<float>(launch_sum_f32_65536, 1 << 16, "f32 64Ki");
        all &= is_right<float>(launch_sum_f32_1073741824, 1 << 30, "f32 1Gi");
        all &= is_right<int>(launch_sum_i32_65536, 1 << 16, "i32 64Ki");
        all &= is_right<int>(launch_sum_i32_1073741824, 1 << 30, "i32 1Gi");
        need(cudaDeviceReset(), "resetting");
    }
    return all ? 0 : 1;
}
