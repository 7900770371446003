/* Tests of bench_against on the emulator, with libraries made up here: which of them are
 * measured, which is named when a result is wrong, and what they are called with. */
#include "autotune/measure/bench_against.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <math.h>
#include <stdio.h>

static struct error error;
static struct device *device;

/* --- Libraries ---------------------------------------------------------------------------- */

enum { N = 3001, TEMP_BYTES = 40 };

/* What the last library asked was given. */
static struct {
    size_t calls;
    uint64_t input;
    unsigned long long n;
    bool is_odd; /* some call had other memory than it asked for, or a stream */
} seen;

static int supports(const char *type, const char *acc, const char *op, const struct dims *dims)
{
    return !strcmp(type, "i32") && !strcmp(acc, "i32") && !strcmp(op, "sum") &&
           dims_extent(dims) == dims->depth.n;
}

static int temp_bytes(const char *type, const char *acc, const char *op,
                      const struct dims *dims, size_t *out)
{
    *out = TEMP_BYTES;
    return supports(type, acc, op, dims) ? 0 : 5;
}

static int add(const void *in, void *out, unsigned long long n, void *temp, size_t bytes,
               void *stream, int repeats)
{
    const int32_t *x = in;
    uint32_t sum = 0;
    seen.calls++;
    seen.input = (uint64_t)(uintptr_t)in;
    seen.n = n;
    seen.is_odd |= bytes != TEMP_BYTES || stream || !temp;
    memset(temp, 0x5a, bytes);
    for (volatile int i = 0; i < repeats; i++) {
        sum = 0;
        for (volatile unsigned long long k = 0; k < n; k++)
            sum += (uint32_t)x[k];
    }
    memcpy(out, &sum, sizeof sum);
    return 0;
}

static int add_once(const char *type, const char *acc, const char *op, const void *in,
                    void *out, const struct dims *dims, void *temp, size_t bytes, void *stream)
{
    (void)type, (void)acc, (void)op;
    return add(in, out, dims->depth.n, temp, bytes, stream, 1);
}

static int add_slowly(const char *type, const char *acc, const char *op, const void *in,
                      void *out, const struct dims *dims, void *temp, size_t bytes,
                      void *stream)
{
    (void)type, (void)acc, (void)op;
    return add(in, out, dims->depth.n, temp, bytes, stream, 30);
}

static int drop_last(const char *type, const char *acc, const char *op, const void *in,
                     void *out, const struct dims *dims, void *temp, size_t bytes, void *stream)
{
    (void)type, (void)acc, (void)op;
    return add(in, out, dims->depth.n - 1, temp, bytes, stream, 1);
}

static int do_nothing(const char *type, const char *acc, const char *op, const void *in,
                      void *out, const struct dims *dims, void *temp, size_t bytes,
                      void *stream)
{
    (void)type, (void)acc, (void)op, (void)in, (void)out, (void)dims, (void)temp, (void)bytes;
    return stream ? 9 : 0;
}

static int refuse(const char *type, const char *acc, const char *op, const void *in, void *out,
                  const struct dims *dims, void *temp, size_t bytes, void *stream)
{
    return do_nothing(type, acc, op, in, out, dims, temp, bytes, stream) + 7;
}

static const char *explain(int code)
{
    return code == 7 ? "not on Sundays" : "not at all";
}

#define FACE(title, function)                                                                  \
    {.version = BASELINE_VERSION,                                                              \
     .is_host = 1,                                                                             \
     .name = title,                                                                            \
     .supports = supports,                                                                     \
     .temp_bytes = temp_bytes,                                                                 \
     .enqueue = function,                                                                      \
     .explain = explain}
static const struct baseline_face fast = FACE("fast", add_once),
                                  slow = FACE("slow", add_slowly),
                                  drops = FACE("drops", drop_last),
                                  idle = FACE("idle", do_nothing),
                                  refuses = FACE("refuses", refuse);

/* --- Contests ----------------------------------------------------------------------------- */

