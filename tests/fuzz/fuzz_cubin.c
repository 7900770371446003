/* Fuzzes autotune/device/cubin.c, which walks an ELF file: no bytes crash it, whatever sizes and
 * places they claim, and it says the same of the same bytes wherever they lie. */
#include "autotune/device/cubin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kernels[] = {"reduce", "_ZN2v06reduceEPKiyPjPy", ""};
    /* memory of its own, which ends where the bytes end, at an odd address */
    unsigned char *room = malloc(size + 1);
    demand(room != NULL);
    memcpy(room + 1, data, size);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct cubin_needs needs, again;
        const bool is_known = cubin_needs(&needs, data, size, kernels[i]);
        demand(cubin_hash(data, size, kernels[i]) == cubin_hash(room + 1, size, kernels[i]));
        demand(cubin_needs(&again, room + 1, size, kernels[i]) == is_known);
        demand(!is_known || (needs.registers == again.registers && needs.shared_bytes >= 0 &&
                             needs.local_bytes >= 0));
    }
    free(room);
    return 0;
}
