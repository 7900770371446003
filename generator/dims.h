/* dims: what a problem combines and what it keeps, as numbers. Result (o, i) combines the depth.n
 * elements that lie o * outer.stride + d * depth.stride + i * inner.stride behind the first;
 * results lie one behind another, i fastest. Where what is combined lies along several axes, the depth
 * is in spans, and these in wider ones: depth.n is a multiple of spans[k].n, the elements of one, and
 * spans[k].stride is from one's first to the next's. What is kept outside is in slices likewise. One
 * value is a depth alone; a result for each row is outer (rows, pitch) and depth (length, 1); one for
 * each column depth (rows, pitch) and inner (columns, 1); a middle axis has all three. A scan has a
 * result for each element: of all that are combined up to it. Segments are results with lengths of
 * their own: outer.n of them, with the stride 0, for offsets in memory say where each begins; depth.n
 * elements lie together, of which they are. Portable C99 without allocation, and C++17: exports carry
 * this file. */
#ifndef AUTOTUNE_DIMS_H
#define AUTOTUNE_DIMS_H

#include <stdint.h>

/* How many, and the elements from one to the next. */
struct dim {
    uint64_t n, stride;
};

/* Which elements are combined: all; or, for each element, all up to it, with it or without it. */
enum dims_scan { DIMS_ALL, DIMS_INCLUSIVE, DIMS_EXCLUSIVE, DIMS_SCANS };

/* Axes that are combined at most, and kept ones, once neighbours are one. */
enum { DIMS_AXES = 4, DIMS_SPANS = DIMS_AXES - 1, DIMS_SLICES = DIMS_AXES - 2 };

struct dims {
    struct dim outer, depth, inner; /* kept, combined, kept */
    enum dims_scan scan;
    struct dim spans[DIMS_SPANS];   /* of the depth, the closest first; n up to 1: no more */
    struct dim slices[DIMS_SLICES]; /* likewise of outer */
};

/* No spans and no slices; n elements, one behind another, to one value: as initialisers, and as a
 * value. */
/* clang-format off */
#define DIMS_WHOLE {{1, 1}, {1, 1}, {1, 1}}, {{1, 1}, {1, 1}}
#define DIMS_VALUE(n) {{1, 1}, {(n), 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE}
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

/* Do n elements make several such parts? */
static inline int dims_makes_several(const struct dim *part, uint64_t n)
{
    return part->n > 1 && n > part->n;
}

/* Is the depth in several spans; is what is kept outside in several slices? */
static inline int dims_has_spans(const struct dims *dims)
{
    return dims_makes_several(&dims->spans[0], dims->depth.n);
}

static inline int dims_has_slices(const struct dims *dims)
{
    return dims_makes_several(&dims->slices[0], dims->outer.n);
}

/* Are more than two axes combined, or more than two kept? */
static inline int dims_has_more_axes(const struct dims *dims)
{
    return dims_makes_several(&dims->spans[1], dims->depth.n) || dims_has_slices(dims);
}

/* Elements of a span. */
static inline uint64_t dims_span(const struct dims *dims)
{
    return dims_has_spans(dims) ? dims->spans[0].n : dims->depth.n;
}

/* From the first to number i of an axis that is in parts. */
static inline uint64_t dims_along(const struct dim *axis, const struct dim *parts, int count,
                                  uint64_t i)
{
    uint64_t place = 0;
    while (count-- > 0)
        if (dims_makes_several(&parts[count], axis->n)) {
            place += i / parts[count].n * parts[count].stride;
            i %= parts[count].n;
        }
    return place + i * axis->stride;
}

/* From a result's first element to its d-th, and from the first result's to that of result (o, 0). */
static inline uint64_t dims_place(const struct dims *dims, uint64_t d)
{
    return dims_along(&dims->depth, dims->spans, DIMS_SPANS, d);
}

static inline uint64_t dims_begin(const struct dims *dims, uint64_t o)
{
    return dims_along(&dims->outer, dims->slices, DIMS_SLICES, o);
}

/* The bits of all strides of further axes than two of a kind: 0 where there are none. */
static inline uint64_t dims_more_strides(const struct dims *dims)
{
    uint64_t bits = 0;
    for (int k = 1; k < DIMS_SPANS; k++)
        bits |= dims_makes_several(&dims->spans[k], dims->depth.n) ? dims->spans[k].stride : 0;
    for (int k = 0; k < DIMS_SLICES; k++)
        bits |=
            dims_makes_several(&dims->slices[k], dims->outer.n) ? dims->slices[k].stride : 0;
    return bits;
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
    return dims_begin(dims, dims->outer.n - 1) + dims_place(dims, dims->depth.n - 1) +
           (dims->inner.n - 1) * dims->inner.stride + 1;
}

