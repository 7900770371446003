/* Tests what is expected of operations whose combine is a text of their own: results beside plain C, kernels that
 * combine in any order taken, and those with a fault refused. */
#include "autotune/verify/element.h"
#include "autotune/verify/oracle.h"
#include "generator/operation_eval.h"
#include "generator/operation_type.h"
#include "generator/random.h"
#include "generator/text.h"
#include "tests/unit/reduce_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST = 100003, ORDERS = 10, FIELDS = 8, LANES = OPERATION_LANES };

static struct error error;

static const struct operation *load(const char *path)
{
    const struct operation *op = NULL;
    struct text text = {0};
    if (text_read(&text, path, OPERATION_FILE_MAX, &error) ||
        operation_load(&op, path, text.at, text.length, &error))
        fail_msg("%s", error.text);
    text_dispose(&text);
    return op;
}

static struct problem problem_of(const char *path, enum type type)
{
    const struct problem problem = {.op = load(path),
                                    .type = type,
                                    .acc = problem_default_acc(type),
                                    .dims = dims_value(MOST)};
    if (oracle_prepare(&problem, &error))
        fail_msg("%s", error.text);
    return problem;
}

static uint64_t word_of(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* --- Kernels ------------------------------------------------------------------------------ */

/* Values of n elements, each with its fields as words. */
struct value {
    uint64_t words[FIELDS];
};

struct kernel {
    struct problem problem;
    struct operation_eval *eval;
    struct value *values;
    uint64_t *heights;
    uint64_t n;
    int fields;
};

/* A value as the evaluator has it. */
static void spread(const struct kernel *kernel, const struct value *value,
                   uint64_t out[FIELDS][LANES])
{
    for (int f = 0; f < kernel->fields; f++)
        out[f][0] = value->words[f];
}

static void collect(const struct kernel *kernel, struct value *value,
                    uint64_t from[FIELDS][LANES])
{
    for (int f = 0; f < kernel->fields; f++)
        value->words[f] = from[f][0];
}

static void open_kernel(struct kernel *kernel, const struct problem *problem,
                        const void *elements, uint64_t n)
{
    uint64_t words[FIELDS][LANES];
    *kernel = (struct kernel){.problem = *problem,
                              .n = n,
                              .fields = operation_field_count(problem->op->text),
                              .values = calloc(n + 1, sizeof *kernel->values),
                              .heights = calloc(n + 1, sizeof *kernel->heights)};
    assert_non_null(kernel->values);
    assert_non_null(kernel->heights);
    if (operation_eval_open(&kernel->eval, problem->op->text, problem->acc, &error))
        fail_msg("%s", error.text);
    for (uint64_t i = 0; i < n; i++) {
        const bool is_float = problem_types[problem->type].is_float;
        const uint64_t x =
            is_float
                ? word_of(element_load(problem->type, elements, i))
                : (uint64_t)(int64_t)(int32_t)element_load_word(problem->type, elements, i);
        operation_eval_map(kernel->eval, &x, &i, words[0], 1);
        collect(kernel, &kernel->values[i], words);
    }
}

static void close_kernel(struct kernel *kernel)
{
    operation_eval_free(kernel->eval);
    free(kernel->values);
    free(kernel->heights);
}

static void join(struct kernel *kernel, uint64_t a, uint64_t b)
{
    uint64_t left[FIELDS][LANES], right[FIELDS][LANES];
    uint64_t *heights = kernel->heights;
    spread(kernel, &kernel->values[a], left);
    spread(kernel, &kernel->values[b], right);
    operation_eval_combine(kernel->eval, left[0], right[0], left[0], 1);
    collect(kernel, &kernel->values[a], left);
    heights[a] = (heights[a] > heights[b] ? heights[a] : heights[b]) + 1;
}

/* The result of a value. */
static oracle_bits finish(struct kernel *kernel, const struct value *value, uint64_t n)
{
    const enum type type = problem_result(&kernel->problem);
    uint64_t word = 0;
    oracle_bits bits = 0;
    uint64_t words[FIELDS][LANES];
    spread(kernel, value, words);
    operation_eval_finish(kernel->eval, words[0], &n, &word, 1);
    if (problem_types[type].is_float) {
        double number;
        memcpy(&number, &word, sizeof number);
        element_store(type, number, &bits, 0);
    } else {
        element_store_word(type, word, &bits, 0);
    }
    return bits;
}

/* Combines as a kernel might: `order` says how; the last value is values[0]. */
static void combine_all(struct kernel *kernel, int order)
{
    const uint64_t strides[] = {1, 32, 256, 1000, 4096, 7, 77777, 2, 3, 500};
    const uint64_t stride = strides[order];
    uint64_t left = kernel->n;
    for (uint64_t i = stride; i < kernel->n; i++)
        join(kernel, i % stride, i);
    for (left = left < stride ? left : stride; left > 1; left = (left + 1) / 2)
        for (uint64_t i = 0; i < left / 2; i++)
            join(kernel, i, left - 1 - i);
}

/* --- Beside the oracle -------------------------------------------------------------------- */

static oracle_bits expect(const struct problem *problem, const void *elements, uint64_t n,
                          struct oracle_doubt *doubt)
{
    struct oracle_fold fold;
    oracle_bits bits;
    oracle_fold_init(&fold, problem);
    oracle_fold_add(&fold, elements, n);
    *doubt = oracle_fold_doubt(&fold);
    assert_int_equal(oracle_fold_finish(&fold, &bits, &error), 0);
    return bits;
}

static void fill(const struct problem *problem, int kind, void *elements, uint64_t n)
{
    uint64_t state = (uint64_t)kind + 1;
    for (uint64_t i = 0; i < n; i++) {
        const double unit = (double)(random_next(&state) >> 11) * 0x1p-53;
        const double kinds[] = {unit,
                                1000 + unit,
                                2 * unit - 1,
                                ldexp(unit, (int)(i % 16) - 8),
                                7,
                                i % 2 ? 1e4 : -1e4};
        const double value = kinds[(size_t)kind % COUNT_OF(kinds)];
        if (problem_types[problem->type].is_float)
            element_store(problem->type, value, elements, i);
        else
            element_store_word(problem->type, (uint64_t)(int64_t)(value * 1000), elements, i);
    }
}

static const char *const files[] = {"tests/operations/var.ini", "tests/operations/std.ini",
                                    "tests/operations/logsumexp.ini"};
static const enum type types[] = {F32, F64, I32};

/* Calls `check` with kernels of each operation, type, size and kind of elements. */
static void for_each(void (*check)(struct kernel *kernel, oracle_bits expected,
                                   const struct oracle_doubt *doubt, uint64_t n))
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 33, 1000, 20011};
    double *elements = malloc(MOST * sizeof *elements);
    assert_non_null(elements);
    for (size_t f = 0; f < COUNT_OF(files); f++)
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            if (!operation_takes(load(files[f])->text, types[t]))
                continue;
            const struct problem problem = problem_of(files[f], types[t]);
            for (size_t s = 0; s < COUNT_OF(sizes); s++) {
                struct kernel kernel;
                struct oracle_doubt doubt;
                fill(&problem, (int)(s + f + t), elements, sizes[s]);
                open_kernel(&kernel, &problem, elements, sizes[s]);
                const oracle_bits bits = expect(&problem, elements, sizes[s], &doubt);
                check(&kernel, bits, &doubt, sizes[s]);
                close_kernel(&kernel);
            }
        }
    free(elements);
}

