/* nvml: a GPU's clocks, temperature and power at this moment, from NVIDIA's management library,
 * which comes with the driver. Reads only: no setting of a GPU is ever changed. */
#ifndef AUTOTUNE_NVML_H
#define AUTOTUNE_NVML_H

#include "autotune/device/device.h"
#include "generator/text.h"

/* 0 = the GPU does not say. */
struct nvml_reading {
    uint64_t sm_mhz, memory_mhz;
    uint64_t celsius;    /* of the GPU's chip */
    uint64_t milliwatts; /* of the whole board; on many GPUs the mean of a second */
};

/* Asks about the GPU of `info`, in a few milliseconds. ERROR_NO_DEVICE, with zeros, where there
 * is none, where the library is missing, or where it fails: nothing depends on the answer. */
int nvml_read(struct nvml_reading *out, const struct device_info *info, struct error *error);

/* Appends "SM 1980 MHz, memory 3201 MHz, 45 C, 413 W": what there is of it. */
void nvml_format(struct text *out, const struct nvml_reading *reading);

#endif
