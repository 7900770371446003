/* `rows` rows of `len` elements, each `pitch` elements behind the one before. */
struct prefix_matrix {
    int64_t rows, len, pitch;
};

struct prefix_row {
    struct prefix_matrix tuned; /* what it was tuned for */
    int first, count;           /* of prefix_steps */
    const char *text;           /* its params as people read them */
    struct prefix_params params;
};
