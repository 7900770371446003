/* Tests of opening devices, and of the GPU's device operations over a stand-in driver
 * (tests/device/fake_cuda.c): names of two generations, missing functions, no room, broken
 * contexts. Each such test runs in a process that loads the stand-in under the driver's name.
 * Run from the tree's root. */
#include "autotune/device/claim.h"
#include "autotune/device/fiber.h"
#include "autotune/device/nvrtc.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* --- Without a driver ----------------------------------------------------------------- */

static bool has_driver(void)
{
    char why[200];
    void *library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library)
        dlclose(library);
    return library || device_count(why, sizeof why) > 0;
}

static void test_no_driver(void **state)
{
    (void)state;
    const struct device_options options = {.spec = "0"};
    struct device *device;
    struct error error;
    char why[400];
    if (has_driver())
        skip();
    assert_int_equal(device_count(why, sizeof why), 0);
    assert_non_null(strstr(why, "install"));
    assert_int_equal(device_open(&device, &options, &error), -1);
    assert_int_equal(error.code, ERROR_NO_DEVICE);
    assert_string_equal(error.text, why);
    assert_null(device);
#ifdef HAVE_CUDA
    assert_non_null(strstr(why, "libcuda.so.1"));
    assert_non_null(strstr(why, "NVIDIA driver"));
#else
    assert_non_null(strstr(why, "CUDA_HOME"));
    assert_non_null(strstr(why, "make clean all"));
#endif
}

static void test_auto_falls_back(void **state)
{
    (void)state;
    const struct device_options options = {.spec = "auto"};
    struct device *device;
    struct error error;
    char why[400];
    if (has_driver())
        skip();
    device_count(why, sizeof why);
    if (device_open(&device, &options, &error))
        fail_msg("%s", error.text);
    assert_true(device->info.is_fallback);
    assert_string_equal(device->info.fallback_reason, why);
    assert_string_equal(device->info.name, "host");
    device_close(device);
}

static void test_host_is_no_fallback(void **state)
{
    (void)state;
    const struct device_options options = {.spec = "host"};
    struct device *device;
    struct error error;
    if (device_open(&device, &options, &error))
        fail_msg("%s", error.text);
    assert_false(device->info.is_fallback);
    device_close(device);
    device_close(NULL);
}

static void test_bad_specs(void **state)
{
    (void)state;
    static const char *const specs[] = {"",     "abc",        "-1",
                                        "1x",   "0x1",        "0.0",
                                        " 0",   "2147483648", "99999999999999999999",
                                        "Host", "host "};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const struct device_options options = {.spec = specs[i]};
        struct device *device;
        struct error error;
        assert_int_equal(device_open(&device, &options, &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "auto, host or a GPU's number"));
        assert_null(device);
    }
}

static void test_peak(void **state)
{
    (void)state;
    struct device_info info = {.memory_clock_khz = 3201000, .bus_bits = 6016};
    assert_int_equal(device_peak_bytes(&info), 4814304000000);
    info.bus_bits = 0;
    assert_int_equal(device_peak_bytes(&info), 0);
    info = (struct device_info){.bus_bits = 512};
    assert_int_equal(device_peak_bytes(&info), 0);
}

/* --- Compiling alone ------------------------------------------------------------------ */

static bool is_same_image(const struct device_image *a, const struct device_image *b)
{
    bool is_same = a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0 &&
                   a->is_ptx == b->is_ptx && a->count == b->count && !a->hashes == !b->hashes;
    for (size_t i = 0; is_same && i < a->count; i++)
        is_same = strcmp(a->names[i], b->names[i]) == 0 &&
                  (!a->hashes || a->hashes[i] == b->hashes[i]);
    return is_same;
}

/* Whether both devices compile to the same; false where one does not compile. */
static inline bool compile_alike(struct device *one, struct device *two,
                                 const struct device_source *sources, size_t count)
{
    struct device_image first = {0}, second = {0};
    struct error error;
    const bool is_same = one->ops->compile(one, sources, count, &first, &error) == 0 &&
                         two->ops->compile(two, sources, count, &second, &error) == 0 &&
                         is_same_image(&first, &second);
    device_dispose_image(&first);
    device_dispose_image(&second);
    return is_same;
}

