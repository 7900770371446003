/* The host device: kernels with and without each of their barriers, finishing a grid in one
 * launch, waiting on other blocks, threads that end early, hangs, and what does not compile. */
#include "autotune/device/device.h"
#include "autotune/device/fiber.h"
#include "generator/text.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(FIBER_TSAN)
/* A missing barrier is a reported race there. */
enum { IS_WATCHED = 1, SEEDS = 3, GRID_SEEDS = 2, HANGS = 1 };
#else
enum { IS_WATCHED = 0, SEEDS = 200, GRID_SEEDS = 10, HANGS = 3 };
#endif

static struct error error;

/* --- What tests do ------------------------------------------------------------------------ */

struct loaded {
    struct device *device;
    struct device_module *module;
    struct device_kernel kernels[4];
};

static struct device *open_host(uint64_t seed)
{
    struct device *device = NULL;
    const struct device_options options = {.spec = "host", .seed = seed};
    if (host_open(&device, &options, &error) != 0)
        fail_msg("%s", error.text);
    return device;
}

static struct device_image compile(struct device *device, const struct device_source *sources,
                                   size_t count)
{
    struct device_image image = {0};
    if (device->ops->compile(device, sources, count, &image, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(image.count, count);
    return image;
}

static void load_image(struct loaded *out, const struct device_image *image, uint64_t seed)
{
    out->device = open_host(seed);
    if (out->device->ops->load(out->device, image, &out->module, out->kernels, &error) != 0)
        fail_msg("%s", error.text);
}

static void unload(struct loaded *loaded)
{
    loaded->device->ops->unload(loaded->device, loaded->module);
    loaded->device->ops->close(loaded->device);
}

/* A kernel called k. */
static struct loaded load(const char *text, uint64_t seed)
{
    const struct device_source source = {text, "k"};
    struct loaded loaded;
    struct device *device = open_host(0);
    struct device_image image = compile(device, &source, 1);
    device->ops->close(device);
    load_image(&loaded, &image, seed);
    device_dispose_image(&image);
    return loaded;
}

static int launch(const struct loaded *loaded, unsigned grid, unsigned block, size_t arg_count,
                  const uint64_t *args)
{
    struct device_launch one = {.kernel = &loaded->kernels[0],
                                .grid = grid,
                                .block = block,
                                .arg_count = arg_count};
    for (size_t i = 0; i < arg_count; i++)
        one.args[i] = args[i];
    return loaded->device->ops->launch(loaded->device, &one, 1, NULL, &error);
}

static uint64_t at(const void *pointer)
{
    return (uintptr_t)pointer;
}

static void require(int status)
{
    if (status != 0)
        fail_msg("%s", error.text);
}

/* --- Barriers: right with all, wrong without any one -------------------------------------- */

/* The test drops their lines with a barrier one by one. */
static const char shuffle_reduce[] =
    "enum { BLOCK = 256 };\n"
    "__device__ __forceinline__ int warp_reduce(int a, int lanes)\n"
    "{\n"
    "    for (int d = lanes / 2; d > 0; d /= 2)\n"
    "        a = a + __shfl_down_sync(~0u, a, d);\n"
    "    return a;\n"
    "}\n"
    "__global__ void __launch_bounds__(BLOCK, 1) k(const int *x, int *y)\n"
    "{\n"
    "    __shared__ int shared[BLOCK / 32];\n"
    "    const unsigned t = threadIdx.x;\n"
    "    int a = warp_reduce(x[blockIdx.x * BLOCK + t], 32);\n"
    "    if (t % 32 == 0)\n"
    "        shared[t / 32] = a;\n"
    "    __syncthreads();\n"
    "    if (t < 32)\n"
    "        a = warp_reduce(t < BLOCK / 32 ? shared[t] : 0, BLOCK / 32);\n"
    "    if (t == 0)\n"
    "        y[blockIdx.x] = a;\n"
    "}\n";

static const char volatile_reduce[] =
    "enum { BLOCK = 256 };\n"
    "__global__ void __launch_bounds__(BLOCK) k(const int *x, int *y)\n"
    "{\n"
    "    __shared__ volatile int shared[BLOCK + 16];\n"
    "    const unsigned t = threadIdx.x;\n"
    "    int a = x[blockIdx.x * BLOCK + t];\n"
    "    shared[t] = a;\n"
    "    for (unsigned d = BLOCK / 2; d >= 32; d /= 2) {\n"
    "        __syncthreads();\n"
    "        if (t < d)\n"
    "            shared[t] = a = a + shared[t + d];\n"
    "    }\n"
    "    if (t < 32) {\n"
    "        for (unsigned d = 16; d > 0; d /= 2) {\n"
    "            __syncwarp(); // written\n"
    "            a = a + shared[t + d];\n"
    "            __syncwarp(~0u); // read\n"
    "            shared[t] = a;\n"
    "        }\n"
    "    }\n"
    "    if (t == 0)\n"
    "        y[blockIdx.x] = a;\n"
    "}\n";

/* The text without its index-th line that mentions a barrier; false if there are fewer. */
static bool drop_barrier(struct text *out, const char *text, int index)
{
    bool dropped = false;
    while (*text) {
        const size_t length = strcspn(text, "\n") + 1;
        char line[200];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        const bool is_barrier = strstr(line, "__sync") != NULL;
        if (is_barrier && index-- == 0)
            dropped = true;
        else
            text_adds(out, line);
        text += length;
    }
    return dropped;
}

enum { BLOCK = 256, BLOCKS = 6 };

/* The first launch (each has a seed of its own) that gives a wrong result; SEEDS: none does. */
static int find_wrong(const char *text)
{
    struct loaded loaded = load(text, 42);
    int *x = malloc(BLOCK * BLOCKS * sizeof *x), right = 0;
    bool is_wrong = false;
    for (int i = 0; i < BLOCK * BLOCKS; i++)
        x[i] = (i * 7919) % 1013 + 1;
    while (right < SEEDS && !is_wrong) {
        int y[BLOCKS] = {0};
        require(launch(&loaded, BLOCKS, BLOCK, 2, (uint64_t[]){at(x), at(y)}));
        for (int b = 0; b < BLOCKS; b++) {
            int expect = 0;
            for (int t = 0; t < BLOCK; t++)
                expect += x[b * BLOCK + t];
            is_wrong |= y[b] != expect;
        }
        right += !is_wrong;
    }
    free(x);
    unload(&loaded);
    return right;
}

static void check_barriers(const char *text, int barriers)
{
    assert_int_equal(find_wrong(text), SEEDS);
    if (IS_WATCHED)
        return;
    struct text without = {0};
    for (int i = 0; drop_barrier(&without, text, i); i++) {
        const int wrong = find_wrong(without.at);
        print_message("           without barrier %d: launch %d is wrong\n", i, wrong);
        assert_true(wrong < SEEDS);
        text_clear(&without);
        barriers--;
    }
    assert_int_equal(barriers, 0);
    text_dispose(&without);
}

static void test_shuffle_reduce(void **state)
{
    (void)state;
    check_barriers(shuffle_reduce, 1);
}

static void test_volatile_reduce(void **state)
{
    (void)state;
    check_barriers(volatile_reduce, 3);
}

/* --- Finishing a grid --------------------------------------------------------------------- */

static const char last_block[] =
    "__global__ void __launch_bounds__(64) k(int *y, int *partials, unsigned *arrived)\n"
    "{\n"
    "    __shared__ bool is_last;\n"
    "    if (threadIdx.x == 0) {\n"
    "        partials[blockIdx.x] = (int)blockIdx.x + 1;\n"
    "        is_last = host_arrive(arrived, gridDim.x) == gridDim.x - 1;\n"
    "    }\n"
    "    __syncthreads();\n"
    "    if (!is_last)\n"
    "        return;\n"
    "    if (threadIdx.x < 32) {\n"
    "        int a = 0;\n"
    "        for (unsigned i = threadIdx.x; i < gridDim.x; i += 32)\n"
    "            a += partials[i];\n"
    "        a = __reduce_add_sync(~0u, a);\n"
    "        if (threadIdx.x == 0)\n"
    "            *y += a;\n"
    "    }\n"
    "}\n";

/* Many launches in one call: the counter is back to zero after each. */
static void test_last_block(void **state)
{
    (void)state;
    enum { LAUNCHES = 100, GRID = 37 };
    struct loaded loaded = load(last_block, 3);
    int y = 0, partials[GRID] = {0};
    unsigned arrived = 0;
    struct device_launch launches[LAUNCHES];
    for (int i = 0; i < LAUNCHES; i++)
        launches[i] = (struct device_launch){.kernel = &loaded.kernels[0],
                                             .grid = GRID,
                                             .block = 64,
                                             .arg_count = 3,
                                             .args = {at(&y), at(partials), at(&arrived)}};
    require(loaded.device->ops->launch(loaded.device, launches, LAUNCHES, NULL, &error));
    require(loaded.device->ops->sync(loaded.device, NULL, &error));
    assert_int_equal(y, LAUNCHES * GRID * (GRID + 1) / 2);
    assert_int_equal(arrived, 0);
    assert_int_equal(loaded.kernels[0].shared_bytes, 1);
    unload(&loaded);
}

/* The first block waits for all others, although only a few are under way at first; each waits
 * at last for the first one. */
static const char grid_barrier[] =
    "__global__ void k(unsigned *arrived, unsigned *go, unsigned *late)\n"
    "{\n"
    "    if (threadIdx.x == 0) {\n"
    "        atomicAdd(arrived, 1);\n"
    "        if (blockIdx.x == 0) {\n"
    "            while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < gridDim.x)\n"
    "                host_yield();\n"
    "            __atomic_store_n(go, 1, __ATOMIC_RELEASE);\n"
    "        }\n"
    "        while (!__atomic_load_n(go, __ATOMIC_ACQUIRE))\n"
    "            host_yield();\n"
    "    }\n"
    "    __syncthreads();\n"
    "    if (__atomic_load_n(arrived, __ATOMIC_RELAXED) != gridDim.x)\n"
    "        atomicAdd(late, 1u);\n"
    "}\n";

static void test_grid_barrier(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRID_SEEDS; seed++) {
        struct loaded loaded = load(grid_barrier, seed);
        unsigned words[3] = {0};
        const uint64_t args[] = {at(&words[0]), at(&words[1]), at(&words[2])};
        require(launch(&loaded, 24, 128, 3, args));
        assert_int_equal(words[0], 24);
        assert_int_equal(words[2], 0);
        unload(&loaded);
    }
}

/* Every thread of the last block polls a flag of an earlier one. */
static void test_polling(void **state)
{
    (void)state;
    static const char text[] =
        "__global__ void k(unsigned *flags, unsigned *sum)\n"
        "{\n"
        "    if (blockIdx.x < gridDim.x - 1) {\n"
        "        __atomic_store_n(&flags[blockIdx.x], blockIdx.x + 1, __ATOMIC_RELEASE);\n"
        "        return;\n"
        "    }\n"
        "    for (unsigned i = threadIdx.x; i < gridDim.x - 1; i += blockDim.x) {\n"
        "        unsigned value;\n"
        "        while (!(value = __atomic_load_n(&flags[i], __ATOMIC_ACQUIRE)))\n"
        "            host_yield();\n"
        "        atomicAdd(sum, value);\n"
        "    }\n"
        "}\n";
    enum { GRID = 501 };
    struct loaded loaded = load(text, 11);
    unsigned flags[GRID] = {0}, sum = 0;
    require(launch(&loaded, GRID, 64, 2, (uint64_t[]){at(flags), at(&sum)}));
    assert_int_equal(sum, 500 * 501 / 2);
    unload(&loaded);
}

/* --- What other blocks see ------------------------------------------------------------------ */

/* In how many of its launches a kernel is wrong: blocks pass on values, each of which block b + 1 takes
 * from block b by `take`, once that has left it by `leave`. */
static int count_wrong_messages(const char *leave, const char *take)
{
    enum { LAUNCHES = 70, GRID = 12 };
    struct text text = {0};
    int wrong = 0;
    text_addf(&text,
              "__global__ void k(unsigned *values, unsigned *flags, unsigned *y)\n{\n"
              "    const unsigned t = threadIdx.x, b = blockIdx.x;\n"
              "    if (b + 1 < gridDim.x) { %s }\n"
              "    if (b > 0 && t == 0) {\n"
              "        unsigned value = 0;\n        %s\n        y[b] = value;\n    }\n}\n",
              leave, take);
    struct loaded loaded = load(text.at, 5);
    for (int i = 0; i < LAUNCHES; i++) {
        unsigned values[GRID] = {0}, flags[GRID] = {0}, y[GRID] = {0};
        require(launch(&loaded, GRID, 64, 3, (uint64_t[]){at(values), at(flags), at(y)}));
        bool is_right = true;
        for (unsigned b = 1; b < GRID; b++)
            is_right = is_right && y[b] == b;
        wrong += !is_right;
    }
    unload(&loaded);
    text_dispose(&text);
    return wrong;
}

static void test_messages(void **state)
{
    (void)state;
#ifdef FIBER_TSAN
    print_message("           its wrong kernels are races, which are reported here\n");
    skip();
#endif
    static const char wait[] = "while (atomicAdd(&flags[b - 1], 0) == 0) host_yield();\n"
                               "value = values[b - 1];";
    static const struct {
        const char *leave, *take;
        bool is_right;
        bool is_late; /* seen only where stores come late */
    } cases[] = {
        {"if (t == 0) { values[b] = b + 1; __threadfence(); atomicExch(&flags[b], 1); }", wait,
         1, 0},
        {"if (t == 0) { values[b] = b + 1; atomicExch(&flags[b], 1); }", wait, 0, 1},
        {"if (t == 0) { __threadfence(); values[b] = b + 1; atomicExch(&flags[b], 1); }", wait,
         0, 1},
        {"if (t == 0) { atomicExch(&flags[b], 1); values[b] = b + 1; __threadfence(); }", wait,
         0, 1},
        {"if (t == 0) { values[b] = b + 1; __atomic_store_n(&flags[b], 1, __ATOMIC_RELEASE); }",
         wait, 1, 0},
        {"if (t == 0) { values[b] = b + 1; __atomic_store_n(&flags[b], 1, __ATOMIC_RELAXED); }",
         wait, 0, 1},
        {"if (t == 0) { values[b] = b + 1; __atomic_fetch_add(&flags[b], 1, __ATOMIC_ACQ_REL); }",
         wait, 1, 0},
        /* a fence orders what its thread knows to be written */
        {"if (t == 40) values[b] = b + 1;\n__syncthreads();\n"
         "if (t == 0) { __threadfence(); atomicExch(&flags[b], 1); }",
         wait, 1, 0},
        {"if (t == 20) values[b] = b + 1;\n__syncwarp();\n"
         "if (t == 0) { __threadfence(); atomicExch(&flags[b], 1); }",
         wait, 1, 0},
        {"if (t == 20) values[b] = b + 1;\n__shfl_sync(~0u, 1, 0);\n"
         "if (t == 0) { __threadfence(); atomicExch(&flags[b], 1); }",
         wait, 0, 1},
        /* a value and its flag in one word */
        {"if (t == 0) __atomic_store_n(&values[b], b + 1, __ATOMIC_RELAXED);",
         "while ((value = __atomic_load_n(&values[b - 1], __ATOMIC_RELAXED)) == 0) host_yield();",
         1, 0},
        {"if (t == 0) { __atomic_store_n(&values[b], 99, __ATOMIC_RELAXED);\n"
         "__atomic_store_n(&values[b], b + 1, __ATOMIC_RELAXED); }",
         "while ((value = __atomic_load_n(&values[b - 1], __ATOMIC_RELAXED)) == 0) host_yield();",
         0, 0},
        /* without waiting */
        {"if (t == 0) values[b] = b + 1;", "value = values[b - 1];", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int wrong = count_wrong_messages(cases[i].leave, cases[i].take);
#ifdef FIBER_ASAN
        if (cases[i].is_late)
            continue;
#endif
        if ((wrong == 0) != cases[i].is_right)
            fail_msg("%d launches are wrong: %s", wrong, cases[i].leave);
    }
}

/* What is counted by a read and a write: blocks come in between. */
static void test_lost_updates(void **state)
{
    (void)state;
#if defined(FIBER_ASAN) || defined(FIBER_TSAN)
    print_message("           no stores are seen here\n");
    skip();
#else
    struct loaded loaded = load("__global__ void k(unsigned *plain, unsigned *atomic)\n"
                                "{\n    *plain += 1;\n    atomicAdd(atomic, 1);\n}\n",
                                1);
    int lost = 0;
    for (int i = 0; i < 20; i++) {
        unsigned plain = 0, atomic = 0;
        require(launch(&loaded, 6, 1, 2, (uint64_t[]){at(&plain), at(&atomic)}));
        assert_int_equal(atomic, 6);
        lost += plain < 6;
    }
    assert_true(lost >= 5);
    unload(&loaded);
#endif
}

/* --- Warps -------------------------------------------------------------------------------- */

static const char exchange[] =
    "typedef struct __align__(16) { float at[4]; } vec;\n"
    "__global__ void k(unsigned *y, double *z)\n"
    "{\n"
    "    const unsigned t = threadIdx.x;\n"
    "    const int s = (int)t - 10;\n"
    "    y[t] = __shfl_xor_sync(~0u, t, 5);\n"
    "    y[32 + t] = (unsigned)__reduce_min_sync(~0u, s);\n"
    "    y[64 + t] = __reduce_max_sync(~0u, (unsigned)s);\n"
    "    y[96 + t] = __shfl_up_sync(~0u, t, 3, 8);\n"
    "    y[128 + t] = __shfl_down_sync(~0u, t, 3, 8);\n"
    "    y[160 + t] = __shfl_sync(~0u, t, 9, 8);\n"
    "    y[192 + t] = __ballot_sync(~0u, t % 3 == 0);\n"
    "    // two halves on their own ways\n"
    "    if (t < 16)\n"
    "        y[224 + t] = __reduce_xor_sync(0xffff, 1u << t);\n"
    "    else\n"
    "        y[224 + t] = __reduce_or_sync(0xffff0000, 1u << t);\n"
    "    z[t] = __shfl_down_sync(~0u, t + 0.5, 1);\n"
    "    z[32 + t] = __shfl_sync(~0u, (float)t / 4, 7);\n"
    "    z[64 + t] = (double)__shfl_sync(~0u, -(long long)t << 40, 3);\n"
    "    z[96 + t] = __longlong_as_double(__double_as_longlong(0.25)) +\n"
    "        __int_as_float(__float_as_int(2)) + __uint_as_float(__float_as_uint(3)) +\n"
    "        sizeof(vec) + __popc(7) + __clz(1) + __ffs(8);\n"
    "}\n";

static void test_exchange(void **state)
{
    (void)state;
    struct loaded loaded = load(exchange, 5);
    unsigned y[8][32];
    double z[4][32];
    require(launch(&loaded, 1, 32, 2, (uint64_t[]){at(y), at(z)}));
    for (unsigned t = 0; t < 32; t++) {
        assert_int_equal(y[0][t], t ^ 5);
        assert_int_equal((int)y[1][t], -10);
        assert_int_equal(y[2][t], (unsigned)-1);
        assert_int_equal(y[3][t], t % 8 < 3 ? t : t - 3);
        assert_int_equal(y[4][t], t % 8 > 4 ? t : t + 3);
        assert_int_equal(y[5][t], t / 8 * 8 + 1);
        assert_int_equal(y[6][t], 0x49249249);
        assert_int_equal(y[7][t], t < 16 ? 0xffff : 0xffff0000);
        assert_true(z[0][t] == (t < 31 ? t + 1.5 : 31.5));
        assert_true(z[1][t] == 1.75);
        assert_true(z[2][t] == -3298534883328.0);
        assert_true(z[3][t] == 0.25 + 2 + 3 + 16 + 3 + 31 + 4);
    }
    unload(&loaded);
}

static void test_atomics(void **state)
{
    (void)state;
    static const char text[] =
        "__global__ void k(unsigned *u, long long *l, double *d, float *f)\n"
        "{\n"
        "    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    atomicAdd(&u[0], 1u);\n"
        "    atomicMax(&u[1], i);\n"
        "    atomicOr(&u[2], 1u << i % 32);\n"
        "    atomicAnd(&u[3], ~(1u << i % 31));\n"
        "    atomicXor(&u[4], i);\n"
        "    atomicMin(&l[0], -(long long)i << 33);\n"
        "    atomicAdd(&l[1], 1LL << 33);\n"
        "    atomicAdd(d, 0.5);\n"
        "    atomicAdd(f, 2);\n"
        "    if (atomicCAS(&u[5], 0, i + 1) == 0)\n"
        "        atomicExch(&u[6], i + 1);\n"
        "}\n";
    struct loaded loaded = load(text, 0);
    unsigned u[7] = {[3] = ~0u};
    long long l[2] = {0};
    double d = 0;
    float f = 0;
    require(launch(&loaded, 10, 100, 4, (uint64_t[]){at(u), at(l), at(&d), at(&f)}));
    assert_int_equal(u[0], 1000);
    assert_int_equal(u[1], 999);
    assert_int_equal(u[2], ~0u);
    assert_int_equal(u[3], 0x80000000);
    assert_int_equal(u[4], 0); /* 0 ^ 1 ^ ... ^ 999 */
    assert_true(u[5] > 0 && u[5] == u[6]);
    assert_true(l[0] == -(999LL << 33) && l[1] == 1000LL << 33);
    assert_true(d == 500 && f == 2000);
    unload(&loaded);
}

/* --- Clusters ----------------------------------------------------------------------------- */

/* The first block of each cluster gathers a value of each of the others. */
static const char gathering[] =
    "__global__ void k(unsigned *y)\n"
    "{\n"
    "    __shared__ unsigned long long barrier;\n"
    "    __shared__ unsigned values[4];\n"
    "    const unsigned rank = host_self->rank;\n"
    "    if (threadIdx.x == 0 && rank == 0) {\n"
    "        host_barrier(HOST_BARRIER_INIT, &barrier, 1);\n"
    "        host_barrier(HOST_BARRIER_EXPECT, &barrier, 12);\n"
    "    }\n"
    "    host_cluster_arrive();\n"
    "    if (rank != 0)\n"
    "        host_cluster_wait();\n"
    "    if (threadIdx.x != 0)\n"
    "        return;\n"
    "    if (rank != 0) {\n"
    "        host_send(0, &values[rank], blockIdx.x, 4, &barrier);\n"
    "        return;\n"
    "    }\n"
    "    host_barrier(HOST_BARRIER_WAIT, &barrier, 0);\n"
    "    for (int i = 1; i < 4; i++)\n"
    "        y[blockIdx.x + i] = values[i];\n"
    "}\n";

enum { CLUSTER = 4, CLUSTERED_BLOCKS = 10 * CLUSTER };

static int launch_clusters(const struct loaded *loaded, unsigned grid, unsigned block,
                           unsigned cluster, const void *y)
{
    const struct device_launch one = {.kernel = &loaded->kernels[0],
                                      .grid = grid,
                                      .block = block,
                                      .cluster = cluster,
                                      .arg_count = 1,
                                      .args = {at(y)}};
    return loaded->device->ops->launch(loaded->device, &one, 1, NULL, &error);
}

/* Is a launch wrong or refused? The refusal, of which `says` is a part, stays in `error`; "" is any
 * way of being wrong. */
static bool has_wrong_clusters(const char *text, const char *says)
{
    struct loaded loaded = load(text, 7);
    bool is_found = false;
    error = (struct error){0};
    for (int i = 0; i < SEEDS && !is_found; i++) {
        unsigned y[CLUSTERED_BLOCKS] = {0};
        bool is_wrong = launch_clusters(&loaded, CLUSTERED_BLOCKS, 64, CLUSTER, y) != 0;
        for (unsigned b = 0; b < CLUSTERED_BLOCKS; b++)
            is_wrong |= y[b] != (b % CLUSTER ? b : 0);
        is_found = is_wrong && strstr(error.text, says);
    }
    unload(&loaded);
    return is_found;
}

static void test_clusters(void **state)
{
    (void)state;
    assert_false(has_wrong_clusters(gathering, ""));
}

/* Each fault is found, and what is refused says why; "" where a wrong result shows it. */
static void test_faults_of_clusters(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } faults[] = {
        {"    if (rank != 0)\n        host_cluster_wait();\n", "", "has not started"},
        {"    host_cluster_arrive();\n", "", "without having arrived"},
        {"    host_cluster_arrive();\n", "host_cluster_arrive(); host_cluster_arrive();",
         "arrives twice"},
        {"        host_barrier(HOST_BARRIER_INIT, &barrier, 1);\n", "", "not initialised"},
        {"threadIdx.x == 0 && rank == 0)", "rank == 0)", "initialised twice"},
        {"HOST_BARRIER_EXPECT, &barrier, 12", "HOST_BARRIER_EXPECT, &barrier, 8",
         " block "} /* one ends while a value is on its way to it, or before it is sent */,
        {"    host_barrier(HOST_BARRIER_WAIT, &barrier, 0);\n", "",
         ""} /* too early, then an end too early */,
        {"host_send(0,", "host_send(4,", "does not have"},
        {"host_send(0, &values[rank]", "host_send(0, &y[rank]", "not in shared memory"},
        {"    if (rank != 0) {\n        host_send",
         "    if (rank == 0)\n        return;\n"
         "    if (rank != 0) {\n        host_send",
         "has ended"},
        {"&values[rank], blockIdx.x", "&values[3], blockIdx.x", ""},
    };
    if (IS_WATCHED)
        return;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const char *place = strstr(gathering, faults[i].from);
        assert_non_null(place);
        struct text text = {0};
        text_add(&text, gathering, (size_t)(place - gathering));
        text_adds(&text, faults[i].to);
        text_adds(&text, place + strlen(faults[i].from));
        if (!has_wrong_clusters(text.at, faults[i].says))
            fail_msg("'%s' for '%s' is not found, or for another reason: %s", faults[i].to,
                     faults[i].from, error.text);
        text_dispose(&text);
    }
}

