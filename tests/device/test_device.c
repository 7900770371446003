/* Proves a device by using it: test_device SPEC (0, host, auto). Two kernels in one unit,
 * memory moved every way and compared, past 4 GiB too where there is room, an order of launches
 * that must hold, a graph of 64 empty kernels timed. A plain program, so that it runs where no test
 * library is. Exit code 0 = all held. */
#include "autotune/device/device.h"
#include "autotune/device/monotonic.h"
#include "autotune/measure/block_rate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100003, BLOCK = 256, EMPTY = 64, ROUNDS = 20 };

static const struct device_source sources[] = {
    {"__global__ void kernel(unsigned *data, unsigned long long n, unsigned long long add)\n"
     "{\n"
     "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) data[i] = data[i] * 3 + (unsigned)add;\n"
     "}\n",
     "kernel"},
    {"__global__ void kernel(unsigned long long *unused) { }\n", "kernel"},
};

struct bench {
    struct device *device;
    struct device_module *module;
    struct device_kernel kernels[2];
    uint64_t data, other;
    unsigned *expect, *got;
};

static int fail(const char *what, const struct error *error)
{
    fprintf(stderr, "FAILED: %s%s%s\n", what, error ? ": " : "", error ? error->text : "");
    return -1;
}

static void print_info(const struct device_info *info)
{
    const struct target *target = &info->target;
    printf("device %s: %s, cc %d.%d, %d SMs, %" PRIu64 " MiB, L2 %" PRId64 " KiB, "
           "%d kHz, memory %d kHz x %d bit = %.1f GB/s, driver %s, compiler %s\n",
           info->spec, info->name, target->cc / 10, target->cc % 10, target->sms,
           info->memory_bytes >> 20, target->l2_bytes >> 10, info->clock_khz,
           info->memory_clock_khz, info->bus_bits, (double)device_peak_bytes(info) / 1e9,
           info->driver, info->compiler);
    printf("limits: %d threads a block, %d an SM, %" PRId64 " bytes shared a block, %" PRId64
           " an SM, %d registers an SM\n",
           target->threads_per_block, target->threads_per_sm, target->shared_per_block,
           target->shared_per_sm, target->registers_per_sm);
    if (info->is_fallback)
        printf("fallback: %s\n", info->fallback_reason);
}

static int load(struct bench *bench)
{
    const struct device_ops *ops = bench->device->ops;
    struct device_image image;
    struct error error;
    if (ops->compile(bench->device, sources, 2, &image, &error))
        return fail("compile", &error);
    printf("image: %s, %zu bytes\n", image.is_ptx ? "PTX" : "machine code", image.size);
    int status = ops->load(bench->device, &image, &bench->module, bench->kernels, &error);
    device_dispose_image(&image);
    if (status)
        return fail("load", &error);
    for (int i = 0; i < 2; i++)
        printf("kernel %d: %d registers, %" PRId64 " bytes shared, %" PRId64 " local, blocks "
               "up to %d\n",
               i, bench->kernels[i].registers, bench->kernels[i].shared_bytes,
               bench->kernels[i].local_bytes, bench->kernels[i].threads_max);
    return 0;
}

/* A GPU starts some hundred to some thousand million blocks a second. */
static int measure_start(struct bench *bench)
{
    const bool is_host = bench->device->info.target.is_host;
    struct error error;
    double rate;
    if (block_rate_measure(bench->device, is_host ? 64 : 1 << 22, &rate, &error))
        return fail("rate of blocks", &error);
    printf("blocks: %.3f G/s started\n", rate / 1e9);
    return rate > 0 && (is_host || (rate > 50e6 && rate < 50e9)) ? 0
                                                                 : fail("rate of blocks", NULL);
}

/* A source that does not compile is an error with its log, and harms nothing. */
static int try_bad_source(struct bench *bench)
{
    const struct device_source bad = {"__global__ void kernel(int *p) { *p = nowhere; }",
                                      "kernel"};
    struct device_image image;
    struct error error;
    if (bench->device->ops->compile(bench->device, &bad, 1, &image, &error) == 0)
        return fail("a wrong source compiled", NULL);
    if (error.code != ERROR_FAILED || !strstr(error.text, "nowhere"))
        return fail("the log does not name the mistake", &error);
    return 0;
}

static int move_memory(struct bench *bench)
{
    enum { BYTES = COUNT * sizeof(unsigned) };
    const struct device_ops *ops = bench->device->ops;
    struct device *device = bench->device;
    struct error error;
    if (ops->alloc(device, BYTES, &bench->data, &error) ||
        ops->alloc(device, BYTES, &bench->other, &error))
        return fail("alloc", &error);
    if (bench->data % 256 || bench->other % 256)
        return fail("memory is not aligned to 256 bytes", NULL);
    for (unsigned i = 0; i < COUNT; i++)
        bench->expect[i] = i * 2654435761u;
    if (ops->write(device, bench->data, bench->expect, BYTES, &error) ||
        ops->fill(device, bench->other, 0x5a, BYTES, NULL, &error) ||
        ops->copy(device, bench->other, bench->data, BYTES - 4, &error) ||
        ops->read(device, bench->got, bench->other, BYTES, &error))
        return fail("write, fill, copy or read", &error);
    if (memcmp(bench->got, bench->expect, BYTES - 4) != 0 ||
        bench->got[COUNT - 1] != 0x5a5a5a5a)
        return fail("what was read is not what was written", NULL);
    return 0;
}

