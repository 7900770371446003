/* request_dims: parses --n in its three forms, and the sizes of a matrix. dims_text checks the
 * sizes of a matrix together. */
#include "autotune/cli/request.h"
#include "generator/number.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A larger n overflows byte counts long before a device reports that it has no room. */
#define N_MOST (UINT64_C(1) << 59)

/* --- n ------------------------------------------------------------------------------------ */

static int parse_n(uint64_t *out, const char *value, struct error *error)
{
    if (number_parse_count(out, value, "--n", error))
        return -1;
    return *out <= N_MOST ? 0
                          : error_set(error, ERROR_USAGE,
                                      "--n is '%s', for which no memory is large "
                                      "enough: give a smaller number",
                                      value);
}

/* One n. */
int request_dims_count(struct request *request, const char *value, struct error *error)
{
    uint64_t n;
    request->has_n = true;
    if (parse_n(&n, value, error))
        return -1;
    request->problem.dims = dims_value(n);
    return 0;
}

/* "1Ki,400M": every n of bench. */
int request_dims_counts(struct request *request, const char *value, struct error *error)
{
    size_t count = 0;
    request->has_n = true;
    for (const char *at = value; at;) {
        char number[32];
        uint64_t n;
        if (count == REQUEST_SIZES_MAX)
            return error_set(error, ERROR_USAGE, "--n names more than %d counts: give fewer",
                             REQUEST_SIZES_MAX);
        text_next_item(&at, number, sizeof number);
        if (parse_n(&n, number, error))
            return -1;
        request->sizes[count++] = dims_value(n);
    }
    request->size_count = count;
    request->problem.dims = request->sizes[0];
    return 0;
}

/* "400M", "1K..4G". */
int request_dims_range(struct request *request, const char *value, struct error *error)
{
    request->has_n = true;
    request->n_high = 0;
    if (!strstr(value, ".."))
        return request_dims_count(request, value, error);
    if (number_parse_range(&request->n_low, &request->n_high, value, "--n", error))
        return -1;
    request->problem.dims = dims_value(request->n_low);
    if (request->n_low >= 1 && request->n_high <= N_MOST)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--n is '%s': give a range from 1 on whose end some memory has room for",
                     value);
}

/* --- A matrix ----------------------------------------------------------------------------- */

/* Where `high` is not NULL it may be a range. */
static int parse_extent(uint64_t *out, uint64_t *high, const char *option, const char *value,
                        struct error *error)
{
    assert(out && option && value);
    const bool is_range = high && strstr(value, "..");
    if (high)
        *high = 0;
    if (is_range ? number_parse_range(out, high, value, option, error)
                 : number_parse_count(out, value, option, error))
        return -1;
    return *out
               ? 0
               : error_set(error, ERROR_USAGE, "%s is '%.100s': give 1 or more", option, value);
}

int request_dims_rows(struct request *request, const char *value, struct error *error)
{
    return parse_extent(&request->asked.low.rows, NULL, "--rows", value, error);
}

int request_dims_rows_range(struct request *request, const char *value, struct error *error)
{
    struct request_dims *asked = &request->asked;
    return parse_extent(&asked->low.rows, &asked->rows_high, "--rows", value, error);
}

int request_dims_len(struct request *request, const char *value, struct error *error)
{
    return parse_extent(&request->asked.low.len, NULL, "--len", value, error);
}

int request_dims_len_range(struct request *request, const char *value, struct error *error)
{
    struct request_dims *asked = &request->asked;
    return parse_extent(&asked->low.len, &asked->len_high, "--len", value, error);
}

int request_dims_pitch(struct request *request, const char *value, struct error *error)
{
    return parse_extent(&request->asked.low.pitch, NULL, "--pitch", value, error);
}

static int refuse_axis(const char *value, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "--axis is '%.100s': 1 gives a result for each row, 0 for each column; of "
                     "--dims give all that are combined, as 0,2",
                     value);
}

