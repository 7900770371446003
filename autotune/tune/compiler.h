/* compiler: emits and compiles the variants of a list ahead of whoever measures them. Several
 * variants share a unit. Hides threads and the window of finished units. */
#ifndef AUTOTUNE_COMPILER_H
#define AUTOTUNE_COMPILER_H

#include "autotune/device/device.h"
#include "generator/emit.h"

enum {
    COMPILER_UNIT = 4, /* variants in a unit */
    COMPILER_KERNELS = COMPILER_UNIT * SPACE_PASSES_MAX, /* the most kernels in its image */
};

/* One compiled variant's place in its unit's image. */
struct compiled_variant {
    size_t variant;                       /* index among points.variants */
    int kernel_of_pass[SPACE_PASSES_MAX]; /* index of the image's kernels; -1: no such pass */
    bool is_failed;                       /* does not compile: reason says why */
    struct error reason;
};

struct compiled_unit {
    struct device_image image; /* of the variants that compile */
    struct compiled_variant variants[COMPILER_UNIT];
    size_t count;
};
void compiler_dispose(struct compiled_unit *unit);

/* Compiles these variants (at most COMPILER_UNIT) here and now. A variant that does not compile is
 * marked, not an error; -1 only when nothing can be compiled at all. */
int compiler_compile(struct compiled_unit *out, struct device *device,
                     const struct point_context *context, const struct emit_sources *sources,
                     const struct points *points, const size_t *variants, size_t count,
                     struct error *error);

struct compiler;

/* Starts `threads` threads that compile all variants of `points`, in order. Everything given must
 * outlive the compiler. */
int compiler_start(struct compiler **out, struct device *device,
                   const struct point_context *context, const struct emit_sources *sources,
                   const struct points *points, unsigned threads, struct error *error);

/* The next unit, in order, waiting for it; the caller disposes of it. 1 = a unit, 0 = all done. */
int compiler_next(struct compiler *compiler, struct compiled_unit *out, struct error *error);
void compiler_stop(struct compiler *compiler);

/* Fills the kernels of each pass of a variant from the loaded kernels of its unit's image. */
void compiler_kernels(const struct compiled_variant *variant, const struct device_kernel *loaded,
                      const struct device_kernel *out[SPACE_PASSES_MAX]);

#endif