static const struct device_source pair[] = {
    {"__global__ void reduce(unsigned long long *out, unsigned long long v) { *out = v; }",
     "reduce"},
    {"__global__ void reduce(unsigned long long *out, unsigned long long v) { *out = v + 1; }",
     "reduce"},
};

/* For the host it is the host's own compiler, and what is known of the device stays. */
static void test_host_compiler(void **state)
{
    (void)state;
    const struct device_options options = {.spec = "host"};
    struct device *device, *compiler;
    struct error error;
    if (device_open(&device, &options, &error))
        fail_msg("%s", error.text);
    device->info.is_fallback = true;
    strcpy(device->info.fallback_reason, "because");
    if (device_open_compiler(&compiler, &device->info, NULL, &error))
        fail_msg("%s", error.text);
    assert_memory_equal(&compiler->info, &device->info, sizeof device->info);
#if !defined(FIBER_ASAN) && !defined(FIBER_TSAN) /* these put a temporary file's name in */
    assert_true(compile_alike(device, compiler, pair, 2));
#endif
    device_close(compiler);
    device_close(device);
}

/* For a GPU that is not here, nor its driver. */
static void test_gpu_compiler(void **state)
{
    (void)state;
    const struct device_info info = {.name = "Some GPU",
                                     .spec = "3",
                                     .target = {.cc = 90},
                                     .driver = "1.2",
                                     .memory_bytes = 5};
    struct device *compiler;
    struct error error;
    assert_int_equal(device_open_compiler(&compiler, &info, "/dev/null", &error), -1);
    assert_int_equal(error.code, ERROR_NO_DEVICE);
    assert_null(compiler);
#ifdef HAVE_CUDA
    struct device_image image;
    struct nvrtc *nvrtc;
    assert_non_null(strstr(error.text, "--nvrtc"));
    if (nvrtc_open(&nvrtc, NULL, 90, &error))
        skip();
    nvrtc_close(nvrtc);
    if (device_open_compiler(&compiler, &info, NULL, &error))
        fail_msg("%s", error.text);
    assert_string_equal(compiler->info.name, "Some GPU");
    assert_string_equal(compiler->info.spec, "3");
    assert_string_equal(compiler->info.driver, "1.2");
    assert_memory_equal(compiler->info.compiler, "NVRTC 1", 7);
    assert_int_equal(compiler->info.target.cc, 90);
    assert_int_equal(compiler->info.memory_bytes, 5);
    assert_null(compiler->ops->alloc);
    if (compiler->ops->compile(compiler, pair, 2, &image, &error))
        fail_msg("%s", error.text);
    assert_false(image.is_ptx);
    assert_true(image.hashes[0] && image.hashes[1] && image.hashes[0] != image.hashes[1]);
    device_dispose_image(&image);
    device_close(compiler);
#else
    assert_non_null(strstr(error.text, "CUDA_HOME"));
#endif
}

/* --- Over the stand-in ---------------------------------------------------------------- */

#ifdef HAVE_CUDA

static void expect(bool holds, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "expected: %s; got: %s\n", what, text);
    _exit(1);
}

static void *fake; /* the stand-in, in the child */

static void set(const char *name, int value)
{
    int *variable = dlsym(fake, name);
    expect(variable != NULL, name, "no such variable");
    *variable = value;
}

static int get(const char *name)
{
    const int *variable = dlsym(fake, name);
    expect(variable != NULL, name, "no such variable");
    return *variable;
}

static struct device *open_gpu(void)
{
    const struct device_options options = {.spec = "0"};
    struct device *device = NULL;
    struct error error = {0};
    expect(device_open(&device, &options, &error) == 0, "a device", error.text);
    return device;
}

