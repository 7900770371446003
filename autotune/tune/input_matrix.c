/* input_matrix: a matrix is made whole in this process's memory, since columns need all rows. */
#include "autotune/tune/input_matrix.h"

#include "autotune/tune/oracle_matrix.h"
#include "autotune/tune/threads.h"
#include "generator/shape.h"

#include <stdlib.h>

enum { SHARE_LEAST = 1 << 16 };

/* Rows or results [first, first + count), made or folded by a thread. */
struct share {
    const struct oracle_input *source;
    void *elements;
    unsigned char *expects; /* of the first */
    uint64_t first, count;
    double largest;
    struct error error;
    int failed;
};

static void *fill_share(void *argument)
{
    struct share *share = argument;
    matrix_fill(share->source, share->first, share->count, share->elements);
    return NULL;
}

static void *fold_share(void *argument)
{
    struct share *share = argument;
    share->failed = matrix_decide(share->source, share->first, share->count, share->elements,
                                  share->expects, &share->largest, &share->error);
    return NULL;
}

static size_t count_threads(uint64_t elements)
{
    const uint64_t threads = threads_of_cores(), most = elements / SHARE_LEAST + 1;
    return (size_t)(threads < most ? threads : most);
}

static void divide(struct share *shares, size_t count, uint64_t total)
{
    for (size_t i = 0; i < count; i++) {
        shares[i].first = total / count * i + (i < total % count ? i : total % count);
        shares[i].count = total / count + (i < total % count);
    }
}

int input_matrix_fill(struct device *device, const struct oracle_input *source, uint64_t address,
                      void *expects, double *largest, struct error *error)
{
    const struct problem *problem = &source->problem;
    const uint64_t bytes = dims_extent(&problem->dims) * (uint64_t)problem_types[problem->type].bytes;
    const uint64_t result_bytes = (uint64_t)problem_types[problem_result(problem)].bytes;
    const size_t count = count_threads(dims_n(&problem->dims));
    struct share shares[THREADS_MAX];
    void *elements = malloc(bytes);
    if (!elements)
        return error_memory(error, bytes);
    for (size_t i = 0; i < count; i++)
        shares[i] = (struct share){.source = source, .elements = elements};
    divide(shares, count, shape_of(&problem->dims).rows);
    threads_run(fill_share, shares, sizeof *shares, count);
    divide(shares, count, dims_results(&problem->dims));
    for (size_t i = 0; i < count; i++)
        shares[i].expects = (unsigned char *)expects + shares[i].first * result_bytes;
    threads_run(fold_share, shares, sizeof *shares, count);
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (shares[i].failed && !failed)
            *error = shares[i].error;
        failed |= shares[i].failed;
        *largest = shares[i].largest > *largest ? shares[i].largest : *largest;
    }
    if (!failed)
        failed = device->ops->write(device, address, elements, bytes, error);
    free(elements);
    return failed ? -1 : 0;
}
