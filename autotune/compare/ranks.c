/* ranks: sorts values, ranks them, and correlates the ranks. */
#include "autotune/compare/ranks.h"

#include <math.h>
#include <stdlib.h>

struct entry {
    double value, rank;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static int by_index(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* Leaves the entries in their own order. */
static void rank(struct entry *entries, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct entry){values[i], 0, i};
    qsort(entries, count, sizeof *entries, by_value);
    for (size_t first = 0, next; first < count; first = next) {
        next = first + 1;
        while (next < count && entries[next].value <= entries[first].value)
            next++;
        for (size_t i = first; i < next; i++)
            entries[i].rank = (double)(first + next - 1) / 2;
    }
    qsort(entries, count, sizeof *entries, by_index);
}

int ranks_correlation(double *out, const double *a, const double *b, size_t count,
                      struct error *error)
{
    struct entry *entries = calloc(2 * count + 1, sizeof *entries);
    const double mean = ((double)count - 1) / 2;
    double both = 0, of_a = 0, of_b = 0;
    *out = 0;
    if (!entries)
        return error_memory(error, 2 * count * sizeof *entries);
    rank(entries, a, count);
    rank(entries + count, b, count);
    for (size_t i = 0; i < count; i++) {
        const double x = entries[i].rank - mean, y = entries[count + i].rank - mean;
        both += x * y;
        of_a += x * x;
        of_b += y * y;
    }
    free(entries);
    if (of_a > 0 && of_b > 0)
        *out = both / sqrt(of_a * of_b);
    return 0;
}
