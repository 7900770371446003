// A block for each row of a matrix, whose elements lie one behind another.
// judge --kernel total --type i32 --op max --args 'input output depth' --rows 5 --len 300 --grid results --block 64
#include <climits>

__global__ void total(const int *x, int *y, long long len)
{
    __shared__ int s[64];
    int a = INT_MIN;
    for (int i = threadIdx.x; i < len; i += 64)
        a = max(a, x[blockIdx.x * len + i]);
    s[threadIdx.x] = a;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 64; i++)
            a = max(a, s[i]);
        y[blockIdx.x] = a;
    }
}
