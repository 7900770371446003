/* planner: which kernels a call launches, of how many blocks each, and what memory they need. A
 * plan is made in two steps: planner_shape once, for the most that calls will reduce,
 * planner_call for each call. The parts of a result are decided in the first step: so a result
 * has the same bits however few others it is reduced with. Portable C99 without allocation, and
 * C++17: exports carry this file. */
#ifndef AUTOTUNE_PLANNER_H
#define AUTOTUNE_PLANNER_H

#include "generator/dims.h"

#include <stdint.h>

enum { PLANNER_PASSES = 8, PLANNER_LAUNCHES = 64, PLANNER_ALIGNMENT = 256 };

/* The numbers of a launch, in the order in which they are evaluated. */
enum planner_key {
    PLANNER_BLOCK,    /* threads of a block */
    PLANNER_GRID,     /* blocks */
    PLANNER_OUTPUTS,  /* values written; 0: the launch prepares the results, and the next one
                       * reads what this one does */
    PLANNER_PARTIALS, /* accumulators of scratch memory beside the outputs */
    PLANNER_STATE,    /* words of state, of 8 bytes */
    PLANNER_SHARED_BYTES,          /* dynamic shared memory of a block */
    PLANNER_CLUSTER,               /* blocks of a cluster */
    PLANNER_NEEDED,                /* what follows is for reports: no launch depends on it */
    PLANNER_TILE = PLANNER_NEEDED, /* elements of a result that a block takes at a time */
    PLANNER_RESULTS,               /* results that a block makes at a time */
    PLANNER_HEIGHT, /* additions on the longest path from an input to an output */
    PLANNER_KEYS
};

/* What a kernel's argument is: an address, or a count of 64 bits. */
enum planner_arg {
    PLANNER_ARG_INPUT,  /* const elem *: the elements, or the partial results of a launch before
                         */
    PLANNER_ARG_N,      /* elements read */
    PLANNER_ARG_OUTPUT, /* accum *: `outputs` values, of the last launch the results */
    PLANNER_ARG_PARTIALS, /* accum *: scratch of `partials` values, undefined before and after;
                           * behind a launch of no outputs that has some, the same */
    PLANNER_ARG_STATE, /* `state` words: zero before the first call; each call leaves them zero,
                        * so that calls follow one another without a memset between */
    PLANNER_ARG_OUTER, /* the dims of what is read */
    PLANNER_ARG_OUTER_STRIDE,
    PLANNER_ARG_DEPTH,
    PLANNER_ARG_DEPTH_STRIDE,
    PLANNER_ARG_INNER,
    PLANNER_ARG_INNER_STRIDE,
    PLANNER_ARG_SPAN, /* the depth where that is one span */
    PLANNER_ARG_SPAN_STRIDE,
    PLANNER_ARG_PARTS,   /* partial results of each result */
    PLANNER_ARG_OFFSETS, /* of segments: where each begins and, one more, where the last ends */
    PLANNER_ARGS
};

/* Evaluates the keys of a pass that reads elements of these dims; those that the pass lacks
 * have their usual value. *parts is 0 where the parts of a result are yet to be decided. 0, or
 * what the planner returns as PLANNER_NO_VALUE. */
typedef int planner_eval(void *context, int pass, const struct dims *dims, int64_t *parts,
                         int64_t keys[PLANNER_KEYS]);

/* The passes of a config. */
struct planner_passes {
    int count;
    int is_repeated[PLANNER_PASSES]; /* until one value of each result is left */
    int key_count;                   /* keys that eval gives: PLANNER_NEEDED, or all */
    int threads_per_block;           /* the most */
    uint64_t partial_bytes;          /* of an accumulator */
    planner_eval *eval;
    void *context;
};

/* What calls keep of the plan for the most: the parts of a result, by pass; 0 where that plan
 * has no launch of the pass. */
struct planner_parts {
    int64_t of_pass[PLANNER_PASSES];
};

enum planner_status {
    PLANNER_DONE,
    PLANNER_NO_VALUE,     /* eval failed, for launches[count] */
    PLANNER_OUT_OF_RANGE, /* `refused` says how */
    PLANNER_TOO_MANY,     /* one more launch than there is room for: as the last */
    PLANNER_NO_OUTPUT,    /* no launch writes */
    PLANNER_UNFINISHED    /* the last launch that writes leaves several values of a result */
};

struct planner_launch {
    int pass;
    int reads_scratch, writes_scratch; /* else the elements, and the results */
    struct dims dims;                  /* of what it reads */
    int64_t parts;
    int64_t keys[PLANNER_KEYS];
    uint64_t input, output, partials; /* where in the scratch memory, bytes */
};

struct planner_plan {
    enum planner_status status;
    int count;                /* 0 where there are no results */
    int first;                /* the first launch that writes */
    uint64_t scratch_bytes;   /* contents do not matter, neither before a call nor after it */
    uint64_t state_bytes;     /* zero before the first call and after each */
    struct {                  /* what of launches[count] is out of range */
        enum planner_key key; /* PLANNER_KEYS: the parts */
        int64_t value, low, high;
    } refused;
    struct planner_launch launches[PLANNER_LAUNCHES]; /* in order; last, so that nothing else is
                                                       * far away */
};

