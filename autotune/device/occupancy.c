/* occupancy: counts blocks for each limit of an SM, and takes the least. */
#include "autotune/device/occupancy.h"

#include <assert.h>
#include <limits.h>

/* Each has a fourth of the registers and runs every fourth warp of a block. */
enum { PARTS = 4 };

const char *const occupancy_names[OCCUPANCY_LIMITERS] = {
    [OCCUPANCY_THREADS] = "threads",
    [OCCUPANCY_REGISTERS] = "registers",
    [OCCUPANCY_SHARED] = "shared memory",
    [OCCUPANCY_BLOCKS] = "blocks",
};

static int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static int count_warps(const struct occupancy_kernel *kernel)
{
    return (kernel->block + OCCUPANCY_WARP - 1) / OCCUPANCY_WARP;
}

static int fit_threads(const struct occupancy_limits *limits,
                       const struct occupancy_kernel *kernel)
{
    if (kernel->block > limits->threads_per_block)
        return 0;
    return limits->threads / OCCUPANCY_WARP / count_warps(kernel);
}

/* A launch is checked as though a block's warps filled all parts alike. */
static int fit_registers(const struct occupancy_limits *limits,
                         const struct occupancy_kernel *kernel)
{
    const int64_t warps = count_warps(kernel);
    const int64_t of_warp =
        round_up((int64_t)kernel->registers * OCCUPANCY_WARP, limits->register_unit);
    if (of_warp == 0)
        return INT_MAX;
    if (kernel->registers > limits->registers_per_thread ||
        of_warp * round_up(warps, PARTS) > limits->registers)
        return 0;
    return (int)(limits->registers / PARTS / of_warp * PARTS / warps);
}

static int fit_shared(const struct occupancy_limits *limits,
                      const struct occupancy_kernel *kernel)
{
    const int64_t bytes =
        round_up(kernel->shared_bytes + limits->shared_reserved, limits->shared_unit);
    if (kernel->shared_bytes > limits->shared_opt_in)
        return 0;
    return bytes ? (int)(limits->shared / bytes) : INT_MAX;
}

void occupancy_compute(struct occupancy *out, const struct occupancy_limits *limits,
                       const struct occupancy_kernel *kernel)
{
    assert(kernel->block > 0 && kernel->registers >= 0);
    *out = (struct occupancy){
        .fit = {[OCCUPANCY_THREADS] = fit_threads(limits, kernel),
                [OCCUPANCY_REGISTERS] = fit_registers(limits, kernel),
                [OCCUPANCY_SHARED] = fit_shared(limits, kernel),
                [OCCUPANCY_BLOCKS] = limits->blocks},
    };
    for (int i = 1; i < OCCUPANCY_LIMITERS; i++)
        if (out->fit[i] < out->fit[out->limiter])
            out->limiter = (enum occupancy_limiter)i;
    out->blocks = out->fit[out->limiter];
    out->warps = out->blocks * count_warps(kernel);
    const int most = limits->threads / OCCUPANCY_WARP;
    out->share = (double)out->warps / most;
}

bool occupancy_is_limited(const struct occupancy *occupancy)
{
    return occupancy->share < 1;
}
