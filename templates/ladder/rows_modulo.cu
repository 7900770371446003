// Reduction (Sum) part 1, kernel 0: a block a row, a thread an element, interleaved addressing by a
// modulo. In each step those threads combine whose number is a multiple of twice the distance.
// Reduces each of `count` rows to y[row]; a row longer than the block is added up before, which
// the document does not do.
__global__ void __launch_bounds__(BLOCK)
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    for (unsigned long long row = blockIdx.x; row < count; row += gridDim.x) {
        accum a = identity();
        for (unsigned long long i = t; i < len; i += blockDim.x)
            a = combine(a, map(x[row * pitch + i]));
        shared[t] = a;
        for (unsigned d = 1; d < blockDim.x; d *= 2) {
            __syncthreads();
            if (t % (2 * d) == 0)
                shared[t] = combine(shared[t], shared[t + d]);
        }
        if (t == 0)
            y[row] = shared[0];
        __syncthreads(); // the next row's elements replace this one's
    }
}
