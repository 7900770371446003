//? if PIECE == OPENED
struct prefix_kernel {
    const void *entry;
    int shared_bytes; /* most dynamic shared memory of a launch */
};

//? else
/* What a thread knows of a device. No other thread sees it, so nothing waits. */
struct prefix_known {
    int number; /* of the device, and one; 0: not asked yet */
    prefix_device device;
    unsigned char asked[PREFIX_DEFAULT_ROW + 1], refused[PREFIX_DEFAULT_ROW + 1]; /* by row */
//? if ASKS_NAME
    char name[sizeof(cudaDeviceProp::name)];
//? end
};

/* An attribute that not every device has: 0 then. */
static int prefix_attribute(int number, cudaDeviceAttr which)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, number) == cudaSuccess)
        return value;
    cudaGetLastError(); /* or the caller would take it for one of his own calls' */
    return 0;
}

static cudaError_t prefix_ask(int number, prefix_known *out)
{
    cudaFuncAttributes code;
    int major = 0, minor = 0;
    cudaError_t error =
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&out->device.sms, cudaDevAttrMultiProcessorCount, number);
    if (error == cudaSuccess) /* of the default, which all code has */
        error = cudaFuncGetAttributes(&code,
            prefix_entries[prefix_steps[prefix_rows[PREFIX_DEFAULT_ROW].first].kernel].entry);
    if (error != cudaSuccess)
        return error;
    out->device.cc = 10 * major + minor;
    out->device.code = code.ptxVersion;
    out->device.memory_clock_khz = prefix_attribute(number, cudaDevAttrMemoryClockRate);
    out->device.bus_bits = prefix_attribute(number, cudaDevAttrGlobalMemoryBusWidth);
    out->device.refused = out->refused;
//? if ASKS_NAME
    cudaDeviceProp properties;
    error = cudaGetDeviceProperties(&properties, number);
    if (error != cudaSuccess)
        return error;
    memcpy(out->name, properties.name, sizeof out->name);
    out->device.name = out->name;
//? end
    out->number = number + 1;
    return cudaSuccess;
}

/* The current device, asked about once by each thread. */
static cudaError_t prefix_device_now(prefix_known **out)
{
    enum { DEVICES = 16 };
    static thread_local prefix_known known[DEVICES];
    int number = 0;
    const cudaError_t error = cudaGetDevice(&number);
    if (error != cudaSuccess)
        return error;
    *out = &known[number % DEVICES];
    if ((*out)->number == number + 1)
        return cudaSuccess;
    **out = prefix_known();
    return prefix_ask(number, *out);
}

/* Lets a kernel have what it does not get unasked. A context keeps that, and a reset makes another:
 * so before each such launch. All launches of a kernel ask for the same. */
static cudaError_t prefix_allow(const prefix_step &step)
{
    const prefix_kernel &kernel = prefix_entries[step.kernel];
    cudaError_t error = cudaSuccess;
    if (kernel.shared_bytes > 0)
        error = cudaFuncSetAttribute(
            kernel.entry, cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.shared_bytes);
    if (step.cluster > 8 && error == cudaSuccess)
        error = cudaFuncSetAttribute(
            kernel.entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return error;
}

//? if HAS_CLUSTERS
static void prefix_set_cluster(cudaLaunchConfig_t *config, const prefix_step &step)
{
    cudaLaunchAttribute *attribute = &config->attrs[config->numAttrs++];
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = step.cluster;
    attribute->val.clusterDim.y = 1;
    attribute->val.clusterDim.z = 1;
}

/* Is there a place for a cluster of the kernel? */
static cudaError_t prefix_place(const prefix_step &step)
{
    cudaLaunchAttribute attributes[1];
    cudaLaunchConfig_t config = {};
    int clusters = 0;
    config.gridDim = dim3(step.cluster);
    config.blockDim = dim3(step.block);
    config.dynamicSmemBytes = step.shared_bytes;
    config.attrs = attributes;
    prefix_set_cluster(&config, step);
    const cudaError_t error =
        cudaOccupancyMaxActiveClusters(&clusters, prefix_entries[step.kernel].entry, &config);
    return error == cudaSuccess && clusters == 0 ? cudaErrorInvalidClusterSize : error;
}

//? end
/* Asks the driver whether the device launches the kernels of a row. An error is of something else:
 * the same may go well next time. */
static cudaError_t prefix_ask_row(prefix_known *known, int row)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < prefix_rows[row].count && error == cudaSuccess; i++) {
        const prefix_step &step = prefix_steps[prefix_rows[row].first + i];
        error = prefix_allow(step);
//? if HAS_CLUSTERS
        if (step.cluster > 1 && error == cudaSuccess)
            error = prefix_place(step);
//? end
    }
    known->refused[row] = error == cudaErrorInvalidValue || error == cudaErrorNotSupported ||
                          error == cudaErrorInvalidConfiguration ||
                          error == cudaErrorInvalidClusterSize ||
                          error == cudaErrorLaunchOutOfResources;
    if (known->refused[row])
        cudaGetLastError(); /* a refusal is no error of the caller's */
    known->asked[row] = error == cudaSuccess || known->refused[row];
    return known->asked[row] ? cudaSuccess : error;
}

