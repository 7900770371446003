/* element: converts elements to doubles or words and back, one at a time or 256 together in
 * loops that vectorise. One table has the differences between types. A 16-bit float is a sign,
 * an exponent and a fraction whose widths are in its table row: f16 and bf16 share the code. */
#include "autotune/verify/element.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- 256 elements to words ---------------------------------------------------------------- */

static void widen_i8(union element_block *restrict out, const void *elements)
{
    const int8_t *from = elements;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        out->i64[i] = from[i];
}

static void widen_u8(union element_block *restrict out, const void *elements)
{
    const uint8_t *from = elements;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        out->u64[i] = from[i];
}

static void widen_i16(union element_block *restrict out, const void *elements)
{
    const int16_t *from = elements;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        out->i64[i] = from[i];
}

static void widen_u16(union element_block *restrict out, const void *elements)
{
    const uint16_t *from = elements;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        out->u64[i] = from[i];
}

static void widen_i32(union element_block *restrict out, const void *elements)
{
    const int32_t *from = elements;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        out->i64[i] = from[i];
}

static void widen_u32(union element_block *restrict out, const void *elements)
{
    const uint32_t *from = elements;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        out->u64[i] = from[i];
}

static void widen_64(union element_block *out, const void *elements)
{
    memcpy(out, elements, sizeof *out);
}

static void widen_f32(union element_block *restrict out, const void *elements)
{
    const float *from = elements;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        out->f64[i] = from[i];
}

/* Puts the fields of an f16 where a double has them: the exponent is then too small by 1008.
 * All ones in the exponent stay all ones. */
static void widen_f16(union element_block *restrict out, const void *elements)
{
    const uint16_t *from = elements;
    for (int i = 0; i < ELEMENT_BLOCK; i++) {
        const uint64_t magnitude = from[i] & 0x7fffu, sign = (uint64_t)(from[i] >> 15) << 63;
        const uint64_t top = magnitude < 0x7c00 ? 0 : (uint64_t)0x7ff << 52;
        out->u64[i] = magnitude << 42;
        out->f64[i] *= 0x1p1008;
        out->u64[i] |= top | sign;
    }
}

static void widen_bf16(union element_block *restrict out, const void *elements)
{
    const uint16_t *from = elements;
    for (int i = 0; i < ELEMENT_BLOCK; i++) {
        const uint32_t bits = (uint32_t)from[i] << 16;
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        out->f64[i] = narrow;
    }
}

/* --- 256 words to elements ---------------------------------------------------------------- */

static void narrow_8(void *restrict out, const union element_block *from)
{
    uint8_t *to = out;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        to[i] = (uint8_t)from->u32[i];
}

static void narrow_16(void *restrict out, const union element_block *from)
{
    uint16_t *to = out;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        to[i] = (uint16_t)from->u32[i];
}

static void narrow_f16(void *restrict out, const union element_block *from)
{
    uint16_t *to = out;
    for (int i = 0; i < ELEMENT_BLOCK; i++) {
        const uint32_t bits = from->u32[i], moved = (bits & 0x7fffffffu) >> 13;
        to[i] = (uint16_t)((bits >> 16 & 0x8000u) | (moved ? moved - (112u << 10) : 0));
    }
}

static void narrow_bf16(void *restrict out, const union element_block *from)
{
    uint16_t *to = out;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        to[i] = (uint16_t)(from->u32[i] >> 16);
}

/* --- The table of types ------------------------------------------------------------------- */

static const struct format {
    void (*widen)(union element_block *out, const void *elements);
    void (*narrow)(void *out, const union element_block *from); /* NULL: words are elements */
    int fraction_bits, bias;                                    /* of a 16-bit float */
    struct element_range range;                                 /* of a wider one */
} formats[TYPE_COUNT] = {
    [I8] = {widen_i8, narrow_8, 0, 0, {0}},
    [U8] = {widen_u8, narrow_8, 0, 0, {0}},
    [I16] = {widen_i16, narrow_16, 0, 0, {0}},
    [U16] = {widen_u16, narrow_16, 0, 0, {0}},
    [I32] = {widen_i32, NULL, 0, 0, {0}},
    [U32] = {widen_u32, NULL, 0, 0, {0}},
    [I64] = {widen_64, NULL, 0, 0, {0}},
    [U64] = {widen_64, NULL, 0, 0, {0}},
    [F16] = {widen_f16, narrow_f16, 10, 15, {0}},
    [BF16] = {widen_bf16, narrow_bf16, 7, 127, {0}},
    [F32] = {widen_f32, NULL, 0, 0, {0x1p-149, FLT_MIN, FLT_MAX}},
    [F64] = {widen_64, NULL, 0, 0, {0x1p-1074, DBL_MIN, DBL_MAX}},
};

void element_widen(enum type type, union element_block *out, const void *elements)
{
    formats[type].widen(out, elements);
}

