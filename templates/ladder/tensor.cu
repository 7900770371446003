// Where CS599 ends, vector loads and tensor cores: a thread loads 16 bytes at a time, and CUDA
// cores add what it has loaded, or tensor cores by a product with ones.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK / 32];
    const unsigned t = threadIdx.x;
    // Elements before the first address aligned for a load.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned long long first = head + (unsigned long long)blockIdx.x * TILE;
    accum a = identity();
    if (first + TILE <= n) {
        const vec *v = (const vec *)(x + first) + t;
        //? if MATH == TENSOR
        frag rows = {{0, 0, 0, 0}};
        #pragma unroll
        for (int k = 0; k < LOADS; k++)
            rows = fold_tensor(rows, v[k * BLOCK]);
        // Four lanes have the same two rows: one of them counts.
        if (t % 4 == 0)
            a = combine(a, combine(rows.at[0], rows.at[2]));
        //? else
        #pragma unroll
        for (int k = 0; k < LOADS; k++)
            a = fold(a, v[k * BLOCK]);
        //? end
    } else {
        for (unsigned long long i = first + t; i < n; i += BLOCK)
            a = combine(a, map(x[i]));
    }
    if (blockIdx.x == 0 && t < head && t < n)
        a = combine(a, map(x[t]));
    for (unsigned d = 16; d > 0; d /= 2)
        a = combine(a, __shfl_down_sync(~0u, a, d));
    if (t % 32 == 0)
        shared[t / 32] = a;
    __syncthreads();
    if (t < 32) {
        a = t < BLOCK / 32 ? shared[t] : identity();
        for (unsigned d = 16; d > 0; d /= 2)
            a = combine(a, __shfl_down_sync(~0u, a, d));
        if (t == 0)
            y[blockIdx.x] = a;
    }
}
