/* library: the reductions of libautotune behind the plain C face that `autotune bench --against`
 * opens: a plan for each n, from the records of $XDG_CACHE_HOME, and one workspace, which is in the
 * memory that the caller lends. */
#include "autotune/measure/baseline_face.h"
#include "include/autotune.h"

#include <stdlib.h>
#include <string.h>

static struct held {
    unsigned long long n;
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
    return dims_extent(dims) == dims->depth.n;
}

static const struct held *find(unsigned long long n)
{
    const struct held *at = all;
    while (at && at->n != n)
        at = at->next;
    return at;
}

static int refuse(int code, const char *text)
{
    why.code = code;
    strcpy(why.text, text);
    return code;
}

static int add(const char *type, const char *acc, const char *op, unsigned long long n)
{
    const struct autotune_problem problem = {.op = op, .type = type, .acc = acc, .n = n};
    const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_RECORD};
    struct held *held = malloc(sizeof *held);
    if (!held)
        return refuse(AUTOTUNE_NO_MEMORY, "no memory for another plan");
    *held = (struct held){n, NULL, all};
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
    const unsigned long long n = dims->depth.n;
    const int failed = find(n) ? 0 : add(type, acc, op, n);
    *out = failed ? 0 : autotune_plan_workspace_bytes(find(n)->plan);
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
    const unsigned long long n = dims->depth.n;
    const struct held *at = find(n);
    (void)type, (void)acc, (void)op, (void)bytes;
    if (!at)
        return refuse(AUTOTUNE_BAD_ARGUMENT, "temp_bytes was not asked for this n before");
    if ((at != ready || temp != borrowed) && lend(at, temp, stream))
        return why.code;
    return autotune_execute(workspace, in, n, out, stream, &why);
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
