//? if STEP == INIT
// Before the elements: the value that changes nothing, for the others to be combined into.
__global__ void reduce(accum *y)
{
    *y = identity();
}
//? else
// WangYu shared: each element is combined into one word of its block's shared memory, and that
// into the result, by atomic operations.
// Reduces n elements of x, n may be 0, into *y, which holds the identity before.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared;
    const unsigned t = threadIdx.x;
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + t;
    if (t == 0)
        shared = identity();
    __syncthreads();
    if (i < n)
        combine_into(&shared, map(x[i]));
    __syncthreads();
    if (t == 0)
        combine_into(y, shared);
}
//? end