static void run_info(void)
{
    struct device *device = open_gpu();
    const struct device_info *info = &device->info;
    const struct target *target = &info->target;
    expect(strcmp(info->name, "Stand-in GPU") == 0, "its name", info->name);
    expect(strcmp(info->spec, "0") == 0, "0", info->spec);
    expect(strstr(info->driver, "(CUDA 13.0)") != NULL, "CUDA 13.0", info->driver);
    expect(strncmp(info->compiler, "NVRTC 1", 7) == 0, "NVRTC", info->compiler);
    expect(target->cc == 90 && target->sms == 132 && target->l2_bytes == 62914560 &&
               target->threads_per_block == 1024 && target->threads_per_sm == 2048 &&
               target->shared_per_block == 49152 && target->shared_per_sm == 233472 &&
               target->registers_per_sm == 65536 && !target->is_host,
           "the limits", "others");
    expect(device_peak_bytes(info) == 4814304000000, "the peak", "another");
    expect(!info->is_fallback, "no fallback", info->fallback_reason);
    device_close(device);
    expect(get("fake_objects") == 0 && get("fake_contexts") == 0, "nothing left", "leaks");
}

/* Memory moved every way; returns the address of three words. */
static uint64_t move_memory(struct device *device)
{
    const struct device_ops *ops = device->ops;
    struct error error = {0};
    uint64_t words[3] = {5, 6, 7}, address, spare, free_bytes;
    expect(ops->alloc(device, sizeof words, &address, &error) == 0, "memory", error.text);
    expect(ops->alloc(device, 0, &spare, &error) == 0, "empty memory", error.text);
    expect(ops->free_bytes(device, &free_bytes, &error) == 0 &&
               free_bytes == (1 << 20) - sizeof words - 1,
           "free bytes", error.text);
    expect(ops->write(device, address, words, sizeof words, &error) == 0, "write", error.text);
    expect(ops->copy(device, address + 8, address, 8, &error) == 0, "copy", error.text);
    expect(ops->fill(device, address + 16, 0xab, 8, NULL, &error) == 0, "fill", error.text);
    expect(ops->read(device, words, address, sizeof words, &error) == 0, "read", error.text);
    expect(words[0] == 5 && words[1] == 5 && words[2] == 0xabababababababab, "5 5 ab", "not");
    ops->free(device, spare);
    ops->free(device, 0);
    return address;
}

static uint64_t first_word(struct device *device, uint64_t address)
{
    uint64_t word = 0;
    struct error error = {0};
    expect(device->ops->read(device, &word, address, 8, &error) == 0, "read", error.text);
    return word;
}

/* The kernel itself runs on GPUs alone (tests/device/test_device.c): this is what goes in and
 * comes out. */
static void compare_memory(struct device *device)
{
    enum { BYTES = 100 };
    const struct device_ops *ops = device->ops;
    struct error error = {0};
    uint64_t a, b, first = 5;
    expect(ops->alloc(device, BYTES, &a, &error) == 0, "memory", error.text);
    expect(ops->alloc(device, BYTES, &b, &error) == 0, "memory", error.text);
    ops->fill(device, a, 7, BYTES, NULL, &error);
    ops->fill(device, b, 7, BYTES, NULL, &error);
    expect(ops->differ(device, a, b, 0, &first, &error) == 0 && first == 0, "no bytes", "some");
    expect(ops->differ(device, a, b, BYTES, &first, &error) == 0 && first == BYTES, "all alike",
           "not");
    ops->fill(device, b + 70, 8, 3, NULL, &error);
    for (uint64_t start = 0; start <= 70; start++)
        expect(ops->differ(device, a + start, b + start, BYTES - start, &first, &error) == 0 &&
                   first == 70 - start,
               "the byte", "another");
    expect(ops->differ(device, a, b, 70, &first, &error) == 0 && first == 70, "alike before",
           "not");
    ops->free(device, a);
    ops->free(device, b);
}

