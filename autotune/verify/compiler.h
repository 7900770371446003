/* compiler: emits and compiles variants, several in a unit, and marks those that do not
 * compile. Hides how a variant at fault is found. */
#ifndef AUTOTUNE_COMPILER_H
#define AUTOTUNE_COMPILER_H

#include "autotune/device/device.h"
#include "generator/emit.h"

enum {
    COMPILER_UNIT = 4,                                   /* variants in a unit */
    COMPILER_KERNELS = COMPILER_UNIT * SPACE_PASSES_MAX, /* the most kernels in its image */
};

/* One compiled variant's place in its unit's image. */
struct compiled_variant {
    size_t variant;                       /* index among points.variants */
    int kernel_of_pass[SPACE_PASSES_MAX]; /* index of the image's kernels; -1: no such pass */
    uint64_t sources_hash;                /* of the texts of its kernels */
    bool is_failed;                       /* does not compile: reason says why */
    struct error reason;
};

struct compiled_unit {
    struct device_image image; /* of the variants that compile */
    struct compiled_variant variants[COMPILER_UNIT];
    size_t count;
};
void compiler_dispose(struct compiled_unit *unit);

/* Compiles these variants (at most COMPILER_UNIT) here and now. A variant that does not compile
 * is marked, not an error; -1 where the compiler lacks something, which tells nothing of the
 * variants, and where none of them can be emitted. */
int compiler_compile(struct compiled_unit *out, struct device *device,
                     const struct point_context *context, const struct emit_sources *sources,
                     const struct points *points, const size_t *variants, size_t count,
                     struct error *error);

/* Compiles `count` configs, one after the other in `configs`, as variants numbered from 0. */
int compiler_compile_configs(struct compiled_unit *out, struct device *device,
                             const struct point_context *context,
                             const struct emit_sources *sources, const int64_t *configs,
                             size_t count, struct error *error);

/* Fills the kernels of each pass of a variant from the loaded kernels of its unit's image. */
void compiler_kernels(const struct compiled_variant *variant,
                      const struct device_kernel *loaded,
                      const struct device_kernel *out[SPACE_PASSES_MAX]);

/* Registers per thread of the first pass; 0 = unknown. */
unsigned compiler_registers(const struct device_kernel *const kernels[SPACE_PASSES_MAX]);

/* A hash of a variant's machine code, all kernels of it; 0 = unknown. */
uint64_t compiler_hash(const struct compiled_variant *variant,
                       const struct device_image *image);

#endif
