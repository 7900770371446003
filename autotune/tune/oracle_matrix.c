/* oracle_matrix: fills, marks and folds matrices. Columns are gathered a strip at a time, so that
 * each line of memory is read once. Hides where the deciding elements stand. */
#include "autotune/tune/oracle_matrix.h"

#include "autotune/tune/oracle_layout.h"
#include "autotune/tune/oracle_ops.h"
#include "generator/shape.h"

#include <stdlib.h>
#include <string.h>

enum {
    STRIP = 64,       /* columns gathered together */
    STRIP_ROWS = 512, /* rows of a strip at a time */
    ELEMENT_MAX = 8,  /* bytes */
};

static size_t element_bytes(const struct problem *problem)
{
    return (size_t)problem_types[problem->type].bytes;
}

static enum oracle_deciding deciding_of(const struct problem *problem)
{
    return oracle_kind(problem)->values->deciding;
}

/* --- Filling ------------------------------------------------------------------------------ */

/* How large elements may be is a matter of those of one result. */
static struct oracle_input describe(const struct oracle_input *input)
{
    struct oracle_input plain = *input;
    plain.problem.dims = dims_value(input->problem.dims.depth.n);
    plain.mark = ORACLE_NO_MARK;
    plain.period = 0;
    return plain;
}

void matrix_fill(const struct oracle_input *input, uint64_t first, uint64_t count,
                 void *elements)
{
    const struct problem_shape made = shape_of(&input->problem.dims), *shape = &made;
    const struct oracle_input plain = describe(input);
    const size_t bytes = element_bytes(&input->problem);
    const bool is_last = first + count == shape->rows;
    const uint64_t from = first * shape->pitch;
    unsigned char *at = (unsigned char *)elements + from * bytes;
    unsigned char guard[16];
    if (count == 0)
        return;
    oracle_fill_plain(&plain, from, count * shape->pitch - (is_last ? shape->pitch - shape->len : 0),
                      at);
    oracle_guard(&input->problem, guard);
    for (uint64_t row = 0; row < count - is_last; row++)
        for (uint64_t i = shape->len; i < shape->pitch; i++)
            memcpy(at + (row * shape->pitch + i) * bytes, guard, bytes);
}

/* --- Deciding ----------------------------------------------------------------------------- */

static uint64_t result_hash(const struct oracle_input *input, uint64_t result)
{
    return oracle_mix(input->seed ^ oracle_mix(result));
}

/* Of this result's bits about half, each at a place of its own; bit 0 is left to the guards. */
static void put_bits(const struct oracle_input *input, uint64_t result, void *elements)
{
    const struct problem *problem = &input->problem;
    const unsigned bits = 8 * (unsigned)element_bytes(problem);
    const uint64_t depth = problem->dims.depth.n, step = depth / bits + 1;
    const uint64_t chosen = result_hash(input, result);
    for (unsigned bit = 1; bit < bits; bit++) {
        const uint64_t place = (input->mark + result + bit * step) % depth;
        const uint64_t at = dims_at(&problem->dims, result, place), mask = UINT64_C(1) << bit;
        const uint64_t word = element_load_word(problem->type, elements, at);
        if (chosen & mask)
            element_store_word(problem->type,
                               (word & ~mask) | (mask & ~oracle_ops[problem->op].identity),
                               elements, at);
    }
}

/* Three results in four have a mark, of one of many depths; the others what the hash gives. */
static void put_decider(const struct oracle_input *input, uint64_t result, void *elements)
{
    const struct problem *problem = &input->problem;
    const uint64_t hash = result_hash(input, result);
    const uint64_t at =
        dims_at(&problem->dims, result, (input->mark + result) % problem->dims.depth.n);
    if (hash % 4 == 0)
        return;
    if (deciding_of(problem) == DECIDING_SIGNS) {
        element_store(problem->type, 2 * element_load(problem->type, elements, at), elements, at);
        return;
    }
    struct oracle_input varied = *input;
    varied.seed += 2 * (hash >> 8 & 0xff); /* odd seeds are on the other side of zero */
    oracle_element(&varied, 0, true, (unsigned char *)elements + at * element_bytes(problem));
}