static void test_bad_clusters(void **state)
{
    (void)state;
    struct loaded loaded = load("__global__ void k(unsigned *y) { }\n", 0);
    assert_int_equal(launch_clusters(&loaded, 6, 32, 4, NULL), -1);
    assert_non_null(strstr(error.text, "clusters of 4"));
    assert_int_equal(launch_clusters(&loaded, 16, 1024, 16, NULL), -1);
    assert_non_null(strstr(error.text, "no room"));
    require(launch_clusters(&loaded, 8, 32, 8, NULL));
    unload(&loaded);
}

/* Threads that have ended are waited for no more, by blocks and by warps; blocks whose last
 * warp is not full; several arguments of less than 8 bytes. */
static void test_early_exit(void **state)
{
    (void)state;
    static const char text[] =
        "__global__ void k(unsigned char small, const unsigned limit, unsigned *y,\n"
        "                  float scale, /* , */ const unsigned *const __restrict__ x) // (2\n"
        "{\n"
        "    __shared__ unsigned all;\n"
        "    if (threadIdx.x == 0)\n"
        "        all = small + (unsigned)scale;\n"
        "    __syncthreads();\n"
        "    if (threadIdx.x >= limit)\n"
        "        return;\n"
        "    __syncwarp();\n"
        "    const unsigned warp = __reduce_add_sync(~0u, *x);\n"
        "    if (threadIdx.x % 32 == 0)\n"
        "        atomicAdd(&y[blockIdx.x], warp);\n"
        "    if (threadIdx.x == 0)\n"
        "        atomicAdd(&y[blockIdx.x], all);\n"
        "}\n";
    struct loaded loaded = load(text, 1);
    const unsigned x = 3;
    const float scale = 2.5f;
    uint64_t bits = 0;
    memcpy(&bits, &scale, sizeof scale);
    for (unsigned limit = 1; limit <= 100; limit += 9) {
        unsigned y[9] = {0};
        require(launch(&loaded, 9, 100, 5, (uint64_t[]){200, limit, at(y), bits, at(&x)}));
        for (int b = 0; b < 9; b++)
            assert_int_equal(y[b], 3 * limit + 202);
    }
    unload(&loaded);
}

