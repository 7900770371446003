/* record_key: makes the key of a record that is stored or looked for, from problem, space,
 * target and device. */
#ifndef AUTOTUNE_RECORD_KEY_H
#define AUTOTUNE_RECORD_KEY_H

#include "autotune/device/device.h"
#include "cache/record.h"
#include "generator/space.h"

/* The key fields of a record for this problem, space and target; `info` gives the device's
 * name, memory, driver and compiler: NULL where there is none. The rest of the record is
 * zero. */
void record_key(struct record *out, const struct problem *problem, const struct space *space,
                const struct target *target, const struct device_info *info);

#endif
