/* Tests of the proofs of rows.cu and columns.cu: check finds both right as they are, and wrong
 * without any one of their barriers and with indices and bounds changed. As in test_kernels
 * each fault runs on the host device in a process of its own. And the cases themselves: a plain
 * loop finds the results that they expect. */
#include "autotune/verify/oracle.h"
#include "tests/unit/matrix_dims.h"
#include "tests/unit/plant_fault.h"

#include <math.h>

enum { SPACES = 2 };
static const struct {
    const char *space, *template;
    int axis;
} files[SPACES] = {
    {"configs/rows.ini", "templates/rows.cu", OF_ROWS},
    {"configs/columns.ini", "templates/columns.cu", OF_COLUMNS},
};

/* Small blocks, so that few threads make many blocks; a fault names those that show it by their
 * letters. Capitals are of columns. */
/* clang-format off */
static const struct variant {
    char letter;
    enum op op;
    enum type type;
    const char *params;
    const char *launches[2];
} variants[] = {
    {'r', SUM, F32, "EDGES=MASKED BLOCK=64 LANES=8 VECTOR=4 ROUNDS=2 UNROLL=2", {"GRID=0", "GRID=2"}},
    {'1', SUM, I32, "EDGES=MASKED BLOCK=64 LANES=1 VECTOR=1 ROUNDS=2 UNROLL=4", {"GRID=0", "GRID=2"}},
    {'w', MIN, F32, "EDGES=MASKED BLOCK=64 LANES=32 VECTOR=4 ROUNDS=1 UNROLL=2", {"GRID=0", "GRID=2"}},
    {'b', SUM, I32, "EDGES=MASKED BLOCK=128 LANES=128 VECTOR=4 ROUNDS=2 UNROLL=1", {"GRID=0", "GRID=2"}},
    {'h', MAX, BF16, "EDGES=MASKED BLOCK=128 LANES=64 VECTOR=8 ROUNDS=2 UNROLL=2", {"GRID=0", "GRID=2"}},
    {'p', SUM, F64, "EDGES=MASKED BLOCK=64 LANES=64 VECTOR=2 ROUNDS=2 UNROLL=1 SPLIT=PARTS",
     {"PIECES=1", "PIECES=4"}},
    {'q', XOR, U8, "EDGES=MASKED BLOCK=64 LANES=32 VECTOR=16 ROUNDS=1 UNROLL=1 SPLIT=PARTS",
     {"PIECES=1", "PIECES=4"}},
    {'l', SUM, F32, "EDGES=MASKED BLOCK=64 LANES=64 VECTOR=4 ROUNDS=1 UNROLL=1 SPLIT=LAST_BLOCK",
     {"PIECES=1", "PIECES=16"}},
    {'a', AND, I16, "EDGES=MASKED BLOCK=64 LANES=4 VECTOR=8 ROUNDS=2 UNROLL=2", {"GRID=0", "GRID=2"}},
    {'m', PROD, F32, "EDGES=MASKED BLOCK=64 LANES=2 VECTOR=2 ROUNDS=4 UNROLL=1", {"GRID=0", "GRID=2"}},
    {'e', SUM, F32, "EDGES=SIMPLE BLOCK=64 LANES=8 VECTOR=4 ROUNDS=2 UNROLL=2", {"GRID=0", "GRID=2"}},
    {'f', MAX, I8, "EDGES=SIMPLE BLOCK=128 LANES=64 VECTOR=16 ROUNDS=1 UNROLL=1", {"GRID=0", "GRID=2"}},
    {'s', SUM, I32, "EDGES=SIMPLE BLOCK=64 LANES=1 VECTOR=4 ROUNDS=4 UNROLL=1", {"GRID=0", "GRID=2"}},
    {'C', SUM, F32, "BLOCK=64 LANES=8 VECTOR=4 UNROLL=2", {"", ""}},
    {'D', MAX, I32, "BLOCK=128 LANES=128 VECTOR=1 UNROLL=4", {"", ""}},
    {'P', SUM, F16, "BLOCK=64 LANES=16 VECTOR=8 UNROLL=1 SPLIT=PARTS", {"PIECES=1", "PIECES=8"}},
    {'L', SUM, I32, "BLOCK=64 LANES=8 VECTOR=4 UNROLL=2 SPLIT=LAST_BLOCK",
     {"PIECES=1", "PIECES=8"}},
    {'W', SUM, F32, "BLOCK=64 LANES=64 VECTOR=2 UNROLL=2 SPLIT=LAST_BLOCK",
     {"PIECES=1", "PIECES=8"}},
    {'M', SUM, F32, "EDGES=MASKED BLOCK=64 LANES=8 VECTOR=4 UNROLL=2", {"", ""}},
    {'N', MAX, BF16, "EDGES=MASKED BLOCK=64 LANES=4 VECTOR=8 UNROLL=4 SPLIT=LAST_BLOCK",
     {"PIECES=1", "PIECES=8"}},
    {'O', OR, U32, "BLOCK=64 LANES=4 VECTOR=2 UNROLL=4 SPLIT=PARTS", {"PIECES=1", "PIECES=8"}},
};
/* clang-format on */
enum { VARIANTS = sizeof variants / sizeof *variants };

