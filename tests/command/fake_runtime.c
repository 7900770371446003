/* fake_runtime: stands in for CUDA's runtime under an exported launcher, so that what it
 * launches can be seen without a GPU. FAKE_CC, FAKE_SMS, FAKE_NAME, FAKE_CLOCK, FAKE_BUS and
 * FAKE_PTX say what the device is and for what the code was compiled, FAKE_SHARED and FAKE_CLUSTER
 * the most that it grants; FAKE_RESET resets it between two calls. A launch is a line: kernel grid block shared cluster
 * cooperative count; with -DMATRIX, for an export of rows or columns, rows len pitch in place of
 * the count. */
#include "exported.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 64, SHARED_PLAIN = 49152, CLUSTER_PLAIN = 8 };
static struct {
    const void *entry;
    const char *name;
    int shared, is_wide; /* what the context allows beyond the usual */
} kernels[KERNELS_MAX];
static int kernel_count;
static cudaError_t last_error;

static int setting_or(const char *name, int otherwise)
{
    const char *value = getenv(name);
    return value ? atoi(value) : otherwise;
}

static int setting(const char *name)
{
    return setting_or(name, 0);
}

static cudaError_t give(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

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
    (void)handle;
    (void)name;
    (void)limit;
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    (void)e;
    kernels[kernel_count].entry = entry;
    kernels[kernel_count++].name = device_name;
}

unsigned __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    (void)grid;
    (void)block;
    (void)shared;
    (void)stream;
    abort();
}

cudaError_t __cudaGetKernel(void **out, const void *entry)
{
    (void)out;
    (void)entry;
    abort();
}

cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    (void)kernel;
    (void)grid;
    (void)block;
    (void)args;
    (void)shared;
    (void)stream;
    abort();
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return setting("FAKE_CC") ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    *value = attribute == cudaDevAttrComputeCapabilityMajor   ? setting("FAKE_CC") / 10
             : attribute == cudaDevAttrComputeCapabilityMinor ? setting("FAKE_CC") % 10
             : attribute == cudaDevAttrMemoryClockRate        ? setting("FAKE_CLOCK")
             : attribute == cudaDevAttrGlobalMemoryBusWidth   ? setting("FAKE_BUS")
                                                              : setting("FAKE_SMS");
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device)
{
    const char *name = getenv("FAKE_NAME");
    (void)device;
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", name ? name : "");
    return cudaSuccess;
}

static int find_kernel(const void *entry)
{
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].entry == entry)
            return i;
    abort();
}

static const char *name_of(const void *entry)
{
    return kernels[find_kernel(entry)].name;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *entry)
{
    name_of(entry);
    memset(out, 0, sizeof *out);
    out->ptxVersion = setting("FAKE_PTX");
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *entry, enum cudaFuncAttribute attribute, int value)
{
    const int k = find_kernel(entry);
    const int is_shared = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize;
    if (is_shared && value > setting_or("FAKE_SHARED", 232448))
        return give(cudaErrorInvalidValue);
    printf("allow %s %d %d\n", name_of(entry), (int)attribute, value);
    *(is_shared ? &kernels[k].shared : &kernels[k].is_wide) = value;
    return cudaSuccess;
}

static unsigned cluster_of(const cudaLaunchConfig_t *config)
{
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            return config->attrs[i].val.clusterDim.x;
    return 1;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *entry,
                                           const cudaLaunchConfig_t *config)
{
    name_of(entry);
    *clusters = (int)cluster_of(config) <= setting_or("FAKE_CLUSTER", 16);
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    for (int i = 0; i < kernel_count; i++)
        kernels[i].shared = kernels[i].is_wide = 0;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    memset(to, byte, bytes);
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorNoDevice ? "no device" : "some error";
}

static unsigned long long number_at(const void *argument)
{
    return *(const unsigned long long *)argument;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *entry,
                                void **args)
{
    const unsigned cluster = cluster_of(config);
    const int k = find_kernel(entry);
    int is_cooperative = 0;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeCooperative)
            is_cooperative = config->attrs[i].val.cooperative;
    if (config->dynamicSmemBytes >
            (size_t)(kernels[k].shared > SHARED_PLAIN ? kernels[k].shared : SHARED_PLAIN) ||
        (cluster > CLUSTER_PLAIN && !kernels[k].is_wide) ||
        (int)cluster > setting_or("FAKE_CLUSTER", 16))
        return give(cudaErrorInvalidValue);
    printf("%s %u %u %zu %u %d ", name_of(entry), config->gridDim.x, config->blockDim.x,
           config->dynamicSmemBytes, cluster, is_cooperative);
