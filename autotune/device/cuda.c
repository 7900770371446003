/* cuda: uses a GPU through the driver API: its description, kernels and memory. Never changes a
 * setting of the GPU. */
#ifdef HAVE_CUDA

#include "autotune/device/cuda_gpu.h"
#include "autotune/device/cuda_launch.h"
#include "autotune/device/cuda_stream.h"
#include "autotune/device/nvrtc.h"
#include "autotune/embedded.h"
#include "generator/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- What it is, and its compiler --------------------------------------------------------- */

static int attribute(const struct gpu *gpu, CUdevice_attribute which)
{
    int value = 0;
    return gpu->cu.device_attribute(&value, which, gpu->number) ? 0 : value;
}

static struct target read_target(const struct gpu *gpu)
{
    return (struct target){
        .cc = 10 * attribute(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
              attribute(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        .sms = attribute(gpu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .l2_bytes = attribute(gpu, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        .threads_per_block = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .threads_per_sm = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        .shared_per_block = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .shared_per_sm =
            attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
        .registers_per_sm =
            attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
    };
}

/* The kernel module's version: "580.159.04 ", or "" where there is none to ask (WSL). */
static void read_module_version(char out[40])
{
    FILE *file = fopen("/sys/module/nvidia/version", "re");
    *out = '\0';
    if (!file)
        return;
    if (!fgets(out, 38, file))
        *out = '\0';
    fclose(file);
    size_t length = strcspn(out, "\n");
    memcpy(out + length, length ? " " : "", length ? 2 : 1);
}

/* As nvidia-smi -L writes it; that of a part of a GPU (MIG) is its own. */
static int read_uuid(struct gpu *gpu, struct error *error)
{
    char *out = gpu->device.info.uuid;
    CUuuid uuid;
    if (cuda_check(gpu, gpu->cu.device_uuid(&uuid, gpu->number), "asking for the UUID", error))
        return -1;
    out += sprintf(out, "GPU-");
    for (size_t i = 0; i < sizeof uuid.bytes; i++)
        out += sprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                       (unsigned char)uuid.bytes[i]);
    return 0;
}

static int read_info(struct gpu *gpu, struct error *error)
{
    struct device_info *info = &gpu->device.info;
    char module[40];
    int version = 0;
    size_t bytes = 0;
    if (cuda_check(gpu, gpu->cu.device_get(&gpu->number, atoi(info->spec)), "opening", error) ||
        cuda_check(gpu, gpu->cu.device_name(info->name, sizeof info->name, gpu->number),
                   "asking for the name", error) ||
        cuda_check(gpu, gpu->cu.device_memory(&bytes, gpu->number), "asking for memory",
                   error) ||
        cuda_check(gpu, gpu->cu.version(&version), "asking for the driver's version", error) ||
        read_uuid(gpu, error))
        return -1;
    read_module_version(module);
    snprintf(info->driver, sizeof info->driver, "%s(CUDA %d.%d)", module, version / 1000,
             version % 1000 / 10);
    snprintf(info->bus_id, sizeof info->bus_id, "%08x:%02x:%02x.0",
             (unsigned)attribute(gpu, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
             (unsigned)attribute(gpu, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
             (unsigned)attribute(gpu, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
    info->target = read_target(gpu);
    info->memory_bytes = bytes;
    info->clock_khz = attribute(gpu, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    info->memory_clock_khz = attribute(gpu, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    info->bus_bits = attribute(gpu, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    return 0;
}

/* The exact architecture first; else PTX for an older one, which the driver compiles on. The
 * error is the first one: it says how to get machine code. */
static int open_compiler(struct gpu *gpu, const char *path, struct error *error)
{
    struct device_info *info = &gpu->device.info;
    struct error second;
    if (nvrtc_open(&gpu->nvrtc, path, info->target.cc, error) &&
        nvrtc_open_older(&gpu->nvrtc, path, info->target.cc, &second))
        return -1;
    gpu->compile_cc = nvrtc_arch(gpu->nvrtc, info->target.cc);
    snprintf(info->compiler, sizeof info->compiler, "NVRTC %s", nvrtc_version(gpu->nvrtc));
    return 0;
}

/* --- Kernels ------------------------------------------------------------------------------ */

static int cuda_compile(struct device *device, const struct device_source *sources,
                        size_t count, struct device_image *out, struct error *error)
{
    struct gpu *gpu = (struct gpu *)(void *)device;
    bool is_exact = gpu->compile_cc == device->info.target.cc;
    return nvrtc_compile(gpu->nvrtc, gpu->compile_cc, is_exact ? NVRTC_CUBIN : NVRTC_PTX,
                         sources, count, out, error);
}

struct device_module {
    CUmodule handle;
};

static int describe_kernel(const struct gpu *gpu, struct device_kernel *kernel,
                           struct error *error)
{
    enum { REGISTERS, SHARED, LOCAL, THREADS, COUNT };
    static const CUfunction_attribute which[COUNT] = {
        [REGISTERS] = CU_FUNC_ATTRIBUTE_NUM_REGS,
        [SHARED] = CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        [LOCAL] = CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
        [THREADS] = CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    };
    int values[COUNT];
    for (int i = 0; i < COUNT; i++)
        if (cuda_check(gpu, gpu->cu.function_attribute(&values[i], which[i], kernel->function),
                       "asking about a kernel", error))
            return -1;
    kernel->registers = values[REGISTERS];
    kernel->shared_bytes = values[SHARED];
    kernel->local_bytes = values[LOCAL];
    kernel->threads_max = values[THREADS];
    return 0;
}

void cuda_unload(struct device *device, struct device_module *module)
{
    struct gpu *gpu = cuda_enter(device);
    gpu->cu.module_unload(module->handle);
    free(module);
}

/* The driver's own compiler speaks when the image is PTX; its log says more than the code. */
static int load_module(const struct gpu *gpu, struct device_module *module, const void *bytes,
                       struct error *error)
{
    enum { LOG_BYTES = 1024 };
    char log[LOG_BYTES] = "", doing[LOG_BYTES + 40] = "loading a kernel";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(LOG_BYTES - 1)};
    CUresult result = gpu->cu.module_load(&module->handle, bytes, 2, options, values);
    if (*log)
        snprintf(doing, sizeof doing, "loading a kernel (%s)", log);
    return cuda_check(gpu, result, doing, error);
}

int cuda_load(struct device *device, const struct device_image *image,
              struct device_module **out, struct device_kernel *kernels, struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    struct device_module *module = calloc(1, sizeof *module);
    *out = NULL;
    if (!module)
        return error_memory(error, sizeof *module);
    if (cuda_open_context(gpu, error) || load_module(gpu, module, image->bytes, error)) {
        free(module);
        return -1;
    }
    for (size_t i = 0; i < image->count; i++) {
        CUfunction function = NULL;
        if (cuda_check(gpu, gpu->cu.module_function(&function, module->handle, image->names[i]),
                       "finding a kernel in its image", error))
            goto fail;
        kernels[i] = (struct device_kernel){.module = module, .function = function};
        if (describe_kernel(gpu, &kernels[i], error))
            goto fail;
    }
    *out = module;
    return 0;
fail:
    cuda_unload(device, module);
    return -1;
}

/* --- Memory ------------------------------------------------------------------------------- */

enum { SIZE_CHARS = NUMBER_CHARS + 8 };

/* "1.49 GiB", always cut, never rounded up: 0.99 of something is not one. */
static char *format_bytes(char out[SIZE_CHARS], uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    char number[NUMBER_CHARS];
    uint64_t unit = 1024;
    size_t i = 0;
    while (bytes / unit >= 1024 && i < 3) {
        unit *= 1024;
        i++;
    }
    number_format_fixed(number, bytes / unit * 100 + bytes % unit * 100 / unit, 2);
    snprintf(out, SIZE_CHARS, "%s %s", number, units[i]);
    return out;
}

int cuda_free_bytes(struct device *device, uint64_t *out, struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    size_t free_now = 0, total = 0;
    if (cuda_open_context(gpu, error) || cuda_check(gpu, gpu->cu.memory_info(&free_now, &total),
                                                    "asking for free memory", error))
        return -1;
    *out = free_now;
    return 0;
}

int cuda_alloc(struct device *device, uint64_t bytes, uint64_t *out, struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    char wanted[SIZE_CHARS], room[SIZE_CHARS];
    uint64_t free_now = 0;
    CUdeviceptr address = 0;
    if (cuda_open_context(gpu, error))
        return -1;
    CUresult result = gpu->cu.memory_alloc(&address, bytes ? bytes : 1);
    if (result != CUDA_ERROR_OUT_OF_MEMORY) {
        *out = address;
        return cuda_check(gpu, result, "allocating memory", error);
    }
    if (cuda_free_bytes(device, &free_now, error))
        return -1;
    return error_set(
        error, ERROR_NO_MEMORY,
        "no room on %s (GPU %s): %s wanted, %s free; use a smaller problem, or end "
        "what else uses this GPU (see `nvidia-smi`)",
        device->info.name, device->info.spec, format_bytes(wanted, bytes),
        format_bytes(room, free_now));
}

void cuda_free(struct device *device, uint64_t address)
{
    struct gpu *gpu = cuda_enter(device);
    if (address)
        gpu->cu.memory_free(address);
}

static int cuda_write(struct device *device, uint64_t to, const void *from, uint64_t bytes,
                      struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    if (bytes == 0)
        return 0;
    if (cuda_check(gpu, gpu->cu.copy_to(to, from, bytes, gpu->stream), "writing memory", error))
        return -1;
    return cuda_sync(device, NULL, error);
}

static int cuda_read(struct device *device, void *to, uint64_t from, uint64_t bytes,
                     struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    if (bytes == 0)
        return 0;
    if (cuda_check(gpu, gpu->cu.copy_from(to, from, bytes, gpu->stream), "reading memory",
                   error))
        return -1;
    return cuda_sync(device, NULL, error);
}

static int cuda_copy(struct device *device, uint64_t to, uint64_t from, uint64_t bytes,
                     struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    if (bytes == 0)
        return 0;
    return cuda_check(gpu, gpu->cu.copy_within(to, from, bytes, gpu->stream), "copying memory",
                      error);
}

int cuda_fill(struct device *device, uint64_t to, uint8_t byte, uint64_t bytes, void *stream,
              struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    if (bytes == 0)
        return 0;
    return cuda_check(gpu, gpu->cu.fill(to, byte, bytes, stream ? stream : gpu->stream),
                      "filling memory", error);
}

/* --- Comparing memory --------------------------------------------------------------------- */

enum { WORD_BYTES = 16, BLOCK = 256, BLOCKS_PER_SM = 8 };

/* Loads a kernel in PTX that the driver itself compiles. */
static int open_differ(struct gpu *gpu, struct error *error)
{
    static char name[] = "differ";
    const struct device_ops *ops = gpu->device.ops;
    const struct embedded *ptx = embedded_find("templates/device/differ.ptx");
    const struct device_image image = {.bytes = (void *)(uintptr_t)ptx->bytes,
                                       .size = ptx->length,
                                       .is_ptx = true,
                                       .names = (char *[]){name},
                                       .count = 1};
    if (!gpu->differ.first &&
        ops->alloc(&gpu->device, sizeof(uint64_t), &gpu->differ.first, error))
        return -1;
    return gpu->differ.module ? 0
                              : ops->load(&gpu->device, &image, &gpu->differ.module,
                                          &gpu->differ.kernel, error);
}

/* Gives back what the first comparison loaded, while the context is still open. */
static void close_differ(struct device *device)
{
    struct gpu *gpu = (struct gpu *)(void *)device;
    if (gpu->differ.module)
        device->ops->unload(device, gpu->differ.module);
    if (gpu->differ.first)
        device->ops->free(device, gpu->differ.first);
    gpu->differ.module = NULL;
    gpu->differ.first = 0;
}

/* As many threads as have something to do, up to a GPU full of them. */
static unsigned find_grid(const struct gpu *gpu, uint64_t words, uint64_t bytes)
{
    const uint64_t rest = bytes - words * WORD_BYTES, most = words > rest ? words : rest;
    const uint64_t blocks = (most + BLOCK - 1) / BLOCK;
    const uint64_t full = (uint64_t)gpu->device.info.target.sms * BLOCKS_PER_SM;
    return (unsigned)(blocks < full ? blocks : full);
}

static int cuda_differ(struct device *device, uint64_t a, uint64_t b, uint64_t bytes,
                       uint64_t *first, struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    const uint64_t words = a % WORD_BYTES || b % WORD_BYTES ? 0 : bytes / WORD_BYTES;
    *first = bytes;
    if (bytes == 0)
        return 0;
    if (open_differ(gpu, error))
        return -1;
    const struct device_launch launch = {.kernel = &gpu->differ.kernel,
                                         .grid = find_grid(gpu, words, bytes),
                                         .block = BLOCK,
                                         .args = {a, b, words, bytes, gpu->differ.first},
                                         .arg_count = 5};
    uint64_t found;
    if (device->ops->fill(device, gpu->differ.first, UINT8_MAX, sizeof found, NULL, error) ||
        device->ops->launch(device, &launch, 1, NULL, error) ||
        device->ops->read(device, &found, gpu->differ.first, sizeof found, error))
        return -1;
    *first = found < bytes ? found : bytes;
    return 0;
}

/* --- Opening ------------------------------------------------------------------------------ */

static void cuda_close(struct device *device)
{
    struct gpu *gpu = (struct gpu *)(void *)device;
    close_differ(device);
    cuda_close_context(gpu);
    nvrtc_close(gpu->nvrtc);
    free(gpu);
}

/* No check: each operation makes the context current. */
static const struct device_ops ops = {
    .close = cuda_close,
    .compile = cuda_compile,
    .load = cuda_load,
    .unload = cuda_unload,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .differ = cuda_differ,
    .free_bytes = cuda_free_bytes,
    .allow = cuda_grant,
    .launch = cuda_launch,
    .sync = cuda_sync,
    .prepare = cuda_prepare,
    .time = cuda_time,
    .release = cuda_release,
    .capture = cuda_capture,
    .time_queued = cuda_time_queued,
    .occupancy = cuda_occupancy,
    CUDA_STREAM_OPS,
};

int cuda_count(char *why, size_t why_size)
{
    struct driver cu;
    struct error error;
    int count = 0;
    if (driver_open(&cu, &count, &error) == 0)
        return count;
    snprintf(why, why_size, "%s", error.text);
    return 0;
}

/* The driver and the GPU of this number. */
static int open_gpu(struct gpu *gpu, int number, struct error *error)
{
    int count;
    if (driver_open(&gpu->cu, &count, error))
        return -1;
    if (number >= count)
        return error_set(error, ERROR_NO_DEVICE,
                         "no GPU %d: there %s %d here, numbered from 0; see `autotune list`",
                         number, count == 1 ? "is" : "are", count);
    return read_info(gpu, error);
}

static void name_gpu(struct device_info *info, int number)
{
    snprintf(info->spec, sizeof info->spec, "%d", number);
    snprintf(info->name, sizeof info->name, "the GPU");
}

int cuda_describe(struct device_info *out, int number, struct error *error)
{
    struct gpu gpu = {.device.ops = &ops};
    name_gpu(&gpu.device.info, number);
    const int failed = open_gpu(&gpu, number, error);
    *out = gpu.device.info;
    return failed;
}

int cuda_open(struct device **out, int number, const struct device_options *options,
              struct error *error)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    *out = NULL;
    if (!gpu)
        return error_memory(error, sizeof *gpu);
    gpu->device.ops = &ops;
    name_gpu(&gpu->device.info, number);
    if (open_gpu(gpu, number, error) || open_compiler(gpu, options->nvrtc, error)) {
        cuda_close(&gpu->device);
        return -1;
    }
    *out = &gpu->device;
    return 0;
}

/* Opens no driver: of the struct gpu only the compiler is there. */
int cuda_open_compiler(struct device **out, const struct device_info *info, const char *nvrtc,
                       struct error *error)
{
    static const struct device_ops compiler_ops = {.close = cuda_close,
                                                   .compile = cuda_compile};
    struct gpu *gpu = calloc(1, sizeof *gpu);
    *out = NULL;
    if (!gpu)
        return error_memory(error, sizeof *gpu);
    gpu->device = (struct device){&compiler_ops, *info};
    if (open_compiler(gpu, nvrtc, error)) {
        cuda_close(&gpu->device);
        return -1;
    }
    *out = &gpu->device;
    return 0;
}

#endif
