//? if WARP == SHUFFLE
// WangYu 4: the last warp combines by shuffles, from register to register: no shared memory and
// no barrier.
//? else
// WangYu 4 with __reduce_add_sync: one instruction combines the last warp. The document has a
// barrier behind it that the other warps never reach, which is undefined; none is needed.
//? end
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + t;
    const unsigned long long j = i + (unsigned long long)gridDim.x * blockDim.x;
    accum a = i < n ? map(x[i]) : identity();
    if (j < n)
        a = combine(a, map(x[j]));
    shared[t] = a;
    for (unsigned d = blockDim.x / 2; d >= 32; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    //? if WARP == SHUFFLE
    if (t < 32)
        for (unsigned d = 16; d > 0; d /= 2)
            a = combine(a, __shfl_down_sync(~0u, a, d));
    //? else
    if (t < 32)
        a = warp_redux(a);
    //? end
    if (t == 0)
        y[blockIdx.x] = a;
}
