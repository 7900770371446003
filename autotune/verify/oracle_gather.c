/* oracle_gather: folds the results of an array in any layout. Elements that lie apart are
 * gathered for a strip of results at a time, so that each line of memory is read once. */
#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"
#include "autotune/verify/oracle_own.h"

#include <string.h>

enum {
    STRIP = 64,      /* results */
    PIECE = 512,     /* elements of each */
    ELEMENT_MAX = 8, /* bytes */
};

/* The elements of a result from `first` on; where they lie apart at most PIECE, copied to
 * `room`. */
static const void *gather(const struct problem *problem, const void *elements, uint64_t result,
                          uint64_t first, uint64_t count,
                          unsigned char room[PIECE * ELEMENT_MAX])
{
    const struct dims *dims = &problem->dims;
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    const unsigned char *from =
        (const unsigned char *)elements + dims_at(dims, result, 0) * bytes;
    if (dims_lie_together(dims))
        return from + first * bytes;
    for (uint64_t i = 0; i < count; i++)
        memcpy(room + i * bytes, from + dims_place(dims, first + i) * bytes, bytes);
    return room;
}

/* How many of the elements from `first` on to gather at a time. */
static uint64_t piece_from(const struct problem *problem, uint64_t first)
{
    const uint64_t left = problem->dims.depth.n - first;
    return left < PIECE || dims_lie_together(&problem->dims) ? left : PIECE;
}

/* Folds at most STRIP results. */
static int fold_strip(const struct problem *problem, uint64_t first, uint64_t count,
                      const void *elements, void *expects, struct oracle_doubt *doubts,
                      double *largest, struct error *error)
{
    unsigned char room[PIECE * ELEMENT_MAX];
    struct oracle_fold folds[STRIP];
    uint64_t take;
    for (uint64_t r = 0; r < count; r++) {
        oracle_fold_init(&folds[r], problem);
        if (doubts)
            oracle_fold_roughly(&folds[r]);
    }
    for (uint64_t i = 0; i < problem->dims.depth.n; i += take) {
        take = piece_from(problem, i);
        for (uint64_t r = 0; r < count; r++)
            oracle_fold_add(&folds[r], gather(problem, elements, first + r, i, take, room),
                            take);
    }
    for (uint64_t r = 0; r < count; r++) {
        oracle_bits bits;
        if (oracle_fold_finish(&folds[r], &bits, error))
            return -1;
        *largest = folds[r].largest > *largest ? folds[r].largest : *largest;
        element_store_word(problem_result(problem), bits, expects, r);
        if (doubts)
            doubts[r] = oracle_fold_doubt(&folds[r]);
    }
    return 0;
}

int oracle_fold_results(const struct problem *problem, uint64_t first, uint64_t count,
                        const void *elements, void *expects, struct oracle_doubt *doubts,
                        double *largest, struct error *error)
{
    const size_t bytes = (size_t)problem_types[problem_result(problem)].bytes;
    const struct oracle_mapped *mapped = oracle_mapped(problem);
    if (mapped && mapped_own(mapped)) {
        own_fold_results(mapped_own(mapped), problem, first, count, elements, expects, doubts);
        return 0;
    }
    for (uint64_t done = 0; done < count; done += STRIP) {
        const uint64_t take = count - done < STRIP ? count - done : STRIP;
        if (fold_strip(problem, first + done, take, elements,
                       (unsigned char *)expects + done * bytes, doubts ? doubts + done : NULL,
                       largest, error))
            return -1;
    }
    return 0;
}

int oracle_scan_rows(const struct problem *problem, uint64_t first, uint64_t count,
                     const void *elements, void *expects, struct oracle_doubt *doubts,
                     double *largest, struct error *error)
{
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    const size_t result_bytes = (size_t)problem_types[problem_result(problem)].bytes;
    const struct dims *dims = &problem->dims;
    for (uint64_t r = first; r < first + count; r++) {
        struct oracle_fold fold;
        oracle_bits ignored;
        oracle_fold_init(&fold, problem);
        oracle_fold_scan(&fold, (const unsigned char *)elements + dims_at(dims, r, 0) * bytes,
                         dims->depth.n,
                         (unsigned char *)expects + r * dims->depth.n * result_bytes,
                         doubts ? doubts + r * dims->depth.n : NULL);
        if (oracle_fold_finish(&fold, &ignored, error))
            return -1;
        *largest = fold.largest > *largest ? fold.largest : *largest;
    }
    return 0;
}

/* Of a scan of one row, whose elements lie together. */
static void refer_to_each(struct oracle_reference *out, const struct problem *problem,
                          const void *elements)
{
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    struct oracle_reference sum = {0};
    double compensation = 0;
    for (uint64_t i = 0; i < problem->dims.depth.n; i++) {
        out[i] = sum;
        oracle_reference_add(&sum, problem, (const unsigned char *)elements + i * bytes, 1,
                             &compensation);
        if (problem->dims.scan == DIMS_INCLUSIVE)
            out[i] = sum;
    }
    /* Of no elements there is no product yet. */
    if (problem->dims.scan == DIMS_EXCLUSIVE && problem->dims.depth.n > 0)
        out[0].value = oracle_op(problem)->start;
}

void oracle_references(struct oracle_reference *out, const struct problem *problem,
                       const void *elements)
{
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    for (uint64_t r = 0; problem->dims.scan && r < dims_kept(&problem->dims); r++)
        refer_to_each(out + r * problem->dims.depth.n, problem,
                      (const unsigned char *)elements + dims_at(&problem->dims, r, 0) * bytes);
    if (problem->dims.scan)
        return;
    unsigned char room[PIECE * ELEMENT_MAX];
    for (uint64_t r = 0; r < dims_results(&problem->dims); r++) {
        double compensation = 0;
        uint64_t take;
        out[r] = (struct oracle_reference){0};
        for (uint64_t i = 0; i < problem->dims.depth.n; i += take) {
            take = piece_from(problem, i);
            oracle_reference_add(&out[r], problem, gather(problem, elements, r, i, take, room),
                                 take, &compensation);
        }
    }
}