static void put_deciding(const struct oracle_input *input, uint64_t first, uint64_t count,
                         void *elements)
{
    if (deciding_of(&input->problem) == DECIDING_BITS)
        for (uint64_t i = 0; i < count; i++)
            put_bits(input, first + i, elements);
    else if (deciding_of(&input->problem) != DECIDING_ALL)
        for (uint64_t i = 0; i < count; i++)
            put_decider(input, first + i, elements);
}

/* --- Folding ------------------------------------------------------------------------------ */

static int finish(const struct oracle_fold *fold, unsigned char *out, double *largest,
                  struct error *error)
{
    oracle_bits bits;
    if (oracle_fold_finish(fold, &bits, error))
        return -1;
    *largest = fold->largest > *largest ? fold->largest : *largest;
    memcpy(out, &bits, (size_t)problem_types[problem_result(&fold->problem)].bytes);
    return 0;
}

static void gather(const struct problem *problem, const unsigned char *elements, uint64_t column,
                   uint64_t row, uint64_t rows, unsigned char *out)
{
    const size_t bytes = element_bytes(problem);
    const unsigned char *from = elements + dims_at(&problem->dims, column, row) * bytes;
    for (uint64_t i = 0; i < rows; i++)
        memcpy(out + i * bytes, from + i * shape_of(&problem->dims).pitch * bytes, bytes);
}

/* At most STRIP columns. */
static int fold_strip(const struct problem *problem, const void *elements, uint64_t first,
                      uint64_t count, unsigned char *out, double *largest, struct error *error)
{
    const size_t bytes = (size_t)problem_types[problem_result(problem)].bytes;
    unsigned char gathered[STRIP_ROWS * ELEMENT_MAX];
    struct oracle_fold folds[STRIP];
    for (uint64_t c = 0; c < count; c++)
        oracle_fold_init(&folds[c], problem);
    for (uint64_t row = 0; row < shape_of(&problem->dims).rows; row += STRIP_ROWS) {
        const uint64_t left = shape_of(&problem->dims).rows - row;
        const uint64_t rows = left < STRIP_ROWS ? left : STRIP_ROWS;
        for (uint64_t c = 0; c < count; c++) {
            gather(problem, elements, first + c, row, rows, gathered);
            oracle_fold_add(&folds[c], gathered, rows);
        }
    }
    for (uint64_t c = 0; c < count; c++)
        if (finish(&folds[c], out + c * bytes, largest, error))
            return -1;
    return 0;
}

static int fold_row(const struct problem *problem, const unsigned char *elements, uint64_t row,
                    unsigned char *out, double *largest, struct error *error)
{
    struct oracle_fold fold;
    oracle_fold_init(&fold, problem);
    oracle_fold_add(&fold, elements + dims_at(&problem->dims, row, 0) * element_bytes(problem),
                    shape_of(&problem->dims).len);
    return finish(&fold, out, largest, error);
}

int matrix_decide(const struct oracle_input *input, uint64_t first, uint64_t count,
                  void *elements, void *expects, double *largest, struct error *error)
{
    const struct problem *problem = &input->problem;
    const size_t bytes = (size_t)problem_types[problem_result(problem)].bytes;
    const bool is_columns = shape_kind(&problem->dims) == SHAPE_COLUMNS;
    const uint64_t step = is_columns ? STRIP : 1;
    unsigned char *out = expects;
    put_deciding(input, first, count, elements);
    for (uint64_t done = 0; done < count; done += step) {
        const uint64_t take = count - done < step ? count - done : step;
        if (is_columns ? fold_strip(problem, elements, first + done, take, out + done * bytes,
                                    largest, error)
                       : fold_row(problem, elements, first + done, out + done * bytes, largest,
                                  error))
            return -1;
    }
    return 0;
}

void matrix_fill_random(const struct oracle_input *input, void *elements)
{
    const struct problem *problem = &input->problem;
    const size_t bytes = element_bytes(problem);
    const uint64_t depth = problem->dims.depth.n;
    unsigned char drawn[STRIP_ROWS * ELEMENT_MAX];
    struct oracle_input source = *input;
    source.problem.dims = dims_value(depth);
    for (uint64_t r = 0; r < dims_results(&problem->dims); r++, source.seed += 2)
        for (uint64_t i = 0; i < depth; i += STRIP_ROWS) {
            const uint64_t count = depth - i < STRIP_ROWS ? depth - i : STRIP_ROWS;
            oracle_fill_random(&source, i, count, drawn);
            for (uint64_t k = 0; k < count; k++)
                memcpy((unsigned char *)elements + dims_at(&problem->dims, r, i + k) * bytes,
                       drawn + k * bytes, bytes);
        }
}

