/* borrowed_cuda: uses the GPU whose context is current to the caller, through the driver API.
 * It recognises the context by its id, which no other has as long as the process lives, even
 * where a context that was reset gets its old address back. */
#include "autotune/library/borrowed.h"

#ifdef HAVE_CUDA

#include "autotune/device/driver.h"

#include <stdio.h>
#include <stdlib.h>

struct cuda_borrowed {
    struct borrowed borrowed; /* first: a struct borrowed * is a struct cuda_borrowed * */
    struct driver cu;
    CUcontext context;     /* to be compared, never used: it may be gone */
    unsigned long long id; /* of the context */
    CUdevice number;
};

struct device_module {
    CUmodule handle;
};

static int check_result(const struct cuda_borrowed *cuda, CUresult result, const char *doing,
                        struct autotune_error *error)
{
    static const struct {
        CUresult result;
        enum autotune_code code;
    } rows[] = {
        {CUDA_ERROR_OUT_OF_MEMORY, AUTOTUNE_NO_MEMORY},
        {CUDA_ERROR_INVALID_CONTEXT, AUTOTUNE_NO_CONTEXT},
        {CUDA_ERROR_CONTEXT_IS_DESTROYED, AUTOTUNE_NO_CONTEXT},
    };
    enum autotune_code code = AUTOTUNE_FAILED;
    struct error cause;
    char what[1400];
    if (result == CUDA_SUCCESS)
        return 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].result == result)
            code = rows[i].code;
    snprintf(what, sizeof what, "%.1200s on %.100s (GPU %.15s) failed", doing,
             cuda->borrowed.info.name, cuda->borrowed.info.spec);
    driver_report(&cuda->cu, result, ERROR_FAILED, what, &cause);
    return fail_for(error, code, &cause);
}

/* --- The context -------------------------------------------------------------------------- */

/* The error where the current context is not the borrowed one. */
static int explain_context(const struct cuda_borrowed *cuda, CUresult result,
                           struct autotune_error *error)
{
    static const char anew[] = "create context, plans and workspaces anew";
    const char *gpu = cuda->borrowed.info.name;
    CUcontext current = NULL;
    CUdevice number = cuda->number;
    cuda->cu.context_get(&current);
    cuda->cu.context_device(&number);
    if (!current)
        return fail(error, AUTOTUNE_NO_CONTEXT,
                    "no CUDA context is current to this thread: make the one of %s current "
                    "(cudaSetDevice(%d) or cuCtxSetCurrent); if it was destroyed, %s",
                    gpu, cuda->number, anew);
    if (result || current == cuda->context)
        return fail(error, AUTOTUNE_NO_CONTEXT,
                    "the CUDA context on %s was destroyed or reset, and all that the library "
                    "had there with it: %s",
                    gpu, anew);
    if (number != cuda->number)
        return fail(error, AUTOTUNE_OTHER_CONTEXT,
                    "this is for %s (GPU %d), but GPU %d is current to this thread: call "
                    "cudaSetDevice(%d), or use a plan of GPU %d's context",
                    gpu, cuda->number, number, cuda->number, number);
    return fail(error, AUTOTUNE_OTHER_CONTEXT,
                "another CUDA context of %s (GPU %d) is current to this thread than the one "
                "this was created in: make that one current; if it was destroyed, %s",
                gpu, number, anew);
}

static int cuda_check(const struct borrowed *borrowed, struct autotune_error *error)
{
    const struct cuda_borrowed *cuda = (const struct cuda_borrowed *)borrowed;
    unsigned long long id = 0;
    const CUresult result = cuda->cu.context_id(NULL, &id);
    return result == CUDA_SUCCESS && id == cuda->id ? 0 : explain_context(cuda, result, error);
}

/* --- Kernels ------------------------------------------------------------------------------ */

static void cuda_unload(struct borrowed *borrowed, struct device_module *module)
{
    const struct cuda_borrowed *cuda = (const struct cuda_borrowed *)borrowed;
    cuda->cu.module_unload(module->handle);
    free(module);
}

/* Loads an image. Of PTX the log of the driver's own compiler tells more than the error's
 * code. */
