/* host_module: loads a compiled image on the host. Each block under way has its own instance of
 * the kernel's library, so that shared memory needs no copying and has an address of its own.
 * Private to host.c. */
#ifndef AUTOTUNE_HOST_MODULE_H
#define AUTOTUNE_HOST_MODULE_H

#include "autotune/device/device.h"

struct host_unit;

/* As load and unload of struct device_ops. */
int host_module_load(struct device *device, const struct device_image *image,
                     struct device_module **out, struct device_kernel *kernels,
                     struct error *error);
void host_module_unload(struct device *device, struct device_module *module);

/* The kernel in the instance for `slot`: what a struct host_job asks for. `function` is that of
 * a struct device_kernel. */
const struct host_unit *host_module_unit(void *function, unsigned slot, struct error *error);

#endif
