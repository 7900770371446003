// Each block writes its sum over that of the others.
// judge --kernel total --type i32 --args 'input n output' --grid 'ceil_div(n, 256)' --block 256 --zeroed --n 2000
// says when the same is launched again: threads race
__global__ void total(const int *x, int n, int *y)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    int a = i < n ? x[i] : 0;
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
