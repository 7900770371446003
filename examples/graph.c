/* Sums 100M floats on GPU 0 with the CUDA driver API, in a graph that runs ten times. C99:
 *   cc -std=c99 graph.c $(pkg-config --cflags --libs autotune) -I/usr/local/cuda/include -lcuda
 */
#include <autotune.h>

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100000000, RUNS = 10 };

/* Ends the program where the driver refuses something. */
static void check(CUresult result, const char *doing)
{
    const char *text = "unknown error";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s\n", doing, text);
    exit(1);
}

/* Ends the program with what autotune says. */
static void check_autotune(int code, const struct autotune_error *error)
{
    if (code == AUTOTUNE_OK)
        return;
    fprintf(stderr, "autotune, code %d: %s\n", code, error->text);
    exit(1);
}

int main(void)
{
    const struct autotune_problem problem = {.op = "sum", .type = "f32", .n = N};
    struct autotune_context *context;
    struct autotune_plan *plan;
    struct autotune_workspace *workspace;
    struct autotune_error error;
    CUdevice device;
    CUcontext current;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    CUdeviceptr input, output;
    float sum = 0;

    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&current, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(current), "cuCtxSetCurrent");
    check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(cuMemAlloc(&input, N * sizeof(float)), "cuMemAlloc");
    check(cuMemAlloc(&output, sizeof(float)), "cuMemAlloc");
    check(cuMemsetD32Async(input, 0x3f800000, N, stream), "cuMemsetD32Async"); /* 1.0f */

    check_autotune(autotune_context_create(&context, NULL, &error), &error);
    check_autotune(autotune_plan_create(&plan, context, &problem, NULL, &error), &error);
    check_autotune(autotune_workspace_create(&workspace, plan, NULL, stream, &error), &error);
    printf("variant %s\n", autotune_plan_params(plan));
    if (*autotune_plan_warning(plan))
        printf("note    %s\n", autotune_plan_warning(plan));

    check(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
    for (int run = 0; run < RUNS; run++)
        check_autotune(autotune_execute(workspace, (const void *)(uintptr_t)input, N,
                                        (void *)(uintptr_t)output, stream, &error),
                       &error);
    check(cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
    check(cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiateWithFlags");
    check(cuGraphLaunch(exec, stream), "cuGraphLaunch");
    check(cuMemcpyDtoHAsync(&sum, output, sizeof sum, stream), "cuMemcpyDtoHAsync");
    check(cuStreamSynchronize(stream), "cuStreamSynchronize");
    printf("sum     %.0f of %d ones\n", sum, (int)N);

    check(cuGraphExecDestroy(exec), "cuGraphExecDestroy");
    check(cuGraphDestroy(graph), "cuGraphDestroy");
    check_autotune(autotune_workspace_destroy(workspace, &error), &error);
    check_autotune(autotune_plan_destroy(plan, &error), &error);
    check_autotune(autotune_context_destroy(context, &error), &error);
    check(cuMemFree(input), "cuMemFree");
    check(cuMemFree(output), "cuMemFree");
    check(cuStreamDestroy(stream), "cuStreamDestroy");
    check(cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease");
    return sum == (float)N ? 0 : 1;
}
