/* The row for n, or the default where that row's kernels were not compiled. */
static int prefix_row_for(const prefix_device &device, size_t n, enum prefix_match *match)
{
    const int row = prefix_select(device.cc, device.sms, n, match);
    if (prefix_is_there(device, row))
        return row;
    *match = PREFIX_DEFAULT;
    return PREFIX_DEFAULT_ROW;
}

static cudaError_t prefix_plan_for(prefix_plan *plan, size_t n)
{
    prefix_device device;
    enum prefix_match match;
    const cudaError_t error = prefix_device_now(&device);
    if (error != cudaSuccess)
        return error;
    const int row = prefix_row_for(device, n, &match);
    return prefix_plan_row(plan, row, device.sms, n) == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

extern "C" cudaError_t prefix_workspace_bytes(size_t n_max, size_t *bytes)
{
    prefix_plan plan;
    prefix_device device;
    uint64_t half = 256;
    cudaError_t error = prefix_device_now(&device);
    if (error == cudaSuccess)
        error = prefix_plan_for(&plan, n_max);
    if (error != cudaSuccess)
        return error;
    for (int row = prefix_next_row(device, -1); row >= 0; row = prefix_next_row(device, row)) {
        /* each row at the largest n that it may have to serve */
        const uint64_t n = prefix_rows[row].last < n_max ? prefix_rows[row].last : n_max;
        if (prefix_plan_row(&plan, row, device.sms, n) == 0 && prefix_half_for(plan) > half)
            half = prefix_half_for(plan);
    }
    *bytes = (size_t)(2 * half);
    return cudaSuccess;
}

extern "C" cudaError_t prefix(const ELEMENT *in, size_t n, RESULT *out, void *workspace,
    size_t bytes, cudaStream_t stream)
{
    prefix_plan plan;
    cudaError_t error = prefix_plan_for(&plan, n);
    if (error != cudaSuccess)
        return error;
    const size_t half = bytes / 512 * 256;
    if (!out || (!in && n > 0) || !workspace || prefix_half_for(plan) > half)
        return cudaErrorInvalidValue;
    char *const scratch = (char *)workspace + half;
    const void *input = in;
    void *state = workspace;
    for (int i = 0; i < plan.count && error == cudaSuccess; i++) {
        const prefix_launch &launch = plan.launches[i];
        unsigned long long count = launch.inputs;
        void *output = launch.outputs > 1 ? (void *)(scratch + launch.output) : (void *)out;
        void *partials = scratch + launch.partials;
        void *values[] = {&input, &count, &output, &partials, &state};
        error = prefix_run(launch, values, stream);
        if (launch.outputs > 0)
            input = output;
    }
    return error;
}

extern "C" cudaError_t prefix_match(size_t n, enum prefix_match *match, const char **params)
{
    prefix_device device;
    enum prefix_match found;
    const cudaError_t error = prefix_device_now(&device);
    if (error != cudaSuccess)
        return error;
    const int row = prefix_row_for(device, n, &found);
    if (match)
        *match = found;
    if (params)
        *params = prefix_rows[row].text;
    return cudaSuccess;
}