#ifdef MATRIX
    printf("%llu %llu %llu\n", number_at(args[1]), number_at(args[2]), number_at(args[3]));
#else
    printf("%llu\n", config->blockDim.x > 1 ? number_at(args[1]) : 0); /* 1: prepares alone */
#endif
    return cudaSuccess;
}

/* Addresses of device memory that nobody follows, far enough apart for any input. */
#define IN ((uintptr_t)1 << 44)
#define OUT ((uintptr_t)1 << 45)

#ifdef MATRIX
/* fake ROWS LEN PITCH [ROWS_MAX]: what a call for that matrix, the first rows of one of ROWS_MAX,
 * launches, or why nothing. */
int main(int argc, char **argv)
{
    const float *in = (const float *)IN;
    float *out = (float *)OUT;
    size_t bytes = 0, sizes[3] = {0, 0, 0};
    enum my_fit match = MY_DEFAULT;
    const char *params = "";
    for (int i = 0; i < 3 && i + 1 < argc; i++)
        sizes[i] = strtoull(argv[i + 1], NULL, 10);
    const size_t rows = sizes[0];
    if (argc > 4)
        sizes[0] = strtoull(argv[4], NULL, 10);
    const char *refusal = my_refusal(sizes[0], sizes[1], sizes[2]);
    cudaError_t error = my_workspace_bytes(sizes[0], sizes[1], sizes[2], &bytes);
    void *held = malloc(bytes + 256), *workspace = (char *)held + (256 - (uintptr_t)held % 256);
    if (error == cudaSuccess)
        error = my_workspace_init(workspace, bytes, 0);
    if (error == cudaSuccess)
        error = my_match(sizes[0], sizes[1], sizes[2], &match, &params);
    printf("match %d %s\n", (int)match, params);
    if (error == cudaSuccess)
        error = argc > 4 ? my_within(in, rows, sizes[0], sizes[1], sizes[2], out, workspace,
                                     bytes, 0)
                         : my(in, sizes[0], sizes[1], sizes[2], out, workspace, bytes, 0);
    printf("workspace %zu, error %d\n", bytes, (int)error);
    if (bytes > 512 && my(in, sizes[0], sizes[1], sizes[2], out, workspace, bytes - 512, 0) !=
                           cudaErrorInvalidValue)
        printf("a workspace that is too small was taken\n");
    if (refusal)
        printf("%s\n", refusal);
    free(held);
    return 0;
}
#else
/* Elements or results that reach into the workspace, from either side, or into one another. */
static int takes_overlap(const int32_t *in, size_t n, int32_t *out, void *workspace,
                         size_t bytes)
{
    int32_t *const last = (int32_t *)workspace + bytes / 4 - 1;
    return my(last, n, out, workspace, bytes, 0) != cudaErrorInvalidValue ||
           my((int32_t *)workspace - n + 1, n, out, workspace, bytes, 0) !=
               cudaErrorInvalidValue ||
           my(in, n, last, workspace, bytes, 0) != cudaErrorInvalidValue ||
           my(in, n, (int32_t *)in + n - 1, workspace, bytes, 0) != cudaErrorInvalidValue;
}

/* fake N MAX: what a call for N elements launches with a workspace for MAX. */
int main(int argc, char **argv)
{
    const int32_t *in = (const int32_t *)IN;
    int32_t *out = (int32_t *)OUT;
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const size_t n_max = argc > 2 ? strtoull(argv[2], NULL, 10) : n;
    size_t bytes = 0;
    enum my_fit match = MY_DEFAULT;
    const char *params = "";
    cudaError_t error = my_workspace_bytes(n_max, &bytes);
    void *held = malloc(bytes + 256), *workspace = (char *)held + (256 - (uintptr_t)held % 256);
    if (error == cudaSuccess)
        error = my_workspace_init(workspace, bytes, 0);
    if (error == cudaSuccess && n && takes_overlap(in, n, out, workspace, bytes))
        printf("an overlap was taken\n");
    if (error == cudaSuccess)
        error = my_match(n, &match, &params);
    printf("match %d %s\n", (int)match, params);
    for (int call = 0; call <= setting("FAKE_RESET") && error == cudaSuccess; call++) {
        if (call > 0)
            error = cudaDeviceReset();
        if (error == cudaSuccess)
            error = my(in, n, out, workspace, bytes, 0);
    }
    printf("workspace %zu, error %d\n", bytes, (int)error);
    if (error == cudaSuccess && cudaGetLastError() != cudaSuccess)
        printf("an error is left\n");
    free(held);
    return 0;
}
#endif
