//? if STEP == ADD_SUMS
// The third step of a scan of any n: each block adds, on the left, what the blocks before it have.
__global__ void __launch_bounds__(BLOCK)
scan(unsigned long long n, accum *y, const accum *partials)
{
    const accum before = partials[blockIdx.x];
    const unsigned long long first = (unsigned long long)blockIdx.x * TILE + threadIdx.x;
    for (unsigned k = 0; k < TILE; k += BLOCK)
        if (first + k < n)
            y[first + k] = combine(before, y[first + k]);
}
//? else
//? if METHOD == TREE && PADDING == NONE
#define AT(i) (i)
//? elif METHOD == TREE
#define AT(i) ((i) + (i) / 32)
//? end
//? if METHOD == HILLIS_STEELE && BUFFERS == ONE
// Hillis and Steele: step by step each thread adds what lies twice as far before it. In one buffer a
// barrier stands between reading and writing. n log n additions, where n would do.
// Combines a value a thread with those of all threads before it.
__device__ __forceinline__ accum block_scan(accum a)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    __syncthreads();
    shared[t] = a;
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        const accum before = t >= d ? shared[t - d] : identity();
        __syncthreads();
        if (t >= d)
            shared[t] = combine(before, shared[t]);
    }
    return shared[t];
}
//? elif METHOD == HILLIS_STEELE
// Hillis and Steele with two buffers: each step reads one and writes the other, one barrier a step.
// n log n additions, where n would do.
// Combines a value a thread with those of all threads before it.
__device__ __forceinline__ accum block_scan(accum a)
{
    __shared__ accum shared[2][BLOCK];
    const unsigned t = threadIdx.x;
    unsigned out = 0;
    accum upto = a;
    __syncthreads();
    shared[out][t] = a;
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        const accum own = shared[out][t];
        upto = t >= d ? combine(shared[out][t - d], own) : own;
        shared[1 - out][t] = upto;
        out = 1 - out;
    }
    return upto;
}
//? else
// Blelloch's work-efficient scan, as Harris, Sengupta and Owens have it: up a tree to the sum of all,
// then down again, where each node hands its own to the left and adds to the right. 2 (n - 1)
// additions.
//? if PADDING == WORD
// A word stays free behind each 32, so that strides of powers of two go round all banks.
//? end
// Turns the tile in shared memory into what comes before each element; returns the sum of all.
__device__ __forceinline__ accum block_scan(accum *shared)
{
    const unsigned t = threadIdx.x;
    unsigned stride = 1;
    for (unsigned d = blockDim.x; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) {
            const unsigned left = stride * (2 * t + 1) - 1, right = left + stride;
            shared[AT(right)] = combine(shared[AT(left)], shared[AT(right)]);
        }
        stride *= 2;
    }
    __syncthreads();
    const accum all = shared[AT(TILE - 1)];
    __syncthreads();
    if (t == 0)
        shared[AT(TILE - 1)] = identity();
    for (unsigned d = 1; d <= blockDim.x; d *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < d) {
            const unsigned left = stride * (2 * t + 1) - 1, right = left + stride;
            const accum own = shared[AT(left)], before = shared[AT(right)];
            shared[AT(left)] = before;
            shared[AT(right)] = combine(before, own);
        }
    }
    __syncthreads();
    return all;
}
//? end
//? if STEP == SCAN_BLOCKS
// The first step of a scan of any n: each block scans its own elements, as if nothing were before
// them, and leaves their sum in `partials`.
//? else
// The second step: one block scans the sums of blocks, so that each becomes what is before it.
//? end
__global__ void __launch_bounds__(BLOCK)
//? if STEP == SCAN_BLOCKS
scan(const elem *x, unsigned long long n, accum *y, accum *partials)
{
    const unsigned long long first = (unsigned long long)blockIdx.x * TILE;
//? else
scan(unsigned long long n, accum *partials)
{
    const unsigned long long count = (n + TILE - 1) / TILE;
    accum so_far = identity();
    //? if METHOD == HILLIS_STEELE
    __shared__ accum ends[BLOCK];
    //? end
    for (unsigned long long first = 0; first < count; first += TILE) {
//? end
    const unsigned t = threadIdx.x;
    //? if METHOD == HILLIS_STEELE
    //? if STEP == SCAN_BLOCKS
    const accum own = first + t < n ? map(x[first + t]) : identity();
    const accum upto = block_scan(own);
    //? if SCAN == EXCLUSIVE
    __shared__ accum ends[BLOCK];
    ends[t] = upto;
    __syncthreads();
    if (first + t < n)
        y[first + t] = t > 0 ? ends[t - 1] : identity();
    //? else
    if (first + t < n)
        y[first + t] = upto;
    //? end
    if (t == blockDim.x - 1)
        partials[blockIdx.x] = upto;
    //? else
    const accum own = first + t < count ? partials[first + t] : identity();
    ends[t] = block_scan(own);
    __syncthreads();
    if (first + t < count)
        partials[first + t] = t > 0 ? combine(so_far, ends[t - 1]) : so_far;
    so_far = combine(so_far, ends[BLOCK - 1]);
    //? end
    //? else
    __shared__ accum shared[AT(TILE)];
    //? if STEP == SCAN_BLOCKS
    for (unsigned k = 0; k < 2; k++)
        shared[AT(t + k * BLOCK)] =
            first + t + k * BLOCK < n ? map(x[first + t + k * BLOCK]) : identity();
    const accum all = block_scan(shared);
    for (unsigned k = 0; k < 2; k++)
        if (first + t + k * BLOCK < n)
            //? if SCAN == EXCLUSIVE
            y[first + t + k * BLOCK] = shared[AT(t + k * BLOCK)];
            //? else
            y[first + t + k * BLOCK] =
                combine(shared[AT(t + k * BLOCK)], map(x[first + t + k * BLOCK]));
            //? end
    if (t == 0)
        partials[blockIdx.x] = all;
    //? else
    for (unsigned k = 0; k < 2; k++)
        shared[AT(t + k * BLOCK)] =
            first + t + k * BLOCK < count ? partials[first + t + k * BLOCK] : identity();
    const accum all = block_scan(shared);
    for (unsigned k = 0; k < 2; k++)
        if (first + t + k * BLOCK < count)
            partials[first + t + k * BLOCK] = combine(so_far, shared[AT(t + k * BLOCK)]);
    so_far = combine(so_far, all);
    __syncthreads();
    //? end
    //? end
//? if STEP == SUMS
    }
//? end
}
//? end
