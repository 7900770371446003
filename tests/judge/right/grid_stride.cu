// Mark Harris, "Faster parallel reductions on Kepler", as it is often copied.
// judge --kernel total --type i32 --args 'input output n' --grid 'min(7, ceil_div(n, 128))' --block 128 --zeroed --n 2000
__device__ __forceinline__ int warp_sum(int v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

extern "C" __global__ void total(const int *__restrict__ in, int *__restrict__ out, int n)
{
    __shared__ int shared[32];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    const int lane = threadIdx.x % warpSize, w = threadIdx.x / warpSize;
    sum = warp_sum(sum);
    if (lane == 0)
        shared[w] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0;
    if (w == 0)
        sum = warp_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}
