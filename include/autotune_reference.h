/* autotune_reference.h: computes on a CPU the bits that `--order n` (AUTOTUNE_ORDER_BY_N) gives on
 * every GPU: order 1 of reproducible.md, as plain C. For tests, and for who wants the same sum
 * without a GPU. Needs C99 or C++ and IEEE 754 arithmetic: no -ffast-math.
 *
 *     float sum;
 *     autotune_reference(&sum, "sum", "f32", "f32", x, n, 1);
 *
 * A few ns an element. */
#ifndef AUTOTUNE_REFERENCE_H
#define AUTOTUNE_REFERENCE_H

#include <math.h>   /* ldexp */
#include <stdint.h> /* uint64_t */
#include <string.h> /* memcpy, strcmp */

enum {
    AUTOTUNE_LEAF = 1024,  /* elements of a leaf */
    AUTOTUNE_ACCUMS = 128, /* accumulators that take them in turn */
    AUTOTUNE_LEVELS = 64   /* of the tree of leaves */
};

struct autotune_arithmetic {
    int is_product, is_square, is_f32; /* multiplies; squares first; in f32, else f64 */
};

/* Rounds what one operation gave, each by itself: stored, it cannot be fused with the next. A sum
 * or product of two f32 made in f64 and rounded once more is correctly rounded. */
static inline double autotune_round(struct autotune_arithmetic in, double value)
{
    const volatile double rounded = in.is_f32 ? (double)(float)value : value;
    return rounded;
}

static inline double autotune_join(struct autotune_arithmetic in, double a, double b)
{
    return autotune_round(in, in.is_product ? a * b : a + b);
}

/* Element i at x, exactly; `type` is 'h' for f16, 'b' for bf16, 'f' for f32, 'd' for f64. */
static inline double autotune_element(char type, const void *x, uint64_t i)
{
    const unsigned char *at = (const unsigned char *)x;
    const uint64_t bytes = type == 'd' ? 8 : type == 'f' ? 4 : 2;
    double wide;
    float value;
    uint16_t half;
    at += i * bytes;
    if (type == 'd') {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    if (type == 'f') {
        memcpy(&value, at, sizeof value);
        return value;
    }
    memcpy(&half, at, sizeof half);
    if (type == 'b') {
        const uint32_t bits = (uint32_t)half << 16;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    wide = exponent == 31  ? (fraction ? (double)NAN : HUGE_VAL)
           : exponent == 0 ? ldexp(fraction, -24)
                           : ldexp(1024 + fraction, exponent - 25);
    return half >> 15 ? -wide : wide;
}

/* The value of the leaf that begins with element `first` of n, which lie `stride` apart. Its
 * elements go to the accumulators in turn; then neighbours are joined, until one is left. */
static inline double autotune_leaf(struct autotune_arithmetic in, char type, const void *x,
                                   uint64_t first, uint64_t n, uint64_t stride)
{
    double a[AUTOTUNE_ACCUMS];
    int i, width;
    uint64_t e;
    for (i = 0; i < AUTOTUNE_ACCUMS; i++)
        a[i] = in.is_product;
    for (e = first; e < n && e < first + AUTOTUNE_LEAF; e++) {
        const double value = autotune_element(type, x, e * stride);
        const double mapped = autotune_round(in, in.is_square ? value * value : value);
        a[e % AUTOTUNE_ACCUMS] = autotune_join(in, a[e % AUTOTUNE_ACCUMS], mapped);
    }
    for (width = AUTOTUNE_ACCUMS / 2; width > 0; width /= 2)
        for (i = 0; i < width; i++)
            a[i] = autotune_join(in, a[2 * i], a[2 * i + 1]);
    return a[0];
}

/* Writes the result, of the accumulator's type (float or double), to *y. `op` is "sum", "sumsq" or
 * "prod"; `type`, of the elements, is "f16", "bf16", "f32" or "f64"; `acc` is "f32" or "f64", and not
 * narrower. The n elements lie `stride` elements apart, 1 for a value or a row, the pitch for a
 * column; n may be 0. Returns 0, or -1 for other names: then *y is left alone. */
static inline int autotune_reference(void *y, const char *op, const char *type, const char *acc,
                                     const void *x, uint64_t n, uint64_t stride)
{
    const struct autotune_arithmetic in = {!strcmp(op, "prod"), !strcmp(op, "sumsq"),
                                           !strcmp(acc, "f32")};
    const char kind = !strcmp(type, "f16")    ? 'h'
                      : !strcmp(type, "bf16") ? 'b'
                      : !strcmp(type, "f32")  ? 'f'
                      : !strcmp(type, "f64")  ? 'd'
                                              : 0;
    double level[AUTOTUNE_LEVELS], total = in.is_product;
    uint64_t leaf, k;
    if ((!in.is_product && !in.is_square && strcmp(op, "sum")) || !kind ||
        (!in.is_f32 && strcmp(acc, "f64")) || (in.is_f32 && kind == 'd'))
        return -1;
    for (leaf = 0; leaf < n / AUTOTUNE_LEAF + (n % AUTOTUNE_LEAF > 0); leaf++) {
        double value = autotune_leaf(in, kind, x, leaf * AUTOTUNE_LEAF, n, stride);
        for (k = 0; leaf >> k & 1; k++) /* as a binary counter carries */
            value = autotune_join(in, level[k], value);
        level[k] = value;
    }
    for (k = 0; leaf >> k; k++) /* what is left without a neighbour, the last first */
        if (leaf >> k & 1)
            total = autotune_join(in, level[k], total);
    if (in.is_f32) {
        const float narrow = (float)total;
        memcpy(y, &narrow, sizeof narrow);
    } else
        memcpy(y, &total, sizeof total);
    return 0;
}

#endif
