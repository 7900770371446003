/* library: the reductions of libautotune behind the plain C face that `autotune bench --against`
 * opens: a plan and a workspace for each n, made at its first call, from the records of
 * $XDG_CACHE_HOME. */
#include "autotune/device/baseline_face.h"
#include "include/autotune.h"

enum { PLANS = 256 };

static struct held {
    unsigned long long n;
    struct autotune_plan *plan;
    struct autotune_workspace *workspace;
} held[PLANS];
static struct autotune_context *context;
static struct autotune_error why;

static int supports(const char *type, const char *acc, const char *op)
{
    (void)type, (void)acc, (void)op; /* the plan says */
    return 1;
}

static int temp_bytes(const char *type, const char *acc, const char *op, unsigned long long n,
                      size_t *out)
{
    (void)type, (void)acc, (void)op, (void)n;
    *out = 0;
    return 0;
}

static int make(struct held *at, const struct autotune_problem *problem, void *stream)
{
    if (!context && autotune_context_create(&context, NULL, &why))
        return why.code;
    const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_RECORD};
    if (autotune_plan_create(&at->plan, context, problem, &options, &why) ||
        autotune_workspace_create(&at->workspace, at->plan, NULL, stream, &why))
        return why.code;
    at->n = problem->n;
    return 0;
}

static int enqueue(const char *type, const char *acc, const char *op, const void *in, void *out,
                   unsigned long long n, void *temp, size_t temp_size, void *stream)
{
    const struct autotune_problem problem = {.op = op, .type = type, .acc = acc, .n = n};
    size_t i = 0;
    (void)temp, (void)temp_size;
    while (i + 1 < PLANS && held[i].plan && held[i].n != n)
        i++;
    if (!held[i].plan && make(&held[i], &problem, stream))
        return why.code;
    return autotune_execute(held[i].workspace, in, n, out, stream, &why);
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
