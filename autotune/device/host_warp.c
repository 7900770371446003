/* host_warp: computes shuffles by the rules of the PTX manual (shfl.sync), reductions by a
 * table. */
#include "autotune/device/host_warp.h"

#include "autotune/device/fiber.h"

typedef uint32_t combine(uint32_t a, uint32_t b);

FIBER_UNWATCHED static uint32_t add(uint32_t a, uint32_t b)
{
    return a + b;
}

FIBER_UNWATCHED static uint32_t both(uint32_t a, uint32_t b)
{
    return a & b;
}

FIBER_UNWATCHED static uint32_t either(uint32_t a, uint32_t b)
{
    return a | b;
}

FIBER_UNWATCHED static uint32_t differ(uint32_t a, uint32_t b)
{
    return a ^ b;
}

FIBER_UNWATCHED static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

FIBER_UNWATCHED static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

FIBER_UNWATCHED static uint32_t signed_least(uint32_t a, uint32_t b)
{
    return (int32_t)a < (int32_t)b ? a : b;
}

FIBER_UNWATCHED static uint32_t signed_most(uint32_t a, uint32_t b)
{
    return (int32_t)a > (int32_t)b ? a : b;
}

static combine *const reductions[] = {
    [HOST_REDUCE_ADD] = add,           [HOST_REDUCE_AND] = both,
    [HOST_REDUCE_OR] = either,         [HOST_REDUCE_XOR] = differ,
    [HOST_REDUCE_MIN] = least,         [HOST_REDUCE_MAX] = most,
    [HOST_REDUCE_IMIN] = signed_least, [HOST_REDUCE_IMAX] = signed_most,
};

/* The lane whose value lane `i` gets; itself where the manual says so. */
FIBER_UNWATCHED static unsigned source(enum host_op op, unsigned i, const struct host_lane *at)
{
    const unsigned segment = i & ~(at->width - 1), last = segment + at->width - 1;
    const unsigned n = at->lane;
    if (op == HOST_SHFL)
        return segment + (n & (at->width - 1));
    if (op == HOST_SHFL_UP)
        return n > i - segment ? i : i - n;
    if (op == HOST_SHFL_DOWN)
        return n > last - i ? i : i + n;
    return (i ^ n) > last ? i : i ^ n;
}

FIBER_UNWATCHED static void shuffle(enum host_op op, unsigned mask,
                                    struct host_lane lanes[HOST_LANES], uint64_t garbage)
{
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const unsigned from = source(op, i, &lanes[i]);
        lanes[i].result = mask >> from & 1 ? lanes[from].value : garbage;
    }
}

FIBER_UNWATCHED static uint32_t reduce(enum host_op op, unsigned mask,
                                       const struct host_lane lanes[HOST_LANES])
{
    uint32_t all = (uint32_t)lanes[__builtin_ctz(mask)].value;
    for (unsigned left = mask & (mask - 1); left; left &= left - 1)
        all = reductions[op](all, (uint32_t)lanes[__builtin_ctz(left)].value);
    return all;
}

FIBER_UNWATCHED static uint32_t ballot(unsigned mask, const struct host_lane lanes[HOST_LANES])
{
    uint32_t bits = 0;
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        bits |= (uint32_t)(lanes[i].value != 0) << i;
    }
    return bits;
}

FIBER_UNWATCHED void host_warp_eval(enum host_op op, unsigned mask,
                                    struct host_lane lanes[HOST_LANES], uint64_t garbage)
{
    if (op == HOST_SYNC)
        return;
    if (op <= HOST_SHFL_XOR) {
        shuffle(op, mask, lanes, garbage);
        return;
    }
    const uint32_t all = op == HOST_BALLOT ? ballot(mask, lanes) : reduce(op, mask, lanes);
    for (unsigned left = mask; left; left &= left - 1)
        lanes[__builtin_ctz(left)].result = all;
}
