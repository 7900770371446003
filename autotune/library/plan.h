/* plan: defines the contexts and plans behind the public functions: a context has what its
 * plans share. Arguments are checked before they come here. */
#ifndef AUTOTUNE_PLAN_H
#define AUTOTUNE_PLAN_H

#include "autotune/library/choose.h"
#include "autotune/library/kernels.h"
#include "generator/call.h"

#include <pthread.h>
#include <stdatomic.h>

struct autotune_context {
    struct device *device;
    char *program;
    atomic_uint plans;
    pthread_mutex_t mutex; /* for all below */
    struct builtin_spaces *builtins;
    struct choose_records records;
    struct kernels kernels;
};

/* What n of a call counts: the rows of a matrix (outer where each row has a result, depth where
 * each column has one), what lies along the first axis of an array, else the elements. */
struct plan_count {
    const char *unit; /* "rows" */
    enum { PLAN_DEPTH, PLAN_OUTER, PLAN_INNER } along;
    uint64_t each; /* of these dims, for one that n counts */
};

/* After plan_make only the count of its workspaces changes. */
struct autotune_plan {
    struct autotune_context *context;
    struct problem problem; /* the most */
    struct plan_count count;
    const struct space *space;
    struct call *call;
    const struct device_kernel *kernels[SPACE_PASSES_MAX]; /* by pass */
    uint64_t scratch_bytes, state_bytes;                   /* of a call of all of problem */
    size_t launches;                                       /* likewise */
    uint64_t element_bytes, result_bytes;
    enum autotune_grade grade;
    enum autotune_kernels how;
    struct text params, origin, advice;
    char warning[1024];
    atomic_uint workspaces;
};

/* The state words lie behind the scratch memory, whose bytes are a multiple of 256. */
struct autotune_workspace {
    struct autotune_plan *plan;
    uint64_t memory;
    bool is_own; /* allocated here */
};

/* The record for a problem, as plan_make chooses it. */
int plan_choose(struct choice *out, struct autotune_context *context,
                const struct problem *problem, const struct autotune_plan_options *options,
                struct error *error);

/* The device can be used (its `check`); the arguments are those of autotune_plan_create, checked. */
int plan_make(struct autotune_plan **out, struct autotune_context *context,
              const struct problem *problem, struct plan_count count,
              const struct autotune_plan_options *options, struct error *error);
void plan_free(struct autotune_plan *plan);

/* The most that a call may count, and the dims of a call that counts n. */
uint64_t plan_most(const struct autotune_plan *plan);
struct dims plan_dims(const struct autotune_plan *plan, uint64_t n);

/* The launches of a call with these params and addresses of further inputs, `*count` of them, or an error. */
int plan_call(const struct autotune_plan *plan, const struct problem_params *params,
              const struct planner_buffers *buffers, const uint64_t *further, uint64_t n,
              struct device_launch launches[PLANNER_LAUNCHES], size_t *count,
              struct error *error);

/* Queues a call as autotune_execute does, whose arguments are known to be good; with the plan's params. */
int plan_execute(const struct autotune_workspace *workspace, uint64_t input, uint64_t n,
                 uint64_t output, void *stream, struct error *error);

/* As autotune_workspace_create, of memory of its own, and autotune_workspace_destroy; `is_current`:
 * the device can still be used. */
int workspace_make(struct autotune_workspace **out, struct autotune_plan *plan, void *memory,
                   void *stream, struct error *error);
int workspace_reset(struct autotune_workspace *workspace, void *stream, struct error *error);
void workspace_free(struct autotune_workspace *workspace, bool is_current);

#endif
