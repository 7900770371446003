/* What ships: cost classes, the files that hold a class's configs, and that all of them are small. */
#include "autotune/library/shipped.h"
#include "cache/compact.h"
#include "cache/section.h"

#include "autotune/embedded.h"
#include "tests/unit/example_record.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { SIZES = 4, MOST_BYTES = 100000 };

/* --- Classes ------------------------------------------------------------------------------ */

static struct cost_class class_of(enum op op, enum type type, enum type acc)
{
    const struct problem problem = {.op = op_of(op),
                                    .type = type,
                                    .acc = acc,
                                    .dims = DIMS_VALUE(1)};
    return cost_class_of(&problem);
}

static void test_what_costs_the_same(void **state)
{
    static const struct {
        enum op op;
        enum type type, acc;
        enum op other_op;
        enum type other_type, other_acc;
        bool is_same;
    } cases[] =
        {{SUM, I32, I32, SUMSQ, U32, U32, true},  {SUM, F32, F32, PROD, F32, F32, true},
         {SUM, I32, I32, PROD, I32, I32, false},  {SUM, I32, I32, SUM, F32, F32, false},
         {SUM, F16, F32, SUM, BF16, F32, true},   {SUM, F16, F32, SUM, F32, F32, false},
         {SUM, I32, I32, SUM, I32, I64, false},   {MIN, I8, I32, XOR, U8, U32, true},
         {MAX, F32, F32, SUM, F32, F32, false},   {ARGMIN, F32, F32, ARGMAX, F32, F32, true},
         {ARGMIN, F32, F32, MIN, F32, F32, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cost_class a = class_of(cases[i].op, cases[i].type, cases[i].acc);
        const struct cost_class b =
            class_of(cases[i].other_op, cases[i].other_type, cases[i].other_acc);
        if (cost_class_is_same(&a, &b) != cases[i].is_same)
            fail_msg("case %zu", i);
    }
}

/* Whatever its members, a class has one that is tuned, which is of the class. */
static void test_each_class_is_tuned(void **state)
{
    (void)state;
    for (enum op op = 0; op < OP_COUNT; op++)
        for (enum type type = 0; type < TYPE_COUNT; type++) {
            const struct problem problem = {.op = op_of(op),
                                            .type = type,
                                            .acc = problem_default_acc(type)};
            struct error ignored;
            if (problem_check(&problem, &ignored))
                continue;
            const struct cost_class class = cost_class_of(&problem);
            struct problem tuned;
            assert_true(cost_class_tuned(&tuned, &class));
            const struct cost_class its = cost_class_of(&tuned);
            assert_true(cost_class_is_same(&class, &its));
        }
}

/* --- Files -------------------------------------------------------------------------------- */

/* Cold sizes of which the first two share a config, a warm one, and a matrix. */
static void make_sizes(struct interval out[SIZES])
{
    for (size_t i = 0; i < SIZES; i++) {
        const uint64_t depth = UINT64_C(1000) << 2 * i;
        out[i] = (struct interval){depth, 2 * depth, example_record};
        out[i].record.problem.dims = dims_value(depth);
        out[i].record.median_ps = 1000000 + i;
        out[i].record.default_ps = i * 1000;
    }
    strcpy(out[2].record.params, "BLOCK=512 ITEMS=16 WARP=SHUFFLE GRID=0 SHIFT=-1");
    out[2].record.problem.regime = WARM;
    out[3].record.problem.dims = (struct dims){{50, 16}, {16, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE};
    out[3].from = out[3].to = 16;
}

static struct records read(const char *text)
{
    struct records records = {.count = 0};
    struct error error;
    assert_int_equal(compact_load(&records, "file", text, strlen(text), &error), 0);
    return records;
}

static char *write_example(void)
{
    struct interval sizes[SIZES];
    struct text text = {0};
    struct error error;
    make_sizes(sizes);
    assert_int_equal(compact_emit(&text, sizes, SIZES, &error), 0);
    return text.at;
}

static void test_reads_what_it_writes(void **state)
{
    struct interval sizes[SIZES];
    char *text = write_example();
    struct records records = read(text);
    (void)state;
    make_sizes(sizes);
    assert_non_null(strstr(text, sizes[0].record.params));
    assert_null(strstr(text, sizes[2].record.params)); /* the first has the names of both */
    assert_non_null(strstr(text, " 512 16 SHUFFLE 0 -1\n"));
    assert_int_equal(records.skipped, 0);
    assert_int_equal(records.count, SIZES);
    assert_int_equal(records.interval_count, SIZES - 1); /* the matrix serves its own size */
    assert_int_equal(records.configs.count, 2);
    for (size_t i = 0; i < SIZES; i++) {
        const struct record *got = &records.at[i], *want = &sizes[i].record;
        assert_null(record_key_difference(got, want));
        assert_string_equal(got->params, want->params);
        assert_true(got->code == want->code);
        assert_int_equal(got->median_ps, want->median_ps);
        assert_int_equal(got->default_ps, want->default_ps);
    }
    for (size_t i = 0; i < SIZES - 1; i++) {
        assert_int_equal(records.intervals[i].from, sizes[i].from);
        assert_int_equal(records.intervals[i].to, sizes[i].to);
    }
    store_dispose(&records);
    free(text);
}

/* Each byte that becomes another takes the whole file with it, or changes a comment. */
static void test_a_changed_byte_is_a_miss(void **state)
{
    char *text = write_example();
    const size_t begin = (size_t)(strstr(text, "[key]") - text), length = strlen(text);
    (void)state;
    for (size_t i = begin; i < length; i++) {
        const char before = text[i];
        if (before == '\n')
            continue; /* two lines that become one are a longer line, or a blank at an end */
        text[i] = before == '7' ? '8' : '7';
        struct records records = read(text);
        if (records.count || records.skipped != 1)
            fail_msg("byte %zu, '%c'", i, before);
        store_dispose(&records);
        text[i] = before;
    }
    free(text);
}

static void test_what_is_no_size_is_a_miss(void **state)
{
    static const char *const lines[] =
        {"cold 1 5 0 1 2 depth 1",         "cold 1 5 0 1",
         "cold 9 5 0 1 2 depth 1 1",       "cold 1 0 0 1 2 depth 1 1",
         "cold 1 5 0 2 1 depth 1 1",       "cold 1 5 0 2 3 depth 1 1",
         "tepid 1 5 0 1 2 depth 1 1",      "cold 1 5 0 1 2 depth 1 1 outer 1 7",
         "cold 1 5 0 1 2 depth 1 1 other", "cold 1 99999999999999999999 0 1 2 depth 1 1"};
    char *text = write_example();
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct text changed = {0}, line = {0};
        text_add(&changed, text, (size_t)(strstr(text, "[sizes]") - text));
        text_adds(&changed, "[sizes]\n");
        text_addf(&line, "1 = %s\n", lines[i]);
        section_write(&changed, &line, &line); /* the checksum is right */
        struct records records = read(changed.at);
        assert_int_equal(records.count, 0);
        assert_int_equal(records.skipped, 1);
        if (strstr(records.reason.text, "checksum") ||
            !strstr(records.reason.text, "; this file is left out"))
            fail_msg("%s", records.reason.text);
        store_dispose(&records);
        text_dispose(&changed);
        text_dispose(&line);
    }
    free(text);
}

/* --- What ships --------------------------------------------------------------------------- */

static void test_what_ships_is_whole_and_small(void **state)
{
    struct records all;
    struct error error;
    size_t bytes = 0;
    (void)state;
    for (size_t i = 0; i < embedded_count; i++)
        if (strncmp(embedded_files[i].name, "configs/tuned/", strlen("configs/tuned/")) == 0)
            bytes += embedded_files[i].length;
    assert_true(bytes > 0 && bytes < MOST_BYTES);
    assert_int_equal(shipped_load(&all, NULL, &error), 0);
    if (all.skipped)
        fail_msg("%s", all.reason.text);
    assert_true(all.count > 0);
    store_dispose(&all);
}

/* A problem gets the files of its class and space alone, those of other members too. */
static void test_a_class_has_its_own(void **state)
{
    const struct problem member = {.op = op_of(MIN),
                                   .type = U32,
                                   .acc = U32,
                                   .dims = DIMS_VALUE(9)};
    const struct cost_class class = cost_class_of(&member);
    struct record want = {.problem = member, .space = "reduce"};
    struct records its;
    struct error error;
    (void)state;
    assert_int_equal(shipped_load(&its, &want, &error), 0);
    const size_t count = its.count;
    assert_true(count > 0);
    for (size_t i = 0; i < its.count; i++) {
        const struct cost_class of = cost_class_of(&its.at[i].problem);
        assert_true(cost_class_is_same(&class, &of));
        assert_string_equal(its.at[i].space, "reduce");
    }
    store_dispose(&its);
    struct records all;
    size_t of_class = 0;
    assert_int_equal(shipped_load(&all, NULL, &error), 0);
    for (size_t i = 0; i < all.count; i++) {
        const struct cost_class of = cost_class_of(&all.at[i].problem);
        of_class += cost_class_is_same(&class, &of) && !strcmp(all.at[i].space, "reduce");
    }
    store_dispose(&all);
    assert_int_equal(of_class, count);
    strcpy(want.space, "mine");
    assert_int_equal(shipped_load(&its, &want, &error), 0);
    assert_int_equal(its.count, 0);
    store_dispose(&its);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_costs_the_same),
        cmocka_unit_test(test_each_class_is_tuned),
        cmocka_unit_test(test_reads_what_it_writes),
        cmocka_unit_test(test_a_changed_byte_is_a_miss),
        cmocka_unit_test(test_what_is_no_size_is_a_miss),
        cmocka_unit_test(test_what_ships_is_whole_and_small),
        cmocka_unit_test(test_a_class_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
