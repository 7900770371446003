/* Tests the operations that take the place of those with a combine of their own: values lie alike, the laws hold, and
 * every word of a value shows in the result. */
#include "autotune/verify/check_small.h"
#include "autotune/verify/oracle.h"
#include "generator/operation_eval.h"
#include "generator/operation_shadow.h"
#include "generator/operation_type.h"
#include "generator/random.h"
#include "generator/text.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { FIELDS = OPERATION_FIELDS_MAX, LANES = OPERATION_LANES };

#define HEAD "[operation]\nmeaning = laid out\n"

static const char *const texts[] = {
    HEAD "name = one\ncombine = a + b\nidentity = 1\n",
    HEAD "name = other\nvalue = real\nmap = real(x)\ncombine = a + b - 1\nidentity = 1\n"
         "finish = a / real(n)\n",
    HEAD "name = mixed\nvalue = a1:u32 a2:acc a3:f64\nmap = make(u32(i), x, f64(x))\n"
         "combine = make(a.a1 + b.a1, a.a2 + b.a2, a.a3 + b.a3)\nidentity = make(0, 0, 0)\n"
         "finish = f32(a.a1)\n",
    HEAD "name = eight\nvalue = a:u32 b:u32 c:u32 d:u32 e:u32 f:u32 g:i32 h:f32\n"
         "map = make(1, 2, 3, 4, 5, 6, 7, f32(x))\n"
         "combine = make(a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d, a.e + b.e, a.f + b.f, "
         "a.g + b.g, a.h + b.h)\nidentity = make(0, 0, 0, 0, 0, 0, 0, 0)\n"
         "finish = u64(a.a) + n\n",
    HEAD "name = placed\nvalue = best:acc at:u64\nmap = make(x, i)\n"
         "combine = a.at < b.at ? a : b\nidentity = make(0, none())\nfinish = a.best\n",
    HEAD "name = ordered\ncombine = b == 0 ? a : b\nidentity = 0\nkeeps_order = yes\n",
    HEAD "name = matrix\nvalue = a:acc b:f64 c:u32 d:acc\nmap = make(x, f64(x), u32(i), x)\n"
         "combine = b\nidentity = make(0, 0, 0, 0)\nfinish = a.b\nkeeps_order = yes\n",
};

static struct error error;

static void for_each(void (*check)(const struct problem *problem, const struct problem *shadow))
{
    for (size_t t = 0; t < COUNT_OF(texts); t++)
        for (enum type type = 0; type < TYPE_COUNT; type++) {
            struct problem problem = {.type = type, .dims = dims_value(1000)}, shadow;
            problem.acc = problem_default_acc(type);
            if (operation_load(&problem.op, "own.ini", texts[t], strlen(texts[t]), &error))
                fail_msg("%s", error.text);
            assert_int_equal(problem_check(&problem, &error), 0);
            if (operation_shadow(&shadow, &problem, &error))
                fail_msg("%s: %s", problem.op->name, error.text);
            check(&problem, &shadow);
        }
}

static void lies_alike(const struct problem *problem, const struct problem *shadow)
{
    const struct operation_text *own = problem->op->text, *text = shadow->op->text;
    const int fields = operation_field_count(own);
    assert_int_equal(operation_field_count(text), fields);
    for (int f = 0; f < fields; f++) {
        const enum type type = operation_field_type(text, f, shadow->acc);
        assert_int_equal(problem_types[type].bytes,
                         problem_types[operation_field_type(own, f, problem->acc)].bytes);
        assert_false(problem_types[type].is_float || problem_types[type].is_signed);
    }
    assert_int_equal(problem_types[problem_result(shadow)].bytes,
                     problem_types[problem_result(problem)].bytes);
    assert_int_equal(problem_types[shadow->type].bytes, problem_types[problem->type].bytes);
    assert_int_equal(problem_partial_bytes(shadow), problem_partial_bytes(problem));
    assert_int_equal(problem_has_finish(shadow), problem_has_finish(problem));
    assert_int_equal(problem_has_index(shadow), problem_has_index(problem));
    assert_int_equal(operation_mentions(text, OPERATION_FINISH, OPERATION_N),
                     operation_mentions(own, OPERATION_FINISH, OPERATION_N));
    assert_false(problem_rounds(shadow));
}

static void has_the_layout(void **state)
{
    (void)state;
    for_each(lies_alike);
}

/* It keeps the laws, and is its own shadow, so that there is no third. */
static void keeps(const struct problem *problem, const struct problem *shadow)
{
    struct problem third;
    (void)problem;
    if (oracle_prepare(shadow, &error))
        fail_msg("%s", error.text);
    assert_false(check_shadow(&third, shadow));
}

static void keeps_laws(void **state)
{
    (void)state;
    for_each(keeps);
}

/* --- Words -------------------------------------------------------------------------------- */

static uint64_t finish(struct operation_eval *eval, uint64_t value[FIELDS][LANES], uint64_t n)
{
    uint64_t result;
    operation_eval_finish(eval, value[0], &n, &result, 1);
    return result;
}

