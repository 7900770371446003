/* nvrtc_release: has a table of compute capabilities, the releases that compile for them and the package to
 * install. It needs no CUDA: every build has it. */
#include "autotune/device/nvrtc_release.h"

#include <limits.h>

/* The first row with cc <= last holds. From the release notes of the CUDA toolkit. */
static const struct advice {
    int last;
    const char *versions, *package;
} advices[] = {
    {74, "12.x (13.0 dropped it)", "nvidia-cuda-nvrtc-cu12"},
    {99, "12.0 or later", "nvidia-cuda-nvrtc-cu12"},
    {102, "12.8 or later", "nvidia-cuda-nvrtc-cu12"},
    {103, "12.9 or later", "nvidia-cuda-nvrtc-cu12"},
    {119, "13.0 or later", "nvidia-cuda-nvrtc"},
    {120, "12.8 or later", "nvidia-cuda-nvrtc-cu12"},
    {121, "12.9 or later", "nvidia-cuda-nvrtc-cu12"},
    {INT_MAX, "of a release later than 13.0", "nvidia-cuda-nvrtc"},
};

static const struct advice *find_advice(int cc)
{
    const struct advice *advice = advices;
    while (cc > advice->last)
        advice++;
    return advice;
}

const char *nvrtc_needed(int cc)
{
    return find_advice(cc)->versions;
}

const char *nvrtc_package(int cc)
{
    return find_advice(cc)->package;
}
