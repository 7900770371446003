/* test_input: full-size inputs on the host device, whole and periodic: what is on the device,
 * the expected results and the marks, against a reduction element by element; and that the
 * period hides no fault and keeps float sums exact at sizes that are not laid out here. */
#include "autotune/verify/element.h"
#include "autotune/verify/input.h"
#include "tests/unit/load_operation.h"
#include "tests/unit/named_op.h"
#include "tests/unit/plain_op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct error error;
static struct device *device;

static int setup(void **state)
{
    const struct device_options options = {.spec = "host", .seed = 3};
    (void)state;
    return device_open(&device, &options, &error);
}

static int teardown(void **state)
{
    (void)state;
    device_close(device);
    return 0;
}

/* --- A reduction, element by element ------------------------------------------------------ */

static bool is_float(enum type type)
{
    return problem_types[type].is_float;
}

static uint64_t width(enum type type)
{
    return (uint64_t)problem_types[type].bytes;
}

static double load_float(const struct problem *p, const void *x, uint64_t i)
{
    return plain_map_float(op_in(p->op),
                           element_load(p->type, x, i)); /* exact, as these inputs are */
}

static uint64_t load_word(const struct problem *p, const void *x, uint64_t i)
{
    const int shift = 64 - 8 * problem_types[p->type].bytes;
    const uint64_t word = element_load_word(p->type, x, i) << shift;
    const uint64_t v =
        problem_types[p->type].is_signed ? (uint64_t)((int64_t)word >> shift) : word >> shift;
    return plain_map_word(op_in(p->op), v);
}

/* No NaN, no zeros of two signs: the full-size inputs have none. */
static double step_float(const struct problem *p, double a, double b)
{
    const enum plain_step step = plain_ops[op_in(p->op)].step;
    const double r = step == PLAIN_ADD        ? a + b
                     : step == PLAIN_MULTIPLY ? a * b
                     : step == PLAIN_LEAST    ? fmin(a, b)
                                              : fmax(a, b);
    return p->acc == F32 ? (float)r : r;
}

static uint64_t step_word(const struct problem *p, uint64_t a, uint64_t b)
{
    const bool is_signed = problem_types[p->type].is_signed;
    const bool is_less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (plain_ops[op_in(p->op)].step) {
    case PLAIN_ADD: return a + b;
    case PLAIN_MULTIPLY: return a * b;
    case PLAIN_LEAST: return is_less ? a : b;
    case PLAIN_GREATEST: return is_less ? b : a;
    case PLAIN_AND: return a & b;
    case PLAIN_OR: return a | b;
    case PLAIN_XOR: return a ^ b;
    case PLAIN_UNKNOWN: break;
    }
    fail_msg("%s has no row in plain_op.h", p->op->name);
    return 0;
}

/* Which elements a kernel takes: all, with one tile lost, read twice or read from elsewhere. */
struct walk {
    uint64_t n, at, tile; /* the tile that goes wrong; 0 = none */
    int times;            /* that it is taken */
    int64_t shift;
};

/* The first of the best, of which the full-size inputs have no NaN. */
static oracle_bits find_first(const struct problem *p, const void *x, struct walk walk)
{
    uint64_t best = walk.tile && walk.at == 0 ? 1 : 0;
    for (uint64_t i = 1; i < walk.n; i++) {
        if (i - walk.at < walk.tile)
            continue; /* lost */
        const bool is_signed = problem_types[p->type].is_signed;
        const uint64_t a = is_float(p->type) ? 0 : load_word(p, x, i);
        const uint64_t b = is_float(p->type) ? 0 : load_word(p, x, best);
        const bool less = is_float(p->type) ? load_float(p, x, i) < load_float(p, x, best)
                          : is_signed       ? (int64_t)a < (int64_t)b
                                            : a < b;
        const bool more = is_float(p->type) ? load_float(p, x, i) > load_float(p, x, best)
                          : is_signed       ? (int64_t)a > (int64_t)b
                                            : a > b;
        if (plain_ops[op_in(p->op)].step == PLAIN_LEAST ? less : more)
            best = i;
    }
    return best;
}

/* What some elements come to; none yet where it is not set. */
struct total {
    bool is_set;
    double f;
    uint64_t word;
};

