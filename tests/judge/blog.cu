// A block-wise sum, as in a blog.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256
#define CHECK(x)                        \
    do {                                \
        if ((x) != cudaSuccess)         \
            exit(1);                    \
    } while (0)

__global__ void sumKernel(const float *in, float *out, int N)
{
    extern __shared__ float sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < N ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(out, sdata[0]);
}

int main(int argc, char **argv)
{
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, 4000));
    sumKernel<<<(1000 + BLOCK - 1) / BLOCK, BLOCK, BLOCK * sizeof(float)>>>(d_in, d_out, 1000);
    printf("%s\n", "done");
    return 0;
}
