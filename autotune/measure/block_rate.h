/* block_rate: measures how many blocks a GPU starts in a second, by a kernel that does nothing. A
 * kernel of many small blocks takes no less time than that, whatever they do. */
#ifndef AUTOTUNE_BLOCK_RATE_H
#define AUTOTUNE_BLOCK_RATE_H

#include "autotune/device/device.h"

/* Times a launch of `grid` blocks several times: the median. On the host it is the emulator's rate, which
 * says nothing of a GPU. */
int block_rate_measure(struct device *device, unsigned grid, double *out_per_second,
                       struct error *error);

#endif
