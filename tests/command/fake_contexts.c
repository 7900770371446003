/* fake_contexts: stands in for CUDA's runtime under emitted launchers: GPUs whose contexts forget at a
 * reset what a kernel was allowed, and refuse a launch that was not. A launch prints the kernel's name.
 * FAKE_REFUSES=1: a GPU that grants nothing unusual. */
#include <cuda_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 64, DEVICES = 2, PLAIN_BYTES = 48 << 10, PLAIN_CLUSTER = 8 };
static struct {
    const void *entry;
    const char *name;
    struct {
        unsigned bytes;
        int is_wide;
    } allowed[DEVICES];
} kernels[KERNELS_MAX];
static int kernel_count, device_now;
static cudaError_t last;

void **__cudaRegisterFatBinary(void *code);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *entry, char *name,
                            const char *device_name, int limit, void *a, void *b, void *c,
                            void *d, int *e);
char __cudaInitModule(void **handle);
unsigned __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(void **out, const void *entry);
cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

void **__cudaRegisterFatBinary(void *code)
{
    static void *handle;
    handle = code;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

char __cudaInitModule(void **handle)
{
    (void)handle;
    return 0;
}

void __cudaRegisterFunction(void **handle, const char *entry, char *name,
                            const char *device_name, int limit, void *a, void *b, void *c,
                            void *d, int *e)
{
    (void)handle, (void)name, (void)limit, (void)a, (void)b, (void)c, (void)d, (void)e;
    for (int i = 0; i < kernel_count; i++)
        if (strcmp(kernels[i].name, device_name) == 0)
            abort(); /* two of one name */
    if (kernel_count == KERNELS_MAX)
        abort();
    kernels[kernel_count].entry = entry;
    kernels[kernel_count++].name = device_name;
}

unsigned __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    (void)grid, (void)block, (void)shared, (void)stream;
    abort();
}

cudaError_t __cudaGetKernel(void **out, const void *entry)
{
    (void)out, (void)entry;
    abort();
}

cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    (void)kernel, (void)grid, (void)block, (void)args, (void)shared, (void)stream;
    abort();
}

static cudaError_t keep(cudaError_t error)
{
    last = error == cudaSuccess ? last : error;
    return error;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last;
}

cudaError_t cudaSetDevice(int device)
{
    device_now = device;
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    for (int i = 0; i < kernel_count; i++)
        memset(&kernels[i].allowed[device_now], 0, sizeof kernels[i].allowed[device_now]);
    return cudaSuccess;
}

static int find(const void *entry)
{
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].entry == entry)
            return i;
    abort();
}

cudaError_t cudaFuncSetAttribute(const void *entry, enum cudaFuncAttribute attribute, int value)
{
    const int kernel = find(entry);
    if (getenv("FAKE_REFUSES"))
        return keep(cudaErrorInvalidValue);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        kernels[kernel].allowed[device_now].bytes = (unsigned)value;
    else if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
        kernels[kernel].allowed[device_now].is_wide = value;
    else
        abort();
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *entry,
                                void **args)
{
    const int kernel = find(entry);
    (void)args;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension &&
            config->attrs[i].val.clusterDim.x > PLAIN_CLUSTER &&
            !kernels[kernel].allowed[device_now].is_wide)
            return keep(cudaErrorInvalidClusterSize);
    if (config->dynamicSmemBytes > PLAIN_BYTES &&
        config->dynamicSmemBytes > kernels[kernel].allowed[device_now].bytes)
        return keep(cudaErrorInvalidValue);
    printf("%s ", kernels[kernel].name);
    return cudaSuccess;
}
