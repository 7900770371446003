// What operations mention beside C's operators: functions that are defined for all numbers, by the type
// of their arguments, and for the host emulator the names of CUDA's functions.
// Each part begins with //? define NAME; a kernel gets the parts whose names it uses.

//? define divide_i32
// a / b; 0 where b is 0, and what does not fit wraps around.
__device__ __forceinline__ int divide_i32(int a, int b)
{
    return b == 0 ? 0 : b == -1 ? (int)(0u - a) : a / b;
}

//? define divide_i64
// a / b; 0 where b is 0, and what does not fit wraps around.
__device__ __forceinline__ long long divide_i64(long long a, long long b)
{
    return b == 0 ? 0 : b == -1 ? (long long)(0ULL - a) : a / b;
}

//? define divide_u32
// a / b; 0 where b is 0.
__device__ __forceinline__ unsigned divide_u32(unsigned a, unsigned b)
{
    return b == 0 ? 0 : a / b;
}

//? define divide_u64
// a / b; 0 where b is 0.
__device__ __forceinline__ unsigned long long divide_u64(unsigned long long a,
                                                         unsigned long long b)
{
    return b == 0 ? 0 : a / b;
}

//? define remainder_i32
// a % b, with the sign of a; 0 where b is 0.
__device__ __forceinline__ int remainder_i32(int a, int b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}

//? define remainder_i64
// a % b, with the sign of a; 0 where b is 0.
__device__ __forceinline__ long long remainder_i64(long long a, long long b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}

//? define remainder_u32
// a % b; 0 where b is 0.
__device__ __forceinline__ unsigned remainder_u32(unsigned a, unsigned b)
{
    return b == 0 ? 0 : a % b;
}

//? define remainder_u64
// a % b; 0 where b is 0.
__device__ __forceinline__ unsigned long long remainder_u64(unsigned long long a,
                                                            unsigned long long b)
{
    return b == 0 ? 0 : a % b;
}

//? define magnitude_i32
// |x|; that of the lowest number wraps around to itself.
__device__ __forceinline__ int magnitude_i32(int x)
{
    return x < 0 ? (int)(0u - x) : x;
}

//? define magnitude_i64
// |x|; that of the lowest number wraps around to itself.
__device__ __forceinline__ long long magnitude_i64(long long x)
{
    return x < 0 ? (long long)(0ULL - x) : x;
}

//? define least_i32
__device__ __forceinline__ int least_i32(int a, int b)
{
    return a < b ? a : b;
}