void matrix_reference(struct oracle_reference *out, const struct problem *problem,
                      const void *elements)
{
    unsigned char gathered[STRIP_ROWS * ELEMENT_MAX];
    const uint64_t depth = problem->dims.depth.n;
    const size_t bytes = element_bytes(problem);
    for (uint64_t r = 0; r < dims_results(&problem->dims); r++) {
        double compensation = 0;
        out[r] = (struct oracle_reference){0};
        for (uint64_t i = 0; i < depth; i += STRIP_ROWS) {
            const uint64_t take = depth - i < STRIP_ROWS ? depth - i : STRIP_ROWS;
            const void *from = (const unsigned char *)elements + dims_at(&problem->dims, r, i) * bytes;
            if (shape_kind(&problem->dims) == SHAPE_COLUMNS) {
                gather(problem, elements, r, i, take, gathered);
                from = gathered;
            }
            oracle_reference_add(&out[r], problem, from, take, &compensation);
        }
    }
}

/* --- Small cases -------------------------------------------------------------------------- */

enum {
    DEPTHS_MAX = 24,
    COUNTS = 7,
    GAPS = 5,
    CASE_ELEMENTS = 1 << 12, /* of a case, about */
    EVEN_ELEMENTS = 1 << 14, /* of one in which blocks go around */
    LONG = 20011,
};

struct making {
    struct layout layout;
    uint64_t depths[DEPTHS_MAX];
    size_t depth_count;
    uint64_t expected, capacity; /* results of the cases so far; room for them */
};

static int grow_expects(struct making *making, uint64_t more)
{
    struct oracle_cases *out = making->layout.out;
    if (making->expected + more <= making->capacity)
        return 0;
    const uint64_t capacity = 2 * (making->expected + more);
    oracle_bits *grown = realloc(out->expects, capacity * sizeof *grown);
    if (!grown)
        return error_memory(making->layout.error, capacity * sizeof *grown);
    out->expects = grown;
    making->capacity = capacity;
    return 0;
}

/* One matrix between guards, `start` elements past alignment. */
static int add_matrix(struct making *making, const struct problem *problem, uint64_t start,
                      uint64_t seed, uint64_t mark)
{
    struct layout *layout = &making->layout;
    const struct oracle_input input = {.problem = *problem, .seed = seed, .mark = mark};
    const uint64_t results = dims_results(&problem->dims);
    const size_t bytes = (size_t)problem_types[problem_result(problem)].bytes;
    double largest = 0;
    uint64_t first;
    if (grow_expects(making, results) ||
        layout_add_elements(layout, layout->guard + start + dims_extent(&problem->dims) + layout->guard,
                            &first))
        return -1;
    const uint64_t offset = first + layout->guard + start;
    unsigned char *elements = layout_element(layout, offset);
    unsigned char *packed = calloc(results, bytes);
    if (!packed)
        return error_memory(layout->error, results * bytes);
    matrix_fill(&input, 0, shape_of(&problem->dims).rows, elements);
    int failed = matrix_decide(&input, 0, results, elements, packed, &largest, layout->error) ||
                 layout_add_case(layout, offset, dims_n(&problem->dims), 0);
    if (!failed) {
        struct oracle_case *added = &layout->out->cases[layout->out->count - 1];
        added->dims = problem->dims;
        added->results = results;
        added->first = making->expected;
        for (uint64_t r = 0; r < results; r++) {
            layout->out->expects[making->expected] = 0;
            memcpy(&layout->out->expects[making->expected++], packed + r * bytes, bytes);
        }
    }
    free(packed);
    return failed ? -1 : 0;
}

