//? if OUTER > 1 || INNER > 1 || DEPTH_STRIDE > 1
//? if PIECE == DECLARED
/* A matrix has `rows` rows of `len` elements, each `pitch` elements behind the one before (pitch
 * is len where there are no gaps). All functions are for the current device. */

/* Why such a matrix cannot be reduced, as a sentence, or NULL where it can. The functions below
 * then return cudaErrorInvalidValue. */
const char *prefix_refusal(size_t rows, size_t len, size_t pitch);

/* Bytes of a workspace for such a matrix, in device memory, aligned to 256 bytes (as cudaMalloc
 * does). One for matrices of several shapes has the most bytes that any of them needs. */
cudaError_t prefix_workspace_bytes(size_t rows, size_t len, size_t pitch, size_t *bytes);

//? if SCAN
//? if SCAN == INCLUSIVE
/* Combines each element of a matrix with all before it in its row: rows * len results at `out`, one
//? else
/* Combines all before each element of a matrix in its row: rows * len results at `out`, one
//? end
 * behind another. `in` and `out` are device memory, aligned to an element and to a result; `out` may
 * be `in` where a result has an element's size and rows have no gaps. Returns at once; errors of the
 * kernels show as those of any launch.
//? elif DEPTH_STRIDE == 1
/* Reduces each row of a matrix to a value. `in` and `out` are device memory: `in`, aligned to an
 * element, the matrix, `out` the values in the order of the rows. Returns at once; errors of the
 * kernels show as those of any launch.
//? else
/* Reduces each column of a matrix to a value. `in` and `out` are device memory: `in`, aligned to
 * an element, the matrix, `out` the values in the order of the columns. Returns at once; errors of
 * the kernels show as those of any launch.
//? end
 * A workspace serves one call at a time. cudaErrorInvalidValue: a pointer is missing or not aligned,
 * out and the elements overlap, the workspace is too small for this shape, or prefix_refusal says
 * why. */
cudaError_t prefix(const prefix_element *in, size_t rows, size_t len, size_t pitch,
//? if HAS_PARAMS
    prefix_result *out, void *workspace, size_t bytes, cudaStream_t stream, prefix_op_params params);
//? else
    prefix_result *out, void *workspace, size_t bytes, cudaStream_t stream);
//? end

/* The same for the first `rows` of a matrix of rows_max rows, with the launches and the workspace of the
//? if DEPTH_STRIDE == 1
 * whole: the result of a row has the same bits, however many rows a call has. */
//? else
 * whole: each result is combined from as many parts, in the same order, as of all its rows. */
//? end
cudaError_t prefix_within(const prefix_element *in, size_t rows, size_t rows_max, size_t len,
//? if HAS_PARAMS
    size_t pitch, prefix_result *out, void *workspace, size_t bytes, cudaStream_t stream, prefix_op_params params);
//? else
    size_t pitch, prefix_result *out, void *workspace, size_t bytes, cudaStream_t stream);
//? end

/* How well what runs for such a matrix fits, and what it is, a text that stays; either
 * pointer may be NULL. */
cudaError_t prefix_match(size_t rows, size_t len, size_t pitch, enum prefix_fit *match,
    const char **params);
//? elif PIECE == TABLE
/* `rows` rows of `len` elements, each `pitch` elements behind the one before. */
struct prefix_matrix {
    int64_t rows, len, pitch;
};

static inline struct dims prefix_dims_of(const struct prefix_matrix *matrix)
{
    struct dims dims = dims_value(0);
//? if DEPTH_STRIDE == 1
    dims.outer.n = (uint64_t)matrix->rows;
    dims.outer.stride = (uint64_t)matrix->pitch;
    dims.depth.n = (uint64_t)matrix->len;
//? if SCAN == INCLUSIVE
    dims.scan = DIMS_INCLUSIVE;
//? elif SCAN == EXCLUSIVE
    dims.scan = DIMS_EXCLUSIVE;
//? end
//? else
    dims.depth.n = (uint64_t)matrix->rows;
    dims.depth.stride = (uint64_t)matrix->pitch;
    dims.inner.n = (uint64_t)matrix->len;
//? end
    return dims;
}

/* Why there are no launches for such a matrix, as a sentence, or 0 when its size is fine. */
static inline const char *prefix_refuse(const struct prefix_matrix *matrix)
{
    const struct dims dims = prefix_dims_of(matrix);
    if (!prefix_fits(&dims))
        return "the matrix is larger than any memory";
    if (matrix->pitch < matrix->len)
        return "the pitch is less than the elements of a row";
//? if DEPTH_STRIDE == 1
    if (matrix->len > INT64_C(2147483648))
        return "a row has more than 2^31 elements";
//? else
    if (matrix->rows > INT64_C(2147483648))
        return "a column has more than 2^31 elements";
//? end
    return 0;
}

