// One block is launched for all elements, and has no loop.
// judge --kernel total --type i32 --args 'input n output' --grid 1 --block 256 --n 2000
// says elements of one block alone
__global__ void total(const int *x, int n, int *y)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    int a = t < n ? x[t] : 0;
    s[t] = a;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        y[0] = s[0];
}
