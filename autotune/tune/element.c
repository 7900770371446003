/* element: single elements as doubles or as words. A 16-bit float is a sign, an exponent and a
 * fraction whose widths stand in a table: f16 and bf16 share the code. */
#include "autotune/tune/element.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct half {
    int fraction_bits, bias;
};

static const struct half f16 = {10, 15}, bf16 = {7, 127};

static const struct half *half_of(enum type type)
{
    return type == F16 ? &f16 : &bf16;
}

static int infinity_of(const struct half *half)
{
    return (2 * half->bias + 1) << half->fraction_bits;
}

static double load_half(const struct half *half, uint16_t bits)
{
    const int fraction_one = 1 << half->fraction_bits, magnitude = bits & 0x7fff;
    const int exponent = magnitude >> half->fraction_bits;
    const int fraction = magnitude & (fraction_one - 1);
    double value = exponent == 0 ? ldexp(fraction, 1 - half->bias - half->fraction_bits)
                                 : ldexp(fraction + fraction_one,
                                         exponent - half->bias - half->fraction_bits);
    if (magnitude > infinity_of(half))
        value = NAN;
    else if (magnitude == infinity_of(half))
        value = INFINITY;
    return bits & 0x8000 ? -value : value;
}

/* A fraction that rounds up to the next power of two carries into the exponent, as it should.
 */
static uint16_t store_half(const struct half *half, double value)
{
    const int sign = signbit(value) ? 0x8000 : 0, infinite = infinity_of(half);
    const int least = 1 - half->bias;
    if (isnan(value))
        return (uint16_t)(sign | infinite | 1 << (half->fraction_bits - 1));
    const double size = fabs(value);
    const int exponent = size < ldexp(1.0, least) ? least : ilogb(fmin(size, FLT_MAX));
    const double fraction =
        nearbyint(ldexp(fmin(size, FLT_MAX), half->fraction_bits - exponent));
    const int bits = (int)fraction + ((exponent - least) << half->fraction_bits);
    return (uint16_t)(sign | (isinf(value) || bits > infinite ? infinite : bits));
}

/* The low end first, as GPUs have it. An array of bytes need not be aligned. */
uint64_t element_load_word(enum type type, const void *elements, uint64_t index)
{
    const size_t bytes = (size_t)problem_types[type].bytes;
    uint64_t word = 0;
    memcpy(&word, (const unsigned char *)elements + index * bytes, bytes);
    return word;
}

void element_store_word(enum type type, uint64_t word, void *elements, uint64_t index)
{
    const size_t bytes = (size_t)problem_types[type].bytes;
    memcpy((unsigned char *)elements + index * bytes, &word, bytes);
}

double element_load(enum type type, const void *elements, uint64_t index)
{
    const uint64_t word = element_load_word(type, elements, index);
    float narrow;
    double wide;
    memcpy(&narrow, &word, sizeof narrow);
    memcpy(&wide, &word, sizeof wide);
    return type == F64   ? wide
           : type == F32 ? (double)narrow
                         : load_half(half_of(type), (uint16_t)word);
}

void element_store(enum type type, double value, void *elements, uint64_t index)
{
    const float narrow = (float)value;
    uint64_t word = 0;
    if (type == F64)
        memcpy(&word, &value, sizeof value);
    else if (type == F32)
        memcpy(&word, &narrow, sizeof narrow);
    else
        word = store_half(half_of(type), value);
    element_store_word(type, word, elements, index);
}

struct element_range element_range(enum type type)
{
    if (type == F64)
        return (struct element_range){0x1p-1074, DBL_MIN, DBL_MAX};
    if (type == F32)
        return (struct element_range){0x1p-149, FLT_MIN, FLT_MAX};
    const struct half *half = half_of(type);
    return (struct element_range){
        load_half(half, 1),
        load_half(half, (uint16_t)(1 << half->fraction_bits)),
        load_half(half, (uint16_t)(infinity_of(half) - 1)),
    };
}