/* "1", "0,2,3": what they are of is known when all options are. */
int request_dims_axis(struct request *request, const char *value, struct error *error)
{
    struct request_dims *asked = &request->asked;
    asked->has_axis = true;
    asked->combined = 0;
    snprintf(asked->axis, sizeof asked->axis, "%s", value);
    for (const char *at = value; at;) {
        char word[4];
        const size_t length = text_next_item(&at, word, sizeof word);
        const unsigned bit = 1u << (word[0] & 7);
        if (length != 1 || word[0] < '0' || word[0] >= '0' + DIMS_TEXT_AXES ||
            (asked->combined & bit))
            return refuse_axis(value, error);
        asked->combined |= bit;
    }
    asked->low.axis = asked->combined == 2;
    return 0;
}

/* "32,64,56,56": one number for each axis. */
static int parse_numbers(uint64_t out[DIMS_TEXT_AXES], size_t *count, const char *option,
                         const char *value, struct error *error)
{
    *count = 0;
    for (const char *at = value; at;) {
        char number[32];
        if (*count == DIMS_TEXT_AXES)
            return error_set(error, ERROR_USAGE, "%s names more than %d numbers: give fewer",
                             option, DIMS_TEXT_AXES);
        text_next_item(&at, number, sizeof number);
        if (parse_extent(&out[(*count)++], NULL, option, number, error))
            return -1;
    }
    return 0;
}

int request_dims_sizes(struct request *request, const char *value, struct error *error)
{
    struct request_dims *asked = &request->asked;
    uint64_t numbers[DIMS_TEXT_AXES];
    if (parse_numbers(numbers, &asked->axis_count, "--dims", value, error))
        return -1;
    for (size_t i = 0; i < asked->axis_count; i++)
        asked->axes[i].n = numbers[i];
    return 0;
}

int request_dims_strides(struct request *request, const char *value, struct error *error)
{
    struct request_dims *asked = &request->asked;
    uint64_t numbers[DIMS_TEXT_AXES];
    if (parse_numbers(numbers, &asked->stride_count, "--strides", value, error))
        return -1;
    for (size_t i = 0; i < asked->stride_count; i++)
        asked->axes[i].stride = numbers[i];
    return 0;
}

int request_dims_shape(struct request *request, const char *value, struct error *error)
{
    request->asked.shape = dims_text_find_name(value);
    return request->asked.shape
               ? 0
               : error_set(error, ERROR_USAGE,
                           "--shape is '%.100s': rows gives a result for each row, columns for "
                           "each column, and one value of all needs no --shape",
                           value);
}

int request_dims_scan(struct request *request, const char *value, struct error *error)
{
    request->asked.has_scan = true;
    return dims_text_find_scan(&request->asked.scan, value, error);
}

/* --- Segments ----------------------------------------------------------------------------- */

int request_dims_segments(struct request *request, const char *value, struct error *error)
{
    struct request_dims *asked = &request->asked;
    asked->has_segments = true;
    if (parse_extent(&asked->segments, NULL, "--segments", value, error))
        return -1;
    return asked->segments <= N_MOST / 8
               ? 0
               : error_set(
                     error, ERROR_USAGE,
                     "--segments is '%.40s', for whose offsets no memory is large enough: "
                     "give a smaller number",
                     value);
}

int request_dims_offsets(struct request *request, const char *value, struct error *error)
{
    return problem_find_offsets(&request->problem.offsets, value, error);
}

int request_dims_lengths(struct request *request, const char *value, struct error *error)
{
    return problem_find_lengths(&request->problem.lengths, value, error);
}