/* --- Hangs and faults --------------------------------------------------------------------- */

static void check_hang(const char *body, const char *says)
{
    struct text text = {0};
    text_addf(&text, "__global__ void k(unsigned *y)\n{\n%s\n    atomicAdd(y, 1);\n}\n", body);
    struct loaded loaded = load(text.at, 9);
    unsigned y = 0;
    error = (struct error){0};
    assert_int_equal(launch(&loaded, 6, 64, 1, (uint64_t[]){at(&y)}), -1);
    assert_int_equal(error.code, ERROR_WRONG);
    assert_non_null(strstr(error.text, "'k'"));
    if (!strstr(error.text, says))
        fail_msg("'%s' in: %s", says, error.text);
    unload(&loaded);
    text_dispose(&text);
}

static void test_hang(void **state)
{
    (void)state;
    check_hang("if (threadIdx.x % 32 == 0) __syncthreads(); else __syncwarp();",
               "2 wait at __syncthreads(), 62 at a warp");
    check_hang("if (threadIdx.x < 32) __shfl_sync(~0u >> (threadIdx.x == 0), 1, 0); "
               "__syncthreads();",
               "32 wait at __syncthreads(), 32 at a warp");
    check_hang("__syncwarp(2);", "leaves it out");
    check_hang("__shfl_sync(~0u, 1, 0, 12);", "power of 2");
    check_hang("while (!__atomic_load_n(y, __ATOMIC_RELAXED)) host_yield();",
               "64 for another block");
}

