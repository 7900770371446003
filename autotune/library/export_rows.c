/* export_rows: which record of a GPU serves which n, as rows in the order of n. Hides how near
 * a record is, which is the rule of find, without its logarithms. */
#include "autotune/library/export_text.h"

#include "autotune/device/gpus.h"
#include "generator/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* By device, then by n and shape; of two for the same, the newer first. */
static int by_place(const void *left, const void *right)
{
    const struct record *a = *(const struct record *const *)left;
    const struct record *b = *(const struct record *const *)right;
    int order = compare(a->cc, b->cc);
    if (!order)
        order = compare(a->sms, b->sms);
    if (!order)
        order = strcmp(a->gpu, b->gpu);
    if (!order)
        order = dims_n(&a->problem.dims) < dims_n(&b->problem.dims) ? -1 : dims_n(&a->problem.dims) > dims_n(&b->problem.dims);
    if (!order)
        order = compare((int64_t)shape_of(&a->problem.dims).rows, (int64_t)shape_of(&b->problem.dims).rows);
    if (!order)
        order = compare((int64_t)shape_of(&a->problem.dims).pitch, (int64_t)shape_of(&b->problem.dims).pitch);
    if (!order)
        order = strcmp(b->tuned, a->tuned);
    return order ? order : strcmp(a->params, b->params);
}

__extension__ typedef unsigned __int128 wide;

/* The largest n not farther from `n` than from `next`, which is larger, as factors. */
static uint64_t find_last(uint64_t n, uint64_t next)
{
    const wide product = (wide)(n ? n : 1) * next;
    uint64_t low = n, high = next;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if ((wide)middle * middle <= product)
            low = middle;
        else
            high = middle - 1;
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

static int add_row(struct export *out, const struct record *record, struct error *error)
{
    const struct space *space = out->source.space;
    struct export_row *row = &out->rows[out->row_count];
    *row = (struct export_row){
        .record = record, .problem = out->source.problem, .last = UINT64_MAX};
    if (record) {
        row->problem.dims = record->problem.dims;
    }
    memcpy(row->values, space->default_row, space->param_count * sizeof *row->values);
    if (record ? find_target(&row->target, record->cc, record->sms, error) ||
                     point_parse(space, record->params, row->values, error)
               : find_target(&row->target, 70, 0, error))
        return -1;
    out->row_count++;
    return 0;
}

/* 1 when a GPU before has the same compute capability and SMs: no selector tells them apart. */
static int add_gpu(struct export *out, const struct record *record)
{
    const struct export_gpu *last = out->gpu_count ? &out->gpus[out->gpu_count - 1] : NULL;
    if (last && last->cc == record->cc && last->sms == record->sms) {
        text_addf(&out->left_out, "%s%s (like %s)", out->left_out.length ? ", " : "",
                  record->gpu, last->name);
        return 1;
    }
    out->gpus[out->gpu_count++] =
        (struct export_gpu){record->gpu, record->cc, record->sms, out->row_count, 0};
    return 0;
}

/* What a record answers for: an interval, or one n. */
static uint64_t first_n(const struct record *record)
{
    return record->n_to ? record->n_from : dims_n(&record->problem.dims);
}

static uint64_t last_n(const struct record *record)
{
    return record->n_to ? record->n_to : dims_n(&record->problem.dims);
}

/* Is n nearer to `a` than to `b`? As find has it: the record of this very n before an
 * interval around n, and that before the nearest as a factor. */
static bool is_nearer(uint64_t n, const struct record *a, const struct record *b)
{
    const struct record *const both[] = {a, b};
    unsigned ranks[2];
    wide larger[2], smaller[2];
    for (int i = 0; i < 2; i++) {
        const uint64_t first = first_n(both[i]), last = last_n(both[i]);
        const uint64_t edge = n < first ? first : n > last ? last : n;
        ranks[i] = edge != n ? 2 : both[i]->n_to != 0;
        larger[i] = edge > n ? edge : n;
        smaller[i] = edge > n ? n : edge;
        larger[i] += larger[i] == 0; /* 0 counts as 1 */
        smaller[i] += smaller[i] == 0;
    }
    if (ranks[0] != ranks[1])
        return ranks[0] < ranks[1];
    return larger[0] * smaller[1] < larger[1] * smaller[0];
}

static int by_number(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Every n after which another record may be the nearest, ascending: at the edges of what each
 * answers for, and half way to the next, as a factor. Returns how many; at most 6 a record, and
 * one. */
static size_t find_breaks(uint64_t *out, const struct record **records, size_t count)
{
    size_t edges = 0;
    for (size_t i = 0; i < count; i++) {
        out[edges++] = first_n(records[i]);
        out[edges++] = last_n(records[i]);
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

/* The rows of one GPU, from its records. */
static int add_gpu_rows(struct export *out, struct export_gpu *gpu,
                        const struct record **records, size_t count, uint64_t *breaks,
                        struct error *error)
{
    const size_t all = find_breaks(breaks, records, count);
    for (size_t i = 0; i < all; i++) {
        const struct record *best = records[0];
        for (size_t k = 1; k < count; k++)
            if (is_nearer(breaks[i], records[k], best))
                best = records[k];
        const struct export_row *before = gpu->count ? &out->rows[out->row_count - 1] : NULL;
        const uint64_t first = before ? before->last + 1 : 0;
        if (!before || before->record != best) {
            if (add_row(out, best, error))
                return -1;
            out->rows[out->row_count - 1].first = first;
            gpu->count++;
        }
        out->rows[out->row_count - 1].last = breaks[i];
    }
    return 0;
}

/* Likewise of records of a matrix: one for each shape, the newest. */
static int add_gpu_shapes(struct export *out, struct export_gpu *gpu,
                          const struct record **records, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && shape_is_same(&records[i]->problem, &records[i - 1]->problem))
            continue;
        if (add_row(out, records[i], error))
            return -1;
        out->rows[out->row_count - 1].first = 1; /* none in a row */
        out->rows[out->row_count - 1].last = 0;
        gpu->count++;
    }
    return 0;
}

/* Records of a GPU that another hides are passed over. */
static int add_rows(struct export *out, const struct record **sorted, uint64_t *breaks,
                    struct error *error)
{
    const size_t count = out->source.record_count;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(sorted[end]->gpu, sorted[i]->gpu) == 0 &&
                          sorted[end]->cc == sorted[i]->cc &&
                          sorted[end]->sms == sorted[i]->sms;)
            end++;
        if (add_gpu(out, sorted[i]))
            continue;
        struct export_gpu *gpu = &out->gpus[out->gpu_count - 1];
        if (dims_results(&sorted[i]->problem.dims) > 1
                ? add_gpu_shapes(out, gpu, sorted + i, end - i, error)
                : add_gpu_rows(out, gpu, sorted + i, end - i, breaks, error))
            return -1;
    }
    return add_row(out, NULL, error);
}

int export_make_rows(struct export *out, struct error *error)
{
    const size_t count = out->source.record_count;
    const struct record **sorted = calloc(count, sizeof *sorted);
    uint64_t *breaks = calloc(6 * count + 1, sizeof *breaks);
    out->gpus = calloc(count, sizeof *out->gpus);
    out->rows = calloc(6 * count + 2, sizeof *out->rows);
    int failed = !sorted || !breaks || !out->gpus || !out->rows
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