/* The row of the table for a matrix. */
static inline int prefix_select(const struct prefix_device *device,
    const struct prefix_matrix *matrix, enum prefix_fit *match)
{
    const struct dims dims = prefix_dims_of(matrix);
    *match = PREFIX_DEFAULT;
    return prefix_refuse(matrix) ? PREFIX_DEFAULT_ROW
                                 : prefix_select_dims(device, &dims, match);
}

/* The launches that reduce a matrix as a row of the table says; 0, or -1 with the plan's
 * refusal. */
static inline int prefix_plan_row(struct prefix_plan *out, int row, int sms,
    const struct prefix_matrix *matrix)
{
    const struct dims dims = prefix_dims_of(matrix);
    out->count = 0;
    out->refusal = prefix_refuse(matrix);
    return out->refusal ? -1 : prefix_plan_all(out, row, sms, &dims);
}
//? else
static cudaError_t prefix_dims_for(struct dims *out, const char **refusal, size_t rows,
    size_t len, size_t pitch)
{
    const prefix_matrix matrix = {(int64_t)rows, (int64_t)len, (int64_t)pitch};
    *out = prefix_dims_of(&matrix);
    *refusal = prefix_refuse(&matrix);
    return *refusal ? cudaErrorInvalidValue : cudaSuccess;
}

extern "C" const char *prefix_refusal(size_t rows, size_t len, size_t pitch)
{
    const prefix_choice *choice;
    struct dims dims;
    const char *refusal;
    if (prefix_dims_for(&dims, &refusal, rows, len, pitch) != cudaSuccess)
        return refusal;
    const cudaError_t error = prefix_choose(&choice, &dims, &dims);
    return error == cudaSuccess ? choice->refusal : cudaGetErrorString(error);
}

extern "C" cudaError_t prefix_workspace_bytes(size_t rows, size_t len, size_t pitch,
    size_t *bytes)
{
    struct dims dims;
    const char *refusal;
    const cudaError_t error = prefix_dims_for(&dims, &refusal, rows, len, pitch);
    return error == cudaSuccess ? prefix_bytes_for(&dims, bytes) : error;
}

extern "C" cudaError_t prefix_within(const prefix_element *in, size_t rows, size_t rows_max,
    size_t len, size_t pitch, prefix_result *out, void *workspace, size_t bytes,
//? if HAS_PARAMS
    cudaStream_t stream, prefix_op_params params)
//? else
    cudaStream_t stream)
//? end
{
    struct dims most, some;
    const char *refusal;
    cudaError_t error = prefix_dims_for(&most, &refusal, rows_max, len, pitch);
    if (error == cudaSuccess)
        error = prefix_dims_for(&some, &refusal, rows, len, pitch);
    if (error != cudaSuccess || rows > rows_max)
        return cudaErrorInvalidValue;
//? if HAS_PARAMS
    return prefix_reduce(in, &most, &some, out, workspace, bytes, stream, &params);
//? else
    return prefix_reduce(in, &most, &some, out, workspace, bytes, stream);
//? end
}

extern "C" cudaError_t prefix(const prefix_element *in, size_t rows, size_t len, size_t pitch,
//? if HAS_PARAMS
    prefix_result *out, void *workspace, size_t bytes, cudaStream_t stream, prefix_op_params params)
//? else
    prefix_result *out, void *workspace, size_t bytes, cudaStream_t stream)
//? end
{
    struct dims dims;
    const char *refusal;
    const cudaError_t error = prefix_dims_for(&dims, &refusal, rows, len, pitch);
//? if HAS_PARAMS
    return error == cudaSuccess ? prefix_reduce(in, &dims, &dims, out, workspace, bytes, stream, &params)
//? else
    return error == cudaSuccess ? prefix_reduce(in, &dims, &dims, out, workspace, bytes, stream)
//? end
                                : error;
}

extern "C" cudaError_t prefix_match(size_t rows, size_t len, size_t pitch,
    enum prefix_fit *match, const char **params)
{
    struct dims dims;
    const char *refusal;
    prefix_dims_for(&dims, &refusal, rows, len, pitch);
    return prefix_tell(&dims, match, params);
}
//? end
//? end
