/* export_rows: makes the rows of a GPU in the order of n, and computes which n each record
 * serves. */
#include "autotune/export/export_text.h"

#include "autotune/device/gpus.h"
#include "generator/number.h"
#include "generator/selector.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_dims(const struct dims *a, const struct dims *b)
{
    const int orders[] = {number_compare(dims_n(a), dims_n(b)),
                          number_compare(a->outer.n, b->outer.n),
                          number_compare(a->depth.n, b->depth.n),
                          number_compare(a->outer.stride, b->outer.stride),
                          number_compare(a->depth.stride, b->depth.stride)};
    return number_decide(orders, sizeof orders / sizeof *orders);
}

/* Orders by device, then by n and dims; of two for the same, the newer first. */
static int by_place(const void *left, const void *right)
{
    const struct record *a = &(*(const struct interval *const *)left)->record;
    const struct record *b = &(*(const struct interval *const *)right)->record;
    const int orders[] = {a->cc - b->cc,
                          a->sms - b->sms,
                          b->memory_clock_khz - a->memory_clock_khz, /* 0, unknown, last */
                          b->bus_bits - a->bus_bits,
                          strcmp(a->gpu, b->gpu),
                          compare_dims(&a->problem.dims, &b->problem.dims),
                          strcmp(b->tuned, a->tuned),
                          strcmp(a->params, b->params)};
    return number_decide(orders, sizeof orders / sizeof *orders);
}

/* The selector's place, for n elements, of a record that serves `from` to `to`. */
static struct selector_place find_place(uint64_t n, uint64_t from, uint64_t to)
{
    const struct selector_key want = {.dims = dims_value(n)};
    const struct selector_entry entry = {.key = {.dims = dims_value(from)},
                                         .from = from,
                                         .to = to};
    return selector_rank(&want, &entry);
}

/* Is n nearer to `a` than to `b`? */
static bool is_nearer(uint64_t n, const struct interval *a, const struct interval *b)
{
    const struct selector_place place = find_place(n, a->from, a->to);
    const struct selector_place other = find_place(n, b->from, b->to);
    return selector_is_better(&place, &other);
}

/* The largest n not farther from `n` than from `next`, which is larger. */
static uint64_t find_last(uint64_t n, uint64_t next)
{
    uint64_t low = n, high = next;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        const struct selector_place place = find_place(middle, n, n);
        const struct selector_place other = find_place(middle, next, next);
        if (selector_is_better(&other, &place))
            high = middle - 1;
        else
            low = middle;
    }
    return low;
}

static int find_target(struct target *out, int cc, int sms, struct error *error)
{
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%d", cc);
    if (gpus_find(out, arch, error))
        return -1;
    if (sms)
        out->sms = sms;
    return 0;
}

/* Adds a row that serves n from `first` to `last`. */
static int append_row(struct export *out, const struct interval *served, uint64_t first,
                      uint64_t last, struct error *error)
{
    const struct record *record = served ? &served->record : NULL;
    const struct space *space = out->source.space;
    struct export_row *row = &out->rows[out->row_count];
    *row = (struct export_row){.record = record,
                               .problem = out->source.problem,
                               .first = first,
                               .last = last,
                               .first_tuned = out->tuned_count};
    if (!record) {
        memcpy(row->values, space->default_config, space->param_count * sizeof *row->values);
    } else {
        row->from = served->from;
        row->to = served->to;
        row->problem.dims = record->problem.dims;
        if (point_parse_record(space, record->params, row->values, error))
            return -1;
    }
    out->row_count++;
    return find_target(&row->target, record ? record->cc : 70, record ? record->sms : 0, error);
}

static bool is_alike(const struct export_gpu *a, const struct export_gpu *b)
{
    return a->cc == b->cc && a->sms == b->sms && a->memory_clock_khz == b->memory_clock_khz &&
           a->bus_bits == b->bus_bits;
}

bool export_has_twin(const struct export *export, const struct export_gpu *gpu)
{
    for (size_t i = 0; i < export->gpu_count; i++)
        if (&export->gpus[i] != gpu && export->gpus[i].cc == gpu->cc &&
            export->gpus[i].sms == gpu->sms)
            return true;
    return false;
}

static struct export_gpu *add_gpu(struct export *out, const struct record *record)
{
    assert(out->gpus);
    struct export_gpu *gpu = &out->gpus[out->gpu_count++];
    *gpu = (struct export_gpu){.name = record->gpu,
                               .cc = record->cc,
                               .sms = record->sms,
                               .memory_clock_khz = record->memory_clock_khz,
                               .bus_bits = record->bus_bits,
                               .first = out->row_count};
    out->asks_name |= gpu->memory_clock_khz == 0 || gpu->bus_bits == 0 ||
                      (gpu > out->gpus && is_alike(gpu, gpu - 1));
    return gpu;
}