static const struct fault {
    const char *legend, *from, *to;
} faults[] = {
    /* A row's bounds. */
    {"r", "unsigned left = result < results ? len : 0",
     "unsigned left = result < results ? len - 1 : 0"},
    {"1", "unsigned left = result < results ? len : 0",
     "unsigned left = result < results ? len + 1 : 0"},
    {"r", "lane == 0 && result < results", "lane == 0"},
    {"h", "t == 0 && r < count", "t == 0"},
    {"b", "warps_reduce(y + first, results - first, a)",
     "warps_reduce(y + first, results - first - (count > 8 && count % 2), a)"},
    {"ra", "even ? 0 : (start + begin) % VECTOR", "even ? 0 : start % VECTOR"},
    {"ra", "even ? 0 : (start + begin) % VECTOR", "0"},
    {"rw", "first + j >= from->skip", "first + j > from->skip"},
    {"rw", "first + j >= from->skip && first", "first"},
    {"rw", "&& first + j < from->end)", "&& first + j + 1 < from->end)"},
    {"rw", "&& first + j < from->end)", ")"},
    {"rw", "first >= from->skip && first + VECTOR", "first + VECTOR"},
    {"rw", "&& first + VECTOR <= from->end", ""},
    {"rw", "(start | len | pitch)", "(start | len)"},
    {"rw", "(start | len | pitch)", "(len | pitch)"},
    {"rw", "(start | len | pitch)", "(start | pitch)"},
    {"r1", "begin = result * pitch", "begin = result * len"},

    {"ef", "i < from[u].end; i += LANES", "i + 1 < from[u].end; i += LANES"},
    {"ef", "i = lane; i < from[u].end", "i = lane + 1; i < from[u].end"},
    {"e", "const bool even = (start | len | pitch)", "const bool even = (start | len)"},

    /* Rows of a step. */
    {"s", "even && len <= STEP", "len <= STEP"},
    {"s", "even && len <= STEP", "even && len <= STEP + VECTOR"},
    {"s", "row < count; row +=", "row + 1 < count; row +="},
    {"s", "row < count; row +=", "row <= count; row +="},
    {"s", "row += (unsigned long long)gridDim.x * BLOCK", "row += count"},
    {"s", "(x + row * pitch), loads", "(x + row * len), loads"},
    {"s", "loads * VECTOR, loads}", "loads * VECTOR, loads - 1}"},
    {"s", "y[row] = a;", "y[row] += a;"},

    /* The walk over rows and loads. */
    {"1", "i += LANES * ROUNDS", "i += LANES"},
    {"1", "i += LANES * ROUNDS", "i += 2 * LANES * ROUNDS"},
    {"r", "while (i < most)", "while (i < most && i <= LANES * 2)"},
    {"1", "i < most; i +=", "i < most && i <= LANES * 2; i +="},
    {"r", "a[u] = fold_in(a[u], got[u][r]", "a[u] = fold_in(a[u], got[0][r]"},
    {"r", "fetch(&from[u], i + r * LANES", "fetch(&from[u], i"},
    {"1e", "a[u] = fold(a[u], got[u][r])", "a[u] = fold(a[u], got[0][r])"},
    {"1e", "load(from[u].at + i + r * LANES)", "load(from[u].at + i)"},
    {"r1", "most = from[u].loads > most", "most = from[u].loads < most"},
    {"r1", "const unsigned long long result = first + u * GROUPS + group;\n            a[u]",
     "const unsigned long long result = first + group;\n            a[u]"},
    {"r1", "first += (unsigned long long)gridDim.x",
     "first += 1 + (unsigned long long)gridDim.x"},
    {"rw", "int d = lanes / 2;", "int d = lanes / 4;"},

    /* A row that warps share. */
    {"h", "at = r % GROUPS * (LANES / 32) + t", "at = t"},
    {"b", "t < LANES / 32 ?", "t + 1 < LANES / 32 ?"},
    {"h", "shared[r / GROUPS][at]", "shared[0][at]"},

    /* A row in parts. */
    {"pq", "low = part > 0 ? part * share - lead : 0",
     "low = part > 0 ? part * STEP - lead : 0"},
    {"pq", "low = part > 0 ? part * share - lead : 0", "low = part * share - lead"},
    {"pq", "low = part > 0 ? part * share - lead : 0", "low = part * share"},
    {"pq", "high = (part + 1) * share - lead", "high = (part + 1) * share"},
    {"q", "(len + VECTOR - 1) / parts", "len / parts"},
    {"pq", "(high < len ? high : len) - low", "len - low"},
    {"p", "&& low < len", ""},
    {"pq", "row = result / parts", "row = result"},
    {"pq", "begin = row * pitch + low", "begin = row * pitch"},
    {"l", "before == parts - 1", "before == parts"},
    {"l", "before == parts - 1", "before == parts - 2"},
    {"l", "state + first / parts", "state"},
    {"l", "i < parts; i += BLOCK", "i + 1 < parts; i += BLOCK"},
    {"l", "left = partials + first / parts * parts", "left = partials"},
    {"l", "warps_reduce(y + first / parts", "warps_reduce(y + first"},

    /* Columns. */
    {"C", "own && row < to; row += DOWN * UNROLL", "own && row < to; row += DOWN"},
    {"CD", "if (row + u * DOWN < to)\n                for", "for"},
    {"C", "row = from + down; own", "row = from; own"},
    {"C", "x + (from + down) * pitch + column", "x + from * pitch + column"},
    {"C", "d < DOWN; d++)\n            b = combine(b, shared[d][c]);",
     "d + 1 < DOWN; d++)\n            b = combine(b, shared[d][c]);"},
    {"C", "c < COLUMNS && first + c < len; c += BLOCK", "c < COLUMNS; c += BLOCK"},
    {"C", "c < COLUMNS && first + c < len; c += BLOCK",
     "c + 1 < COLUMNS && first + c < len; c += BLOCK"},
    {"C", "accum b = shared[0][c];", "accum b = shared[0][c / VECTOR];"},
    {"C", "shared[down][lane * VECTOR + j] = a[j]", "shared[down][lane * VECTOR] = a[j]"},
    {"C", "out[first + c] = b;", "out[c] = b;"},
    {"C", "at = x + (from + down) * pitch", "at = x + (from + down) * len"},
    {"CD", "u++, at += DOWN * pitch)\n            if (row + u * DOWN < to)",
     "u++, at += DOWN * len)\n            if (row + u * DOWN < to)"},
    {"C", "(unsigned long long)x / ELEM_BYTES | len | pitch", "len | pitch"},
    {"C", "(unsigned long long)x / ELEM_BYTES | len | pitch",
     "(unsigned long long)x / ELEM_BYTES | len"},
    {"C", "(unsigned long long)tile * COLUMNS", "(unsigned long long)tile * LANES"},
    {"P", "from + share < (unsigned)count ? from + share : (unsigned)count", "(unsigned)count"},
    {"PO", "from = part * share <", "from = part * share + 1 <"},
    {"PO", "((unsigned)count + (unsigned)parts - 1) / (unsigned)parts",
     "(unsigned)count / (unsigned)parts"},
    {"PO", "y + part * len", "y + part"},

    /* Columns that masked loads bring. What lies outside the matrix is never combined: that it is not
     * loaded either, compute-sanitizer sees. */
    {"N", "ELEM_BYTES) + from * (unsigned)pitch) % VECTOR", "ELEM_BYTES)) % VECTOR"},
    {"MN", "((unsigned)((unsigned long long)x / ELEM_BYTES) + from", "(from"},
    {"MN", "skip = (start + down * (unsigned)pitch) % VECTOR", "skip = start"},
    {"MN", "(long long)(first + lane * VECTOR) - skip", "(long long)(first + lane * VECTOR)"},
    {"MN", "lane * VECTOR >= COLUMNS + skip", "lane * VECTOR + VECTOR >= COLUMNS + skip"},
    {"MN", "column >= (long long)len)", "column + 1 >= (long long)len)"},
    {"MN", "column + j < (long long)len", "column + j + 1 < (long long)len"},
    {"M", "map(row[column + j])", "map(row[j])"},
    {"MN", "row * pitch) + column < 0; row += DOWN",
     "row * pitch) + column < 0; row += 2 * DOWN"},
    {"MN", "(end - 1 - row) % DOWN == 0", "(end - row) % DOWN == 0"},
    {"M", "row < end; row += DOWN * UNROLL", "row < end; row += DOWN"},
    {"MN", "row < end; row += DOWN * UNROLL", "row + 1 < end; row += DOWN * UNROLL"},
    {"M", "if (row + u * DOWN < end)\n                for", "for"},
    {"MN", "x + ((long long)(row * pitch) + column)", "x + ((long long)(row * len) + column)"},
    {"M", "x + ((long long)(row * pitch) + column)",
     "x + ((long long)(row * pitch) + column - 1)"},
    {"M", "u++, at += DOWN * pitch)\n            if (row + u * DOWN < end)",
     "u++, at += DOWN * len)\n            if (row + u * DOWN < end)"},
    {"MN", "(start + d * (unsigned)pitch) % VECTOR", "start"},
    {"MN", "shared[0][c + start]", "shared[0][c]"},
    {"MN", "shared[d][c + (start", "shared[d][(start"},
    {"MN", "d < DOWN; d++)\n            b = combine(b, shared[d][c + (start",
     "d + 1 < DOWN; d++)\n            b = combine(b, shared[d][c + (start"},

    /* Columns whose parts the last block combines. */
    {"LWN", "partials + part * len", "partials"},
    {"LWN", "before != parts - 1", "before != parts"},
    {"LWN", "before != parts - 1", "before != parts - 2"},
    {"LWN", "state + tile", "state"},
    {"LN", "i = group; i < parts", "i = group; i + 1 < parts"},
    {"LN", "i = group; i < parts", "i = group + 1; i < parts"},
    {"LN", "i < parts; i += BLOCK / WIDTH", "i < parts; i += 2 * (BLOCK / WIDTH)"},
    {"LN", "group == 0 && c < COLUMNS && first + c < len", "group == 0 && c < COLUMNS"},
    {"LN", "g < BLOCK / WIDTH", "g + 1 < BLOCK / WIDTH"},
    {"W", "accum b = partials[first + c]", "accum b = partials[c]"},
    {"W", "i = 1; i < parts", "i = 2; i < parts"},
    {"LN", "y[first + c] = b", "y[c] = b"},
    {"W", "y[first + c] = b;\n    }\n    //? end\n    //? end",
     "y[c] = b;\n    }\n    //? end\n    //? end"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* --- One process a fault ------------------------------------------------------------------ */

struct fixture {
    struct space *spaces[SPACES];
    struct emit_sources sources[SPACES];
    struct target target;
};

static size_t space_of(const struct variant *variant)
{
    return variant->letter >= 'A' && variant->letter <= 'Z';
}

static const struct variant *find_variant(char letter)
{
    for (size_t i = 0; i < VARIANTS; i++)
        if (variants[i].letter == letter)
            return &variants[i];
    fail_msg("no variant '%c'", letter);
    return NULL;
}

static enum outcome check_letter(const void *all, const struct emit_sources *sources,
                                 char letter, uint64_t seed, char *note)
{
    const struct fixture *fixture = all;
    const struct variant *variant = find_variant(letter);
    struct problem problem = {.op = variant->op,
                              .type = variant->type,
                              .acc = problem_default_acc(variant->type),
                              .dims = DIMS_VALUE(0),
                              .regime = COLD};
    struct space *space = fixture->spaces[space_of(variant)];
    const struct point_context context = {space, &problem, &fixture->target};
    char params[200];
    int64_t rows[GRIDS * SPACE_NAMES_MAX];
    problem.dims = matrix_dims((struct matrix){2, 2, 2, files[space_of(variant)].axis});
    problem.dims = dims_resized(&problem.dims, 1000, 100, 0);
    for (size_t i = 0; i < GRIDS; i++) {
        snprintf(params, sizeof params, "LOAD=PLAIN MIN_BLOCKS=1 %s %s", variant->params,
                 variant->launches[i]);
        make_row(space, params, rows + i * space->param_count);
    }
    return check_rows_of(&context, sources, rows, seed, note);
}

/* --- Tests -------------------------------------------------------------------------------- */

static void test_right_as_it_is(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < VARIANTS; i++) {
        const char legend[] = {variants[i].letter, '\0'};
        char note[NOTE_CHARS];
        const int status =
            run_child(check_letter, fixture, &fixture->sources[space_of(&variants[i])], legend,
                      choose_seeds(2), note);
        if (!is_right(status))
            fail_msg("%s: %s", variants[i].params, note);
    }
}

static void test_faults(void **state)
{
    const struct fixture *fixture = *state;
    size_t missed = 0;
    for (size_t i = 0; i < FAULTS; i++) {
        const struct fault *fault = &faults[i];
        struct emit_sources sources = fixture->sources[space_of(find_variant(*fault->legend))];
        missed += !is_caught(check_letter, fixture, &sources, &sources.template.text,
                             fault->from, fault->to, fault->legend);
    }
    assert_int_equal(missed, 0);
}

static void test_without_a_barrier(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const rows[] = {"bhl", "bh", "l"}, *const columns[] = {"CMLN", "LWN",
                                                                              "LWN", "LN"};
    assert_int_equal(count_barriers(check_letter, fixture, &fixture->sources[0], rows, 3), 3);
    assert_int_equal(count_barriers(check_letter, fixture, &fixture->sources[1], columns, 4),
                     4);
}

/* --- The cases ---------------------------------------------------------------------------- */

static int64_t add_up(const struct problem *problem, const int32_t *elements, uint64_t result)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < problem->dims.depth.n; i++)
        sum += (uint32_t)elements[dims_at(&problem->dims, result, i)];
    return sum;
}

