/* oracle_ordered: makes the cases of order n: random floats, denormals, zeros of both signs and
 * infinities among them, whose results are those of the plain C reference, bit for bit: also of so
 * many tiles that each way of joining them shows. Hides the distribution. */
#include "autotune/verify/oracle_layout.h"

#include "autotune/verify/element.h"
#include "include/autotune_reference.h"

#include <math.h>

/* Where the powers of two of the elements lie: around one; so near the accumulator's least that
 * sums, squares and products come out as denormals; far apart, with zeros; with infinities. And
 * zeros alone, all below 0. */
enum scale { AROUND_ONE, TINIES, FAR_APART, INFINITIES, SCALES, ZEROS };

enum {
    GAP = 64,
    TURNS = 7,
    MANY_LEAVES = 200 * AUTOTUNE_LEAF + 7, /* several rounds of what a block gathers */
};

/* What the powers of a scale depend on, for the types of a problem. */
struct drawing {
    enum scale scale;
    bool is_product;
    int first, step; /* the powers of two are first + step * (-8 .. 7) */
    double tiny;     /* a product's, now and then */
};

static struct drawing plan_drawing(const struct problem *problem, enum scale scale)
{
    const int own = ilogb(element_range(problem->type).small);
    const int of_acc = ilogb(element_range(problem->acc).small);
    const int wanted = problem_map(problem) == MAP_SQUARE ? of_acc / 2 : of_acc + 2;
    const int least = wanted > own ? wanted : own + 2;
    const int far = ilogb(element_range(problem->type).largest) < 30 ? 2 : 3;
    return (struct drawing){.scale = scale,
                            .is_product = problem_combine(problem) == COMBINE_MULTIPLY,
                            .first = scale == TINIES ? least : 0,
                            .step = scale == FAR_APART ? far : 1,
                            .tiny = ldexp(1, of_acc / 3 > own ? of_acc / 3 : own)};
}

static double draw(const struct drawing *drawing, uint64_t word)
{
    const double unit = (double)(word >> 11) * 0x1p-53, sign = word & 1 ? -1.0 : 1.0;
    const int power = (int)(word >> 1 & 15) - 8;
    const bool is_seldom = (word >> 1 & 127) == 0;
    if (drawing->scale == ZEROS)
        return -0.0;
    if (is_seldom && drawing->scale == INFINITIES)
        return HUGE_VAL;
    if (drawing->is_product)
        return sign *
               (is_seldom && drawing->scale == TINIES ? drawing->tiny : exp2(2 * unit - 1));
    if (is_seldom && drawing->scale == FAR_APART)
        return sign * 0.0;
    return sign * ldexp(1 + unit, drawing->first + drawing->step * power);
}

/* Adds an array of these dims, `start` elements past alignment, between loud elements. */
static int add_array(struct layout *layout, const struct dims *dims, uint64_t start,
                     enum scale scale)
{
    const struct problem *problem = &layout->problem;
    const uint64_t extent = dims_extent(dims), results = dims_results(dims);
    const struct drawing drawing = plan_drawing(problem, scale);
    uint64_t first, state = layout->out->count;
    if (layout_add_elements(layout, GAP + start + extent + GAP, &first))
        return -1;
    const uint64_t offset = first + GAP + start;
    for (uint64_t i = 0; i < extent; i++)
        element_store(problem->type, draw(&drawing, layout_random(&state)),
                      layout_element(layout, offset), i);
    oracle_bits *expects = layout_add_case(layout, offset, dims);
    if (!expects)
        return -1;
    for (uint64_t r = 0; r < results; r++) {
        const uint64_t at =
            r / dims->inner.n * dims->outer.stride + r % dims->inner.n * dims->inner.stride;
        expects[r] = 0;
        autotune_reference(&expects[r], problem->op->name, problem_types[problem->type].name,
                           problem_types[problem->acc].name,
                           layout_element(layout, offset + at), dims->depth.n,
                           dims->depth.stride);
    }
    return 0;
}

/* Each depth at each start; numbers of results, gaps and scales take turns. */
int oracle_add_ordered(struct layout *layout)
{
    const uint64_t tile = layout->shape.tile, at_once = layout->shape.at_once;
    const uint64_t depths[] = {1,
                               2,
                               3,
                               4,
                               5,
                               14,
                               31,
                               60,
                               127,
                               128,
                               129,
                               1000,
                               1023,
                               1024,
                               1025,
                               1153,
                               3071,
                               5120,
                               2 * tile + 1,
                               16384,
                               6 * tile + 1030,
                               11 * tile + 7,
                               MANY_LEAVES};
    const bool is_run = oracle_is_run(&layout->problem.dims);
    unsigned turn = 0;
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
        for (uint64_t start = 0; start < layout->starts; start++, turn++) {
            const bool is_long = depths[d] >= (is_run ? 16384 : 1024);
            const uint64_t results = is_run             ? 1 + turn % 2
                                     : depths[d] > 2048 ? 3 + turn % 2
                                     : depths[d] > 200  ? 1 + turn % 5
                                                        : at_once + turn % TURNS;
            const struct dims dims = oracle_resize(&layout->problem.dims, results, depths[d],
                                                   turn % 3 ? turn % TURNS : 0);
            const bool is_many = depths[d] == MANY_LEAVES;
            const bool is_tiled =
                depths[d] > 6 * tile; /* two tiles exchanged may round alike */
            const uint64_t starts = is_tiled ? 3 : is_many && is_run ? 2 : 1;
            if ((is_many && tile > UINT64_C(2) * AUTOTUNE_LEAF) ||
                (is_long && (start + d) % layout->starts >= starts))
                continue;
            const uint64_t at = start + turn % LAYOUT_LINE * layout->starts;
            for (enum scale scale = AROUND_ONE; scale < SCALES; scale++)
                if ((is_long ? scale != INFINITIES : scale == turn % SCALES) &&
                    add_array(layout, &dims, at, scale))
                    return -1;
        }
    /* Nothing is absent of a whole tile: only there the identity's own sign shows. */
    const struct dims whole = oracle_resize(&layout->problem.dims, 1, tile, 0);
    return add_array(layout, &whole, 0, ZEROS);
}
