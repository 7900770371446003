/* space: reads from an INI file what there is to try: params, derived values, rules, passes. A
 * param is named nowhere in C. point.h evaluates the points of a space. */
#ifndef AUTOTUNE_SPACE_H
#define AUTOTUNE_SPACE_H

#include "generator/error.h"
#include "generator/expr.h"
#include "generator/planner.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names that any expression may use beside the space's own; slot i is enum space_builtin i. */
/* clang-format off */
enum space_builtin {
    SPACE_N,      /* elements, in a pass the inputs of this pass */
    SPACE_OUTER, SPACE_OUTER_STRIDE, SPACE_DEPTH, SPACE_DEPTH_STRIDE, SPACE_INNER,
    SPACE_INNER_STRIDE, SPACE_SPAN, SPACE_SPAN_STRIDE,
    SPACE_MORE_AXES, SPACE_MORE_STRIDES, /* likewise: the axes of dims.h */
    SPACE_BLOCKS, /* in outputs, partials, state and height of a pass: its evaluated grid */
    SPACE_COMBINE, SPACE_MAP, SPACE_POSITION, SPACE_SCAN, SPACE_TYPE, SPACE_ACC, SPACE_ORDER,
    SPACE_COMMUTES, SPACE_HAS_INDEX, SPACE_HAS_FINISH, SPACE_RESULT, SPACE_RESULT_BYTES,
    SPACE_OFFSETS, SPACE_ELEM_BYTES, SPACE_ACCUM_BYTES, SPACE_INPUTS, SPACE_INPUT_BYTES, /* up to here: problem; below: target */
    SPACE_HOST, SPACE_ANY_FLAGS, SPACE_CC, SPACE_SMS, SPACE_L2_BYTES,
    SPACE_THREADS_PER_BLOCK, SPACE_THREADS_PER_SM,
    SPACE_SHARED_PER_BLOCK, SPACE_SHARED_PER_SM, SPACE_REGISTERS_PER_SM,
    SPACE_BUILTINS
};
/* clang-format on */
struct space_builtin_row {
    const char *name, *meaning;
    bool is_launch; /* known at launch only: not in a template */
};
extern const struct space_builtin_row space_builtins[SPACE_BUILTINS];

struct param {
    const char *name, *meaning;
    size_t slot; /* its value's place among space.names */
    size_t count;
    int64_t *values;
    const char **symbols; /* names of the values, or NULL when they are integers */
    bool is_launch;       /* a launch-time param: no compile for another value */
    const char *absent; /* the value that leaves a kernel as it was before there was the param:
                           * what a record has that does not name it; NULL = it must name it */
};

/* What an expression depends on, itself or by derived values: a bit for each param, and this one
 * where it names what a problem or a target says. */
enum { SPACE_PARAMS_MAX = 63 };
#define SPACE_USES_PROBLEM (UINT64_C(1) << SPACE_PARAMS_MAX)

struct derived {
    const char *name;
    size_t slot;
    struct expr *expr;
    bool is_launch; /* depends on a launch-time param or on N */
    uint64_t uses;
};

/* A point that breaks a [rule] cannot be right, cannot run, contradicts itself, or is meant for
 * other problems and serves this one many times slower; one that breaks a [prune] is right, but
 * not worth trying. */
struct rule {
    const char *reason; /* its key; what a rejected candidate reports */
    struct expr *expr;
    bool is_launch, is_prune;
    uint64_t uses;
};

/* A value of [default]: a constant, or an expression over what is known of problem and target, with
 * derived values of these alone. */
struct space_default {
    const char *file;
    int line;          /* 0: missing */
    struct expr *expr; /* NULL: a constant */
};

/* How a space wants to be searched: a word for who searches, who also refuses one that is none. */
struct space_strategy {
    const char *name; /* NULL: as is usual on the device */
    const char *file; /* where it stands, for errors */
    int line;
};

enum { PASS_ARGS_MAX = 24 };
extern const char *const space_pass_args[PLANNER_ARGS]; /* as in a space file */

struct pass_override {
    size_t param;
    struct expr *expr;
};

/* The keys of [pass] that are numbers of a launch. */
struct pass_key_row {
    const char *name, *meaning;
    bool is_required;
    bool knows_blocks; /* may use BLOCKS */
    int64_t missing;   /* its value where the pass has no such key */
};
extern const struct pass_key_row space_pass_keys[PLANNER_KEYS];