/* A barrier that a part of a block reaches: where the others have ended, before or after, where they
 * come to another one, and where that is one more turn of a loop. */
static void test_divergent_barriers(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "if (threadIdx.x < 32)\n__syncthreads();",
        "if (threadIdx.x >= 32) return;\n__syncthreads();",
        "if (threadIdx.x == 40) return;\n__syncthreads();",
        "for (unsigned d = 32; d > 0; d /= 2) if (threadIdx.x < d)\n__syncthreads();",
        "for (unsigned i = 0; i <= threadIdx.x / 32; i++)\n__syncthreads();",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        check_hang(bodies[i], "the __syncthreads() in line 4 of k.cu is reached by some");
    check_hang("if (threadIdx.x == 40)\n\n__syncthreads(); else __syncwarp();",
               "in line 5 of k.cu is reached by some threads");
    check_hang("if (threadIdx.x % 2)\n__syncthreads();\nelse\n__syncthreads();",
               "come to that in line");
    check_hang("if (threadIdx.x < 32)\n__syncthreads();\n__syncthreads();",
               "come to that in line");
}

/* The device goes on after a hang. */
static void test_after_hang(void **state)
{
    (void)state;
    static const char text[] = "__global__ void k(unsigned *y, int hang)\n"
                               "{\n"
                               "    if (!hang || threadIdx.x == 0)\n"
                               "        __syncthreads();\n"
                               "    else\n"
                               "        __syncwarp();\n"
                               "    atomicAdd(y, 1);\n"
                               "}\n";
    struct loaded loaded = load(text, 2);
    unsigned y = 0;
    for (int i = 0; i < HANGS; i++) {
        y = 0;
        assert_int_equal(launch(&loaded, 50, 96, 2, (uint64_t[]){at(&y), 1}), -1);
        y = 0;
        require(launch(&loaded, 50, 96, 2, (uint64_t[]){at(&y), 0}));
        assert_int_equal(y, 50 * 96);
    }
    unload(&loaded);
}

