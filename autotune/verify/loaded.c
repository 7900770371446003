/* loaded: joins the compiler's unit with the device's module. */
#include "autotune/verify/loaded.h"

#include <assert.h>

int loaded_compile(struct loaded *out, struct device *device,
                   const struct point_context *context, const struct emit_sources *sources,
                   const int64_t *configs, size_t count, struct error *error)
{
    *out = (struct loaded){.device = device};
    if (compiler_compile_configs(&out->unit, device, context, sources, configs, count, error))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (out->unit.variants[i].is_failed) {
            *error = out->unit.variants[i].reason;
            return 1;
        }
    return 0;
}

void loaded_borrow(struct loaded *out, struct device *device, const struct device_image *image,
                   const struct compiled_variant *variant)
{
    *out = (struct loaded){.device = device,
                           .unit = {.image = *image, .variants = {*variant}, .count = 1},
                           .is_borrowed = true};
}

int loaded_load(struct loaded *loaded, struct error *error)
{
    return loaded->device->ops->load(loaded->device, &loaded->unit.image, &loaded->module,
                                     loaded->kernels, error);
}

int loaded_open(struct loaded *out, struct device *device, const struct point_context *context,
                const struct emit_sources *sources, const int64_t *configs, size_t count,
                struct error *error)
{
    return loaded_compile(out, device, context, sources, configs, count, error) ||
                   loaded_load(out, error)
               ? -1
               : 0;
}

void loaded_close(struct loaded *loaded)
{
    if (loaded->module)
        loaded->device->ops->unload(loaded->device, loaded->module);
    if (!loaded->is_borrowed)
        compiler_dispose(&loaded->unit);
    *loaded = (struct loaded){.device = NULL};
}

void loaded_kernels(const struct loaded *loaded, size_t config,
                    const struct device_kernel *out[SPACE_PASSES_MAX])
{
    assert(config < loaded->unit.count);
    compiler_kernels(&loaded->unit.variants[config], loaded->kernels, out);
}
