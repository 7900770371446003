/* Tests what is expected of operations whose combine is a text of their own: results beside plain C, kernels that
 * combine in any order taken, and those with a fault refused. */
#include "autotune/device/fiber.h" /* FIBER_ASAN */
#include "autotune/verify/element.h"
#include "autotune/verify/oracle.h"
#include "generator/operation_eval.h"
#include "generator/operation_type.h"
#include "generator/random.h"
#include "generator/text.h"
#include "tests/unit/load_operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { ORDERS = 10, FIELDS = 8, LANES = OPERATION_LANES };
#ifdef FIBER_ASAN
enum { MOST = 10007, MANY = 2003, DRAWN = 6 }; /* of the same code, not optimized */
#else
enum { MOST = 100003, MANY = 20011, DRAWN = 24 };
#endif

static struct error error;

static struct problem problem_of(const char *path, enum type type)
{
    const struct problem problem = {.op = load_operation_file(path),
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

/* On another machine one function of those that are inexact gives other results. */
static void be_another(struct kernel *kernel, int machine)
{
    static const enum operation_part parts[] = {OPERATION_MAP, OPERATION_COMBINE,
                                                OPERATION_FINISH};
    const enum operation_part part = parts[(size_t)machine % COUNT_OF(parts)];
    const int count = operation_eval_inexact(kernel->eval, part);
    if (machine > 0 && count > 0)
        operation_eval_move(kernel->eval, part, machine / 7 % count, machine % 2 ? 1 : -1);
}

static void open_kernel(struct kernel *kernel, const struct problem *problem,
                        const void *elements, uint64_t n, int machine)
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
    be_another(kernel, machine);
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

static const char *const files[] = {"configs/operations/var.ini", "configs/operations/std.ini",
                                    "configs/operations/logsumexp.ini"};
static const enum type types[] = {F32, F64, I32};

/* Calls `check` with kernels of each operation, type, size and kind of elements. */
static void for_each(void (*check)(struct kernel *kernel, oracle_bits expected,
                                   const struct oracle_doubt *doubt, uint64_t n))
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 33, 1000, MANY};
    double *elements = malloc(MOST * sizeof *elements);
    assert_non_null(elements);
    for (size_t f = 0; f < COUNT_OF(files); f++)
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            if (!operation_takes(load_operation_file(files[f])->text, types[t]))
                continue;
            const struct problem problem = problem_of(files[f], types[t]);
            for (size_t s = 0; s < COUNT_OF(sizes); s++) {
                struct kernel kernel;
                struct oracle_doubt doubt;
                fill(&problem, (int)(s + f + t), elements, sizes[s]);
                open_kernel(&kernel, &problem, elements, sizes[s], 0);
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

/* --- Beside plain C ----------------------------------------------------------------------- */

static double mean_of(const double *x, uint64_t n)
{
    long double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (long double)x[i];
    return (double)(sum / (long double)n);
}

static double variance_of(const double *x, uint64_t n)
{
    const double mean = mean_of(x, n);
    long double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum +=
            ((long double)x[i] - (long double)mean) * ((long double)x[i] - (long double)mean);
    return (double)(sum / (long double)n);
}

static double logsumexp_of(const double *x, uint64_t n)
{
    double top = -HUGE_VAL;
    long double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        top = x[i] > top ? x[i] : top;
    for (uint64_t i = 0; i < n; i++)
        sum += expl((long double)(x[i] - top));
    return top + (double)logl(sum);
}

static double gap_of(const double *x, uint64_t n)
{
    double least = x[0], greatest = x[0];
    for (uint64_t i = 0; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    return (greatest - least) / (double)(n - 1);
}

static double place_of(const double *x, uint64_t n)
{
    uint64_t best = 0;
    for (uint64_t i = 1; i < n; i++)
        best = fabs(x[i]) > fabs(x[best]) ? i : best;
    return (double)best;
}

static double smooth_of(const double *x, uint64_t n)
{
    double y = 0;
    for (uint64_t i = 0; i < n; i++)
        y = y / 2 + x[i];
    return y;
}

static double last_place_of(const double *x, uint64_t n)
{
    uint64_t last = 0;
    for (uint64_t i = 0; i < n; i++)
        last = x[i] < 0 || x[i] > 0 ? i : last;
    return (double)last;
}

static void equals_plain_c(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        double (*of)(const double *x, uint64_t n);
    } known[] = {{"configs/operations/var.ini", variance_of},
                 {"configs/operations/logsumexp.ini", logsumexp_of},
                 {"tests/operations/gap.ini", gap_of},
                 {"tests/operations/absargmax.ini", place_of},
                 {"tests/operations/smooth.ini", smooth_of},
                 {"tests/operations/lastplace.ini", last_place_of}};
    static const uint64_t sizes[] = {2, 3, 33, 257, 1000, MOST};
    double *elements = malloc(MOST * sizeof *elements);
    assert_non_null(elements);
    for (size_t k = 0; k < COUNT_OF(known); k++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++) {
            const struct problem problem = problem_of(known[k].file, F64);
            struct oracle_doubt doubt;
            fill(&problem, (int)s, elements, sizes[s]);
            const oracle_bits bits = expect(&problem, elements, sizes[s], &doubt);
            const double got = oracle_to_double(problem_result(&problem), bits);
            const double right = known[k].of(elements, sizes[s]);
            if (!(fabs(got - right) <= 1e-11 * fabs(right) + 1e-300))
                fail_msg("%s of %d: %.17g, not %.17g", known[k].file, (int)sizes[s], got,
                         right);
        }
    free(elements);
}

/* A chunk that begins further on, and a merge, are as one fold. */
static void merges_chunks(void **state)
{
    (void)state;
    enum { N = 5000, FIRST = 1234 };
    static const char *const folded[] = {"configs/operations/var.ini",
                                         "tests/operations/absargmax.ini",
                                         "tests/operations/lastplace.ini"};
    float elements[N];
    for (size_t f = 0; f < COUNT_OF(folded); f++) {
        const struct problem problem = problem_of(folded[f], F32);
        struct oracle_fold front, back;
        struct oracle_doubt doubt;
        oracle_bits bits;
        double off, bound;
        fill(&problem, 3, elements, N);
        elements[FIRST + 77] = -4e4F;
        const oracle_bits expected = expect(&problem, elements, N, &doubt);
        oracle_fold_init(&front, &problem);
        oracle_fold_init(&back, &problem);
        back.next = FIRST;
        oracle_fold_add(&back, elements + FIRST, N - FIRST);
        oracle_fold_add(&front, elements, FIRST);
        oracle_fold_merge(&front, &back);
        assert_int_equal(oracle_fold_finish(&front, &bits, &error), 0);
        assert_true(oracle_judge(&problem, expected, &doubt, 20, bits, &off, &bound));
    }
}

/* --- Drawn texts -------------------------------------------------------------------------- */

enum { ALL_DRAWN = 300, PARTS_MOST = 3, NAME = 16 };

struct drawing {
    uint64_t random;
    struct text value, map, lets, combine, identity;
    char fields[FIELDS][NAME];
    int field_count;
};

static uint64_t draw(struct drawing *drawing, uint64_t kinds)
{
    return random_next(&drawing->random) % kinds;
}

/* An expression of one of these names. */
static void draw_expression(struct drawing *drawing, struct text *out,
                            const char (*names)[NAME], int count, int depth)
{
    static const char *const literals[] = {"0.5", "1.5", "2", "3", "0.25"};
    static const char *const operators[] = {" + ", " - ", " * "};
    static const char *const functions[] =
        {"magnitude(", "sqrt(magnitude(",  "exp(least(3, ",    "tanh(",
         "sin(",       "log1p(magnitude(", "exp2(-magnitude(", "floor("};
    const uint64_t kind = depth == 0 ? draw(drawing, 3) : 3 + draw(drawing, 4);
    if (kind <= 1) {
        text_adds(out, names[draw(drawing, (uint64_t)count)]);
    } else if (kind == 2) {
        text_adds(out, literals[draw(drawing, COUNT_OF(literals))]);
    } else if (kind <= 4) {
        text_adds(out, "(");
        draw_expression(drawing, out, names, count, depth - 1);
        text_adds(out, operators[draw(drawing, COUNT_OF(operators))]);
        draw_expression(drawing, out, names, count, depth - 1);
        text_adds(out, ")");
    } else {
        const char *function = functions[draw(drawing, COUNT_OF(functions))];
        text_adds(out, function);
        draw_expression(drawing, out, names, count, depth - 1);
        for (const char *at = function; *at; at++)
            text_adds(out, *at == '(' ? ")" : "");
    }
}

/* What is right to combine: fields # and $, which are this one's and the next. */
static const struct drawn_part {
    int fields;
    const char *map[3], *let, *combine[3], *identity[3];
} drawn_parts[] = {
    {1, {"@"}, "", {"a.# + b.#"}, {"0"}},
    {1, {"@"}, "", {"greatest(a.#, b.#)"}, {"lowest()"}},
    {1, {"magnitude(@)"}, "", {"sqrt(a.# * a.# + b.# * b.#)"}, {"0"}},
    {2,
     {"@", "1"},
     "let t# = greatest(a.#, b.#)\n",
     {"t#",
      "(a.# == t# ? a.$ : a.$ * exp(a.# - t#)) + (b.# == t# ? b.$ : b.$ * exp(b.# - t#))"},
     {"lowest()", "0"}},
    {2,
     {"1 + x * x", "@"},
     "let s# = a.# + b.#\n",
     {"s#", "s# == 0 ? a.$ : (a.# * a.$ + b.# * b.$) / s#"},
     {"0", "0"}},
    {2, {"@", "@"}, "", {"a.# + b.#", "a.$ + b.$"}, {"0", "0"}},
};

/* Writes with the fields' names, and an expression of x for @. */
static void add_with(struct drawing *drawing, struct text *out, const char *from, int field)
{
    static const char x[1][NAME] = {"x"};
    for (; *from; from++)
        if (*from == '#' || *from == '$')
            text_addf(out, "f%d", field + (*from == '$'));
        else if (*from == '@')
            draw_expression(drawing, out, x, 1, 2);
        else
            text_addf(out, "%c", *from);
}

static void draw_part(struct drawing *drawing)
{
    const struct drawn_part *part = &drawn_parts[draw(drawing, COUNT_OF(drawn_parts))];
    const int first = drawing->field_count;
    add_with(drawing, &drawing->lets, part->let, first);
    for (int f = 0; f < part->fields; f++) {
        const char *between = drawing->field_count > 0 ? ",\n+ = " : "\n+ = ";
        snprintf(drawing->fields[drawing->field_count], NAME, "a.f%d", first + f);
        text_addf(&drawing->value, " f%d:acc", first + f);
        text_adds(&drawing->map, between);
        add_with(drawing, &drawing->map, part->map[f], first);
        text_adds(&drawing->combine, between);
        add_with(drawing, &drawing->combine, part->combine[f], first);
        text_adds(&drawing->identity, between);
        text_adds(&drawing->identity, part->identity[f]);
        drawing->field_count++;
    }
}

static const struct operation *draw_operation(uint64_t seed)
{
    struct drawing drawing = {.random = seed};
    struct text text = {0};
    const struct operation *op = NULL;
    while (drawing.field_count < 2 || draw(&drawing, PARTS_MOST))
        if (drawing.field_count < FIELDS - 2)
            draw_part(&drawing);
        else
            break;
    text_addf(&text,
              "[operation]\nname = drawn_%d\nmeaning = drawn\ntypes = floats\nvalue =%s\n%s"
              "map = make(%s)\ncombine = make(%s)\nidentity = make(%s)\nfinish = ",
              (int)seed, drawing.value.at, drawing.lets.at ? drawing.lets.at : "",
              drawing.map.at, drawing.combine.at, drawing.identity.at);
    draw_expression(&drawing, &text, (const char(*)[NAME])drawing.fields, drawing.field_count,
                    2);
    text_adds(&text, "\n");
    if (operation_load(&op, "drawn.ini", text.at, text.length, &error))
        fail_msg("%s\n%s", error.text, text.at);
    struct text *const all[] = {&drawing.value,   &drawing.map,      &drawing.lets,
                                &drawing.combine, &drawing.identity, &text};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        text_dispose(all[i]);
    return op;
}

static void takes_drawn_ones(void **state)
{
    (void)state;
    enum { N = 700 };
    float elements[N];
    const int count = getenv("EVERY") ? ALL_DRAWN : DRAWN;
    for (int seed = 0; seed < count; seed++) {
        const struct problem problem = {.op = draw_operation((uint64_t)seed),
                                        .type = F32,
                                        .acc = F32,
                                        .dims = dims_value(N)};
        struct kernel kernel;
        struct oracle_doubt doubt;
        if (oracle_prepare(&problem, &error))
            fail_msg("%s\n%s", error.text, problem.op->source);
        fill(&problem, seed, elements, N);
        open_kernel(&kernel, &problem, elements, N, seed);
        const oracle_bits bits = expect(&problem, elements, N, &doubt);
        if (getenv("SHOW"))
            printf("%d: %g, off by %g and %g%s\n%s\n", seed, oracle_to_double(F32, bits),
                   doubt.sum_abs, doubt.slack, doubt.is_open ? ", or any" : "",
                   problem.op->source);
        take_orders(&kernel, bits, &doubt, N);
        close_kernel(&kernel);
    }
}

/* --- Faults ------------------------------------------------------------------------------- */

static void refuse(const struct problem *problem, oracle_bits expected,
                   const struct oracle_doubt *doubt, double got, const char *what)
{
    const enum type type = problem_result(problem);
    oracle_bits bits = 0;
    double off, bound;
    element_store(type, got, &bits, 0);
    if (oracle_judge(problem, expected, doubt, 30, bits, &off, &bound))
        fail_msg("%s %s: %s is taken: %g, not %g, bound %g", problem->op->name,
                 problem_types[problem->type].name, what, got, oracle_to_double(type, expected),
                 bound);
}

static void refuses_faults(void **state)
{
    (void)state;
    enum { N = 1000 };
    double elements[N];
    for (size_t t = 0; t < 2; t++)
        for (size_t f = 0; f < COUNT_OF(files); f++) {
            const struct problem problem = problem_of(files[f], types[t]);
            struct oracle_doubt doubt;
            fill(&problem, 2, elements, N);
            const oracle_bits bits = expect(&problem, elements, N, &doubt);
            const double right = oracle_to_double(problem_result(&problem), bits);
            refuse(&problem, bits, &doubt, right * N / (N - 1), "another divisor");
            refuse(&problem, bits, &doubt, right * (1 - 1. / N), "an element lost");
            refuse(&problem, bits, &doubt, (double)NAN, "a NaN");
            refuse(&problem, bits, &doubt, HUGE_VAL, "an infinity");
            element_store(problem.type, (double)NAN, elements, 7);
            refuse(&problem, expect(&problem, elements, N, &doubt), &doubt, right, "no NaN");
        }
}

/* What follows from no order is open; what does is not. */
static void knows_infinities(void **state)
{
    (void)state;
    float elements[] = {1, 2, (float)INFINITY, 4, 5};
    struct oracle_doubt doubt;
    const struct problem sum = problem_of("configs/operations/logsumexp.ini", F32);
    const oracle_bits infinite = expect(&sum, elements, COUNT_OF(elements), &doubt);
    assert_true(isinf(oracle_to_double(F32, infinite)));
    refuse(&sum, infinite, &doubt, 5, "a number in an infinity's place");
    const struct problem variance = problem_of("configs/operations/var.ini", F32);
    expect(&variance, elements, COUNT_OF(elements), &doubt);
    assert_true(doubt.is_open);
    expect(&variance, elements, 2, &doubt);
    assert_false(doubt.is_open);
}

/* A product's part may be beyond the type's range in another order, though this one's are not. */
static void knows_growth(void **state)
{
    (void)state;
    enum { N = 1029 };
    static const char text[] =
        "[operation]\nmeaning = complex product\nname = product\ntypes = floats\n"
        "value = re:acc im:acc\nmap = make(x, x * 0.5)\n"
        "combine = make(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)\n"
        "identity = make(1, 0)\nfinish = a.re\n";
    struct problem problem = {.type = F32, .acc = F32, .dims = dims_value(N)};
    float elements[N];
    struct oracle_doubt doubt;
    if (operation_load(&problem.op, "product.ini", text, strlen(text), &error) ||
        oracle_prepare(&problem, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < N; i++)
        elements[i] = i == 100 ? 1e-45F : 1;
    const oracle_bits bits = expect(&problem, elements, N, &doubt);
    assert_true(isfinite(oracle_to_double(F32, bits)));
    assert_true(doubt.is_open);
    expect(&problem, elements, 10, &doubt);
    assert_false(doubt.is_open);
}

/* --- Elements that are alike -------------------------------------------------------------- */

/* Blocks of one element are combined once; where the map has an index, each is. */
static void combines_alike_ones_once(void **state)
{
    (void)state;
    static const char text[] =
        "[operation]\nmeaning = m\nname = %s\ntypes = floats\nvalue = top:acc sum:acc\n"
        "map = make(x, %s)\nlet top = greatest(a.top, b.top)\n"
        "combine = make(top, a.sum * exp(a.top - top) + b.sum * exp(b.top - top))\n"
        "identity = make(-1000, 0)\nfinish = a.top + log(a.sum)\n";
    static float elements[MOST];
    struct problem problems[2];
    for (int k = 0; k < 2; k++) {
        char own[sizeof text + 40];
        snprintf(own, sizeof own, text, k ? "by_place" : "alike", k ? "1 + acc(0 * i)" : "1");
        problems[k] = (struct problem){.op = load_operation("own.ini", own),
                                       .type = F32,
                                       .acc = F32,
                                       .dims = dims_value(MOST)};
        if (oracle_prepare(&problems[k], &error))
            fail_msg("%s", error.text);
    }
    for (uint64_t draw = 0; draw < 12; draw++) {
        const uint64_t n = draw % 2 ? MOST : 256 * (7 + draw), other = n * draw / 12;
        for (uint64_t i = 0; i < n; i++)
            elements[i] = draw % 3 == 2 && i > n / 2 ? -1.5F : 0.75F;
        elements[other] = draw % 4 ? 3 : 0.75F;
        struct oracle_doubt doubts[2];
        const oracle_bits bits[] = {expect(&problems[0], elements, n, &doubts[0]),
                                    expect(&problems[1], elements, n, &doubts[1])};
        assert_int_equal(bits[0], bits[1]);
        assert_memory_equal(&doubts[0].sum_abs, &doubts[1].sum_abs, sizeof doubts[0].sum_abs);
        assert_memory_equal(&doubts[0].slack, &doubts[1].slack, sizeof doubts[0].slack);
        assert_int_equal(doubts[0].height, doubts[1].height);
        assert_int_equal(doubts[0].is_open, doubts[1].is_open);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_any_order), cmocka_unit_test(equals_plain_c),
        cmocka_unit_test(merges_chunks),   cmocka_unit_test(takes_drawn_ones),
        cmocka_unit_test(refuses_faults),  cmocka_unit_test(knows_infinities),
        cmocka_unit_test(knows_growth),    cmocka_unit_test(combines_alike_ones_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
