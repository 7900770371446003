/* Tests of element: every value of both 16-bit floats, rounding between each two of them, and
 * the bits of all types. */
#include "autotune/verify/element.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    enum type type;
    uint16_t infinity;
} halves[] = {{F16, 0x7c00}, {BF16, 0x7f80}};

static uint16_t stored(enum type type, double value)
{
    uint16_t bits;
    element_store(type, value, &bits, 0);
    return bits;
}

static double loaded(enum type type, uint16_t bits)
{
    return element_load(type, &bits, 0);
}

static void test_known_values(void **state)
{
    (void)state;
    static const struct {
        enum type type;
        uint16_t bits;
        double value;
    } rows[] = {
        {F16, 0x0000, 0.0},         {F16, 0x3c00, 1.0},       {F16, 0xc000, -2.0},
        {F16, 0x3555, 0x1.554p-2},  {F16, 0x7bff, 65504.0},   {F16, 0x0400, 0x1p-14},
        {F16, 0x03ff, 0x1.ff8p-15}, {F16, 0x0001, 0x1p-24},   {F16, 0x6800, 2048.0},
        {BF16, 0x3f80, 1.0},        {BF16, 0xc2f7, -123.5},   {BF16, 0x7f7f, 0x1.fep127},
        {BF16, 0x0080, 0x1p-126},   {BF16, 0x0001, 0x1p-133}, {BF16, 0x4380, 256.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_memory_equal(&rows[i].value, &(double){loaded(rows[i].type, rows[i].bits)},
                            sizeof(double));
        assert_int_equal(stored(rows[i].type, rows[i].value), rows[i].bits);
    }
}

/* The upper half of a binary32, in another way. */
static void test_bf16_is_half_of_f32(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits <= 0xffff; bits++) {
        const uint32_t wide = bits << 16;
        float value;
        memcpy(&value, &wide, sizeof value);
        if (isnan(value))
            assert_true(isnan(loaded(BF16, (uint16_t)bits)));
        else
            assert_memory_equal(&(double){value}, &(double){loaded(BF16, (uint16_t)bits)},
                                sizeof(double));
    }
}

/* Both signs of all finite values come back; what lies between two goes to the nearer, and half
 * way to the even one. */
static void test_rounding(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const enum type type = halves[i].type;
        for (uint16_t bits = 0; bits < halves[i].infinity; bits++) {
            const double value = loaded(type, bits);
            const double next = bits + 1 == halves[i].infinity
                                    ? 2 * value - loaded(type, (uint16_t)(bits - 1))
                                    : loaded(type, (uint16_t)(bits + 1));
            const double middle = value + (next - value) / 2;
            assert_true(next > value);
            assert_int_equal(stored(type, value), bits);
            assert_int_equal(stored(type, -value), bits | 0x8000);
            assert_int_equal(stored(type, middle), bits + (bits & 1));
            assert_int_equal(stored(type, nextafter(middle, 0)), bits);
            assert_int_equal(stored(type, nextafter(middle, INFINITY)), bits + 1);
        }
    }
}

static void test_specials(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const enum type type = halves[i].type;
        const uint16_t infinity = halves[i].infinity;
        assert_int_equal(stored(type, INFINITY), infinity);
        assert_int_equal(stored(type, -INFINITY), infinity | 0x8000);
        assert_int_equal(stored(type, 1e300), infinity);
        assert_int_equal(stored(type, -0.0), 0x8000);
        assert_int_equal(stored(type, 1e-300), 0);
        assert_true(isinf(loaded(type, infinity)) && loaded(type, infinity) > 0);
        assert_true(isnan(loaded(type, stored(type, NAN))));
        for (uint16_t bits = (uint16_t)(infinity + 1); bits < 0x8000; bits++)
            assert_true(isnan(loaded(type, bits)));
    }
}

static void test_ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct element_range range = element_range(halves[i].type);
        assert_int_equal(stored(halves[i].type, range.tiny), 1);
        assert_int_equal(stored(halves[i].type, range.largest), halves[i].infinity - 1);
        assert_int_equal(stored(halves[i].type, nextafter(range.small, 0)),
                         stored(halves[i].type,
                                range.small)); /* the least normal, from below */
    }
    assert_true(element_range(F32).tiny > 0 && (float)(element_range(F32).tiny / 2) <= 0);
    assert_true(element_range(F64).tiny > 0 && element_range(F64).tiny / 2 <= 0);
    assert_true(isinf((float)(element_range(F32).largest * 2)));
}

/* Neighbours are left alone, whatever the width. */
static void test_words(void **state)
{
    (void)state;
    for (int type = 0; type < TYPE_COUNT; type++) {
        unsigned char bytes[33], expect[33];
        const size_t width = (size_t)problem_types[type].bytes;
        memset(bytes, 0xee, sizeof bytes);
        memset(expect, 0xee, sizeof expect);
        for (size_t i = 0; i < width; i++)
            expect[1 + 2 * width + i] = (unsigned char)(0x10 + i);
        element_store_word((enum type)type, 0x1716151413121110u, bytes + 1, 2);
        assert_memory_equal(bytes, expect, sizeof bytes);
        const uint64_t mask = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
        assert_true(element_load_word((enum type)type, bytes + 1, 2) ==
                    (0x1716151413121110u & mask));
        if (problem_types[type].is_float) {
            element_store((enum type)type, -1.5, bytes + 1, 3);
            assert_true(fabs(element_load((enum type)type, bytes + 1, 3) + 1.5) <= 0);
        }
    }
}

/* Fails where a block rounds otherwise than one at a time, or writes past its count. */
static void test_block_is_stored_as_singles(void **state)
{
    static const enum type types[] = {F16, BF16, F32, F64};
    union element_block block;
    (void)state;
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        block.f64[i] = (i % 2 ? -1 : 1) * ldexp(1 + i * 0x1.3p-9, i % 40 - 20);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (uint64_t count = 0; count <= ELEMENT_BLOCK; count += 51) {
            double stored[ELEMENT_BLOCK + 1] = {0}, single[ELEMENT_BLOCK + 1] = {0};
            element_store_block(types[t], &block, count, stored);
            for (uint64_t i = 0; i < count; i++)
                element_store(types[t], block.f64[i], single, i);
            assert_memory_equal(stored, single, sizeof stored);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_bf16_is_half_of_f32),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_specials),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_block_is_stored_as_singles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