static int by_number(const void *a, const void *b)
{
    return number_compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Every n after which another record may be the nearest, ascending: at the ends of each
 * record's interval, and half way to the next, as a factor. Returns how many; at most 6 for
 * each record, and one. */
static size_t find_breaks(uint64_t *out, const struct interval **records, size_t count)
{
    size_t edges = 0;
    for (size_t i = 0; i < count; i++) {
        out[edges++] = records[i]->from;
        out[edges++] = records[i]->to;
    }
    qsort(out, edges, sizeof *out, by_number);
    size_t all = edges;
    for (size_t i = 0; i < edges; i++) {
        if (out[i] > 0)
            out[all++] = out[i] - 1;
        if (i + 1 < edges)
            out[all++] = find_last(out[i], out[i + 1]);
    }
    out[all++] = UINT64_MAX;
    qsort(out, all, sizeof *out, by_number);
    return all;
}

static uint64_t clamp(uint64_t n, uint64_t low, uint64_t high)
{
    return n < low ? low : n > high ? high : n;
}

/* Adds a record to those of a row, unless it was the last one, too. */
static void add_tuned(struct export *out, struct export_row *row, const struct interval *served)
{
    const struct interval **end = out->tuned + row->first_tuned + row->tuned_count;
    const struct interval *own = export_next_size(out, row, NULL);
    if (row->tuned_count && end[-1] == served)
        return;
    *end = served;
    row->tuned_count++;
    out->tuned_count++;
    if (!own && (own = export_next_size(out, row, NULL)))
        row->record = &own->record;
}

const struct interval *export_next_size(const struct export *export,
                                        const struct export_row *row,
                                        const struct interval *last)
{
    const struct interval *best = NULL;
    for (size_t i = 0; i < row->tuned_count; i++) {
        const struct interval *one = export->tuned[row->first_tuned + i];
        const uint64_t n = dims_n(&one->record.problem.dims);
        const uint64_t least = best ? dims_n(&best->record.problem.dims) : UINT64_MAX;
        const bool is_in = row->first > row->last || (row->first <= n && n <= row->last);
        if (is_in && (!last || n > dims_n(&last->record.problem.dims)) &&
            (n < least || (n == least && one->from == one->to)))
            best = one;
    }
    return best;
}

/* Adds n from `first` to `last`, which a record serves or is the nearest to, to the GPU's rows: to
 * the last one, if that has the same config. */
static int add_range(struct export *out, struct export_gpu *gpu, const struct interval *served,
                     uint64_t first, uint64_t last, struct error *error)
{
    const size_t bytes = out->source.space->param_count * sizeof(int64_t);
    struct export_row *before = gpu->count ? &out->rows[out->row_count - 1] : NULL;
    if (append_row(out, served, first, last, error))
        return -1;
    struct export_row *row = &out->rows[out->row_count - 1];
    row->from = clamp(served->from, first, last);
    row->to = clamp(served->to, first, last);
    row->is_measured = served->from <= last && first <= served->to;
    if (before && memcmp(before->values, row->values, bytes) == 0) {
        before->last = last;
        if (row->is_measured) {
            before->from = before->is_measured ? before->from : row->from;
            before->to = row->to;
            before->is_measured = true;
        }
        out->row_count--;
        row = before;
    } else {
        gpu->count++;
    }
    add_tuned(out, row, served);
    return 0;
}

/* Adds the rows of one GPU, from its records. */
static int add_gpu_rows(struct export *out, struct export_gpu *gpu,
                        const struct interval **records, size_t count, uint64_t *breaks,
                        struct error *error)
{
    const size_t all = find_breaks(breaks, records, count);
    uint64_t first = 0;
    for (size_t i = 0; i < all; i++) {
        const struct interval *best = records[0];
        if (i > 0 && (breaks[i] < first || first == 0))
            continue; /* the one before came as far */
        for (size_t k = 1; k < count; k++)
            if (is_nearer(breaks[i], records[k], best))
                best = records[k];
        if (add_range(out, gpu, best, first, breaks[i], error))
            return -1;
        first = breaks[i] + 1;
    }
    return 0;
}

/* Adds rows of problems with several results: one for each dims, from the newest record. */
static int add_gpu_dims(struct export *out, struct export_gpu *gpu,
                        const struct interval **records, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && dims_is_same(&records[i]->record.problem.dims,
                                  &records[i - 1]->record.problem.dims))
            continue;
        if (append_row(out, records[i], 1, 0, error)) /* no n in a row */
            return -1;
        add_tuned(out, &out->rows[out->row_count - 1], records[i]);
        gpu->count++;
    }
    return 0;
}

static bool is_same_gpu(const struct record *a, const struct record *b)
{
    return record_group_difference(a, b, RECORD_CC | RECORD_GPU) == NULL;
}

static int add_rows(struct export *out, const struct interval **sorted, uint64_t *breaks,
                    struct error *error)
{
    const size_t count = out->source.record_count;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_same_gpu(&sorted[end]->record, &sorted[i]->record);)
            end++;
        struct export_gpu *gpu = add_gpu(out, &sorted[i]->record);
        const struct dims *dims = &sorted[i]->record.problem.dims;
        const struct dims by_n = dims_run(1, dims->scan); /* these are found by n only */
        if (dims_is_alike(dims, &by_n)
                ? add_gpu_rows(out, gpu, sorted + i, end - i, breaks, error)
                : add_gpu_dims(out, gpu, sorted + i, end - i, error))
            return -1;
    }
    return append_row(out, NULL, 0, UINT64_MAX, error);
}

int export_make_rows(struct export *out, struct error *error)
{
    const size_t count = out->source.record_count;
    const struct interval **sorted = calloc(count, sizeof *sorted);
    uint64_t *breaks = calloc(6 * count + 1, sizeof *breaks);
    out->gpus = calloc(count, sizeof *out->gpus);
    out->rows = calloc(6 * count + 2, sizeof *out->rows);
    out->tuned = calloc(6 * count + 1, sizeof *out->tuned);
    int failed = !sorted || !breaks || !out->gpus || !out->rows || !out->tuned
                     ? error_memory(error, (6 * count + 2) * sizeof *out->rows)
                     : 0;
    for (size_t i = 0; !failed && i < count; i++)
        sorted[i] = &out->source.records[i];
    if (!failed) {
        qsort(sorted, count, sizeof *sorted, by_place);
        failed = add_rows(out, sorted, breaks, error);
    }
    free(sorted);
    free(breaks);
    return failed;
}