static void test_bad_launches(void **state)
{
    (void)state;
    struct loaded loaded = load("__global__ void k(void) { }\n", 0);
    static const struct {
        unsigned grid, block;
        size_t args;
    } bad[] = {{0, 32, 0}, {1, 0, 0}, {1, 1025, 0}, {1, 32, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error = (struct error){0};
        assert_int_equal(launch(&loaded, bad[i].grid, bad[i].block, bad[i].args,
                                (uint64_t[]){0}),
                         -1);
        assert_int_equal(error.code, ERROR_FAILED);
        assert_non_null(strstr(error.text, "'k'"));
    }
    require(launch(&loaded, 3, 1024, 0, NULL));
    unload(&loaded);
}

/* --- Compiling ---------------------------------------------------------------------------- */

/* Two sources with the same names of everything. */
static void test_two_sources(void **state)
{
    (void)state;
    static const char first[] =
        "enum { STEP = 1 };\n"
        "__device__ __forceinline__ int map(int i) { return i + STEP; }\n"
        "__global__ void k(int *y)\n"
        "{ __shared__ int s[1]; s[0] = 0; __syncthreads(); y[0] = map(s[0]); }\n";
    static const char second[] =
        "// k(of no use); __global__ void k( is only a comment\n"
        "enum { STEP = 5 };\n"
        "__device__ __forceinline__ int map(int i) { return i - STEP; }\n"
        "__global__ void __launch_bounds__(32, 4)\nk(int *y, int n)\n"
        "{ __shared__ int s[10]; s[n] = n; __syncthreads(); y[0] = map(s[n]); }\n";
    const struct device_source sources[] = {{first, "k"}, {second, "k"}};
    struct device *device = open_host(0);
    struct device_image image = compile(device, sources, 2);
    struct loaded loaded;
    load_image(&loaded, &image, 0);
    assert_int_equal(loaded.kernels[0].shared_bytes, 4);
    assert_int_equal(loaded.kernels[1].shared_bytes, 40);
    int y[2] = {0};
    const struct device_launch launches[] = {
        {.kernel = &loaded.kernels[0],
         .grid = 1,
         .block = 1,
         .args = {at(&y[0])},
         .arg_count = 1},
        {.kernel = &loaded.kernels[1],
         .grid = 1,
         .block = 1,
         .args = {at(&y[1]), 3},
         .arg_count = 2},
    };
    require(loaded.device->ops->launch(loaded.device, launches, 2, NULL, &error));
    assert_int_equal(y[0], 1);
    assert_int_equal(y[1], -2);
    unload(&loaded);
    device_dispose_image(&image);
    device->ops->close(device);
}

/* In which this process compiles. */
static int count_folders(void)
{
    char own[64];
    int count = 0;
    snprintf(own, sizeof own, "-%d-%d-", (int)getppid(), (int)getpid());
    DIR *list = opendir(P_tmpdir);
    assert_non_null(list);
    for (const struct dirent *entry; (entry = readdir(list));)
        count += strncmp(entry->d_name, "autotune-", 9) == 0 && strstr(entry->d_name, own);
    closedir(list);
    return count;
}

/* One argument more than a launch may have. */
static void test_arguments(void **state)
{
    struct device *device = open_host(0);
    struct text source = {0}, said = {0};
    struct device_image image = {0};
    (void)state;
    text_adds(&source, "__global__ void k(");
    for (int i = 0; i <= LAUNCH_ARGS_MAX; i++)
        text_addf(&source, "%sint a%d", i ? ", " : "", i);
    text_adds(&source, ") { }");
    text_addf(&said, "at most %d", LAUNCH_ARGS_MAX);
    const struct device_source one = {source.at, "k"};
    assert_int_equal(device->ops->compile(device, &one, 1, &image, &error), -1);
    assert_non_null(strstr(error.text, said.at));
    text_dispose(&source);
    text_dispose(&said);
    device->ops->close(device);
}

static void test_compile_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"__global__ void k(int *y)\n{\n    y[0] = missing;\n}\n", "k.cu:3"},
        {"__global__ void other(int *y) { }\n", "no __global__ function 'k'"},
        {"void k(int *y) { }\n", "no __global__ function 'k'"},
        {"", "no __global__ function 'k'"},
        {"__global__ void k(int *y", "type and a name"},
        {"__global__ void k(int, int b) { }", "'k'"},
        {"__global__ void k(void (*f)(int)) { }", "type and a name"},
        {"__device__ unsigned counter;\n__global__ void k(int *y) { counter++; }\n",
         "variable"},
        {"__device__ __align__(8) int a[2] = {1};\n__global__ void k(int *y) { }\n",
         "variable"},
        {"__global__ void k(int *y) { y[0] = __reduce_add_sync(~0u, 1.5f); }\n", "_Generic"},
        {"/* __global__ void k(int *y) { }", "no __global__"},
        {"const char *s = \"__global__ void k(\\\"", "no __global__"},
    };
    struct device *device = open_host(0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct device_source source = {bad[i].text, "k"};
        struct device_image image = {0};
        error = (struct error){0};
        if (device->ops->compile(device, &source, 1, &image, &error) != -1)
            fail_msg("compiled: %s", bad[i].text);
        assert_int_equal(error.code, ERROR_FAILED);
        if (!strstr(error.text, bad[i].says))
            fail_msg("'%s' in: %s", bad[i].says, error.text);
        assert_null(image.bytes);
    }
    assert_int_equal(count_folders(), 0);
    device->ops->close(device);
}

