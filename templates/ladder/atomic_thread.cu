//? if STEP == INIT
// Before the elements: the value that changes nothing, for the others to be combined into.
__global__ void reduce(accum *y)
{
    *y = identity();
}
//? else
// Lab 04 atomic: each thread combines what it meets on its way over the array, and that into
// the result by one atomic operation.
// Reduces n elements of x, n may be 0, into *y, which holds the identity before.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    accum a = identity();
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += stride)
        a = combine(a, map(x[i]));
    combine_into(y, a);
}
//? end