static void join(const struct problem *p, struct total *to, struct total one)
{
    if (!to->is_set)
        *to = one;
    else if (one.is_set && is_float(p->type))
        to->f = step_float(p, to->f, one.f);
    else if (one.is_set)
        to->word = step_word(p, to->word, one.word);
}

/* Adds elements [from, end), one after the other. */
static void add_range(const struct problem *p, struct total *to, const void *x, uint64_t from,
                      uint64_t end)
{
    const bool has_floats = is_float(p->type);
    for (uint64_t i = from; i < end; i++)
        join(p, to,
             (struct total){.is_set = true,
                            .f = has_floats ? load_float(p, x, i) : 0,
                            .word = has_floats ? 0 : load_word(p, x, i)});
}

static oracle_bits pack(const struct problem *p, struct total total)
{
    const float narrow = (float)total.f;
    uint32_t low;
    memcpy(&low, &narrow, sizeof low);
    if (p->acc == F32)
        return low;
    if (p->acc == F64)
        memcpy(&total.word, &total.f, sizeof total.word);
    return width(p->acc) == 4 ? (uint32_t)total.word : total.word;
}

/* The tile of the walk. */
static struct total tile_of(const struct problem *p, const void *x, struct walk walk)
{
    const uint64_t from = walk.at + (uint64_t)walk.shift;
    struct total total = {.is_set = false};
    for (int k = 0; k < walk.times && walk.tile; k++)
        add_range(p, &total, x, from, from + walk.tile);
    return total;
}

static oracle_bits reduce(const struct problem *p, const void *x, struct walk walk)
{
    struct total total = {.is_set = false};
    if (operation_law(p->op)->is_position)
        return find_first(p, x, walk);
    add_range(p, &total, x, 0, walk.at);
    join(p, &total, tile_of(p, x, walk));
    add_range(p, &total, x, walk.at + walk.tile, walk.n);
    return pack(p, total);
}

static struct walk all_of(uint64_t n)
{
    return (struct walk){.n = n, .times = 1};
}

typedef void visit(const struct problem *problem);

static void for_each_problem(visit *each)
{
    for (int op = 0; op < OP_COUNT; op++)
        for (int type = 0; type < TYPE_COUNT; type++)
            for (int acc = 0; acc < TYPE_COUNT; acc++) {
                const struct problem problem = {.op = op_of((enum op)op),
                                                .type = (enum type)type,
                                                .acc = (enum type)acc,
                                                .dims = DIMS_VALUE(0),
                                                .regime = COLD};
                if (problem_check(&problem, &error) == 0)
                    each(&problem);
            }
}

/* --- What is on the device ---------------------------------------------------------------- */

enum { PERIOD = 1009, LONG = 5 * PERIOD + 123, SEED = 7 };

static struct input opened(const struct problem *p, uint64_t n, uint64_t period)
{
    struct problem problem = *p;
    struct input input;
    problem.dims = dims_value(n);
    if (input_open_periodic(&input, device, &problem, 2, SEED, period, &error))
        fail_msg("%s", error.text);
    return input;
}

static void *read_back(const struct input *input, size_t i)
{
    const uint64_t bytes = dims_n(&input->problem.dims) * width(input->problem.type);
    void *out = malloc(bytes);
    assert_non_null(out);
    assert_int_equal(device->ops->read(device, out, input_address(input, i), bytes, &error), 0);
    return out;
}

static void input_is_described(const struct input *input, size_t i)
{
    const uint64_t n = dims_n(&input->problem.dims), bytes = width(input->problem.type);
    const struct oracle_input source = {.problem = input->problem,
                                        .seed = input->seed + i,
                                        .mark = n - 1,
                                        .period = input->period};
    unsigned char *x = read_back(input, i), *y = malloc(n * bytes), element[8];
    assert_non_null(y);
    oracle_fill(&source, 0, n, y);
    assert_memory_equal(x, y, n * bytes);
    for (uint64_t at = 0; at < n; at += 1 + at % 50) {
        oracle_element(&source, at, at == n - 1, element);
        assert_memory_equal(x + at * bytes, element, bytes);
    }
    assert_int_equal(reduce(&input->problem, x, all_of(n)), input_expect(input, i, 0));
    free(x);
    free(y);
}