/* The range of a key. */
static inline int64_t planner_low(enum planner_key key)
{
    return key == PLANNER_BLOCK || key == PLANNER_GRID || key == PLANNER_TILE ? 1 : 0;
}

static inline int64_t planner_high(enum planner_key key)
{
    switch (key) {
    case PLANNER_BLOCK: return 1024;
    case PLANNER_GRID:
    case PLANNER_SHARED_BYTES:
    case PLANNER_RESULTS: return INT32_MAX;
    case PLANNER_CLUSTER: return 16; /* 8 on every GPU that has them */
    default: return INT64_MAX / 8;   /* what is counted has up to 8 bytes */
    }
}

/* --- One launch --------------------------------------------------------------------------- */

/* One value a block, or of each result as many as it has parts. */
static inline int64_t planner_outputs_high(const struct planner_launch *launch)
{
    const int64_t high = planner_high(PLANNER_OUTPUTS), of_blocks = launch->keys[PLANNER_GRID];
    const uint64_t results = dims_results(&launch->dims);
    const int64_t of_results =
        results > (uint64_t)(high / launch->parts) ? high : (int64_t)results * launch->parts;
    return of_blocks > of_results ? of_blocks : of_results;
}

static inline int planner_is_within(struct planner_plan *plan, enum planner_key key,
                                    int64_t value, int64_t low, int64_t high)
{
    plan->refused.key = key;
    plan->refused.value = value;
    plan->refused.low = low;
    plan->refused.high = high;
    return low <= value && value <= high;
}

static inline int planner_is_in_range(struct planner_plan *plan,
                                      const struct planner_passes *passes)
{
    const struct planner_launch *launch = &plan->launches[plan->count];
    const int64_t *keys = launch->keys;
    if (!planner_is_within(plan, PLANNER_KEYS, launch->parts, 1, INT32_MAX))
        return 0;
    for (int i = 0; i < passes->key_count; i++) {
        const enum planner_key key = (enum planner_key)i;
        int64_t high = planner_high(key);
        if (key == PLANNER_BLOCK)
            high = passes->threads_per_block;
        if (key == PLANNER_OUTPUTS)
            high = planner_outputs_high(launch);
        if (!planner_is_within(plan, key, keys[key], planner_low(key), high))
            return 0;
    }
    /* of each result as many; a scan of nothing has none */
    const int64_t results = (int64_t)dims_results(&launch->dims);
    return (results ? keys[PLANNER_OUTPUTS] % results : keys[PLANNER_OUTPUTS]) == 0 ||
           planner_is_within(plan, PLANNER_OUTPUTS, keys[PLANNER_OUTPUTS], 0, 0);
}

/* Where so many accumulators lie: behind what is taken already. */
static inline uint64_t planner_take(struct planner_plan *plan, int64_t values,
                                    uint64_t partial_bytes)
{
    const uint64_t offset = plan->scratch_bytes, bytes = (uint64_t)values * partial_bytes;
    plan->scratch_bytes +=
        (bytes + PLANNER_ALIGNMENT - 1) / PLANNER_ALIGNMENT * PLANNER_ALIGNMENT;
    return offset;
}

/* The memory of the launch that comes next. */
static inline void planner_place(struct planner_plan *plan, uint64_t partial_bytes)
{
    struct planner_launch *launch = &plan->launches[plan->count];
    const struct planner_launch *before = plan->count > 0 ? launch - 1 : 0;
    const int64_t *keys = launch->keys;
    const uint64_t state_bytes = 8 * (uint64_t)keys[PLANNER_STATE];
    const int is_after_write = before && before->keys[PLANNER_OUTPUTS] > 0;
    launch->reads_scratch = before && (is_after_write || before->reads_scratch);
    launch->input = is_after_write ? before->output : before ? before->input : 0;
    launch->writes_scratch = (uint64_t)keys[PLANNER_OUTPUTS] > dims_results(&launch->dims);
    launch->output =
        launch->writes_scratch ? planner_take(plan, keys[PLANNER_OUTPUTS], partial_bytes) : 0;
    launch->partials = keys[PLANNER_PARTIALS] > 0
                           ? planner_take(plan, keys[PLANNER_PARTIALS], partial_bytes)
                           : 0;
    if (before && before->keys[PLANNER_OUTPUTS] == 0 && before->keys[PLANNER_PARTIALS] > 0)
        launch->partials = before->partials; /* what the launch before left there */
    if (state_bytes > plan->state_bytes)
        plan->state_bytes = state_bytes;
}

