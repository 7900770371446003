// A sum that is not made for n = 0, where it writes nothing.
// judge --kernel total --op sum --type i32 --n 2000 --args 'input output n' --grid 1 --block 64 --shared 256
__global__ void total(const int *x, int *y, int n)
{
    extern __shared__ __align__(16) int sums[];
    int sum = 0;
    if (n == 0)
        return;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int k = 1; threadIdx.x == 0 && k < blockDim.x; k++)
        sum += sums[k];
    if (threadIdx.x == 0)
        *y = sum;
}
