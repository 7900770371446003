// fmaxf gives the number where the other is none.
// judge --kernel total --type f32 --args 'input n output' --grid 1 --block 256 --op max --n 2000
// says NaN, infinities
__global__ void total(const float *x, int n, float *y)
{
    __shared__ float s[256];
    const int t = threadIdx.x;
    float a = -INFINITY;
    for (int i = t; i < n; i += 256)
        a = fmaxf(a, x[i]);
    s[t] = a;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == 0)
        y[0] = s[0];
}