static int settle_segments(struct request *request, struct error *error)
{
    struct problem *problem = &request->problem;
    const uint64_t n = problem->dims.depth.n;
    if (!problem->offsets)
        problem->offsets = I32;
    const struct type_row *offsets = &problem_types[problem->offsets];
    if (offsets->bytes == 4 && n > UINT32_MAX >> (int)offsets->is_signed)
        return error_set(error, ERROR_USAGE,
                         "offsets of %s do not reach %llu elements: give --offsets i64",
                         offsets->name, (unsigned long long)n);
    problem->dims = dims_segments(request->asked.segments, n);
    request->size_count = 1;
    request->sizes[0] = problem->dims;
    return 0;
}

/* --- Together ----------------------------------------------------------------------------- */

bool request_dims_are_given(const struct request *request)
{
    const struct request_dims *asked = &request->asked;
    return !(request->verb & (VERB_SHOW | VERB_CHECK | VERB_COMPARE)) &&
           (asked->has_axis || asked->shape || asked->low.rows || asked->low.len ||
            asked->low.pitch || asked->axis_count || asked->stride_count);
}

bool request_dims_is_sweep(const struct request *request)
{
    return request->asked.rows_high || request->asked.len_high;
}

/* Each row has a result, unless columns were asked for. */
int request_dims_axis_of(const char *shape)
{
    return !shape || strcmp(shape, "rows") == 0;
}

/* The axis that is asked for, by itself or by a shape's name. */
static int asked_axis(const struct request_dims *asked)
{
    return asked->has_axis ? asked->low.axis : request_dims_axis_of(asked->shape);
}

void request_dims_take_shape(struct request *request)
{
    struct request_dims *asked = &request->asked;
    const struct matrix any = {.rows = 2, .len = 2, .axis = asked_axis(asked)};
    struct problem problem = request->problem;
    struct error ignored;
    if ((!asked->has_axis && !asked->shape) || asked->low.rows || asked->low.len ||
        asked->low.pitch || asked->axis_count || request->space ||
        dims_text_read(&problem.dims, &any, 1, &ignored))
        return;
    problem.dims.scan = asked->scan;
    request->space = problem_space(&problem);
    asked->has_axis = false;
    asked->shape = NULL;
}

/* Of --dims; without --axis all are combined. */
static int settle_axes(struct request *request, struct error *error)
{
    struct request_dims *asked = &request->asked;
    const size_t count = asked->axis_count;
    if (asked->combined >> count)
        return error_set(error, ERROR_USAGE,
                         "--axis is '%s', and --dims has the axes 0 to %zu: give some of these",
                         asked->axis, count - 1);
    for (size_t i = 0; i < count; i++)
        asked->axes[i].is_combined = !asked->has_axis || (asked->combined >> i & 1);
    if (!asked->stride_count)
        dims_text_pack(asked->axes, count);
    return dims_text_read_axes(&request->problem.dims, asked->axes, count,
                               problem_types[request->problem.type].bytes, error);
}

/* Rows of --len that --n has in all: what the ladder takes. */
static int rows_of_all(uint64_t *out, const struct request *request, struct error *error)
{
    const uint64_t n = dims_n(&request->problem.dims), length = request->asked.low.len;
    *out = n / length;
    return n % length || *out < 2
               ? error_set(error, ERROR_USAGE,
                           "--n %" PRIu64 " are not several rows of --len %" PRIu64
                           ": give a multiple of it",
                           n, length)
               : 0;
}

static int settle_matrix(struct request *request, struct error *error)
{
    const int bytes = problem_types[request->problem.type].bytes;
    struct request_dims *asked = &request->asked;
    if (asked->combined & ~3u || asked->combined == 3)
        return refuse_axis(asked->axis, error);
    asked->low.axis = asked_axis(asked);
    if (!asked->low.rows && rows_of_all(&asked->low.rows, request, error))
        return -1;
    struct matrix first = asked->low; /* of a range the first of several results */
    if (asked->rows_high)
        first.rows = asked->low.rows < 2 && asked->rows_high > 1 ? 2 : asked->low.rows;
    if (asked->len_high)
        first.len = asked->low.len < 2 && asked->len_high > 1 ? 2 : asked->low.len;
    if (dims_text_read(&request->problem.dims, &first, bytes, error))
        return -1;
    if (asked->scan && !asked->low.axis)
        return error_set(error, ERROR_USAGE,
                         "--axis 0 asks for columns, of which there are no "
                         "scans: give --axis 1, or no --scan");
    request->problem.dims.scan = asked->scan;
    return 0;
}

