/* Fuzzes autotune/command/npy.c: no header crashes it, and one that is read says elements behind itself. */
#include "autotune/command/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct npy npy;
    const size_t seen = size < NPY_HEADER_MAX ? size : NPY_HEADER_MAX;
    if (!npy_is(data, seen))
        return 0;
    const int failed = npy_read(&npy, "x.npy", data, seen, &error);
    if (failed ? error.text[0] == '\0' : npy.at > seen || npy.type >= TYPE_COUNT)
        abort();
    return 0;
}