/* One kernel launch. */
struct pass {
    const char *name;
    struct expr *when; /* zero: no part of this variant; NULL = always; compile-time */
    struct expr *keys[PLANNER_KEYS]; /* NULL = missing */
    bool reads_partials;      /* its elements are accumulators: TYPE is ACC in its kernel */
    bool until_one;           /* repeated until one value is left */
    bool is_cooperative;      /* all its blocks are resident at once */
    bool starts_in_any_order; /* its blocks wait for none that has not started: a promise, which
                               * the emulator tries */
    /* Its state is for the next call of the config's passes, of any size, and not zero: all
     * words are zero before the first call alone. */
    bool leaves_epoch;
    bool is_timed; /* false (timed = no): run for proofs only, outside every time, so that a
                            * space that tunes a first pass alone still proves the whole result.
                            * Untimed passes come after the timed ones: there is one at least */
    enum planner_arg args[PASS_ARGS_MAX]; /* in the order of the kernel's parameters */
    size_t arg_count;
    struct pass_override *overrides; /* keys that name a compile-time param: its value here */
    size_t override_count;
};

enum { SPACE_NAMES_MAX = 256, SPACE_PASSES_MAX = PLANNER_PASSES };

struct space {
    const char *file;                          /* for errors */
    const char *name, *template_name, *kernel; /* "reduce", "reduce.cu", "reduce" */
    struct space_strategy strategy;
    struct expr *serves;                /* holds for the problems that its kernels are for */
    const char *names[SPACE_NAMES_MAX]; /* every name of an expression, by slot */
    size_t name_count;
    /* Values of named constants (ADD, F32, SHUFFLE), by slot. */
    int64_t constants[SPACE_NAMES_MAX];
    struct param *params;
    size_t param_count;
    struct derived *derived; /* in an order in which each needs only those before it */
    size_t derived_count;
    size_t parts; /* parts = NAME: the slot of the derived value with the parts of each result,
                   * decided once for all calls of a plan; 0 = results are in one part */
    struct rule *rules;
    size_t rule_count;
    struct pass passes[SPACE_PASSES_MAX];
    size_t pass_count;
    struct expr *in_flight; /* [model]: bytes that one block has in flight; NULL = not said */
    struct space_default *defaults; /* [default], by param */
    /* Its values: runs where nothing was tuned, from sm_70 on. Those for a sum of i32 on some GPU
     * until space_settle_default is called. */
    int64_t *default_config;
    uint64_t hash; /* of the file and the space it extends, without comments */
    struct space_memory *memory;
};

/* The text of the built-in space of this name, and in `file` its name for errors; or NULL. */
typedef const char *space_builtin_fn(const char *name, const char **file);

/* `file` names the bytes in errors. With `extends = NAME` in [space] the file is laid over a
 * built-in space, as space_extend.c says; `builtin` finds it (NULL: there are none). Everything
 * wrong is ERROR_USAGE with FILE:LINE: an unknown section, key or name, a value twice, a cycle
 * of derived values, a [default] that is not of the space, a launch-time name where only
 * compile-time names are known. All that the sections have of it is told in one go, a line each by lines
 * of the file; what is no INI file at all, its first fault. */
int space_load(struct space **out, const char *file, const char *bytes, size_t length,
               space_builtin_fn *builtin, struct error *error);
void space_free(struct space *space);

/* Are the space's kernels for this problem, as its `serves` says? For a scan only where it names
 * SCAN. */
bool space_serves(const struct space *space, const struct problem *problem);

/* Gives the problem the first of these dims that the space serves: n elements to one value, or
 * n / depth results of `depth` elements each, by rows, by columns or along a middle axis, with a gap of so
 * many elements behind each row, or a scan; of a problem that is a scan that scan. False, and the problem as it was, where it serves none. */
bool space_find_dims(const struct space *space, struct problem *problem, uint64_t n,
                     uint64_t depth, uint64_t gap);

/* ERROR_USAGE with the space to use when the space does not serve the problem. */
int space_check_problem(const struct space *space, const struct problem *problem,
                        struct error *error);

/* Evaluates [default] for a problem and a target into default_config, as soon as both are known. A value that its param does not have is ERROR_USAGE with FILE:LINE, and
 * so is an operation that the space does not have. */
int space_settle_default(struct space *space, const struct problem *problem,
                         const struct target *target, struct error *error);

/* The default for many elements of a result, of which one value alone has more than the problem says:
 * what a config given in part stands on, so that the same words mean the same kernel for every n. */
int space_default_of_many(int64_t *config, struct space *space, const struct problem *problem,
                          const struct target *target, struct error *error);

/* The names that an expression may use, while the space lives and gets no more of them. */
struct expr_scope space_scope(const struct space *space);

/* A name in the expression whose value is known at launch only, or NULL. */
const char *space_launch_name(const struct space *space, const struct expr *expr);

/* The param of this name (length `length`), or -1. */
int space_find_param(const struct space *space, const char *name, size_t length);

bool pass_has_arg(const struct pass *pass, enum planner_arg arg);

/* Does a call of this plan leave an epoch in its state, for the next one? */
bool space_leaves_epoch(const struct space *space, const struct planner_plan *plan);

/* The value of `param` written as `name` (length `length`): 0, or -1 when it has none such. */
int space_find_value(const struct param *param, const char *name, size_t length, int64_t *out);

#endif
