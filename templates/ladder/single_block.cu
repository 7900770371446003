// CS599, single block: one block walks over the whole array, then combines its threads' values by
// a tree. Nothing has to wait for other blocks; one SM does all the work. The lecture draws it and
// shows no code.
// Reduces n elements of x, n may be 0, to *y.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    accum a = identity();
    for (unsigned long long i = t; i < n; i += blockDim.x)
        a = combine(a, map(x[i]));
    shared[t] = a;
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = combine(shared[t], shared[t + d]);
    }
    if (t == 0)
        *y = shared[0];
}