/* From the first element to the d-th of a result. */
static inline uint64_t dims_at(const struct dims *dims, uint64_t result, uint64_t d)
{
    return dims_begin(dims, result / dims->inner.n) + dims_place(dims, d) +
           result % dims->inner.n * dims->inner.stride;
}

/* The same results, each of `depth` elements, without gaps: what a pass leaves that wrote so many
 * partial results of each. */
static inline struct dims dims_left(const struct dims *dims, uint64_t depth)
{
    struct dims left = dims_run(depth, dims->scan);
    left.outer.n = dims->outer.n;
    left.outer.stride = depth * dims->inner.n;
    left.depth.stride = dims->inner.n;
    left.inner.n = dims->inner.n;
    return left;
}

/* Do axes lie otherwise than those of one value, rows, columns and a middle axis: in spans or slices,
 * or apart where those have neighbours? In the canonical form. */
static inline int dims_is_strided(const struct dims *dims)
{
    return dims_has_spans(dims) || dims_has_slices(dims) ||
           (dims->inner.n > 1 && dims->inner.stride > 1) ||
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

/* The axes of one that is in parts, the closest first. Returns how many. */
static inline int dims_axes(struct dim *out, const struct dim *axis, const struct dim *parts,
                            int count)
{
    uint64_t each = 1;
    int axes = 0;
    out[0].stride = axis->stride;
    for (int k = 0; k < count && dims_makes_several(&parts[k], axis->n); k++) {
        out[axes].n = parts[k].n / each;
        each = parts[k].n;
        out[++axes].stride = parts[k].stride;
    }
    out[axes].n = axis->n / each;
    return axes + 1;
}

/* All axes of dims, combined and kept ones, those of which there are none as of one element. */
enum { DIMS_ALL_AXES = 2 * DIMS_AXES };
static inline void dims_all_axes(struct dim *out, const struct dims *dims)
{
    for (int i = 0; i < DIMS_ALL_AXES; i++)
        out[i] = dims_value(1).depth;
    dims_axes(out, &dims->depth, dims->spans, DIMS_SPANS);
    out[DIMS_AXES] = dims->inner;
    dims_axes(out + DIMS_AXES + 1, &dims->outer, dims->slices, DIMS_SLICES);
}

/* Gives an axis of n parts like those of another, as far as there are elements for two of each; n
 * becomes a multiple of them. */
static inline void dims_divide(struct dim *axis, struct dim *parts, const struct dim *like,
                               const struct dim *like_parts, int count)
{
    struct dim axes[DIMS_AXES];
    const int parts_of_like = dims_axes(axes, like, like_parts, count) - 1;
    uint64_t each = 1;
    for (int k = 0; k < parts_of_like && axis->n / each > 3; k++) {
        const uint64_t left = axis->n / each;
        uint64_t most = left / 2; /* leaves two for each wider one */
        for (int wider = k + 1; wider < parts_of_like && most > 3; wider++)
            most /= 2;
        each *= axes[k].n > 0 && axes[k].n < most ? axes[k].n : most;
        parts[k].n = each;
    }
    axis->n -= axis->n % each;
}

/* As dims_resized, of strided dims: their axes' strides, from the closest on, each behind what lies
 * closer and a gap. An axis in parts becomes a multiple of one, two or more of them. One result
 * without gaps is a run. */
static inline struct dims dims_resized_strided(const struct dims *dims, uint64_t results,
                                               uint64_t depth, uint64_t gap)
{
    struct dims out = dims_run(depth, dims->scan);
    const int has_two = dims_has_two_kept(dims);
    struct dim outside[DIMS_AXES];
    const int axes_outside = dims_axes(outside, &dims->outer, dims->slices, DIMS_SLICES);
    const uint64_t most = has_two             ? results >> axes_outside
                          : dims->inner.n > 1 ? results
                                              : 1; /* two for each axis outside */
    const uint64_t inner = has_two && dims->inner.n < most ? dims->inner.n : most;
    out.inner.n = inner > 1 ? inner : 1;
    out.outer.n = results / out.inner.n;
    if (results == 1 && gap == 0)
        return out;
    dims_divide(&out.depth, out.spans, &dims->depth, dims->spans, DIMS_SPANS);
    dims_divide(&out.outer, out.slices, &dims->outer, dims->slices, DIMS_SLICES);
    /* as dims_all_axes has them */
    struct dim *const at[DIMS_ALL_AXES] = {&out.depth,     &out.spans[0], &out.spans[1],
                                           &out.spans[2],  &out.inner,    &out.outer,
                                           &out.slices[0], &out.slices[1]};
    struct dim axes[DIMS_ALL_AXES], like[DIMS_ALL_AXES];
    int is_placed[DIMS_ALL_AXES] = {0};
    uint64_t stride = 2; /* elements that lie apart still do */
    dims_all_axes(axes, &out);
    dims_all_axes(like, dims);
    for (int i = 0; i < DIMS_ALL_AXES; i++)
        if (like[i].n > 1 && like[i].stride < 2)
            stride = 1;
    for (int k = 0; k < DIMS_ALL_AXES; k++) {
        int next = -1;
        for (int i = 0; i < DIMS_ALL_AXES; i++)
            if (!is_placed[i] && (next < 0 || like[i].stride < like[next].stride))
                next = i;
        is_placed[next] = 1;
        if (axes[next].n < 2)
            continue;
        at[next]->stride = stride;
        stride = stride * axes[next].n + gap;
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
    struct dim one[DIMS_ALL_AXES], other[DIMS_ALL_AXES];
    int is_same = a->scan == b->scan;
    dims_all_axes(one, a);
    dims_all_axes(other, b);
    for (int i = 0; i < DIMS_ALL_AXES; i++)
        is_same = is_same && one[i].n == other[i].n && one[i].stride == other[i].stride;
    return is_same;
}

/* Do both keep and combine along the same axes, in the same order, whatever their sizes? In the
 * canonical form. */
static inline int dims_is_alike(const struct dims *a, const struct dims *b)
{
    struct dim one[DIMS_ALL_AXES], other[DIMS_ALL_AXES];
    int is_alike = a->scan == b->scan && (a->depth.stride > 1) == (b->depth.stride > 1) &&
                   dims_is_strided(a) == dims_is_strided(b);
    if (dims_is_segmented(a) || dims_is_segmented(b))
        return dims_is_segmented(a) && dims_is_segmented(b);
    dims_all_axes(one, a);
    dims_all_axes(other, b);
    for (int i = 0; i < DIMS_ALL_AXES; i++) {
        is_alike = is_alike && ((one[i].n > 1) == (other[i].n > 1) || i == 0);
        for (int k = 0; k < i && dims_is_strided(a); k++)
            if (one[i].n > 1 && one[k].n > 1)
                is_alike = is_alike && (one[i].stride > one[k].stride) ==
                                           (other[i].stride > other[k].stride);
    }
    return is_alike;
}

/* Makes one of axes that lie as one, the closest first; those of one element go, and of nothing at all
 * one axis is left. Returns how many are. */
static inline int dims_merge(struct dim *axes, int count)
{
    int used = 0;
    for (int i = 0; i < count; i++) {
        if (axes[i].n == 0) {
            axes[0] = dims_value(0).depth;
            return 1;
        }
        if (axes[i].n == 1)
            continue;
        if (used > 0 && axes[i].stride == axes[used - 1].n * axes[used - 1].stride)
            axes[used - 1].n *= axes[i].n;
        else
            axes[used++] = axes[i];
    }
    return used;
}

/* An axis, with its parts, of axes, the closest first. */
static inline void dims_join(struct dim *axis, struct dim *parts, const struct dim *axes,
                             int count)
{
    *axis = axes[0];
    for (int k = 1; k < count; k++) {
        parts[k - 1].n = axis->n;
        parts[k - 1].stride = axes[k].stride;
        axis->n *= axes[k].n;
    }
}

/* The dims of merged axes, at most DIMS_AXES of each kind, the closest first: a single kept axis is the
 * inner one only where the results lie closer than the elements of each. */
static inline struct dims dims_from_axes(const struct dim *kept, int kept_count,
                                         const struct dim *combined, int combined_count,
                                         enum dims_scan scan)
{
    struct dims out = dims_run(1, scan);
    if (combined_count > 0)
        dims_join(&out.depth, out.spans, combined, combined_count);
    if (kept_count > 1) {
        out.inner = kept[0];
        dims_join(&out.outer, out.slices, kept + 1, kept_count - 1);
    } else if (kept_count == 1 && out.depth.n > 1 && kept[0].stride < out.depth.stride) {
        out.inner = kept[0];
    } else if (kept_count == 1) {
        out.outer = kept[0];
    }
    return out;
}

/* The one form of all dims that ask for the same results of the same elements, as FFTW's tensors
 * have it: an axis of one has stride 1, and neighbours of a kind that lie as one are one. */
static inline struct dims dims_canonical(const struct dims *dims)
{
    struct dim axes[DIMS_ALL_AXES];
    if (dims_is_segmented(dims)) {
        struct dims out = *dims;
        out.depth.stride = 1;
        return out;
    }
    dims_all_axes(axes, dims);
    const int combined = dims_merge(axes, DIMS_AXES);
    const int kept = dims_merge(axes + DIMS_AXES, DIMS_AXES);
    return dims_from_axes(axes + DIMS_AXES, kept, axes, combined, dims->scan);
}

#endif
