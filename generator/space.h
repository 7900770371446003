/* space: the points to try, read from an INI file: params, derived values, rules, passes.
 * A param is named nowhere in C. A row is one int64_t per param, in the order of the file. */
#ifndef AUTOTUNE_SPACE_H
#define AUTOTUNE_SPACE_H

#include "generator/error.h"
#include "generator/expr.h"
#include "generator/problem.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct param {
    const char *name, *meaning;
    size_t slot; /* its value's place among space.names */
    size_t count;
    int64_t *values;
    const char **symbols; /* names of the values, or NULL when they are integers */
    bool is_launch;       /* a launch-time param: no compile for another value */
};

struct derived {
    const char *name;
    size_t slot;
    struct expr *expr;
    bool is_launch; /* depends on a launch-time param or on N */
};

struct rule {
    const char *reason; /* its key; what a rejected candidate reports */
    struct expr *expr;
    bool is_launch;
    int line;
};

/* What a kernel's argument is; the order of a pass's args is the order of the parameters. */
enum pass_arg {
    ARG_INPUT,    /* const elem *: the elements, or the partial results of the pass before */
    ARG_N,        /* unsigned long long: how many */
    ARG_OUTPUT,   /* accum *: `outputs` values; the final result when this is one value */
    ARG_PARTIALS, /* accum *: scratch of `partials` values, contents undefined before and after */
    ARG_COUNTER,  /* unsigned *: zero before the first call; each call leaves it zero */
    PASS_ARGS_MAX = 8,
};

struct pass_override {
    size_t param;
    struct expr *expr;
};

/* One kernel launch. In its expressions N is the number of inputs of this pass; BLOCKS, the
 * evaluated grid, is known to outputs and partials. */
struct pass {
    const char *name;
    struct expr *when;     /* zero: this pass is no part of the candidate; NULL = always */
    struct expr *block;    /* threads per block */
    struct expr *grid;     /* blocks */
    struct expr *outputs;  /* values written through `output` */
    struct expr *partials; /* accumulators of scratch; NULL = none */
    struct expr *height;   /* additions on the longest path from an input to an output */
    bool reads_partials;   /* its elements are accumulators: TYPE is ACC in its kernel */
    bool until_one;        /* repeated until one value is left */
    enum pass_arg args[PASS_ARGS_MAX];
    size_t arg_count;
    struct pass_override *overrides; /* keys that name a compile-time param: its value here */
    size_t override_count;
};

struct space {
    char *file;
    const char *name, *template_name, *kernel; /* "reduce", "reduce.cu", "reduce" */
    const char **names; /* every name an expression may use, by slot */
    size_t name_count;
    struct param *params;
    size_t param_count;
    struct derived *derived; /* in an order in which each needs only those before it */
    size_t derived_count;
    struct rule *rules;
    size_t rule_count;
    struct pass *passes;
    size_t pass_count;
    int64_t *default_row; /* [default]: what runs where nothing was tuned; valid from sm_70 on */
    uint64_t hash; /* of the file's bytes */
    void *memory;  /* owns what is not owned above */
};

int space_load(struct space **out, const char *file, const char *bytes, size_t length,
               struct error *error);
void space_free(struct space *space);

/* Fills `values` (space.name_count of them) for a row: params, the problem's and the target's
 * names, named values and derived values. With `elements` false the kernel reads partial
 * results: TYPE and ELEM_BYTES are those of the accumulator. */
int space_values(const struct space *space, const int64_t *row, const struct problem *problem,
                 const struct target *target, bool elements, int64_t *values,
                 struct error *error);

/* The first rule that rejects the row, or -1 when it is valid; -2 with error set on failure. */
int space_reject(const struct space *space, const int64_t *row, const struct problem *problem,
                 const struct target *target, struct error *error);

/* Everything there is to try: candidates grouped by variant. */
struct variant {
    size_t first, count; /* its candidates in rows */
};
struct candidates {
    size_t width; /* values in a row */
    int64_t *rows;
    size_t count;
    struct variant *variants;
    size_t variant_count;
    uint64_t *rejected; /* points rejected, by rule (the first that rejects) */
    uint64_t points;    /* rows before the rules */
};

/* An empty result is ERROR_USAGE naming the rules that rejected most. */
int space_expand(struct candidates *out, const struct space *space, const struct problem *problem,
                 const struct target *target, struct error *error);
void space_dispose_candidates(struct candidates *candidates);

/* "BLOCK=256 ITEMS=16 WARP=SHUFFLE" and back, separated by spaces or commas. When reading,
 * params not named keep what `row` held before. Unknown names and values are ERROR_USAGE. */
int space_format_row(struct text *out, const struct space *space, const int64_t *row,
                     bool launch_too);
int space_parse_row(const struct space *space, const char *string, int64_t *row,
                    struct error *error);

/* Does param `i` of the row have this value among the space's? Used on what files say. */
bool space_has_value(const struct space *space, size_t param, int64_t value);

#endif
