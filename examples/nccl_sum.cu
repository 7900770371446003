// One sum over what lies on the GPUs of this machine, with NCCL: each GPU reduces its part by the
// library, the values of its subtrees are gathered by ncclAllGather and combined, so that the sum has
// the bits that one GPU gives for all elements. Beside it the fast form, ncclAllReduce of one value a
// GPU, whose bits may differ.
//   nvcc -std=c++17 nccl_sum.cu $(pkg-config --cflags --libs autotune) -lnccl
//   ./a.out [N [GPUS]]
// NCCL as pip has it: -I and -L of site-packages/nvidia/nccl/include and lib, and -l:libnccl.so.2.
#include <autotune.h>
#include <autotune_reference.h>

#include <cuda_runtime.h>
#include <nccl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void check(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
    std::exit(1);
}

static void check(ncclResult_t result)
{
    if (result == ncclSuccess)
        return;
    std::fprintf(stderr, "NCCL: %s\n", ncclGetErrorString(result));
    std::exit(1);
}

static void check(int code, const autotune_error &error)
{
    if (code == AUTOTUNE_OK)
        return;
    std::fprintf(stderr, "autotune, code %d: %s\n", code, error.text);
    std::exit(1);
}

// Any order of adding these rounds otherwise.
static float element(uint64_t i)
{
    const uint32_t mixed = static_cast<uint32_t>(i ^ i >> 32) * 2654435761u;
    return static_cast<float>(mixed >> 8) * 1e-7f - 0.5f;
}

struct Reduction {
    autotune_plan *plan = nullptr;
    autotune_workspace *workspace = nullptr;
};

struct Part {
    uint64_t first = 0, end = 0;
    autotune_subtree subtrees[AUTOTUNE_SUBTREES];
    int count = 0;
    float *elements = nullptr;
    float *values = nullptr; // of own subtrees, then the part's fast sum
    float *all = nullptr;    // of all parts' subtrees
    cudaStream_t stream = nullptr;
    autotune_context *context = nullptr;
    Reduction by_n, fast;
};

static Reduction open_reduction(autotune_context *context, uint64_t n, int order,
                                cudaStream_t stream)
{
    autotune_problem problem = {};
    autotune_error error;
    Reduction out;
    problem.op = "sum";
    problem.type = "f32";
    problem.n = n;
    problem.order = order;
    check(autotune_plan_create(&out.plan, context, &problem, nullptr, &error), error);
    check(autotune_workspace_create(&out.workspace, out.plan, nullptr, stream, &error), error);
    return out;
}

static void close_reduction(Reduction &reduction)
{
    autotune_error error;
    check(autotune_workspace_destroy(reduction.workspace, &error), error);
    check(autotune_plan_destroy(reduction.plan, &error), error);
}

static void fill(Part &part)
{
    std::vector<float> chunk(1 << 24);
    for (uint64_t at = part.first; at < part.end; at += chunk.size()) {
        const uint64_t left = part.end - at, count = left < chunk.size() ? left : chunk.size();
        for (uint64_t i = 0; i < count; i++)
            chunk[i] = element(at + i);
        check(cudaMemcpy(part.elements + (at - part.first), chunk.data(), count * sizeof(float),
                         cudaMemcpyHostToDevice));
    }
}

// Parts begin between leaves; the last ends where all end.
static void open_part(Part &part, int gpu, int gpus, uint64_t n)
{
    const uint64_t leaves = autotune_leaves(n);
    const uint64_t next = leaves * static_cast<uint64_t>(gpu + 1) / gpus * AUTOTUNE_LEAF;
    autotune_error error;
    uint64_t longest = 1;
    part.first = leaves * static_cast<uint64_t>(gpu) / gpus * AUTOTUNE_LEAF;
    part.end = next < n ? next : n;
    part.count = autotune_subtrees(part.subtrees, part.first, part.end, n);
    for (int i = 0; i < part.count; i++)
        if (part.subtrees[i].count > longest)
            longest = part.subtrees[i].count;
    check(cudaSetDevice(gpu));
    check(cudaStreamCreate(&part.stream));
    check(cudaMalloc(&part.elements, (part.end - part.first + 1) * sizeof(float)));
    check(cudaMalloc(&part.values, (AUTOTUNE_SUBTREES + 1) * sizeof(float)));
    check(cudaMalloc(&part.all, gpus * AUTOTUNE_SUBTREES * sizeof(float)));
    fill(part);
    check(autotune_context_create(&part.context, nullptr, &error), error);
    part.by_n = open_reduction(part.context, longest, AUTOTUNE_ORDER_BY_N, part.stream);
    part.fast = open_reduction(part.context, part.end - part.first + !(part.end - part.first), 0,
                               part.stream);
}

static void close_part(Part &part, int gpu)
{
    autotune_error error;
    check(cudaSetDevice(gpu));
    close_reduction(part.by_n);
    close_reduction(part.fast);
    check(autotune_context_destroy(part.context, &error), error);
    check(cudaFree(part.elements));
    check(cudaFree(part.values));
    check(cudaFree(part.all));
    check(cudaStreamDestroy(part.stream));
}