static void test_cases_expect_sums(void **state)
{
    (void)state;
    const struct oracle_shape shape = {.block = 64,
                                       .tile = 96,
                                       .positions_max = 64,
                                       .at_once = 8};
    for (int axis = OF_COLUMNS; axis <= OF_ROWS; axis++) {
        struct problem problem = {.op = SUM, .type = I32, .acc = I32};
        struct oracle_cases cases;
        struct error error;
        uint64_t gaps = 0, results = 0;
        problem.dims = matrix_dims((struct matrix){2, 2, 2, axis});
        assert_int_equal(oracle_make_cases(&cases, &problem, &shape, 3, &error), 0);
        for (size_t i = 0; i < cases.count; i++) {
            const struct oracle_case *c = &cases.cases[i];
            problem.dims = c->dims;
            gaps += dims_extent(&c->dims) > dims_n(&c->dims);
            for (uint64_t r = 0; r < dims_results(&c->dims); r++, results++)
                assert_int_equal(cases.expects[c->first + r],
                                 add_up(&problem, (const int32_t *)cases.elements + c->offset,
                                        r));
        }
        assert_true(gaps > 10 && results > 300);
        oracle_dispose_cases(&cases);
    }
}

/* Of rows, columns, a middle axis and a value, all with gaps: filled and folded in pieces as at once,
 * loud in the gaps, and the results are those of a plain loop. */
