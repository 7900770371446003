/* nvml: loads libnvidia-ml.so.1, reads from it, and closes it. Few machines have its header, so
 * the functions needed are declared here, as NVIDIA's API reference has them. */
#include "autotune/measure/nvml.h"

#include "autotune/device/shared_object.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

typedef struct nvmlDevice_st *nvml_device;
enum { SUCCESS = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 };

/* Each returns an nvmlReturn_t, which is an enum. */
struct library {
    int (*init)(void);
    int (*shutdown)(void);
    int (*find)(const char *bus_id, nvml_device *out);
    int (*clock)(nvml_device device, int which, unsigned *out_mhz);
    int (*temperature)(nvml_device device, int sensor, unsigned *out_celsius);
    int (*power)(nvml_device device, unsigned *out_milliwatts);
    const char *(*error_string)(int result);
};

static const struct symbol {
    const char *name;
    size_t offset;
} symbols[] = {
    {"nvmlInit_v2", offsetof(struct library, init)},
    {"nvmlShutdown", offsetof(struct library, shutdown)},
    {"nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct library, find)},
    {"nvmlDeviceGetClockInfo", offsetof(struct library, clock)},
    {"nvmlDeviceGetTemperature", offsetof(struct library, temperature)},
    {"nvmlDeviceGetPowerUsage", offsetof(struct library, power)},
    {"nvmlErrorString", offsetof(struct library, error_string)},
};

static int bind(struct library *out, void *handle, struct error *error)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *function = dlsym(handle, symbols[i].name);
        if (!function)
            return error_set(error, ERROR_NO_DEVICE,
                             "libnvidia-ml.so.1 lacks %s: install a newer driver",
                             symbols[i].name);
        memcpy((char *)out + symbols[i].offset, &function, sizeof function);
    }
    return 0;
}

static int report(const struct library *nvml, int result, const char *doing,
                  struct error *error)
{
    const char *words = nvml->error_string(result);
    return error_set(error, ERROR_NO_DEVICE, "NVML cannot %s: %s", doing,
                     words ? words : "it gives no reason");
}

/* Reads all values; a value that the GPU does not give stays 0. */
static void ask(struct nvml_reading *out, const struct library *nvml, nvml_device device)
{
    unsigned value;
    if (nvml->clock(device, CLOCK_SM, &value) == SUCCESS)
        out->sm_mhz = value;
    if (nvml->clock(device, CLOCK_MEMORY, &value) == SUCCESS)
        out->memory_mhz = value;
    if (nvml->temperature(device, SENSOR_GPU, &value) == SUCCESS)
        out->celsius = value;
    if (nvml->power(device, &value) == SUCCESS)
        out->milliwatts = value;
}

static int read_with(struct nvml_reading *out, const struct library *nvml, const char *bus_id,
                     struct error *error)
{
    nvml_device device;
    int result = nvml->init(), failed = 0;
    if (result != SUCCESS)
        return report(nvml, result, "start", error);
    result = nvml->find(bus_id, &device);
    if (result == SUCCESS)
        ask(out, nvml, device);
    else
        failed = report(nvml, result, "find this GPU", error);
    nvml->shutdown();
    return failed;
}

int nvml_read(struct nvml_reading *out, const struct device_info *info, struct error *error)
{
    struct library nvml;
    *out = (struct nvml_reading){0};
    if (info->target.is_host || !*info->bus_id)
        return error_set(error, ERROR_NO_DEVICE, "%s has no clocks to ask for", info->name);
    char why[SHARED_OBJECT_WHY];
    void *handle = shared_object_open("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL, why);
    if (!handle)
        return error_set(error, ERROR_NO_DEVICE,
                         "libnvidia-ml.so.1, which comes with the NVIDIA driver, cannot be "
                         "opened (%s)",
                         why);
    int failed = bind(&nvml, handle, error) || read_with(out, &nvml, info->bus_id, error);
    dlclose(handle);
    return failed ? -1 : 0;
}

static void add_part(struct text *out, size_t start, const char *what, uint64_t value,
                     const char *unit)
{
    if (value)
        text_addf(out, "%s%s%" PRIu64 " %s", out->length > start ? ", " : "", what, value,
                  unit);
}

void nvml_format(struct text *out, const struct nvml_reading *reading)
{
    const size_t start = out->length;
    add_part(out, start, "SM ", reading->sm_mhz, "MHz");
    add_part(out, start, "memory ", reading->memory_mhz, "MHz");
    add_part(out, start, "", reading->celsius, "C");
    add_part(out, start, "", (reading->milliwatts + 500) / 1000, "W");
}
