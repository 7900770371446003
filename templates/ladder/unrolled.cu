//? if LOCKSTEP == HISTORICAL
// The last warp's steps as they were written for GPUs before compute capability 7.0, where the
// lanes of a warp ran in lock-step. It is wrong today: each lane may run on by itself, and read
// shared[t + d] before or after lane t + d has changed it. Kept to be read, not to be run.
__device__ __forceinline__ accum last_warp(volatile accum *shared, unsigned t)
{
    //? if BLOCK >= 64
    shared[t] = combine(shared[t], shared[t + 32]);
    //? end
    //? if BLOCK >= 32
    shared[t] = combine(shared[t], shared[t + 16]);
    //? end
    //? if BLOCK >= 16
    shared[t] = combine(shared[t], shared[t + 8]);
    //? end
    //? if BLOCK >= 8
    shared[t] = combine(shared[t], shared[t + 4]);
    //? end
    shared[t] = combine(shared[t], shared[t + 2]);
    shared[t] = combine(shared[t], shared[t + 1]);
    return shared[t];
}
//? else
// The last warp's steps without a barrier of the block. Lanes do not run in lock-step: all have
// written before any reads, and all have read before any writes.
__device__ __forceinline__ accum last_warp(volatile accum *shared, unsigned t)
{
    //? if BLOCK >= 64
    accum a = combine(shared[t], shared[t + 32]);
    //? else
    accum a = shared[t];
    //? end
    //? if BLOCK >= 32
    shared[t] = a;
    __syncwarp();
    a = combine(a, shared[t + 16]);
    __syncwarp();
    //? end
    //? if BLOCK >= 16
    shared[t] = a;
    __syncwarp();
    a = combine(a, shared[t + 8]);
    __syncwarp();
    //? end
    //? if BLOCK >= 8
    shared[t] = a;
    __syncwarp();
    a = combine(a, shared[t + 4]);
    __syncwarp();
    //? end
    shared[t] = a;
    __syncwarp();
    a = combine(a, shared[t + 2]);
    __syncwarp();
    shared[t] = a;
    __syncwarp();
    return combine(a, shared[t + 1]);
}
//? end

// Harris 6: completely unrolled, for the size of the block is known at compile time.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    //? if BLOCK >= 64
    __shared__ accum shared[BLOCK];
    //? else
    __shared__ accum shared[BLOCK + BLOCK / 2]; // the upper half's lanes read on, and nobody their values
    //? end
    const unsigned t = threadIdx.x;
    const unsigned long long i = (unsigned long long)blockIdx.x * (2 * BLOCK) + t;
    const unsigned long long j = i + BLOCK;
    accum a = i < n ? map(x[i]) : identity();
    if (j < n)
        a = combine(a, map(x[j]));
    shared[t] = a;
    __syncthreads();
    //? if BLOCK >= 1024
    if (t < 512)
        shared[t] = combine(shared[t], shared[t + 512]);
    __syncthreads();
    //? end
    //? if BLOCK >= 512
    if (t < 256)
        shared[t] = combine(shared[t], shared[t + 256]);
    __syncthreads();
    //? end
    //? if BLOCK >= 256
    if (t < 128)
        shared[t] = combine(shared[t], shared[t + 128]);
    __syncthreads();
    //? end
    //? if BLOCK >= 128
    if (t < 64)
        shared[t] = combine(shared[t], shared[t + 64]);
    __syncthreads();
    //? end
    if (t < 32) {
        a = last_warp(shared, t);
        if (t == 0)
            y[blockIdx.x] = a;
    }
}
