// Reduction (Sum) part 1, kernel 1: the same by threads side by side, which reach for shared
// memory in strides: bank conflicts.
// Reduces each row to y[row]. The document has rows of exactly BLOCK elements; another length is
// combined by the loop before the tree.
__global__ void __launch_bounds__(BLOCK)
rows(const elem *__restrict__ x, unsigned long long count, unsigned long long len,
     unsigned long long pitch, accum *__restrict__ y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    const elem *const row = x + blockIdx.x * pitch;
    accum a = identity();
    for (unsigned long long i = t; i < len; i += BLOCK)
        a = combine(a, map(row[i]));
    shared[t] = a;
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        const unsigned at = 2 * d * t;
        __syncthreads();
        if (at < BLOCK)
            shared[at] = combine(shared[at], shared[at + d]);
    }
    if (t == 0)
        y[blockIdx.x] = shared[0];
}
