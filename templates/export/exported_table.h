#include <string.h>

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
    int cc, sms;                    /* compute capability, 90 for 9.0; multiprocessors */
    int memory_clock_khz, bus_bits; /* 0: not known */
    int first, count;               /* of prefix_rows */
};

/* A device to choose a row for. */
struct prefix_device {
    int cc, sms; /* as above */
    int code;    /* compute capability that the kernels are compiled for, at most cc */
    /* What tells GPUs with as many multiprocessors apart: cudaDevAttrMemoryClockRate,
     * cudaDevAttrGlobalMemoryBusWidth and the name; 0 where it is not known. */
    int memory_clock_khz, bus_bits;
    const char *name;
    const unsigned char *refused; /* not 0 for each row that it cannot launch; 0: it can all */
};

/* A kernel that a row launches, once or (until_one) again until one value of each result is
 * left. */
struct prefix_step {
    int pass, kernel;
    int needs; /* code for this compute capability or a newer one contains the kernel */
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

