// turns: two builds of libautotune, and an export of each, in one process: time of the GPU, time of the
// host for a call, and time for a plan whose kernels are kept. By turns, in an order that is reversed
// every other round; a ratio above 1 says that the second is faster.
// Usage: turns BEFORE.so BEFORE_RECORDS AFTER.so AFTER_RECORDS [ROUNDS]
#include "after.h"
#include "before.h"
#include "include/autotune.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

void check(int failed, const char *what, const char *why)
{
    if (!failed)
        return;
    std::fprintf(stderr, "turns: %s: %s\n", what, why);
    std::exit(1);
}

void check(cudaError_t error, const char *what)
{
    check(error != cudaSuccess, what, cudaGetErrorString(error));
}

double now_ns()
{
    return std::chrono::duration<double, std::nano>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// One build: the public functions, looked up by name.
struct build {
    void *library;
    struct autotune_context *context = nullptr;
    autotune_error error;

    template <typename function> function *find(const char *name) const
    {
        void *at = dlsym(library, name);
        check(!at, name, "not in the library");
        return reinterpret_cast<function *>(at);
    }

    explicit build(const char *path, const char *records)
        : library(dlopen(path, RTLD_NOW | RTLD_LOCAL))
    {
        check(!library, path, library ? "" : dlerror());
        autotune_context_options options = {};
        options.records = records;
        check(find<decltype(autotune_context_create)>("autotune_context_create")(&context, &options,
                                                                                 &error),
              path, error.text);
    }
};

struct problem {
    const char *name;
    autotune_problem what;
    uint64_t n, elements, results; // of a call
};

problem value_of(const char *name, uint64_t n)
{
    autotune_problem what = {};
    what.op = "sum";
    what.type = "i32";
    what.n = n;
    return {name, what, n, n, 1};
}

problem matrix_of(const char *name, uint64_t rows, uint64_t len, int axis)
{
    autotune_problem what = {};
    what.op = "sum";
    what.type = "f32";
    what.rows = rows;
    what.len = len;
    what.axis = axis;
    return {name, what, rows, rows * len, axis ? rows : len};
}

struct call {
    const build *of;
    autotune_plan *plan = nullptr;
    autotune_workspace *workspace = nullptr;
    decltype(autotune_execute) *execute;

    call(build &from_build, const problem &problem, autotune_from from) : of(&from_build)
    {
        autotune_plan_options options = {};
        options.from = from;
        autotune_error &error = from_build.error;
        check(of->find<decltype(autotune_plan_create)>("autotune_plan_create")(
                  &plan, from_build.context, &problem.what, &options, &error),
              problem.name, error.text);
        check(of->find<decltype(autotune_workspace_create)>("autotune_workspace_create")(
                  &workspace, plan, nullptr, nullptr, &error),
              problem.name, error.text);
        execute = of->find<decltype(autotune_execute)>("autotune_execute");
    }

    ~call()
    {
        autotune_error error;
        of->find<decltype(autotune_workspace_destroy)>("autotune_workspace_destroy")(workspace,
                                                                                     &error);
        of->find<decltype(autotune_plan_destroy)>("autotune_plan_destroy")(plan, &error);
    }

    std::string params() const
    {
        return of->find<decltype(autotune_plan_params)>("autotune_plan_params")(plan);
    }
};

double median(std::vector<double> of)
{
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
}

// The 95 % interval of the median, from order statistics.
void print(const char *name, const char *unit, double scale, const std::vector<double> &before,
           const std::vector<double> &after, const char *note)
{
    std::vector<double> ratios;
    for (size_t i = 0; i < before.size(); i++)
        ratios.push_back(before[i] / after[i]);
    std::sort(ratios.begin(), ratios.end());
    const double spread = 0.98 * std::sqrt(static_cast<double>(ratios.size()));
    const double middle = (static_cast<double>(ratios.size()) - 1) / 2;
    const size_t low = static_cast<size_t>(std::max(0.0, middle - spread));
    const size_t high = std::min(ratios.size() - 1, static_cast<size_t>(middle + spread + 1));
    std::printf("%-34s %9.3f %9.3f %-3s %7.4f  %.4f .. %.4f  %s\n", name, median(before) / scale,
                median(after) / scale, unit, ratios[ratios.size() / 2], ratios[low], ratios[high],
                note);
}

using work = std::function<void(cudaStream_t)>;

cudaGraphExec_t graph_of(const work &work, int calls, cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t made;
    work(stream);
    check(cudaStreamSynchronize(stream), "a first call");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    for (int i = 0; i < calls; i++)
        work(stream);
    check(cudaStreamEndCapture(stream, &graph), "capture");
    check(cudaGraphInstantiate(&made, graph, 0), "instantiate");
    check(cudaGraphDestroy(graph), "destroy");
    return made;
}

// GPU nanoseconds of a call, of both by turns.
void time_gpu(const char *name, const work &before, const work &after, int calls, int rounds,
              const char *note)
{
    cudaStream_t stream;
    cudaEvent_t events[2];
    check(cudaStreamCreate(&stream), "stream");
    for (cudaEvent_t &event : events)
        check(cudaEventCreate(&event), "event");
    cudaGraphExec_t graphs[] = {graph_of(before, calls, stream), graph_of(after, calls, stream)};
    std::vector<double> times[2];
    for (int round = -3; round < rounds; round++)
        for (int turn = 0; turn < 2; turn++) {
            const int which = turn ^ (round & 1);
            float ms;
            check(cudaEventRecord(events[0], stream), "record");
            check(cudaGraphLaunch(graphs[which], stream), "launch");
            check(cudaEventRecord(events[1], stream), "record");
            check(cudaEventSynchronize(events[1]), "wait");
            check(cudaEventElapsedTime(&ms, events[0], events[1]), "time");
            if (round >= 0)
                times[which].push_back(ms * 1e6 / calls);
        }
    print(name, "us", 1e3, times[0], times[1], note);
    for (cudaGraphExec_t graph : graphs)
        check(cudaGraphExecDestroy(graph), "destroy");
    check(cudaStreamDestroy(stream), "destroy");
}

// Host nanoseconds of a call that is queued.
void time_host(const char *name, const work &before, const work &after, int rounds)
{
    enum { CALLS = 200 };
    const work *const works[] = {&before, &after};
    std::vector<double> times[2];
    for (int round = -3; round < rounds; round++)
        for (int turn = 0; turn < 2; turn++) {
            const int which = turn ^ (round & 1);
            const double from = now_ns();
            for (int i = 0; i < CALLS; i++)
                (*works[which])(nullptr);
            const double to = now_ns();
            check(cudaDeviceSynchronize(), "wait");
            if (round >= 0)
                times[which].push_back((to - from) / CALLS);
        }
    print(name, "ns", 1, times[0], times[1], "");
}

void time_plans(const problem &problem, build &before, build &after, int rounds)
{
    build *const builds[] = {&before, &after};
    std::vector<double> times[2];
    for (int round = -2; round < rounds; round++)
        for (int turn = 0; turn < 2; turn++) {
            const int which = turn ^ (round & 1);
            const double from = now_ns();
            const call made(*builds[which], problem, AUTOTUNE_FROM_BEST);
            const double to = now_ns();
            if (round >= 0)
                times[which].push_back(to - from);
        }
    print((std::string("a plan again, ") + problem.name).c_str(), "us", 1e3, times[0], times[1], "");
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 5) {
        std::fprintf(stderr, "usage: turns BEFORE.so BEFORE_RECORDS AFTER.so AFTER_RECORDS [ROUNDS]\n");
        return 64;
    }
    const int rounds = argc > 5 ? std::atoi(argv[5]) : 101;
    check(cudaFree(nullptr), "the GPU");
    build older(argv[1], argv[2]), newer(argv[3], argv[4]);
    const problem problems[] = {
        value_of("sum i32 1Ki", 1 << 10),          value_of("sum i32 64Ki", 1 << 16),
        value_of("sum i32 1Mi", 1 << 20),          value_of("sum i32 400M", 400000000),
        matrix_of("sum f32 2Mi x 128 rows", 1 << 21, 128, 1),
        matrix_of("sum f32 16Ki x 16Ki columns", 1 << 14, 1 << 14, 0)};
    uint64_t bytes = 0, results = 0;
    for (const problem &at : problems) {
        bytes = std::max(bytes, 4 * at.elements);
        results = std::max(results, at.results);
    }
    void *input, *output;
    check(cudaMalloc(&input, bytes), "memory");
    check(cudaMalloc(&output, 8 * results), "memory");
    check(cudaMemset(input, 0, bytes), "memory");
    std::printf("%-34s %9s %9s     ratio    95 %% interval\n", "", "before", "after");
    const struct {
        const char *name;
        autotune_from from;
    } sources[] = {{"default", AUTOTUNE_FROM_DEFAULT}, {"tuned", AUTOTUNE_FROM_RECORD}};
    for (const auto &source : sources)
        for (const problem &at : problems) {
            call one(older, at, source.from), other(newer, at, source.from);
            autotune_error error;
            const work first = [&](cudaStream_t stream) {
                check(one.execute(one.workspace, input, at.n, output, stream, &error), at.name,
                      error.text);
            };
            const work second = [&](cudaStream_t stream) {
                check(other.execute(other.workspace, input, at.n, output, stream, &error), at.name,
                      error.text);
            };
            const std::string name = std::string(at.name) + ", " + source.name;
            const bool is_same = one.params() == other.params();
            time_gpu(name.c_str(), first, second, at.elements > 1 << 24 ? 4 : 64, rounds,
                     is_same ? "same config" : "other config");
            if (at.elements <= 1 << 20 && source.from == AUTOTUNE_FROM_RECORD)
                time_host((std::string("a call, ") + at.name).c_str(), first, second, rounds);
            if (!is_same)
                std::printf("    %s\n    %s\n", one.params().c_str(), other.params().c_str());
        }
    for (const problem &at : {problems[0], problems[4]})
        time_plans(at, older, newer, rounds);

    const uint64_t n = 1 << 10;
    size_t room[2];
    void *workspaces[2];
    check(before_workspace_bytes(n, &room[0]), "export");
    check(after_workspace_bytes(n, &room[1]), "export");
    for (int i = 0; i < 2; i++)
        check(cudaMalloc(&workspaces[i], room[i]), "memory");
    check(before_workspace_init(workspaces[0], room[0], nullptr), "export");
    check(after_workspace_init(workspaces[1], room[1], nullptr), "export");
    const int *in = static_cast<const int *>(input);
    int *out = static_cast<int *>(output);
    const work first = [&](cudaStream_t stream) {
        check(before(in, n, out, workspaces[0], room[0], stream), "export");
    };
    const work second = [&](cudaStream_t stream) {
        check(after(in, n, out, workspaces[1], room[1], stream), "export");
    };
    time_gpu("export, sum i32 1Ki", first, second, 64, rounds, "");
    time_host("a call of an export, sum i32 1Ki", first, second, rounds);
    return 0;
}
