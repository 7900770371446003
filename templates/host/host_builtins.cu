// What nvcc declares by itself, for kernels that are not ours, on the emulator. Parts, as in types.cu.

//? define max
//? if HOST
#define max(a, b) ({ __typeof__((a) + (b)) host_a = (a), host_b = (b); host_a > host_b ? host_a : host_b; })
//? end

//? define min
//? if HOST
#define min(a, b) ({ __typeof__((a) + (b)) host_a = (a), host_b = (b); host_a < host_b ? host_a : host_b; })
//? end

//? define fmaxf
//? if HOST
#define fmaxf(a, b) __builtin_fmaxf(a, b)
//? end

//? define fminf
//? if HOST
#define fminf(a, b) __builtin_fminf(a, b)
//? end

//? define fmax
//? if HOST
#define fmax(a, b) __builtin_fmax(a, b)
//? end

//? define fmin
//? if HOST
#define fmin(a, b) __builtin_fmin(a, b)
//? end

//? define fabsf
//? if HOST
#define fabsf(a) __builtin_fabsf(a)
//? end

//? define INFINITY
//? if HOST
#define INFINITY __builtin_inff()
//? else
#define INFINITY __int_as_float(0x7f800000)
//? end

//? define FLT_MAX
#define FLT_MAX 3.402823466e+38f

//? define INT_MIN
#define INT_MIN (-2147483647 - 1)

//? define INT_MAX
#define INT_MAX 2147483647

//? define size_t
//? if HOST
typedef unsigned long size_t;
//? end

//? define int32_t
typedef int int32_t;

//? define uint32_t
typedef unsigned uint32_t;

//? define int64_t
typedef long long int64_t;

//? define uint64_t
typedef unsigned long long uint64_t;

//? define float2
//? if HOST
typedef struct __align__(8) { float x, y; } float2;
//? end

//? define float4
//? if HOST
typedef struct __align__(16) { float x, y, z, w; } float4;
//? end

//? define double2
//? if HOST
typedef struct __align__(16) { double x, y; } double2;
//? end

//? define int2
//? if HOST
typedef struct __align__(8) { int x, y; } int2;
//? end

//? define int4
//? if HOST
typedef struct __align__(16) { int x, y, z, w; } int4;
//? end

//? define uint4
//? if HOST
typedef struct __align__(16) { unsigned x, y, z, w; } uint4;
//? end
