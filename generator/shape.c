/* shape: rows and columns of a matrix. Hides which of its two sizes counts results. */
#include "generator/shape.h"

#include "generator/number.h"

#include <inttypes.h>
#include <stdio.h>

#define BYTES_MOST (UINT64_C(1) << 62) /* as far as signed expressions reach */

const char *const shape_names[SHAPE_COUNT] = {
    [SHAPE_VALUE] = "value", [SHAPE_ROWS] = "rows", [SHAPE_COLUMNS] = "columns"};

enum shape_kind shape_kind(const struct dims *dims)
{
    if (dims->inner.n > 1 || dims->depth.stride > 1)
        return SHAPE_COLUMNS;
    return dims->outer.n > 1 ? SHAPE_ROWS : SHAPE_VALUE;
}

struct dims shape_dims(struct problem_shape shape)
{
    const struct dims value = DIMS_VALUE(shape.rows * shape.len);
    const struct dims rows = {{shape.rows, shape.pitch}, {shape.len, 1}, {1, 1}};
    const struct dims columns = {{1, 1}, {shape.rows, shape.pitch}, {shape.len, 1}};
    return shape.kind == SHAPE_COLUMNS ? columns : shape.kind == SHAPE_ROWS ? rows : value;
}

struct problem_shape shape_of(const struct dims *dims)
{
    const enum shape_kind kind = shape_kind(dims);
    if (kind == SHAPE_COLUMNS)
        return (struct problem_shape){kind, dims->depth.n, dims->inner.n, dims->depth.stride};
    return (struct problem_shape){kind, dims->outer.n, dims->depth.n, dims->outer.stride};
}

/* The axis whose length a caller may shorten. */
static struct dim *counted(struct dims *dims)
{
    return shape_kind(dims) == SHAPE_ROWS ? &dims->outer : &dims->depth;
}

double shape_bytes(const struct problem *problem)
{
    const double read = (double)dims_n(&problem->dims) * problem_types[problem->type].bytes;
    const int bytes = problem_types[problem_result(problem)].bytes;
    return shape_kind(&problem->dims) ? read + (double)dims_results(&problem->dims) * bytes
                                      : read;
}

static bool is_too_large(const struct problem *problem, const struct problem_shape *shape)
{
    const uint64_t bytes = (uint64_t)problem_types[problem->type].bytes;
    uint64_t elements, total;
    return __builtin_mul_overflow(shape->rows, shape->pitch, &elements) ||
           __builtin_mul_overflow(elements, bytes, &total) || total > BYTES_MOST;
}

int shape_set(struct problem *problem, struct problem_shape shape, struct error *error)
{
    if (shape.rows < 1 || shape.len < 1)
        return error_set(error, ERROR_USAGE,
                         "a matrix has one row and one element in it at least: give --rows and "
                         "--len of 1 or more");
    if (shape.pitch == 0)
        shape.pitch = shape.len;
    if (shape.pitch < shape.len)
        return error_set(error, ERROR_USAGE,
                         "--pitch is %" PRIu64 ", less than a row's %" PRIu64
                         " elements: give the elements from one row's start to the next's, or "
                         "leave it out",
                         shape.pitch, shape.len);
    if (is_too_large(problem, &shape))
        return error_set(error, ERROR_USAGE,
                         "%" PRIu64 " rows, %" PRIu64 " elements apart, are more than any memory "
                         "holds: give smaller --rows or --%s",
                         shape.rows, shape.pitch, shape.pitch > shape.len ? "pitch" : "len");
    const struct dims dims = shape_dims(shape);
    problem->dims = dims_canonical(&dims);
    if (dims.depth.n <= SHAPE_DEPTH_MAX || !shape_kind(&problem->dims))
        return 0;
    return error_set(error, ERROR_USAGE,
                     "each result would be of %" PRIu64
                     " elements, and 2^31 is the most: for one value of more use --n",
                     dims.depth.n);
}

bool shape_is_same(const struct problem *a, const struct problem *b)
{
    return dims_is_same(&a->dims, &b->dims);
}

void shape_set_n(struct problem *problem, uint64_t n)
{
    struct dim *dim = counted(&problem->dims);
    dim->n = n / (dims_n(&problem->dims) / dim->n);
}

const char *shape_space(const struct problem *problem)
{
    const enum shape_kind kind = shape_kind(&problem->dims);
    return kind ? shape_names[kind] : problem_ops[problem->op].space;
}

char *shape_format(char out[SHAPE_CHARS], const struct problem *problem)
{
    const struct problem_shape made = shape_of(&problem->dims), *shape = &made;
    char rows[NUMBER_CHARS], len[NUMBER_CHARS], pitch[NUMBER_CHARS];
    if (!shape->kind)
        return number_format_count(out, problem->dims.depth.n);
    number_format_count(rows, shape->rows);
    number_format_count(len, shape->len);
    number_format_count(pitch, shape->pitch);
    const bool has_gaps = shape->pitch != shape->len;
    snprintf(out, SHAPE_CHARS, "%s x %s %s%s%s", rows, len, shape_names[shape->kind],
             has_gaps ? " pitch " : "", has_gaps ? pitch : "");
    return out;
}
