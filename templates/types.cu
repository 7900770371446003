// Element and accumulator types, the identity, and one step of each operation.
// Each part begins with //? define NAME; a kernel gets the parts whose names it uses.

//? define elem
//? if TYPE == I8
typedef signed char elem;
//? elif TYPE == U8
typedef unsigned char elem;
//? elif TYPE == I16
typedef short elem;
//? elif TYPE == U16
typedef unsigned short elem;
//? elif TYPE == F16 || TYPE == BF16
typedef unsigned short elem; // its bits
//? elif TYPE == I32
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
//? if OP != MIN && OP != MAX && OP != ARGMIN && OP != ARGMAX && (ACC == I32 || ACC == I64)
// Unsigned, because unsigned arithmetic wraps around; the bits are those of the signed result.
//? end
//? if ACC == I32 && (OP == MIN || OP == MAX || OP == ARGMIN || OP == ARGMAX)
typedef int accum;
//? elif ACC == I32 || ACC == U32
typedef unsigned accum;
//? elif ACC == I64 && (OP == MIN || OP == MAX || OP == ARGMIN || OP == ARGMAX)
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
//? if ELEM_BYTES < 4 && TYPE != F16 && VECTOR * ELEM_BYTES % 4 == 0
typedef union __align__(VECTOR * ELEM_BYTES) {
    unsigned word[VECTOR * ELEM_BYTES / 4]; // first, so that it is moved by words
    elem at[VECTOR];
} vec;
//? else
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;
//? end

//? define stored
// What one store writes.
typedef struct __align__(WRITE * ACCUM_BYTES) { accum at[WRITE]; } stored;

//? define identity
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    //? if PARTIAL == SUM || OP == OR || OP == XOR
    return 0;
    //? elif OP == PROD
    return 1;
    //? elif OP == AND
    return ~(accum)0;
    //? elif (OP == MIN || OP == ARGMIN) && ACC == I32
    return 0x7fffffff;
    //? elif (OP == MIN || OP == ARGMIN) && ACC == U32
    return 0xffffffff;
    //? elif (OP == MIN || OP == ARGMIN) && ACC == I64
    return 0x7fffffffffffffffLL;
    //? elif (OP == MIN || OP == ARGMIN) && ACC == U64
    return 0xffffffffffffffffULL;
    //? elif (OP == MIN || OP == ARGMIN) && ACC == F32
    return __int_as_float(0x7f800000);
    //? elif (OP == MIN || OP == ARGMIN) && ACC == F64
    return __longlong_as_double(0x7ff0000000000000LL);
    //? elif (OP == MAX || OP == ARGMAX) && ACC == I32
    return -0x7fffffff - 1;
    //? elif (OP == MAX || OP == ARGMAX) && (ACC == U32 || ACC == U64)
    return 0;
    //? elif (OP == MAX || OP == ARGMAX) && ACC == I64
    return -0x7fffffffffffffffLL - 1;
    //? elif (OP == MAX || OP == ARGMAX) && ACC == F32
    return __int_as_float(0xff800000);
    //? elif (OP == MAX || OP == ARGMAX) && ACC == F64
    return __longlong_as_double(0xfff0000000000000LL);
    //? end
}

//? define map
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    //? if TYPE == F16
    const accum x = half_value(value);
    //? elif ORDER == BY_N && TYPE == BF16 && ACC == F64
    const accum x = widened(bfloat_value(value));
    //? elif TYPE == BF16
    const accum x = bfloat_value(value);
    //? elif ORDER == BY_N && TYPE == F32 && ACC == F64
    const accum x = widened(value);
    //? elif OP == SUMSQ
    const accum x = (accum)value;
    //? end
    //? if OP == SUMSQ && ORDER == BY_N
    return rounded_product(x, x);
    //? elif OP == SUMSQ
    return x * x;
    //? elif TYPE == F16 || TYPE == BF16 || (ORDER == BY_N && TYPE == F32 && ACC == F64)
    return x;
    //? else
    return (accum)value;
    //? end
}