static int load_bytes(const struct cuda_borrowed *cuda, CUmodule *out, const void *bytes,
                      struct autotune_error *error)
{
    enum { LOG_BYTES = 1024 };
    char log[LOG_BYTES] = "", doing[LOG_BYTES + 40] = "loading a kernel";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(LOG_BYTES - 1)};
    const CUresult result = cuda->cu.module_load(out, bytes, 2, options, values);
    if (*log)
        snprintf(doing, sizeof doing, "loading a kernel (%s)", log);
    return check_result(cuda, result, doing, error);
}

static int find_kernel(const struct cuda_borrowed *cuda, struct device_module *module,
                       const char *name, struct device_kernel *out,
                       struct autotune_error *error)
{
    CUfunction function = NULL;
    int shared_bytes = 0;
    CUresult result = cuda->cu.module_function(&function, module->handle, name);
    if (result == CUDA_SUCCESS)
        result = cuda->cu.function_attribute(&shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                             function);
    *out = (struct device_kernel){.module = module,
                                  .function = function,
                                  .shared_bytes = shared_bytes};
    return check_result(cuda, result, "finding a kernel in its image", error);
}

static int cuda_load(struct borrowed *borrowed, const struct device_image *image,
                     struct device_module **out, struct device_kernel *kernels,
                     struct autotune_error *error)
{
    const struct cuda_borrowed *cuda = (const struct cuda_borrowed *)borrowed;
    struct device_module *module = calloc(1, sizeof *module);
    int failed;
    *out = NULL;
    if (!module)
        return fail_memory(error);
    failed = load_bytes(cuda, &module->handle, image->bytes, error);
    if (failed) {
        free(module);
        return failed;
    }
    for (size_t i = 0; i < image->count && !failed; i++)
        failed = find_kernel(cuda, module, image->names[i], &kernels[i], error);
    if (failed) {
        cuda_unload(borrowed, module);
        return failed;
    }
    *out = module;
    return 0;
}

/* --- Memory ------------------------------------------------------------------------------- */

static int cuda_alloc(struct borrowed *borrowed, uint64_t bytes, uint64_t *out,
                      struct autotune_error *error)
{
    const struct cuda_borrowed *cuda = (const struct cuda_borrowed *)borrowed;
    CUdeviceptr address = 0;
    char doing[80];
    snprintf(doing, sizeof doing, "allocating a workspace of %llu bytes",
             (unsigned long long)bytes);
    const CUresult result = cuda->cu.memory_alloc(&address, bytes);
    *out = address;
    return check_result(cuda, result, doing, error);
}

static void cuda_free(struct borrowed *borrowed, uint64_t address)
{
    const struct cuda_borrowed *cuda = (const struct cuda_borrowed *)borrowed;
    cuda->cu.memory_free(address);
}

static int cuda_clear(struct borrowed *borrowed, uint64_t at, uint64_t bytes, void *stream,
                      struct autotune_error *error)
{
    const struct cuda_borrowed *cuda = (const struct cuda_borrowed *)borrowed;
    return check_result(cuda, cuda->cu.fill(at, 0, bytes, stream), "clearing a workspace",
                        error);
}

static int cuda_wait(struct borrowed *borrowed, void *stream, struct autotune_error *error)
{
    const struct cuda_borrowed *cuda = (const struct cuda_borrowed *)borrowed;
    return check_result(cuda, cuda->cu.stream_sync(stream), "clearing a workspace", error);
}

/* --- Launches ----------------------------------------------------------------------------- */

enum {
    ATTRIBUTES_MAX = 2,
    SHARED_PLAIN = 48 * 1024, /* bytes of shared memory that need no permission */
    CLUSTER_PLAIN = 8,        /* blocks of a cluster, likewise */
};

/* Kernels are shared by plans, so a permission is never taken back. */
static CUresult allow_shared(const struct cuda_borrowed *cuda,
                             const struct device_launch *launch)
{
    static const CUfunction_attribute which = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    const CUfunction function = launch->kernel->function;
    const int wanted = (int)launch->shared_bytes;
    int allowed = 0;
    if (launch->shared_bytes + launch->kernel->shared_bytes <= SHARED_PLAIN)
        return CUDA_SUCCESS;
    const CUresult result = cuda->cu.function_attribute(&allowed, which, function);
    return result || allowed >= wanted
               ? result
               : cuda->cu.function_set_attribute(function, which, wanted);
}