/* A launch of the pass, which reads elements of these dims. */
static inline enum planner_status planner_add(struct planner_plan *plan,
                                              const struct planner_passes *passes, int pass,
                                              const struct dims *dims, int64_t *parts)
{
    struct planner_launch *launch = &plan->launches[plan->count];
    if (plan->count == PLANNER_LAUNCHES)
        return PLANNER_TOO_MANY;
    launch->pass = pass;
    launch->dims = *dims;
    if (passes->eval(passes->context, pass, dims, parts, launch->keys) != 0)
        return PLANNER_NO_VALUE;
    launch->parts = *parts;
    if (!planner_is_in_range(plan, passes))
        return PLANNER_OUT_OF_RANGE;
    planner_place(plan, passes->partial_bytes);
    if (plan->first < 0 && launch->keys[PLANNER_OUTPUTS] > 0)
        plan->first = plan->count;
    plan->count++;
    return PLANNER_DONE;
}

/* --- All launches ------------------------------------------------------------------------- */

/* Each pass once, or until one value of each result is left; parts that are 0 are decided. */
static inline enum planner_status planner_walk(struct planner_plan *plan,
                                               const struct planner_passes *passes,
                                               const struct dims *dims,
                                               struct planner_parts *parts)
{
    const uint64_t results = dims_results(dims);
    struct dims left = *dims;
    plan->count = 0;
    plan->first = -1;
    plan->scratch_bytes = plan->state_bytes = 0;
    if (results == 0)
        return PLANNER_DONE;
    for (int pass = 0; pass < passes->count; pass++) {
        int is_next = 1;
        while (is_next && !(plan->first >= 0 && dims_are_reduced(&left))) {
            const enum planner_status status =
                planner_add(plan, passes, pass, &left, &parts->of_pass[pass]);
            if (status != PLANNER_DONE)
                return status;
            const uint64_t outputs =
                (uint64_t)plan->launches[plan->count - 1].keys[PLANNER_OUTPUTS];
            is_next = outputs > 0 && passes->is_repeated[pass];
            if (outputs > 0)
                left = dims_left(&left, outputs / results);
        }
    }
    if (plan->count > 0 && plan->first < 0)
        return PLANNER_NO_OUTPUT;
    return plan->first >= 0 && dims_are_reduced(&left) ? PLANNER_DONE : PLANNER_UNFINISHED;
}

/* The plan for the most, and what calls keep of it. Returns the plan's status, as planner_call.
 */
static inline enum planner_status planner_shape(struct planner_plan *plan,
                                                struct planner_parts *parts,
                                                const struct planner_passes *passes,
                                                const struct dims *most)
{
    for (int i = 0; i < PLANNER_PASSES; i++)
        parts->of_pass[i] = 0;
    return plan->status = planner_walk(plan, passes, most, parts);
}

/* The plan for as much or less. */
static inline enum planner_status planner_call(struct planner_plan *plan,
                                               const struct planner_parts *parts,
                                               const struct planner_passes *passes,
                                               const struct dims *dims)
{
    struct planner_parts own = *parts;
    return plan->status = planner_walk(plan, passes, dims, &own);
}

/* --- Arguments ---------------------------------------------------------------------------- */

/* Addresses. */
struct planner_buffers {
    uint64_t input;   /* the elements, aligned to one */
    uint64_t output;  /* room for the results */
    uint64_t scratch; /* plan->scratch_bytes, aligned to PLANNER_ALIGNMENT */
    uint64_t state;   /* plan->state_bytes of zeros, aligned to 8 */
    uint64_t offsets; /* of segments; else not used */
};

/* Every argument that the kernel of a launch may have. */
static inline void planner_bind(uint64_t values[PLANNER_ARGS],
                                const struct planner_launch *launch,
                                const struct planner_buffers *buffers)
{
    const struct dims *dims = &launch->dims;
    values[PLANNER_ARG_INPUT] =
        launch->reads_scratch ? buffers->scratch + launch->input : buffers->input;
    values[PLANNER_ARG_N] = dims_n(dims);
    values[PLANNER_ARG_OUTER] = dims->outer.n;
    values[PLANNER_ARG_OUTER_STRIDE] = dims->outer.stride;
    values[PLANNER_ARG_DEPTH] = dims->depth.n;
    values[PLANNER_ARG_DEPTH_STRIDE] = dims->depth.stride;
    values[PLANNER_ARG_INNER] = dims->inner.n;
    values[PLANNER_ARG_INNER_STRIDE] = dims->inner.stride;
    values[PLANNER_ARG_SPAN] = dims->depth.n > 0 ? dims_span(dims) : 1;
    values[PLANNER_ARG_SPAN_STRIDE] = dims_has_spans(dims) ? dims->span.stride : 0;
    values[PLANNER_ARG_PARTS] = (uint64_t)launch->parts;
    values[PLANNER_ARG_OUTPUT] =
        launch->writes_scratch ? buffers->scratch + launch->output : buffers->output;
    values[PLANNER_ARG_PARTIALS] = buffers->scratch + launch->partials;
    values[PLANNER_ARG_STATE] = buffers->state;
    values[PLANNER_ARG_OFFSETS] = buffers->offsets;
}

#endif
