// Needs more scratch than it says.
// judge --kernel total --type i32 --args 'input n output scratch' --grid 1 --block 256 --scratch 1020 --n 2000
// says past its scratch
__global__ void total(const int *x, int n, int *y, int *s)
{
    const int t = threadIdx.x;
    int a = 0;
    for (int i = t; i < n; i += 256)
        a += x[i];
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
