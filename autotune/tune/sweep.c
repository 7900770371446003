/* sweep: greedy intervals over a table of losses. */
#include "autotune/tune/sweep.h"

#include <math.h>
#include <stdbool.h>

/* --- Sizes -------------------------------------------------------------------------------- */

static bool is_power_of_two(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

/* The next of 1 2 4 10 20 40 100 ...; 0 past the last. */
static uint64_t next_decimal(uint64_t n)
{
    uint64_t power = 1;
    while (n / power >= 10)
        power *= 10;
    if (n > UINT64_MAX / 5 * 2)
        return 0;
    return n / power == 4 ? n / 2 * 5 : 2 * n;
}

size_t sweep_sizes(uint64_t out[SWEEP_SIZES_MAX], uint64_t low, uint64_t high)
{
    const bool is_binary = low > 1 && is_power_of_two(low);
    size_t count = 0;
    out[count++] = low;
    for (uint64_t n = is_binary ? low : 1; n < high && n;
         n = is_binary ? 2 * n : next_decimal(n))
        if (n > low)
            out[count++] = n;
    if (high > low)
        out[count++] = high;
    return count;
}

size_t sweep_nearest(const uint64_t *sizes, size_t count, uint64_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(log2((double)sizes[i] / (double)n)) <
            fabs(log2((double)sizes[best] / (double)n)))
            best = i;
    return best;
}

uint64_t sweep_border(uint64_t low, uint64_t high)
{
    const uint64_t mean = (uint64_t)sqrtl((long double)low * (long double)high);
    return mean < low ? low : mean < high ? mean : high - 1;
}

/* --- Intervals ---------------------------------------------------------------------------- */

static double loss_at(struct sweep_losses losses, size_t row, size_t size)
{
    return losses.at[row * losses.stride + size];
}

/* The first size, from `first` on, that a row does not serve, and its loss until then. */
static size_t find_reach(struct sweep_losses losses, size_t row, size_t first, size_t sizes,
                         double limit, double *loss)
{
    size_t end = first;
    *loss = 0;
    while (end < sizes && loss_at(losses, row, end) <= limit) {
        *loss = fmax(*loss, loss_at(losses, row, end));
        end++;
    }
    return end;
}

static struct sweep_interval find_longest(struct sweep_losses losses, size_t first,
                                          size_t sizes, double limit)
{
    struct sweep_interval best = {first, first, 0, INFINITY};
    size_t best_end = first;
    for (size_t row = 0; row < losses.rows; row++) {
        double loss;
        const size_t end = find_reach(losses, row, first, sizes, limit, &loss);
        if (end == first) /* it does not serve: the least evil, as long as none does */
            loss = loss_at(losses, row, first);
        if (end < best_end || (end == best_end && loss >= best.loss))
            continue;
        best_end = end;
        best.row = row;
        best.loss = loss;
    }
    best.last = best_end > first ? best_end - 1 : first;
    return best;
}

size_t sweep_intervals(struct sweep_interval out[SWEEP_SIZES_MAX], struct sweep_losses losses,
                       size_t sizes, double limit)
{
    size_t count = 0;
    for (size_t first = 0; first < sizes; first = out[count++].last + 1)
        out[count] = find_longest(losses, first, sizes, limit);
    return count;
}

size_t sweep_survivors(size_t *out, size_t most, struct sweep_losses losses, size_t sizes,
                       double limit)
{
    struct sweep_interval intervals[SWEEP_SIZES_MAX];
    const size_t count = sweep_intervals(intervals, losses, sizes, limit);
    size_t kept = 0;
    for (size_t row = 0; row < losses.rows && count; row++) {
        double loss, other;
        const size_t first = intervals[count - 1].first;
        if (find_reach(losses, row, first, sizes, limit, &loss) < sizes)
            continue;
        size_t at = kept < most ? kept++ : most;
        for (; at > 0; at--) {
            find_reach(losses, out[at - 1], first, sizes, limit, &other);
            if (other <= loss)
                break;
            if (at < most)
                out[at] = out[at - 1];
        }
        if (at < most)
            out[at] = row;
    }
    return kept;
}
