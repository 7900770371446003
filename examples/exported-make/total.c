/* total: the sum of many elements on the GPU by an exported reduction: no part of autotune is
 * needed, neither to build nor to run it. Prints what served and whether the sum is right. */
#include "sum_i32.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const matches[] = {"tuned for this", "tuned for other n",
                                      "tuned for another GPU of its kind", "not tuned"};

static void need(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "total: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 10000000;
    int32_t *elements = malloc((n ? n : 1) * sizeof *elements), result = 0;
    uint32_t want = 0; /* sums wrap around */
    void *in, *out, *workspace;
    size_t bytes;
    enum sum_i32_fit match;
    const char *params;
    if (!elements)
        return 1;
    for (size_t i = 0; i < n; i++) {
        elements[i] = (int32_t)(i % 1000) - 300;
        want += (uint32_t)elements[i];
    }
    need(sum_i32_workspace_bytes(n, &bytes), "asking for the workspace");
    need(cudaMalloc(&workspace, bytes), "making the workspace");
    need(cudaMalloc(&in, (n ? n : 1) * sizeof *elements), "making room for the elements");
    need(cudaMalloc(&out, sizeof result), "making room for the result");
    need(cudaMemcpy(in, elements, n * sizeof *elements, cudaMemcpyHostToDevice), "copying");
    need(sum_i32_workspace_init(workspace, bytes, 0), "readying the workspace");
    for (int call = 0; call < 3; call++) /* nothing to clear in between */
        need(sum_i32((const int32_t *)in, n, (int32_t *)out, workspace, bytes, 0), "reducing");
    need(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost), "reading the result");
    need(sum_i32_match(n, &match, &params), "asking what served");
    printf("%d, %s: %s (%s)\n", (int)result, (uint32_t)result == want ? "right" : "wrong",
           matches[match], params);
    cudaFree(in);
    cudaFree(out);
    cudaFree(workspace);
    free(elements);
    return (uint32_t)result == want ? 0 : 1;
}