static void list_depths(struct making *making)
{
    const uint64_t tile = making->layout.shape.tile;
    const uint64_t all[] = {1,  2,  3,  4,  5,        7,    8,        9,
                            15, 16, 17, 31, 32,       33,   tile - 1, tile,
                            tile + 1, 2 * tile - 1, making->layout.sweep_n, LONG};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool is_known = all[i] == 0;
        for (size_t k = 0; k < making->depth_count; k++)
            is_known = is_known || making->depths[k] == all[i];
        if (!is_known)
            making->depths[making->depth_count++] = all[i];
    }
}

/* For each depth two starts, others for the next; numbers of results, gaps between
 * rows and, where they differ, both kinds of seeds take turns. */
static int add_matrices(struct making *making, uint64_t seed)
{
    struct layout *layout = &making->layout;
    const uint64_t at_once = layout->shape.at_once;
    const uint64_t counts[COUNTS] = {
        at_once + 1, 1, 2 * at_once + 3, 3, at_once, 2, at_once / 2 + 1};
    const uint64_t gaps[GAPS] = {0, 1, 0, layout->starts, 3};
    const uint64_t step = layout->starts > 2 ? layout->starts / 2 : 1;
    const bool by_parity = deciding_of(&layout->problem) == DECIDING_SIGNS || oracle_has_mark(&layout->problem);
    size_t turn = 0;
    for (size_t d = 0; d < making->depth_count; d++)
        for (uint64_t start = d % step; start < layout->starts; start += step, turn++) {
            struct problem problem = layout->problem;
            const uint64_t depth = making->depths[d];
            const uint64_t most = depth <= 2 ? UINT64_MAX : CASE_ELEMENTS / depth + 1;
            const uint64_t count = counts[(turn + d) % COUNTS];
            if (depth == LONG && start > 1)
                continue;
            problem.dims = dims_resized(&problem.dims, count < most ? count : most, depth, gaps[turn % GAPS]);
            if (add_matrix(making, &problem, start, seed + (by_parity && turn % 3 == 0), turn * 7))
                return -1;
        }
    return 0;
}

/* Whole loads but for one of start, row and pitch, in every combination. */
static int add_uneven(struct making *making, uint64_t seed)
{
    const struct layout *layout = &making->layout;
    const uint64_t gaps[] = {0, 1, layout->starts - 1};
    for (unsigned i = 0; i < 24; i++) {
        struct problem problem = layout->problem;
        problem.dims = dims_resized(&problem.dims, layout->shape.at_once + (i & 1), layout->shape.tile + (i >> 1 & 1), gaps[i >> 3]);
        if (add_matrix(making, &problem, i >> 2 & 1, seed, i))
            return -1;
    }
    return 0;
}

/* Of rows whole loads throughout: a load, a tile, a load more than that, with gaps and without, in
 * more rows than two blocks take at once, as far as the elements of a case go. */
static int add_even(struct making *making, uint64_t seed)
{
    const struct layout *layout = &making->layout;
    const uint64_t load = layout->starts, tile = layout->shape.tile;
    const uint64_t depths[] = {load, tile, tile + load};
    for (unsigned i = 0; i < 6; i++) {
        struct problem problem = layout->problem;
        const uint64_t depth = depths[i >> 1], most = EVEN_ELEMENTS / depth + 3;
        const uint64_t count = 2 * layout->shape.at_once + 3;
        problem.dims = dims_resized(&problem.dims, count < most ? count : most, depth, (i & 1) * load);
        if (add_matrix(making, &problem, 0, seed, i))
            return -1;
    }
    return 0;
}

int matrix_make_cases(struct oracle_cases *out, const struct problem *problem,
                      const struct oracle_shape *shape, uint64_t seed, struct error *error)
{
    const size_t bytes = element_bytes(problem);
    const uint64_t sweep_n = 2 * shape->tile + (shape->tile / 8 | 1);
    struct making making = {.layout = {.out = out,
                                       .problem = *problem,
                                       .shape = *shape,
                                       .bytes = bytes,
                                       .starts = 16 / bytes,
                                       .guard = LAYOUT_ALIGN,
                                       .sweep_n = sweep_n,
                                       .error = error}};
    *out = (struct oracle_cases){0};
    list_depths(&making);
    const int failed = add_matrices(&making, 2 * seed) || add_uneven(&making, 2 * seed) ||
                       add_even(&making, 2 * seed);
    if (failed)
        oracle_dispose_cases(out);
    return failed ? -1 : 0;
}
