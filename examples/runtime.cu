// The largest of many elements, with the CUDA runtime API: one plan, two streams, two threads,
// each with a workspace of its own; and a second plan for small arrays, which shares kernels
// with the first wherever both chose the same.
//   nvcc -std=c++17 runtime.cu $(pkg-config --cflags --libs autotune)
#include <autotune.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static void check(cudaError_t result, const char *doing)
{
    if (result == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(result));
    std::exit(1);
}

static void check(int code, const autotune_error &error)
{
    if (code == AUTOTUNE_OK)
        return;
    std::fprintf(stderr, "autotune, code %d: %s\n", code, error.text);
    std::exit(1);
}

static autotune_plan *make_plan(autotune_context *context, uint64_t n)
{
    autotune_problem problem = {};
    autotune_plan *plan = nullptr;
    autotune_error error;
    problem.op = "max";
    problem.type = "i32";
    problem.n = n;
    check(autotune_plan_create(&plan, context, &problem, nullptr, &error), error);
    std::printf("%12llu elements: %s\n", static_cast<unsigned long long>(n),
                autotune_plan_params(plan));
    return plan;
}

// Writes the largest of the first n elements to `host`, on a stream of this thread's.
static void find_largest(autotune_plan *plan, const int *input, uint64_t n, int *host)
{
    cudaStream_t stream;
    autotune_workspace *workspace = nullptr;
    autotune_error error;
    int *output = nullptr;
    check(cudaSetDevice(0), "cudaSetDevice"); // current is a matter of each thread
    check(cudaStreamCreate(&stream), "cudaStreamCreate");
    check(cudaMallocAsync(&output, sizeof *output, stream), "cudaMallocAsync");
    check(autotune_workspace_create(&workspace, plan, nullptr, stream, &error), error);
    check(autotune_execute(workspace, input, n, output, stream, &error), error);
    check(cudaMemcpyAsync(host, output, sizeof *host, cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
    check(cudaFreeAsync(output, stream), "cudaFreeAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    check(autotune_workspace_destroy(workspace, &error), error);
    check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

int main()
{
    const uint64_t n = 50000000, few = 10000;
    std::vector<int> elements(n);
    for (uint64_t i = 0; i < n; i++)
        elements[i] = static_cast<int>(i * 7919 % 1000003);
    elements[few - 1] = 2000000;
    elements[n - 1] = 3000000;

    int *input = nullptr, largest = 0, largest_of_few = 0;
    check(cudaSetDevice(0), "cudaSetDevice");
    check(cudaMalloc(&input, n * sizeof *input), "cudaMalloc");
    check(cudaMemcpy(input, elements.data(), n * sizeof *input, cudaMemcpyHostToDevice),
          "cudaMemcpy");

    autotune_context *context = nullptr;
    autotune_error error;
    check(autotune_context_create(&context, nullptr, &error), error);
    autotune_plan *plan = make_plan(context, n), *small_plan = make_plan(context, few);

    std::thread one(find_largest, plan, input, n, &largest);
    std::thread two(find_largest, small_plan, input, few, &largest_of_few);
    one.join();
    two.join();
    std::printf("largest of all %d, of the first %llu %d\n", largest,
                static_cast<unsigned long long>(few), largest_of_few);

    check(autotune_plan_destroy(plan, &error), error);
    check(autotune_plan_destroy(small_plan, &error), error);
    check(autotune_context_destroy(context, &error), error);
    check(cudaFree(input), "cudaFree");
    return largest == 3000000 && largest_of_few == 2000000 ? 0 : 1;
}
