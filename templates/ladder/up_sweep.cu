//? if PADDING == NONE
// CS759, the scan's up-sweep: a tree in place. Step by step the right ends of twice as many elements
// have their sums; strides are powers of two, so lanes meet at few banks.
//? else
// CS759, the scan's up-sweep with padding: a word stays free behind each 32, so that strides of powers
// of two go round all banks.
//? end
// Combines neighbours only, left before right: that it is associative is all it asks of an operation.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
//? if PADDING == NONE
#define AT(i) (i)
//? else
#define AT(i) ((i) + (i) / 32)
//? end
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[AT(2 * BLOCK)];
    const unsigned t = threadIdx.x;
    const unsigned long long i = 2 * ((unsigned long long)blockIdx.x * blockDim.x + t);
    shared[AT(2 * t)] = i < n ? map(x[i]) : identity();
    shared[AT(2 * t + 1)] = i + 1 < n ? map(x[i + 1]) : identity();
    unsigned stride = 1;
    for (unsigned d = blockDim.x; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) {
            const unsigned left = stride * (2 * t + 1) - 1, right = left + stride;
            shared[AT(right)] = combine(shared[AT(left)], shared[AT(right)]);
        }
        stride *= 2;
    }
    if (t == 0)
        y[blockIdx.x] = shared[AT(2 * blockDim.x - 1)];
}
