//? if OUTER == 1 && INNER == 1 && DEPTH_STRIDE == 1
//? if PIECE == DECLARED
/* All are for the current device. */

/* Bytes of a workspace for up to n_max elements, in device memory, aligned to 256 bytes (as
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
 * out lies within the elements, the workspace is too small for n, or n too large for any kernel. */
//? end
cudaError_t prefix(const prefix_element *in, size_t n, prefix_result *out, void *workspace,
    size_t bytes, cudaStream_t stream);

/* How well what runs for n elements fits, and what it is; either pointer may be NULL. */
cudaError_t prefix_match(size_t n, enum prefix_match *match, const char **params);
//? elif PIECE == TABLE
/* The row of the table for n elements. */
static inline int prefix_select(int cc, int sms, uint64_t n, enum prefix_match *match)
{
//? if SCAN == INCLUSIVE
    const struct dims dims = dims_run(n, DIMS_INCLUSIVE);
//? elif SCAN == EXCLUSIVE
    const struct dims dims = dims_run(n, DIMS_EXCLUSIVE);
//? else
    const struct dims dims = dims_value(n);
//? end
    return prefix_select_dims(cc, sms, &dims, match);
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
extern "C" cudaError_t prefix_workspace_bytes(size_t n_max, size_t *bytes)
{
//? if SCAN == INCLUSIVE
    struct dims dims = dims_run(n_max, DIMS_INCLUSIVE);
//? elif SCAN == EXCLUSIVE
    struct dims dims = dims_run(n_max, DIMS_EXCLUSIVE);
//? else
    struct dims dims = dims_value(n_max);
//? end
    prefix_device device;
    size_t most = 0, here = 0;
    cudaError_t error = prefix_device_now(&device);
    if (error == cudaSuccess)
        error = prefix_bytes_for(&dims, &most);
    if (error != cudaSuccess)
        return error;
    for (int row = prefix_next_row(device, -1); row >= 0; row = prefix_next_row(device, row)) {
        /* each row at the largest n that it may have to serve */
        dims.depth.n = prefix_rows[row].last < n_max ? prefix_rows[row].last : n_max;
        if (prefix_bytes_for(&dims, &here) == cudaSuccess && here > most)
            most = here;
    }
    *bytes = most;
    return cudaSuccess;
}

extern "C" cudaError_t prefix(const prefix_element *in, size_t n, prefix_result *out,
    void *workspace, size_t bytes, cudaStream_t stream)
{
//? if SCAN == INCLUSIVE
    const struct dims dims = dims_run(n, DIMS_INCLUSIVE);
//? elif SCAN == EXCLUSIVE
    const struct dims dims = dims_run(n, DIMS_EXCLUSIVE);
//? else
    const struct dims dims = dims_value(n);
//? end
    return prefix_reduce(in, &dims, &dims, out, workspace, bytes, stream);
}

extern "C" cudaError_t prefix_match(size_t n, enum prefix_match *match, const char **params)
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