static void is_described(const struct problem *problem)
{
    const uint64_t rows[][2] = {{LONG, PERIOD},
                                {4 * PERIOD, PERIOD},
                                {PERIOD + 1, PERIOD},
                                {8 * PERIOD, PERIOD},
                                {LONG, 0},
                                {PERIOD, 0},
                                {1, 0},
                                {3001, 2}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct input input = opened(problem, rows[r][0], rows[r][1]);
        for (size_t i = 0; i < input.count; i++)
            input_is_described(&input, i);
        input_close(&input);
    }
}

static void test_described(void **state)
{
    (void)state;
    for_each_problem(is_described);
}

/* All but the deciding elements repeat, and after no fewer elements; the first period is what
 * an input without one begins with. */
static void repeats(const struct problem *problem)
{
    struct input input = opened(problem, LONG, PERIOD);
    const uint64_t bytes = width(problem->type);
    const struct oracle_input once = {.problem = input.problem, .seed = input.seed};
    unsigned char plain[PERIOD * 8], *x = read_back(&input, 0);
    size_t breaks = 0, same = 0, changes = 0;
    oracle_fill_plain(&once, 0, PERIOD, plain);
    for (uint64_t i = 0; i < PERIOD; i++)
        changes += memcmp(x + i * bytes, plain + i * bytes, bytes) != 0;
    assert_true(changes <= ORACLE_DECIDING_MAX);
    for (uint64_t i = PERIOD; i < LONG; i++)
        breaks += memcmp(x + i * bytes, x + (i - PERIOD) * bytes, bytes) != 0;
    for (uint64_t i = 1; i < PERIOD; i++)
        same += memcmp(x, x + i * bytes, bytes) == 0;
    assert_true(breaks <= 2 * ORACLE_DECIDING_MAX);
    assert_true(plain_is_mask(op_in(problem->op)) ? breaks > 2 : same < PERIOD * 3 / 5);
    free(x);
    input_close(&input);
}

static void test_repeats(void **state)
{
    (void)state;
    for_each_problem(repeats);
}

/* Chunks of more than one thread's share, an end inside the first, and a period of many. */
static void test_many_chunks(void **state)
{
    (void)state;
    const struct problem problems[] =
        {{.op = op_of(SUM), .type = I32, .acc = I32, .dims = DIMS_VALUE(0), .regime = COLD},
         {.op = op_of(PROD), .type = F64, .acc = F64, .dims = DIMS_VALUE(0), .regime = COLD},
         {.op = op_of(ARGMAX), .type = U8, .acc = U32, .dims = DIMS_VALUE(0), .regime = COLD}};
    for (size_t i = 0; i < 3; i++) {
        struct input input = opened(&problems[i], 7000003, 5000011);
        input_is_described(&input, 0);
        input_close(&input);
    }
}

/* Loud values stand right before and after an input that ends in the middle of a period. */
static void is_guarded(const struct problem *problem)
{
    struct input input = opened(problem, LONG, PERIOD);
    const uint64_t bytes = width(problem->type), start = input_address(&input, 0);
    unsigned char loud[8], got[8];
    oracle_guard(problem, loud);
    for (uint64_t k = 0; k < 8; k++) {
        const uint64_t after = start + (LONG + k) * bytes, before = start - (k + 1) * bytes;
        assert_int_equal(device->ops->read(device, got, after, bytes, &error), 0);
        assert_memory_equal(got, loud, bytes);
        assert_int_equal(device->ops->read(device, got, before, bytes, &error), 0);
        assert_memory_equal(got, loud, bytes);
    }
    input_close(&input);
}

static void test_guards(void **state)
{
    (void)state;
    for_each_problem(is_guarded);
}

/* The mark decides wherever it goes, and stands nowhere else. */
static void mark_moves(const struct problem *problem)
{
    const uint64_t stops[] = {0,        1,          PERIOD - 1, PERIOD,     2 * PERIOD,  777,
                              LONG - 1, 5 * PERIOD, LONG - 2,   LONG - 123, PERIOD + 777};
    struct input input = opened(problem, LONG, PERIOD);
    uint64_t from = input_last(&input);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        assert_int_equal(input_mark(&input, from, stops[i], &error), 0);
        from = stops[i];
        unsigned char *x = read_back(&input, 0);
        const struct walk lost = {.n = LONG, .at = from, .tile = 1, .times = 0};
        assert_int_equal(reduce(&input.problem, x, all_of(LONG)), input_expect(&input, 0, 0));
        if (from > 0 && oracle_has_mark(problem))
            assert_int_not_equal(reduce(&input.problem, x, lost), input_expect(&input, 0, 0));
        free(x);
    }
    assert_int_equal(input_mark(&input, from, input_last(&input), &error), 0);
    input_is_described(&input, 0);
    input_close(&input);
}