/* Launches on the stream, then as a graph, which takes 0.5 us a kernel here. */
static void run_launches(struct device *device, const struct device_kernel *kernels,
                         uint64_t address)
{
    const struct device_ops *ops = device->ops;
    struct device_graph *graph;
    struct device_launch launches[64];
    struct error error = {0};
    uint64_t ps;
    for (size_t i = 0; i < 64; i++)
        launches[i] = (struct device_launch){.kernel = &kernels[i % 2],
                                             .grid = 1,
                                             .block = 32,
                                             .args = {address, i},
                                             .arg_count = 2};
    expect(ops->launch(device, launches, 10, NULL, &error) == 0, "launches", error.text);
    expect(ops->sync(device, NULL, &error) == 0, "sync", error.text);
    expect(first_word(device, address) == 9 && get("fake_launches") == 10, "ten", "others");
    expect(ops->prepare(device, launches, 64, &graph, &error) == 0, "a graph", error.text);
    expect(get("fake_launches") == 10, "nothing run yet", "something");
    expect(ops->time(device, graph, launches, 3, &ps, &error) == 0, "a time", error.text);
    expect(get("fake_launches") == 77, "64 and 3 more", "others");
    expect(ps > 31999000 && ps < 32001000, "32 us: 64 of 0.5, without those before", "another");
    expect(first_word(device, address) == 63, "the graph's last", "another");
    ops->release(device, graph);
    launches[1].block = 4096;
    expect(ops->launch(device, launches, 2, NULL, &error) == -1, "a refused launch", "none");
    expect(strstr(error.text, "launching a kernel on Stand-in GPU (GPU 0) failed") != NULL,
           "what failed", error.text);
}

/* Work of other code: ten launches, or a failure after them. */
struct work {
    struct device *device;
    struct device_launch launches[10];
    bool is_failing;
};

static int queue_work(void *context, void *stream, struct error *error)
{
    struct work *work = context;
    expect(stream != NULL, "a stream", "none");
    if (work->device->ops->launch(work->device, work->launches, 10, NULL, error))
        return -1;
    return work->is_failing ? error_set(error, ERROR_FAILED, "no more today") : 0;
}

static void run_queued(struct device *device, const struct device_kernel *kernels,
                       uint64_t address)
{
    const struct device_ops *ops = device->ops;
    struct work work = {.device = device};
    struct device_graph *graph;
    struct error error = {0};
    const int before = get("fake_launches");
    uint64_t ps;
    for (size_t i = 0; i < 10; i++)
        work.launches[i] = (struct device_launch){.kernel = &kernels[0],
                                                  .grid = 1,
                                                  .block = 32,
                                                  .args = {address, 100 + i},
                                                  .arg_count = 2};
    expect(ops->capture(device, queue_work, &work, &graph, &error) == 0, "a graph", error.text);
    expect(get("fake_launches") == before, "nothing run while recording", "something");
    expect(ops->time(device, graph, work.launches, 2, &ps, &error) == 0, "a time", error.text);
    expect(get("fake_launches") == before + 12, "ten and 2 more", "others");
    expect(ps > 4999000 && ps < 5001000, "5 us: ten of 0.5, without those before", "another");
    expect(first_word(device, address) == 109, "the graph's last", "another");
    ops->release(device, graph);
    expect(ops->time_queued(device, queue_work, &work, work.launches, 3, &ps, &error) == 0,
           "a time", error.text);
    expect(get("fake_launches") == before + 25, "ten and 3 more", "others");
    expect(ps > 4999000 && ps < 5001000, "5 us in stream order too", "another");
    work.is_failing = true;
    expect(ops->time_queued(device, queue_work, &work, NULL, 0, &ps, &error) == -1 &&
               strcmp(error.text, "no more today") == 0,
           "its own error", error.text);
    expect(ops->capture(device, queue_work, &work, &graph, &error) == -1 && !graph &&
               strcmp(error.text, "no more today") == 0,
           "its own error", error.text);
    work.is_failing = false;
    expect(ops->capture(device, queue_work, &work, &graph, &error) == 0,
           "a recording after one that failed", error.text);
    ops->release(device, graph);
}

