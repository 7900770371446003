//? if LOCKSTEP == HISTORICAL
// The last warp's steps as they were written for GPUs before compute capability 7.0, where the
// lanes of a warp ran in lock-step. It is wrong today: each lane may run on by itself, and read
// shared[t + d] before or after lane t + d has changed it. Kept to be read, not to be run.
__device__ __forceinline__ accum last_warp(volatile accum *shared, unsigned t)
{
    shared[t] = combine(shared[t], shared[t + 32]);
    shared[t] = combine(shared[t], shared[t + 16]);
    shared[t] = combine(shared[t], shared[t + 8]);
    shared[t] = combine(shared[t], shared[t + 4]);
    shared[t] = combine(shared[t], shared[t + 2]);
    shared[t] = combine(shared[t], shared[t + 1]);
    return shared[t];
}
//? else
// The last warp's steps without a barrier of the block. Lanes do not run in lock-step: all have
// written before any reads, and all have read before any writes.
__device__ __forceinline__ accum last_warp(volatile accum *shared, unsigned t)
{
    accum a = combine(shared[t], shared[t + 32]);
    shared[t] = a;
    __syncwarp();
    a = combine(a, shared[t + 16]);
    __syncwarp();
    shared[t] = a;
    __syncwarp();
    a = combine(a, shared[t + 8]);
    __syncwarp();
    shared[t] = a;
    __syncwarp();
    a = combine(a, shared[t + 4]);
    __syncwarp();
    shared[t] = a;
    __syncwarp();
    a = combine(a, shared[t + 2]);
    __syncwarp();
    shared[t] = a;
    __syncwarp();
    return combine(a, shared[t + 1]);
}
//? end

// Harris 5: the last warp is unrolled. Its six steps need no barrier of the block.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    const unsigned long long i = (unsigned long long)blockIdx.x * (2 * blockDim.x) + t;
    const unsigned long long j = i + blockDim.x;
    accum a = i < n ? map(x[i]) : identity();
    if (j < n)
        a = combine(a, map(x[j]));
    shared[t] = a;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 32; d /= 2) {
        if (t < d)
            shared[t] = combine(shared[t], shared[t + d]);
        __syncthreads();
    }
    if (t < 32) {
        a = last_warp(shared, t);
        if (t == 0)
            y[blockIdx.x] = a;
    }
}
