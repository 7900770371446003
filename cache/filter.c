/* filter: compares a record with each condition in turn. */
#include "cache/filter.h"

#include "generator/dims_text.h"

#include <string.h>

/* The elements that it serves. */
struct range {
    uint64_t low, high;
};

static struct range range_of(const struct interval *served)
{
    const uint64_t n = dims_n(&served->record.problem.dims);
    return served->from == served->to ? (struct range){n, n}
                                      : (struct range){served->from, served->to};
}

static bool serves_size(const struct filter *filter, struct range range)
{
    for (size_t i = 0; i < filter->size_count; i++)
        if (range.low <= dims_n(&filter->sizes[i]) && dims_n(&filter->sizes[i]) <= range.high)
            return true;
    return false;
}

/* Does it lack what the part asks for? */
static bool lacks(const struct filter *filter, const struct interval *served, unsigned part)
{
    const struct record *record = &served->record;
    const struct problem *has = &record->problem, *want = &filter->problem;
    const struct range range = range_of(served);
    switch (part) {
    case FILTER_USE: return record->source == RECORD_PUBLISHED;
    case FILTER_DEVICE: return problem_is_on_host(has);
    case FILTER_OP: return has->op != want->op;
    case FILTER_TYPE: return has->type != want->type;
    case FILTER_ACC: return has->acc != want->acc;
    case FILTER_ORDER: return has->order != want->order;
    case FILTER_SPACE: return strcmp(record->space, filter->space) != 0;
    case FILTER_METHOD: return record->method != RECORD_METHOD;
    case FILTER_REGIME: return has->regime != want->regime;
    case FILTER_GPU: return !filter->is_gpu(filter->gpu, record);
    case FILTER_SHAPE: return strcmp(dims_text_name(&has->dims), filter->shape) != 0;
    case FILTER_SCAN: return has->dims.scan != want->dims.scan;
    case FILTER_DIMS: return !dims_is_same(&has->dims, &want->dims);
    case FILTER_N: return range.low > filter->n_high || filter->n_low > range.high;
    case FILTER_SIZES: return !serves_size(filter, range);
    default: return false;
    }
}

unsigned filter_lacks(const struct filter *filter, const struct interval *served)
{
    for (unsigned part = 1; part <= filter->asked; part <<= 1)
        if (filter->asked & part && lacks(filter, served, part))
            return part;
    return 0;
}

bool filter_wants(const struct filter *filter, const struct problem *problem)
{
    const uint64_t depth = problem->dims.depth.n;
    const struct interval alone = {depth, depth, {.problem = *problem}};
    return !filter_lacks(filter, &alone);
}
