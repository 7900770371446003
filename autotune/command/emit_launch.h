/* emit_launch: writes all kernels of a variant as one CUDA file, with a host function that
 * launches them for the problem. */
#ifndef AUTOTUNE_EMIT_LAUNCH_H
#define AUTOTUNE_EMIT_LAUNCH_H

#include "autotune/cli/setup.h"
#include "generator/emit.h"

/* Appends the kernels, each in a namespace of its own where there are several, and the function, named
 * by problem and size; by nvcc all names are the file's own, by NVRTC the kernels are as they stand in
 * their texts. As C of the host only the kernels. Fails as call_plan does. */
int emit_launch_add(struct text *out, const struct setup *setup, const int64_t *config,
                    const struct emit_variant *variant, struct error *error);

#endif
