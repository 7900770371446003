/* A config for a range of sizes. Neighbouring ranges of a GPU have other configs. */
struct prefix_row {
    int first_tuned, tuned_count; /* of prefix_tuned: what it was tuned for */
    uint64_t last;                /* the most of a result for which it is the nearest of its GPU */
    int first, count;             /* of prefix_steps */
    const char *text;             /* its params as people read them */
    struct prefix_params params;
};

struct prefix_gpu {
    const char *name;
    int cc, sms;      /* compute capability, 90 for 9.0; multiprocessors */
    int first, count; /* of prefix_rows */
};

/* A kernel that a row launches, once or (until_one) again until one value of each result is
 * left. */
struct prefix_step {
    int pass, kernel;
    unsigned block, cluster, shared_bytes;
    int is_cooperative, until_one;
    int64_t tile; /* elements of a result that a block takes at a time */
    int arg_count;
    enum planner_arg args[8]; /* the kernel's parameters: planner_bind has their values */
//? if HAS_GIVEN
    struct prefix_given given;
//? end
};

/* A row of the table on a device: what prefix_eval is asked about. */
struct prefix_here {
    const struct prefix_step *steps;
    int sms;
};