static void run_everything(void)
{
    struct device *device = open_gpu();
    struct device_image image;
    struct device_module *module;
    struct device_kernel kernels[2];
    struct error error = {0};
    const struct device_ops *ops = device->ops;
    expect(ops->compile(device, pair, 2, &image, &error) == 0, "an image", error.text);
    expect(!image.is_ptx && image.count == 2, "machine code", "PTX");
    expect(ops->load(device, &image, &module, kernels, &error) == 0, "a module", error.text);
    expect(kernels[1].registers == 40 && kernels[1].shared_bytes == 1024 &&
               kernels[1].local_bytes == 16 && kernels[1].threads_max == 256,
           "the kernel's figures", "others");
    int blocks = 0;
    expect(ops->occupancy(device, &kernels[1], 256, 0, &blocks, &error) == 0 && blocks == 6,
           "the blocks of an SM", error.text);
    expect(ops->occupancy(device, &kernels[1], 2048, 0, &blocks, &error) == -1, "error",
           "none");
    uint64_t address = move_memory(device);
    compare_memory(device);
    run_launches(device, kernels, address);
    run_queued(device, kernels, address);
    ops->free(device, address);
    ops->unload(device, module);
    device_dispose_image(&image);
    device_close(device);
    expect(get("fake_objects") == 0 && get("fake_contexts") == 0, "nothing left", "leaks");
}

static void run_no_room(void)
{
    struct device *device = open_gpu();
    struct error error = {0};
    uint64_t address;
    expect(device->ops->alloc(device, 1600000000, &address, &error) == -1, "no room", "room");
    expect(error.code == ERROR_NO_MEMORY && error_status(error.code) == 1,
           "no memory, status 1", error.text);
    expect(strstr(error.text, "1.49 GiB wanted, 1.00 MiB free") != NULL, "sizes", error.text);
    expect(device->ops->alloc(device, UINT64_MAX, &address, &error) == -1, "no room", "room");
    expect(strstr(error.text, "16777215.99 TiB wanted") != NULL, "sizes", error.text);
    expect(device->ops->alloc(device, 1 << 20, &address, &error) == 0, "all of it", error.text);
    expect(device->ops->alloc(device, 1, &address, &error) == -1, "no room", "room");
    expect(strstr(error.text, "0.00 KiB wanted, 0.00 KiB free") != NULL, "sizes", error.text);
    expect(device->ops->sync(device, NULL, &error) == 0, "a device that works on", error.text);
    device->ops->free(device, address);
    device_close(device);
    expect(get("fake_objects") == 0 && get("fake_contexts") == 0, "nothing left", "leaks");
}

/* A context that does not open whole is closed again, and opens later. */
static void run_half_open(void)
{
    struct device *device = open_gpu();
    struct error error = {0};
    uint64_t address, free_bytes;
    set("fake_event_result", 2);
    for (int i = 0; i < 2; i++) {
        expect(device->ops->alloc(device, 1, &address, &error) == -1, "no events", "some");
        expect(strstr(error.text, "opening a stream") != NULL, "what failed", error.text);
        expect(get("fake_objects") == 0 && get("fake_contexts") == 0, "nothing left", "leaks");
    }
    expect(device->ops->free_bytes(device, &free_bytes, &error) == -1, "no events", "some");
    expect(device->ops->sync(device, NULL, &error) == 0, "a device that works on", error.text);
    set("fake_event_result", 0);
    expect(device->ops->alloc(device, 1, &address, &error) == 0, "room", error.text);
    device->ops->free(device, address);
    device_close(device);
    expect(get("fake_objects") == 0 && get("fake_contexts") == 0, "nothing left", "leaks");
}

/* The same images, PTX too, and all that the device's info says. */
static void run_compiler(void)
{
    for (int major = 9; major <= 99; major += 90) {
        struct device *compiler = NULL;
        struct error error = {0};
        set("fake_major", major);
        struct device *device = open_gpu();
        expect(device_open_compiler(&compiler, &device->info, NULL, &error) == 0, "a compiler",
               error.text);
        expect(memcmp(&compiler->info, &device->info, sizeof device->info) == 0, "its info",
               "another");
        expect(compile_alike(device, compiler, pair, 2), "the same images", "others");
        device_close(compiler);
        device_close(device);
    }
    expect(get("fake_contexts") == 0, "no context", "one");
}

