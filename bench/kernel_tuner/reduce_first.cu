// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a)
{
    const unsigned t = threadIdx.x;
    //? if BLOCK > 32 || SHUFFLE == 0
    __shared__ accum shared[BLOCK];
    shared[t] = a;
    //? if SHUFFLE == 1
    for (unsigned d = BLOCK / 2; d >= 32; d /= 2) {
    //? else
    for (unsigned d = BLOCK / 2; d > 0; d /= 2) {
    //? end
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    //? end
    //? if SHUFFLE == 1
    if (t < 32) {
        for (int d = 16; d > 0; d /= 2)
            a = combine(a, __shfl_down_sync(~0u, a, d));
    }
    //? end
    return a;
}

// Reduces n elements of x, n may be 0, to one value a block, in y. All threads of the grid walk
// over the vectors side by side; what no whole vector covers is spread over the first threads.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    const unsigned long long thread = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
    accum a = identity();

    //? if VECTOR > 1
    // Elements before the first address aligned for a vector, and after the last vector.
    unsigned long long head = -(unsigned long long)x / ELEM_BYTES % VECTOR;
    if (head > n)
        head = n;
    const unsigned long long tail = (n - head) % VECTOR;
    if (thread < head)
        a = combine(a, map(x[thread]));
    if (thread < tail)
        a = combine(a, map(x[n - tail + thread]));

    const vec *v = (const vec *)(x + head);
    const unsigned long long vectors = (n - head) / VECTOR;
    //? else
    const vec *v = (const vec *)x;
    const unsigned long long vectors = n;
    //? end
    // Signed, so that the compiler may count the turns of the loop before it begins.
    const long long step = (long long)gridDim.x * BLOCK;
    //? if UNROLL > 0
    #pragma unroll UNROLL
    //? end
    for (long long i = (long long)thread; i < (long long)vectors; i += step) {
        //? if HOST
        // Rounded down: a misaligned address, which a GPU refuses, brings the wrong elements.
        const unsigned long long at = (unsigned long long)(v + i);
        const vec got = *(const vec *)(at & -(unsigned long long)sizeof(vec));
        //? else
        const vec got = v[i];
        //? end
        for (int k = 0; k < VECTOR; k++)
            a = combine(a, map(got.at[k]));
    }

    a = block_reduce(a);
    if (threadIdx.x == 0)
        y[blockIdx.x] = a;
}