static void test_mark_moves(void **state)
{
    (void)state;
    for_each_problem(mark_moves);
}

/* Where values depend on indices elements repeat, up to a tail in which the result is; all are folded. */
static void test_tail(void **state)
{
    (void)state;
    enum { N = 50000, TAIL = N - (N - PERIOD) / 2 };
    const struct problem problem = {.op = load_operation_file("tests/operations/absargmax.ini"),
                                    .type = F32,
                                    .acc = F32,
                                    .regime = COLD};
    struct input input = opened(&problem, N, PERIOD);
    for (size_t i = 0; i < input.count; i++) {
        struct oracle_fold fold;
        oracle_bits expect;
        unsigned char *x = read_back(&input, i);
        assert_memory_equal(x, x + PERIOD * sizeof(float), (TAIL - PERIOD) * sizeof(float));
        assert_memory_not_equal(x + TAIL * sizeof(float), x + (TAIL - PERIOD) * sizeof(float),
                                PERIOD * sizeof(float));
        oracle_fold_init(&fold, &input.problem);
        oracle_fold_add(&fold, x, N);
        assert_int_equal(oracle_fold_finish(&fold, &expect, &error), 0);
        assert_int_equal(input_expect(&input, i, 0), expect);
        assert_true(expect >= TAIL && expect < N);
        free(x);
    }
    input_close(&input);
}

/* --- What it costs ------------------------------------------------------------------------ */

static size_t copies;
static bool is_synced; /* since the last copy: lanes other than the first wait for nothing */
static uint64_t written;
static const struct device_ops *inner;

static int count_copy(struct device *to, uint64_t at, uint64_t from, uint64_t bytes,
                      struct error *e)
{
    assert_true(from + bytes <= at || at + bytes <= from);
    copies++;
    is_synced = false;
    return inner->copy(to, at, from, bytes, e);
}

static int count_write(struct device *to, uint64_t at, const void *from, uint64_t bytes,
                       struct error *e)
{
    written += bytes;
    return inner->write(to, at, from, bytes, e);
}

static int note_sync(struct device *of, void *stream, struct error *e)
{
    is_synced = true;
    return inner->sync(of, stream, e);
}

static void test_few_copies(void **state)
{
    (void)state;
    const struct problem sum = {.op = op_of(SUM),
                                .type = F32,
                                .acc = F32,
                                .dims = DIMS_VALUE(0),
                                .regime = COLD};
    struct device_ops counting = *device->ops;
    inner = device->ops;
    counting.copy = count_copy;
    counting.write = count_write;
    counting.sync = note_sync;
    device->ops = &counting;
    struct input input = opened(&sum, 300 * PERIOD + 5, PERIOD);
    device->ops = inner;
    assert_int_equal(copies, 2 * 9);
    assert_true(is_synced);
    assert_int_equal(written, 2 * (4 * PERIOD + 2 * 256));
    input_close(&input);
}

static void test_room(void **state)
{
    (void)state;
    const uint64_t sizes[] = {0, 1, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct problem problem = {.op = op_of(PROD),
                                        .type = F64,
                                        .acc = F64,
                                        .dims = DIMS_VALUE(sizes[i]),
                                        .regime = COLD};
        struct input input;
        assert_int_equal(input_open(&input, device, &problem,
                                    input_count(&problem, &device->info), 1, &error),
                         0);
        assert_int_equal(input.bytes, input_bytes(&problem, &device->info));
        assert_int_equal(input.period, 0);
        input_close(&input);
    }
}

