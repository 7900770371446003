/* Tests of problem: which operations, types and accumulators go together, names, and the line
 * that says what a problem is. */
#include "generator/problem.h"
#include "tests/unit/named_op.h"
#include "tests/unit/plain_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct error error;

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < TYPE_COUNT; i++) {
        enum type type;
        assert_int_equal(problem_find_type(&type, problem_types[i].name, &error), 0);
        assert_int_equal(type, i);
    }
    for (int i = 0; i < OP_COUNT; i++) {
        const struct operation *op;
        assert_int_equal(operation_find(&op, named_ops[i], &error), 0);
        assert_ptr_equal(op, operation_at((size_t)i));
    }
}

static void test_unknown_names(void **state)
{
    (void)state;
    static const char *const words[] = {"", "I32", "i32 ", "i33", "summ", "COLD", "i32\n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        enum type type;
        const struct operation *op;
        assert_int_equal(problem_find_type(&type, words[i], &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64"));
        assert_int_equal(operation_find(&op, words[i], &error), -1);
        assert_non_null(strstr(error.text, "sum sumsq prod min max and or xor"));
    }
}

/* An accumulator is of the elements' kind and at least as wide; floats have no bits to combine.
 */
static void test_what_goes_together(void **state)
{
    (void)state;
    static const bool accs[TYPE_COUNT][TYPE_COUNT] = {
        [I8] = {[I32] = true, [I64] = true},
        [U8] = {[U32] = true, [U64] = true},
        [I16] = {[I32] = true, [I64] = true},
        [U16] = {[U32] = true, [U64] = true},
        [I32] = {[I32] = true, [I64] = true},
        [U32] = {[U32] = true, [U64] = true},
        [I64] = {[I64] = true},
        [U64] = {[U64] = true},
        [F16] = {[F32] = true, [F64] = true},
        [BF16] = {[F32] = true, [F64] = true},
        [F32] = {[F32] = true, [F64] = true},
        [F64] = {[F64] = true},
    };
    for (int op = 0; op < OP_COUNT; op++)
        for (int type = 0; type < TYPE_COUNT; type++)
            for (int acc = 0; acc < TYPE_COUNT; acc++) {
                const struct problem problem = {.op = op_of((enum op)op),
                                                .type = (enum type)type,
                                                .acc = (enum type)acc,
                                                .dims = DIMS_VALUE(5),
                                                .regime = COLD};
                const bool is_bits = plain_is_bitwise((enum op)op);
                const bool good = accs[type][acc] && !(is_bits && problem_types[type].is_float);
                assert_int_equal(problem_check(&problem, &error), good ? 0 : -1);
                assert_true(good || error.code == ERROR_USAGE);
            }
    static const enum type defaults[TYPE_COUNT] = {
        [I8] = I32,  [U8] = U32,  [I16] = I32, [U16] = U32,  [I32] = I32, [U32] = U32,
        [I64] = I64, [U64] = U64, [F16] = F32, [BF16] = F32, [F32] = F32, [F64] = F64,
    };
    for (int type = 0; type < TYPE_COUNT; type++)
        assert_int_equal(problem_default_acc((enum type)type), defaults[type]);
}

/* What combines partial results has no step before: a sum of squares goes on as a sum. */
static void test_partials(void **state)
{
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        const enum op of_partials = op_in(operation_plain(op_of((enum op)op)->combine));
        const struct plain_op *plain = &plain_ops[op], *partial = &plain_ops[of_partials];
        assert_int_equal(partial->step, plain->step);
        assert_true(!partial->map_word && !partial->map_float);
        assert_true(plain->map_word || of_partials == (enum op)op);
        const struct problem wide = {.op = op_of((enum op)op),
                                     .type = F16,
                                     .acc = F32,
                                     .dims = DIMS_VALUE(5),
                                     .regime = COLD};
        const struct problem whole = {.op = op_of((enum op)op),
                                      .type = I8,
                                      .acc = I32,
                                      .dims = DIMS_VALUE(5),
                                      .regime = COLD};
        const bool is_position = plain->is_position;
        struct problem fixed = wide, exact = whole;
        fixed.order = exact.order = ORDER_RUN;
        problem_simplify(&fixed);
        problem_simplify(&exact);
        assert_int_equal(fixed.order == ORDER_RUN, plain_rounds((enum op)op));
        assert_false(exact.order == ORDER_RUN);
        assert_int_equal(problem_result(&wide), is_position ? U64 : F32);
        assert_int_equal(problem_partial_bytes(&whole), is_position ? 16 : 4);
        assert_string_equal(law_of((enum op)op)->space, is_position ? "arg" : "reduce");
    }
}

static void test_format(void **state)
{
    (void)state;
    /* clang-format off */
    const struct {
        struct problem problem;
        const char *text;
    } cases[] = {
        {{.op = op_of(SUM), .type = I32, .acc = I32, .dims = DIMS_VALUE(400000000),
          .regime = COLD}, "sum i32 400M cold"},
        {{.op = op_of(SUM), .type = I8, .acc = I32, .dims = DIMS_VALUE(5), .regime = COLD}, "sum i8 5 cold"},
        {{.op = op_of(SUMSQ), .type = BF16, .acc = F64, .dims = DIMS_VALUE(5),
          .regime = COLD}, "sumsq bf16 acc f64 5 cold"},
        {{.op = op_of(MAX), .type = F32, .acc = F64, .dims = DIMS_VALUE(0),
          .regime = WARM}, "max f32 acc f64 0 warm"},
        {{.op = op_of(XOR), .type = U64, .acc = U64, .dims = DIMS_VALUE(UINT64_MAX),
          .regime = COLD}, "xor u64 18446744073709551615 cold"},
        {{.op = op_of(PROD), .type = I32, .acc = I64, .dims = DIMS_VALUE(UINT64_C(1) << 32),
          .regime = COLD}, "prod i32 acc i64 4Gi cold"},
        {{.op = op_of(SUM), .type = F32, .acc = F64, .dims = DIMS_VALUE(7), .regime = WARM,
          .order = ORDER_RUN}, "sum f32 acc f64 7 warm deterministic"},
        {{.op = op_of(SUM), .type = F32, .acc = F32, .dims = DIMS_VALUE(7), .regime = WARM,
          .order = ORDER_BY_N}, "sum f32 7 warm order n"},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[PROBLEM_CHARS];
        assert_string_equal(problem_format(out, &cases[i].problem), cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_what_goes_together),
        cmocka_unit_test(test_partials),
        cmocka_unit_test(test_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
