// Harris 2, CS599 #2, WangYu 1: interleaved addressing by threads side by side. Those
// of a warp go the same way now, but reach for shared memory in strides: bank conflicts.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
//? if PADDING == WORD
// A word stays free behind each 32, so that strides go round all banks.
#define AT(i) ((i) + (i) / 32)
//? end
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    //? if PADDING == NONE
    __shared__ accum shared[BLOCK];
    //? else
    __shared__ accum shared[AT(BLOCK)];
    //? end
    const unsigned t = threadIdx.x;
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + t;
    //? if PADDING == NONE
    shared[t] = i < n ? map(x[i]) : identity();
    //? else
    shared[AT(t)] = i < n ? map(x[i]) : identity();
    //? end
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        const unsigned at = 2 * d * t;
        __syncthreads();
        if (at < blockDim.x)
            //? if PADDING == NONE
            shared[at] = combine(shared[at], shared[at + d]);
            //? else
            shared[AT(at)] = combine(shared[AT(at)], shared[AT(at + d)]);
            //? end
    }
    if (t == 0)
        y[blockIdx.x] = shared[0];
}
