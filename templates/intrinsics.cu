// PTX, and whatever differs between a GPU and the host emulator.
// Each part begins with //? define NAME; a kernel gets the parts whose names it uses.

//? define load
__device__ __forceinline__ vec load(const vec *from)
{
    //? if HOST
    // Rounded down: a misaligned address, which a GPU refuses, brings the wrong elements.
    return *(const vec *)((unsigned long long)from & -(unsigned long long)sizeof(vec));
    //? elif LOAD == PLAIN
    return *from;
    //? else
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    //? if LOAD == NONCOHERENT
    asm("ld.global.nc"
    //? elif LOAD == NO_ALLOCATE && CC >= 80
    asm("ld.global.nc.L1::no_allocate.L2::256B"
    //? elif LOAD == NO_ALLOCATE
    asm("ld.global.nc.L1::no_allocate"
    //? end
    //? if VECTOR * ELEM_BYTES == 4
        ".u32 %0, [%1];" : "=r"(to.word[0]) : "l"(from));
    //? elif VECTOR * ELEM_BYTES == 8
        ".v2.u32 {%0, %1}, [%2];" : "=r"(to.word[0]), "=r"(to.word[1]) : "l"(from));
    //? elif VECTOR * ELEM_BYTES == 16
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    //? end
    return to.value;
    //? end
}

//? define warp_redux
// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    //? if OP == SUM
    return __reduce_add_sync(~0u, a);
    //? elif OP == MIN
    return __reduce_min_sync(~0u, a);
    //? elif OP == MAX
    return __reduce_max_sync(~0u, a);
    //? elif OP == AND
    return __reduce_and_sync(~0u, a);
    //? elif OP == OR
    return __reduce_or_sync(~0u, a);
    //? elif OP == XOR
    return __reduce_xor_sync(~0u, a);
    //? end
}

//? define minimum
// IEEE 754-2019 minimum: NaN if either is NaN, and -0 is less than +0.
__device__ __forceinline__ accum minimum(accum a, accum b)
{
    //? if HOST
    if (a != a || b != b)
        return a + b;
    return a < b || (a == b && __builtin_signbit(a)) ? a : b;
    //? elif ACC == F32 && CC >= 80
    accum least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
    //? elif ACC == F32
    return a != a || b != b ? a + b : fminf(a, b);
    //? else
    return a != a || b != b ? a + b : fmin(a, b);
    //? end
}

//? define maximum
// IEEE 754-2019 maximum: NaN if either is NaN, and +0 is greater than -0.
__device__ __forceinline__ accum maximum(accum a, accum b)
{
    //? if HOST
    if (a != a || b != b)
        return a + b;
    return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
    //? elif ACC == F32 && CC >= 80
    accum most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
    return most;
    //? elif ACC == F32
    return a != a || b != b ? a + b : fmaxf(a, b);
    //? else
    return a != a || b != b ? a + b : fmax(a, b);
    //? end
}

//? define arrive
// Counts a block in and says how many came before it. Releases what this thread wrote and
// acquires what the others released. The count wraps to 0 after the last: ready for the next call.
__device__ __forceinline__ unsigned arrive(unsigned *arrived)
{
    //? if HOST
    return host_arrive(arrived, gridDim.x);
    //? else
    unsigned before;
    asm volatile("atom.inc.acq_rel.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before) : "l"(arrived), "r"(gridDim.x - 1) : "memory");
    return before;
    //? end
}
