/* request_dims: turns --n and --scan, or --rows, --len, --pitch, --axis and --shape, or --dims with
 * --strides and --axis, or --segments with --n, --offsets and --lengths, into dims. */
#ifndef AUTOTUNE_REQUEST_DIMS_H
#define AUTOTUNE_REQUEST_DIMS_H

#include "cache/sweep.h"
#include "generator/dims_text.h"
#include "generator/text.h"

struct request;

enum { REQUEST_AXIS_CHARS = 101 };

/* The values of these options. */
struct request_dims {
    struct matrix low;            /* 0 = not given; of ranges the least */
    uint64_t rows_high, len_high; /* of ranges, else 0 */
    bool has_axis;
    unsigned combined;                     /* by --axis, a bit for each */
    char axis[REQUEST_AXIS_CHARS];         /* its value, cut */
    struct dims_axis axes[DIMS_TEXT_AXES]; /* of --dims */
    size_t axis_count, stride_count;       /* 0 = not given */
    const char *shape;                     /* a name of dims_text; NULL = not given */
    enum dims_scan scan;
    bool has_scan;
    uint64_t segments; /* with has_segments */
    bool has_segments;
};

/* Takes the value of an option. ERROR_USAGE names the option and a valid value. */
typedef int request_value(struct request *request, const char *value, struct error *error);

/* Of --n: one count, several, or a range; then those of a matrix. */
request_value request_dims_count, request_dims_counts, request_dims_range;
request_value request_dims_rows, request_dims_rows_range, request_dims_len,
    request_dims_len_range, request_dims_pitch, request_dims_axis, request_dims_shape;
request_value request_dims_sizes, request_dims_strides, request_dims_scan;
request_value request_dims_segments, request_dims_offsets, request_dims_lengths;

/* A shape alone, of a verb that has all sizes of it: its space stands for it from then on. */
void request_dims_take_shape(struct request *request);

/* Gives the problem the dims of the scan or the matrix that is asked for, if any is. */
int request_dims_settle(struct request *request, struct error *error);

/* Does any option give more of the dims than --n? False for show and compare: there --shape selects
 * records. */
bool request_dims_are_given(const struct request *request);

/* Is a range of such sizes asked for? */
bool request_dims_is_sweep(const struct request *request);

/* The axis that a shape's name stands for; NULL: each row has a result. */
int request_dims_axis_of(const char *shape);

/* All sizes of such a sweep: lines, each of as many sizes, ascending. */
struct request_grid {
    uint64_t lines[SWEEP_SIZES_MAX], sizes[SWEEP_SIZES_MAX];
    size_t line_count, size_count;
};
void request_dims_grid(struct request_grid *out, const struct request *request);

/* The dims of one size. ERROR_USAGE: they are out of range. */
int request_dims_at(struct dims *out, const struct request *request,
                    const struct request_grid *grid, size_t line, size_t size,
                    struct error *error);

/* The dims at such parts of the way, from 0 to 1, through the ranges as factors. ERROR_USAGE: as above. */
int request_dims_between(struct dims *out, const struct request *request, double line,
                         double size, struct error *error);

/* Are the dims within the ranges, and as such a sweep has them? */
bool request_dims_has(const struct request *request, const struct dims *dims);

/* "1K..1M x 32..4096 rows". */
void request_dims_format_grid(struct text *out, const struct request *request);

#endif