/* The row for `dims` that the device launches. */
static cudaError_t prefix_find_row(prefix_known *known, const struct dims *dims, int *row,
    enum prefix_fit *match)
{
    for (;;) {
        *row = prefix_select_dims(&known->device, dims, match);
        if (known->asked[*row] || *row == PREFIX_DEFAULT_ROW)
            return cudaSuccess;
        const cudaError_t error = prefix_ask_row(known, *row);
        if (error != cudaSuccess)
            return error;
    }
}

/* What a thread was given last: most calls ask for the same again. */
struct prefix_choice {
    int number; /* of the device, and one; 0 at first */
    struct dims most, dims;
    int row;
    enum prefix_fit match;
    const char *refusal; /* why there are no launches, as a sentence, or 0 */
    struct planner_plan plan;
};

/* The row for `most`, and its launches of `dims` as they are planned for `most`. */
static cudaError_t prefix_choose(const prefix_choice **out, const struct dims *most,
    const struct dims *dims)
{
    static thread_local prefix_choice last;
    prefix_known *known;
    cudaError_t error = prefix_device_now(&known);
    if (error != cudaSuccess)
        return error;
    if (last.number != known->number || !dims_is_same(&last.most, most) ||
        !dims_is_same(&last.dims, dims)) {
        last.number = 0;
        error = prefix_find_row(known, most, &last.row, &last.match);
        if (error != cudaSuccess)
            return error;
        last.refusal = prefix_plan_dims(&last.plan, last.row, known->device.sms, most, dims);
        last.most = *most;
        last.dims = *dims;
        last.number = known->number;
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

static size_t prefix_bytes_of(const struct planner_plan &plan)
{
    const uint64_t half = prefix_half_for(plan);
    return (size_t)(2 * (half > 256 ? half : 256));
}

/* Bytes of a workspace for these dims alone. */
static cudaError_t prefix_bytes_for(const struct dims *dims, size_t *bytes)
{
    const prefix_choice *choice;
    const cudaError_t error = prefix_choose(&choice, dims, dims);
    if (error != cudaSuccess || choice->refusal)
        return error != cudaSuccess ? error : cudaErrorInvalidValue;
    *bytes = prefix_bytes_of(choice->plan);
    return cudaSuccess;
}

//? if HAS_PARAMS
static cudaError_t prefix_run(const prefix_step &step, const struct planner_launch &launch,
    const struct planner_buffers &buffers, cudaStream_t stream, prefix_op_params *params)
//? else
static cudaError_t prefix_run(const prefix_step &step, const struct planner_launch &launch,
    const struct planner_buffers &buffers, cudaStream_t stream)
//? end
{
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config = {};
    uint64_t values[PLANNER_ARGS];
//? if HAS_PARAMS
    void *args[8 + PREFIX_OP_PARAMS];
//? else
    void *args[8];
//? end
    planner_bind(values, &launch, &buffers);
    for (int i = 0; i < step.arg_count; i++)
        args[i] = &values[step.args[i]];
//? if HAS_PARAMS
    prefix_point_params(args + step.arg_count, params);
//? end
    config.gridDim = dim3((unsigned)launch.keys[PLANNER_GRID]);
    config.blockDim = dim3(step.block);
    config.dynamicSmemBytes = step.shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
//? if HAS_CLUSTERS
    if (step.cluster > 1)
        prefix_set_cluster(&config, step);
//? end
    if (step.is_cooperative) {
        cudaLaunchAttribute *attribute = &attributes[config.numAttrs++];
        attribute->id = cudaLaunchAttributeCooperative;
        attribute->val.cooperative = 1;
    }
    const cudaError_t error = prefix_allow(step);
    return error == cudaSuccess
               ? cudaLaunchKernelExC(&config, prefix_entries[step.kernel].entry, args)
               : error;
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
//? if HAS_PARAMS
    cudaStream_t stream, prefix_op_params *params)
//? else
    cudaStream_t stream)
//? end
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
        (uint64_t)(uintptr_t)workspace + half, (uint64_t)(uintptr_t)workspace, 0};
    for (int i = 0; i < plan.count && error == cudaSuccess; i++) {
        const struct planner_launch &launch = plan.launches[i];
        error = prefix_run(prefix_steps[prefix_rows[choice->row].first + launch.pass], launch, buffers,
//? if HAS_PARAMS
            stream, params);
//? else
            stream);
//? end
    }
    return error;
}

static cudaError_t prefix_tell(const struct dims *dims, enum prefix_fit *match,
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
