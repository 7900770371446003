/* A program as it was built with the first header of 0.2.0: library.sh links it with today's library, and it must run.
 * The declarations are that header's, and no header of today is included: what stands here never changes. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct autotune_error {
    int code;
    char text[2000];
};

struct autotune_context_options {
    const char *device, *records, *kernels, *nvrtc, *program;
    void *reserved[8];
};

struct autotune_problem {
    const char *op, *type, *acc;
    uint64_t n;
    int is_warm, order;
    uint64_t rows, len, pitch;
    int axis, scan;
    void *reserved[4];
};

struct autotune_plan_options {
    int from;
    double budget_seconds;
    void *reserved[4];
};

struct autotune_pipeline_options {
    int is_pinned;
    unsigned streams;
    uint64_t chunk_bytes;
    unsigned copiers;
    void *reserved[4];
};

enum { FROM_DEFAULT = 3, INCLUSIVE = 1, ORDER_RUN = 1, MOST = 1000 };

struct autotune_context;
struct autotune_plan;
struct autotune_workspace;
struct autotune_pipeline;

int autotune_context_create(struct autotune_context **out,
                            const struct autotune_context_options *options,
                            struct autotune_error *error);
int autotune_context_destroy(struct autotune_context *context, struct autotune_error *error);
int autotune_plan_create(struct autotune_plan **out, struct autotune_context *context,
                         const struct autotune_problem *problem,
                         const struct autotune_plan_options *options,
                         struct autotune_error *error);
int autotune_plan_destroy(struct autotune_plan *plan, struct autotune_error *error);
uint64_t autotune_plan_results(const struct autotune_plan *plan);
int autotune_workspace_create(struct autotune_workspace **out, struct autotune_plan *plan,
                              void *memory, void *stream, struct autotune_error *error);
int autotune_workspace_destroy(struct autotune_workspace *workspace,
                               struct autotune_error *error);
int autotune_execute(struct autotune_workspace *workspace, const void *input, uint64_t n,
                     void *output, void *stream, struct autotune_error *error);
int autotune_pipeline_create(struct autotune_pipeline **out, struct autotune_context *context,
                             const struct autotune_problem *problem,
                             const struct autotune_plan_options *from,
                             const struct autotune_pipeline_options *options,
                             struct autotune_error *error);
int autotune_pipeline_destroy(struct autotune_pipeline *pipeline, struct autotune_error *error);
int autotune_execute_host(struct autotune_pipeline *pipeline, const void *input, uint64_t n,
                          void *output, struct autotune_error *error);

static struct autotune_error error;
static struct autotune_context *context;
static const struct autotune_plan_options from = {FROM_DEFAULT, 0, {NULL}};
static int32_t elements[MOST], results[MOST];

/* Reduces `n` elements, or rows, of the problem. */
static int run(const struct autotune_problem *problem, uint64_t n)
{
    struct autotune_plan *plan;
    struct autotune_workspace *workspace;
    if (autotune_plan_create(&plan, context, problem, &from, &error))
        return -1;
    if (autotune_workspace_create(&workspace, plan, NULL, NULL, &error))
        return -1;
    return autotune_execute(workspace, elements, n, results, NULL, &error) ||
                   autotune_workspace_destroy(workspace, &error) ||
                   autotune_plan_destroy(plan, &error)
               ? -1
               : 0;
}

static int run_host(const struct autotune_problem *problem, uint64_t n)
{
    const struct autotune_pipeline_options options = {0, 2, 4096, 1, {NULL}};
    struct autotune_pipeline *pipeline;
    return autotune_pipeline_create(&pipeline, context, problem, &from, &options, &error) ||
                   autotune_execute_host(pipeline, elements, n, results, &error) ||
                   autotune_pipeline_destroy(pipeline, &error)
               ? -1
               : 0;
}

static int fail(const char *what)
{
    printf("%s: %s, first result %d\n", what, error.text, (int)results[0]);
    return 1;
}

int main(void)
{
    const struct autotune_context_options options = {"host", "/nonexistent", "",
                                                     NULL,   NULL,           {NULL}};
    struct autotune_problem problem = {.op = "sum", .type = "i32", .n = MOST};
    for (int i = 0; i < MOST; i++)
        elements[i] = i;
    if (autotune_context_create(&context, &options, &error))
        return fail("context");
    problem.order = ORDER_RUN;
    if (run(&problem, MOST) || results[0] != 499500)
        return fail("one value");
    if (run_host(&problem, MOST) || results[0] != 499500)
        return fail("data on the host");
    problem.scan = INCLUSIVE;
    if (run(&problem, MOST) || results[2] != 3 || results[MOST - 1] != 499500)
        return fail("a scan");
    problem = (struct autotune_problem){.op = "max", .type = "i32", .rows = 4, .axis = 1};
    problem.len = 200;
    problem.pitch = 250;
    if (run(&problem, 4) || results[0] != 199 || results[3] != 949)
        return fail("rows");
    problem.axis = 0;
    if (run(&problem, 4) || results[0] != 750 || results[199] != 949)
        return fail("columns");
    return autotune_context_destroy(context, &error) ? fail("destroy") : 0;
}