struct job {
    struct device *device;
    int number, status;
    struct device_image image;
    struct error error;
};

static void *run_compile(void *arg)
{
    struct job *job = arg;
    struct text text = {0};
    text_addf(&text, "__global__ void k(int *y) { y[0] = %d; }\n", job->number);
    const struct device_source source = {text.at, "k"};
    job->status = job->device->ops->compile(job->device, &source, 1, &job->image, &job->error);
    text_dispose(&text);
    return NULL;
}

static void test_parallel_compiles(void **state)
{
    (void)state;
    enum { JOBS = 4 };
    struct job jobs[JOBS];
    pthread_t threads[JOBS];
    struct device *device = open_host(0);
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = (struct job){.device = device, .number = i * 100};
        assert_int_equal(pthread_create(&threads[i], NULL, run_compile, &jobs[i]), 0);
    }
    for (int i = 0; i < JOBS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < JOBS; i++) {
        if (jobs[i].status != 0)
            fail_msg("%s", jobs[i].error.text);
        struct loaded loaded;
        int y = -1;
        load_image(&loaded, &jobs[i].image, 0);
        require(launch(&loaded, 1, 1, 1, (uint64_t[]){at(&y)}));
        assert_int_equal(y, jobs[i].number);
        unload(&loaded);
        device_dispose_image(&jobs[i].image);
    }
    device->ops->close(device);
}

static void test_bad_image(void **state)
{
    (void)state;
    char bytes[] = "this is no library", name[] = "host_unit_0", *names[] = {name};
    const struct device_image image = {.bytes = bytes,
                                       .size = sizeof bytes,
                                       .names = names,
                                       .count = 1};
    struct device *device = open_host(0);
    struct device_module *module = NULL;
    struct device_kernel kernel;
    assert_int_equal(device->ops->load(device, &image, &module, &kernel, &error), -1);
    assert_int_equal(error.code, ERROR_FAILED);
    device->ops->close(device);
}

/* --- The rest of the face ----------------------------------------------------------------- */

