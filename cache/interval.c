/* interval: a record of a size says what its interval's variant takes, but not which that is:
 * the interval around it does, as long as both are of one sweep. */
#include "cache/interval.h"

#include <string.h>

static bool is_of_sweep(const struct record *size, const struct record *interval)
{
    return size->problem.regime == interval->problem.regime &&
           record_is_same_but_size(size, interval);
}

const struct record *interval_find(const struct record *records, size_t count,
                                   const struct record *size)
{
    for (size_t i = 0; i < count; i++)
        if (records[i].n_from <= dims_n(&size->problem.dims) && dims_n(&size->problem.dims) <= records[i].n_to &&
            is_of_sweep(size, &records[i]))
            return &records[i];
    return NULL;
}

bool interval_part(struct record *out, const struct record *interval,
                   const struct records *sizes, uint64_t from, uint64_t to)
{
    const uint64_t own = dims_n(&interval->problem.dims);
    const struct record *nearest = from <= own && own <= to ? interval : NULL;
    for (size_t i = 0; i < sizes->count && nearest != interval; i++) {
        const struct record *size = &sizes->at[i];
        const uint64_t n = dims_n(&size->problem.dims);
        if (!size->n_to && size->interval_ps && from <= n && n <= to &&
            (!nearest || (n < dims_n(&nearest->problem.dims)) == (own < from)) &&
            is_of_sweep(size, interval))
            nearest = size;
    }
    if (!nearest)
        return false;
    *out = *interval;
    out->n_from = from;
    out->n_to = to;
    if (nearest != interval) {
        out->problem.dims = nearest->problem.dims;
        out->median_ps = out->low_ps = out->high_ps = nearest->interval_ps;
    }
    return true;
}

void interval_settle(struct record *size, const struct records *records,
                     const struct record *now)
{
    if (size->n_to || !size->interval_ps || !now)
        return;
    const struct record *before = interval_find(records->at, records->count, size);
    if (!before || strcmp(before->params, now->params) != 0)
        size->interval_ps = strcmp(size->params, now->params) ? 0 : size->median_ps;
}
