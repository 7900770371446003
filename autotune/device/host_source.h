/* host_source: writes an emitted kernel as a C translation unit: the shim before it, an entry
 * after it. */
#ifndef AUTOTUNE_HOST_SOURCE_H
#define AUTOTUNE_HOST_SOURCE_H

#include "autotune/device/device.h"
#include "generator/text.h"

/* Appends the unit of `source`, the index-th of an image; it defines `struct host_unit
 * host_unit_<index>`. Compilers report the kernel's own lines, in a file named after it. `hooks_name` is
 * the embedded file that defines what the compiler is told to call, or NULL. A kernel that is not found in the text, or whose parameters can't be told apart, is
 * ERROR_FAILED. */
int host_source_write(struct text *out, const struct device_source *source, size_t index,
                      const char *hooks_name, struct error *error);

#endif
