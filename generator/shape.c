/* shape: rows and columns of a matrix. Hides which of its two sizes counts results. */
#include "generator/shape.h"

#include "generator/number.h"

#include <inttypes.h>
#include <stdio.h>

#define BYTES_MOST (UINT64_C(1) << 62) /* as far as signed expressions reach */

const char *const shape_names[SHAPE_COUNT] = {
    [SHAPE_VALUE] = "value", [SHAPE_ROWS] = "rows", [SHAPE_COLUMNS] = "columns"};

static bool is_columns(const struct problem *problem)
{
    return problem->shape.kind == SHAPE_COLUMNS;
}

uint64_t shape_results(const struct problem *problem)
{
    const struct problem_shape *shape = &problem->shape;
    return !shape->kind ? 1 : is_columns(problem) ? shape->len : shape->rows;
}

uint64_t shape_depth(const struct problem *problem)
{
    const struct problem_shape *shape = &problem->shape;
    return !shape->kind ? problem->n : is_columns(problem) ? shape->rows : shape->len;
}

uint64_t shape_extent(const struct problem *problem)
{
    const struct problem_shape *shape = &problem->shape;
    return shape->kind && shape->rows ? (shape->rows - 1) * shape->pitch + shape->len
                                      : problem->n;
}

uint64_t shape_count(const struct problem *problem)
{
    return problem->shape.kind ? problem->shape.rows : problem->n;
}

struct problem shape_part(const struct problem *problem, uint64_t count)
{
    struct problem part = *problem;
    part.n = count;
    if (part.shape.kind) {
        part.shape.rows = count;
        part.n = count * part.shape.len;
    }
    return part;
}

uint64_t shape_at(const struct problem *problem, uint64_t result, uint64_t i)
{
    const uint64_t pitch = problem->shape.pitch;
    return is_columns(problem) ? i * pitch + result : result * pitch + i;
}

double shape_bytes(const struct problem *problem)
{
    const double read = (double)problem->n * problem_types[problem->type].bytes;
    const int bytes = problem_types[problem_result(problem)].bytes;
    return problem->shape.kind ? read + (double)shape_results(problem) * bytes : read;
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
    problem->shape = shape;
    problem->n = shape.rows * shape.len;
    if (shape_depth(problem) <= SHAPE_DEPTH_MAX)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "each result would be of %" PRIu64
                     " elements, and 2^31 is the most: for one value of more use --n",
                     shape_depth(problem));
}

bool shape_is_same(const struct problem *a, const struct problem *b)
{
    return a->shape.kind == b->shape.kind && a->shape.rows == b->shape.rows &&
           a->shape.len == b->shape.len && a->shape.pitch == b->shape.pitch;
}

void shape_resize(struct problem *problem, uint64_t results, uint64_t depth, uint64_t gap)
{
    struct problem_shape *shape = &problem->shape;
    problem->n = results * depth;
    if (!shape->kind)
        return;
    shape->rows = is_columns(problem) ? depth : results;
    shape->len = is_columns(problem) ? results : depth;
    shape->pitch = shape->len + gap;
}

void shape_shrink(struct problem *problem, uint64_t left)
{
    if (problem->shape.kind)
        shape_resize(problem, shape_results(problem), left / shape_results(problem), 0);
    problem->n = left;
}

void shape_set_n(struct problem *problem, uint64_t n)
{
    problem->n = n;
    if (problem->shape.kind)
        problem->shape.rows = n / problem->shape.len;
}

const char *shape_space(const struct problem *problem)
{
    return problem->shape.kind ? shape_names[problem->shape.kind]
                               : problem_ops[problem->op].space;
}

char *shape_format(char out[SHAPE_CHARS], const struct problem *problem)
{
    const struct problem_shape *shape = &problem->shape;
    char rows[NUMBER_CHARS], len[NUMBER_CHARS], pitch[NUMBER_CHARS];
    if (!shape->kind)
        return number_format_count(out, problem->n);
    number_format_count(rows, shape->rows);
    number_format_count(len, shape->len);
    number_format_count(pitch, shape->pitch);
    const bool has_gaps = shape->pitch != shape->len;
    snprintf(out, SHAPE_CHARS, "%s x %s %s%s%s", rows, len, shape_names[shape->kind],
             has_gaps ? " pitch " : "", has_gaps ? pitch : "");
    return out;
}
