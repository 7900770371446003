/* Sums 100M floats on GPU 0 with the CUDA driver API, in a graph that runs ten times. C99:
 *   cc -std=c99 graph.c $(pkg-config --cflags --libs autotune) -I/usr/local/cuda/include -lcuda
 */
#include <autotune.h>

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100000000, RUNS = 10, ONE = 0x3f800000 /* the bits of 1.0f */ };

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

/* What the driver holds for us. */
struct gpu {
    CUdevice device;
    CUstream stream;
    CUdeviceptr input, output;
};

/* Makes the primary context current, and N ones. */
static void open_gpu(struct gpu *gpu)
{
    CUcontext current;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&gpu->device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&current, gpu->device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(current), "cuCtxSetCurrent");
    check(cuStreamCreate(&gpu->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(cuMemAlloc(&gpu->input, N * sizeof(float)), "cuMemAlloc");
    check(cuMemAlloc(&gpu->output, sizeof(float)), "cuMemAlloc");
    check(cuMemsetD32Async(gpu->input, ONE, N, gpu->stream), "cuMemsetD32Async");
}

static void close_gpu(struct gpu *gpu)
{
    check(cuMemFree(gpu->input), "cuMemFree");
    check(cuMemFree(gpu->output), "cuMemFree");
    check(cuStreamDestroy(gpu->stream), "cuStreamDestroy");
    check(cuDevicePrimaryCtxRelease(gpu->device), "cuDevicePrimaryCtxRelease");
}

static void show_plan(const struct autotune_plan *plan)
{
    printf("variant %s\n", autotune_plan_params(plan));
    if (*autotune_plan_warning(plan))
        printf("note    %s\n", autotune_plan_warning(plan));
}

/* A graph of RUNS calls: launching it starts them all. */
static CUgraphExec capture(const struct gpu *gpu, struct autotune_workspace *workspace)
{
    const void *input = (const void *)(uintptr_t)gpu->input;
    void *output = (void *)(uintptr_t)gpu->output;
    struct autotune_error error;
    CUgraph graph;
    CUgraphExec exec;
    check(cuStreamBeginCapture(gpu->stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
          "cuStreamBeginCapture");
    for (int run = 0; run < RUNS; run++)
        check_autotune(autotune_execute(workspace, input, N, output, gpu->stream, &error),
                       &error);
    check(cuStreamEndCapture(gpu->stream, &graph), "cuStreamEndCapture");
    check(cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiateWithFlags");
    check(cuGraphDestroy(graph), "cuGraphDestroy");
    return exec;
}

static float run(const struct gpu *gpu, CUgraphExec exec)
{
    float sum = 0;
    check(cuGraphLaunch(exec, gpu->stream), "cuGraphLaunch");
    check(cuMemcpyDtoHAsync(&sum, gpu->output, sizeof sum, gpu->stream), "cuMemcpyDtoHAsync");
    check(cuStreamSynchronize(gpu->stream), "cuStreamSynchronize");
    return sum;
}

int main(void)
{
    const struct autotune_problem problem = {.op = "sum", .type = "f32", .n = N};
    struct autotune_context *context;
    struct autotune_plan *plan;
    struct autotune_workspace *workspace;
    struct autotune_error error;
    struct gpu gpu;

    open_gpu(&gpu);
    check_autotune(autotune_context_create(&context, NULL, &error), &error);
    check_autotune(autotune_plan_create(&plan, context, &problem, NULL, &error), &error);
    check_autotune(autotune_workspace_create(&workspace, plan, NULL, gpu.stream, &error),
                   &error);
    show_plan(plan);

    const CUgraphExec exec = capture(&gpu, workspace);
    const float sum = run(&gpu, exec);
    printf("sum     %.0f of %d ones\n", sum, (int)N);

    check(cuGraphExecDestroy(exec), "cuGraphExecDestroy");
    check_autotune(autotune_workspace_destroy(workspace, &error), &error);
    check_autotune(autotune_plan_destroy(plan, &error), &error);
    check_autotune(autotune_context_destroy(context, &error), &error);
    close_gpu(&gpu);
    return sum == (float)N ? 0 : 1;
}
