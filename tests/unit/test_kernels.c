/* What the proof of a kernel is worth: reduce.cu is right as it is, and wrong, by the verdict
 * of check_small, without any one of its barriers and with any one of its indices, bounds and
 * constants changed. Each fault is compiled and run on the host device in a process of its own,
 * because a kernel that reads or writes where it must not may end the process. */
#include "autotune/tune/check.h"
#include "autotune/tune/compiler.h"
#include "tests/unit/reduce_files.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Variants ----------------------------------------------------------------------------- */

#define SHAPE "MIN_BLOCKS=0 LOAD=PLAIN BLOCK=64 ITEMS=16 VECTOR=4 UNROLL=2 "

/* Small blocks, so that few threads make many blocks and tiles; a fault names those that show
 * it by their letters. */
static const struct variant {
    char letter;
    enum op op;
    enum type type;
    const char *params;
} variants[] = {
    {'s', SUM, I32, SHAPE "WARP=SHUFFLE FINISH=PASSES"},
    {'S', SUM, I32, SHAPE "WARP=SHUFFLE FINISH=LAST_BLOCK"},
    {'1', SUM, I32, "BLOCK=64 ITEMS=8 VECTOR=1 UNROLL=2 WARP=SHUFFLE FINISH=LAST_BLOCK"},
    {'T', SUM, I32, SHAPE "WARP=TREE FINISH=LAST_BLOCK"},
    {'V', SUM, I32, SHAPE "WARP=VOLATILE FINISH=LAST_BLOCK"},
    {'R', SUM, I32, SHAPE "WARP=REDUX FINISH=LAST_BLOCK"},
    {'X', MAX, I32, SHAPE "WARP=SHUFFLE FINISH=LAST_BLOCK"},
    {'N', MIN, F32, SHAPE "WARP=SHUFFLE FINISH=LAST_BLOCK"},
    {'x', MAX, F32, SHAPE "WARP=SHUFFLE FINISH=PASSES"},
    {'P', PROD, F32, SHAPE "WARP=SHUFFLE FINISH=LAST_BLOCK"},
    {'A', AND, U32, SHAPE "WARP=REDUX FINISH=LAST_BLOCK"},
    {'L', SUM, I32, "BLOCK=1024 ITEMS=64 VECTOR=4 UNROLL=16 WARP=SHUFFLE FINISH=LAST_BLOCK"},
    {'B', SUM, I8,
     "BLOCK=64 ITEMS=32 VECTOR=16 UNROLL=2 LOAD=PLAIN WARP=SHUFFLE FINISH=LAST_BLOCK"},
    {'Q', SUMSQ, U8, "BLOCK=64 ITEMS=16 VECTOR=8 UNROLL=2 LOAD=PLAIN WARP=REDUX FINISH=PASSES"},
    {'H', SUM, U16,
     "BLOCK=64 ITEMS=16 VECTOR=8 UNROLL=2 LOAD=PLAIN WARP=SHUFFLE FINISH=PASSES"},
    {'a', AND, I8, "BLOCK=64 ITEMS=16 VECTOR=8 UNROLL=2 LOAD=PLAIN WARP=SHUFFLE FINISH=PASSES"},
    {'F', SUMSQ, F16, "BLOCK=64 ITEMS=16 VECTOR=8 UNROLL=2 LOAD=PLAIN WARP=TREE FINISH=PASSES"},
    {'G', MIN, BF16,
     "BLOCK=64 ITEMS=16 VECTOR=2 UNROLL=2 LOAD=PLAIN WARP=SHUFFLE FINISH=PASSES"},
    {'D', SUM, F64, "BLOCK=128 ITEMS=4 VECTOR=2 UNROLL=1 WARP=SHUFFLE FINISH=PASSES"},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* --- Faults ------------------------------------------------------------------------------- */

struct fault {
    const char *name;      /* by which it is reported */
    const char *letters;   /* of the variants of which at least one must show it */
    const char *from, *to; /* what is changed, into what */
    int which;             /* of its places, from 0 */
};

/* Left out, because no result depends on them: __shfl_xor_sync for __shfl_down_sync (lane 0 gets
 * the same); shared[BLOCK] for
 * shared[BLOCK + 16] (blocks are larger than a warp here, and what lanes from 16 on read never
 * reaches lane 0); t < 64 for t < 32 in volatile shared memory (the second warp works on values
 * that are done with); `a != a ||` without b in a minimum of floats (a NaN in b is what the last
 * line returns). */
static const struct fault template_faults[] = {
    /* One value a warp. */
    {"the first shuffle is left out", "s", "int d = lanes / 2", "int d = lanes / 4", 0},
    {"the first shuffle goes too far", "s", "int d = lanes / 2", "int d = lanes", 0},
    {"the last shuffle is left out", "s", "for (int d = lanes / 2; d > 0;",
     "for (int d = lanes / 2; d > 1;", 0},
    {"every other shuffle is left out", "s", "d > 0; d /= 2)\n        a = combine(a, __shfl",
     "d > 0; d /= 4)\n        a = combine(a, __shfl", 0},
    {"shuffles take the next lane but one", "s", "(~0u, a, d)", "(~0u, a, d + 1)", 0},
    {"shuffles go the other way", "s", "__shfl_down_sync", "__shfl_up_sync", 0},
    {"redux is left out", "R", "return warp_redux(a);", "return a;", 0},

    /* A tree in shared memory. */
    {"the tree's first step is left out", "T", "unsigned d = BLOCK / 2; d > 0",
     "unsigned d = BLOCK / 4; d > 0", 0},
    {"the tree's last step is left out", "T", "unsigned d = BLOCK / 2; d > 0",
     "unsigned d = BLOCK / 2; d > 1", 0},
    {"the tree's steps skip", "T", "d > 0; d /= 2) {\n        __syncthreads",
     "d > 0; d /= 4) {\n        __syncthreads", 0},
    {"a thread too many in the tree", "T", "if (t < d)", "if (t <= d)", 0},
    {"a thread too few in the tree", "T", "if (t < d)", "if (t + 1 < d)", 0},
    {"the tree reads one too far", "T", "combine(a, shared[t + d]);",
     "combine(a, shared[t + d + 1]);", 0},
    {"the tree reads one too near", "T", "combine(a, shared[t + d]);",
     "combine(a, shared[t + d - 1]);", 0},
    {"the tree's values lie one too far", "T", "shared[t] = a;", "shared[t + 1] = a;", 0},
    {"the tree forgets what it combined", "T", "shared[t] = a = combine", "a = combine", 0},

    /* Volatile shared memory. */
    {"volatile: the first step is left out", "V", "unsigned d = BLOCK / 2; d >= 32",
     "unsigned d = BLOCK / 4; d >= 32", 0},
    {"volatile: the step to one warp is left out", "V", "d >= 32", "d > 32", 0},
    {"volatile: the step within a warp is done twice", "V", "d >= 32", "d >= 16", 0},
    {"volatile: a thread too many", "V", "if (t < d)", "if (t <= d)", 1},
    {"volatile: a thread too few", "V", "if (t < d)", "if (t + 1 < d)", 1},
    {"volatile: reads one too far", "V", "combine(a, shared[t + d]);",
     "combine(a, shared[t + d + 1]);", 1},
    {"volatile: the warp reads one too far", "V", "combine(a, shared[t + d]);",
     "combine(a, shared[t + d + 1]);", 2},
    {"volatile: half a warp", "V", "if (t < 32) {", "if (t < 16) {", 0},
    {"volatile: the warp's first step is left out", "V", "unsigned d = 16;", "unsigned d = 8;",
     0},
    {"volatile: the warp's first step goes too far", "V", "unsigned d = 16;",
     "unsigned d = 32;", 0},
    {"volatile: the warp's last step is left out", "V", "unsigned d = 16; d > 0",
     "unsigned d = 16; d > 1", 0},
    {"volatile: what was combined is not written", "V", "            shared[t] = a;", "", 0},

    /* One value a block. */
    {"half a warp is combined", "sS", "warp_reduce(a, 32)", "warp_reduce(a, 16)", 0},
    {"two warps are not combined", "sS", "//? if BLOCK > 32", "//? if BLOCK > 64", 0},
    {"the wrong lane keeps the warp's value", "sS", "t % 32 == 0", "t % 32 == 1", 0},
    {"only every other warp keeps its value", "sS", "t % 32 == 0", "t % 64 == 0", 0},
    {"warps share a place", "sS", "shared[t / 32] = a", "shared[t / 64] = a", 0},
    {"a thread too many combines the warps", "S", "    if (t < 32)\n        a = warp_reduce",
     "    if (t < 33)\n        a = warp_reduce", 0},
    {"a warp too few is combined", "sS", "t < BLOCK / 32 ?", "t + 1 < BLOCK / 32 ?", 0},
    {"a warp too many is combined", "RA", "t < BLOCK / 32 ?", "t <= BLOCK / 32 ?", 0},
    {"no identity for warps that are not there", "R", ": identity(), BLOCK", ": a, BLOCK", 0},
    {"half of the warps are combined", "sS", "identity(), BLOCK / 32)",
     "identity(), BLOCK / 64)", 0},

    /* The edges of the input. */
    {"threads start from something else", "sXP", "accum a = identity();", "accum a = 2;", 0},
    {"a maximum starts from 0", "Xx", "accum a = identity();", "accum a = 0;", 0},
    {"blocks overlap by a thread", "s1", "blockIdx.x * BLOCK + threadIdx.x;",
     "blockIdx.x * (BLOCK - 1) + threadIdx.x;", 0},
    {"threads are counted from 1", "s1", "blockIdx.x * BLOCK + threadIdx.x;",
     "blockIdx.x * BLOCK + threadIdx.x + 1;", 0},
    {"every block is block 0", "s1", "(unsigned long long)blockIdx.x * BLOCK + threadIdx.x;",
     "threadIdx.x;", 0},
    {"the head is what lies before x", "sD", "-(unsigned long long)x", "(unsigned long long)x",
     0},
    {"the head is in bytes", "sD", "x / ELEM_BYTES % VECTOR", "x % VECTOR", 0},
    {"no head", "s", "-(unsigned long long)x / ELEM_BYTES % VECTOR", "0", 0},
    {"a head longer than the input", "s", "    if (head > n)\n        head = n;\n", "", 0},
    {"a head of one too many", "sX", "head = n;", "head = n + 1;", 0},
    {"the head is not combined", "sX", "if (thread < head)", "if (thread + 1 == 0)", 0},
    {"the head's bound", "sX", "thread < head", "thread <= head", 0},
    {"the head lacks its last", "sX", "thread < head", "thread + 1 < head", 0},
    {"the head is read one too far", "sX", "x[thread]", "x[thread + 1]", 0},
    {"the tail is not combined", "sX", "if (thread < tail)", "if (thread + 1 == 0)", 0},
    {"the tail's bound", "sX", "thread < tail", "thread <= tail", 0},
    {"the tail lacks its last", "sX", "thread < tail", "thread + 1 < tail", 0},
    {"the tail without the head", "sD", "tail = (n - head) % VECTOR", "tail = n % VECTOR", 0},
    {"the tail one too early", "sX", "x[n - tail + thread]", "x[n - tail - 1 + thread]", 0},
    {"the tail one too late", "sX", "x[n - tail + thread]", "x[n - tail + 1 + thread]", 0},
    {"the tail from the front", "sX", "x[n - tail + thread]", "x[thread]", 0},
    {"vectors from x on", "s", "(x + head)", "x", 0},
    {"vectors without the head", "sX", "vectors = (n - head) / VECTOR", "vectors = n / VECTOR",
     0},
    {"a vector too many", "sX", "vectors = (n - head) / VECTOR",
     "vectors = (n - head) / VECTOR + 1", 0},
    {"elements for vectors", "1", "vectors = n;", "vectors = n + 1;", 0},
    {"an element too few", "1", "vectors = n;", "vectors = n ? n - 1 : 0;", 0},

    /* Whole tiles. */
    {"a tile too many", "s1", "(vectors / (BLOCK * LOADS));",
     "(vectors / (BLOCK * LOADS)) + 1;", 0},
    {"tiles too small", "s1", "(vectors / (BLOCK * LOADS));",
     "(vectors / (BLOCK * LOADS - 1));", 0},
    {"the first tile is left out", "s1", "tile = blockIdx.x;", "tile = blockIdx.x + 1;", 0},
    {"every block takes every tile", "s1", "tile = blockIdx.x;", "tile = 0;", 0},
    {"the tiles' bound", "s1", "tile < tiles", "tile <= tiles", 0},
    {"the last tile is left out", "s1", "tile < tiles", "tile + 1 < tiles", 0},
    {"tiles are skipped", "s1", "tile += gridDim.x", "tile += gridDim.x + 1", 0},
    {"one tile a block", "s1", "tile += gridDim.x", "tile += tiles", 0},
    {"one large tile a block", "L", "tile += gridDim.x", "tile += tiles", 0},
    {"large tiles are taken one after the other", "L", "tile += gridDim.x", "tile++", 0},
    {"large tiles are skipped", "L", "tile += gridDim.x", "tile += gridDim.x + 1", 0},
    {"tiles overlap", "s1", "tile * (BLOCK * LOADS) + threadIdx.x",
     "tile * (BLOCK * LOADS - 1) + threadIdx.x", 0},
    {"tiles leave gaps", "s1", "tile * (BLOCK * LOADS) + threadIdx.x",
     "tile * (BLOCK * LOADS + 1) + threadIdx.x", 0},
    {"threads are shifted in a tile", "s1", "(BLOCK * LOADS) + threadIdx.x;",
     "(BLOCK * LOADS) + threadIdx.x + 1;", 0},
    {"all threads take the same", "s1", "(BLOCK * LOADS) + threadIdx.x;", "(BLOCK * LOADS);",
     0},
    {"a round too many", "s1", "i < LOADS;", "i <= LOADS;", 0},
    {"a round too few", "s1", "i < LOADS;", "i + UNROLL < LOADS;", 0},
    {"the first round is left out", "s1", "int i = 0; i < LOADS", "int i = UNROLL; i < LOADS",
     0},
    {"rounds overlap", "s1", "i += UNROLL", "i += UNROLL - 1", 0},
    {"rounds leave gaps", "s1", "i += UNROLL", "i += UNROLL + 1", 0},
    {"a load too few", "s1", "u < UNROLL; u++)\n                got",
     "u + 1 < UNROLL; u++)\n                got", 0},
    {"loads of one round only", "s1", "(i + u) * BLOCK", "u * BLOCK", 0},
    {"the same load", "s1", "(i + u) * BLOCK", "i * BLOCK", 0},
    {"loads too close", "s1", "(i + u) * BLOCK", "(i + u) * (BLOCK - 1)", 0},
    {"loads one too far", "s1", "(i + u) * BLOCK", "(i + u + 1) * BLOCK", 0},
    {"a load is not combined", "s1", "u < UNROLL; u++)\n                for",
     "u + 1 < UNROLL; u++)\n                for", 0},
    {"an element of a vector is not combined", "sX", "k < VECTOR; k++)\n                    a",
     "k + 1 < VECTOR; k++)\n                    a", 0},
    {"the first of a vector is not combined", "sX",
     "int k = 0; k < VECTOR; k++)\n                    a",
     "int k = 1; k < VECTOR; k++)\n                    a", 0},
    {"the same load is combined again", "s1", "got[u].at[k]", "got[0].at[k]", 0},
    {"the same element is combined again", "s", "got[u].at[k]", "got[u].at[0]", 0},

    /* What no tile takes. */
    {"the rest begins one late", "s1", "(BLOCK * LOADS) + thread; i",
     "(BLOCK * LOADS) + thread + 1; i", 0},
    {"the rest begins too early", "s1", "(unsigned long long)tiles * (BLOCK * LOADS) + thread",
     "(unsigned long long)tiles * (BLOCK * LOADS - 1) + thread", 0},
    {"the rest begins at 0", "s1", "(unsigned long long)tiles * (BLOCK * LOADS) + thread;",
     "thread;", 0},
    {"the rest's bound", "s1", "i < vectors;", "i <= vectors;", 0},
    {"the rest lacks its last", "s1", "i < vectors;", "i + 1 < vectors;", 0},
    {"no rest", "s1X", "i < vectors;", "i + 1 == 0;", 0},
    {"the rest is taken by every block", "s1", "i += (unsigned long long)gridDim.x * BLOCK",
     "i += BLOCK", 0},
    {"one load a thread of the rest", "s1", "i += (unsigned long long)gridDim.x * BLOCK",
     "i += vectors", 0},
    {"the rest leaves gaps", "s1", "i += (unsigned long long)gridDim.x * BLOCK",
     "i += (unsigned long long)gridDim.x * BLOCK + 1", 0},
    {"the rest is read one too far", "s1", "load(v + i)", "load(v + i + 1)", 0},
    {"the rest lacks an element", "sX", "k < VECTOR; k++)\n            a",
     "k + 1 < VECTOR; k++)\n            a", 0},
    {"the same element of the rest", "s", "map(got.at[k])", "map(got.at[0])", 0},

    /* The end. */
    {"the block is not combined", "sS", "    a = block_reduce(a);\n", "", 0},
    {"passes: every block writes the same place", "s", "y[blockIdx.x] = a", "y[0] = a", 0},
    {"passes: results one too far", "s", "y[blockIdx.x] = a", "y[blockIdx.x + 1] = a", 0},
    {"passes: another thread writes", "s", "if (threadIdx.x == 0)\n        y",
     "if (threadIdx.x == 1)\n        y", 0},
    {"passes: every thread writes", "s", "    if (threadIdx.x == 0)\n        y[", "    y[", 0},
    {"last: another thread arrives", "S", "if (threadIdx.x == 0) {", "if (threadIdx.x == 1) {",
     0},
    {"last: every thread arrives", "S", "if (threadIdx.x == 0) {", "{", 0},
    {"last: partials one too far", "S", "partials[blockIdx.x] = a",
     "partials[blockIdx.x + 1] = a", 0},
    {"last: blocks share a partial", "S", "partials[blockIdx.x] = a", "partials[0] = a", 0},
    {"last: counted in before its partial is there", "S",
     "        partials[blockIdx.x] = a;\n        is_last = arrive(arrived) == gridDim.x - 1;\n",
     "        is_last = arrive(arrived) == gridDim.x - 1;\n        partials[blockIdx.x] = a;\n",
     0},
    {"last: no partial", "S", "        partials[blockIdx.x] = a;\n", "", 0},
    {"last: one block too late", "S", "gridDim.x - 1;", "gridDim.x;", 0},
    {"last: one block too early", "S", "gridDim.x - 1;", "gridDim.x - 2;", 0},
    {"last: every block but the last", "S", "if (!is_last)", "if (is_last)", 0},
    {"last: every block", "S", "    if (!is_last)\n        return;\n", "", 0},
    {"last: combines its own twice", "S", "    a = identity();\n", "", 0},
    {"last: the first partial is left out", "SA", "unsigned i = threadIdx.x;",
     "unsigned i = threadIdx.x + 1;", 0},
    {"last: every thread reads all partials", "S", "unsigned i = threadIdx.x;",
     "unsigned i = 0;", 0},
    {"last: the last partial is left out", "SA", "i < gridDim.x;", "i + 1 < gridDim.x;", 0},
    {"last: a partial too many", "S", "i < gridDim.x;", "i <= gridDim.x;", 0},
    {"last: only as many partials as threads", "S", "i += BLOCK)", "i += gridDim.x)", 0},
    {"last: partials are skipped", "S", "i += BLOCK)", "i += BLOCK + 1)", 0},
    {"last: partials overlap", "S", "i += BLOCK)", "i += BLOCK - 1)", 0},
    {"last: the same partial", "S", "partials[i]", "partials[0]", 0},
    {"last: partials shifted", "S", "partials[i]", "partials[i + 1]", 0},
    {"last: partials are not combined", "S", "    a = block_reduce(a);\n", "", 1},
    {"last: another thread writes", "S", "if (threadIdx.x == 0)\n        *y",
     "if (threadIdx.x == 1)\n        *y", 0},
    {"last: every thread writes", "S", "    if (threadIdx.x == 0)\n        *y", "    *y", 0},
    {"last: the result one too far", "S", "*y = a", "y[1] = a", 0},
    {"last: the result twice", "S", "*y = a", "y[1] = y[0] = a", 0},
    {"last: no result", "S", "        *y = a;", "        ;", 0},
};

/* These do not end. */
static const struct fault endless_faults[] = {
    {"tiles are taken twice", "s1", "tile += gridDim.x", "tile += gridDim.x - 1", 0},
};

static const struct fault type_faults[] = {
    {"a sum's identity", "s", "    return 0;\n    //? elif OP == PROD",
     "    return 1;\n    //? elif OP == PROD", 0},
    {"a product's identity", "P", "    return 1;", "    return 0;", 0},
    {"an and's identity", "A", "~(accum)0", "(accum)0x7fffffff", 0},
    {"a maximum's identity", "X", "return -0x7fffffff - 1;", "return -0x7fff;", 0},
    {"a float minimum's identity", "N", "0x7f800000", "0x7f7fffff", 0},
    {"a float maximum's identity", "x", "0xff800000", "0xff7fffff", 0},
    {"elements of the other sign", "s", "return (accum)value;", "return (accum)-value;", 0},
    {"elements of 24 bits", "s", "return (accum)value;", "return (accum)(value & 0xffffff);",
     0},
    {"a sum that subtracts", "s", "return a + b;", "return a - b;", 0},
    {"a sum that ors", "s", "return a + b;", "return a | b;", 0},
    {"a maximum of the wrong sign", "X", "return a > b ? a : b;",
     "return (unsigned)a > (unsigned)b ? a : b;", 0},
    {"a maximum that is a minimum", "X", "return a > b ? a : b;", "return a < b ? a : b;", 0},
    {"a square that is a double", "FQ", "return x * x;", "return x + x;", 0},
    {"a square of the sign", "F", "return x * x;", "return x < 0 ? -x : x;", 0},

    /* What one load brings. */
    {"an element of a load is not combined", "X", "int k = 0; k < VECTOR; k++)",
     "int k = 1; k < VECTOR; k++)", 0},
    {"the same element of a load", "F", "map(got.at[k])", "map(got.at[0])", 0},
    {"a word of bytes is left out", "B", "k < VECTOR / 4; k++)", "k + 1 < VECTOR / 4; k++)", 0},
    {"a byte of each word is left out", "B", "0x01010101, sum", "0x00010101, sum", 0},
    {"bytes of the other sign", "B", "(int)got.word[k], 0x01010101, sum",
     "(int)(got.word[k] ^ 0x80808080), 0x01010101, sum", 0},
    {"squares of bytes with the first word", "Q", "(got.word[k], got.word[k], sum)",
     "(got.word[k], got.word[0], sum)", 0},
    {"the upper halves are left out", "H", "0x0101u, sum", "0x0001u, sum", 0},
    {"a word of bits is left out", "a", "int k = 1; k < VECTOR * ELEM_BYTES / 4",
     "int k = 2; k < VECTOR * ELEM_BYTES / 4", 0},
    {"the upper half of the bits is left out", "a", "    w = combine(w, w >> 16);\n", "", 0},
    {"every other byte of the bits is left out", "a", "    w = combine(w, w >> 8);\n", "", 0},
    {"bits without their sign", "a", "map((elem)w)", "(w & 0xff)", 0},
};

static const struct fault intrinsic_faults[] = {
    {"an f16 of half its size", "F", "0x1p112f", "0x1p111f", 0},
    {"an f16 without infinities", "F", "moved >= 0x0f800000u", "moved > 0x0f800000u", 0},
    {"an f16 without denormals", "F", "(bits & 0x7fffu) << 13",
     "(bits & 0x7c00u ? bits & 0x7fffu : 0) << 13", 0},
    {"a bf16 that loses a bit", "G", "(unsigned)bits << 16", "(unsigned)(bits & 0xfffe) << 16",
     0},
    {"a minimum that drops a NaN", "N", "    if (a != a || b != b)\n        return a + b;\n",
     "", 0},
    {"a minimum that sees one NaN", "N", "if (a != a || b != b)", "if (b != b)", 0},
    {"a minimum of +0", "N", "a == b && __builtin_signbit(a)",
     "a == b && !__builtin_signbit(a)", 0},
    {"a maximum that drops a NaN", "x", "    if (a != a || b != b)\n        return a + b;\n",
     "", 1},
    {"a maximum of -0", "x", "a == b && !__builtin_signbit(a)",
     "a == b && __builtin_signbit(a)", 0},
    {"blocks are counted to one more", "S", "host_arrive(arrived, gridDim.x)",
     "host_arrive(arrived, gridDim.x + 1)", 0},
    {"the counter is not set back", "S", "host_arrive(arrived, gridDim.x)",
     "host_arrive(arrived, ~0u)", 0},
};

/* --- Text --------------------------------------------------------------------------------- */

/* A copy of `text` with the fault in it. A place that is no more is a fault of this file. */
static char *replace(const char *text, const struct fault *fault)
{
    const char *at = strstr(text, fault->from);
    for (int i = 0; at && i < fault->which; i++)
        at = strstr(at + 1, fault->from);
    if (!at)
        fail_msg("'%s' finds no '%s': change it with the template", fault->name, fault->from);
    struct text out = {0};
    text_add(&out, text, (size_t)(at - text));
    text_adds(&out, fault->to);
    text_adds(&out, at + strlen(fault->from));
    return out.at;
}

/* --- One process a fault ------------------------------------------------------------------ */

/* What a child ends with; anything else is a crash. */
enum outcome { RIGHT = 40, WRONG, FAILED };

struct job {
    const char *name;
    struct emit_sources sources;
    char *changed;       /* the text that is not the original, freed at the end */
    const char *letters; /* of the variants to run, in order; the first that fails ends it */
    unsigned seeds;
    bool is_endless;
};

enum {
    CPU_SECONDS = 200,
    ENDLESS_CPU_SECONDS = 4,
    POSITIONS = 128,
    NOTE_CHARS = 400,
    GRIDS = 3
};

struct fixture {
    struct space *space;
    struct emit_sources sources;
    struct target target;
};

static const struct variant *find_variant(char letter)
{
    for (size_t i = 0; i < VARIANTS; i++)
        if (variants[i].letter == letter)
            return &variants[i];
    return NULL;
}

/* The candidates of a variant: one tile a block, then one and two blocks an SM. */
static void make_candidates(const struct space *space, const char *params, int64_t *rows)
{
    static const char *const grids[GRIDS] = {" GRID=0", " GRID=1", " GRID=2"};
    for (size_t i = 0; i < GRIDS; i++) {
        char all[200];
        snprintf(all, sizeof all, "%s%s", params, grids[i]);
        make_row(space, all, rows + i * space->param_count);
    }
}

/* Checks one loaded variant with two of its candidates. */
static enum outcome check_variant(struct device *device, const struct point_context *context,
                                  const struct points *points,
                                  const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                                  uint64_t seed, char *note)
{
    struct check *check;
    struct check_rows rows;
    struct check_verdict verdict;
    struct error error = {0};
    if (check_open(&check, device, context->problem, POSITIONS, seed, &error)) {
        snprintf(note, NOTE_CHARS, "%.300s", error.text);
        return FAILED;
    }
    int failed = check_choose(&rows, context, points->rows, points->count, &error) ||
                 check_small(check, context, rows, kernels, &verdict, &error);
    if (!failed && verdict.is_right)
        failed = check_specials(check, context, rows, kernels, &verdict, &error);
    check_close(check);
    snprintf(note, NOTE_CHARS, "%.300s", failed ? error.text : verdict.reason);
    if (failed)
        return FAILED;
    return verdict.is_right ? RIGHT : WRONG;
}

static enum outcome run_variant(const struct job *job, const struct fixture *fixture,
                                const struct variant *variant, char *note)
{
    const struct problem problem = {variant->op, variant->type,
                                    problem_default_acc(variant->type), 400000000, COLD};
    const struct point_context context = {fixture->space, &problem, &fixture->target};
    enum outcome outcome = RIGHT;
    for (unsigned seed = 0; outcome == RIGHT && seed < job->seeds; seed++) {
        static struct compiled_unit unit; /* of the first seed, for all */
        static size_t first;
        const struct device_options options = {.spec = "host", .seed = seed};
        const struct device_kernel *kernels[SPACE_PASSES_MAX];
        struct device_kernel loaded[SPACE_PASSES_MAX];
        struct device_module *module;
        struct device *device;
        struct error error;
        int64_t rows[GRIDS * SPACE_NAMES_MAX];
        struct point_variant only = {0, GRIDS};
        make_candidates(fixture->space, variant->params, rows);
        const struct points points = {.width = fixture->space->param_count,
                                      .rows = rows,
                                      .count = GRIDS,
                                      .variants = &only,
                                      .variant_count = 1};
        if (host_open(&device, &options, &error) ||
            (seed == 0 && compiler_compile(&unit, device, &context, &job->sources, &points,
                                           &first, 1, &error))) {
            snprintf(note, NOTE_CHARS, "%.300s", error.text);
            return FAILED;
        }
        if (unit.variants[0].is_failed ||
            device->ops->load(device, &unit.image, &module, loaded, &error)) {
            snprintf(note, NOTE_CHARS, "does not compile: %.300s",
                     unit.variants[0].reason.text);
            return FAILED;
        }
        compiler_kernels(&unit.variants[0], loaded, kernels);
        outcome = check_variant(device, &context, &points, kernels, seed, note);
        device->ops->unload(device, module);
        device_close(device);
        if (outcome != RIGHT || seed + 1 == job->seeds)
            compiler_dispose(&unit);
    }
    return outcome;
}

/* Ends the process with the first outcome that is not RIGHT; the note goes through the pipe. */
static void run_child(const struct job *job, const struct fixture *fixture, int to)
{
    const struct rlimit no_core = {0, 0};
    const rlim_t seconds = job->is_endless ? ENDLESS_CPU_SECONDS : CPU_SECONDS;
    const struct rlimit cpu = {seconds, seconds + 10};
    char note[NOTE_CHARS] = "";
    enum outcome outcome = RIGHT;
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &cpu);
    for (const char *letter = job->letters; outcome == RIGHT && *letter; letter++)
        outcome = run_variant(job, fixture, find_variant(*letter), note);
    if (write(to, note, strlen(note)) < 0)
        outcome = FAILED;
    _exit((int)outcome);
}

