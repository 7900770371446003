/* dims: what a problem combines and what it keeps, as numbers. Result (o, i) combines the depth.n
 * elements that lie o * outer.stride + d * depth.stride + i * inner.stride behind the first;
 * results lie one behind another, i fastest. Where the depth lies in spans, as what is combined on both
 * sides of what is kept does, d * depth.stride is d / span.n * span.stride + d % span.n *
 * depth.stride, and depth.n a multiple of span.n. One value is a depth alone; a result for each row is
 * outer (rows, pitch) and depth (length, 1); one for each column depth (rows, pitch) and inner
 * (columns, 1); a middle axis has all three. A scan has a result for each element: of all that
 * are combined up to it. Segments are results with lengths of their own: outer.n of them, with the
 * stride 0, for offsets in memory say where each begins; depth.n elements lie together, of which they
 * are. Portable C99 without allocation, and C++17: exports carry this file. */
#ifndef AUTOTUNE_DIMS_H
#define AUTOTUNE_DIMS_H

#include <stdint.h>

/* How many, and the elements from one to the next. */
struct dim {
    uint64_t n, stride;
};

/* Which elements are combined: all; or, for each element, all up to it, with it or without it. */
enum dims_scan { DIMS_ALL, DIMS_INCLUSIVE, DIMS_EXCLUSIVE, DIMS_SCANS };

struct dims {
    struct dim outer, depth, inner; /* kept, combined, kept */
    enum dims_scan scan;
    struct dim
        span; /* elements of the depth's spans, and from one's first to the next's; up to 1: all
                      * is one span */
};

/* n elements, one behind another, to one value: as an initialiser, and as a value. */
/* clang-format off */
#define DIMS_VALUE(n) {{1, 1}, {(n), 1}, {1, 1}, DIMS_ALL, {1, 1}}
/* clang-format on */
static inline struct dims dims_value(uint64_t n)
{
    const struct dims dims = DIMS_VALUE(n);
    return dims;
}

/* n elements, one behind another, to one value, or to as many by a scan. */
static inline struct dims dims_run(uint64_t n, enum dims_scan scan)
{
    struct dims dims = dims_value(n);
    dims.scan = scan;
    return dims;
}

/* n elements, of which so many results with lengths of their own are made. */
static inline struct dims dims_segments(uint64_t results, uint64_t n)
{
    struct dims dims = dims_value(n);
    dims.outer.n = results;
    dims.outer.stride = 0;
    return dims;
}

/* Has each result a length of its own? */
static inline int dims_is_segmented(const struct dims *dims)
{
    return dims->outer.stride == 0 && dims->inner.n == 1;
}

/* How many indices are kept. */
static inline uint64_t dims_kept(const struct dims *dims)
{
    return dims->outer.n * dims->inner.n;
}

/* Does the depth lie in several spans? */
static inline int dims_has_spans(const struct dims *dims)
{
    return dims->span.n > 1 && dims->depth.n > dims->span.n;
}

/* Elements of a span. */
static inline uint64_t dims_span(const struct dims *dims)
{
    return dims_has_spans(dims) ? dims->span.n : dims->depth.n;
}

/* From a result's first element to its d-th. */
static inline uint64_t dims_place(const struct dims *dims, uint64_t d)
{
    if (!dims_has_spans(dims))
        return d * dims->depth.stride;
    return d / dims->span.n * dims->span.stride + d % dims->span.n * dims->depth.stride;
}

/* Do the elements of each result lie one behind another? */
static inline int dims_lie_together(const struct dims *dims)
{
    return dims->depth.stride == 1 && !dims_has_spans(dims);
}

/* Is it one result, whose elements lie one behind another? */
static inline int dims_is_value(const struct dims *dims)
{
    return dims->outer.n == 1 && dims->inner.n == 1 && dims_lie_together(dims) &&
           !dims_is_segmented(dims);
}

/* Values that a call writes. */
static inline uint64_t dims_results(const struct dims *dims)
{
    return dims_kept(dims) * (dims->scan ? dims->depth.n : 1);
}

/* Elements read; of segments those that they may be of. */
static inline uint64_t dims_n(const struct dims *dims)
{
    if (dims_is_segmented(dims))
        return dims->depth.n;
    return dims->outer.n * dims->depth.n * dims->inner.n;
}

