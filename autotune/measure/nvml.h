/* nvml: reads a GPU's clocks, temperature and power at this moment, by NVIDIA's management
 * library, which comes with the driver. It only reads: no setting of a GPU is ever changed. */
#ifndef AUTOTUNE_NVML_H
#define AUTOTUNE_NVML_H

#include "autotune/device/device.h"
#include "generator/text.h"

/* 0 = the GPU does not give the value. */
struct nvml_reading {
    uint64_t sm_mhz, memory_mhz;
    uint64_t celsius;    /* of the GPU's chip */
    uint64_t milliwatts; /* of the whole board; on many GPUs the mean of a second */
};

/* Reads from the GPU of `info`, in a few milliseconds. ERROR_NO_DEVICE, with zeros, where there
 * is no GPU, where the library is missing, or where it fails: nothing depends on the answer. */
int nvml_read(struct nvml_reading *out, const struct device_info *info, struct error *error);

/* Appends "SM 1980 MHz, memory 3201 MHz, 45 C, 413 W", without values that are 0. */
void nvml_format(struct text *out, const struct nvml_reading *reading);

#endif
