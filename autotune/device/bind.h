/* bind: turns a plan into launches of loaded kernels on memory of a device. */
#ifndef AUTOTUNE_BIND_H
#define AUTOTUNE_BIND_H

#include "autotune/device/device.h"
#include "generator/planner.h"
#include "generator/space.h"

/* Writes plan->count launches to `out`. `kernels[p]` is the kernel of the space's pass p. Behind
 * the arguments that the pass names come the values of the problem's params, then of each further input the
 * address, of `further`, and its strides. `further` may be NULL where there are none. */
void bind_launches(struct device_launch *out, const struct planner_plan *plan,
                   const struct space *space, const struct problem *problem,
                   const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                   const struct planner_buffers *buffers, const uint64_t *further);

#endif
