// Harris 3 of the CUDA samples: sequential addressing, one value a block, launched until one is left.
// judge --kernel reduce3 --type i32 --args 'input output n' --grid 'ceil_div(n, 128)' --block 128 --shared 512 --outputs 'ceil_div(n, 128)' --n 2000
#include <cooperative_groups.h>
#include <stdio.h>
using namespace std;

extern "C" {
__global__ void reduce3(int *g_idata, int *g_odata, unsigned int n)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0)
        g_odata[blockIdx.x] = sdata[0];
}
}
