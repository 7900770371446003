/* absent: replaces cuda*.c and nvrtc*.c in a build without the CUDA headers. The program then
 * has the host device only, and each of these functions says how to get the others. */
#include "autotune/device/nvrtc.h"

#ifndef HAVE_CUDA

#include <stdio.h>

static const char reason[] =
    "this autotune was built without the CUDA headers, so it can use neither a GPU nor NVRTC; "
    "install the CUDA toolkit (or its headers), set CUDA_HOME to its folder and build again "
    "with `make clean all`";

int cuda_open(struct device **out, int number, const struct device_options *options,
              struct error *error)
{
    (void)number, (void)options;
    *out = NULL;
    return error_set(error, ERROR_NO_DEVICE, "%s", reason);
}

int cuda_describe(struct device_info *out, int number, struct error *error)
{
    (void)number;
    *out = (struct device_info){0};
    return error_set(error, ERROR_NO_DEVICE, "%s", reason);
}

int cuda_borrow(struct device **out, struct error *error)
{
    return cuda_open(out, 0, NULL, error);
}

int cuda_open_compiler(struct device **out, const struct device_info *info, const char *nvrtc,
                       struct error *error)
{
    (void)info, (void)nvrtc;
    return cuda_open(out, 0, NULL, error);
}

int cuda_count(char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", reason);
    return 0;
}

int nvrtc_open(struct nvrtc **out, const char *path, int cc, struct error *error)
{
    (void)path, (void)cc;
    *out = NULL;
    return error_set(error, ERROR_NO_DEVICE, "%s", reason);
}

int nvrtc_open_older(struct nvrtc **out, const char *path, int cc, struct error *error)
{
    return nvrtc_open(out, path, cc, error);
}

int nvrtc_check(const char *path, struct error *error)
{
    struct nvrtc *none;
    return nvrtc_open(&none, path, 0, error);
}

void nvrtc_close(struct nvrtc *nvrtc)
{
    (void)nvrtc;
}

const char *nvrtc_version(const struct nvrtc *nvrtc)
{
    (void)nvrtc;
    return "none";
}

const char *nvrtc_path(const struct nvrtc *nvrtc)
{
    return nvrtc_version(nvrtc);
}

int nvrtc_arch(const struct nvrtc *nvrtc, int cc)
{
    (void)nvrtc, (void)cc;
    return 0;
}

int nvrtc_compile(struct nvrtc *nvrtc, int cc, enum nvrtc_output output,
                  const struct device_source *sources, size_t count, struct device_image *out,
                  struct error *error)
{
    (void)nvrtc, (void)cc, (void)output, (void)sources, (void)count;
    *out = (struct device_image){0};
    return error_set(error, ERROR_NO_DEVICE, "%s", reason);
}

int nvrtc_compile_unit(struct nvrtc *nvrtc, int cc, enum nvrtc_output output, const char *unit,
                       const char *const *names, size_t count, struct device_image *out,
                       struct error *error)
{
    (void)unit, (void)names;
    return nvrtc_compile(nvrtc, cc, output, NULL, count, out, error);
}

void nvrtc_list(const char *path, nvrtc_visit *each, void *context)
{
    each(context, path ? path : "libnvrtc.so", "", reason);
}

#endif
