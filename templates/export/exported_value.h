//? if OUTER == 1 && INNER == 1 && DEPTH_STRIDE == 1
//? if PIECE == DECLARED
/* All are for the current device. */

/* Bytes of a workspace for up to n_max elements, never 0, in device memory, aligned to 256 bytes (as
 * cudaMalloc does). */
cudaError_t prefix_workspace_bytes(size_t n_max, size_t *bytes);

//? if SCAN
//? if SCAN == INCLUSIVE
/* Combines each of n elements of `in` with all before it: n results at `out`. Both are device
//? else
/* Combines all before each of n elements of `in`, of the first nothing: n results at `out`. Both are device
//? end
 * memory, aligned to an element and to a result; n may be 0. `out` may be `in` where a result has
 * an element's size, else they must not overlap. Returns at once; errors of the kernels show as
 * those of any launch. A workspace serves one call at a time. cudaErrorInvalidValue: a pointer is
 * missing or not aligned, `in` and `out` overlap, the workspace is too small for n, or n too large
 * for any kernel. */
//? else
/* Reduces n elements of `in` (device memory, aligned to an element; n may be 0) to *out (device
 * memory). Returns at once; errors of the kernels show as those of any launch.
 * A workspace serves one call at a time. cudaErrorInvalidValue: a pointer is missing or not aligned,
 * out and the elements overlap, the workspace is too small for n, or n too large for any kernel. */
//? end
cudaError_t prefix(const prefix_element *in, size_t n, prefix_result *out, void *workspace,
//? if HAS_PARAMS
    size_t bytes, cudaStream_t stream, prefix_op_params params);
//? else
    size_t bytes, cudaStream_t stream);
//? end

/* How well what runs for n elements fits, and what it is, a text that stays; either pointer may be NULL. */
cudaError_t prefix_match(size_t n, enum prefix_fit *match, const char **params);
//? elif PIECE == TABLE
/* The row of the table for n elements. */
static inline int prefix_select(const struct prefix_device *device, uint64_t n,
    enum prefix_fit *match)
{
//? if SCAN == INCLUSIVE
    const struct dims dims = dims_run(n, DIMS_INCLUSIVE);
//? elif SCAN == EXCLUSIVE
    const struct dims dims = dims_run(n, DIMS_EXCLUSIVE);
//? else
    const struct dims dims = dims_value(n);
//? end
    return prefix_select_dims(device, &dims, match);
}

/* The launches that reduce n elements as a row says; 0, or -1 when n is too large for it. */
static inline int prefix_plan_row(struct prefix_plan *out, int row, int sms, uint64_t n)
{
//? if SCAN == INCLUSIVE
    const struct dims dims = dims_run(n, DIMS_INCLUSIVE);
//? elif SCAN == EXCLUSIVE
    const struct dims dims = dims_run(n, DIMS_EXCLUSIVE);
//? else
    const struct dims dims = dims_value(n);
//? end
    return prefix_plan_all(out, row, sms, &dims);
}
//? else
/* The bytes for a row of a GPU, for as many elements as it may serve: up to those of the next row
 * that is there. */
static size_t prefix_row_bytes(const prefix_device &device, const prefix_gpu &gpu, int row,
    struct dims dims)
{
    struct planner_plan plan;
    int next = row + 1;
    while (next < gpu.first + gpu.count && !prefix_is_there(&device, next))
        next++;
    if (prefix_rows[next - 1].last < dims.depth.n)
        dims.depth.n = prefix_rows[next - 1].last;
    return prefix_plan_dims(&plan, row, device.sms, &dims, &dims) ? 0 : prefix_bytes_of(plan);
}

/* The most for a row of a GPU. */
static cudaError_t prefix_gpu_bytes(prefix_known *known, const prefix_gpu &gpu,
    const struct dims &dims, size_t *most)
{
    for (int row = gpu.first; row < gpu.first + gpu.count; row++) {
        const cudaError_t error = known->asked[row] || !prefix_is_there(&known->device, row)
                                      ? cudaSuccess
                                      : prefix_ask_row(known, row);
        if (error != cudaSuccess)
            return error;
    }
    for (int row = gpu.first; row < gpu.first + gpu.count; row++) {
        const size_t here = prefix_is_there(&known->device, row)
                                ? prefix_row_bytes(known->device, gpu, row, dims)
                                : 0;
        *most = here > *most ? here : *most;
    }
    return cudaSuccess;
}

extern "C" cudaError_t prefix_workspace_bytes(size_t n_max, size_t *bytes)
{
//? if SCAN == INCLUSIVE
    const struct dims dims = dims_run(n_max, DIMS_INCLUSIVE);
//? elif SCAN == EXCLUSIVE
    const struct dims dims = dims_run(n_max, DIMS_EXCLUSIVE);
//? else
    const struct dims dims = dims_value(n_max);
//? end
    prefix_known *known;
    size_t most = 0;
    cudaError_t error = prefix_device_now(&known);
    if (error == cudaSuccess)
        error = prefix_bytes_for(&dims, &most);
    for (int i = 0; i < PREFIX_GPUS && error == cudaSuccess; i++)
        if (prefix_gpus[i].cc == known->device.cc)
            error = prefix_gpu_bytes(known, prefix_gpus[i], dims, &most);
    if (error == cudaSuccess)
        *bytes = most;
    return error;
}

extern "C" cudaError_t prefix(const prefix_element *in, size_t n, prefix_result *out,
//? if HAS_PARAMS
    void *workspace, size_t bytes, cudaStream_t stream, prefix_op_params params)
//? else
    void *workspace, size_t bytes, cudaStream_t stream)
//? end
{
//? if SCAN == INCLUSIVE
    const struct dims dims = dims_run(n, DIMS_INCLUSIVE);
//? elif SCAN == EXCLUSIVE
    const struct dims dims = dims_run(n, DIMS_EXCLUSIVE);
//? else
    const struct dims dims = dims_value(n);
//? end
//? if HAS_PARAMS
    return prefix_reduce(in, &dims, &dims, out, workspace, bytes, stream, &params);
//? else
    return prefix_reduce(in, &dims, &dims, out, workspace, bytes, stream);
//? end
}

extern "C" cudaError_t prefix_match(size_t n, enum prefix_fit *match, const char **params)
{
//? if SCAN == INCLUSIVE
    const struct dims dims = dims_run(n, DIMS_INCLUSIVE);
//? elif SCAN == EXCLUSIVE
    const struct dims dims = dims_run(n, DIMS_EXCLUSIVE);
//? else
    const struct dims dims = dims_value(n);
//? end
    return prefix_tell(&dims, match, params);
}
//? end
//? end
