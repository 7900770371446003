// Proves an exported reduction as it was built, and times it: at each n its result is that of the host,
// whatever architecture and options it was compiled for; the line says which row served, how well it
// fits, and how long a call takes. KIND is SUM, ARGMAX, ROWS (of 1024 elements) or SCAN, of f32, as
// `autotune export --format cu --prefix mine` wrote them. After the last n the device is reset, and the
// first is proven again. Exit code 0 = all right.
#include "mine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define SUM 1
#define ARGMAX 2
#define ROWS 3
#define SCAN 4

enum { LEN = 1024, ROUNDS = 7 };
static const size_t sizes[] = {1024, 65536, 1 << 20, 1 << 24, 1 << 27};

static void need(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(error));
    std::exit(1);
}

// -1, 0 and 1, whose sums have no rounding; the greatest is alone.
static std::vector<float> make_elements(size_t n)
{
    std::vector<float> x(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((unsigned)i * 2654435761u >> 16 & 0xffff) < 21846   ? -1.0f
               : (float)((unsigned)i * 2654435761u >> 16 & 0xffff) < 43690 ? 0.0f
                                                                           : 1.0f;
    if (KIND == ARGMAX)
        x[n / 3] = 2;
    return x;
}

static std::vector<mine_result> wanted(const std::vector<float> &x)
{
    const size_t n = x.size();
#if KIND == ARGMAX
    return std::vector<mine_result>(1, (mine_result)(n / 3));
#elif KIND == SCAN
    std::vector<mine_result> all(n);
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        all[i] = sum += x[i];
    return all;
#else
    const size_t len = KIND == ROWS ? LEN : n;
    std::vector<mine_result> all(n / len);
    for (size_t i = 0; i < n; i++)
        all[i / len] += x[i];
    return all;
#endif
}

// A call, with what the caller of each kind gives.
struct call {
    float *in;
    mine_result *out;
    void *workspace;
    size_t n, bytes;

    cudaError_t ask(size_t *result) const
    {
#if KIND == ROWS
        return mine_workspace_bytes(n / LEN, LEN, LEN, result);
#else
        return mine_workspace_bytes(n, result);
#endif
    }
    cudaError_t match(enum mine_fit *how, const char **params) const
    {
#if KIND == ROWS
        return mine_match(n / LEN, LEN, LEN, how, params);
#else
        return mine_match(n, how, params);
#endif
    }
    cudaError_t run(cudaStream_t stream) const
    {
#if KIND == ROWS
        return mine(in, n / LEN, LEN, LEN, out, workspace, bytes, stream);
#else
        return mine(in, n, out, workspace, bytes, stream);
#endif
    }
};

// Microseconds of a call in a graph of many: the fastest of some rounds.
static double time_of(const call &c)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaEvent_t start, stop;
    const int calls = c.n > 1 << 24 ? 10 : 50;
    float best = 1e30f;
    need(cudaStreamCreate(&stream), "making a stream");
    need(cudaEventCreate(&start), "making an event");
    need(cudaEventCreate(&stop), "making an event");
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capturing");
    for (int i = 0; i < calls; i++)
        need(c.run(stream), "capturing a call");
    need(cudaStreamEndCapture(stream, &graph), "capturing");
    need(cudaGraphInstantiate(&ready, graph, 0), "making a graph");
    for (int round = 0; round < ROUNDS; round++) {
        float ms;
        need(cudaGraphLaunch(ready, stream), "warming up");
        need(cudaEventRecord(start, stream), "timing");
        need(cudaGraphLaunch(ready, stream), "timing");
        need(cudaEventRecord(stop, stream), "timing");
        need(cudaStreamSynchronize(stream), "timing");
        need(cudaEventElapsedTime(&ms, start, stop), "timing");
        best = std::min(best, ms);
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaStreamDestroy(stream);
    return 1e3 * best / calls;
}

// Returns whether the results are right; prints a line where it is told to.
static bool try_size(size_t n, bool is_timed)
{
    static const char *const matches[] = {"exact", "nearest", "same cc", "default"};
    const std::vector<float> x = make_elements(n);
    const std::vector<mine_result> want = wanted(x);
    std::vector<mine_result> got(want.size());
    const size_t in_bytes = n * sizeof(float), out_bytes = want.size() * sizeof(mine_result);
    call c = {nullptr, nullptr, nullptr, n, 0};
    enum mine_fit how;
    const char *params;
    need(c.ask(&c.bytes), "asking for the workspace");
    need(cudaMalloc((void **)&c.in, in_bytes), "making room");
    need(cudaMalloc((void **)&c.out, out_bytes), "making room");
    need(cudaMalloc(&c.workspace, c.bytes), "making room");
    need(cudaMemcpy(c.in, x.data(), in_bytes, cudaMemcpyHostToDevice), "copying");
    need(mine_workspace_init(c.workspace, c.bytes, 0), "readying the workspace");
    for (int i = 0; i < 2; i++)
        need(c.run(0), "a call");
    need(cudaMemcpy(got.data(), c.out, out_bytes, cudaMemcpyDeviceToHost), "reading");
    need(cudaGetLastError(), "after the calls");
    need(c.match(&how, &params), "asking what served");
    const bool is_right = std::memcmp(got.data(), want.data(), out_bytes) == 0;
    if (is_timed)
        std::printf("%zu\t%s\t%.3f\t%s\t%s\n", n, is_right ? "right" : "WRONG", time_of(c),
                    matches[how], params);
    cudaFree(c.in);
    cudaFree(c.out);
    cudaFree(c.workspace);
    return is_right;
}

int main()
{
    bool is_right = true;
    for (size_t n : sizes)
        is_right &= try_size(n, true);
    need(cudaDeviceReset(), "resetting the device");
    for (size_t n : sizes)
        is_right &= try_size(n, false);
    if (!is_right)
        std::printf("WRONG results\n");
    return is_right ? 0 : 1;
}
