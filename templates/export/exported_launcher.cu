//? if PIECE == OPENED
struct prefix_kernel {
    const void *entry;
    int cc;           /* code for this compute capability or a newer one contains it */
    int shared_bytes; /* most dynamic shared memory of a launch */
};

//? else
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
    for (const prefix_gpu &gpu : prefix_gpus)
        if (gpu.cc == device.cc && row + 1 < gpu.first + gpu.count)
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

/* What a thread was given last: most calls ask for the same again. */
struct prefix_choice {
    prefix_device device; /* zeros at first */
    struct dims most, dims;
    int row;
    enum prefix_match match;
    const char *refusal; /* why there are no launches, as a sentence, or 0 */
    struct planner_plan plan;
};

static bool prefix_is_same(const prefix_device &a, const prefix_device &b)
{
    return a.cc == b.cc && a.sms == b.sms && a.code == b.code;
}

/* The row for `most`, or the default where that row's kernels were not compiled, and its launches
 * of `dims` as they are planned for `most`. */
static cudaError_t prefix_choose(const prefix_choice **out, const struct dims *most,
    const struct dims *dims)
{
    static thread_local prefix_choice last;
    prefix_device device;
    const cudaError_t error = prefix_device_now(&device);
    if (error != cudaSuccess)
        return error;
    if (!prefix_is_same(last.device, device) || !dims_is_same(&last.most, most) ||
        !dims_is_same(&last.dims, dims)) {
        last.row = prefix_select_dims(device.cc, device.sms, most, &last.match);
        if (!prefix_is_there(device, last.row)) {
            last.row = PREFIX_DEFAULT_ROW;
            last.match = PREFIX_DEFAULT;
        }
        last.refusal = prefix_plan_dims(&last.plan, last.row, device.sms, most, dims);
        last.device = device;
        last.most = *most;
        last.dims = *dims;
    }
    *out = &last;
    return cudaSuccess;
}

/* State words lie in the first half of a workspace, partial results in the second, whatever is
 * reduced: so what one call leaves behind is never another's state. */
static uint64_t prefix_half_for(const struct planner_plan &plan)
{
    const uint64_t most =
        plan.state_bytes > plan.scratch_bytes ? plan.state_bytes : plan.scratch_bytes;
    return (most + 255) / 256 * 256;
}

/* Bytes of a workspace for these dims alone. */
static cudaError_t prefix_bytes_for(const struct dims *dims, size_t *bytes)
{
    const prefix_choice *choice;
    const cudaError_t error = prefix_choose(&choice, dims, dims);
    if (error != cudaSuccess || choice->refusal)
        return error != cudaSuccess ? error : cudaErrorInvalidValue;
    const uint64_t half = prefix_half_for(choice->plan);
    *bytes = (size_t)(2 * (half > 256 ? half : 256));
    return cudaSuccess;
}

static cudaError_t prefix_run(const prefix_step &step, const struct planner_launch &launch,
    const struct planner_buffers &buffers, cudaStream_t stream)
{
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config = {};
    uint64_t values[PLANNER_ARGS];
    void *args[8];
    planner_bind(values, &launch, &buffers);
    for (int i = 0; i < step.arg_count; i++)
        args[i] = &values[step.args[i]];
    config.gridDim = dim3((unsigned)launch.keys[PLANNER_GRID]);
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

/* Do two ranges of bytes have one in common? */
static bool prefix_overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a_bytes != 0 && b_bytes != 0 && (a - b < b_bytes || b - a < a_bytes);
}

/* Are the addresses multiples of what lies there, and elements, results and workspace apart, but for
 * the results of a scan in its elements' place? */
static bool prefix_is_placed(uint64_t in, uint64_t out, uint64_t workspace, size_t bytes,
    const struct dims *dims)
{
    const uint64_t in_bytes = dims_extent(dims) * sizeof(prefix_element);
    const uint64_t out_bytes = dims_results(dims) * sizeof(prefix_result);
    return in % sizeof(prefix_element) == 0 && out % sizeof(prefix_result) == 0 &&
           workspace % 256 == 0 && !prefix_overlap(in, in_bytes, workspace, bytes) &&
           !prefix_overlap(out, out_bytes, workspace, bytes) &&
           ((dims->scan && in == out && sizeof(prefix_element) == sizeof(prefix_result) &&
             dims_extent(dims) == dims_n(dims)) ||
            !prefix_overlap(out, out_bytes, in, in_bytes));
}

/* Reduces `dims` as it is planned for `most`. */
static cudaError_t prefix_reduce(const prefix_element *in, const struct dims *most,
    const struct dims *dims, prefix_result *out, void *workspace, size_t bytes,
    cudaStream_t stream)
{
    const prefix_choice *choice;
    cudaError_t error = prefix_choose(&choice, most, dims);
    if (error != cudaSuccess || choice->refusal)
        return error != cudaSuccess ? error : cudaErrorInvalidValue;
    const struct planner_plan &plan = choice->plan;
    if (plan.count == 0)
        return cudaSuccess;
    const size_t half = bytes / 512 * 256;
    if (!out || (!in && dims_n(dims) > 0) || !workspace || prefix_half_for(plan) > half ||
        !prefix_is_placed((uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out,
            (uint64_t)(uintptr_t)workspace, bytes, dims))
        return cudaErrorInvalidValue;
    const struct planner_buffers buffers = {(uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out,
        (uint64_t)(uintptr_t)workspace + half, (uint64_t)(uintptr_t)workspace};
    for (int i = 0; i < plan.count && error == cudaSuccess; i++) {
        const struct planner_launch &launch = plan.launches[i];
        error = prefix_run(prefix_steps[prefix_rows[choice->row].first + launch.pass], launch, buffers,
            stream);
    }
    return error;
}

static cudaError_t prefix_tell(const struct dims *dims, enum prefix_match *match,
    const char **params)
{
    const prefix_choice *choice;
    const cudaError_t error = prefix_choose(&choice, dims, dims);
    if (error != cudaSuccess)
        return error;
    if (match)
        *match = choice->match;
    if (params)
        *params = prefix_rows[choice->row].text;
    return cudaSuccess;
}

extern "C" cudaError_t prefix_workspace_init(void *workspace, size_t bytes, cudaStream_t stream)
{
    return cudaMemsetAsync(workspace, 0, bytes, stream);
}
//? end