//? define combine
__device__ __forceinline__ accum combine(accum a, accum b)
{
    //? if PARTIAL == SUM && ORDER == BY_N
    return rounded_sum(a, b);
    //? elif PARTIAL == SUM
    return a + b;
    //? elif OP == PROD && ORDER == BY_N
    return rounded_product(a, b);
    //? elif OP == PROD
    return a * b;
    //? elif OP == AND
    return a & b;
    //? elif OP == OR
    return a | b;
    //? elif OP == XOR
    return a ^ b;
    //? elif (OP == MIN || OP == ARGMIN) && (ACC == F32 || ACC == F64)
    return minimum(a, b);
    //? elif (OP == MAX || OP == ARGMAX) && (ACC == F32 || ACC == F64)
    return maximum(a, b);
    //? elif OP == MIN || OP == ARGMIN
    return a < b ? a : b;
    //? elif OP == MAX || OP == ARGMAX
    return a > b ? a : b;
    //? end
}

//? define combine_into
// combine(*to, a), written to *to as one step that no other thread can come between.
__device__ __forceinline__ void combine_into(accum *to, accum a)
{
    //? if PARTIAL == SUM
    atomicAdd(to, a);
    //? elif OP == AND
    atomicAnd(to, a);
    //? elif OP == OR
    atomicOr(to, a);
    //? elif OP == XOR
    atomicXor(to, a);
    //? elif OP == MIN
    atomicMin(to, a);
    //? elif OP == MAX
    atomicMax(to, a);
    //? end
}

//? define fold
// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    //? if (TYPE == I8 || TYPE == U8) && (OP == SUM || OP == SUMSQ) && VECTOR % 4 == 0
    // Four bytes a step; what one load brings stays far below 2^31.
    //? if TYPE == I8
    int sum = 0;
    //? else
    unsigned sum = 0;
    //? end
    for (int k = 0; k < VECTOR / 4; k++)
        //? if TYPE == I8 && OP == SUM
        sum = __dp4a((int)got.word[k], 0x01010101, sum);
        //? elif TYPE == I8
        sum = __dp4a((int)got.word[k], (int)got.word[k], sum);
        //? elif OP == SUM
        sum = __dp4a(got.word[k], 0x01010101u, sum);
        //? else
        sum = __dp4a(got.word[k], got.word[k], sum);
        //? end
    return a + (accum)sum;
    //? elif (TYPE == I16 || TYPE == U16) && OP == SUM && VECTOR % 2 == 0
    // Two halves of a word a step; what one load brings stays far below 2^31.
    //? if TYPE == I16
    int sum = 0;
    for (int k = 0; k < VECTOR / 2; k++)
        sum = __dp2a_lo((int)got.word[k], 0x0101, sum);
    //? else
    unsigned sum = 0;
    for (int k = 0; k < VECTOR / 2; k++)
        sum = __dp2a_lo(got.word[k], 0x0101u, sum);
    //? end
    return a + (accum)sum;
    //? elif ELEM_BYTES < 4 && VECTOR * ELEM_BYTES % 4 == 0 && (OP == AND || OP == OR || OP == XOR)
    // Word by word, then the parts of the last.
    accum w = got.word[0];
    for (int k = 1; k < VECTOR * ELEM_BYTES / 4; k++)
        w = combine(w, got.word[k]);
    w = combine(w, w >> 16);
    //? if ELEM_BYTES == 1
    w = combine(w, w >> 8);
    //? end
    return combine(a, map((elem)w));
    //? else
    for (int k = 0; k < VECTOR; k++)
        a = combine(a, map(got.at[k]));
    return a;
    //? end
}

//? define beats
// Does a value come before the best so far? A NaN does before all numbers; an equal does not.
__device__ __forceinline__ bool beats(accum value, accum best)
{
    //? if OP == ARGMIN && (ACC == F32 || ACC == F64)
    return !(value >= best) && best == best;
    //? elif ACC == F32 || ACC == F64
    return !(value <= best) && best == best;
    //? elif OP == ARGMIN
    return value < best;
    //? else
    return value > best;
    //? end
}

//? define equals
__device__ __forceinline__ bool equals(accum a, accum b)
{
    //? if ACC == F32 || ACC == F64
    return a == b || (a != a && b != b);
    //? else
    return a == b;
    //? end
}

//? define found
// A value, and the place of the first like it: all ones where none was seen that beats the
// identity.
typedef struct __align__(16) {
    accum value;
    unsigned long long place;
} found;

//? define nearer
// Of two the one that comes first: by value, then by place.
__device__ __forceinline__ found nearer(found a, found b)
{
    return beats(b.value, a.value) || (equals(b.value, a.value) && b.place < a.place) ? b : a;
}