static void test_memory(void **state)
{
    (void)state;
    struct device *device = open_host(0);
    const struct device_ops *ops = device->ops;
    uint64_t a, b, available, nothing;
    require(ops->alloc(device, 1000, &a, &error));
    require(ops->alloc(device, 1000, &b, &error));
    require(ops->alloc(device, 0, &nothing, &error));
    assert_true(a % 256 == 0 && b % 256 == 0 && a != b && nothing != 0);
    unsigned char bytes[1000];
    require(ops->fill(device, a, 0x5c, 1000, NULL, &error));
    require(ops->write(device, a + 10, "hello", 5, &error));
    require(ops->copy(device, b, a, 1000, &error));
    require(ops->read(device, bytes, b, 1000, &error));
    assert_true(bytes[9] == 0x5c && bytes[999] == 0x5c && memcmp(bytes + 10, "hello", 5) == 0);
    require(ops->free_bytes(device, &available, &error));
    assert_true(available > 0 && available <= device->info.memory_bytes);
    ops->free(device, a);
    ops->free(device, b);
    ops->free(device, nothing);
    assert_int_equal(ops->alloc(device, (uint64_t)1 << 50, &a, &error), -1);
    assert_int_equal(error.code, ERROR_NO_MEMORY);
    assert_int_equal(error_status(error.code), 1);
    assert_non_null(strstr(error.text, "1125899906842624"));
    ops->close(device);
}

/* Every place of one difference, in pieces around a page in size, wherever they begin; behind
 * the end there always is one. */
static void test_differ(void **state)
{
    (void)state;
    enum { MOST = 8200 };
    static const uint64_t sizes[] = {0, 1, 3, 15, 16, 17, 4095, 4096, 4097, 8192, 8199};
    struct device *device = open_host(0);
    const struct device_ops *ops = device->ops;
    uint64_t a, b, first;
    require(ops->alloc(device, MOST, &a, &error));
    require(ops->alloc(device, MOST + 1, &b, &error));
    require(ops->fill(device, a, 0x33, MOST, NULL, &error));
    require(ops->fill(device, b, 0x33, MOST + 1, NULL, &error));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t at = 0; at <= sizes[i]; at++) {
            require(ops->fill(device, b + 1 + at, 0x34, 1, NULL, &error));
            require(ops->differ(device, a, b + 1, sizes[i], &first, &error));
            assert_int_equal(first, at);
            require(ops->fill(device, b + 1 + at, 0x33, 1, NULL, &error));
        }
    ops->free(device, a);
    ops->free(device, b);
    ops->close(device);
}

static void test_info(void **state)
{
    (void)state;
    struct device *device = open_host(0);
    const struct device_info *info = &device->info;
    assert_string_equal(info->name, "host");
    assert_string_equal(info->spec, "host");
    assert_string_equal(info->driver, "none");
    assert_true(info->target.is_host && info->target.sms == 4 && info->target.l2_bytes > 0);
    int major, minor;
    char family[16];
    assert_int_equal(sscanf(info->compiler, "%15s %d.%d", family, &major, &minor), 3);
    assert_true(strcmp(family, "gcc") == 0 || strcmp(family, "clang") == 0);
    device->ops->close(device);
}

static void test_graph(void **state)
{
    (void)state;
    struct loaded loaded =
        load("__global__ void k(unsigned *y, unsigned by) { atomicAdd(y, by); }\n", 0);
    const struct device_ops *ops = loaded.device->ops;
    unsigned y = 0;
    struct device_launch launches[3];
    for (int i = 0; i < 3; i++)
        launches[i] = (struct device_launch){.kernel = &loaded.kernels[0],
                                             .grid = 2,
                                             .block = 5,
                                             .args = {at(&y), 1},
                                             .arg_count = 2};
    struct device_graph *graph = NULL;
    require(ops->prepare(loaded.device, launches, 3, &graph, &error));
    memset(launches, 0, 2 * sizeof *launches); /* the graph has its own */
    launches[2].args[1] = 1000;
    uint64_t ps = 0;
    require(ops->time(loaded.device, graph, &launches[2], 1, &ps, &error));
    assert_int_equal(y, 10030);
    assert_true(ps > 0 && ps < (uint64_t)10 * 1000 * 1000 * 1000 * 1000);
    ops->release(loaded.device, graph);
    unload(&loaded);
}

static int add_three(void *context, void *stream, struct error *why)
{
    unsigned *y = context;
    assert_null(stream);
    *y += 3;
    return *y < 100 ? 0 : error_set(why, ERROR_FAILED, "too much");
}

/* Other code is called when it is timed, after the launches before it, not when captured. */
static void test_other_code(void **state)
{
    (void)state;
    struct loaded loaded =
        load("__global__ void k(unsigned *y, unsigned by) { atomicAdd(y, by); }\n", 0);
    const struct device_ops *ops = loaded.device->ops;
    unsigned y = 0;
    const struct device_launch before = {.kernel = &loaded.kernels[0],
                                         .grid = 1,
                                         .block = 2,
                                         .args = {at(&y), 10},
                                         .arg_count = 2};
    struct device_graph *graph = NULL;
    uint64_t ps = 0;
    require(ops->capture(loaded.device, add_three, &y, &graph, &error));
    assert_int_equal(y, 0);
    require(ops->time(loaded.device, graph, &before, 1, &ps, &error));
    assert_int_equal(y, 23);
    require(ops->time_queued(loaded.device, add_three, &y, &before, 1, &ps, &error));
    assert_int_equal(y, 46);
    assert_true(ps < (uint64_t)10 * 1000 * 1000 * 1000 * 1000);
    y = 97;
    assert_int_equal(ops->time(loaded.device, graph, NULL, 0, &ps, &error), -1);
    assert_string_equal(error.text, "too much");
    ops->release(loaded.device, graph);
    unload(&loaded);
}

