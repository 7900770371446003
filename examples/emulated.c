/* The library without a GPU: the emulator runs the very kernels on the CPU, slowly, so that a
 * program that uses the library can be tested anywhere. Needs a C compiler at run time. C99:
 *   cc -std=c99 emulated.c $(pkg-config --cflags --libs autotune)
 */
#include <autotune.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 10000 };

static void check(int code, const struct autotune_error *error)
{
    if (code == AUTOTUNE_OK)
        return;
    fprintf(stderr, "autotune, code %d: %s\n", code, error->text);
    exit(1);
}

int main(void)
{
    const struct autotune_context_options options = {.device = "host"};
    const struct autotune_problem problem = {.op = "sum", .type = "i32", .n = N};
    struct autotune_context *context;
    struct autotune_plan *plan;
    struct autotune_workspace *workspace;
    struct autotune_error error;
    static int32_t elements[N];
    int32_t sum = 0;

    for (int i = 0; i < N; i++)
        elements[i] = i;
    check(autotune_context_create(&context, &options, &error), &error);
    check(autotune_plan_create(&plan, context, &problem, NULL, &error), &error);
    check(autotune_workspace_create(&workspace, plan, NULL, NULL, &error), &error);
    check(autotune_execute(workspace, elements, N, &sum, NULL, &error), &error);
    printf("0 + 1 + ... + %d = %d\n", N - 1, (int)sum);
    check(autotune_workspace_destroy(workspace, &error), &error);
    check(autotune_plan_destroy(plan, &error), &error);
    check(autotune_context_destroy(context, &error), &error);
    return sum == N * (N - 1) / 2 ? 0 : 1;
}
