//? if STEP == INIT
// Before the elements: the value that changes nothing, for the others to be combined into.
__global__ void reduce(accum *y)
{
    *y = identity();
}
//? else
// WangYu naive: each element is combined into the result by an atomic operation of its own.
// Reduces n elements of x, n may be 0, into *y, which holds the identity before.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        combine_into(y, map(x[i]));
}
//? end
