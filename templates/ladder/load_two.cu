//? if LOADS == PAIRS
// CS759, loads in pairs: each thread brings two neighbours into shared memory. A warp's load then
// takes every other word of twice as many bytes, and its stores meet at every other bank.
//? else
// CS759, loads apart: each thread brings two elements into shared memory that are a block apart.
// Lanes side by side take words side by side.
//? end
// The lecture has these two lines and no kernel around them: here a tree follows.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[2 * BLOCK];
    const unsigned t = threadIdx.x;
    const unsigned long long first = (unsigned long long)blockIdx.x * (2 * blockDim.x);
    //? if LOADS == PAIRS
    const unsigned i = 2 * t, j = 2 * t + 1;
    //? else
    const unsigned i = t, j = t + blockDim.x;
    //? end
    shared[i] = first + i < n ? map(x[first + i]) : identity();
    shared[j] = first + j < n ? map(x[first + j]) : identity();
    for (unsigned d = blockDim.x; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = combine(shared[t], shared[t + d]);
    }
    if (t == 0)
        y[blockIdx.x] = shared[0];
}