static void run_broken(void)
{
    struct device *device = open_gpu();
    struct error error = {0};
    uint64_t address; /* the first allocation opens the context */
    expect(device->ops->alloc(device, 1, &address, &error) == 0, "room", error.text);
    set("fake_sync_result", 700);
    expect(device->ops->sync(device, NULL, &error) == -1, "an error", "none");
    expect(strcmp(error.text, "running on Stand-in GPU (GPU 0) failed: "
                              "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
                              "encountered); the kernel broke the context: nothing more can "
                              "run in this process") == 0,
           "the whole story", error.text);
    expect(device->ops->sync(device, NULL, &error) == -1, "still broken", "mended");
    expect(device->ops->write(device, address, "", 1, &error) == -1, "no writing", "some");
    expect(device->ops->read(device, &(char){0}, address, 1, &error) == -1, "no reading",
           "some");
    expect(strstr(error.text, "ILLEGAL_ADDRESS") != NULL, "the same reason", error.text);
    device_close(device);
}

static void run_bad_load(void)
{
    struct device *device = open_gpu();
    struct device_image image;
    struct device_module *module;
    struct device_kernel kernels[1];
    struct error error = {0};
    const struct device_source other = {"__global__ void other() {}", "other"};
    expect(device->ops->compile(device, &other, 1, &image, &error) == 0, "image", error.text);
    expect(device->ops->load(device, &image, &module, kernels, &error) == -1, "error", "none");
    expect(!module && strstr(error.text, "finding a kernel") != NULL, "finding", error.text);
    set("fake_load_result", 222);
    expect(device->ops->load(device, &image, &module, kernels, &error) == -1, "error", "none");
    expect(strstr(error.text, "stand-in log") != NULL && strstr(error.text, "--nvrtc FILE"),
           "the log and the way out", error.text);
    device_dispose_image(&image);
    device_close(device);
    expect(get("fake_objects") == 0 && get("fake_contexts") == 0, "nothing left", "leaks");
}

static void run_no_gpu(void)
{
    char why[400] = "";
    set("fake_count", 0);
    expect(device_count(why, sizeof why) == 0, "no GPU", "one");
    expect(strstr(why, "CUDA_ERROR_NO_DEVICE") && strstr(why, "nvidia-smi"), "why", why);
    set("fake_count", 2);
    set("fake_init_result", 100);
    expect(device_count(why, sizeof why) == 0, "no GPU", "one");
    set("fake_init_result", 34);
    expect(device_count(why, sizeof why) == 0, "no GPU", "one");
    expect(strstr(why, "/libcuda.so.1 is the CUDA toolkit's stub"), "a stub", why);
    set("fake_init_result", 0);
    expect(device_count(why, sizeof why) == 2, "two", why);
}

static void run_numbers(void)
{
    const struct device_options options = {.spec = "1"}, last = {.spec = "7"};
    struct device *device;
    struct error error = {0};
    expect(device_open(&device, &options, &error) == -1 && !device, "no such GPU", "one");
    expect(error.code == ERROR_NO_DEVICE && strstr(error.text, "no GPU 1: there is 1 here"),
           "how many there are", error.text);
    set("fake_count", 8);
    expect(device_open(&device, &last, &error) == 0, "GPU 7", error.text);
    expect(strcmp(device->info.spec, "7") == 0, "7", device->info.spec);
    device_close(device);
}

/* A GPU that is there but lacks its compiler is an error, not a reason to emulate one. */
static void run_auto(void)
{
    const struct device_options good = {.spec = "auto"};
    const struct device_options bad = {.spec = "auto", .nvrtc = "/dev/null"};
    struct device *device;
    struct error error = {0};
    expect(device_open(&device, &good, &error) == 0, "the GPU", error.text);
    expect(!device->info.target.is_host && !device->info.is_fallback, "a GPU", "the host");
    device_close(device);
    expect(device_open(&device, &bad, &error) == -1, "an error", "none");
    expect(error.code == ERROR_NO_DEVICE && strstr(error.text, "--nvrtc"), "way", error.text);
    expect(get("fake_objects") == 0 && get("fake_contexts") == 0, "nothing left", "leaks");
}