/* Is one element of each result left, so that nothing is left to combine? */
static inline int dims_are_reduced(const struct dims *dims)
{
    return dims->depth.n == 1 && !dims_is_segmented(dims);
}

/* Elements from the first to the last, gaps too. */
static inline uint64_t dims_extent(const struct dims *dims)
{
    if (dims_n(dims) == 0 || dims_is_segmented(dims))
        return dims_n(dims);
    return (dims->outer.n - 1) * dims->outer.stride + dims_place(dims, dims->depth.n - 1) +
           (dims->inner.n - 1) * dims->inner.stride + 1;
}

/* From the first element to the d-th of a result. */
static inline uint64_t dims_at(const struct dims *dims, uint64_t result, uint64_t d)
{
    return result / dims->inner.n * dims->outer.stride + dims_place(dims, d) +
           result % dims->inner.n * dims->inner.stride;
}

/* The same results, each of `depth` elements, without gaps: what a pass leaves that wrote so many
 * partial results of each. */
static inline struct dims dims_left(const struct dims *dims, uint64_t depth)
{
    struct dims left = *dims;
    left.depth.n = depth;
    left.outer.stride = depth * left.inner.n;
    left.depth.stride = left.inner.n;
    left.inner.stride = 1;
    left.span = dims_value(1).span;
    return left;
}

/* Do axes lie otherwise than those of one value, rows, columns and a middle axis: in spans, or apart
 * where those have neighbours? In the canonical form. */
static inline int dims_is_strided(const struct dims *dims)
{
    return dims_has_spans(dims) || (dims->inner.n > 1 && dims->inner.stride > 1) ||
           (dims->outer.n > 1 && dims->inner.n == 1 && dims->depth.stride > 1);
}

/* Are results kept on both sides of what is combined, the inner ones side by side? */
static inline int dims_is_middle(const struct dims *dims)
{
    return dims->outer.n > 1 && dims->inner.n > 1 && !dims_is_strided(dims);
}

/* Are two axes kept? */
static inline int dims_has_two_kept(const struct dims *dims)
{
    return dims->outer.n > 1 && dims->inner.n > 1;
}

/* As dims_resized, of strided dims: their axes' strides, from the closest on, each behind what lies
 * closer and a gap. A depth of spans becomes a multiple of one, two or more of them. One result
 * without gaps is a run. */
static inline struct dims dims_resized_strided(const struct dims *dims, uint64_t results,
                                               uint64_t depth, uint64_t gap)
{
    enum { AXES = 4 };
    struct dims out = dims_run(depth, dims->scan);
    const int has_two = dims_has_two_kept(dims);
    const uint64_t most = has_two ? results / 2 : dims->inner.n > 1 ? results : 1;
    const uint64_t inner = has_two && dims->inner.n < most ? dims->inner.n : most;
    out.inner.n = inner > 1 ? inner : 1;
    out.outer.n = results / out.inner.n;
    if (results == 1 && gap == 0)
        return out;
    if (dims_has_spans(dims) && depth > 3) {
        out.span.n = dims->span.n < depth / 2 ? dims->span.n : depth / 2;
        out.depth.n = depth / out.span.n * out.span.n;
    }
    const uint64_t counts[AXES] = {dims_span(&out), out.inner.n,
                                   dims_has_spans(&out) ? out.depth.n / out.span.n : 1,
                                   out.outer.n};
    const uint64_t apart[AXES] = {dims->depth.stride, dims->inner.stride,
                                  dims_has_spans(dims) ? dims->span.stride : 1,
                                  dims->outer.stride};
    struct dim *const axes[AXES] = {&out.depth, &out.inner, &out.span, &out.outer};
    int is_placed[AXES] = {0, 0, 0, 0};
    const int lie_apart = (dims->depth.n == 1 || dims->depth.stride > 1) &&
                          (dims->inner.n == 1 || dims->inner.stride > 1) &&
                          (dims->outer.n == 1 || dims->outer.stride > 1);
    uint64_t stride = lie_apart ? 2 : 1; /* elements that lie apart still do */
    for (int k = 0; k < AXES; k++) {
        int next = -1;
        for (int i = 0; i < AXES; i++)
            if (!is_placed[i] && (next < 0 || apart[i] < apart[next]))
                next = i;
        is_placed[next] = 1;
        if (counts[next] < 2)
            continue;
        axes[next]->stride = stride;
        stride = stride * counts[next] + gap;
    }
    return out;
}

