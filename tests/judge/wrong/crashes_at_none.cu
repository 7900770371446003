// A sum that reads far outside for n = 0, which is forgiven, and is wrong elsewhere, which is not.
// judge --kernel total --op sum --type i32 --n 2000 --args 'input output n' --grid 1 --block 1
// says It drops the last element
__global__ void total(const int *x, int *y, int n)
{
    int sum = 0;
    for (int i = n == 0 ? -(1 << 30) : 0; i < n - 1; i++)
        sum += x[i];
    *y = sum;
}
