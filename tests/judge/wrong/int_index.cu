// An index of 8 bits, which wraps around before the end.
// judge --kernel total --type i32 --args 'input n output' --grid 1 --block 1 --n 2000
// says does not come to an end|right up to some size
__global__ void total(const int *x, int n, int *y)
{
    int a = 0;
    for (int i = 0; i < n; i++)
        a += x[(unsigned char)i];
    y[0] = a;
}