static int run_with(struct bench_against_result *out, const struct baseline_face *const *faces,
                    size_t count, struct bench_against_options options, struct space *space,
                    const struct emit_sources *sources)
{
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(N),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &device->info.target};
    struct baseline baselines[4];
    const struct baseline *pointers[4];
    for (size_t i = 0; i < count; i++) {
        baselines[i] = (struct baseline){.face = faces[i]};
        pointers[i] = &baselines[i];
    }
    options.baselines = pointers;
    options.baseline_count = count;
    options.seed = 3;
    memset(&seen, 0, sizeof seen);
    return bench_against_run(out, device, &context, sources, space->default_config, &options,
                             &error);
}

/* The kernel that comes with the program, its default params. */
static int run(struct bench_against_result *out, const struct baseline_face *const *faces,
               size_t count, struct bench_against_options options)
{
    struct space *space = load_space("configs/reduce.ini");
    const struct emit_sources sources = load_sources();
    const int got = run_with(out, faces, count, options, space, &sources);
    space_free(space);
    return got;
}

static void test_fastest_counts(void **state)
{
    (void)state;
    const struct baseline_face *const orders[][2] = {{&fast, &slow}, {&slow, &fast}};
    for (size_t i = 0; i < 2; i++)
        for (int is_queued = 0; is_queued < 2; is_queued++) {
            struct bench_against_result result;
            const struct bench_against_options options = {.rounds = 5, .is_queued = is_queued};
            if (run(&result, orders[i], 2, options))
                fail_msg("%s", error.text);
            assert_int_equal(result.best, i);
            assert_true(result.ours.median_ps > 0 && result.ours.ratio.middle == 1);
            for (size_t k = 0; k < 2; k++) {
                const struct paired_result *theirs = &result.theirs[k];
                assert_true(theirs->median_ps > 0);
                assert_true(theirs->ratio.low <= theirs->ratio.middle);
                assert_true(theirs->ratio.middle <= theirs->ratio.high);
                assert_true(theirs->ratio.middle >= result.theirs[i].ratio.middle);
            }
            /* The emulator is much slower than a loop. */
            assert_true(result.theirs[i].ratio.middle < 1);
            assert_int_equal(result.calls, 1);
        }
}

/* One call before the graph, one to be proven, then a call a round: for each of two. */
static void test_what_is_given(void **state)
{
    (void)state;
    const struct baseline_face *const faces[] = {&fast, &fast};
    for (uint64_t offset = 0; offset < 256; offset += 4 * 21) {
        struct bench_against_result result;
        const struct bench_against_options options = {.rounds = 6, .offset = offset};
        if (run(&result, faces, 2, options))
            fail_msg("%s", error.text);
        assert_int_equal(seen.calls, 2 * (1 + 1 + 6));
        assert_int_equal(seen.input % 256, offset);
        assert_int_equal(seen.n, N);
        assert_false(seen.is_odd);
    }
}

