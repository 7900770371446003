/* host_bench: has several threads make the elements and fold them, and times by the host's clock: a
 * call ends when its result is in the host's memory. */
#include "autotune/measure/host_bench.h"

#include "autotune/device/monotonic.h"
#include "autotune/print/figures.h"
#include "autotune/verify/threads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_MOST = 1 << 30, FILL_STEP = 1 << 16 };

/* --- Elements ----------------------------------------------------------------------------- */

struct share {
    const struct oracle_input *input;
    struct oracle_fold fold;
    uint64_t first, count;
    unsigned char *to;
};

static void *fill_share(void *given)
{
    struct share *share = given;
    const uint64_t size = (uint64_t)problem_types[share->input->problem.type].bytes;
    oracle_fold_init(&share->fold, &share->input->problem);
    share->fold.next = share->first;
    for (uint64_t done = 0; done < share->count; done += FILL_STEP) {
        const uint64_t left = share->count - done, count = left < FILL_STEP ? left : FILL_STEP;
        unsigned char *const to = share->to + (share->first + done) * size;
        oracle_fill(share->input, share->first + done, count, to);
        oracle_fold_add(&share->fold, to, count);
    }
    return NULL;
}

static int fill(struct host_bench *bench, uint64_t seed, struct error *error)
{
    const uint64_t n = dims_n(&bench->problem.dims);
    const struct oracle_input input = {.problem = bench->problem,
                                       .seed = seed,
                                       .mark = n ? n - 1 : 0};
    struct share shares[THREADS_MAX];
    const size_t count = threads_of_cores();
    for (size_t i = 0; i < count; i++) {
        const uint64_t first = n / count * i;
        shares[i] = (struct share){.input = &input,
                                   .first = first,
                                   .count = (i + 1 < count ? n / count * (i + 1) : n) - first,
                                   .to = bench->pageable};
    }
    threads_run(fill_share, shares, sizeof *shares, count);
    for (size_t i = 1; i < count; i++)
        oracle_fold_merge(&shares[0].fold, &shares[i].fold);
    bench->doubt = oracle_fold_doubt(&shares[0].fold);
    return oracle_fold_finish(&shares[0].fold, &bench->expect, error);
}

int host_bench_make(struct host_bench *out, const struct problem *problem, uint64_t seed,
                    struct error *error)
{
    char wanted[NUMBER_CHARS], has[NUMBER_CHARS];
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    *out = (struct host_bench){.problem = *problem};
    out->bytes = dims_n(&problem->dims) * (uint64_t)problem_types[problem->type].bytes;
    if (3 * (double)out->bytes > memory)
        return error_set(
            error, ERROR_FAILED,
            "no room on this machine for two times %s of elements: it has %s; give "
            "a smaller --n",
            figures_size(wanted, (double)out->bytes), figures_size(has, memory));
    if (oracle_prepare(problem, error))
        return -1;
    out->pageable = malloc(out->bytes + 1);
    return out->pageable ? fill(out, seed, error) : error_memory(error, out->bytes);
}

/* --- The device --------------------------------------------------------------------------- */

static struct device *device_of(const struct host_bench *bench)
{
    return bench->host.library->device;
}

static int open_room(struct host_bench *bench, struct error *error)
{
    struct device *device = device_of(bench);
    bench->room_bytes = bench->bytes < PIECE_MOST ? bench->bytes : PIECE_MOST;
    if (device->ops->stream_open(device, false, &bench->stream, error) ||
        device->ops->alloc(device, bench->room_bytes + 1, &bench->room, error) ||
        device->ops->pin(device, bench->bytes + 1, &bench->pinned, error))
        return -1;
    memcpy(bench->pinned, bench->pageable, bench->bytes);
    return 0;
}

int host_bench_open(struct host_bench *bench, const struct host_context *host,
                    struct error *error)
{
    bench->host = *host;
    return open_room(bench, error);
}

void host_bench_close(struct host_bench *bench)
{
    if (bench->host.library) {
        struct device *device = device_of(bench);
        if (bench->stream)
            device->ops->stream_close(device, bench->stream);
        if (bench->room)
            device->ops->free(device, bench->room);
        if (bench->pinned)
            device->ops->unpin(device, bench->pinned);
    }
    host_context_close(&bench->host);
    free(bench->pageable);
}

/* --- Times -------------------------------------------------------------------------------- */

static const void *memory_of(const struct host_bench *bench, enum regime regime)
{
    return regime == PINNED ? bench->pinned : bench->pageable;
}

int host_bench_run(struct host_bench *bench, struct autotune_pipeline *pipeline,
                   enum regime regime, uint64_t *out_ps, struct error *error)
{
    const enum type type = problem_result(&bench->problem);
    char expected[ORACLE_CHARS], gotten[ORACLE_CHARS];
    struct autotune_error cause = {0};
    oracle_bits got = 0;
    const uint64_t start_ns = monotonic_ns();
    if (autotune_execute_host(pipeline, memory_of(bench, regime), dims_n(&bench->problem.dims),
                              &got, &cause))
        return host_context_error(&cause, error);
    *out_ps = (monotonic_ns() - start_ns) * 1000;
    const struct oracle_doubt *doubt =
        oracle_is_certain(&bench->problem) ? NULL : &bench->doubt;
    if (oracle_accepts(&bench->problem, bench->expect, doubt, dims_n(&bench->problem.dims),
                       got))
        return 0; /* a pipeline may combine in any order */
    return error_set(error, ERROR_WRONG,
                     "wrong result of data on the host: expected %s, got %s",
                     oracle_format(expected, type, bench->expect),
                     oracle_format(gotten, type, got));
}

int host_bench_copy(struct host_bench *bench, enum regime regime, uint64_t *out_ps,
                    struct error *error)
{
    struct device *device = device_of(bench);
    const unsigned char *from = memory_of(bench, regime);
    int failed = 0;
    const uint64_t start_ns = monotonic_ns();
    for (uint64_t at = 0; at < bench->bytes && !failed; at += bench->room_bytes) {
        const uint64_t left = bench->bytes - at;
        failed = device->ops->write_async(device, bench->room, from + at,
                                          left < bench->room_bytes ? left : bench->room_bytes,
                                          bench->stream, error);
    }
    failed = failed || device->ops->sync(device, bench->stream, error);
    *out_ps = (monotonic_ns() - start_ns) * 1000;
    return failed;
}
