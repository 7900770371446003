/* One sum over what lies on many GPUs or machines: each rank reduces its part by the library; the
 * values of its subtrees are gathered and combined, so that the sum has the bits that one GPU gives
 * for all elements, whatever the number of ranks. Beside it the fast form, MPI_Allreduce of one value
 * a rank, whose bits may differ.
 *   mpicc -std=c99 mpi_sum.c $(pkg-config --cflags --libs autotune) -lm             the emulator
 *   mpicc -std=c99 -DUSE_CUDA mpi_sum.c $(pkg-config --cflags --libs autotune) -lm \
 *       -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcudart                  GPUs
 *   mpirun -n 4 ./a.out [N]
 */
#define _POSIX_C_SOURCE 200809L
#include <autotune.h>
#include <autotune_reference.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef USE_CUDA
#include <cuda_runtime_api.h>
#endif

enum { CHUNK = 1 << 20, ROUNDS = 5, CHECKED = 1 << 24 };

static void check(int code, const struct autotune_error *error)
{
    if (code == AUTOTUNE_OK)
        return;
    fprintf(stderr, "autotune, code %d: %s\n", code, error->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --- Memory of the device that reduces ---------------------------------------------------- */

#ifdef USE_CUDA
static void check_cuda(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Ranks of a host take its GPUs in turn. */
static const char *open_device(void)
{
    MPI_Comm host;
    int rank, count;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_free(&host);
    check_cuda(cudaGetDeviceCount(&count));
    check_cuda(cudaSetDevice(rank % count));
    check_cuda(cudaFree(NULL)); /* its context is current from now on */
    return NULL;
}

static void *allocate(size_t bytes)
{
    void *memory = NULL;
    check_cuda(cudaMalloc(&memory, bytes ? bytes : 1));
    return memory;
}

static void release(void *memory)
{
    check_cuda(cudaFree(memory));
}

static void copy(void *to, const void *from, size_t bytes)
{
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

static void wait_for_device(void)
{
    check_cuda(cudaDeviceSynchronize());
}
#else
static const char *open_device(void)
{
    return "host";
}

static void *allocate(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 256, bytes ? bytes : 1))
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static void release(void *memory)
{
    free(memory);
}

static void copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void wait_for_device(void)
{
}
#endif

/* --- The elements ------------------------------------------------------------------------- */

/* Any order of adding these rounds otherwise. */
static float element(uint64_t i)
{
    const uint32_t mixed = (uint32_t)(i ^ i >> 32) * 2654435761u;
    return (float)(mixed >> 8) * 1e-7f - 0.5f;
}

static float *make_part(uint64_t first, uint64_t end)
{
    float *part = allocate((size_t)(end - first) * sizeof *part);
    float *chunk = malloc(CHUNK * sizeof *chunk);
    for (uint64_t at = first; chunk && at < end; at += CHUNK) {
        const uint64_t count = end - at < CHUNK ? end - at : CHUNK;
        for (uint64_t i = 0; i < count; i++)
            chunk[i] = element(at + i);
        copy(part + (at - first), chunk, (size_t)count * sizeof *chunk);
    }
    free(chunk);
    return part;
}

/* --- The sum ------------------------------------------------------------------------------ */

struct reduction {
    struct autotune_plan *plan;
    struct autotune_workspace *workspace;
};

static struct reduction open_reduction(struct autotune_context *context, uint64_t n, int order)
{
    const struct autotune_problem problem = {.op = "sum",
                                             .type = "f32",
                                             .n = n,
                                             .order = order};
    struct autotune_error error;
    struct reduction out;
    check(autotune_plan_create(&out.plan, context, &problem, NULL, &error), &error);
    check(autotune_workspace_create(&out.workspace, out.plan, NULL, NULL, &error), &error);
    return out;
}

static void close_reduction(struct reduction *reduction)
{
    struct autotune_error error;
    check(autotune_workspace_destroy(reduction->workspace, &error), &error);
    check(autotune_plan_destroy(reduction->plan, &error), &error);
}

/* The value of each subtree of the part that begins with element `first`; `results` is on the device. */
static void reduce_subtrees(const struct reduction *reduction, const float *part,
                            uint64_t first, struct autotune_subtree *subtrees, int count,
                            float *results)
{
    struct autotune_error error;
    float values[AUTOTUNE_SUBTREES];
    for (int i = 0; i < count; i++)
        check(autotune_execute(reduction->workspace, part + (subtrees[i].first - first),
                               subtrees[i].count, results + i, NULL, &error),
              &error);
    copy(values, results, (size_t)count * sizeof *values);
    for (int i = 0; i < count; i++)
        subtrees[i].value = values[i];
}

/* On rank 0 the sum of all n elements. Every rank's subtrees are kilobytes at most. */
static float combine_all(const struct autotune_subtree *own, int count, uint64_t n)
{
    int rank, ranks, all_count = 0;
    float sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *bytes = calloc((size_t)ranks, sizeof *bytes), *at = calloc((size_t)ranks, sizeof *at);
    const int own_bytes = count * (int)sizeof *own;
    MPI_Gather(&own_bytes, 1, MPI_INT, bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks; i++) {
        at[i] = all_count;
        all_count += bytes[i];
    }
    struct autotune_subtree *all = malloc((size_t)all_count + 1);
    MPI_Gatherv(own, own_bytes, MPI_BYTE, all, bytes, at, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0 &&
        autotune_combine(&sum, "sum", "f32", all, (size_t)all_count / sizeof *all, n))
        MPI_Abort(MPI_COMM_WORLD, 1);
    free(all);
    free(bytes);
    free(at);
    return sum;
}

/* What one processor makes of all, bit for bit; it takes ns an element. */
static int is_right(float sum, uint64_t n)
{
    float *all = make_part(0, n), expected = 0;
#ifdef USE_CUDA
    float *here = malloc((size_t)n * sizeof *here + 1);
    copy(here, all, (size_t)n * sizeof *here);
    autotune_reference(&expected, "sum", "f32", "f32", here, n, 1);
    free(here);
#else
    autotune_reference(&expected, "sum", "f32", "f32", all, n, 1);
#endif
    release(all);
    return memcmp(&sum, &expected, sizeof sum) == 0;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    int rank, ranks, status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000003;
    const uint64_t leaves = autotune_leaves(n);

    /* Parts begin between leaves; the last ends where all end. */
    const uint64_t first = leaves * (uint64_t)rank / (uint64_t)ranks * AUTOTUNE_LEAF;
    const uint64_t next = leaves * (uint64_t)(rank + 1) / (uint64_t)ranks * AUTOTUNE_LEAF;
    const uint64_t end = next < n ? next : n;
    struct autotune_subtree subtrees[AUTOTUNE_SUBTREES];
    const int count = autotune_subtrees(subtrees, first, end, n);
    uint64_t longest = 1;
    for (int i = 0; i < count; i++)
        longest = subtrees[i].count > longest ? subtrees[i].count : longest;

    const struct autotune_context_options options = {.device = open_device()};
    struct autotune_context *context;
    struct autotune_error error;
    check(autotune_context_create(&context, &options, &error), &error);
    float *part = make_part(first, end);
    float *results = allocate(AUTOTUNE_SUBTREES * sizeof *results);
    struct reduction by_n = open_reduction(context, longest, AUTOTUNE_ORDER_BY_N);
    struct reduction fast = open_reduction(context, end - first ? end - first : 1, 0);

    double seconds = 1e9, fast_seconds = 1e9;
    float sum = 0, own = 0, fast_sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        wait_for_device();
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        reduce_subtrees(&by_n, part, first, subtrees, count, results);
        sum = combine_all(subtrees, count, n);
        const double middle = MPI_Wtime();
        check(autotune_execute(fast.workspace, part, end - first, results, NULL, &error),
              &error);
        copy(&own, results, sizeof own);
        MPI_Allreduce(&own, &fast_sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        seconds = least(seconds, middle - start);
        fast_seconds = least(fast_seconds, MPI_Wtime() - middle);
    }
    if (rank == 0) {
        uint32_t bits;
        memcpy(&bits, &sum, sizeof bits);
        printf(
            "sum of %llu floats by %d ranks: %.9g, bits %08x, %.3f ms; by MPI_Allreduce %.9g, "
            "%.3f ms\n",
            (unsigned long long)n, ranks, (double)sum, bits, seconds * 1e3, (double)fast_sum,
            fast_seconds * 1e3);
        status = n <= CHECKED && !is_right(sum, n);
    }
    close_reduction(&by_n);
    close_reduction(&fast);
    release(results);
    release(part);
    check(autotune_context_destroy(context, &error), &error);
    MPI_Finalize();
    return status;
}
