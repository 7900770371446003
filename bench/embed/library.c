/* library: the reductions of libautotune behind the plain C face that `autotune bench --against`
 * opens: a plan for each n, from the records of $XDG_CACHE_HOME, and one workspace, which is in the
 * memory that the caller lends. */
#include "autotune/device/baseline_face.h"
#include "include/autotune.h"

enum { PLANS = 256 };

static struct held {
    unsigned long long n;
    struct autotune_plan *plan;
} held[PLANS];
static struct autotune_context *context;
static struct autotune_workspace *workspace; /* of `ready`, in `lent` */
static const struct held *ready;
static void *lent;
static struct autotune_error why;

static int supports(const char *type, const char *acc, const char *op)
{
    (void)type, (void)acc, (void)op; /* the plan says */
    return 1;
}

static struct held *find(unsigned long long n)
{
    size_t i = 0;
    while (i + 1 < PLANS && held[i].plan && held[i].n != n)
        i++;
    return &held[i];
}

static int temp_bytes(const char *type, const char *acc, const char *op, unsigned long long n,
                      size_t *out)
{
    const struct autotune_problem problem = {.op = op, .type = type, .acc = acc, .n = n};
    const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_RECORD};
    struct held *at = find(n);
    if (!context && autotune_context_create(&context, NULL, &why))
        return why.code;
    if (!at->plan && autotune_plan_create(&at->plan, context, &problem, &options, &why))
        return why.code;
    at->n = n;
    *out = autotune_plan_workspace_bytes(at->plan);
    return 0;
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
    lent = temp;
    return 0;
}

static int enqueue(const char *type, const char *acc, const char *op, const void *in, void *out,
                   unsigned long long n, void *temp, size_t bytes, void *stream)
{
    const struct held *at = find(n);
    (void)type, (void)acc, (void)op, (void)bytes;
    if ((at != ready || temp != lent) && lend(at, temp, stream))
        return why.code;
    return autotune_execute(workspace, in, n, out, stream, &why);
}

static const char *explain(int error)
{
    (void)error;
    return why.text;
}

static const struct baseline_face face = {BASELINE_VERSION, 0,       "library", supports,
                                          temp_bytes,       enqueue, explain};

__attribute__((visibility("default"))) const struct baseline_face *autotune_baseline(void)
{
    return &face;
}