static void test_any_share_gives_the_same(void **state)
{
    (void)state;
    enum { EXTENT = 10000, RESULTS = 200, PIECE = 3001 };
    static const struct dims all[] = {
        {{70, 133}, {130, 1}, {1, 1}, DIMS_ALL},
        {{1, 1}, {70, 133}, {130, 1}, DIMS_ALL},
        {{6, 1500}, {70, 20}, {13, 1}, DIMS_ALL},
        {{1, 1}, {3000, 3}, {1, 1}, DIMS_ALL},
    };
    for (size_t d = 0; d < sizeof all / sizeof *all; d++) {
        struct oracle_input input =
            {.problem = {.op = MAX, .type = F32, .acc = F32, .dims = all[d]}, .seed = 5};
        static float whole[EXTENT], pieces[EXTENT];
        float expects[RESULTS], expected[RESULTS], loud, most = -HUGE_VALF;
        double largest = 0;
        struct error error;
        const struct problem *problem = &input.problem;
        const uint64_t results = dims_results(&all[d]), half = results / 2;
        const uint64_t extent = dims_extent(&all[d]);
        size_t gaps = 0;
        oracle_fill(&input, 0, extent, whole);
        for (uint64_t done = 0, take; done < extent; done += take) {
            take = extent - done < PIECE ? extent - done : PIECE;
            oracle_fill(&input, done, take, pieces + done);
        }
        assert_memory_equal(whole, pieces, extent * sizeof *whole);
        assert_int_equal(oracle_fold_results(problem, 0, results, whole, expects, &largest,
                                             &error),
                         0);
        assert_int_equal(oracle_fold_results(problem, half, results - half, whole,
                                             expected + half, &largest, &error),
                         0);
        assert_int_equal(oracle_fold_results(problem, 0, half, whole, expected, &largest,
                                             &error),
                         0);
        assert_memory_equal(expects, expected, results * sizeof *expects);
        for (uint64_t r = 0; r < results; r++) {
            float greatest = -HUGE_VALF;
            for (uint64_t i = 0; i < all[d].depth.n; i++)
                greatest = fmaxf(greatest, whole[dims_at(&all[d], r, i)]);
            assert_memory_equal(&greatest, &expects[r], sizeof greatest);
            most = fmaxf(most, greatest);
        }
        oracle_guard(problem, &loud);
        for (uint64_t i = 0; i < extent; i++)
            gaps += memcmp(&whole[i], &loud, sizeof loud) == 0;
        assert_int_equal(gaps, extent - dims_n(&all[d]));
        assert_true(loud > most);
    }
}