struct child {
    pid_t id;
    int from;
    size_t job;
};

struct ended {
    int status;
    char note[NOTE_CHARS];
};

static void start_child(struct child *child, const struct job *jobs, size_t job,
                        const struct fixture *fixture)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    child->id = fork();
    assert_true(child->id >= 0);
    if (child->id == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka's handlers would go on with the tests */
        signal(SIGBUS, SIG_DFL);
        signal(SIGILL, SIG_DFL);
        signal(SIGFPE, SIG_DFL);
        close(ends[0]);
        run_child(&jobs[job], fixture, ends[1]);
    }
    close(ends[1]);
    child->from = ends[0];
    child->job = job;
}

static void end_child(struct child *child, struct ended *all)
{
    struct ended *ended = &all[child->job];
    assert_int_equal(waitpid(child->id, &ended->status, 0), child->id);
    const ssize_t got = read(child->from, ended->note, NOTE_CHARS - 1);
    ended->note[got > 0 ? got : 0] = '\0';
    close(child->from);
    child->id = 0;
}

/* Runs all jobs, as many at a time as there are processors. */
static struct ended *run_jobs(const struct job *jobs, size_t count,
                              const struct fixture *fixture)
{
    enum { WIDTH_MAX = 16 };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t width = processors < 1           ? 1
                         : processors > WIDTH_MAX ? WIDTH_MAX
                                                  : (size_t)processors;
    struct child children[WIDTH_MAX] = {{0}};
    struct ended *all = calloc(count, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < count + width; i++) {
        struct child *child = &children[i % width]; /* the oldest */
        if (child->id)
            end_child(child, all);
        if (i < count)
            start_child(child, jobs, i, fixture);
    }
    return all;
}

