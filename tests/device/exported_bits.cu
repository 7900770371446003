// Proves that exported reductions in order n have the bits of test_same_bits.c: prints its lines of
// values, for the export KIND (-DKIND=2 -DEXPORT=sum_f32_order1 -include sum_f32_order1.h), each size
// from each start. Exit code 0 =
// the bits are the same from each start.
#include "tests/device/same_bits.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

static void need(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(error));
    std::exit(1);
}

int main()
{
    const struct kind *kind = &kinds[KIND];
    const uint64_t most = sizes[SIZES - 1], element = (uint64_t)kind->element;
    std::vector<unsigned char> host(most * element), want(SIZES * 8), got(SIZES * 8);
    unsigned char *memory, *results;
    void *workspace;
    size_t bytes;
    int wrong = 0;
    make_elements(kind, 0, most, host.data());
    need(JOIN(EXPORT, _workspace_bytes)(most, &bytes), "size of a workspace");
    need(cudaMalloc(&memory, most * element + 4096), "elements");
    need(cudaMalloc(&results, SIZES * 8), "results");
    need(cudaMalloc(&workspace, bytes), "workspace");
    need(JOIN(EXPORT, _workspace_init)(workspace, bytes, 0), "readying the workspace");
    for (uint64_t start = 0; start < STARTS; start++) {
        unsigned char *at = memory + start * element;
        need(cudaMemcpy(at, host.data(), host.size(), cudaMemcpyHostToDevice), "elements");
        for (size_t i = 0; i < SIZES; i++)
            need(EXPORT(reinterpret_cast<const JOIN(EXPORT, _element) *>(at), sizes[i],
                        reinterpret_cast<JOIN(EXPORT, _result) *>(
                            results + i * (size_t)kind->result),
                        workspace, bytes, 0),
                 "reducing");
        need(cudaMemcpy(got.data(), results, SIZES * (size_t)kind->result, cudaMemcpyDeviceToHost),
             "results");
        if (start == 0)
            want = got;
        wrong += got != want;
    }
    for (size_t i = 0; i < SIZES; i++) {
        char what[32];
        std::snprintf(what, sizeof what, "%" PRIu64, sizes[i]);
        print_bits(kind, what, want.data() + i * (size_t)kind->result);
    }
    return wrong > 0;
}