static void test_wrong_library(void **state)
{
    (void)state;
    static const struct {
        const struct baseline_face *face;
        enum error_code code;
        const char *text;
    } cases[] = {
        {&drops, ERROR_WRONG, "drops is wrong: wrong result at n = 3001: expected "},
        {&idle, ERROR_WRONG, "idle is wrong: no result at n = 3001"},
        {&refuses, ERROR_FAILED,
         "refuses failed to queue its work for sum i32 3001 cold: not on Sundays (error 7)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct baseline_face *const faces[] = {&fast, cases[i].face};
        struct bench_against_result result;
        assert_int_equal(run(&result, faces, 2, (struct bench_against_options){.rounds = 3}),
                         -1);
        assert_int_equal(error.code, cases[i].code);
        if (strncmp(error.text, cases[i].text, strlen(cases[i].text)) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, cases[i].text);
    }
}

/* A kernel of ours that leaves an element out is named, at small sizes before any library is
 * asked, at n before anybody is timed. */
static void test_wrong_kernel(void **state)
{
    (void)state;
    static const char bytes[] = "[space]\nname = plain\ntemplate = plain.cu\nkernel = plain\n"
                                "[param P]\nvalues = 1\n"
                                "[pass whole]\nblock = 32\ngrid = 1\ntile = 32\noutputs = 1\n"
                                "args = input n output\nheight = N\n[default]\nP = 1\n";
    static const struct {
        const char *end, *text;
        size_t calls;
    } cases[] = {
        {"n", NULL, 1 + 1 + 3},
        {"n - (n > 5)", "the kernel of P=1 is wrong: ", 0},
        {"n - (n == 3001)", "our kernel is wrong: wrong result at n = 3001: ", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct baseline_face *const faces[] = {&fast};
        struct emit_sources sources = load_sources();
        struct bench_against_result result;
        struct space *space = NULL;
        char template[600];
        snprintf(template, sizeof template,
                 "__global__ void plain(const int *x, unsigned long long n, int *y)\n{\n"
                 "    unsigned sum = 0;\n"
                 "    for (unsigned long long i = 0; i < %s; i++) sum += (unsigned)x[i];\n"
                 "    if (threadIdx.x == 0) *y = (int)sum;\n}\n",
                 cases[i].end);
        sources.template = (struct emit_file){"plain.cu", template};
        if (space_load(&space, "plain.ini", bytes, sizeof bytes - 1, NULL, &error))
            fail_msg("%s", error.text);
        const int got = run_with(&result, faces, 1, (struct bench_against_options){.rounds = 3},
                                 space, &sources);
        space_free(space);
        assert_int_equal(seen.calls, cases[i].calls);
        if ((got != 0) != (cases[i].text != NULL))
            fail_msg("%s: %s", cases[i].end, got ? error.text : "right");
        if (!cases[i].text)
            continue;
        assert_int_equal(error.code, ERROR_WRONG);
        if (strncmp(error.text, cases[i].text, strlen(cases[i].text)) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, cases[i].text);
    }
}

/* Whoever takes less time than the memory of a GPU needs is named. Here the device becomes a GPU once our
 * kernel is open, with a memory that takes the geometric mean of both's times. */
static int become_gpu(const char *type, const char *acc, const char *op,
                      const struct dims *dims, size_t *out)
{
    device->info.target.is_host = false;
    device->info.target.l2_bytes = 1;
    return temp_bytes(type, acc, op, dims, out);
}

static void test_too_fast(void **state)
{
    (void)state;
    struct baseline_face quick = fast;
    const struct baseline_face *const faces[] = {&quick};
    const struct bench_against_options options = {.rounds = 5};
    const struct device_info info = device->info;
    struct bench_against_result result;
    static const char *const texts[] = {"our kernel took less time than the memory needs ",
                                        "fast took less time than the memory needs "};
    if (run(&result, faces, 1, options))
        fail_msg("%s", error.text);
    const double mean_ps =
        sqrt((double)result.ours.median_ps * (double)result.theirs[0].median_ps);
    quick.temp_bytes = become_gpu;
    for (size_t i = 0; i < 2; i++) {
        const double floor_ps = i == 0 ? 1e15 : mean_ps;
        device->info.bus_bits = 4; /* so that kHz are kilobytes a second */
        device->info.memory_clock_khz = (int)(4.0 * N * 1e12 / floor_ps / 1e3) + 1;
        const int got = run(&result, faces, 1, options);
        device->info = info;
        assert_int_equal(got, -1);
        assert_int_equal(error.code, ERROR_WRONG);
        if (strncmp(error.text, texts[i], strlen(texts[i])) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, texts[i]);
    }
}

static int setup(void **state)
{
    (void)state;
    const struct device_options options = {.spec = "host", .seed = 5};
    return host_open(&device, &options, &error);
}

static int teardown(void **state)
{
    (void)state;
    device_close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fastest_counts), cmocka_unit_test(test_what_is_given),
        cmocka_unit_test(test_wrong_library),  cmocka_unit_test(test_wrong_kernel),
        cmocka_unit_test(test_too_fast),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
