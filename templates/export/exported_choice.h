/* Is that in any memory, so that no integer below overflows? */
static inline int prefix_fits(const struct dims *dims)
{
    struct dim axes[DIMS_ALL_AXES];
    uint64_t left = prefix_n_max;
    dims_all_axes(axes, dims);
    for (int i = 0; i < DIMS_ALL_AXES; i++) {
        const uint64_t n = axes[i].n > 0 ? axes[i].n : 1;
        if (n > left || axes[i].stride > prefix_n_max / n)
            return 0;
        left /= n;
    }
    return 1;
}

/* The best place of all that a row was tuned for. */
static inline struct selector_place prefix_rank(const struct selector_key *want, int row)
{
    const struct selector_entry *tuned = prefix_tuned + prefix_rows[row].first_tuned;
    struct selector_place best = selector_rank(want, tuned);
    for (int i = 1; i < prefix_rows[row].tuned_count; i++) {
        const struct selector_place place = selector_rank(want, &tuned[i]);
        if (selector_is_better(&place, &best))
            best = place;
    }
    return best;
}

/* Is the device such a GPU, as far as both are known? */
static inline int prefix_is_gpu(const struct prefix_device *device, const struct prefix_gpu *gpu)
{
    return device->cc == gpu->cc && device->sms == gpu->sms &&
           (!device->memory_clock_khz || !gpu->memory_clock_khz ||
            device->memory_clock_khz == gpu->memory_clock_khz) &&
           (!device->bus_bits || !gpu->bus_bits || device->bus_bits == gpu->bus_bits) &&
           (!device->name || strcmp(device->name, gpu->name) == 0);
}

/* Does the code have the kernels of a row, and can the device launch them? */
static inline int prefix_is_there(const struct prefix_device *device, int row)
{
    for (int i = 0; i < prefix_rows[row].count; i++)
        if (prefix_steps[prefix_rows[row].first + i].needs > device->code)
            return 0;
    return !device->refused || !device->refused[row];
}

/* The row of the table for these dims on a device: the best of those that are there. There always is
 * one; *match says how well it fits. */
static inline int prefix_select_dims(const struct prefix_device *device, const struct dims *dims,
    enum prefix_fit *match)
{
    struct selector_key want;
    struct selector_place best_rank = {SELECTOR_NONE, 0, 0, 0, 0};
    int best = PREFIX_DEFAULT_ROW;
    want.dims = dims_canonical(dims);
    want.regime = PREFIX_REGIME;
    want.cc = device->cc;
    want.sms = device->sms;
    want.gpu = -1;
    *match = PREFIX_DEFAULT;
    if (!prefix_fits(dims) || dims_results(dims) == 0) /* which the rules may divide by */
        return best;
    for (int i = PREFIX_GPUS - 1; i >= 0; i--)
        if (prefix_is_gpu(device, &prefix_gpus[i]))
            want.gpu = i;
    for (int i = 0; i < PREFIX_GPUS; i++) {
        const struct prefix_gpu *gpu = &prefix_gpus[i];
        for (int row = gpu->first; gpu->cc == want.cc && row < gpu->first + gpu->count; row++) {
            const struct selector_place rank = prefix_rank(&want, row);
            const int is_better =
                best == PREFIX_DEFAULT_ROW || selector_is_better(&rank, &best_rank);
            if (is_better && prefix_is_there(device, row) &&
                (rank.grade == SELECTOR_EXACT || prefix_allows(row, dims, want.sms))) {
                best = row;
                best_rank = rank;
                *match = rank.grade == SELECTOR_EXACT        ? PREFIX_EXACT
                         : rank.grade == SELECTOR_OTHER_SIZE ? PREFIX_NEAREST
                                                             : PREFIX_SAME_CC;
            }
        }
    }
    return best;
}

/* The launches of a row of the table that reduce `dims`, as they are planned for `most`, which is
 * as much or more: with as many parts of each result, so in the same order. 0, or why there are
 * none, as a sentence. */
static inline const char *prefix_plan_dims(struct planner_plan *out, int row, int sms,
    const struct dims *most, const struct dims *dims)
{
    struct prefix_here here;
    struct planner_passes passes;
    struct planner_parts parts;
    enum planner_status status;
    here.steps = prefix_steps + prefix_rows[row].first;
    here.sms = sms;
    out->count = 0;
    if (!prefix_fits(most))
        return "that is larger than any memory";
    if (sms < 1 || sms > 65535)
        return "no device has so many multiprocessors";
    passes.count = prefix_rows[row].count;
    for (int i = 0; i < passes.count; i++)
        passes.is_repeated[i] = here.steps[i].until_one;
    passes.key_count = PLANNER_NEEDED;
    passes.threads_per_block = 1024;
    passes.partial_bytes = PREFIX_PARTIAL_BYTES;
    passes.eval = prefix_eval;
    passes.context = &here;
    status = planner_shape(out, &parts, &passes, most);
    if (status == PLANNER_DONE && dims != most)
        status = planner_call(out, &parts, &passes, dims);
    for (int i = 0; i < out->count; i++) /* of a result a kernel counts tiles in 31 bits */
        if (out->launches[i].keys[PLANNER_OUTPUTS] > 0 &&
            out->launches[i].dims.depth.n / (uint64_t)here.steps[out->launches[i].pass].tile >=
                INT32_MAX)
            status = PLANNER_OUT_OF_RANGE;
    if (status == PLANNER_DONE)
        return 0;
    out->count = 0;
    return status == PLANNER_UNFINISHED || status == PLANNER_NO_OUTPUT
               ? "the kernels of its variant leave more than a value for each result"
               : "a kernel would need more blocks than a grid has";
}

struct prefix_launch {
    const struct prefix_step *step;
    unsigned grid;
    uint64_t inputs, outputs;    /* values read, values written; 0: the results are prepared */
    uint64_t output, partials;   /* where in the scratch memory, bytes, unless it is the results */
    struct planner_launch whole; /* for planner_bind */
};

struct prefix_plan {
    struct prefix_launch launches[PLANNER_LAUNCHES]; /* in order */
    int count;
    uint64_t scratch_bytes; /* aligned to 256; contents do not matter */
    uint64_t state_bytes;   /* aligned to 8; zero before the first call, zero after each */
    const char *refusal;    /* why there are no launches, as a sentence, or 0 */
};

/* The launches that reduce `dims` as a row of the table says; 0, or -1 with the plan's refusal. */
static inline int prefix_plan_all(struct prefix_plan *out, int row, int sms,
    const struct dims *dims)
{
    struct planner_plan plan;
    out->refusal = prefix_plan_dims(&plan, row, sms, dims, dims);
    out->count = plan.count;
    if (out->refusal)
        return -1;
    out->scratch_bytes = plan.scratch_bytes;
    out->state_bytes = plan.state_bytes;
    for (int i = 0; i < plan.count; i++) {
        const struct planner_launch *launch = &plan.launches[i];
        out->launches[i].step = prefix_steps + prefix_rows[row].first + launch->pass;
        out->launches[i].grid = (unsigned)launch->keys[PLANNER_GRID];
        out->launches[i].inputs = dims_n(&launch->dims);
        out->launches[i].outputs = (uint64_t)launch->keys[PLANNER_OUTPUTS];
        out->launches[i].output = launch->output;
        out->launches[i].partials = launch->partials;
        out->launches[i].whole = *launch;
    }
    return 0;
}