static void take_orders(struct kernel *kernel, oracle_bits expected,
                        const struct oracle_doubt *doubt, uint64_t n)
{
    const enum type type = problem_result(&kernel->problem);
    struct value *values = malloc((n + 1) * sizeof *values);
    assert_non_null(values);
    memcpy(values, kernel->values, n * sizeof *values);
    for (int order = 0; n > 0 && order < ORDERS; order++) {
        double off, bound;
        memcpy(kernel->values, values, n * sizeof *values);
        memset(kernel->heights, 0, n * sizeof *kernel->heights);
        combine_all(kernel, order);
        const oracle_bits got = finish(kernel, &kernel->values[0], n);
        if (!oracle_judge(&kernel->problem, expected, doubt, kernel->heights[0], got, &off,
                          &bound))
            fail_msg("%s %s of %d, order %d: %.9g, not %.9g", kernel->problem.op->name,
                     problem_types[kernel->problem.type].name, (int)n, order,
                     oracle_to_double(type, got), oracle_to_double(type, expected));
        if (getenv("SHOW"))
            printf("%s %s n %d height %d: %.3g of %.3g\n", kernel->problem.op->name,
                   problem_types[kernel->problem.type].name, (int)n, (int)kernel->heights[0],
                   off, bound);
    }
    free(values);
}

static void takes_any_order(void **state)
{
    (void)state;
    for_each(take_orders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