/* The same elements and answers, elsewhere; and the guards still stand right around them. */
static void test_offset(void **state)
{
    (void)state;
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1003),
                                    .regime = COLD};
    enum { BYTES = 1003 * 4, GUARD = 256 };
    for (uint64_t offset = 0; offset < 256; offset += 84) {
        struct input plain, moved;
        char there[GUARD + BYTES + GUARD], here[GUARD + BYTES + GUARD];
        assert_int_equal(input_open(&plain, device, &problem, 3, 5, &error), 0);
        assert_int_equal(input_open_offset(&moved, device, &problem, 3, 5, offset, &error), 0);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(input_address(&moved, i) % 256, offset);
            assert_int_equal(input_expect(&plain, i, 0), input_expect(&moved, i, 0));
            assert_int_equal(device->ops->read(device, there, input_address(&plain, i) - GUARD,
                                               sizeof there, &error),
                             0);
            assert_int_equal(device->ops->read(device, here, input_address(&moved, i) - GUARD,
                                               sizeof here, &error),
                             0);
            assert_memory_equal(here, there, sizeof here);
        }
        assert_true(input_address(&moved, 2) + BYTES + GUARD <= moved.base + moved.bytes);
        input_close(&plain);
        input_close(&moved);
    }
}

/* --- The choice of the period ------------------------------------------------------------- */

static uint64_t distance(uint64_t x, uint64_t period)
{
    const uint64_t over = x % period;
    return over < period - over ? over : period - over;
}

static void is_far_from_strides(uint64_t period)
{
    for (uint64_t k = 3; k * k <= period; k += 2)
        assert_int_not_equal(period % k, 0);
    for (uint64_t d = 1 << 17; d <= UINT64_C(1) << 40; d *= 2)
        assert_true(distance(d, period) >= 65536);
    for (uint64_t s = 1; s < 512; s += 2)
        for (uint64_t d = s; d <= UINT64_C(1) << 36; d *= 2)
            assert_true(d <= 1 << 17 || distance(d, period) >= 15209);
}

static void test_periods(void **state)
{
    (void)state;
    struct problem sum = {.op = op_of(SUM),
                          .type = F32,
                          .acc = F32,
                          .dims = DIMS_VALUE(1000000),
                          .regime = COLD},
                   word = {.op = op_of(XOR),
                           .type = U64,
                           .acc = U64,
                           .dims = DIMS_VALUE(0),
                           .regime = COLD};
    uint64_t seen = 0;
    assert_int_equal(input_period(&sum), 0);
    for (uint64_t n = 1 << 20; n < UINT64_C(1) << 40; n += n / 2 + 1) {
        sum.dims = word.dims = dims_value(n);
        const uint64_t period = input_period(&sum);
        assert_true(period < n && input_period(&word) <= period + (period == 0) * n);
        assert_true(period == 0 || oracle_span(&sum, period) >= 8);
        if (period > seen)
            is_far_from_strides(seen = period);
    }
    assert_true(seen > UINT64_C(1) << 28);
    const uint64_t period = input_period(&word);
    word.dims = dims_value(period);
    assert_int_equal(input_period(&word), 0);
    word.dims = dims_value(period + 1);
    assert_int_equal(input_period(&word), period);
}

/* --- Float sums stay exact ---------------------------------------------------------------- */

/* Running totals of one period, [0] before the first element, and the range that they are in. */
static int32_t *total_up(const struct oracle_input *input, int32_t *least, int32_t *most)
{
    enum { CHUNK = 1 << 16 };
    static float x[CHUNK];
    int32_t *totals = malloc((input->period + 1) * sizeof *totals);
    assert_non_null(totals);
    totals[0] = *least = *most = 0;
    for (uint64_t at = 0; at < input->period; at += CHUNK) {
        const uint64_t left = input->period - at, take = left < CHUNK ? left : CHUNK;
        oracle_fill_plain(input, at, take, x);
        for (uint64_t i = 0; i < take; i++) {
            const int32_t total = totals[at + i + 1] = totals[at + i] + (int32_t)x[i];
            *least = total < *least ? total : *least;
            *most = total > *most ? total : *most;
        }
    }
    return totals;
}

/* The sum of the elements before `end`, in any period. */
static double total_at(const int32_t *totals, const struct oracle_input *input, uint64_t end)
{
    const uint64_t period = input->period;
    return (double)(end / period) * totals[period] + totals[end % period];
}

