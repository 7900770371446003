// The first pass of a sum of floats, as reduce_first.cu has it, for Kernel Tuner: it defines
// block_size_x, num_blocks, vector and use_shuffle; loop_unroll_factor 0 drops the pragma. n is
// a multiple of `vector`, x is aligned for it.
struct __align__(vector * 4) pack { float at[vector]; };

__global__ void __launch_bounds__(block_size_x) sum_first(float *y, const float *x, int n)
{
    const int t = threadIdx.x;
    const pack *packs = (const pack *)x;
    const int step = num_blocks * block_size_x;
    float a = 0;
    #pragma unroll loop_unroll_factor
    for (int i = blockIdx.x * block_size_x + t; i < n / vector; i += step) {
        const pack got = packs[i];
        for (int k = 0; k < vector; k++)
            a += got.at[k];
    }

    const int shuffled = use_shuffle ? 32 : 1; // values left for the shuffles
    __shared__ float shared[block_size_x];
    if (block_size_x > shuffled) {
        shared[t] = a;
        for (int d = block_size_x / 2; d >= shuffled; d /= 2) {
            __syncthreads();
            if (t < d)
                shared[t] = a = a + shared[t + d];
        }
    }
    if (use_shuffle && t < 32) {
        for (int d = 16; d > 0; d /= 2)
            a += __shfl_down_sync(~0u, a, d);
    }
    if (t == 0)
        y[blockIdx.x] = a;
}
