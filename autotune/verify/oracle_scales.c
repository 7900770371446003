/* oracle_scales: makes inputs of float sums from one end of the exponents to the other: a window of
 * exponents in each, for beside much larger elements none would show. All are small integers times
 * powers of two, so that no order of adding them rounds. Hides how wide a window may be. */
#include "autotune/verify/element.h"
#include "autotune/verify/oracle_layout.h"
#include "autotune/verify/oracle_ops.h"

#include <assert.h>
#include <math.h>

enum { GAP = 64 };

/* Elements are +-2 or +-3 times 2^power, for powers of [least, most]; `span` of them together: then
 * partial results have all their bits, and neither end of a type is left. */
struct scales {
    int least, most, span;
};

static int ceil_log2(uint64_t n)
{
    int log = 0;
    while (log < 63 && UINT64_C(1) << log < n)
        log++;
    return log;
}

static struct scales find_scales(const struct problem *problem, uint64_t n)
{
    const struct element_range own = element_range(problem->type);
    const struct element_range acc = element_range(problem->acc);
    const int bits = problem_types[problem->acc].exact_bits, count = ceil_log2(n);
    const int times =
        problem_map(problem) == MAP_SQUARE ? 2 : 1; /* a square has twice the power */
    const int span = (bits - 2 * times - 1 - count) / times;
    int least = ilogb(own.small), most = ilogb(own.largest) - 1;
    const int least_acc = (ilogb(acc.small) + times - 1) / times;
    const int most_acc = (ilogb(acc.largest) - bits) / times + span;
    least = least > least_acc ? least : least_acc;
    most = most < most_acc ? most : most_acc;
    return (struct scales){least, most, span < 1 ? 1 : span};
}

/* Adds a window with powers of [power, power + span), in turn. Those of one power never cancel: one of
 * them alone is odd. */
static int add_scaled(struct layout *layout, uint64_t n, int power, int span)
{
    assert(span > 0);
    const struct problem *problem = &layout->problem;
    const struct dims dims = oracle_resize(&problem->dims, 1, n, 0);
    const uint64_t start = layout->out->count % (LAYOUT_LINE * layout->starts);
    uint64_t first, state = layout->out->count;
    double total = 0;
    if (layout_add_elements(layout, GAP + start + n + GAP, &first))
        return -1;
    const uint64_t offset = first + GAP + start;
    oracle_bits *expects = layout_add_case(layout, offset, &dims);
    if (!expects)
        return -1;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t word = layout_random(&state);
        const double odd = i < (uint64_t)span ? 3 : 2, sign = word & 1 ? -1 : 1;
        const int above = (int)((i + layout->out->count) % (uint64_t)span);
        const double x = sign * ldexp(odd, power + above);
        const double before = total;
        element_store(problem->type, x, layout->out->elements, offset + i);
        total += problem_map(problem) == MAP_SQUARE ? x * x : x;
        if (!dims.scan && i + 1 < n)
            continue;
        oracle_bits *at = expects + (dims.scan ? i : 0);
        *at = 0;
        element_store(problem->acc, dims.scan == DIMS_EXCLUSIVE ? before : total, at, 0);
    }
    return 0;
}

int oracle_add_scales(struct layout *layout)
{
    const struct problem *problem = &layout->problem;
    const uint64_t sizes[] = {layout->shape.tile + 33, layout->shape.block + 7};
    if (!problem_types[problem->type].is_float || problem_combine(problem) != COMBINE_ADD ||
        layout_is_mapped(layout))
        return 0;
    struct scales scales = find_scales(problem, sizes[0]);
    unsigned turn = 0;
    if ((uint64_t)scales.span > sizes[1])
        scales.span = (int)sizes[1];
    for (int power = scales.least; power <= scales.most; power += scales.span, turn++) {
        const int left = scales.most - power + 1;
        if (add_scaled(layout, sizes[turn % 2], power, left < scales.span ? left : scales.span))
            return -1;
    }
    return 0;
}
