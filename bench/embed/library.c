/* library: the reductions of libautotune behind the plain C face that `autotune bench --against`
 * opens: a plan for each n or matrix, from the records of $XDG_CACHE_HOME alone or, where $LIBRARY_FROM
 * is best, as a plan is made by default, for warm data where $LIBRARY_REGIME is warm, and one workspace,
 * which is in the memory that the caller lends. Its kernels are of order free, whatever `bench --order`
 * says: so it is also the rival that tells what an order costs. */
#include "autotune/measure/baseline_face.h"
#include "include/autotune.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct held {
    struct dims dims;
    struct autotune_plan *plan;
    struct held *next;
} *all;
static struct autotune_context *context;
static struct autotune_workspace *workspace; /* of `ready`, in `lent` */
static const struct held *ready;
static void *borrowed;
static struct autotune_error why;

static int supports(const char *type, const char *acc, const char *op, const struct dims *dims)
{
    (void)type, (void)acc, (void)op; /* the plan says */
    return !dims->scan && (dims->outer.n == 1 || dims->inner.n == 1);
}

static const struct held *find(const struct dims *dims)
{
    const struct held *at = all;
    while (at && !dims_is_same(&at->dims, dims))
        at = at->next;
    return at;
}

static int is_set(const char *variable, const char *value)
{
    const char *set = getenv(variable);
    return set && strcmp(set, value) == 0;
}

static void describe(struct autotune_problem *out, const struct dims *dims)
{
    out->is_warm = is_set("LIBRARY_REGIME", "warm");
    if (dims_extent(dims) == dims->depth.n) {
        out->n = dims->depth.n;
        return;
    }
    out->axis = dims->depth.stride == 1;
    out->rows = out->axis ? dims->outer.n : dims->depth.n;
    out->len = out->axis ? dims->depth.n : dims->inner.n;
    out->pitch = out->axis ? dims->outer.stride : dims->depth.stride;
}

static int refuse(int code, const char *text)
{
    why.code = code;
    strcpy(why.text, text);
    return code;
}

static int add(const char *type, const char *acc, const char *op, const struct dims *dims)
{
    struct autotune_problem problem = {.op = op, .type = type, .acc = acc};
    const struct autotune_plan_options options = {
        .from = is_set("LIBRARY_FROM", "best") ? AUTOTUNE_FROM_BEST : AUTOTUNE_FROM_RECORD};
    struct held *held = malloc(sizeof *held);
    if (!held)
        return refuse(AUTOTUNE_NO_MEMORY, "no memory for another plan");
    *held = (struct held){*dims, NULL, all};
    describe(&problem, dims);
    if ((!context && autotune_context_create(&context, NULL, &why)) ||
        autotune_plan_create(&held->plan, context, &problem, &options, &why)) {
        free(held);
        return why.code;
    }
    all = held;
    return 0;
}

static int temp_bytes(const char *type, const char *acc, const char *op,
                      const struct dims *dims, size_t *out)
{
    const int failed = find(dims) ? 0 : add(type, acc, op, dims);
    *out = failed ? 0 : autotune_plan_workspace_bytes(find(dims)->plan);
    return failed;
}

static int lend(const struct held *at, void *temp, void *stream)
{
    ready = NULL;
    if (workspace && autotune_workspace_destroy(workspace, &why))
        return why.code;
    workspace = NULL;
    if (autotune_workspace_create(&workspace, at->plan, temp, stream, &why))
        return why.code;
    ready = at;
    borrowed = temp;
    return 0;
}

static int enqueue(const char *type, const char *acc, const char *op, const void *in, void *out,
                   const struct dims *dims, void *temp, size_t bytes, void *stream)
{
    const bool is_rows = dims->depth.stride == 1 && dims_extent(dims) != dims->depth.n;
    const struct held *at = find(dims);
    (void)type, (void)acc, (void)op, (void)bytes;
    if (!at)
        return refuse(AUTOTUNE_BAD_ARGUMENT, "temp_bytes was not asked for these dims before");
    if ((at != ready || temp != borrowed) && lend(at, temp, stream))
        return why.code;
    return autotune_execute(workspace, in, is_rows ? dims->outer.n : dims->depth.n, out, stream,
                            &why);
}

static const char *explain(int error)
{
    (void)error;
    return why.text;
}

static const struct baseline_face face = {.version = BASELINE_VERSION,
                                          .name = "library",
                                          .supports = supports,
                                          .temp_bytes = temp_bytes,
                                          .enqueue = enqueue,
                                          .explain = explain};

__attribute__((visibility("default"))) const struct baseline_face *autotune_baseline(void)
{
    return &face;
}
