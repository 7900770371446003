/* same_bits: defines what the proofs that order n gives the same bits everywhere have in common:
 * problems, sizes, elements, and a line of the table. Plain C and C++, for exports too. */
#ifndef AUTOTUNE_TEST_SAME_BITS_H
#define AUTOTUNE_TEST_SAME_BITS_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct kind {
    const char *op, *type, *acc;
    int element, result; /* bytes */
} kinds[] = {
    {"sum", "f16", "f32", 2, 4},   {"sum", "bf16", "f32", 2, 4},
    {"sum", "f32", "f32", 4, 4},   {"sum", "f64", "f64", 8, 8},
    {"sumsq", "f16", "f32", 2, 4}, {"sumsq", "bf16", "f32", 2, 4},
    {"sumsq", "f32", "f32", 4, 4}, {"sumsq", "f64", "f64", 8, 8},
    {"prod", "f16", "f32", 2, 4},  {"prod", "bf16", "f32", 2, 4},
    {"prod", "f32", "f32", 4, 4},  {"prod", "f64", "f64", 8, 8},
};
enum { KINDS = sizeof kinds / sizeof *kinds, STARTS = 16 };

/* Around the order's frame and leaf, and around powers of two. */
static const uint64_t sizes[] = {
    0,       1,       31,      127,      128,      129,      1023,    1024,    1025,    2047,
    2048,    2049,    4095,    4096,     4097,     8191,     8192,    8193,    16383,   16384,
    16385,   32767,   32768,   32769,    65535,    65536,    65537,   131071,  131072,  131073,
    262143,  262144,  262145,  524288,   1048575,  1048576,  1048577, 2097152, 4194303, 4194304,
    4194305, 8388608, 8388609, 16777215, 16777216, 16777217,
};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A number for an index (splitmix64). */
static inline uint64_t mix(uint64_t index)
{
    uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Element `index`: from 1/2 to 2, of either sign. Most factors are 1 or -1, or else the product of many
 * would be nothing or infinite. */
static inline void make_element(const struct kind *kind, uint64_t index, void *to)
{
    const uint64_t word = mix(index), sign = word & 1;
    const int is_one = !strcmp(kind->op, "prod") && index >= 512 && (word >> 1 & 0xffff) != 0;
    if (kind->element == 8) {
        const uint64_t one = UINT64_C(0x3ff) << 52, half = UINT64_C(0x3fe) << 52;
        const uint64_t bits = sign << 63 | (is_one ? one : half + (word >> 11));
        memcpy(to, &bits, sizeof bits);
    } else if (!strcmp(kind->type, "f16")) {
        const uint16_t bits =
            (uint16_t)(sign << 15 | (is_one ? 0x3c00 : 0x3800 + (word >> 53)));
        memcpy(to, &bits, sizeof bits);
    } else {
        const uint32_t bits =
            (uint32_t)(sign << 31 | (is_one ? 0x3f800000 : 0x3f000000 + (word >> 40)));
        const uint16_t upper = (uint16_t)(bits >> 16);
        if (kind->element == 4)
            memcpy(to, &bits, sizeof bits);
        else
            memcpy(to, &upper, sizeof upper);
    }
}

/* Elements [first, end), to where those of 0 would be at `all`. */
static inline void make_elements(const struct kind *kind, uint64_t first, uint64_t end,
                                 void *all)
{
    for (uint64_t i = first; i < end; i++)
        make_element(kind, i, (unsigned char *)all + i * (uint64_t)kind->element);
}

/* A line of the table: where it is the same, so are the bits. */
static inline void print_bits(const struct kind *kind, const char *what, const void *result)
{
    uint64_t bits = 0;
    memcpy(&bits, result, (size_t)kind->result); /* on machines that begin with the low byte */
    printf("%-5s %-4s %-4s %16s  %0*" PRIx64 "\n", kind->op, kind->type, kind->acc, what,
           2 * kind->result, bits);
}

#endif
