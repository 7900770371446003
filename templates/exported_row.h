struct prefix_row {
    uint64_t n;        /* it was tuned for */
    uint64_t from, to; /* and measured to serve: an interval around n, or n alone */
    uint64_t last;     /* the largest n that it serves: up to here it is the nearest */
    int first, count;  /* of prefix_steps */
    const char *text;  /* its params as people read them */
    struct prefix_params params;
};