/* --- Shapes ------------------------------------------------------------------------------- */

static void test_shapes(void **state)
{
    (void)state;
    struct problem problem = {.op = SUM, .type = F32, .acc = F32};
    char text[DIMS_TEXT_CHARS];
    problem.dims = dims_value(400000000);
    assert_string_equal(dims_text_format(text, &problem.dims), "400M");
    problem.dims = matrix_dims((struct matrix){6, 4, 0, OF_ROWS});
    assert_int_equal(dims_n(&problem.dims), 24);
    assert_int_equal(problem.dims.outer.stride, 4);
    assert_int_equal(dims_results(&problem.dims), 6);
    assert_int_equal(dims_at(&problem.dims, 5, 3), 23);
    assert_string_equal(dims_text_format(text, &problem.dims), "6 x 4 rows");
    assert_true(problem_bytes(&problem) == 24 * 4 + 6 * 4);
    problem.dims = matrix_dims((struct matrix){6, 4, 7, OF_COLUMNS});
    assert_int_equal(dims_results(&problem.dims), 4);
    assert_int_equal(problem.dims.depth.n, 6);
    assert_int_equal(dims_extent(&problem.dims), 39);
    assert_int_equal(dims_at(&problem.dims, 3, 5), 38);
    assert_string_equal(dims_text_format(text, &problem.dims), "6 x 4 columns pitch 7");
    problem.dims = dims_left(&problem.dims,
                             8 / dims_results(&problem.dims)); /* two parts of each column */
    assert_int_equal(problem.dims.depth.n, 2);
    assert_int_equal(problem.dims.depth.stride, 4);
}