const void *element_narrow(enum type type, union element_block *out,
                           const union element_block *made)
{
    if (!formats[type].narrow)
        return made;
    formats[type].narrow(out, made);
    return out;
}

/* --- Single elements ---------------------------------------------------------------------- */

enum { DOUBLE_BIAS = 1023 };

static int infinity_of(const struct format *half)
{
    return (2 * half->bias + 1) << half->fraction_bits;
}

/* Its fields are put where a double has them: the exponent is then too small by the difference of
 * the biases. */
static double load_half(const struct format *half, uint16_t bits)
{
    const int magnitude = bits & 0x7fff, infinite = infinity_of(half);
    const uint64_t power = (uint64_t)(DOUBLE_BIAS + DOUBLE_BIAS - half->bias) << 52;
    double value = element_double_of((uint64_t)magnitude << (52 - half->fraction_bits));
    value *= element_double_of(power);
    if (magnitude >= infinite)
        value = magnitude > infinite ? NAN : INFINITY;
    return bits & 0x8000 ? -value : value;
}

/* A fraction that rounds up to the next power of two carries into the exponent, which is right.
 * Below 2^52 an integer is what remains of adding and taking away 2^52, ties to even. */
static uint16_t store_half(const struct format *half, double value)
{
    const int sign = signbit(value) ? 0x8000 : 0, infinite = infinity_of(half);
    const int least = 1 - half->bias;
    if (isnan(value))
        return (uint16_t)(sign | infinite | 1 << (half->fraction_bits - 1));
    const double size = fmin(fabs(value), FLT_MAX);
    uint64_t word;
    memcpy(&word, &size, sizeof word);
    const int own = (int)(word >> 52) - DOUBLE_BIAS, exponent = own < least ? least : own;
    const double moved =
        size *
        element_double_of((uint64_t)(DOUBLE_BIAS + half->fraction_bits - exponent) << 52);
    const int fraction = (int)(moved + 0x1p52 - 0x1p52);
    const int bits = fraction + ((exponent - least) << half->fraction_bits);
    return (uint16_t)(sign | (isinf(value) || bits > infinite ? infinite : bits));
}

/* The low end first, as on GPUs. An array of bytes need not be aligned. The sizes stand one by one, for
 * a compiler makes each a single instruction. */
static void copy_word(void *to, const void *from, int bytes)
{
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    default: memcpy(to, from, 8);
    }
}

uint64_t element_load_word(enum type type, const void *elements, uint64_t index)
{
    const int bytes = problem_types[type].bytes;
    uint64_t word = 0;
    copy_word(&word, (const unsigned char *)elements + index * (uint64_t)bytes, bytes);
    return word;
}

void element_store_word(enum type type, uint64_t word, void *elements, uint64_t index)
{
    const int bytes = problem_types[type].bytes;
    copy_word((unsigned char *)elements + index * (uint64_t)bytes, &word, bytes);
}

double element_load(enum type type, const void *elements, uint64_t index)
{
    const uint64_t word = element_load_word(type, elements, index);
    float narrow;
    double wide;
    memcpy(&narrow, &word, sizeof narrow);
    memcpy(&wide, &word, sizeof wide);
    switch (problem_types[type].bytes) {
    case sizeof wide: return wide;
    case sizeof narrow: return narrow;
    default: return load_half(&formats[type], (uint16_t)word);
    }
}

void element_store(enum type type, double value, void *elements, uint64_t index)
{
    const float narrow = (float)value;
    uint64_t word = 0;
    if (problem_types[type].bytes == sizeof value)
        memcpy(&word, &value, sizeof value);
    else if (problem_types[type].bytes == sizeof narrow)
        memcpy(&word, &narrow, sizeof narrow);
    else
        word = store_half(&formats[type], value);
    element_store_word(type, word, elements, index);
}

void element_store_block(enum type type, const union element_block *block, uint64_t count,
                         void *elements)
{
    const int bytes = problem_types[type].bytes;
    float narrow[ELEMENT_BLOCK];
    for (uint64_t i = 0; i < count && bytes == sizeof *narrow; i++)
        narrow[i] = (float)block->f64[i];
    if (bytes >= (int)sizeof *narrow)
        memcpy(elements, bytes == sizeof *narrow ? (const void *)narrow : block->f64,
               count * (uint64_t)bytes);
    for (uint64_t i = 0; i < count && bytes < (int)sizeof *narrow; i++)
        element_store(type, block->f64[i], elements, i);
}

struct element_range element_range(enum type type)
{
    const struct format *half = &formats[type];
    if (half->fraction_bits == 0)
        return half->range;
    return (struct element_range){
        load_half(half, 1),
        load_half(half, (uint16_t)(1 << half->fraction_bits)),
        load_half(half, (uint16_t)(infinity_of(half) - 1)),
    };
}