/* Dims of another size whose axes lie in the same order: so many results of `depth` elements each,
 * and `gap` elements between what lies together. Of a middle axis as many on the inner side, and
 * as many results, as go into two or more on the outer one. */
static inline struct dims dims_resized(const struct dims *dims, uint64_t results,
                                       uint64_t depth, uint64_t gap)
{
    struct dims out = dims_run(depth, dims->scan);
    if (dims_is_segmented(dims))
        return dims_segments(results, results * depth);
    if (dims_is_strided(dims))
        return dims_resized_strided(dims, results, depth, gap);
    if (dims_is_middle(dims)) {
        const uint64_t most = results > 1 ? results / 2 : 1;
        out.inner.n = dims->inner.n < most ? dims->inner.n : most;
        out.depth.stride = out.inner.n + gap;
        out.outer.n = results / out.inner.n;
        out.outer.stride = depth * out.depth.stride + gap;
    } else if (dims->inner.n > 1 || dims->depth.stride > 1) {
        out.depth.stride = results + gap;
        out.inner.n = results;
    } else {
        out.outer.n = results;
        out.outer.stride = depth + gap;
    }
    return out;
}

/* Elements between what lies together, as dims_resized has it. */
static inline uint64_t dims_gap(const struct dims *dims)
{
    if (dims_is_strided(dims) || dims_is_segmented(dims))
        return 0;
    if (dims->inner.n > 1 || dims->depth.stride > 1)
        return dims->depth.stride - dims->inner.n;
    return dims->outer.n > 1 ? dims->outer.stride - dims->depth.n : 0;
}

static inline int dims_is_same(const struct dims *a, const struct dims *b)
{
    return a->outer.n == b->outer.n && a->outer.stride == b->outer.stride &&
           a->depth.n == b->depth.n && a->depth.stride == b->depth.stride &&
           a->inner.n == b->inner.n && a->inner.stride == b->inner.stride &&
           a->scan == b->scan && dims_has_spans(a) == dims_has_spans(b) &&
           (!dims_has_spans(a) || (a->span.n == b->span.n && a->span.stride == b->span.stride));
}

/* Do both keep and combine along the same axes, in the same order, whatever their sizes? In the
 * canonical form. */
static inline int dims_is_alike(const struct dims *a, const struct dims *b)
{
    if (dims_is_segmented(a) || dims_is_segmented(b))
        return dims_is_segmented(a) && dims_is_segmented(b);
    return (a->outer.n > 1) == (b->outer.n > 1) && (a->inner.n > 1) == (b->inner.n > 1) &&
           (a->depth.stride > 1) == (b->depth.stride > 1) && a->scan == b->scan &&
           dims_has_spans(a) == dims_has_spans(b) && dims_is_strided(a) == dims_is_strided(b) &&
           (!dims_has_spans(a) ||
            (a->span.stride > a->outer.stride) == (b->span.stride > b->outer.stride));
}

/* The one form of all dims that ask for the same results of the same elements, as FFTW's tensors
 * have it: an axis of one has stride 1, kept axes that lie as one are one, so are spans and their
 * elements, and a single kept axis
 * is the inner one only where the results lie closer than the elements of each. */
static inline struct dims dims_canonical(const struct dims *dims)
{
    const struct dim unit = dims_value(1).outer;
    struct dims out = *dims;
    if (dims_is_segmented(dims)) {
        out.depth.stride = 1;
        return out;
    }
    if (out.outer.n == 1)
        out.outer = unit;
    if (!dims_has_spans(&out) || out.span.stride == out.span.n * out.depth.stride)
        out.span = unit;
    if (out.depth.n == 1)
        out.depth = unit;
    if (out.outer.n == 1 || out.inner.n == 1 ||
        out.outer.stride == out.inner.n * out.inner.stride) {
        struct dim kept = out.outer;
        if (out.inner.n > 1) {
            kept.n *= out.inner.n;
            kept.stride = out.inner.stride;
        }
        out.outer = out.inner = unit;
        if (kept.n > 1 && out.depth.n > 1 && kept.stride < out.depth.stride)
            out.inner = kept;
        else
            out.outer = kept;
    }
    return out;
}

#endif
