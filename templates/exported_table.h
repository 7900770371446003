//: match
/* What was tuned; of a param with named values its number. */
struct prefix_params {
//: params
};

//: row

struct prefix_gpu {
    const char *name;
    int cc, sms;      /* compute capability, 90 for 9.0; multiprocessors */
    int first, count; /* of prefix_rows, ordered by n */
};

enum prefix_arg {
    PREFIX_INPUT, PREFIX_N, PREFIX_OUTPUT, PREFIX_PARTIALS, PREFIX_STATE,
    PREFIX_ROWS, PREFIX_LEN, PREFIX_PITCH, PREFIX_PARTS /* of a matrix */
};

/* A kernel that a row launches, once or (until_one) again until one value is left. */
struct prefix_step {
    int pass, kernel;
    unsigned block, cluster, shared_bytes;
    int is_cooperative, until_one;
    int64_t tile; /* elements a block takes at a time; their number is below 2^31 */
    int arg_count;
    enum prefix_arg args[8];
//: given
};

//: tables

/* How far a is from the nearest between `from` and `to`, as a factor. */
static inline double prefix_factor(uint64_t a, uint64_t from, uint64_t to)
{
    const uint64_t b = a < from ? from : a > to ? to : a;
    const double x = a == 0 ? 1 : (double)a, y = b == 0 ? 1 : (double)b;
    return x > y ? x / y : y / x;
}

/* Where so many partial results go: behind the bytes of scratch memory taken so far. */
static inline uint64_t prefix_take(uint64_t *bytes, uint64_t values)
{
    const uint64_t offset = *bytes;
    *bytes += (values * PREFIX_PARTIAL_BYTES + 255) / 256 * 256;
    return offset;
}

//: choice
