// Element and accumulator types, the identity, and one step of each operation.
// Each part begins with //? define NAME; a kernel gets the parts whose names it uses.

//? define elem
//? if TYPE == I32
typedef int elem;
//? elif TYPE == U32
typedef unsigned elem;
//? elif TYPE == I64
typedef long long elem;
//? elif TYPE == U64
typedef unsigned long long elem;
//? elif TYPE == F32
typedef float elem;
//? elif TYPE == F64
typedef double elem;
//? end

//? define accum
//? if OP != MIN && OP != MAX && (ACC == I32 || ACC == I64)
// Unsigned, because unsigned arithmetic wraps around; the bits are those of the signed result.
//? end
//? if ACC == I32 && (OP == MIN || OP == MAX)
typedef int accum;
//? elif ACC == I32 || ACC == U32
typedef unsigned accum;
//? elif ACC == I64 && (OP == MIN || OP == MAX)
typedef long long accum;
//? elif ACC == I64 || ACC == U64
typedef unsigned long long accum;
//? elif ACC == F32
typedef float accum;
//? elif ACC == F64
typedef double accum;
//? end

//? define vec
// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

//? define identity
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    //? if OP == SUM || OP == OR || OP == XOR
    return 0;
    //? elif OP == PROD
    return 1;
    //? elif OP == AND
    return ~(accum)0;
    //? elif OP == MIN && ACC == I32
    return 0x7fffffff;
    //? elif OP == MIN && ACC == U32
    return 0xffffffff;
    //? elif OP == MIN && ACC == I64
    return 0x7fffffffffffffffLL;
    //? elif OP == MIN && ACC == U64
    return 0xffffffffffffffffULL;
    //? elif OP == MIN && ACC == F32
    return __int_as_float(0x7f800000);
    //? elif OP == MIN && ACC == F64
    return __longlong_as_double(0x7ff0000000000000LL);
    //? elif OP == MAX && ACC == I32
    return -0x7fffffff - 1;
    //? elif OP == MAX && (ACC == U32 || ACC == U64)
    return 0;
    //? elif OP == MAX && ACC == I64
    return -0x7fffffffffffffffLL - 1;
    //? elif OP == MAX && ACC == F32
    return __int_as_float(0xff800000);
    //? elif OP == MAX && ACC == F64
    return __longlong_as_double(0xfff0000000000000LL);
    //? end
}

//? define map
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
}

//? define combine
__device__ __forceinline__ accum combine(accum a, accum b)
{
    //? if OP == SUM
    return a + b;
    //? elif OP == PROD
    return a * b;
    //? elif OP == AND
    return a & b;
    //? elif OP == OR
    return a | b;
    //? elif OP == XOR
    return a ^ b;
    //? elif OP == MIN && (ACC == F32 || ACC == F64)
    return minimum(a, b);
    //? elif OP == MAX && (ACC == F32 || ACC == F64)
    return maximum(a, b);
    //? elif OP == MIN
    return a < b ? a : b;
    //? elif OP == MAX
    return a > b ? a : b;
    //? end
}
