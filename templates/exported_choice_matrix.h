/* Why there are no launches for such a matrix, as a sentence, or 0 when its size is fine. */
static inline const char *prefix_refuse(const struct prefix_matrix *matrix)
{
    if (matrix->rows < 0 || matrix->len < 0 || matrix->pitch < 0 ||
        (matrix->rows > 0 && matrix->pitch > (int64_t)prefix_n_max / matrix->rows))
        return "the matrix is larger than any memory";
    if (matrix->pitch < matrix->len)
        return "the pitch is less than the elements of a row";
    if (matrix->DEPTH > INT64_C(2147483648))
        return "a LINE has more than 2^31 elements";
    return 0;
}

//: helpers
/* Is a row of the table meant for such a matrix? One that it was tuned for need not be asked. */
static inline int prefix_allows(int row, const struct prefix_matrix *matrix, int device_sms)
{
    const int64_t sms = device_sms;
    (void)matrix;
    (void)sms;
    switch (row) {
//: rules
    default:
        return 1;
    }
}

/* The row of the table for a matrix on a device of compute capability cc (90 for 9.0) with that
 * many multiprocessors. There always is one; *match says how well it fits. What a LINE is like
 * decides more than how many there are. */
static inline int prefix_select(int cc, int sms, const struct prefix_matrix *matrix,
    enum prefix_match *match)
{
    const uint64_t depth = (uint64_t)matrix->DEPTH;
    int best = PREFIX_DEFAULT_ROW, has_own = 0;
    double best_size = 0, best_sms = 0;
    *match = PREFIX_DEFAULT;
    if (prefix_refuse(matrix))
        return best;
    for (int i = 0; i < PREFIX_GPUS; i++)
        has_own |= prefix_gpus[i].cc == cc && prefix_gpus[i].sms == sms;
    for (int i = 0; i < PREFIX_GPUS; i++) {
        const struct prefix_gpu *gpu = &prefix_gpus[i];
        const double by_sms =
            prefix_factor((uint64_t)sms, (uint64_t)gpu->sms, (uint64_t)gpu->sms);
        if (gpu->cc != cc || (has_own && gpu->sms != sms))
            continue;
        for (int r = gpu->first; r < gpu->first + gpu->count; r++) {
            const struct prefix_matrix *at = &prefix_rows[r].tuned;
            const uint64_t at_depth = (uint64_t)at->DEPTH;
            const uint64_t n = (uint64_t)(matrix->rows * matrix->len);
            const uint64_t at_n = (uint64_t)(at->rows * at->len);
            const double by_depth = prefix_factor(depth, at_depth, at_depth);
            const double by_size =
                prefix_factor(n, at_n, at_n) * by_depth * by_depth * by_depth * by_depth;
            if (has_own && at->rows == matrix->rows && at->len == matrix->len &&
                at->pitch == matrix->pitch) {
                *match = PREFIX_EXACT;
                return r;
            }
            if (prefix_allows(r, matrix, sms) &&
                (*match == PREFIX_DEFAULT || by_size < best_size ||
                 (!(by_size > best_size) && by_sms < best_sms))) {
                best = r;
                best_size = by_size;
                best_sms = by_sms;
                *match = has_own ? PREFIX_OTHER_SHAPE : PREFIX_SAME_CC;
            }
        }
    }
    return best;
}

struct prefix_launch {
    const struct prefix_step *step;
    unsigned grid;
    struct prefix_matrix matrix; /* what it reads */
    uint64_t parts;              /* of each LINE */
    uint64_t outputs;  /* values written; 0: the output is prepared */
    uint64_t output;   /* where in the scratch memory, bytes, unless these are the results */
    uint64_t partials; /* likewise */
    uint64_t partial_count, state_words;
};

struct prefix_plan {
    struct prefix_launch launches[PREFIX_LAUNCHES]; /* in order */
    int count;              /* 0 for a matrix without any LINE */
    uint64_t scratch_bytes; /* aligned to 256; contents do not matter */
    uint64_t state_bytes;   /* aligned to 8; zero before the first call, zero after each */
    const char *refusal;    /* why there are no launches, as a sentence, or 0 */
};

/* What a step launches for a matrix on a device with so many multiprocessors; 0, or -1 when it is
 * too large. */
static inline int prefix_shape(struct prefix_launch *out, const struct prefix_step *step,
    const struct prefix_matrix *matrix, int device_sms)
{
    const int64_t sms = device_sms;
    int64_t grid = 0, outputs = 0, partials = 0, state = 0, parts = 1;
    if (sms < 1 || sms > 65535)
        return -1;
//: shape
    if (grid < 1 || grid > 2147483647 || outputs < 0 || partials < 0 || state < 0 || parts < 1 ||
        parts > 2147483647)
        return -1;
    out->step = step;
    out->grid = (unsigned)grid;
    out->matrix = *matrix;
    out->parts = (uint64_t)parts;
    out->outputs = (uint64_t)outputs;
    out->output = out->partials = 0;
    out->partial_count = (uint64_t)partials;
    out->state_words = (uint64_t)state;
    return 0;
}

/* The launches that reduce each LINE of a matrix as a row of the table says; 0, or -1 with the
 * plan's refusal. */
static inline int prefix_plan_row(struct prefix_plan *out, int row, int sms,
    const struct prefix_matrix *matrix)
{
    const struct prefix_step *step = prefix_steps + prefix_rows[row].first;
    const struct prefix_step *const end = step + prefix_rows[row].count;
    const int64_t results = matrix->RESULTS;
    struct prefix_matrix left = *matrix;
    int is_started = 0;
    out->count = 0;
    out->scratch_bytes = out->state_bytes = 0;
    out->refusal = prefix_refuse(matrix);
    if (out->refusal)
        return -1;
    while (step < end && results > 0 && !(is_started && left.DEPTH == 1)) {
        struct prefix_launch *launch = &out->launches[out->count];
        if (out->count == PREFIX_LAUNCHES || prefix_shape(launch, step, &left, sms) != 0) {
            out->refusal = "a kernel would need more blocks than a grid has";
            return -1;
        }
        out->count++;
        if (8 * launch->state_words > out->state_bytes)
            out->state_bytes = 8 * launch->state_words;
        if (launch->outputs > (uint64_t)results)
            launch->output = prefix_take(&out->scratch_bytes, launch->outputs);
        if (launch->partial_count > 0)
            launch->partials = prefix_take(&out->scratch_bytes, launch->partial_count);
        if (launch->outputs > 0) {
            is_started = 1;
            left.DEPTH = (int64_t)launch->outputs / results;
            left.pitch = left.len;
        }
        if (launch->outputs == 0 || !step->until_one)
            step++;
    }
    if (results > 0 && !(is_started && left.DEPTH == 1)) {
        out->refusal = "the kernels of its variant leave more than a value for each result";
        return -1;
    }
    return 0;
}
