/* call: computes the launches of a config: the space's expressions give the numbers, planner.h
 * the plan. What does not depend on dims is evaluated once, so that a plan may be asked for in
 * every call. */
#ifndef AUTOTUNE_CALL_H
#define AUTOTUNE_CALL_H

#include "generator/planner.h"
#include "generator/point.h"

struct call; /* never changes once made: any number of threads may ask it */

/* Prepares calls for `context->problem` or less of it, and makes the plan for all of it. The
 * space must outlive the call; problem, target and config need not. A pass with an error in it
 * is ERROR_USAGE. */
int call_make(struct call **out, struct planner_plan *plan, const struct point_context *context,
              const int64_t *config, struct error *error);
void call_free(struct call *call);

/* The plan for these dims; each result has as many parts as in the plan for the whole
 * problem. */
int call_ask(const struct call *call, struct planner_plan *out, const struct dims *dims,
             struct error *error);

/* The plan for the whole problem, once: its launches have the keys for reports too. Where it
 * fails, the plan's status is PLANNER_NO_VALUE if an expression has no result. */
int call_plan(struct planner_plan *out, const struct point_context *context,
              const int64_t *config, struct error *error);

/* Additions on the longest path through all launches of a plan that call_plan made. */
uint64_t call_height(const struct planner_plan *plan);

/* One launch of a pass, for elements of these dims, with all keys. `*applies` is false where
 * the config's variant does not have the pass. */
int call_pass(struct planner_launch *out, bool *applies, const struct point_context *context,
              const int64_t *config, size_t pass, const struct dims *dims, struct error *error);

#endif
