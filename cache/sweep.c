/* sweep: chooses sizes, and cuts intervals greedily, with a list of the configs that still
 * serve. */
#include "cache/sweep.h"

#include "generator/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

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
    assert(1 <= low && low <= high);
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
    assert(count > 0);
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(log2((double)sizes[i] / (double)n)) <
            fabs(log2((double)sizes[best] / (double)n)))
            best = i;
    return best;
}

uint64_t sweep_border(uint64_t low, uint64_t high)
{
    assert(low < high);
    if (low % 2 != high % 2)
        return low % 2 ? high - 1 : low;
    const uint64_t mean = (uint64_t)sqrtl((long double)low * (long double)high);
    return mean < low ? low : mean < high ? mean : high - 1;
}

double sweep_line(uint64_t n, uint64_t low, double low_ps, uint64_t high, double high_ps)
{
    assert(low < high);
    const double part = ((double)n - (double)low) / ((double)high - (double)low);
    return low_ps + part * (high_ps - low_ps);
}

uint64_t sweep_half_way(uint64_t low, uint64_t high, double apart)
{
    if (high <= low || (double)high <= apart * (double)low)
        return 0;
    const uint64_t odd = (uint64_t)sqrtl((long double)low * (long double)high) | 1;
    return low < odd && odd < high ? odd : 0;
}

/* --- Intervals ---------------------------------------------------------------------------- */

/* The configs that serve the size `first` alone, within its limit. */
static size_t begin(struct sweep_loss *serving, const struct sweep_size *size)
{
    size_t count = 0;
    for (size_t i = 0; i < size->count; i++)
        if (size->at[i].loss <= size->limit)
            serving[count++] = size->at[i];
    return count;
}

/* The loss of a config that serves the size; INFINITY where it does not. `at` is where to look
 * from on, for configs ascend on both sides. */
static double loss_at(const struct sweep_size *size, size_t *at, size_t config)
{
    while (*at < size->count && size->at[*at].config < config)
        ++*at;
    const struct sweep_loss *found = &size->at[*at];
    return *at < size->count && found->config == config && found->loss <= size->limit
               ? found->loss
               : INFINITY;
}

/* The configs of `serving` that serve this size too; without any nothing changes. */
static size_t go_on(struct sweep_loss *serving, size_t count, const struct sweep_size *size)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sweep_loss one = serving[i];
        const double loss = loss_at(size, &at, one.config);
        if (isfinite(loss))
            serving[kept++] = (struct sweep_loss){one.config, fmax(one.loss, loss)};
    }
    return kept;
}

static bool is_served(const struct sweep_loss *serving, size_t count,
                      const struct sweep_size *size)
{
    size_t at = 0;
    for (size_t i = 0; i < count && !size->is_apart; i++)
        if (isfinite(loss_at(size, &at, serving[i].config)))
            return true;
    return false;
}

static struct sweep_loss find_least(const struct sweep_loss *losses, size_t count)
{
    struct sweep_loss least = losses[0];
    for (size_t i = 1; i < count; i++)
        if (losses[i].loss < least.loss)
            least = losses[i];
    return least;
}

/* The interval from `first` on, as far as any config serves; `room` gets these, `serving` their
 * number. */
static struct sweep_interval find_longest(const struct sweep_size *sizes, size_t count,
                                          size_t first, struct sweep_loss *room,
                                          size_t *serving)
{
    size_t last = first;
    *serving = begin(room, &sizes[first]);
    for (; last + 1 < count && is_served(room, *serving, &sizes[last + 1]); last++)
        *serving = go_on(room, *serving, &sizes[last + 1]);
    const struct sweep_loss least =
        *serving ? find_least(room, *serving) : find_least(sizes[first].at, sizes[first].count);
    return (struct sweep_interval){first, last, least.config, least.loss};
}

size_t sweep_intervals(struct sweep_interval *out, const struct sweep_size *sizes, size_t count,
                       struct sweep_loss *room)
{
    size_t intervals = 0, serving;
    for (size_t first = 0; first < count; first = out[intervals++].last + 1)
        out[intervals] = find_longest(sizes, count, first, room, &serving);
    return intervals;
}

static int by_loss(const void *a, const void *b)
{
    const struct sweep_loss *x = a, *y = b;
    const int order = (x->loss > y->loss) - (x->loss < y->loss);
    return order ? order : number_compare(x->config, y->config);
}

size_t sweep_survivors(struct sweep_loss *room, const struct sweep_size *sizes, size_t count)
{
    size_t serving = 0;
    for (size_t first = 0; first < count;)
        first = find_longest(sizes, count, first, room, &serving).last + 1;
    if (serving)
        qsort(room, serving, sizeof *room, by_loss);
    return serving;
}