int request_dims_settle(struct request *request, struct error *error)
{
    const struct request_dims *asked = &request->asked;
    request->problem.dims.scan = asked->scan;
    for (size_t i = 0; i < request->size_count; i++)
        request->sizes[i].scan = asked->scan;
    if (asked->has_segments)
        return settle_segments(request, error);
    if (!request_dims_are_given(request))
        return 0;
    if (asked->axis_count ? settle_axes(request, error) : settle_matrix(request, error))
        return -1;
    request->has_n = true;
    request->size_count = 1;
    request->sizes[0] = request->problem.dims;
    return 0;
}

/* --- A sweep ------------------------------------------------------------------------------ */

void request_dims_grid(struct request_grid *out, const struct request *request)
{
    const struct request_dims *asked = &request->asked;
    const uint64_t rows = asked->low.rows, len = asked->low.len;
    out->size_count = sweep_sizes(out->sizes, rows, asked->rows_high ? asked->rows_high : rows);
    out->line_count = sweep_sizes(out->lines, len, asked->len_high ? asked->len_high : len);
}

/* With its own distance of rows where one length is asked for. */
int request_dims_at(struct dims *out, const struct request *request,
                    const struct request_grid *grid, size_t line, size_t size,
                    struct error *error)
{
    struct matrix matrix = request->asked.low;
    matrix.rows = grid->sizes[size];
    matrix.len = grid->lines[line];
    return dims_text_read(out, &matrix, problem_types[request->problem.type].bytes, error);
}

static uint64_t extent_at(uint64_t low, uint64_t high, double part)
{
    return high ? (uint64_t)((double)low * pow((double)high / (double)low, part)) : low;
}

int request_dims_between(struct dims *out, const struct request *request, double line,
                         double size, struct error *error)
{
    const struct request_dims *asked = &request->asked;
    struct matrix matrix = asked->low;
    matrix.rows = extent_at(asked->low.rows, asked->rows_high, size);
    matrix.len = extent_at(asked->low.len, asked->len_high, line);
    return dims_text_read(out, &matrix, problem_types[request->problem.type].bytes, error);
}

static bool is_within(uint64_t low, uint64_t high, uint64_t n)
{
    return low <= n && n <= (high ? high : low);
}

bool request_dims_has(const struct request *request, const struct dims *dims)
{
    const struct request_dims *asked = &request->asked;
    struct matrix matrix = asked->low;
    struct dims same;
    struct error ignored;
    matrix.rows = matrix.axis ? dims->outer.n : dims->depth.n;
    matrix.len = matrix.axis ? dims->depth.n : dims->inner.n;
    return is_within(asked->low.rows, asked->rows_high, matrix.rows) &&
           is_within(asked->low.len, asked->len_high, matrix.len) &&
           dims_text_read(&same, &matrix, problem_types[request->problem.type].bytes,
                          &ignored) == 0 &&
           dims_is_same(&same, dims);
}

static void add_range(struct text *out, uint64_t low, uint64_t high)
{
    char text[NUMBER_CHARS];
    text_adds(out, number_format_count(text, low));
    if (high > low)
        text_addf(out, "..%s", number_format_count(text, high));
}

void request_dims_format_grid(struct text *out, const struct request *request)
{
    const struct request_dims *asked = &request->asked;
    add_range(out, asked->low.rows, asked->rows_high);
    text_adds(out, " x ");
    add_range(out, asked->low.len, asked->len_high);
    text_adds(out, asked->low.axis ? " rows" : " columns");
}
