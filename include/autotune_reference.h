/* autotune_reference.h: computes on a CPU the bits that `--order n` (AUTOTUNE_ORDER_BY_N) gives on
 * every GPU: order 1 of reproducible.md, as plain C. For tests, and for who wants the same sum
 * without a GPU. Needs C99 or C++ and IEEE 754 arithmetic: -ffast-math and its like are refused.
 *
 *     float sum;
 *     autotune_reference(&sum, "sum", "f32", "f32", x, n, 1);
 *
 * And it puts together what several GPUs or processes reduced, each a part: autotune_combine.
 * A few ns an element. */
#ifndef AUTOTUNE_REFERENCE_H
#define AUTOTUNE_REFERENCE_H

#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || defined __NO_SIGNED_ZEROS__ ||    \
    defined _M_FP_FAST || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
#error "autotune_reference.h: other bits under -ffast-math and its like: compile without them"
#endif

#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */
#include <string.h> /* memcpy, strcmp */

enum {
    AUTOTUNE_LEAF = 1024,                   /* elements of a leaf */
    AUTOTUNE_ACCUMS = 128,                  /* accumulators that take them in turn */
    AUTOTUNE_LEVELS = 64,                   /* of the tree of leaves */
    AUTOTUNE_SUBTREES = 2 * AUTOTUNE_LEVELS /* of a part, at most */
};

struct autotune_arithmetic {
    int is_product, is_square, is_f32; /* multiplies; squares first; in f32, else f64 */
};

static inline uint64_t autotune_leaves(uint64_t n)
{
    return n / AUTOTUNE_LEAF + (n % AUTOTUNE_LEAF > 0);
}

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

/* Does the CPU keep denormals? A program that gcc links with -ffast-math begins with zeros in their
 * place, whatever its files were compiled with. */