/* --- The verdict on a verdict ------------------------------------------------------------- */

static bool is_found(const struct ended *ended, bool is_endless)
{
    if (WIFSIGNALED(ended->status))
        return is_endless || WTERMSIG(ended->status) != SIGXCPU;
    const int code = WEXITSTATUS(ended->status);
    return code != RIGHT && code != FAILED;
}

static void describe(const struct ended *ended, char out[NOTE_CHARS + 80])
{
    if (WIFSIGNALED(ended->status))
        snprintf(out, NOTE_CHARS + 80, "ended by signal %d", WTERMSIG(ended->status));
    else
        snprintf(out, NOTE_CHARS + 80, "%s: %s",
                 WEXITSTATUS(ended->status) == RIGHT    ? "found right"
                 : WEXITSTATUS(ended->status) == FAILED ? "could not be tried"
                                                        : "wrong",
                 ended->note);
}

static void assert_found(const struct job *jobs, size_t count, const struct fixture *fixture)
{
    struct ended *all = run_jobs(jobs, count, fixture);
    size_t missed = 0;
    for (size_t i = 0; i < count; i++) {
        char what[NOTE_CHARS + 80];
        describe(&all[i], what);
        if (is_found(&all[i], jobs[i].is_endless))
            continue;
        print_error("not caught: %s (variants %s): %s\n", jobs[i].name, jobs[i].letters, what);
        missed++;
    }
    free(all);
    if (missed)
        fail_msg("%zu of %zu faults were not caught", missed, count);
}