/* Two pieces alike but for one byte of `b`, or for none where `at` is `bytes`. */
static int find_byte(struct device *device, uint64_t a, uint64_t b, uint64_t bytes, uint64_t at)
{
    const struct device_ops *ops = device->ops;
    struct error error;
    uint64_t first = UINT64_MAX;
    if (ops->fill(device, b + at, 0x5b, at < bytes, NULL, &error) ||
        ops->differ(device, a, b, bytes, &first, &error) ||
        ops->fill(device, b + at, 0x5a, at < bytes, NULL, &error))
        return fail("compare", &error);
    if (first == at)
        return 0;
    fprintf(stderr,
            "%" PRIu64 " bytes at %" PRIu64 " and %" PRIu64 " past alignment differ at %" PRIu64
            ", found at %" PRIu64 "\n",
            bytes, a % 16, b % 16, at, first);
    return fail("compare", NULL);
}

static int find_bytes(struct device *device, uint64_t a, uint64_t b, uint64_t bytes)
{
    const uint64_t places[] = {0,          1,          bytes / 2, bytes / 2 + 9, bytes - 17,
                               bytes - 16, bytes - 15, bytes - 2, bytes - 1,     bytes};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i] <= bytes && find_byte(device, a, b, bytes, places[i]))
            return -1;
    return 0;
}

/* What differs behind the end, or later than the first, is not what is asked for. */
static int compare_small(struct device *device, uint64_t a, uint64_t b)
{
    enum { MOST = (1 << 20) + 5, SPARE = 64 };
    static const uint64_t sizes[] = {0, 1, 3, 15, 16, 17, 31, 32, 33, 4096, 4097, MOST};
    static const uint64_t starts[][2] = {{0, 0}, {1, 0}, {0, 4}, {4, 4}, {16, 32}, {1, 1}};
    const struct device_ops *ops = device->ops;
    struct error error;
    uint64_t first;
    if (ops->fill(device, a, 0x5a, MOST + SPARE, NULL, &error) ||
        ops->fill(device, b, 0x5a, MOST + SPARE, NULL, &error))
        return fail("fill", &error);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
            const uint64_t x = a + starts[k][0], y = b + starts[k][1];
            if (ops->fill(device, y + sizes[i], 0x77, 1, NULL, &error))
                return fail("fill", &error);
            if (find_bytes(device, x, y, sizes[i]))
                return -1;
            if (ops->fill(device, y + sizes[i], 0x5a, 1, NULL, &error))
                return fail("fill", &error);
        }
    if (ops->fill(device, b + 7777, 0x77, MOST - 7777, NULL, &error) ||
        ops->differ(device, a, b, MOST, &first, &error))
        return fail("compare", &error);
    return first == 7777 ? 0 : fail("the first of many that differ was not found", NULL);
}

/* Offsets that need more than 32 bits, in words and in the bytes behind them. */
static int compare_large(struct device *device, uint64_t a, uint64_t b, uint64_t bytes)
{
    static const uint64_t line = UINT64_C(1) << 32;
    struct error error;
    uint64_t first;
    if (device->ops->fill(device, a, 0x5a, bytes, NULL, &error) ||
        device->ops->fill(device, b, 0x5a, bytes, NULL, &error) ||
        device->ops->sync(device, NULL, &error))
        return fail("fill", &error);
    const double start = monotonic_s();
    if (device->ops->differ(device, a, b, bytes, &first, &error))
        return fail("compare", &error);
    printf("compared 2 x %.2f GiB in %.2f ms\n", (double)bytes / (1 << 30),
           (monotonic_s() - start) * 1e3);
    return find_bytes(device, a, b, bytes) || find_byte(device, a, b, bytes, line - 1) ||
                   find_byte(device, a, b, bytes, line) ||
                   find_byte(device, a + 1, b + 1, bytes - 1, line + 5)
               ? -1
               : 0;
}

static int compare_memory(struct bench *bench)
{
    static const uint64_t LARGE = (UINT64_C(1) << 32) + (100 << 20) + 7;
    const struct device_ops *ops = bench->device->ops;
    struct error error;
    uint64_t free_bytes, a = 0, b = 0;
    if (ops->free_bytes(bench->device, &free_bytes, &error))
        return fail("free_bytes", &error);
    const bool is_large = !bench->device->info.target.is_host && free_bytes > 3 * LARGE;
    const uint64_t bytes = is_large ? LARGE : 2 << 20;
    int status = ops->alloc(bench->device, bytes, &a, &error) ||
                         ops->alloc(bench->device, bytes, &b, &error)
                     ? fail("alloc", &error)
                     : compare_small(bench->device, a, b);
    if (status == 0 && is_large)
        status = compare_large(bench->device, a, b, bytes);
    if (a)
        ops->free(bench->device, a);
    if (b)
        ops->free(bench->device, b);
    return status;
}

