//? if WALK == STRIDED
// Lab 04 shared: each thread combines what it meets on its way over the array, then the block
// combines its threads' values by a tree in shared memory.
//? else
// CS759's loads for CPU threads, taken to their end: each thread combines a part of the array by
// itself, all elements side by side, then the block combines its threads' values by a tree in
// shared memory. A warp's lanes read as many places of memory at a time.
//? end
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    //? if WALK == STRIDED
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + t;
    accum a = identity();
    for (; i < n; i += stride)
        a = combine(a, map(x[i]));
    //? else
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    const unsigned long long part = n / threads + (n % threads != 0);
    const unsigned long long first = ((unsigned long long)blockIdx.x * blockDim.x + t) * part;
    accum a = identity();
    for (unsigned long long i = first; i < n && i < first + part; i++)
        a = combine(a, map(x[i]));
    //? end
    shared[t] = a;
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = combine(shared[t], shared[t + d]);
    }
    if (t == 0)
        y[blockIdx.x] = shared[0];
}
