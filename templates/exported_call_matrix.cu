/* The row for a matrix, or the default where that row's kernels were not compiled. */
static int prefix_row_for(const prefix_device &device, const prefix_matrix &matrix,
    enum prefix_match *match)
{
    const int row = prefix_select(device.cc, device.sms, &matrix, match);
    if (prefix_is_there(device, row))
        return row;
    *match = PREFIX_DEFAULT;
    return PREFIX_DEFAULT_ROW;
}

static prefix_matrix prefix_matrix_of(size_t rows, size_t len, size_t pitch)
{
    return {(int64_t)rows, (int64_t)len, (int64_t)pitch};
}

static cudaError_t prefix_plan_for(prefix_plan *plan, const prefix_matrix &matrix)
{
    prefix_device device;
    enum prefix_match match;
    const cudaError_t error = prefix_device_now(&device);
    plan->refusal = 0;
    if (error != cudaSuccess)
        return error;
    const int row = prefix_row_for(device, matrix, &match);
    return prefix_plan_row(plan, row, device.sms, &matrix) == 0 ? cudaSuccess
                                                                : cudaErrorInvalidValue;
}

extern "C" const char *prefix_refusal(size_t rows, size_t len, size_t pitch)
{
    prefix_plan plan;
    const cudaError_t error = prefix_plan_for(&plan, prefix_matrix_of(rows, len, pitch));
    return error == cudaSuccess ? 0 : plan.refusal ? plan.refusal : cudaGetErrorString(error);
}

extern "C" cudaError_t prefix_workspace_bytes(size_t rows, size_t len, size_t pitch,
    size_t *bytes)
{
    prefix_plan plan;
    const cudaError_t error = prefix_plan_for(&plan, prefix_matrix_of(rows, len, pitch));
    if (error != cudaSuccess)
        return error;
    const uint64_t half = prefix_half_for(plan);
    *bytes = (size_t)(2 * (half > 256 ? half : 256));
    return cudaSuccess;
}

extern "C" cudaError_t prefix(const ELEMENT *in, size_t rows, size_t len, size_t pitch,
    RESULT *out, void *workspace, size_t bytes, cudaStream_t stream)
{
    prefix_plan plan;
    cudaError_t error = prefix_plan_for(&plan, prefix_matrix_of(rows, len, pitch));
    if (error != cudaSuccess || plan.count == 0)
        return error;
    const size_t half = bytes / 512 * 256;
    if (!out || (!in && rows > 0 && len > 0) || !workspace || prefix_half_for(plan) > half)
        return cudaErrorInvalidValue;
    char *const scratch = (char *)workspace + half;
    const void *input = in;
    void *state = workspace;
    for (int i = 0; i < plan.count && error == cudaSuccess; i++) {
        const prefix_launch &launch = plan.launches[i];
        unsigned long long sizes[] = {
            (unsigned long long)launch.matrix.rows, (unsigned long long)launch.matrix.len,
            (unsigned long long)launch.matrix.pitch, launch.parts};
        unsigned long long count = sizes[0] * sizes[1];
        const bool is_last = launch.outputs <= RESULTS;
        void *output = is_last ? (void *)out : (void *)(scratch + launch.output);
        void *partials = scratch + launch.partials;
        void *values[] = {&input, &count, &output, &partials, &state,
                          &sizes[0], &sizes[1], &sizes[2], &sizes[3]};
        error = prefix_run(launch, values, stream);
        if (launch.outputs > 0)
            input = output;
    }
    return error;
}

extern "C" cudaError_t prefix_match(size_t rows, size_t len, size_t pitch,
    enum prefix_match *match, const char **params)
{
    prefix_device device;
    enum prefix_match found;
    const cudaError_t error = prefix_device_now(&device);
    if (error != cudaSuccess)
        return error;
    const int row = prefix_row_for(device, prefix_matrix_of(rows, len, pitch), &found);
    if (match)
        *match = found;
    if (params)
        *params = prefix_rows[row].text;
    return cudaSuccess;
}
