/* request_dims: parses --n in its three forms, and the sizes of a matrix. dims_text checks the
 * sizes of a matrix together. */
#include "autotune/cli/option_conflicts.h"
#include "autotune/cli/options.h"
#include "autotune/cli/request_value.h"

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
static int parse_count(struct request *request, const char *value, struct error *error)
{
    uint64_t n;
    if (parse_n(&n, value, error))
        return -1;
    request->problem.dims = dims_value(n);
    return 0;
}

/* "1Ki,400M": every n of bench. */
static int parse_counts(struct request *request, const char *value, struct error *error)
{
    size_t count = 0;
    for (const char *at = value;; at++) {
        char number[32];
        uint64_t n;
        const size_t length = strcspn(at, ",");
        if (count == REQUEST_SIZES_MAX)
            return error_set(error, ERROR_USAGE, "--n names more than %d counts: give fewer",
                             REQUEST_SIZES_MAX);
        snprintf(number, sizeof number, "%.*s", length < 31 ? (int)length : 31, at);
        if (parse_n(&n, number, error))
            return -1;
        request->sizes[count++] = dims_value(n);
        at += length;
        if (!*at)
            break;
    }
    request->size_count = count;
    request->problem.dims = request->sizes[0];
    return 0;
}

/* "400M", "1K..4G". */
static int parse_range(struct request *request, const char *value, struct error *error)
{
    request->n_high = 0;
    if (!strstr(value, ".."))
        return parse_count(request, value, error);
    if (number_parse_range(&request->n_low, &request->n_high, value, "--n", error))
        return -1;
    request->problem.dims = dims_value(request->n_low);
    if (request->n_low >= 1 && request->n_high <= N_MOST)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--n is '%s': give a range from 1 on whose end some memory has room for",
                     value);
}

static int parse_any_n(struct request *request, const char *value, struct error *error)
{
    request->has_n = true;
    if (request->verb == VERB_BENCH || request->verb == VERB_EXPORT)
        return parse_counts(request, value, error);
    if (request->verb == VERB_TUNE || request->verb == VERB_SHOW ||
        request->verb == VERB_LADDER)
        return parse_range(request, value, error);
    return parse_count(request, value, error);
}

/* --- A matrix ----------------------------------------------------------------------------- */

/* Where `high` is not NULL it may be a range. */
static int parse_extent(uint64_t *out, uint64_t *high, const char *option, const char *value,
                        struct error *error)
{
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

static int parse_axis(struct request_dims *asked, const char *value, struct error *error)
{
    asked->has_axis = true;
    asked->low.axis = strcmp(value, "1") == 0;
    return strcmp(value, "0") == 0 || strcmp(value, "1") == 0
               ? 0
               : error_set(
                     error, ERROR_USAGE,
                     "--axis is '%.100s': 1 gives a result for each row, 0 for each column",
                     value);
}

static int parse_shape(struct request_dims *asked, const char *value, struct error *error)
{
    asked->shape = dims_text_find_name(value);
    return asked->shape
               ? 0
               : error_set(error, ERROR_USAGE,
                           "--shape is '%.100s': rows gives a result for each row, columns for "
                           "each column, and one value of all needs no --shape",
                           value);
}

int request_dims_value(struct request *request, int key, const char *value, struct error *error)
{
    struct request_dims *asked = &request->asked;
    const bool is_tune = request->verb == VERB_TUNE; /* which takes ranges */
    switch (key) {
    case KEY_N: return parse_any_n(request, value, error);
    case KEY_ROWS:
        return parse_extent(&asked->low.rows, is_tune ? &asked->rows_high : NULL, "--rows",
                            value, error);
    case KEY_LEN:
        return parse_extent(&asked->low.len, is_tune ? &asked->len_high : NULL, "--len", value,
                            error);
    case KEY_PITCH: return parse_extent(&asked->low.pitch, NULL, "--pitch", value, error);
    case KEY_AXIS: return parse_axis(asked, value, error);
    case KEY_SHAPE: return parse_shape(asked, value, error);
    case KEY_SCAN:
        asked->has_scan = true;
        return dims_text_find_scan(&asked->scan, value, error);
    default: return REQUEST_NO_OPTION;
    }
}

/* --- Together ----------------------------------------------------------------------------- */

bool request_dims_are_given(const struct request *request)
{
    const struct request_dims *asked = &request->asked;
    return request->verb != VERB_SHOW && (asked->has_axis || asked->shape || asked->low.rows ||
                                          asked->low.len || asked->low.pitch);
}

bool request_dims_is_sweep(const struct request *request)
{
    return request->asked.rows_high || request->asked.len_high;
}

/* Each row has a result, unless columns were asked for. */
static int axis_of(const char *shape)
{
    return !shape || strcmp(shape, "rows") == 0;
}

int request_dims_check(const struct request *request, struct error *error)
{
    const struct request_dims *asked = &request->asked;
    const bool is_given = request_dims_are_given(request);
    const struct option_conflict conflicts[] = {
        {is_given && request->has_n,
         "--n is of one value, --rows and --len are of a matrix: choose one"},
        {is_given && (!asked->low.rows || !asked->low.len),
         "a matrix has --rows and --len: give both"},
        {asked->has_axis && asked->shape && asked->low.axis != axis_of(asked->shape),
         "--shape rows is --axis 1, and --shape columns is --axis 0: leave one of them out"},
        {asked->len_high && asked->low.pitch,
         "--pitch is of rows of one length: give one --len, or leave --pitch out"},
        {is_given && asked->scan,
         "--scan is of elements that lie one behind another: give --n instead of --rows and "
         "--len"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

int request_dims_settle(struct request *request, struct error *error)
{
    const int bytes = problem_types[request->problem.type].bytes;
    struct request_dims *asked = &request->asked;
    request->problem.dims.scan = asked->scan;
    for (size_t i = 0; i < request->size_count; i++)
        request->sizes[i].scan = asked->scan;
    if (!request_dims_are_given(request))
        return 0;
    if (!asked->has_axis)
        asked->low.axis = axis_of(asked->shape);
    struct matrix first = asked->low; /* of a range the first of several results */
    if (asked->rows_high)
        first.rows = asked->low.rows < 2 && asked->rows_high > 1 ? 2 : asked->low.rows;
    if (asked->len_high)
        first.len = asked->low.len < 2 && asked->len_high > 1 ? 2 : asked->low.len;
    if (dims_text_read(&request->problem.dims, &first, bytes, error))
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