/* A GPU newer than every NVRTC gets PTX of the newest architecture. */
static void run_newer(void)
{
    struct device_image image;
    struct error error = {0};
    set("fake_major", 99);
    struct device *device = open_gpu();
    expect(device->info.target.cc == 990, "cc 990", "another");
    expect(device->ops->compile(device, pair, 2, &image, &error) == 0, "PTX", error.text);
    expect(image.is_ptx && memmem(image.bytes, image.size, ".target sm_", 11) != NULL, "PTX",
           "none");
    device_dispose_image(&image);
    device_close(device);
}

/* What a launch asks for beside grid and block arrives with it, and with it alone: in plain
 * launches and in the nodes of graphs. */
static void run_attributes(void)
{
    static const struct {
        unsigned cluster, shared_bytes;
        bool is_cooperative;
        int cluster_seen, shared_most, allowed; /* of the last two: after it */
    } cases[] = {
        {0, 0, false, 0, 0, 0},
        {1, 0, false, 0, 0, 0},
        {4, 0, false, 4, 0, 0},
        {0, 0, true, 0, 0, 0},
        {8, 1000, true, 8, 0, 0},
        {0, 48 * 1024 - 1024, false, 0, 0, 0},
        {0, 48 * 1024 - 1023, false, 0, 48 * 1024 - 1023, 0},
        {2, 200000, false, 2, 200000, 0},
        {16, 0, false, 16, 200000, 1},
        {0, 0, false, 0, 200000, 1},
    };
    struct device *device = open_gpu();
    const struct device_ops *ops = device->ops;
    const struct device_kernel kernel = {.function = device, .shared_bytes = 1024};
    uint64_t address = 0;
    struct error error = {0};
    expect(ops->alloc(device, 8, &address, &error) == 0, "memory", error.text);
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        const size_t i = k / 2;
        const struct device_launch launch = {.kernel = &kernel,
                                             .grid = 16,
                                             .block = 32,
                                             .cluster = cases[i].cluster,
                                             .shared_bytes = cases[i].shared_bytes,
                                             .is_cooperative = cases[i].is_cooperative,
                                             .args = {address, i},
                                             .arg_count = 2};
        struct device_graph *graph = NULL;
        const int failed = k % 2 ? ops->prepare(device, &launch, 1, &graph, &error)
                                 : ops->launch(device, &launch, 1, NULL, &error);
        expect(!failed, "a launch", error.text);
        expect(get("fake_cluster") == cases[i].cluster_seen, "the cluster", "another");
        expect(get("fake_cooperative") == cases[i].is_cooperative, "residence", "none");
        expect(get("fake_shared") == (int)cases[i].shared_bytes, "shared memory", "other");
        expect(get("fake_shared_most") == cases[i].shared_most, "leave for shared memory",
               "other");
        expect(get("fake_clusters_allowed") == cases[i].allowed, "leave for clusters", "other");
        if (graph)
            ops->release(device, graph);
    }
    ops->free(device, address);
    device_close(device);
    expect(get("fake_objects") == 0 && get("fake_contexts") == 0, "nothing left", "leaks");
}

static void run_too_old(void)
{
    char why[400] = "";
    const struct device_options options = {.spec = "0"};
    struct device *device;
    struct error error = {0};
    expect(device_count(why, sizeof why) == 0, "no GPU", "one");
    expect(strstr(why, "lacks cuGraphUpload") && strstr(why, "525 or later"), "why", why);
    expect(device_open(&device, &options, &error) == -1, "an error", "none");
    expect(error.code == ERROR_NO_DEVICE, "code 69", error.text);
}