/* The largest of the running totals in order, which is one of the extremes of the first or the last
 * period. */
static double worst_in_order(const int32_t *totals, const struct oracle_input *input,
                             int32_t least, int32_t most)
{
    const double others =
        (double)(dims_n(&input->problem.dims) / input->period) * totals[input->period];
    return fmax(fmax(fabs((double)least), fabs((double)most)),
                fmax(fabs(others + least), fabs(others + most)));
}

/* The largest of what the first blocks of a grid sum up, of several grids and parts of one. */
static double worst_of_grids(const int32_t *totals, const struct oracle_input *input)
{
    static const uint64_t blocks[] = {1, 3, 7, 9, 23, 27, 33, 37, 71, 85};
    const uint64_t n = dims_n(&input->problem.dims);
    double worst = 0;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (uint64_t stride = blocks[b] << 16; stride < n; stride *= 2)
            for (uint64_t part = stride / 8; part < stride; part += stride / 8) {
                double sum = 0;
                for (uint64_t at = 0; at + part <= n; at += stride) {
                    sum += total_at(totals, input, at + part) - total_at(totals, input, at);
                    worst = fmax(worst, fabs(sum));
                }
            }
    return worst;
}

static void test_sums_stay_exact(void **state)
{
    (void)state;
    const uint64_t sizes[] = {32000000, 400000000, (UINT64_C(1) << 31) + 100003,
                              UINT64_C(1) << 32};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 0; seed < (i < 3 ? 6 : 2); seed++) {
            struct oracle_input input = {.problem = {.op = op_of(SUM),
                                                     .type = F32,
                                                     .acc = F32,
                                                     .dims = DIMS_VALUE(sizes[i]),
                                                     .regime = COLD},
                                         .seed = seed,
                                         .mark = 0,
                                         .period = 0};
            input.period = input_period(&input.problem);
            assert_int_not_equal(input.period, 0);
            int32_t least, most, *totals = total_up(&input, &least, &most);
            const double ordered = worst_in_order(totals, &input, least, most);
            const double grids = worst_of_grids(totals, &input);
            print_message("n = %llu, seed %llu, period %llu, +-%u: %.2f of 2^24 in order, %.2f "
                          "by blocks\n",
                          (unsigned long long)sizes[i], (unsigned long long)seed,
                          (unsigned long long)input.period,
                          oracle_span(&input.problem, input.period), ordered * 0x1p-24,
                          grids * 0x1p-24);
            assert_true(ordered <= 0x1.8p23 && grids <= 0x1p24);
            free(totals);
        }
}

/* The fold of periods gives the sum of all, and refuses totals that leave the range: of whole
 * periods, or only in the middle of one. */
static void test_periodic_fold(void **state)
{
    (void)state;
    const struct {
        uint64_t n;
        double total, largest;
    } rows[] = {{6, 12, 21},
                {7, 21, 21},
                {6291400, 12582800, 12582809},
                {6291454, 12582908, 12582917}};
    const float x[] = {9, -5};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct oracle_input input = {.problem = {.op = op_of(SUM),
                                                       .type = F32,
                                                       .acc = F32,
                                                       .dims = DIMS_VALUE(rows[i].n),
                                                       .regime = COLD},
                                           .seed = 4,
                                           .mark = 0,
                                           .period = 2};
        struct oracle_fold period, rest, whole;
        oracle_bits got;
        oracle_fold_init(&period, &input.problem);
        oracle_fold_init(&rest, &input.problem);
        oracle_fold_add(&period, x, 2);
        oracle_fold_add(&rest, x, rows[i].n % 2);
        oracle_fold_periods(&whole, &input, &period, &rest);
        assert_int_equal((int64_t)whole.largest, (int64_t)rows[i].largest);
        const bool is_exact = whole.largest <= 0x1.8p23;
        assert_int_equal(oracle_fold_finish(&whole, &got, &error), is_exact ? 0 : -1);
        if (is_exact)
            assert_int_equal((int64_t)oracle_to_double(F32, got), (int64_t)rows[i].total);
    }
}

