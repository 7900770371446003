/* device: opens the kind of device that a specification names. "auto" falls back from a GPU to
 * the host. */
#include "autotune/device/device.h"

#include "generator/number.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Falls back only where there is no GPU: one that is there but cannot be used is an error to be
 * seen. */
static int open_auto(struct device **out, const struct device_options *options,
                     struct error *error)
{
    char why[sizeof(*out)->info.fallback_reason];
    if (device_count(why, sizeof why) > 0)
        return cuda_open(out, 0, options, error);
    if (host_open(out, options, error))
        return -1;
    (*out)->info.is_fallback = true;
    memcpy((*out)->info.fallback_reason, why, sizeof why);
    return 0;
}

static int open_number(struct device **out, const struct device_options *options,
                       struct error *error)
{
    int64_t number;
    if (number_parse_int(&number, options->spec, "--device", error) || number < 0 ||
        number > INT_MAX)
        return error_set(error, ERROR_USAGE,
                         "--device %.100s: no such device; give auto, host or a GPU's number "
                         "(`autotune list` shows them)",
                         options->spec);
    return cuda_open(out, (int)number, options, error);
}

int device_open(struct device **out, const struct device_options *options, struct error *error)
{
    assert(options->spec);
    const char *spec = options->spec;
    *out = NULL;
    if (strcmp(spec, "auto") == 0)
        return open_auto(out, options, error);
    if (strcmp(spec, "host") == 0)
        return host_open(out, options, error);
    return open_number(out, options, error);
}

int device_borrow(struct device **out, const char *spec, struct error *error)
{
    *out = NULL;
    if (!spec)
        return cuda_borrow(out, error);
    if (strcmp(spec, "host") == 0)
        return host_borrow(out, error);
    return error_set(error, ERROR_USAGE,
                     "--device is \"%.100s\": give NULL for the GPU of the current CUDA "
                     "context, or \"host\" for the emulator",
                     spec);
}

/* For the host the whole device is opened: it has no driver and no GPU that this must leave
 * closed. */
int device_open_compiler(struct device **out, const struct device_info *info, const char *nvrtc,
                         struct error *error)
{
    const struct device_options options = {.spec = "host"};
    *out = NULL;
    if (!info->target.is_host)
        return cuda_open_compiler(out, info, nvrtc, error);
    if (host_open(out, &options, error))
        return -1;
    (*out)->info = *info;
    return 0;
}

void device_close(struct device *device)
{
    if (device)
        device->ops->close(device);
}

int device_check(const struct device *device, struct error *error)
{
    return device->ops->check ? device->ops->check(device, error) : 0;
}

int device_allow(struct device *device, const struct device_launch *launches, size_t count,
                 struct error *error)
{
    return device->ops->allow ? device->ops->allow(device, launches, count, error) : 0;
}

int device_prefer_shared(struct device *device, const struct device_kernel *kernel, int percent,
                         struct error *error)
{
    return device->ops->prefer_shared
               ? device->ops->prefer_shared(device, kernel, percent, error)
               : 0;
}

int device_count(char *why, size_t why_size)
{
    if (why_size)
        *why = '\0';
    return cuda_count(why, why_size);
}

uint64_t device_peak_of(int memory_clock_khz, int bus_bits)
{
    if (memory_clock_khz <= 0 || bus_bits <= 0)
        return 0;
    return (uint64_t)memory_clock_khz * 1000 * (uint64_t)bus_bits * 2 / 8;
}

uint64_t device_peak_bytes(const struct device_info *info)
{
    return device_peak_of(info->memory_clock_khz, info->bus_bits);
}

void device_dispose_image(struct device_image *image)
{
    for (size_t i = 0; i < image->count && image->names; i++)
        free(image->names[i]);
    free(image->names);
    free(image->hashes);
    free(image->bytes);
    *image = (struct device_image){0};
}
