/* Tests of the library's pipelines on the emulator, whose streams do their work late and in a random
 * order: results of any n, around every border of a chunk, of each class of operations, from
 * pageable and pinned memory and from sources, in order n, of scans; what is refused, and what a
 * failed call leaves. */
#include "autotune/library/pipeline.h"
#include "include/autotune_reference.h"
#include "tests/unit/host_plans.h"
#include "tests/unit/named_op.h"

#include <errno.h>
#include <fenv.h>
#include <math.h>

enum { CHUNK = 1024, MOST = 9 * CHUNK + 77 };

static const uint64_t sizes[] = {0,         1,         31,        CHUNK - 1,     CHUNK,
                                 CHUNK + 1, 2 * CHUNK, 3 * CHUNK, 3 * CHUNK - 1, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct autotune_pipeline *make_pipeline(struct autotune_context *context,
                                               const struct autotune_problem *problem,
                                               unsigned streams, unsigned copiers)
{
    const struct autotune_plan_options from = {.from = AUTOTUNE_FROM_DEFAULT};
    const struct autotune_pipeline_options options = {.streams = streams,
                                                      .chunk_bytes = 1,
                                                      .copiers = copiers};
    struct autotune_pipeline *pipeline = NULL;
    if (autotune_pipeline_create(&pipeline, context, problem, &from, &options, &error))
        fail_msg("%s", error.text);
    return pipeline;
}

static void close_pipeline(struct autotune_pipeline *pipeline)
{
    assert_int_equal(autotune_pipeline_destroy(pipeline, &error), 0);
}

static uint32_t hash(uint32_t i)
{
    i = (i ^ i >> 15) * 2654435761u;
    return i ^ i >> 13;
}

/* --- Copies that fail --------------------------------------------------------------------- */

static const struct device_ops *real;
static int copies_left, turn; /* that succeed; which one fails */

static int fail_in_turn(struct error *cause)
{
    return copies_left-- > 0 ? 0
                             : error_set(cause, ERROR_FAILED, "copy %d came to nothing", turn);
}

static int write_in_turn(struct device *device, uint64_t to, const void *from, uint64_t bytes,
                         void *stream, struct error *cause)
{
    return fail_in_turn(cause) ? -1 : real->write_async(device, to, from, bytes, stream, cause);
}

static int read_in_turn(struct device *device, void *to, uint64_t from, uint64_t bytes,
                        void *stream, struct error *cause)
{
    return fail_in_turn(cause) ? -1 : real->read_async(device, to, from, bytes, stream, cause);
}

/* Each copy of a call fails once: the call says so, and the next one is right. */
static void test_failing_copies(void **state)
{
    static int32_t x[3 * CHUNK];
    const struct autotune_problem problem = {.op = "argmax", .type = "i32", .n = MOST};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_pipeline *pipeline = make_pipeline(context, &problem, 2, 1);
    struct device_ops failing = *context->device->ops;
    int failed = -1;
    char said[40];
    (void)state;
    for (uint32_t i = 0; i < 3 * CHUNK; i++)
        x[i] = (int32_t)(hash(i) % 1000);
    x[CHUNK + 7] = 2000;
    real = context->device->ops;
    failing.write_async = write_in_turn;
    failing.read_async = read_in_turn;
    for (turn = -1; failed;) {
        uint64_t got = 0;
        copies_left = ++turn;
        snprintf(said, sizeof said, "copy %d came to nothing", turn);
        context->device->ops = &failing;
        failed = autotune_execute_host(pipeline, x, 3 * CHUNK, &got, &error);
        context->device->ops = real;
        if (failed) {
            assert_int_equal(failed, AUTOTUNE_FAILED);
            assert_non_null(strstr(error.text, said));
            assert_int_equal(autotune_execute_host(pipeline, x, 3 * CHUNK, &got, &error), 0);
        }
        assert_int_equal(got, CHUNK + 7);
    }
    assert_int_equal(turn, 8); /* three chunks to the device and back, and the list */
    close_pipeline(pipeline);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* --- Operations --------------------------------------------------------------------------- */

static uint64_t fold(const char *op, const int32_t *x, uint64_t n)
{
    const struct {
        const char *op;
        uint32_t start;
    } starts[] = {{"prod", 1}, {"and", ~0u}, {"min", 0x7fffffff}, {"max", 0x80000000}};
    uint32_t a = 0;
    uint64_t at = 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        a = strcmp(op, starts[i].op) == 0 ? starts[i].start : a;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t b = (uint32_t)x[i];
        if (strcmp(op, "sum") == 0)
            a += b;
        else if (strcmp(op, "sumsq") == 0)
            a += b * b;
        else if (strcmp(op, "prod") == 0)
            a *= b | 1;
        else if (strcmp(op, "xor") == 0)
            a ^= b;
        else if (strcmp(op, "and") == 0)
            a &= b;
        else if (strcmp(op, "or") == 0)
            a |= b;
        else if (strcmp(op, "min") == 0)
            a = x[i] < (int32_t)a ? b : a;
        else if (strcmp(op, "max") == 0)
            a = x[i] > (int32_t)a ? b : a;
        else if (strcmp(op, "argmin") == 0)
            at = x[i] < x[at] ? i : at;
        else
            at = x[i] > x[at] ? i : at;
    }
    return strncmp(op, "arg", 3) == 0 ? at : a;
}

/* Elements that the operation does not flatten: of a product odd, of and and or mostly one value. */
static int32_t element_of(const char *op, uint32_t i)
{
    const uint32_t drawn = hash(i);
    return (int32_t)(strcmp(op, "prod") == 0  ? drawn | 1
                     : strcmp(op, "and") == 0 ? ~(drawn % 997 ? 0u : 1u << drawn % 31)
                     : strcmp(op, "or") == 0  ? (drawn % 997 ? 0u : 1u << drawn % 31)
                                              : drawn);
}

static void check_op(struct autotune_context *context, const char *op, unsigned streams)
{
    static int32_t x[MOST + 3];
    const struct autotune_problem problem = {.op = op, .type = "i32", .n = MOST};
    struct autotune_pipeline *pipeline = make_pipeline(context, &problem, streams, 3);
    struct device *device = context->device;
    struct error cause;
    void *pinned;
    for (uint32_t i = 0; i < MOST + 3; i++)
        x[i] = element_of(op, i);
    assert_int_equal(device->ops->pin(device, sizeof x, &pinned, &cause), 0);
    memcpy(pinned, x, sizeof x);
    for (size_t i = strncmp(op, "arg", 3) == 0; i < 2 * SIZES; i++) {
        const uint64_t n = sizes[i % SIZES], from = i % 4;
        const int32_t *memory = i < SIZES ? x : pinned;
        uint64_t got = 0;
        if (n == 0 && strncmp(op, "arg", 3) == 0)
            continue;
        pipeline->is_breadth_first = i % 3 == 0;
        if (autotune_execute_host(pipeline, memory + from, n, &got, &error))
            fail_msg("%s of %d: %s", op, (int)n, error.text);
        if (got != fold(op, x + from, n))
            fail_msg("%s of %d from %d, %u streams: %llx, not %llx", op, (int)n, (int)from,
                     streams, (unsigned long long)got,
                     (unsigned long long)fold(op, x + from, n));
    }
    device->ops->unpin(device, pinned);
    close_pipeline(pipeline);
}

static void test_operations(void **state)
{
    static const char *const ops[] = {"sum", "sumsq", "prod", "min",    "max",
                                      "and", "or",    "xor",  "argmin", "argmax"};
    struct autotune_context *context = open_context(folder, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        check_op(context, ops[i], 1 + (unsigned)i % 3);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* An extremum at the first and the last element of each chunk; equal ones, of which the first
 * counts; a NaN, which comes before all. */
static void test_positions(void **state)
{
    static float x[MOST];
    const struct autotune_problem problem = {.op = "argmax", .type = "f32", .n = MOST};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_pipeline *pipeline = make_pipeline(context, &problem, 2, 2);
    (void)state;
    for (uint64_t at = 0; at < MOST; at += at % CHUNK ? 1 : CHUNK - 1) {
        for (uint32_t i = 0; i < MOST; i++)
            x[i] = (float)(hash(i) % 1000);
        x[at] = 5000;
        x[MOST - 1] = at % 2 ? x[MOST - 1] : 5000;
        uint64_t got = 0;
        assert_int_equal(autotune_execute_host(pipeline, x, MOST, &got, &error), 0);
        assert_int_equal(got, at);
        x[MOST / 2] = NAN;
        assert_int_equal(autotune_execute_host(pipeline, x, MOST, &got, &error), 0);
        assert_int_equal(got, MOST / 2);
    }
    close_pipeline(pipeline);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* More chunks than the list of results holds. */
static void test_long_list(void **state)
{
    enum { LONG = 1100 * CHUNK + 5 };
    static const char *const ops[] = {"xor", "argmin"};
    uint32_t *x = malloc(LONG * sizeof *x), expected = 0;
    struct autotune_context *context = open_context(folder, NULL);
    (void)state;
    for (uint32_t i = 0; i < LONG; i++)
        x[i] = hash(i) | 1u << 31, expected ^= x[i];
    x[LONG - 2] = 7, expected ^= 7 ^ (hash(LONG - 2) | 1u << 31);
    for (int i = 0; i < 2; i++) {
        const struct autotune_problem problem = {.op = ops[i], .type = "u32", .n = LONG};
        struct autotune_pipeline *pipeline = make_pipeline(context, &problem, 3, 1);
        uint64_t got = 0;
        assert_int_equal(pipeline->list_most, CHUNK);
        assert_int_equal(autotune_execute_host(pipeline, x, LONG, &got, &error), 0);
        assert_int_equal(got, i ? LONG - 2 : expected);
        if (i) { /* less, and before the list is full: 7 comes after it is shortened */
            x[500 * CHUNK + 3] = 5;
            assert_int_equal(autotune_execute_host(pipeline, x, LONG, &got, &error), 0);
            assert_int_equal(got, 500 * CHUNK + 3);
        }
        close_pipeline(pipeline);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
    free(x);
}

static void test_types(void **state)
{
    static uint64_t words[MOST];
    static const char *const types[] = {"i8", "u8", "i16", "u16", "i64", "u64"};
    struct autotune_context *context = open_context(folder, NULL);
    (void)state;
    for (uint32_t i = 0; i < MOST; i++)
        words[i] = (uint64_t)hash(i) << 32 | hash(i + MOST);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const struct autotune_problem problem = {.op = "sum", .type = types[t], .n = MOST};
        struct autotune_pipeline *pipeline = make_pipeline(context, &problem, 2, 2);
        const size_t bytes = pipeline->element_bytes;
        uint64_t got = 0, expected = 0;
        for (uint64_t i = 0; i < MOST; i++) {
            uint64_t element = 0;
            memcpy(&element, (unsigned char *)words + i * bytes, bytes);
            if (*types[t] == 'i' && element >> (8 * bytes - 1) & 1)
                element |= bytes < 8 ? ~UINT64_C(0) << 8 * bytes : 0;
            expected += element;
        }
        assert_int_equal(autotune_execute_host(pipeline, words, MOST, &got, &error), 0);
        assert_memory_equal(&got, &expected, pipeline->result_bytes);
        close_pipeline(pipeline);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* --- Order n ------------------------------------------------------------------------------ */

static void test_order_n(void **state)
{
    static float x[MOST];
    static const char *const ops[] = {"sum", "sumsq", "prod"}, *const accs[] = {"f32", "f64"};
    struct autotune_context *context = open_context(folder, NULL);
    (void)state;
    for (uint32_t i = 0; i < MOST; i++)
        x[i] = 1 + ((float)hash(i) - 0x1p31f) * 0x1p-42f;
    for (int k = 0; k < 6; k++) {
        const char *op = ops[k / 2], *acc = accs[k % 2];
        const struct autotune_problem problem = {.op = op,
                                                 .type = "f32",
                                                 .acc = acc,
                                                 .n = MOST,
                                                 .order = AUTOTUNE_ORDER_BY_N};
        struct autotune_pipeline *pipeline = make_pipeline(context, &problem, 3, 2);
        for (size_t i = 0; i < SIZES; i++) {
            double got = 0, expected = 0;
            assert_int_equal(autotune_execute_host(pipeline, x, sizes[i], &got, &error), 0);
            autotune_reference(&expected, op, "f32", acc, x, sizes[i], 1);
            if (memcmp(&got, &expected, sizeof got) != 0)
                fail_msg("%s in %s of %d: %a, not %a", op, acc, (int)sizes[i], got, expected);
        }
        close_pipeline(pipeline);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* --- Scans -------------------------------------------------------------------------------- */

static void check_scan(struct autotune_pipeline *pipeline, uint32_t *to, const uint32_t *x,
                       uint64_t n, bool is_exclusive)
{
    static uint32_t expected[MOST];
    uint32_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        expected[i] = sum + (is_exclusive ? 0 : x[i]);
        sum += x[i];
    }
    if (to != x)
        memset(to, 0xa5, (n + 1) * sizeof *to);
    if (autotune_execute_host(pipeline, x, n, to, &error))
        fail_msg("%s", error.text);
    assert_memory_equal(to, expected, n * sizeof *to);
    if (to != x)
        assert_int_equal(to[n], 0xa5a5a5a5);
}

static void test_scans(void **state)
{
    static uint32_t x[MOST], y[MOST + 4];
    struct autotune_context *context = open_context(folder, NULL);
    struct device *device = context->device;
    struct error cause;
    void *pinned;
    (void)state;
    assert_int_equal(device->ops->pin(device, sizeof x + 16, &pinned, &cause), 0);
    for (int scan = AUTOTUNE_INCLUSIVE; scan <= AUTOTUNE_EXCLUSIVE; scan++)
        for (unsigned streams = 1; streams <= 3; streams++) {
            const struct autotune_problem problem = {.op = "sum",
                                                     .type = "u32",
                                                     .n = MOST,
                                                     .scan = scan};
            struct autotune_pipeline *pipeline = make_pipeline(context, &problem, streams, 2);
            for (size_t i = 0; i < SIZES; i++) {
                const bool is_exclusive = scan == AUTOTUNE_EXCLUSIVE;
                for (uint32_t k = 0; k < MOST; k++)
                    x[k] = hash(k);
                check_scan(pipeline, y + i % 3, x, sizes[i], is_exclusive);
                check_scan(pipeline, (uint32_t *)pinned + i % 3, x, sizes[i], is_exclusive);
                memcpy(pinned, x, sizeof x);
                check_scan(pipeline, y, pinned, sizes[i], is_exclusive);
                check_scan(pipeline, x, x, sizes[i], is_exclusive);
            }
            close_pipeline(pipeline);
        }
    device->ops->unpin(device, pinned);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* --- Sources ------------------------------------------------------------------------------ */

struct file {
    const unsigned char *bytes;
    uint64_t size, fails_at;
    uint64_t next;  /* of one that is read in order; UINT64_MAX: it may be read anywhere */
    uint64_t least; /* bytes that it gives at a time */
};

static int64_t read_file(void *context, void *to, uint64_t at, size_t bytes)
{
    struct file *file = context;
    if (file->next != UINT64_MAX) {
        assert_int_equal(at, file->next);
        bytes = bytes < file->least ? bytes : file->least;
    }
    const uint64_t left = at < file->size ? file->size - at : 0;
    bytes = bytes < left ? bytes : left;
    if (file->fails_at < at + bytes) {
        errno = EIO;
        return -1;
    }
    memcpy(to, file->bytes + at, bytes);
    if (file->next != UINT64_MAX)
        file->next += bytes;
    return (int64_t)bytes;
}

static void test_sources(void **state)
{
    static uint32_t x[MOST];
    const struct autotune_problem problem = {.op = "sum", .type = "u32", .n = MOST};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_pipeline *pipeline = make_pipeline(context, &problem, 2, 3);
    (void)state;
    for (uint32_t i = 0; i < MOST; i++)
        x[i] = hash(i);
    for (size_t i = 0; i < 2 * SIZES; i++) {
        const uint64_t count = sizes[i / 2];
        struct file file = {(unsigned char *)x, 4 * count, UINT64_MAX, i % 2 ? 0 : UINT64_MAX,
                            1 + i * 301};
        const struct autotune_source source = {read_file, &file, i % 2 == 0};
        uint32_t got = 1;
        uint64_t n = 1;
        if (autotune_execute_source(pipeline, &source, &got, NULL, &n, &error))
            fail_msg("%s", error.text);
        assert_int_equal(n, count);
        assert_int_equal(got, (uint32_t)fold("sum", (int32_t *)x, count));
    }
    for (int is_parallel = 0; is_parallel < 2; is_parallel++) {
        struct file file = {(unsigned char *)x, 4 * MOST, 4 * MOST - 4,
                            is_parallel ? UINT64_MAX : 0, 999};
        const struct autotune_source source = {read_file, &file, is_parallel};
        uint32_t got;
        assert_refused(autotune_execute_source(pipeline, &source, &got, NULL, NULL, &error),
                       AUTOTUNE_FAILED, "reading the data failed at byte");
        file = (struct file){(unsigned char *)x, 4 * MOST - 1, UINT64_MAX,
                             is_parallel ? UINT64_MAX : 0, 999};
        assert_refused(autotune_execute_source(pipeline, &source, &got, NULL, NULL, &error),
                       AUTOTUNE_BAD_ARGUMENT, "no whole number of elements");
        assert_int_equal(autotune_execute_host(pipeline, x, MOST, &got, &error), 0);
        assert_int_equal(got, (uint32_t)fold("sum", (int32_t *)x, MOST));
    }
    close_pipeline(pipeline);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

struct place {
    uint32_t *at;
    uint64_t end, fails_at;
};

static int write_place(void *context, const void *from, uint64_t at, size_t bytes)
{
    struct place *place = context;
    assert_int_equal(at, place->end);
    if (at + bytes > place->fails_at) {
        errno = ENOSPC;
        return -1;
    }
    memcpy((unsigned char *)place->at + at, from, bytes);
    place->end += bytes;
    return 0;
}

static void test_sinks(void **state)
{
    static uint32_t x[MOST], y[MOST];
    const struct autotune_problem problem = {.op = "max",
                                             .type = "u32",
                                             .n = MOST,
                                             .scan = AUTOTUNE_INCLUSIVE};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_pipeline *pipeline = make_pipeline(context, &problem, 2, 3);
    uint64_t n;
    uint32_t most = 0;
    (void)state;
    for (uint32_t i = 0; i < MOST; i++)
        x[i] = hash(i);
    struct file file = {(unsigned char *)x, sizeof x, UINT64_MAX, 0, 4099};
    struct place place = {y, 0, UINT64_MAX};
    const struct autotune_source source = {read_file, &file, 0};
    const struct autotune_sink sink = {write_place, &place};
    if (autotune_execute_source(pipeline, &source, NULL, &sink, &n, &error))
        fail_msg("%s", error.text);
    assert_int_equal(n, MOST);
    for (uint32_t i = 0; i < MOST; i++) {
        most = x[i] > most ? x[i] : most;
        assert_int_equal(y[i], most);
    }
    file.next = 0;
    place = (struct place){y, 0, 3 * CHUNK * 4};
    assert_refused(autotune_execute_source(pipeline, &source, NULL, &sink, &n, &error),
                   AUTOTUNE_FAILED, "writing the results failed at byte 12288");
    close_pipeline(pipeline);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* --- Records and refusals ----------------------------------------------------------------- */

static void test_record(void **state)
{
    const struct autotune_problem problem = {.op = "sum", .type = "i32", .n = 1 << 20};
    const struct problem kept = {.op = op_of(SUM),
                                 .type = I32,
                                 .acc = I32,
                                 .dims = DIMS_VALUE(1 << 20),
                                 .regime = PINNED};
    struct record record = make_record(&kept, "BLOCK=128 ITEMS=64 VECTOR=4 UNROLL=16 ACCUMS=1 "
                                              "WARP=SHUFFLE LOAD=PLAIN STAGES=0 WALK=STRIDED "
                                              "MIN_BLOCKS=1 CLUSTER=1 FINISH=PASSES GRID=0");
    struct autotune_pipeline_options options = {.is_pinned = 1};
    struct autotune_pipeline *pipeline = NULL;
    struct autotune_pipeline_info info;
    (void)state;
    record.chunk_bytes = 1 << 16;
    record.streams = 5;
    struct autotune_context *context = open_context(keep("pinned.ini", &record), NULL);
    for (int i = 0; i < 3; i++) { /* pinned, pageable from it, and what is asked for */
        options.is_pinned = i == 0;
        options.streams = i == 2 ? 2 : 0;
        if (autotune_pipeline_create(&pipeline, context, &problem, NULL, &options, &error))
            fail_msg("%s", error.text);
        autotune_pipeline_describe(pipeline, &info);
        assert_int_equal(info.chunk_bytes, 1 << 16);
        assert_int_equal(info.streams, i == 2 ? 2 : 5);
        assert_true(info.is_tuned);
        assert_true(info.device_bytes >= info.streams * info.chunk_bytes);
        close_pipeline(pipeline);
    }
    struct autotune_plan *plan = make_plan(context, &problem, AUTOTUNE_FROM_BEST);
    assert_true(autotune_plan_grade(plan) >=
                AUTOTUNE_SHIPPED); /* it says nothing of data there */
    assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

static void test_refused(void **state)
{
    static const struct {
        struct autotune_problem problem;
        struct autotune_pipeline_options options;
        const char *said;
    } bad[] = {
        {{.op = "sum", .type = "i32", .rows = 4, .len = 5}, {0}, "has more than n"},
        {{.op = "sum", .type = "i8", .n = 5, .scan = 1}, {0}, "results of one type"},
        {{.op = "sumsq", .type = "i32", .n = 5, .scan = 2}, {0}, "scan their sum"},
        {{.op = "sum", .type = "i32", .n = 5}, {.streams = 17}, "streams is 17"},
        {{.op = "sum", .type = "i32", .n = 5}, {.copiers = 65}, "copiers is 65"},
        {{.op = "sum", .type = "i32", .n = 5}, {.chunk_bytes = UINT64_MAX}, "at most a TiB"},
        {{.op = "sum", .type = "i32", .n = 5}, {.reserved = {&error}}, "reserved is not zero"},
        {{.op = "sum", .type = "i32"}, {0}, "n is 0"},
    };
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_pipeline *pipeline = NULL;
    int32_t x[4] = {1, 2, 3, 4}, got = 0;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(autotune_pipeline_create(&pipeline, context, &bad[i].problem, NULL,
                                                &bad[i].options, &error),
                       AUTOTUNE_BAD_ARGUMENT, bad[i].said);
    const struct autotune_plan_options recorded = {.from = AUTOTUNE_FROM_RECORD};
    const struct autotune_problem other = {.op = "max", .type = "i32", .n = 5};
    assert_refused(autotune_pipeline_create(&pipeline, context, &other, &recorded, NULL,
                                            &error),
                   AUTOTUNE_NO_RECORD, "no record of max i32 5 pageable");
    pipeline = make_pipeline(context, &other, 1, 1);
    assert_refused(autotune_execute_host(pipeline, NULL, 4, &got, &error),
                   AUTOTUNE_BAD_ARGUMENT, "input is NULL");
    assert_refused(autotune_execute_host(pipeline, x, 4, NULL, &error), AUTOTUNE_BAD_ARGUMENT,
                   "output is NULL");
    assert_refused(autotune_execute_host(pipeline, x, UINT64_MAX / 2, &got, &error),
                   AUTOTUNE_N_TOO_LARGE, "no memory");
    assert_refused(autotune_context_destroy(context, &error), AUTOTUNE_BAD_ARGUMENT, "plan");
    close_pipeline(pipeline);
    assert_int_equal(autotune_pipeline_destroy(NULL, &error), 0);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* --- Functions that cannot be trusted ------------------------------------------------------ */

enum how { TOO_MUCH, FAR_TOO_MUCH, NEGATIVE, SILENT, ROUNDS, CALLS, HAS_A_GAP };
enum { ODD_BYTES = 1 << 20 };

struct odd {
    enum how how;
    struct autotune_pipeline *pipeline;
};

static int64_t read_odd(void *context, void *to, uint64_t at, size_t bytes)
{
    const struct odd *odd = context;
    const uint64_t left = at < ODD_BYTES ? ODD_BYTES - at : 0;
    struct autotune_error why;
    uint32_t in = 1, out;
    memset(to, 0, bytes);
    errno = odd->how == NEGATIVE ? ENODEV : 0;
    switch (odd->how) {
    case TOO_MUCH: return at ? (int64_t)bytes + 1 : (int64_t)bytes / 2;
    case FAR_TOO_MUCH: return INT64_MAX;
    case NEGATIVE: return INT64_MIN;
    case SILENT: return -1;
    case ROUNDS: fesetround(FE_UPWARD); break;
    case CALLS:
        if (autotune_execute_host(odd->pipeline, &in, 1, &out, &why) != AUTOTUNE_BAD_ARGUMENT ||
            autotune_pipeline_destroy(odd->pipeline, NULL) != AUTOTUNE_BAD_ARGUMENT ||
            !strstr(why.text, "has a call under way"))
            return -1;
        break;
    case HAS_A_GAP: return at == 0 ? 0 : (int64_t)bytes;
    }
    return (int64_t)(bytes < left ? bytes : left);
}

static void test_odd_sources(void **state)
{
    static const struct {
        enum autotune_code code;
        const char *said;
    } rows[] = {
        [TOO_MUCH] = {AUTOTUNE_BAD_ARGUMENT, "source.read gave more bytes than it was asked"},
        [FAR_TOO_MUCH] = {AUTOTUNE_BAD_ARGUMENT,
                          "source.read gave more bytes than it was asked"},
        [NEGATIVE] = {AUTOTUNE_FAILED, "reading the data failed at byte 0: No such device"},
        [SILENT] = {AUTOTUNE_FAILED, "reading the data failed at byte 0: Input/output error"},
        [ROUNDS] = {AUTOTUNE_OK, ""},
        [CALLS] = {AUTOTUNE_OK, ""},
        [HAS_A_GAP] = {AUTOTUNE_FAILED, "it ended early, and there was more behind"},
    };
    /* Several slices of a chunk, as copiers have them. */
    const struct autotune_pipeline_options options = {.chunk_bytes = ODD_BYTES, .copiers = 3};
    const struct autotune_problem problem = {.op = "sum", .type = "u32", .n = MOST};
    struct autotune_context *context = open_context(folder, NULL);
    struct odd odd = {.how = TOO_MUCH};
    (void)state;
    assert_int_equal(autotune_pipeline_create(&odd.pipeline, context, &problem, NULL, &options,
                                              &error),
                     0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int is_parallel = i == HAS_A_GAP; is_parallel < 2; is_parallel++) {
            const struct autotune_source source = {read_odd, &odd, is_parallel};
            uint32_t got = 1;
            odd.how = (enum how)i;
            errno = 77;
            const int failed =
                autotune_execute_source(odd.pipeline, &source, &got, NULL, NULL, &error);
            assert_int_equal(errno, 77);
            assert_int_equal(fegetround(), FE_TONEAREST);
            if (i == HAS_A_GAP && !failed)
                continue; /* the end was seen before what lies behind was asked for */
            if (rows[i].code)
                assert_refused(failed, rows[i].code, rows[i].said);
            else if (failed || got)
                fail_msg("%zu: %s", i, error.text);
        }
    uint64_t both = 0; /* the result and n */
    const struct autotune_source source = {read_odd, &odd, 0};
    assert_refused(autotune_execute_source(odd.pipeline, &source, &both, NULL, &both, &error),
                   AUTOTUNE_BAD_ARGUMENT, "and n are the same memory");
    close_pipeline(odd.pipeline);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

static int64_t read_none(void *context, void *to, uint64_t at, size_t bytes)
{
    (void)context;
    memset(to, 0, bytes);
    return at < 4 ? 4 : 0;
}

static int write_count(void *context, const void *from, uint64_t at, size_t bytes)
{
    (void)context, (void)from, (void)at;
    return (int)bytes;
}

/* As write(2) answers, which is no success here. */
static void test_odd_sink(void **state)
{
    const struct autotune_problem problem = {.op = "sum", .type = "u32", .n = MOST, .scan = 1};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_pipeline *pipeline = make_pipeline(context, &problem, 2, 2);
    const struct autotune_source source = {read_none, NULL, 0};
    const struct autotune_sink sink = {write_count, NULL};
    (void)state;
    assert_refused(autotune_execute_source(pipeline, &source, NULL, &sink, NULL, &error),
                   AUTOTUNE_FAILED, "sink.write gave 4, not 0: Input/output error");
    close_pipeline(pipeline);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* Results and elements are apart, or exactly in one place. */
static void test_overlaps(void **state)
{
    static uint32_t x[MOST];
    struct autotune_problem problem = {.op = "sum", .type = "u32", .n = MOST};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_pipeline *pipeline = make_pipeline(context, &problem, 2, 2);
    (void)state;
    assert_refused(autotune_execute_host(pipeline, x, 100, x, &error), AUTOTUNE_BAD_ARGUMENT,
                   "lies within the elements");
    assert_int_equal(autotune_execute_host(pipeline, x, 100, x + 100, &error), 0);
    assert_refused(autotune_execute_host(pipeline, (void *)(UINTPTR_MAX - 399), 101, x, &error),
                   AUTOTUNE_N_TOO_LARGE, "no memory has so many");
    close_pipeline(pipeline);
    problem.scan = AUTOTUNE_INCLUSIVE;
    pipeline = make_pipeline(context, &problem, 2, 2);
    assert_refused(autotune_execute_host(pipeline, x, 100, x + 99, &error),
                   AUTOTUNE_BAD_ARGUMENT, "or exactly where the elements are");
    assert_refused(autotune_execute_host(pipeline, x + 99, 100, x, &error),
                   AUTOTUNE_BAD_ARGUMENT, "or exactly where the elements are");
    assert_int_equal(autotune_execute_host(pipeline, x, 100, x, &error), 0);
    close_pipeline(pipeline);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_copies), cmocka_unit_test(test_operations),
        cmocka_unit_test(test_positions),      cmocka_unit_test(test_long_list),
        cmocka_unit_test(test_types),          cmocka_unit_test(test_order_n),
        cmocka_unit_test(test_scans),          cmocka_unit_test(test_sources),
        cmocka_unit_test(test_odd_sources),    cmocka_unit_test(test_odd_sink),
        cmocka_unit_test(test_overlaps),       cmocka_unit_test(test_sinks),
        cmocka_unit_test(test_record),         cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