static void shows(const struct problem *problem, const struct problem *shadow)
{
    const struct operation_text *text = shadow->op->text;
    const int fields = operation_field_count(text);
    struct operation_eval *eval = NULL;
    uint64_t value[FIELDS][LANES], state = 1;
    if (operation_eval_open(&eval, text, shadow->acc, &error))
        fail_msg("%s", error.text);
    for (int f = 0; f < fields; f++)
        value[f][0] =
            random_next(&state) &
            (problem_types[operation_field_type(text, f, shadow->acc)].bytes == 8 ? UINT64_MAX
                                                                                  : UINT32_MAX);
    const uint64_t right = finish(eval, value, 5);
    if (operation_mentions(problem->op->text, OPERATION_FINISH, OPERATION_N))
        assert_true(finish(eval, value, 6) != right);
    for (int f = 0; f < fields; f++)
        for (int half = 0;
             half < problem_types[operation_field_type(text, f, shadow->acc)].bytes;
             half += 4) {
            value[f][0] ^= UINT64_C(0x10001) << (8 * half);
            if (finish(eval, value, 5) == right)
                fail_msg("%s: word %d of field %d does not show", problem->op->name, half / 4,
                         f);
            value[f][0] ^= UINT64_C(0x10001) << (8 * half);
        }
    for (int f = 0; f + 1 < fields; f++) {
        const uint64_t first = value[f][0], second = value[f + 1][0];
        value[f][0] = second & UINT32_MAX;
        value[f + 1][0] = first & UINT32_MAX;
        assert_true(finish(eval, value, 5) != right);
        value[f][0] = first;
        value[f + 1][0] = second;
    }
    operation_eval_free(eval);
}

static void every_word_shows(void **state)
{
    (void)state;
    for_each(shows);
}

/* --- Order -------------------------------------------------------------------------------- */

/* Where order is kept neighbours that change places change each word; else they change none. */
static void exchanged(const struct problem *problem, const struct problem *shadow)
{
    const struct operation_text *text = shadow->op->text;
    const uint64_t x[LANES] = {3, 250}, i[LANES] = {7, 8};
    uint64_t values[FIELDS][LANES], others[FIELDS][LANES];
    struct operation_eval *eval = NULL;
    assert_int_equal(problem_commutes(shadow), problem_commutes(problem));
    if (operation_eval_open(&eval, text, shadow->acc, &error))
        fail_msg("%s", error.text);
    operation_eval_map(eval, x, i, values[0], 2);
    for (int f = 0; f < operation_field_count(text); f++) {
        others[f][0] = values[f][1];
        others[f][1] = values[f][0];
    }
    operation_eval_combine(eval, values[0], others[0], values[0], 2);
    for (int f = 0; f < operation_field_count(text); f++)
        assert_int_equal(values[f][0] == values[f][1], problem_commutes(problem));
    operation_eval_free(eval);
}

static void exchanges_show(void **state)
{
    (void)state;
    for_each(exchanged);
}

/* --- Indices ------------------------------------------------------------------------------ */

/* Each field of a value is another at another index, be it 2^32 apart. */
static void shows_index(const struct problem *problem, const struct problem *shadow)
{
    const uint64_t indices[][2] = {{0, 1},
                                   {5, 5 + (UINT64_C(1) << 32)},
                                   {7, UINT64_C(1) << 33},
                                   {3, 3 + (UINT64_C(1) << 31)}};
    const int fields = operation_field_count(shadow->op->text);
    struct operation_eval *eval = NULL;
    uint64_t values[2][FIELDS][LANES];
    if (!problem_has_index(problem))
        return;
    if (operation_eval_open(&eval, shadow->op->text, shadow->acc, &error))
        fail_msg("%s", error.text);
    for (size_t k = 0; k < COUNT_OF(indices); k++) {
        for (int i = 0; i < 2; i++) {
            const uint64_t x = 11;
            operation_eval_map(eval, &x, &indices[k][i], values[i][0], 1);
        }
        for (int f = 0; f < fields; f++)
            assert_int_not_equal(values[0][f][0], values[1][f][0]);
    }
    operation_eval_free(eval);
}

static void every_index_shows(void **state)
{
    (void)state;
    for_each(shows_index);
}

/* It is made once for a problem's types. */
static void is_kept(const struct problem *problem, const struct problem *shadow)
{
    struct problem again;
    assert_int_equal(operation_shadow(&again, problem, &error), 0);
    assert_ptr_equal(again.op, shadow->op);
    assert_int_equal(again.type, shadow->type);
    assert_int_equal(again.acc, shadow->acc);
}

static void shadows_are_kept(void **state)
{
    (void)state;
    for_each(is_kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_layout),    cmocka_unit_test(keeps_laws),
        cmocka_unit_test(every_word_shows),  cmocka_unit_test(exchanges_show),
        cmocka_unit_test(every_index_shows), cmocka_unit_test(shadows_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
