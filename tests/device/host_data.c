/* host_data: what a test of data on the host needs on a machine with a GPU (tests/gpu/host_data.sh):
 * a large file of hashed elements whose sums are known, a ballast that leaves little of the GPU's
 * memory, and a proof of pipelines over operations, types, orders and scans.
 *
 *     host_data make FILE BYTES PART     prints the sum of its i32, of its u8, of the u8 of its first
 *                                        PART bytes, and where its one byte of 255 stands
 *     host_data ballast DEVICE BYTES     leaves so many bytes free until stdin ends
 *     host_data prove DEVICE             each result beside the reference's */
#include "autotune/measure/host_context.h"
#include "autotune/verify/oracle.h"
#include "autotune/verify/threads.h"
#include "generator/random.h"
#include "tests/unit/named_op.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int complain(const char *text)
{
    fprintf(stderr, "host_data: %s\n", text);
    return 1;
}

/* --- The file ----------------------------------------------------------------------------- */

enum { PIECE = 1 << 20 };

struct share {
    int file;
    uint64_t from, to, part, marked;
    int64_t sum;          /* of i32 */
    uint64_t bytes, head; /* sums of u8 */
    int failed;
};

/* Each byte is 1 to 254, by a hash of where it stands. */
static void fill(unsigned char *to, uint64_t at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t state = (at + i) * 0x9e3779b97f4a7c15u;
        const uint64_t drawn = random_next(&state);
        for (size_t k = 0; k < 8; k++)
            to[i + k] = (unsigned char)(1 + (drawn >> 8 * k & 255) * 254 / 256);
    }
}

static void *make_share(void *given)
{
    struct share *share = given;
    unsigned char *piece = malloc(PIECE);
    share->failed = !piece;
    for (uint64_t at = share->from; at < share->to && !share->failed; at += PIECE) {
        const size_t bytes = share->to - at < PIECE ? share->to - at : PIECE;
        fill(piece, at, bytes);
        if (share->marked >= at && share->marked < at + bytes)
            piece[share->marked - at] = 255;
        for (size_t i = 0; i < bytes; i += 4) {
            int32_t element;
            memcpy(&element, piece + i, sizeof element);
            share->sum += element;
        }
        for (size_t i = 0; i < bytes; i++) {
            share->bytes += piece[i];
            share->head += at + i < share->part ? piece[i] : 0;
        }
        share->failed = pwrite(share->file, piece, bytes, (off_t)at) != (ssize_t)bytes;
    }
    free(piece);
    return NULL;
}

static int make(const char *path, uint64_t bytes, uint64_t part)
{
    struct share shares[THREADS_MAX] = {{0}};
    const size_t count = threads_of_cores();
    const uint64_t each = (bytes / count / PIECE + 1) * PIECE, marked = bytes - bytes / 9 - 3;
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || bytes % 8)
        return complain("the file cannot be made, or its bytes are no multiple of 8");
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = each * i < bytes ? each * i : bytes;
        shares[i] = (struct share){.file = file,
                                   .from = from,
                                   .to = from + each < bytes ? from + each : bytes,
                                   .part = part,
                                   .marked = marked};
    }
    threads_run(make_share, shares, sizeof *shares, count);
    for (size_t i = 1; i < count; i++) {
        shares[0].sum += shares[i].sum;
        shares[0].bytes += shares[i].bytes;
        shares[0].head += shares[i].head;
        shares[0].failed |= shares[i].failed;
    }
    if (close(file) || shares[0].failed)
        return complain("the file cannot be written");
    printf("%" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", shares[0].sum, shares[0].bytes,
           shares[0].head, marked);
    return 0;
}

/* --- The ballast -------------------------------------------------------------------------- */

static int hold(const char *spec, uint64_t keep)
{
    const struct device_options options = {.spec = spec};
    struct device *device;
    struct error error;
    uint64_t left = 0, address, step = UINT64_C(1) << 32;
    char byte;
    if (device_open(&device, &options, &error))
        return complain(error.text);
    for (; step >= 1 << 21; step /= 2)
        while (!device->ops->free_bytes(device, &left, &error) && left > keep + step)
            if (device->ops->alloc(device, step, &address, &error))
                break;
    printf("%" PRIu64 " bytes are left\n", left);
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    device_close(device);
    return 0;
}

/* --- The proof ---------------------------------------------------------------------------- */

enum { CHUNK = 1 << 16, MOST = 5 * CHUNK + 333 };