/* --- Tests -------------------------------------------------------------------------------- */

static int setup(void **state)
{
    static struct fixture fixture;
    struct device *device;
    struct error error;
    const struct device_options options = {.spec = "host"};
    if (host_open(&device, &options, &error) != 0)
        return -1;
    fixture.target = device->info.target;
    device_close(device);
    fixture.space = load_space("configs/reduce.ini");
    fixture.sources = load_sources();
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    const struct fixture *fixture = *state;
    space_free(fixture->space);
    return 0;
}

enum { RIGHT_SEEDS = 4, FAULT_SEEDS = 2, BARRIER_SEEDS = 40 };

static void test_right_as_it_is(void **state)
{
    const struct fixture *fixture = *state;
    struct job jobs[VARIANTS];
    char letters[VARIANTS][2];
    for (size_t i = 0; i < VARIANTS; i++) {
        letters[i][0] = variants[i].letter;
        letters[i][1] = '\0';
        jobs[i] = (struct job){.name = variants[i].params,
                               .sources = fixture->sources,
                               .letters = letters[i],
                               .seeds = RIGHT_SEEDS};
    }
    struct ended *all = run_jobs(jobs, VARIANTS, fixture);
    for (size_t i = 0; i < VARIANTS; i++) {
        char what[NOTE_CHARS + 80];
        describe(&all[i], what);
        if (!WIFEXITED(all[i].status) || WEXITSTATUS(all[i].status) != RIGHT)
            fail_msg("%s: %s", jobs[i].name, what);
    }
    free(all);
}