/* Sums of squares of all sizes stay exact, and fill the range where elements must be sparse. */
static void test_squares_stay_exact(void **state)
{
    (void)state;
    enum { CHUNK = 1 << 16 };
    static float x[CHUNK];
    /* clang-format off */
    const uint64_t sizes[] = {5,        1000,      100003,    1000000,
                              3200000,  12582912,  15713432,  23570000,
                              33554432, 400000000, 2147583651, UINT64_C(1) << 32,
                              UINT64_C(1) << 35};
    /* clang-format on */
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct oracle_input input = {.problem = {.op = op_of(SUMSQ),
                                                 .type = F32,
                                                 .acc = F32,
                                                 .dims = DIMS_VALUE(sizes[s]),
                                                 .regime = COLD},
                                     .seed = 5,
                                     .mark = 0,
                                     .period = 0};
        struct oracle_fold period, rest, whole;
        oracle_bits got;
        input.period = input_period(&input.problem);
        const uint64_t n = input.period ? input.period : sizes[s], end = sizes[s] % n;
        assert_true(sizes[s] / n <= 512);
        oracle_fold_init(&period, &input.problem);
        oracle_fold_init(&rest, &input.problem);
        for (uint64_t at = 0, take; at < n; at += take) {
            const uint64_t stop = at < end ? end : n;
            take = stop - at < CHUNK ? stop - at : CHUNK;
            oracle_fill_plain(&input, at, take, x);
            oracle_fold_add(&period, x, take);
            if (at < end)
                oracle_fold_add(&rest, x, take);
        }
        input.period = n;
        oracle_fold_periods(&whole, &input, &period, &rest);
        if (oracle_fold_finish(&whole, &got, &error))
            fail_msg("n = %llu: %s", (unsigned long long)sizes[s], error.text);
        const double share = oracle_to_double(F32, got) / 0x1p24;
        print_message("n = %llu: %.3f of 2^24\n", (unsigned long long)sizes[s], share);
        assert_true(share < 0.75 && share > (sizes[s] < 4000000 ? 0.15 : 0.69));
    }
}

/* What decides takes the place of an element, and is not counted as one more. */
static void test_fold_counts(void **state)
{
    (void)state;
    const struct oracle_input input = {.problem = {.op = op_of(AND),
                                                   .type = I32,
                                                   .acc = I32,
                                                   .dims = DIMS_VALUE(LONG),
                                                   .regime = COLD},
                                       .seed = 4,
                                       .mark = 9,
                                       .period = PERIOD};
    struct oracle_fold part, whole;
    oracle_fold_init(&part, &input.problem);
    oracle_fold_periods(&whole, &input, &part, &part);
    assert_int_equal(whole.count, LONG);
}

/* --- Faults show -------------------------------------------------------------------------- */

/* Is the result right in spite of the tile? The others are added up once: these sums are exact. */
static bool is_hidden(const struct input *input, const void *x, struct total others,
                      struct walk walk)
{
    join(&input->problem, &others, tile_of(&input->problem, x, walk));
    return pack(&input->problem, others) == input_expect(input, 0, 0);
}

/* A tile lost, read twice, or read from a power of two or some tiles away. Where few values fit
 * a type, or squares are small, chance hides some. */
static void faults_show(const struct problem *problem)
{
    enum { TILE = 64 };
    const struct plain_op *op = &plain_ops[op_in(problem->op)];
    const bool counts_all = plain_counts_all(op_in(problem->op)) &&
                            !(op->step == PLAIN_MULTIPLY && is_float(problem->type));
    const bool by_chance =
        width(problem->type) < 4 || (op->map_float && is_float(problem->type));
    if (!counts_all)
        return;
    struct input input = opened(problem, LONG, PERIOD);
    void *x = read_back(&input, 0);
    size_t tried = 0, hidden = 0;
    for (uint64_t at = TILE; at + TILE <= LONG; at += 5 * TILE) {
        struct walk walk = {.n = LONG, .at = at, .tile = TILE, .times = 1};
        struct total others = {.is_set = false};
        add_range(&input.problem, &others, x, 0, at);
        add_range(&input.problem, &others, x, at + TILE, LONG);
        assert_true(is_hidden(&input, x, others, walk)); /* nothing is wrong yet */
        walk.times = 0;
        hidden += is_hidden(&input, x, others, walk);
        walk.times = 2;
        hidden += is_hidden(&input, x, others, walk);
        walk.times = 1;
        for (int64_t far = 1; far < LONG; far = far < 64 ? 2 * far : far + 64) {
            walk.shift = at + TILE + (uint64_t)far <= LONG ? far : -far;
            if (walk.shift < 0 && (int64_t)at < far)
                continue;
            hidden += is_hidden(&input, x, others, walk);
            tried++;
        }
    }
    if (hidden > (by_chance ? tried / 64 : 0))
        fail_msg("%s %s: %zu of %zu faults are hidden", problem->op->name,
                 problem_types[problem->type].name, hidden, tried);
    free(x);
    input_close(&input);
}

