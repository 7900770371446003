struct prefix_kernel {
    const void *entry;
    int cc;           /* code for this compute capability or a newer one contains it */
    int shared_bytes; /* most dynamic shared memory of a launch */
};

static const struct prefix_kernel prefix_entries[] = {
//: entries
};

struct prefix_device {
    int cc, sms;
    int code; /* compute capability for which the code that runs was compiled */
};

/* Are the kernels of a row in the code? */
static bool prefix_is_there(const prefix_device &device, int row)
{
    for (int i = 0; i < prefix_rows[row].count; i++)
        if (prefix_entries[prefix_steps[prefix_rows[row].first + i].kernel].cc > device.code)
            return false;
    return true;
}

/* Lets the kernels of a row have what they do not have unasked. */
static cudaError_t prefix_allow(const prefix_device &device, int row)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < prefix_rows[row].count && prefix_is_there(device, row); i++) {
        const prefix_step &step = prefix_steps[prefix_rows[row].first + i];
        const prefix_kernel &kernel = prefix_entries[step.kernel];
        if (error == cudaSuccess && kernel.shared_bytes > 0)
            error = cudaFuncSetAttribute(
                kernel.entry, cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.shared_bytes);
        if (error == cudaSuccess && step.cluster > 8)
            error = cudaFuncSetAttribute(
                kernel.entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
    return error;
}

/* Of the rows that may serve the device, -1 is before the first and after the last. */
static int prefix_next_row(const prefix_device &device, int row)
{
    bool has_own = false;
    for (const prefix_gpu &gpu : prefix_gpus)
        has_own |= gpu.cc == device.cc && gpu.sms == device.sms;
    for (const prefix_gpu &gpu : prefix_gpus)
        if (gpu.cc == device.cc && (gpu.sms == device.sms || !has_own) &&
            row + 1 < gpu.first + gpu.count)
            return row + 1 > gpu.first ? row + 1 : gpu.first;
    return row < PREFIX_DEFAULT_ROW ? PREFIX_DEFAULT_ROW : -1;
}

static cudaError_t prefix_ask(int number, prefix_device *out)
{
    cudaFuncAttributes code;
    int major = 0, minor = 0;
    cudaError_t error =
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&out->sms, cudaDevAttrMultiProcessorCount, number);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&code, prefix_entries[0].entry);
    if (error != cudaSuccess)
        return error;
    out->cc = 10 * major + minor;
    out->code = code.ptxVersion;
    for (int row = prefix_next_row(*out, -1); row >= 0 && error == cudaSuccess;
         row = prefix_next_row(*out, row))
        error = prefix_allow(*out, row);
    return error;
}

/* The current device, asked about once. */
static cudaError_t prefix_device_now(prefix_device *out)
{
    enum { DEVICES = 64 };
    static std::atomic<unsigned long long> known[DEVICES]; /* 0: not asked yet */
    int number = 0;
    cudaError_t error = cudaGetDevice(&number);
    if (error != cudaSuccess)
        return error;
    const unsigned long long packed =
        number < DEVICES ? known[number].load(std::memory_order_acquire) : 0;
    if (packed != 0) {
        out->cc = (int)(packed >> 48);
        out->code = (int)(packed >> 32 & 0xffff);
        out->sms = (int)(packed & 0xffffffff);
        return cudaSuccess;
    }
    error = prefix_ask(number, out);
    if (error == cudaSuccess && number < DEVICES)
        known[number].store((unsigned long long)out->cc << 48 |
                                (unsigned long long)out->code << 32 | (unsigned)out->sms,
                            std::memory_order_release);
    return error;
}

static cudaError_t prefix_run(const prefix_launch &launch, void *values[], cudaStream_t stream)
{
    const prefix_step &step = *launch.step;
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config = {};
    void *args[8];
    for (int i = 0; i < step.arg_count; i++)
        args[i] = values[step.args[i]];
    config.gridDim = dim3(launch.grid);
    config.blockDim = dim3(step.block);
    config.dynamicSmemBytes = step.shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (step.cluster > 1) {
        cudaLaunchAttribute *attribute = &attributes[config.numAttrs++];
        attribute->id = cudaLaunchAttributeClusterDimension;
        attribute->val.clusterDim.x = step.cluster;
        attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    }
    if (step.is_cooperative) {
        cudaLaunchAttribute *attribute = &attributes[config.numAttrs++];
        attribute->id = cudaLaunchAttributeCooperative;
        attribute->val.cooperative = 1;
    }
    return cudaLaunchKernelExC(&config, prefix_entries[step.kernel].entry, args);
}

/* State words lie in the first half of a workspace, partial results in the second, whatever n:
 * so what one call leaves behind is never another's state. */
static uint64_t prefix_half_for(const prefix_plan &plan)
{
    const uint64_t most =
        plan.state_bytes > plan.scratch_bytes ? plan.state_bytes : plan.scratch_bytes;
    return (most + 255) / 256 * 256;
}

extern "C" cudaError_t prefix_workspace_init(void *workspace, size_t bytes, cudaStream_t stream)
{
    return cudaMemsetAsync(workspace, 0, bytes, stream);
}