static void test_shapes_out_of_range(void **state)
{
    (void)state;
    static const struct {
        struct matrix shape;
        const char *why;
    } refused[] = {
        {{0, 4, 0, OF_ROWS}, "one row"},
        {{4, 0, 0, OF_ROWS}, "one row"},
        {{4, 5, 4, OF_ROWS}, "--pitch is 4"},
        {{UINT64_C(1) << 32, UINT64_C(1) << 31, UINT64_C(1) << 32, OF_ROWS}, "any memory"},
        {{UINT64_C(1) << 41, 1 << 20, 0, OF_ROWS}, "any memory"},
        {{UINT64_MAX, UINT64_MAX, 0, OF_ROWS}, "any memory"},
        {{2, (UINT64_C(1) << 31) + 1, 0, OF_ROWS}, "2^31"},
        {{(UINT64_C(1) << 31) + 1, 2, 0, OF_COLUMNS}, "2^31"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct problem problem = {.op = SUM, .type = F32, .acc = F32, .dims = DIMS_VALUE(7)};
        struct error error;
        assert_int_equal(dims_text_read(&problem.dims, &refused[i].shape, 4, &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, refused[i].why));
    }
}

/* What is said of dims, and dims that no option gives. */
static void test_words(void **state)
{
    (void)state;
    static const struct dims middle = {{4, 700}, {100, 7}, {7, 1}, DIMS_ALL};
    static const struct dims strided = {{4, 900}, {100, 9}, {7, 1}, DIMS_ALL};
    const struct dims value = dims_value(400000000);
    const struct dims rows = matrix_dims((struct matrix){5, 7, 8, OF_ROWS});
    const struct dims columns = matrix_dims((struct matrix){5, 7, 8, OF_COLUMNS});
    char text[DIMS_TEXT_CHARS], number[NUMBER_CHARS];
    assert_string_equal(dims_text_options(text, &value), "--n 400000000");
    assert_string_equal(dims_text_options(text, &rows), "--rows 5 --len 7 --pitch 8 --axis 1");
    assert_string_equal(dims_text_options(text, &columns),
                        "--rows 5 --len 7 --pitch 8 --axis 0");
    assert_string_equal(dims_text_file_part(text, &rows), "rows-5x7-8-35");
    assert_string_equal(dims_text_identifier(text, &rows), "5x7_pitch8");
    assert_string_equal(dims_text_format_named(text, &value), "n = 400M");
    assert_string_equal(dims_text_format(text, &middle), "4 x 100 x 7 middle axis");
    assert_string_equal(dims_text_format(text, &strided),
                        "4 x 100 x 7 middle axis strides 900 9 1");
    assert_string_equal(dims_text_cell(number, &columns, 0), "columns");
    assert_string_equal(dims_text_cell(number, &columns, 3), "8");
    assert_null(dims_text_cell(number, &value, 3));
    assert_ptr_equal(dims_text_find_name("rows"), dims_text_name(&rows));
    assert_null(dims_text_find_name("value"));
}

static int setup(void **state)
{
    static struct fixture fixture;
    const struct device_options options = {.spec = "host"};
    struct device *device;
    struct error error;
    if (host_open(&device, &options, &error) != 0)
        return -1;
    fixture.target = device->info.target;
    device_close(device);
    for (size_t i = 0; i < SPACES; i++) {
        fixture.spaces[i] = load_space(files[i].space);
        fixture.sources[i] = load_sources();
        fixture.sources[i].template =
            (struct emit_file){files[i].template, find_file(files[i].template)->bytes};
    }
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    for (size_t i = 0; i < SPACES; i++)
        space_free(((struct fixture *)*state)->spaces[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_shapes_out_of_range),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_cases_expect_sums),
        cmocka_unit_test(test_any_share_gives_the_same),
        cmocka_unit_test(test_right_as_it_is),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_without_a_barrier),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