static struct device_launch step(const struct bench *bench, uint64_t add)
{
    return (struct device_launch){
        .kernel = &bench->kernels[0],
        .grid = (COUNT + BLOCK - 1) / BLOCK,
        .block = BLOCK,
        .args = {bench->data, COUNT, add},
        .arg_count = 3,
    };
}

static int compare(struct bench *bench, const char *what)
{
    struct error error;
    if (bench->device->ops->read(bench->device, bench->got, bench->data,
                                 COUNT * sizeof(unsigned), &error))
        return fail(what, &error);
    for (unsigned i = 0; i < COUNT; i++)
        if (bench->got[i] != bench->expect[i]) {
            fprintf(stderr, "element %u: %u, should be %u\n", i, bench->got[i],
                    bench->expect[i]);
            return fail(what, NULL);
        }
    return 0;
}

static void expect_steps(struct bench *bench, unsigned steps)
{
    for (unsigned add = 1; add <= steps; add++)
        for (unsigned i = 0; i < COUNT; i++)
            bench->expect[i] = bench->expect[i] * 3 + add;
}

/* x -> 3x + add does not commute: a launch out of order or lost changes every element. */
static int run_in_order(struct bench *bench)
{
    const struct device_ops *ops = bench->device->ops;
    struct device_launch launches[5];
    struct device_graph *graph;
    struct error error;
    uint64_t ps;
    for (unsigned i = 0; i < 5; i++)
        launches[i] = step(bench, i + 1);
    if (ops->launch(bench->device, launches, 5, NULL, &error) ||
        ops->sync(bench->device, NULL, &error))
        return fail("launch", &error);
    expect_steps(bench, 5);
    if (compare(bench, "five launches in order"))
        return -1;
    if (ops->prepare(bench->device, launches, 5, &graph, &error))
        return fail("prepare", &error);
    int status = ops->time(bench->device, graph, launches, 5, &ps, &error);
    ops->release(bench->device, graph);
    if (status)
        return fail("time", &error);
    expect_steps(bench, 5);
    expect_steps(bench, 5);
    return compare(bench, "five launches, then a graph of them");
}

static int time_empty(struct bench *bench)
{
    const struct device_ops *ops = bench->device->ops;
    struct device_launch launches[EMPTY];
    struct device_graph *graph;
    struct error error;
    uint64_t best_ps = UINT64_MAX, ps;
    for (int i = 0; i < EMPTY; i++)
        launches[i] = (struct device_launch){.kernel = &bench->kernels[1],
                                             .grid = 1,
                                             .block = 32,
                                             .args = {0},
                                             .arg_count = 1};
    if (ops->prepare(bench->device, launches, EMPTY, &graph, &error))
        return fail("prepare", &error);
    for (int i = 0; i < ROUNDS; i++) {
        if (ops->time(bench->device, graph, NULL, 0, &ps, &error)) {
            ops->release(bench->device, graph);
            return fail("time", &error);
        }
        best_ps = ps < best_ps ? ps : best_ps;
    }
    ops->release(bench->device, graph);
    printf("empty kernels in a graph of %d: %.3f us each\n", EMPTY,
           (double)best_ps / EMPTY / 1e6);
    return best_ps > 0 ? 0 : fail("a graph took no time", NULL);
}

/* More memory than there is: an error that says how much was wanted, and nothing is harmed. */
static int ask_too_much(struct bench *bench)
{
    struct error error;
    uint64_t address;
    if (bench->device->ops->alloc(bench->device, UINT64_C(1) << 60, &address, &error) == 0)
        return fail("an exbibyte was given", NULL);
    printf("asked for an exbibyte: %s\n", error.text);
    return error_status(error.code) == 1 ? 0 : fail("its exit code is not 1", &error);
}

static int run_all(struct bench *bench)
{
    if (load(bench) || try_bad_source(bench) || measure_start(bench) || move_memory(bench) ||
        compare_memory(bench) || run_in_order(bench) || time_empty(bench) ||
        ask_too_much(bench))
        return -1;
    return run_in_order(bench);
}

int main(int count, char **args)
{
    struct bench bench = {0};
    struct error error;
    const struct device_options options = {.spec = count > 1 ? args[1] : "auto", .seed = 1};
    if (device_open(&bench.device, &options, &error))
        return fail("open", &error), 1;
    print_info(&bench.device->info);
    bench.expect = calloc(COUNT, sizeof *bench.expect);
    bench.got = calloc(COUNT, sizeof *bench.got);
    int status = bench.expect && bench.got ? run_all(&bench) : fail("out of memory", NULL);
    if (bench.data)
        bench.device->ops->free(bench.device, bench.data);
    if (bench.other)
        bench.device->ops->free(bench.device, bench.other);
    if (bench.module)
        bench.device->ops->unload(bench.device, bench.module);
    device_close(bench.device);
    free(bench.expect);
    free(bench.got);
    if (status == 0)
        printf("all held\n");
    return status ? 1 : 0;
}
