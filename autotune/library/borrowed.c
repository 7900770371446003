/* borrowed: opens the kind of device that a caller names. */
#include "autotune/library/borrowed.h"

#include <string.h>

int borrowed_open(struct borrowed **out, const char *device, struct autotune_error *error)
{
    *out = NULL;
    if (!device)
        return borrowed_open_cuda(out, error);
    if (strcmp(device, "host") == 0)
        return borrowed_open_host(out, error);
    return fail(error, AUTOTUNE_BAD_ARGUMENT,
                "autotune_context_options.device is \"%.100s\": give NULL for the GPU of the "
                "current CUDA context, or \"host\" for the emulator",
                device);
}

void borrowed_close(struct borrowed *borrowed)
{
    if (borrowed)
        borrowed->ops->close(borrowed);
}
