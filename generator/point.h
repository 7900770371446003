/* point: evaluates configs. A config is one int64_t per param, in the order of the space file;
 * all derived values and what the rules say follow from it. call.h has its launches. */
#ifndef AUTOTUNE_POINT_H
#define AUTOTUNE_POINT_H

#include "generator/error.h"
#include "generator/problem.h"
#include "generator/space.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The space of a config, the problem it is for, and the target it runs on. */
struct point_context {
    const struct space *space;
    const struct problem *problem;
    const struct target *target;
};

/* Sets the names that every space has, and the named constants; the others are 0. */
void point_builtins(const struct point_context *context, bool reads_partials,
                    int64_t values[SPACE_NAMES_MAX]);

/* Sets the names of dims. */
void point_set_dims(int64_t values[SPACE_NAMES_MAX], const struct dims *dims);

/* The builtins, and the params of a config; derived values are 0. */
void point_known(const struct point_context *context, const int64_t *config,
                 bool reads_partials, int64_t values[SPACE_NAMES_MAX]);

/* Fills `values` (by slot) for a config. With `reads_partials` TYPE and ELEM_BYTES are those of
 * the accumulator and MAP is SAME. BLOCKS is 0. */
int point_values(const struct point_context *context, const int64_t *config,
                 bool reads_partials, int64_t values[SPACE_NAMES_MAX], struct error *error);

enum { POINT_VALID = -1, POINT_FAILED = -2 };

/* The first [rule] (its index) that rejects the config, POINT_VALID, or POINT_FAILED with error
 * set. */
int point_reject(const struct point_context *context, const int64_t *config,
                 struct error *error);

/* The same; where no rule rejects the config, the first [prune] that does. */
int point_prune(const struct point_context *context, const int64_t *config,
                struct error *error);

/* The first rule that mentions ORDER and rejects the config, whatever other rules say:
 * the config must not pass for one that keeps the order. Else as point_reject. */
int point_reject_order(const struct point_context *context, const int64_t *config,
                       struct error *error);

/* What rules and prunes leave to be tried: candidates grouped by variant. */
struct point_variant {
    size_t first, count; /* its candidates among the configs */
};
struct points {
    size_t width; /* values of a config */
    int64_t *configs;
    size_t count;
    struct point_variant *variants;
    size_t variant_count;
    uint64_t *rejected; /* points rejected, by rule (the one whose params were known first) */
    uint64_t total;     /* points before the rules */
};

/* Nothing left is ERROR_USAGE naming the rule that rejected most. */
int point_expand(struct points *out, const struct point_context *context, struct error *error);
/* A point that the rules leave, whatever prunes say, drawn at random: params that are fixed
 * keep the value in `config`. What cannot be evaluated is no point. The same state of `random` draws the same. */
enum point_drawn {
    POINT_NONE_HERE, /* none was found, maybe as some thousand steps were too few */
    POINT_DRAWN,
    POINT_NONE_EVER, /* the fixed values exclude each other for every problem and target */
};
enum point_drawn point_draw(int64_t *config, const bool *is_fixed,
                            const struct point_context *context, uint64_t *random);
/* One config alone, not judged by the rules. */
int point_single(struct points *out, const struct space *space, const int64_t *config,
                 struct error *error);
/* One more config behind all others, a variant by itself, not judged by the rules either. */
int point_add(struct points *points, const int64_t *config, struct error *error);
void point_dispose(struct points *points);

/* Is the pass a part of the config's variant? */
int point_applies(const struct point_context *context, const int64_t *config, size_t pass,
                  bool *out, struct error *error);

/* The config of a pass's kernel: `config` with the pass's overrides. */
int point_pass_config(const struct point_context *context, const int64_t *config, size_t pass,
                      int64_t *out, struct error *error);

/* "BLOCK=256 ITEMS=16 WARP=SHUFFLE", compile-time params only or all. */
void point_format(struct text *out, const struct space *space, const int64_t *config,
                  bool launch_too);

/* Appends the params in which `config` differs from `other`: "UNROLL=16 GRID=4". */
void point_format_unlike(struct text *out, const struct space *space, const int64_t *config,
                         const int64_t *other);

/* Reads the form of point_format, separated by spaces or commas; params not named keep what
 * `config` held. Unknown names, unknown values and names given twice are ERROR_USAGE and list
 * what there is. */
int point_parse(const struct space *space, const char *string, int64_t *config,
                struct error *error);

/* The same for the params of a record: one that is not named has the value of the param's
 * `absent`; a param without `absent`, or whose `absent` is none of its values, is ERROR_USAGE
 * too. */
int point_parse_record(const struct space *space, const char *string, int64_t *config,
                       struct error *error);

/* The value of a param as a person writes it: "SHUFFLE" or "256". */
void point_format_value(struct text *out, const struct param *param, int64_t value);

#endif