static bool is_barrier(const char *line)
{
    const char *end = strchr(line, '\n');
    const char *names[] = {"__syncthreads()", "__syncwarp()"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = strstr(line, names[i]);
        if (at && (!end || at < end))
            return true;
    }
    return false;
}

/* A copy of `text` without `line`. */
static char *drop_line(const char *text, const char *line)
{
    struct text out = {0};
    text_add(&out, text, (size_t)(line - text));
    text_adds(&out, line + strcspn(line, "\n") + 1);
    return out.at;
}

static void test_without_a_barrier(void **state)
{
    const struct fixture *fixture = *state;
    const char *template = fixture->sources.template.text;
    enum { BARRIERS_MAX = 32 };
    struct job jobs[BARRIERS_MAX] = {{0}};
    char names[BARRIERS_MAX][80];
    size_t count = 0;
    int number = 1;
    for (const char *line = template; *line; line += strcspn(line, "\n") + 1, number++) {
        if (!is_barrier(line))
            continue;
        assert_true(count < BARRIERS_MAX);
        snprintf(names[count], sizeof names[count], "reduce.cu:%d without its barrier", number);
        jobs[count] = (struct job){.name = names[count],
                                   .sources = fixture->sources,
                                   .changed = drop_line(template, line),
                                   .letters = "STV",
                                   .seeds = BARRIER_SEEDS};
        jobs[count].sources.template.text = jobs[count].changed;
        count++;
    }
    assert_true(count >= 6);
    assert_found(jobs, count, fixture);
    for (size_t i = 0; i < count; i++)
        free(jobs[i].changed);
}