/* In a process of its own, which ends with the answer. */
static bool can_claim(const char *uuid)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(claim_gpu(uuid));
    expect(child > 0 && waitpid(child, &status, 0) == child, "a process", "none");
    return WEXITSTATUS(status);
}

/* A GPU has the UUID that it has, whatever number CUDA_VISIBLE_DEVICES gives it. */
static void run_visible(void)
{
    static const struct {
        const char *visible, *uuids[3];
    } cases[] = {
        {"0,1,2,3", {"a001", "a002", "a003"}},
        {"3,1", {"a004", "a002"}},
        {"1", {"a002"}},
    };
    struct device_info info;
    struct error error = {0};
    char why[400];
    set("fake_count", 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("CUDA_VISIBLE_DEVICES", cases[i].visible, 1);
        for (int k = 0; k < 3 && cases[i].uuids[k]; k++) {
            expect(cuda_describe(&info, k, &error) == 0, "a GPU", error.text);
            expect(strlen(info.uuid) == 40 && !strncmp(info.uuid, "GPU-a0a0a0a0-a0a0-", 18) &&
                       !strcmp(info.uuid + 36, cases[i].uuids[k]),
                   cases[i].uuids[k], info.uuid);
        }
    }
    expect(device_count(why, sizeof why) == 1, "one GPU", "others");
    expect(can_claim(info.uuid), "free at first", "taken");
    expect(claim_gpu(info.uuid), "free again, for its process ended", "taken");
    expect(!can_claim(info.uuid), "taken", "free");
    setenv("CUDA_VISIBLE_DEVICES", "3,1", 1);
    expect(cuda_describe(&info, 1, &error) == 0 && !can_claim(info.uuid), "the same GPU",
           info.uuid);
    expect(cuda_describe(&info, 0, &error) == 0 && can_claim(info.uuid), "another GPU",
           info.uuid);
    expect(can_claim("") && claim_gpu("") && can_claim(""), "nothing to claim", "something");
}

static const struct run {
    const char *name, *flags;
    void (*body)(void);
} runs[] = {
    {"info", "", run_info},
    {"everything", "", run_everything},
    {"everything, CUDA 12 names", "-DOLDER", run_everything},
    {"no room", "", run_no_room},
    {"half open", "", run_half_open},
    {"attributes", "", run_attributes},
    {"compiler", "", run_compiler},
    {"broken context", "", run_broken},
    {"bad load", "", run_bad_load},
    {"no GPU", "", run_no_gpu},
    {"numbers", "", run_numbers},
    {"visible GPUs", "", run_visible},
    {"auto", "", run_auto},
    {"newer GPU", "", run_newer},
    {"driver too old", "-DWITHOUT_UPLOAD", run_too_old},
};

/* In a child: later dlopen("libcuda.so.1") finds this one by its soname. */
static int run_child(const struct run *run, const char *path)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        fake = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        expect(fake != NULL, "the stand-in", path);
        run->body();
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_stand_in(void **state)
{
    (void)state;
    struct nvrtc *nvrtc = NULL;
    struct error error;
    char folder[] = "/tmp/test_cuda_XXXXXX", path[64], command[400];
    if (has_driver() || nvrtc_open(&nvrtc, NULL, 90, &error))
        skip();
    nvrtc_close(nvrtc);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
    int failures = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        snprintf(command, sizeof command,
                 "cc -shared -fPIC -Wl,-soname,libcuda.so.1 %s -o %s tests/device/fake_cuda.c",
                 runs[i].flags, path);
        if (system(command) != 0 || run_child(&runs[i], path) != 0) {
            print_error("failed over the stand-in: %s\n", runs[i].name);
            failures++;
        }
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(failures, 0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_driver),
        cmocka_unit_test(test_auto_falls_back),
        cmocka_unit_test(test_host_is_no_fallback),
        cmocka_unit_test(test_bad_specs),
        cmocka_unit_test(test_peak),
        cmocka_unit_test(test_host_compiler),
        cmocka_unit_test(test_gpu_compiler),
#ifdef HAVE_CUDA
        cmocka_unit_test(test_stand_in),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