static const uint64_t sizes[] = {1,         2,         CHUNK - 1,     CHUNK,
                                 CHUNK + 1, 2 * CHUNK, 3 * CHUNK - 1, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A result, or those of a scan, and the right ones. */
static int compare(struct autotune_pipeline *pipeline, const struct problem *problem,
                   const unsigned char *elements)
{
    const size_t size = (size_t)problem_types[problem_result(problem)].bytes;
    const uint64_t n = dims_n(&problem->dims), results = problem->dims.scan ? n : 1;
    unsigned char *got = malloc(results * size + 8), *expects = malloc(results * size + 8);
    struct autotune_error cause = {0};
    struct oracle_fold fold;
    struct error error;
    int wrong = !got || !expects;
    oracle_fold_init(&fold, problem);
    if (!wrong && problem->dims.scan) {
        oracle_fold_scan(&fold, elements, n, expects, NULL);
    } else if (!wrong) {
        oracle_bits bits;
        oracle_fold_add(&fold, elements, n);
        wrong = oracle_fold_finish(&fold, &bits, &error);
        memcpy(expects, &bits, sizeof bits);
    }
    wrong = wrong || autotune_execute_host(pipeline, elements, n, got, &cause) ||
            memcmp(got, expects, results * size) != 0;
    free(got);
    free(expects);
    return wrong;
}

static int prove_problem(const struct host_context *host, struct problem problem)
{
    const struct autotune_pipeline_options options = {
        .chunk_bytes = CHUNK * (uint64_t)problem_types[problem.type].bytes};
    const size_t size = (size_t)problem_types[problem.type].bytes;
    unsigned char *elements = malloc((MOST + 1) * size);
    struct autotune_pipeline *pipeline = NULL;
    char name[PROBLEM_CHARS];
    struct error error = {.code = ERROR_NONE};
    int wrong = 0;
    if (!elements || host_context_pipeline(&pipeline, host, &problem, &options, &error)) {
        printf("%s: %s\n", problem_format(name, &problem), error.text);
        free(elements);
        return 1;
    }
    for (size_t i = 0; i < SIZES; i++) {
        problem.dims.depth.n = sizes[i];
        /* the deciding element: the last, the first of the last chunk, and in between */
        const uint64_t marks[] = {sizes[i] - 1, (sizes[i] - 1) / CHUNK * CHUNK, sizes[i] / 2};
        for (size_t m = 0; m < 3; m++) {
            const struct oracle_input input = {.problem = problem,
                                               .seed = i + m,
                                               .mark = marks[m]};
            unsigned char *const at = elements + (i % 2) * size;
            oracle_fill(&input, 0, sizes[i], at);
            const int is_wrong = compare(pipeline, &problem, at);
            if (is_wrong)
                printf("WRONG %s, marked at %" PRIu64 "\n", problem_format(name, &problem),
                       marks[m]);
            wrong += is_wrong;
        }
    }
    autotune_pipeline_destroy(pipeline, NULL);
    free(elements);
    return wrong;
}

static int prove(const char *spec)
{
    struct host_context host;
    struct error error, ignored;
    int wrong = 0, problems = 0;
    if (host_context_open(&host, spec, NULL, NULL, 1, &error))
        return complain(error.text);
    for (int op = 0; op < OP_COUNT; op++)
        for (int type = 0; type < TYPE_COUNT; type++)
            for (int scan = 0; scan < DIMS_SCANS; scan++)
                for (int order = 0; order < ORDER_COUNT; order++) {
                    struct problem problem = {.op = op_of((enum op)op),
                                              .type = (enum type)type,
                                              .acc = problem_default_acc((enum type)type),
                                              .dims = dims_run(MOST, (enum dims_scan)scan),
                                              .regime = PAGEABLE,
                                              .order = (enum order)order};
                    const bool is_usual = type == I32 || type == F32 || op == SUM;
                    if (!is_usual || problem_check(&problem, &ignored) ||
                        (order && !problem_rounds(&problem)) ||
                        (scan && (law_of((enum op)op)->is_position || op == SUMSQ ||
                                  order == ORDER_BY_N || problem.type != problem.acc || order ||
                                  op > MAX)))
                        continue;
                    wrong += prove_problem(&host, problem);
                    problems++;
                }
    host_context_close(&host);
    printf("%d problems, %d wrong\n", problems, wrong);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc == 5 && strcmp(what, "make") == 0)
        return make(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    if (argc == 4 && strcmp(what, "ballast") == 0)
        return hold(argv[2], strtoull(argv[3], NULL, 10));
    if (argc == 3 && strcmp(what, "prove") == 0)
        return prove(argv[2]);
    return complain("make FILE BYTES PART, ballast DEVICE BYTES, or prove DEVICE");
}
