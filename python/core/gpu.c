/* gpu: opens the CUDA driver, and calls it. Its types are those of the driver's interface, written
 * without its header. */
#include "gpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct driver {
    int (*init)(unsigned flags);
    int (*count)(int *out);
    int (*device)(int *out, int number);
    int (*retain)(void **out, int device);
    int (*release)(int device);
    int (*context_get)(void **out);
    int (*context_set)(void *context);
    int (*pointer)(void *out, int which, unsigned long long address);
    int (*alloc)(unsigned long long *out, size_t bytes);
    int (*free)(unsigned long long address);
    int (*copy_in)(unsigned long long to, const void *from, size_t bytes, void *stream);
    int (*copy_out)(void *to, unsigned long long from, size_t bytes, void *stream);
    int (*wait)(void *stream);
    int (*wait_all)(void);
    int (*error_name)(int result, const char **out);
};

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
    {"cuInit", offsetof(struct driver, init)},
    {"cuDeviceGetCount", offsetof(struct driver, count)},
    {"cuDeviceGet", offsetof(struct driver, device)},
    {"cuDevicePrimaryCtxRetain", offsetof(struct driver, retain)},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(struct driver, release)},
    {"cuCtxGetCurrent", offsetof(struct driver, context_get)},
    {"cuCtxSetCurrent", offsetof(struct driver, context_set)},
    {"cuPointerGetAttribute", offsetof(struct driver, pointer)},
    {"cuMemAlloc_v2", offsetof(struct driver, alloc)},
    {"cuMemFree_v2", offsetof(struct driver, free)},
    {"cuMemcpyHtoDAsync_v2", offsetof(struct driver, copy_in)},
    {"cuMemcpyDtoHAsync_v2", offsetof(struct driver, copy_out)},
    {"cuStreamSynchronize", offsetof(struct driver, wait)},
    {"cuCtxSynchronize", offsetof(struct driver, wait_all)},
    {"cuGetErrorName", offsetof(struct driver, error_name)},
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols, NOT_FOUND = 500, ORDINAL = 9 };

/* Written once, before it is read. */
static struct driver driver;
static bool has_driver;

static void open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    for (size_t i = 0; i < SYMBOLS; i++) {
        void *function = dlsym(library, symbols[i].name);
        if (!function)
            return;
        memcpy((char *)&driver + symbols[i].offset, &function, sizeof function);
    }
    has_driver = driver.init(0) == 0;
}

static bool is_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_driver);
    return has_driver;
}

int gpu_count(void)
{
    int count = 0;
    return is_open() && driver.count(&count) == 0 ? count : 0;
}

int gpu_of(uint64_t address)
{
    int number = -1;
    return is_open() && driver.pointer(&number, ORDINAL, address) == 0 ? number : -1;
}

const char *gpu_error(int result)
{
    const char *name = NULL;
    return is_open() && driver.error_name(result, &name) == 0 && name
               ? name
               : "there is no CUDA driver that says why";
}

int gpu_open(struct gpu *gpu, int number)
{
    int device, result = NOT_FOUND;
    *gpu = (struct gpu){NULL, number};
    if (is_open())
        result = driver.device(&device, number);
    return result ? result : driver.retain(&gpu->context, device);
}

void gpu_close(struct gpu *gpu)
{
    int device;
    if (gpu->context && driver.device(&device, gpu->number) == 0)
        driver.release(device);
    gpu->context = NULL;
}

void *gpu_enter(const struct gpu *gpu)
{
    void *before = NULL;
    if (gpu->context && driver.context_get(&before) == 0 && before != gpu->context)
        driver.context_set(gpu->context);
    return before;
}

void gpu_leave(const struct gpu *gpu, void *before)
{
    if (gpu->context && before != gpu->context)
        driver.context_set(before);
}

int gpu_alloc(uint64_t *out, size_t bytes)
{
    unsigned long long address = 0;
    const int result = driver.alloc(&address, bytes);
    *out = address;
    return result;
}

int gpu_free(uint64_t address)
{
    return driver.free(address);
}

int gpu_copy_in(uint64_t to, const void *from, size_t bytes, void *stream)
{
    const int result = driver.copy_in(to, from, bytes, stream);
    return result ? result : driver.wait(stream);
}

int gpu_copy_out(void *to, uint64_t from, size_t bytes, void *stream)
{
    const int result = driver.copy_out(to, from, bytes, stream);
    return result ? result : driver.wait(stream);
}

int gpu_wait(void *stream)
{
    return driver.wait(stream);
}

int gpu_wait_all(const struct gpu *gpu)
{
    return gpu->context ? driver.wait_all() : 0;
}