static inline int autotune_keeps_denormals(void)
{
    volatile double value = 2.2250738585072014e-308; /* the least that is none */
    value = value / 2;
    return value * 2 > 0;
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
    const uint64_t exponent = half >> 10 & 31, fraction = half & 1023;
    const uint64_t bits =
        (exponent == 31 ? UINT64_C(0x7ff) : exponent + 1008) << 52 | fraction << 42;
    memcpy(&wide, &bits, sizeof wide);
    if (exponent == 0)
        wide = (double)fraction / 16777216;
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

/* Returns -1 for names that are none of these, and where the CPU does not keep denormals. */
static inline int autotune_arithmetic(struct autotune_arithmetic *out, const char *op,
                                      const char *acc)
{
    out->is_product = !strcmp(op, "prod");
    out->is_square = !strcmp(op, "sumsq");
    out->is_f32 = !strcmp(acc, "f32");
    return (out->is_product || out->is_square || !strcmp(op, "sum")) &&
                   (out->is_f32 || !strcmp(acc, "f64")) && autotune_keeps_denormals()
               ? 0
               : -1;
}

static inline void autotune_store(struct autotune_arithmetic in, void *y, double value)
{
    const float narrow = (float)value;
    if (in.is_f32)
        memcpy(y, &narrow, sizeof narrow);
    else
        memcpy(y, &value, sizeof value);
}

/* Writes the result, of the accumulator's type (float or double), to *y. `op` is "sum", "sumsq" or
 * "prod"; `type`, of the elements, is "f16", "bf16", "f32" or "f64"; `acc` is "f32" or "f64", and not
 * narrower. The n elements lie `stride` elements apart, 1 for a value or a row, the pitch for a
 * column; n may be 0. Returns 0, or -1 for other names, and where the CPU flushes denormals
 * (autotune_keeps_denormals): then *y is left alone. */
static inline int autotune_reference(void *y, const char *op, const char *type, const char *acc,
                                     const void *x, uint64_t n, uint64_t stride)
{
    const char kind = !strcmp(type, "f16")    ? 'h'
                      : !strcmp(type, "bf16") ? 'b'
                      : !strcmp(type, "f32")  ? 'f'
                      : !strcmp(type, "f64")  ? 'd'
                                              : 0;
    struct autotune_arithmetic in;
    double level[AUTOTUNE_LEVELS], total;
    uint64_t leaf, k;
    if (autotune_arithmetic(&in, op, acc) || !kind || (in.is_f32 && kind == 'd'))
        return -1;
    total = in.is_product;
    for (leaf = 0; leaf < autotune_leaves(n); leaf++) {
        double value = autotune_leaf(in, kind, x, leaf * AUTOTUNE_LEAF, n, stride);
        for (k = 0; leaf >> k & 1; k++) /* as a binary counter carries */
            value = autotune_join(in, level[k], value);
        level[k] = value;
    }
    for (k = 0; leaf >> k; k++) /* what is left without a neighbour, the last first */
        if (leaf >> k & 1)
            total = autotune_join(in, level[k], total);
    autotune_store(in, y, total);
    return 0;
}

/* --- Parts -------------------------------------------------------------------------------- */

/* An aligned run of 2^log2 leaves, a subtree of the tree: reduced by itself it has the value that it
 * has among all. The last may be cut short by the end of all. */
struct autotune_subtree {
    uint64_t first, count; /* elements */
    int log2;              /* of its leaves, at most */
    double value;          /* the caller's: a float or a double, as the accumulator is */
};

/* Lists the subtrees of elements [first, end) of all n, which begin and end between leaves: at
 * multiples of AUTOTUNE_LEAF, or where all end. Returns how many, or -1 where they do not. Reduce
 * each, by autotune_execute or autotune_reference, and keep its value. */
static inline int autotune_subtrees(struct autotune_subtree out[AUTOTUNE_SUBTREES],
                                    uint64_t first, uint64_t end, uint64_t n)
{
    const uint64_t stop = autotune_leaves(end);
    uint64_t leaf = first / AUTOTUNE_LEAF;
    int count = 0;
    if (first > end || end > n || first % AUTOTUNE_LEAF || (end % AUTOTUNE_LEAF && end != n))
        return -1;
    while (leaf < stop) {
        struct autotune_subtree next = {leaf * AUTOTUNE_LEAF, 0, 0, 0};
        while (!(leaf >> next.log2 & 1) &&
               (leaf + (UINT64_C(2) << next.log2) <= stop ||
                (end == n && leaf + (UINT64_C(1) << next.log2) < stop)))
            next.log2++;
        leaf += UINT64_C(1) << next.log2;
        next.count = (leaf < stop ? leaf * AUTOTUNE_LEAF : end) - next.first;
        out[count++] = next;
    }
    return count;
}

/* Combines the subtrees of all parts, in any order, to the result of all n elements, as
 * autotune_reference does and with its bits. -1 for other names, where the subtrees are not all
 * elements, each once, and where the CPU flushes denormals: then *y is left alone. */
static inline int autotune_combine(void *y, const char *op, const char *acc,
                                   const struct autotune_subtree *subtrees, size_t count,
                                   uint64_t n)
{
    struct autotune_arithmetic in;
    double value[AUTOTUNE_LEVELS], total;
    int log2[AUTOTUNE_LEVELS], depth = 0;
    size_t used = 0, i;
    uint64_t at = 0;
    if (autotune_arithmetic(&in, op, acc))
        return -1;
    for (; at < n; at += subtrees[i].count, used++) {
        for (i = 0; i < count && (subtrees[i].first != at || !subtrees[i].count); i++)
            continue;
        if (i == count || depth == AUTOTUNE_LEVELS)
            return -1;
        value[depth] = subtrees[i].value;
        log2[depth++] = subtrees[i].log2;
        for (; depth > 1 && log2[depth - 1] == log2[depth - 2]; depth--, log2[depth - 1]++)
            value[depth - 2] = autotune_join(in, value[depth - 2], value[depth - 1]);
    }
    if (at != n || used != count)
        return -1;
    for (total = in.is_product; depth > 0; depth--)
        total = autotune_join(in, value[depth - 1], total);
    autotune_store(in, y, total);
    return 0;
}

#endif