// The bits of one GPU: the values of all subtrees come to GPU 0, and are combined on the host.
static float sum_by_n(std::vector<Part> &parts, std::vector<ncclComm_t> &comms, uint64_t n)
{
    const int gpus = static_cast<int>(parts.size());
    std::vector<float> all(parts.size() * AUTOTUNE_SUBTREES);
    std::vector<autotune_subtree> subtrees;
    autotune_error error;
    float sum = 0;
    for (int gpu = 0; gpu < gpus; gpu++) {
        Part &part = parts[gpu];
        check(cudaSetDevice(gpu));
        for (int i = 0; i < part.count; i++)
            check(autotune_execute(part.by_n.workspace,
                                   part.elements + (part.subtrees[i].first - part.first),
                                   part.subtrees[i].count, part.values + i, part.stream, &error),
                  error);
    }
    check(ncclGroupStart());
    for (int gpu = 0; gpu < gpus; gpu++)
        check(ncclAllGather(parts[gpu].values, parts[gpu].all, AUTOTUNE_SUBTREES, ncclFloat,
                            comms[gpu], parts[gpu].stream));
    check(ncclGroupEnd());
    check(cudaSetDevice(0));
    check(cudaMemcpyAsync(all.data(), parts[0].all, all.size() * sizeof(float),
                          cudaMemcpyDeviceToHost, parts[0].stream));
    check(cudaStreamSynchronize(parts[0].stream));
    for (int gpu = 0; gpu < gpus; gpu++)
        for (int i = 0; i < parts[gpu].count; i++) {
            subtrees.push_back(parts[gpu].subtrees[i]);
            subtrees.back().value = all[gpu * AUTOTUNE_SUBTREES + i];
        }
    if (autotune_combine(&sum, "sum", "f32", subtrees.data(), subtrees.size(), n)) {
        std::fprintf(stderr, "the parts are not all elements\n");
        std::exit(1);
    }
    return sum;
}

static float sum_fast(std::vector<Part> &parts, std::vector<ncclComm_t> &comms)
{
    const int gpus = static_cast<int>(parts.size());
    autotune_error error;
    float sum = 0;
    for (int gpu = 0; gpu < gpus; gpu++) {
        Part &part = parts[gpu];
        check(cudaSetDevice(gpu));
        check(autotune_execute(part.fast.workspace, part.elements, part.end - part.first,
                               part.values + AUTOTUNE_SUBTREES, part.stream, &error),
              error);
    }
    check(ncclGroupStart());
    for (int gpu = 0; gpu < gpus; gpu++)
        check(ncclAllReduce(parts[gpu].values + AUTOTUNE_SUBTREES, parts[gpu].all, 1, ncclFloat,
                            ncclSum, comms[gpu], parts[gpu].stream));
    check(ncclGroupEnd());
    check(cudaSetDevice(0));
    check(cudaMemcpyAsync(&sum, parts[0].all, sizeof sum, cudaMemcpyDeviceToHost,
                          parts[0].stream));
    check(cudaStreamSynchronize(parts[0].stream));
    return sum;
}

// What one processor makes of all, bit for bit; it takes ns an element.
static bool is_right(float sum, uint64_t n)
{
    std::vector<float> all(n);
    float expected = 0;
    for (uint64_t i = 0; i < n; i++)
        all[i] = element(i);
    autotune_reference(&expected, "sum", "f32", "f32", all.data(), n, 1);
    return std::memcmp(&sum, &expected, sizeof sum) == 0;
}

int main(int argc, char **argv)
{
    const uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000019;
    const uint64_t checked = 1 << 24;
    int gpus = 0;
    check(cudaGetDeviceCount(&gpus));
    if (argc > 2 && std::atoi(argv[2]) >= 1 && std::atoi(argv[2]) < gpus)
        gpus = std::atoi(argv[2]);
    std::vector<ncclComm_t> comms(gpus);
    std::vector<Part> parts(gpus);
    check(ncclCommInitAll(comms.data(), gpus, nullptr));
    for (int gpu = 0; gpu < gpus; gpu++)
        open_part(parts[gpu], gpu, gpus, n);

    double least = 1e9, least_fast = 1e9;
    float sum = 0, fast = 0;
    for (int round = 0; round < 7; round++) {
        const auto start = std::chrono::steady_clock::now();
        sum = sum_by_n(parts, comms, n);
        const auto middle = std::chrono::steady_clock::now();
        fast = sum_fast(parts, comms);
        const auto end = std::chrono::steady_clock::now();
        const std::chrono::duration<double, std::milli> by_n = middle - start,
                                                        by_all = end - middle;
        least = by_n.count() < least ? by_n.count() : least;
        least_fast = by_all.count() < least_fast ? by_all.count() : least_fast;
    }
    uint32_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    std::printf("sum of %llu floats by %d GPUs: %.9g, bits %08x, %.3f ms; by ncclAllReduce %.9g, "
                "%.3f ms\n",
                static_cast<unsigned long long>(n), gpus, sum, bits, least, fast, least_fast);
    for (int gpu = 0; gpu < gpus; gpu++) {
        close_part(parts[gpu], gpu);
        check(ncclCommDestroy(comms[gpu]));
    }
    return n > checked || is_right(sum, n) ? 0 : 1;
}