enum source { TEMPLATE, TYPES, INTRINSICS };

static const char **source_text(struct emit_sources *sources, enum source source)
{
    return source == TYPES        ? &sources->types.text
           : source == INTRINSICS ? &sources->intrinsics.text
                                  : &sources->template.text;
}

static void plant_faults(const struct fixture *fixture, const struct fault *faults,
                         size_t count, enum source source, bool is_endless)
{
    struct job *jobs = calloc(count, sizeof *jobs);
    assert_non_null(jobs);
    for (size_t i = 0; i < count; i++) {
        const struct fault *fault = &faults[i];
        jobs[i] = (struct job){.name = fault->name,
                               .sources = fixture->sources,
                               .letters = fault->letters,
                               .seeds = FAULT_SEEDS,
                               .is_endless = is_endless};
        const char **text = source_text(&jobs[i].sources, source);
        *text = jobs[i].changed = replace(*text, fault);
    }
    assert_found(jobs, count, fixture);
    for (size_t i = 0; i < count; i++)
        free(jobs[i].changed);
    free(jobs);
}

static void test_faults_of_the_template(void **state)
{
    plant_faults(*state, template_faults, sizeof template_faults / sizeof *template_faults,
                 TEMPLATE, false);
}

static void test_endless_loops(void **state)
{
    plant_faults(*state, endless_faults, sizeof endless_faults / sizeof *endless_faults,
                 TEMPLATE, true);
}

static void test_faults_of_the_types(void **state)
{
    plant_faults(*state, type_faults, sizeof type_faults / sizeof *type_faults, TYPES, false);
}

static void test_faults_of_the_intrinsics(void **state)
{
    plant_faults(*state, intrinsic_faults, sizeof intrinsic_faults / sizeof *intrinsic_faults,
                 INTRINSICS, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_as_it_is),
        cmocka_unit_test(test_without_a_barrier),
        cmocka_unit_test(test_faults_of_the_template),
        cmocka_unit_test(test_endless_loops),
        cmocka_unit_test(test_faults_of_the_types),
        cmocka_unit_test(test_faults_of_the_intrinsics),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
