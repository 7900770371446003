/* tune_list_devices: says on what a list is tuned, and what is wrong with that. */
#ifndef AUTOTUNE_TUNE_LIST_DEVICES_H
#define AUTOTUNE_TUNE_LIST_DEVICES_H

#include "autotune/cli/device_set.h"

/* Warns where this process has one core of a machine that has more than one for each of its `local`
 * processes. */
void tune_list_warn_of_cores(unsigned local);

/* Notes the devices, and warns of those that other processes measure on. */
int tune_list_note_devices(const struct request *request, const struct device_set *set,
                           struct error *error);

#endif
