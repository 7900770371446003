/* oracle_widen: elements of every type as 64-bit words, exactly, in loops that vectorise. */
#include "autotune/tune/oracle_widen.h"

#include <string.h>

static void widen_i8(union widened *out, const void *elements)
{
    const int8_t *from = elements;
    for (int i = 0; i < WIDEN_BLOCK; i++)
        out->i64[i] = from[i];
}

static void widen_u8(union widened *out, const void *elements)
{
    const uint8_t *from = elements;
    for (int i = 0; i < WIDEN_BLOCK; i++)
        out->u64[i] = from[i];
}

static void widen_i16(union widened *out, const void *elements)
{
    const int16_t *from = elements;
    for (int i = 0; i < WIDEN_BLOCK; i++)
        out->i64[i] = from[i];
}

static void widen_u16(union widened *out, const void *elements)
{
    const uint16_t *from = elements;
    for (int i = 0; i < WIDEN_BLOCK; i++)
        out->u64[i] = from[i];
}

static void widen_i32(union widened *out, const void *elements)
{
    const int32_t *from = elements;
    for (int i = 0; i < WIDEN_BLOCK; i++)
        out->i64[i] = from[i];
}

static void widen_u32(union widened *out, const void *elements)
{
    const uint32_t *from = elements;
    for (int i = 0; i < WIDEN_BLOCK; i++)
        out->u64[i] = from[i];
}

static void widen_64(union widened *out, const void *elements)
{
    memcpy(out, elements, sizeof *out);
}

static void widen_f32(union widened *out, const void *elements)
{
    const float *from = elements;
    for (int i = 0; i < WIDEN_BLOCK; i++)
        out->f64[i] = from[i];
}

/* The fields of an f16 where a double has them: its exponent is then too small by 1008. All
 * ones in the exponent stay all ones. */
static void widen_f16(union widened *out, const void *elements)
{
    const uint16_t *from = elements;
    for (int i = 0; i < WIDEN_BLOCK; i++) {
        const uint64_t magnitude = from[i] & 0x7fffu, sign = (uint64_t)(from[i] >> 15) << 63;
        const uint64_t top = magnitude < 0x7c00 ? 0 : (uint64_t)0x7ff << 52;
        out->u64[i] = magnitude << 42;
        out->f64[i] *= 0x1p1008;
        out->u64[i] |= top | sign;
    }
}

static void widen_bf16(union widened *out, const void *elements)
{
    const uint16_t *from = elements;
    for (int i = 0; i < WIDEN_BLOCK; i++) {
        const uint32_t bits = (uint32_t)from[i] << 16;
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        out->f64[i] = narrow;
    }
}

widen_elements *const widen_table[TYPE_COUNT] = {
    [I8] = widen_i8,   [U8] = widen_u8,     [I16] = widen_i16, [U16] = widen_u16,
    [I32] = widen_i32, [U32] = widen_u32,   [I64] = widen_64,  [U64] = widen_64,
    [F16] = widen_f16, [BF16] = widen_bf16, [F32] = widen_f32, [F64] = widen_64,
};
