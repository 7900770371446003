/* loaded: kernels of configs on a device: compiled together, loaded, and found by pass. */
#ifndef AUTOTUNE_LOADED_H
#define AUTOTUNE_LOADED_H

#include "autotune/verify/compiler.h"

/* Initialise with zeros. */
struct loaded {
    struct device *device;
    struct compiled_unit unit;
    bool is_borrowed; /* the unit's image is another's */
    struct device_module *module;
    struct device_kernel kernels[COMPILER_KERNELS];
};

/* Compiles `count` configs, one after the other in `configs`, as one unit, without a look at
 * the rules. 1 when one does not compile, with its reason in `error`. Close in any case. */
int loaded_compile(struct loaded *out, struct device *device,
                   const struct point_context *context, const struct emit_sources *sources,
                   const int64_t *configs, size_t count, struct error *error);
/* Takes a config's kernels that were compiled elsewhere; their image lives until loaded_load. */
void loaded_borrow(struct loaded *out, struct device *device, const struct device_image *image,
                   const struct compiled_variant *variant);
int loaded_load(struct loaded *loaded, struct error *error);
/* Both; not 0 when one does not compile, or they do not load. */
int loaded_open(struct loaded *out, struct device *device, const struct point_context *context,
                const struct emit_sources *sources, const int64_t *configs, size_t count,
                struct error *error);
void loaded_close(struct loaded *loaded);

/* The kernels of a config, by pass; they live as long as `loaded`. */
void loaded_kernels(const struct loaded *loaded, size_t config,
                    const struct device_kernel *out[SPACE_PASSES_MAX]);

#endif