static void test_faults_show(void **state)
{
    (void)state;
    for_each_problem(faults_show);
}

/* The sum of a tile, modulo 2^32 or exactly. */
static int64_t sum_tile(const struct oracle_input *input, uint64_t at, uint64_t tile)
{
    static uint32_t x[1 << 15];
    int64_t sum = 0;
    oracle_fill_plain(input, at, tile, x);
    for (uint64_t i = 0; i < tile; i++) {
        float f;
        memcpy(&f, &x[i], sizeof f);
        sum += input->problem.type == F32 ? (int64_t)f : x[i];
    }
    return input->problem.type == F32 ? sum : sum & UINT32_MAX;
}

/* With the real period: how often a tile is lost or read from `far` away, and its sum stays. */
static void count_hidden(const struct oracle_input *input, uint64_t tile, uint64_t far,
                         size_t *tried, size_t *hidden)
{
    const uint64_t n = dims_n(&input->problem.dims);
    if (far == 0 || far + tile > n)
        return;
    for (uint64_t k = 0; k < 3; k++) {
        const uint64_t at = (n - far - tile) / 3 * k / tile * tile;
        const int64_t sum = sum_tile(input, at, tile);
        *tried += 2;
        *hidden += sum == 0;
        *hidden += sum == sum_tile(input, at + far, tile);
    }
}

static void test_displaced_tiles_show(void **state)
{
    (void)state;
    const uint64_t tiles[] = {256, 1024, 3072, 32768};
    for (int is_wide = 0; is_wide < 2; is_wide++)
        for (enum type type = I32; type <= F32; type += F32 - I32) {
            struct oracle_input input = {.problem = {.op = op_of(SUM),
                                                     .type = type,
                                                     .acc = type,
                                                     .dims = DIMS_VALUE(400000000),
                                                     .regime = COLD},
                                         .seed = 2,
                                         .mark = 0,
                                         .period = 0};
            size_t tried = 0, hidden = 0;
            input.problem.dims = dims_value(is_wide ? (UINT64_C(1) << 31) + 100003
                                                    : dims_n(&input.problem.dims));
            input.period = input_period(&input.problem);
            for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++)
                for (uint64_t d = 1; d < dims_n(&input.problem.dims); d *= 2) {
                    const uint64_t far[] = {d, d - 1, 132 * d / tiles[t] * tiles[t],
                                            d / tiles[t] * 148 * tiles[t]};
                    for (size_t k = 0; k < sizeof far / sizeof *far; k++)
                        count_hidden(&input, tiles[t], far[k], &tried, &hidden);
                }
            print_message("n = %llu %s: %zu of %zu displaced or lost tiles keep their sum\n",
                          (unsigned long long)dims_n(&input.problem.dims),
                          problem_types[type].name, hidden, tried);
            assert_true(tried > 500 && hidden <= (type == F32 ? tried / 100 : 0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* clang-format off */
        cmocka_unit_test(test_described),       cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_many_chunks),     cmocka_unit_test(test_guards),
        cmocka_unit_test(test_mark_moves),      cmocka_unit_test(test_few_copies),
        cmocka_unit_test(test_room),            cmocka_unit_test(test_periods),
        cmocka_unit_test(test_sums_stay_exact), cmocka_unit_test(test_periodic_fold),
        cmocka_unit_test(test_fold_counts),     cmocka_unit_test(test_faults_show),
        cmocka_unit_test(test_offset),          cmocka_unit_test(test_squares_stay_exact),
        cmocka_unit_test(test_displaced_tiles_show), cmocka_unit_test(test_tail),
    };
    /* clang-format on */
    return cmocka_run_group_tests(tests, setup, teardown);
}