//? define least_u32
__device__ __forceinline__ unsigned least_u32(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

//? define least_i64
__device__ __forceinline__ long long least_i64(long long a, long long b)
{
    return a < b ? a : b;
}

//? define least_u64
__device__ __forceinline__ unsigned long long least_u64(unsigned long long a,
                                                        unsigned long long b)
{
    return a < b ? a : b;
}

//? define greatest_i32
__device__ __forceinline__ int greatest_i32(int a, int b)
{
    return a > b ? a : b;
}

//? define greatest_u32
__device__ __forceinline__ unsigned greatest_u32(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

//? define greatest_i64
__device__ __forceinline__ long long greatest_i64(long long a, long long b)
{
    return a > b ? a : b;
}

//? define greatest_u64
__device__ __forceinline__ unsigned long long greatest_u64(unsigned long long a,
                                                           unsigned long long b)
{
    return a > b ? a : b;
}

//? define least_f32
// IEEE 754-2019 minimum: NaN if either is NaN, and -0 is less than +0.
__device__ __forceinline__ float least_f32(float a, float b)
{
    //? if HOST
    if (a != a || b != b)
        return a + b;
    return a < b || (a == b && __builtin_signbit(a)) ? a : b;
    //? elif CC >= 80
    float result;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
    //? else
    return a != a || b != b ? a + b : fminf(a, b);
    //? end
}

//? define least_f64
// IEEE 754-2019 minimum: NaN if either is NaN, and -0 is less than +0.
__device__ __forceinline__ double least_f64(double a, double b)
{
    //? if HOST
    if (a != a || b != b)
        return a + b;
    return a < b || (a == b && __builtin_signbit(a)) ? a : b;
    //? else
    return a != a || b != b ? a + b : fmin(a, b);
    //? end
}

//? define greatest_f32
// IEEE 754-2019 maximum: NaN if either is NaN, and +0 is greater than -0.
__device__ __forceinline__ float greatest_f32(float a, float b)
{
    //? if HOST
    if (a != a || b != b)
        return a + b;
    return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
    //? elif CC >= 80
    float result;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
    //? else
    return a != a || b != b ? a + b : fmaxf(a, b);
    //? end
}

//? define greatest_f64
// IEEE 754-2019 maximum: NaN if either is NaN, and +0 is greater than -0.
__device__ __forceinline__ double greatest_f64(double a, double b)
{
    //? if HOST
    if (a != a || b != b)
        return a + b;
    return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
    //? else
    return a != a || b != b ? a + b : fmax(a, b);
    //? end
}

//? define below_f32
// Does a come before b among the least? A NaN does before all numbers; an equal does not.
__device__ __forceinline__ bool below_f32(float a, float b)
{
    return !(a >= b) && b == b;
}

//? define below_f64
// Does a come before b among the least? A NaN does before all numbers; an equal does not.
__device__ __forceinline__ bool below_f64(double a, double b)
{
    return !(a >= b) && b == b;
}

//? define above_f32
// Does a come before b among the greatest? A NaN does before all numbers; an equal does not.
__device__ __forceinline__ bool above_f32(float a, float b)
{
    return !(a <= b) && b == b;
}

//? define above_f64
// Does a come before b among the greatest? A NaN does before all numbers; an equal does not.
__device__ __forceinline__ bool above_f64(double a, double b)
{
    return !(a <= b) && b == b;
}

//? define equals_f32
// Equal, or both NaN.
__device__ __forceinline__ bool equals_f32(float a, float b)
{
    return a == b || (a != a && b != b);
}

//? define equals_f64
// Equal, or both NaN.
__device__ __forceinline__ bool equals_f64(double a, double b)
{
    return a == b || (a != a && b != b);
}

//? define is_nan_f32
__device__ __forceinline__ bool is_nan_f32(float x)
{
    return x != x;
}

//? define is_nan_f64
__device__ __forceinline__ bool is_nan_f64(double x)
{
    return x != x;
}

//? define i32_of_f32
// Truncated; the nearest that there is, and 0 for NaN.
__device__ __forceinline__ int i32_of_f32(float x)
{
    if (x != x)
        return 0;
    if (x <= -2147483648.0f)
        return -0x7fffffff - 1;
    return x >= 2147483648.0f ? 0x7fffffff : (int)x;
}

//? define i32_of_f64
// Truncated; the nearest that there is, and 0 for NaN.
__device__ __forceinline__ int i32_of_f64(double x)
{
    if (x != x)
        return 0;
    if (x <= -2147483648.0)
        return -0x7fffffff - 1;
    return x >= 2147483648.0 ? 0x7fffffff : (int)x;
}

//? define u32_of_f32
// Truncated; the nearest that there is, and 0 for NaN.
__device__ __forceinline__ unsigned u32_of_f32(float x)
{
    if (!(x > 0))
        return 0;
    return x >= 4294967296.0f ? 0xffffffffu : (unsigned)x;
}

//? define u32_of_f64
// Truncated; the nearest that there is, and 0 for NaN.
__device__ __forceinline__ unsigned u32_of_f64(double x)
{
    if (!(x > 0))
        return 0;
    return x >= 4294967296.0 ? 0xffffffffu : (unsigned)x;
}

//? define i64_of_f32
// Truncated; the nearest that there is, and 0 for NaN.
__device__ __forceinline__ long long i64_of_f32(float x)
{
    if (x != x)
        return 0;
    if (x <= -9223372036854775808.0f)
        return -0x7fffffffffffffffLL - 1;
    return x >= 9223372036854775808.0f ? 0x7fffffffffffffffLL : (long long)x;
}

//? define i64_of_f64
// Truncated; the nearest that there is, and 0 for NaN.
__device__ __forceinline__ long long i64_of_f64(double x)
{
    if (x != x)
        return 0;
    if (x <= -9223372036854775808.0)
        return -0x7fffffffffffffffLL - 1;
    return x >= 9223372036854775808.0 ? 0x7fffffffffffffffLL : (long long)x;
}

//? define u64_of_f32
// Truncated; the nearest that there is, and 0 for NaN.
__device__ __forceinline__ unsigned long long u64_of_f32(float x)
{
    if (!(x > 0))
        return 0;
    return x >= 18446744073709551616.0f ? 0xffffffffffffffffULL : (unsigned long long)x;
}

//? define u64_of_f64
// Truncated; the nearest that there is, and 0 for NaN.
__device__ __forceinline__ unsigned long long u64_of_f64(double x)
{
    if (!(x > 0))
        return 0;
    return x >= 18446744073709551616.0 ? 0xffffffffffffffffULL : (unsigned long long)x;
}

//? define __fmul_rn
//? if HOST
// a b; a GPU's compiler fuses it with no sum.
__device__ __forceinline__ float __fmul_rn(float a, float b)
{
    return a * b;
}
//? end

//? define __dmul_rn
//? if HOST
// a b; a GPU's compiler fuses it with no sum.
__device__ __forceinline__ double __dmul_rn(double a, double b)
{
    return a * b;
}
//? end

//? define fabsf
//? if HOST
float fabsf(float x);
//? end

//? define fabs
//? if HOST
double fabs(double x);
//? end

//? define sqrtf
//? if HOST
float sqrtf(float x);
//? end

//? define sqrt
//? if HOST
double sqrt(double x);
//? end

//? define expf
//? if HOST
float expf(float x);
//? end

//? define exp
//? if HOST
double exp(double x);
//? end

//? define exp2f
//? if HOST
float exp2f(float x);
//? end

//? define exp2
//? if HOST
double exp2(double x);
//? end

//? define logf
//? if HOST
float logf(float x);
//? end

//? define log
//? if HOST
double log(double x);
//? end

//? define log2f
//? if HOST
float log2f(float x);
//? end

//? define log2
//? if HOST
double log2(double x);
//? end

//? define log1pf
//? if HOST
float log1pf(float x);
//? end

//? define log1p
//? if HOST
double log1p(double x);
//? end

//? define expm1f
//? if HOST
float expm1f(float x);
//? end

//? define expm1
//? if HOST
double expm1(double x);
//? end

//? define tanhf
//? if HOST
float tanhf(float x);
//? end

//? define tanh
//? if HOST
double tanh(double x);
//? end

//? define sinf
//? if HOST
float sinf(float x);
//? end

//? define sin
//? if HOST
double sin(double x);
//? end

//? define cosf
//? if HOST
float cosf(float x);
//? end

//? define cos
//? if HOST
double cos(double x);
//? end

//? define floorf
//? if HOST
float floorf(float x);
//? end

//? define floor
//? if HOST
double floor(double x);
//? end

//? define ceilf
//? if HOST
float ceilf(float x);
//? end

//? define ceil
//? if HOST
double ceil(double x);
//? end

//? define fmaf
//? if HOST
float fmaf(float a, float b, float c);
//? end

//? define fma
//? if HOST
double fma(double a, double b, double c);
//? end

//? define powf
//? if HOST
float powf(float a, float b);
//? end

//? define pow
//? if HOST
double pow(double a, double b);
//? end
