// Proves exported reductions of rows (-DAXIS=1) or columns (-DAXIS=0) of i32, as `autotune export
// --format cu --prefix matrix` wrote them: at shapes that were tuned and at others, with gaps between
// rows and from starts past alignment, each result compared with one of the host. One workspace, which
// is readied once, serves all. Exit code 0 = all right.
#include "matrix.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct shape {
    size_t rows, len, pitch, start;
};

static const shape shapes[] = {
    {4096, 1000, 1000, 0}, {4096, 1000, 1003, 1}, {3, 10000000, 10000000, 0}, {1, 1, 1, 0},
    {70001, 3, 3, 3},      {7, 33, 64, 2},        {300, 40000, 40001, 1},     {2000000, 7, 7, 0},
};

static void need(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(error));
    std::exit(1);
}

// Sums wrap around.
static std::vector<uint32_t> sums_of(const int32_t *x, const shape &s)
{
    std::vector<uint32_t> sums(AXIS ? s.rows : s.len);
    for (size_t row = 0; row < s.rows; row++)
        for (size_t i = 0; i < s.len; i++)
            sums[AXIS ? row : i] += (uint32_t)x[row * s.pitch + i];
    return sums;
}

// How many results are wrong.
static size_t count_wrong(const shape &s, const std::vector<int32_t> &host, const int32_t *elements,
                          int32_t *out, void *workspace, size_t bytes)
{
    const std::vector<uint32_t> want = sums_of(host.data() + s.start, s);
    std::vector<uint32_t> got(want.size());
    size_t wrong = 0;
    need(cudaMemset(out, 0xa5, got.size() * sizeof *out), "clearing results");
    for (int call = 0; call < 3; call++)
        need(matrix(elements + s.start, s.rows, s.len, s.pitch, out, workspace, bytes, 0), "reducing");
    need(cudaMemcpy(got.data(), out, got.size() * sizeof *out, cudaMemcpyDeviceToHost),
         "reading results");
    for (size_t i = 0; i < got.size(); i++)
        wrong += got[i] != want[i];
    return wrong;
}

int main()
{
    size_t most_elements = 0, most_results = 0, most_bytes = 0;
    for (const shape &s : shapes) {
        size_t bytes = 0;
        need(matrix_workspace_bytes(s.rows, s.len, s.pitch, &bytes), "asking for the workspace");
        most_bytes = std::max(most_bytes, bytes);
        most_elements = std::max(most_elements, s.start + s.rows * s.pitch);
        most_results = std::max(most_results, AXIS ? s.rows : s.len);
    }
    std::vector<int32_t> host(most_elements);
    for (size_t i = 0; i < most_elements; i++)
        host[i] = (int32_t)(i * 2654435761u);
    int32_t *elements, *out;
    void *workspace;
    need(cudaMalloc(&elements, most_elements * sizeof *elements), "making room for elements");
    need(cudaMalloc(&out, most_results * sizeof *out), "making room for results");
    need(cudaMalloc(&workspace, most_bytes), "making the workspace");
    need(cudaMemcpy(elements, host.data(), most_elements * sizeof *elements, cudaMemcpyHostToDevice),
         "copying");
    need(matrix_workspace_init(workspace, most_bytes, 0), "readying the workspace");
    size_t wrong = 0;
    for (const shape &s : shapes) {
        const char *params = "";
        enum matrix_fit match;
        const size_t wrong_here = count_wrong(s, host, elements, out, workspace, most_bytes);
        need(matrix_match(s.rows, s.len, s.pitch, &match, &params), "asking what served");
        std::printf("%zu x %zu, pitch %zu, start %zu: %zu wrong (%s)\n", s.rows, s.len, s.pitch, s.start,
                    wrong_here, params);
        wrong += wrong_here;
    }
    return wrong != 0;
}