/* The schedule comes from the seed alone, and is another one for each launch. */
static void test_reproducible(void **state)
{
    (void)state;
    static const char text[] = "__global__ void k(unsigned *y, unsigned *next)\n"
                               "{\n"
                               "    __syncthreads();\n"
                               "    y[atomicAdd(next, 1)] = blockIdx.x * 1000 + threadIdx.x;\n"
                               "}\n";
    enum { THREADS = 100, LAUNCHES = 8 };
    unsigned y[3][LAUNCHES][THREADS];
    const uint64_t seeds[] = {7, 7, 8};
    for (int s = 0; s < 3; s++) {
        struct loaded loaded = load(text, seeds[s]);
        for (int i = 0; i < LAUNCHES; i++) {
            unsigned next = 0;
            require(launch(&loaded, 2, THREADS / 2, 2, (uint64_t[]){at(y[s][i]), at(&next)}));
        }
        unload(&loaded);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_not_equal(y[0], y[2], sizeof y[0]);
    int same = 0;
    for (int i = 1; i < LAUNCHES; i++)
        same += memcmp(y[0][0], y[0][i], sizeof y[0][0]) == 0;
    assert_true(same < LAUNCHES - 1);
}

/* The order in which the blocks of a launch start, by the tickets that they take: upwards, downwards or
 * neither. Those that are under way together, which are few of all, take them in any order. */
static char start_order(const struct loaded *loaded, bool starts_in_any_order)
{
    enum { GRID = 1021 };
    unsigned order[GRID], next = 0;
    uint64_t from_up = 0, from_down = 0;
    const struct device_launch one = {.kernel = &loaded->kernels[0],
                                      .grid = GRID,
                                      .block = 64,
                                      .starts_in_any_order = starts_in_any_order,
                                      .arg_count = 2,
                                      .args = {at(order), at(&next)}};
    require(loaded->device->ops->launch(loaded->device, &one, 1, NULL, &error));
    require(loaded->device->ops->sync(loaded->device, NULL, &error));
    assert_int_equal(next, GRID);
    for (int i = 0; i < GRID; i++) {
        from_up += (uint64_t)abs((int)order[i] - i);
        from_down += (uint64_t)abs((int)order[i] - (GRID - 1 - i));
    }
    const uint64_t near = GRID * GRID / 8; /* a third of GRID each where the order is any */
    return from_up < near ? 'u' : from_down < near ? 'd' : 'r';
}

/* Blocks that wait for none start upwards, downwards and in no such order, by the launch; others
 * upwards. */
static void test_start_order(void **state)
{
    (void)state;
#ifdef FIBER_TSAN
    print_message("           what draws the order is not watched\n");
    skip();
#endif
    static const char text[] = "__global__ void k(unsigned *order, unsigned *next)\n"
                               "{\n"
                               "    if (threadIdx.x == 0)\n"
                               "        order[atomicAdd(next, 1)] = blockIdx.x;\n"
                               "}\n";
    size_t up = 0, down = 0, neither = 0;
    struct loaded loaded = load(text, 3);
    for (int i = 0; i < 40; i++) {
        const char order = start_order(&loaded, true);
        up += order == 'u';
        down += order == 'd';
        neither += order == 'r';
        assert_int_equal(start_order(&loaded, false), 'u');
    }
    assert_true(up >= 3 && down >= 3 && neither >= 3);
    unload(&loaded);
}

/* --- Races -------------------------------------------------------------------------------- */

#ifdef FIBER_TSAN
/* What a child process that runs the kernel reports. */
static bool has_race(const char *text, unsigned grid, unsigned block)
{
    static char report[1 << 20];
    const int log = memfd_create("report", 0);
    assert_true(log >= 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(log, 2);
        struct loaded loaded = load(text, 1);
        unsigned *y = calloc(4096, sizeof *y);
        const int status = launch(&loaded, grid, block, 1, (uint64_t[]){at(y)});
        _exit(status ? 3 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    const ssize_t length = pread(log, report, sizeof report - 1, 0);
    report[length > 0 ? length : 0] = '\0';
    close(log);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 3)
        fail_msg("status %x: %s", (unsigned)status, report);
    return strstr(report, "data race") != NULL;
}
#endif

static void test_races(void **state)
{
    (void)state;
#ifndef FIBER_TSAN
    print_message("           needs a build with -fsanitize=thread\n");
    skip();
#else
    static const struct {
        const char *body;
        unsigned grid, block;
        bool is_race;
    } cases[] = {
        {"__shared__ int s[64]; s[t] = 1; __syncthreads(); y[b * 64 + t] = s[63 - t];", 6, 64,
         0},
        {"__shared__ int s[64]; s[t] = 1; y[b * 64 + t] = s[63 - t];", 1, 64, 1},
        {"__shared__ int s[64]; s[t] = 1; __syncwarp(); y[t] = s[t ^ 1];", 1, 64, 0},
        {"__shared__ int s[64]; s[t] = 1; __syncwarp(); y[t] = s[t ^ 32];", 1, 64, 1},
        /* the second of the pair is missing: read, then written by another */
        {"__shared__ int s[64]; s[t] = 1; __syncwarp(); int a = s[t ^ 1]; s[t] = a;", 1, 64, 1},
        {"__shared__ int s[64]; s[t] = 1; __syncwarp(); int a = s[t ^ 1];\n"
         "__syncwarp(); s[t] = a;",
         3, 64, 0},
        {"__shared__ int s[64]; s[t] = 1; __syncthreads(); int a = s[t ^ 1]; s[t] = a;\n"
         "__syncthreads();",
         1, 64, 1},
        /* a shuffle is no barrier */
        {"__shared__ int s[64]; s[t] = 1; __shfl_sync(~0u, 1, 0); y[t] = s[t ^ 1];", 1, 64, 1},
        /* blocks */
        {"if (t == 0) y[0] = b;", 2, 64, 1},
        {"if (t == 0) atomicAdd(y, 1);", 9, 64, 0},
        {"if (t == 0) { y[b + 1] = b; if (host_arrive(y, gridDim.x) == gridDim.x - 1)\n"
         "for (unsigned i = 0; i < gridDim.x; i++) y[i + 100] = y[i + 1]; }",
         9, 32, 0},
        {"if (t == 0) { y[b + 1] = b; if (atomicAdd(y, 1) == gridDim.x - 1)\n"
         "for (unsigned i = 0; i < gridDim.x; i++) y[i + 100] = y[i + 1]; }",
         9, 32, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        text_addf(&text,
                  "__global__ void k(unsigned *y)\n{\n"
                  "    const unsigned t = threadIdx.x, b = blockIdx.x;\n    %s\n}\n",
                  cases[i].body);
        if (has_race(text.at, cases[i].grid, cases[i].block) != cases[i].is_race)
            fail_msg("%s: %s", cases[i].is_race ? "no race found" : "race", cases[i].body);
        text_dispose(&text);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_differ),
        cmocka_unit_test(test_shuffle_reduce),
        cmocka_unit_test(test_volatile_reduce),
        cmocka_unit_test(test_last_block),
        cmocka_unit_test(test_grid_barrier),
        cmocka_unit_test(test_polling),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_lost_updates),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_faults_of_clusters),
        cmocka_unit_test(test_bad_clusters),
        cmocka_unit_test(test_early_exit),
        cmocka_unit_test(test_hang),
        cmocka_unit_test(test_divergent_barriers),
        cmocka_unit_test(test_after_hang),
        cmocka_unit_test(test_bad_launches),
        cmocka_unit_test(test_two_sources),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_compile_errors),
        cmocka_unit_test(test_parallel_compiles),
        cmocka_unit_test(test_bad_image),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_reproducible),
        cmocka_unit_test(test_start_order),
        cmocka_unit_test(test_races),
        cmocka_unit_test(test_other_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
