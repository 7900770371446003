/* A stand-in for libnvidia-ml.so.1: one GPU, that of tests/device/fake_cuda.c, with what can be
 * read of it and nothing that could be set. Written without nvml.h, as a second reading of the
 * interface.
 * Build: cc -shared -fPIC -Wl,-soname,libnvidia-ml.so.1
 *   -DSTRANGER  knows another GPU only
 *   -DSILENT    says nothing of its power and temperature
 *   -DBROKEN    cannot be initialised
 *   -DOLDER     lacks a function */
#include <string.h>

enum {
    OK = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    DRIVER_NOT_LOADED = 9
};

static int users;
static int the_device;

int nvmlInit_v2(void)
{
#ifdef BROKEN
    return DRIVER_NOT_LOADED;
#else
    users++;
    return OK;
#endif
}

int nvmlShutdown(void)
{
    return users-- > 0 ? OK : UNINITIALIZED;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **out)
{
#ifdef STRANGER
    static const char known[] = "00000001:1c:00.0";
#else
    static const char known[] = "00000001:1b:00.0";
#endif
    *out = &the_device;
    return users != 1 ? UNINITIALIZED : strcmp(bus_id, known) == 0 ? OK : NOT_FOUND;
}

int nvmlDeviceGetClockInfo(void *device, int which, unsigned *out)
{
    if (device != &the_device || which < 1 || which > 2)
        return INVALID_ARGUMENT;
    *out = which == 1 ? 1980 : 3201;
    return OK;
}

#ifndef OLDER
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *out)
{
    if (device != &the_device || sensor != 0)
        return INVALID_ARGUMENT;
    *out = 45;
#ifdef SILENT
    return NOT_SUPPORTED;
#else
    return OK;
#endif
}
#endif

int nvmlDeviceGetPowerUsage(void *device, unsigned *out)
{
    if (device != &the_device)
        return INVALID_ARGUMENT;
    *out = 412657;
#ifdef SILENT
    return NOT_SUPPORTED;
#else
    return OK;
#endif
}

const char *nvmlErrorString(int result)
{
    return result == NOT_FOUND           ? "Not Found"
           : result == DRIVER_NOT_LOADED ? "Driver Not Loaded"
                                         : "?";
}