static int cuda_allow(struct borrowed *borrowed, const struct device_launch *launches,
                      size_t count, struct autotune_error *error)
{
    const struct cuda_borrowed *cuda = (const struct cuda_borrowed *)borrowed;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = allow_shared(cuda, &launches[i]);
        if (result == CUDA_SUCCESS && launches[i].cluster > CLUSTER_PLAIN)
            result = cuda->cu.function_set_attribute(
                launches[i].kernel->function,
                CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    }
    return check_result(cuda, result,
                        "allowing a kernel more shared memory or a larger cluster", error);
}

static CUresult launch_one(const struct cuda_borrowed *cuda, const struct device_launch *launch,
                           CUstream stream)
{
    CUlaunchAttribute attributes[ATTRIBUTES_MAX];
    void *args[LAUNCH_ARGS_MAX];
    CUlaunchConfig config = {
        .gridDimX = launch->grid,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = launch->block,
        .blockDimY = 1,
        .blockDimZ = 1,
        .sharedMemBytes = launch->shared_bytes,
        .hStream = stream,
        .attrs = attributes,
    };
    if (launch->cluster > 1)
        attributes[config.numAttrs++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                .value.clusterDim = {launch->cluster, 1, 1}};
    if (launch->is_cooperative)
        attributes[config.numAttrs++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    for (size_t i = 0; i < launch->arg_count; i++)
        args[i] = (void *)(uintptr_t)&launch->args[i]; /* read at once, never written */
    return cuda->cu.launch(&config, launch->kernel->function, args, NULL);
}

static int cuda_launch(struct borrowed *borrowed, const struct device_launch *launches,
                       size_t count, void *stream, struct autotune_error *error)
{
    const struct cuda_borrowed *cuda = (const struct cuda_borrowed *)borrowed;
    unsigned long long id = 0;
    CUresult result = cuda->cu.context_id(NULL, &id);
    if (result != CUDA_SUCCESS || id != cuda->id)
        return explain_context(cuda, result, error);
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = launch_one(cuda, &launches[i], stream);
    return result == CUDA_SUCCESS ? 0 : check_result(cuda, result, "launching a kernel", error);
}

/* --- Opening ------------------------------------------------------------------------------ */

static void cuda_close(struct borrowed *borrowed)
{
    free(borrowed);
}

static int take_context(struct cuda_borrowed *cuda, struct autotune_error *error)
{
    const struct driver *cu = &cuda->cu;
    struct error cause;
    if (cu->context_get(&cuda->context) != CUDA_SUCCESS || !cuda->context)
        return fail(error, AUTOTUNE_NO_CONTEXT,
                    "no CUDA context is current to this thread: call cudaSetDevice (and "
                    "cudaFree(0) before CUDA 12) or cuCtxSetCurrent first");
    if (cu->context_id(cuda->context, &cuda->id) != CUDA_SUCCESS ||
        cu->context_device(&cuda->number) != CUDA_SUCCESS)
        return fail(error, AUTOTUNE_NO_CONTEXT,
                    "the CUDA context that is current to this thread was destroyed: make "
                    "another one current");
    return cuda_describe(&cuda->borrowed.info, cuda->number, &cause)
               ? fail_for(error, AUTOTUNE_NO_DEVICE, &cause)
               : 0;
}

int borrowed_open_cuda(struct borrowed **out, struct autotune_error *error)
{
    static const struct borrowed_ops ops = {
        .close = cuda_close,
        .check = cuda_check,
        .load = cuda_load,
        .unload = cuda_unload,
        .allow = cuda_allow,
        .alloc = cuda_alloc,
        .free = cuda_free,
        .clear = cuda_clear,
        .wait = cuda_wait,
        .launch = cuda_launch,
    };
    struct cuda_borrowed *cuda = calloc(1, sizeof *cuda);
    struct error cause;
    int count, failed;
    if (!cuda)
        return fail_memory(error);
    cuda->borrowed.ops = &ops;
    failed = driver_open(&cuda->cu, &count, &cause)
                 ? fail_for(error, AUTOTUNE_NO_DEVICE, &cause)
                 : take_context(cuda, error);
    if (failed) {
        free(cuda);
        return failed;
    }
    *out = &cuda->borrowed;
    return 0;
}

#else

int borrowed_open_cuda(struct borrowed **out, struct autotune_error *error)
{
    struct device_info info;
    struct error cause;
    *out = NULL;
    cuda_describe(&info, 0, &cause);
    return fail_for(error, AUTOTUNE_NO_DEVICE, &cause);
}

#endif
