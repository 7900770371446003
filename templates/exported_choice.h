/* The row for n elements on a device of compute capability cc (90 for 9.0) with that many
 * multiprocessors. There always is one; *match says how well it fits. */
static inline int prefix_select(int cc, int sms, uint64_t n, enum prefix_match *match)
{
    int best = PREFIX_DEFAULT_ROW;
    double best_n = 0, best_sms = 0;
    *match = PREFIX_DEFAULT;
    for (int i = 0; i < PREFIX_GPUS; i++) {
        const struct prefix_gpu *gpu = &prefix_gpus[i];
        int row = gpu->first;
        if (gpu->cc != cc)
            continue;
        while (n > prefix_rows[row].last)
            row++;
        if (gpu->sms == sms) {
            const int is_exact = prefix_rows[row].from == n && prefix_rows[row].to == n;
            *match = is_exact ? PREFIX_EXACT : PREFIX_OTHER_N;
            return row;
        }
        const double by_n = prefix_factor(n, prefix_rows[row].from, prefix_rows[row].to);
        const double by_sms =
            prefix_factor((uint64_t)sms, (uint64_t)gpu->sms, (uint64_t)gpu->sms);
        if (*match == PREFIX_DEFAULT || by_n < best_n ||
            (!(by_n > best_n) && by_sms < best_sms)) {
            best = row;
            best_n = by_n;
            best_sms = by_sms;
            *match = PREFIX_SAME_CC;
        }
    }
    return best;
}

struct prefix_launch {
    const struct prefix_step *step;
    unsigned grid;
    uint64_t inputs, outputs; /* values read, values written; 0: the output is prepared */
    uint64_t output;   /* where in the scratch memory, bytes, unless it is the result */
    uint64_t partials; /* likewise */
    uint64_t partial_count, state_words;
};

struct prefix_plan {
    struct prefix_launch launches[PREFIX_LAUNCHES]; /* in order */
    int count;
    uint64_t scratch_bytes; /* aligned to 256; contents do not matter */
    uint64_t state_bytes;   /* aligned to 8; zero before the first call, zero after each */
};

//: helpers
/* What a step launches for `inputs` values on a device with so many multiprocessors; 0, or
 * -1 when there are too many. */
static inline int prefix_shape(struct prefix_launch *out, const struct prefix_step *step,
    uint64_t inputs, int device_sms)
{
    const int64_t n = (int64_t)inputs, sms = device_sms;
    int64_t grid = 0, outputs = 0, partials = 0, state = 0;
    if (inputs > prefix_n_max || sms < 1 || sms > 65535)
        return -1;
//: shape
    if (grid < 1 || grid > 2147483647 || outputs < 0 || outputs > grid || partials < 0 ||
        state < 0 || (outputs > 0 && n / step->tile >= 2147483647))
        return -1;
    out->step = step;
    out->grid = (unsigned)grid;
    out->inputs = inputs;
    out->outputs = (uint64_t)outputs;
    out->output = out->partials = 0;
    out->partial_count = (uint64_t)partials;
    out->state_words = (uint64_t)state;
    return 0;
}

/* The launches that reduce n elements as a row says; 0, or -1 when n is too large for it. */
static inline int prefix_plan_row(struct prefix_plan *out, int row, int sms, uint64_t n)
{
    const struct prefix_step *step = prefix_steps + prefix_rows[row].first;
    const struct prefix_step *const end = step + prefix_rows[row].count;
    uint64_t left = n;
    int is_started = 0;
    out->count = 0;
    out->scratch_bytes = out->state_bytes = 0;
    while (step < end && !(is_started && left == 1)) {
        struct prefix_launch *launch = &out->launches[out->count];
        if (out->count == PREFIX_LAUNCHES || prefix_shape(launch, step, left, sms) != 0)
            return -1;
        out->count++;
        if (8 * launch->state_words > out->state_bytes)
            out->state_bytes = 8 * launch->state_words;
        if (launch->outputs > 1)
            launch->output = prefix_take(&out->scratch_bytes, launch->outputs);
        if (launch->partial_count > 0)
            launch->partials = prefix_take(&out->scratch_bytes, launch->partial_count);
        if (launch->outputs > 0) {
            is_started = 1;
            left = launch->outputs;
        }
        if (launch->outputs == 0 || !step->until_one)
            step++;
    }
    return is_started && left == 1 ? 0 : -1;
}
