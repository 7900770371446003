/* compiler: compiles a unit, and when it fails each of its variants alone to find those at
 * fault; then the unit once more without them. */
#include "autotune/verify/compiler.h"

#include <assert.h>
#include <string.h>

/* --- One unit ----------------------------------------------------------------------------- */

struct unit_sources {
    struct emit_variant emitted[COMPILER_UNIT];
    struct device_source sources[COMPILER_KERNELS];
    size_t count;
};

static void dispose_sources(struct unit_sources *sources, size_t variants)
{
    for (size_t i = 0; i < variants; i++)
        emit_dispose(&sources->emitted[i]);
}

/* Adds the kernels of a variant to the unit and notes their places. */
static void add_sources(struct unit_sources *sources, const struct emit_variant *emitted,
                        const struct space *space, struct compiled_variant *variant)
{
    for (size_t pass = 0; pass < SPACE_PASSES_MAX; pass++) {
        bool is_used = pass < space->pass_count && emitted->text_of_pass[pass] >= 0;
        variant->kernel_of_pass[pass] =
            is_used ? (int)sources->count + emitted->text_of_pass[pass] : -1;
    }
    for (size_t i = 0; i < emitted->count; i++)
        sources->sources[sources->count++] =
            (struct device_source){emit_source(emitted, i), space->kernel};
}

static int emit_unit(struct unit_sources *sources, struct compiled_unit *unit,
                     const struct point_context *context, const struct emit_sources *files,
                     const struct points *points, struct error *error)
{
    for (size_t i = 0; i < unit->count; i++) {
        struct compiled_variant *variant = &unit->variants[i];
        const size_t first = points->variants[variant->variant].first;
        const int64_t *config = points->configs + first * points->width;
        if (variant->is_failed)
            continue;
        if (emit_variant(&sources->emitted[i], context, files, config, error))
            return -1;
        variant->sources_hash = emit_hash_variant(&sources->emitted[i]);
        add_sources(sources, &sources->emitted[i], context->space, variant);
    }
    return 0;
}

/* Compiles each variant alone and marks those that do not compile. -1: the compiler lacks
 * something. */
static int find_failing(struct unit_sources *sources, struct compiled_unit *unit,
                        struct device *device, struct error *error)
{
    for (size_t i = 0; i < unit->count; i++) {
        struct compiled_variant *variant = &unit->variants[i];
        struct device_source alone[SPACE_PASSES_MAX];
        struct device_image image = {0};
        if (variant->is_failed)
            continue;
        for (size_t k = 0; k < sources->emitted[i].count; k++)
            alone[k] = (struct device_source){emit_source(&sources->emitted[i], k),
                                              sources->sources[0].kernel};
        variant->is_failed = device->ops->compile(device, alone, sources->emitted[i].count,
                                                  &image, &variant->reason) != 0;
        device_dispose_image(&image);
        if (variant->is_failed && variant->reason.code != ERROR_FAILED) {
            *error = variant->reason;
            return -1;
        }
        for (size_t pass = 0; pass < SPACE_PASSES_MAX && variant->is_failed; pass++)
            variant->kernel_of_pass[pass] = -1;
    }
    return 0;
}

int compiler_compile(struct compiled_unit *out, struct device *device,
                     const struct point_context *context, const struct emit_sources *sources,
                     const struct points *points, const size_t *variants, size_t count,
                     struct error *error)
{
    assert(count <= COMPILER_UNIT);
    *out = (struct compiled_unit){.count = count};
    for (size_t i = 0; i < count; i++)
        out->variants[i].variant = variants[i];
    for (int attempt = 0; attempt < 2; attempt++) {
        struct unit_sources unit = {.count = 0};
        if (emit_unit(&unit, out, context, sources, points, error)) {
            dispose_sources(&unit, count);
            return -1;
        }
        const int failed = unit.count && device->ops->compile(device, unit.sources, unit.count,
                                                              &out->image, error);
        const bool is_lost =
            failed && (error->code != ERROR_FAILED || find_failing(&unit, out, device, error));
        dispose_sources(&unit, count);
        if (!failed || is_lost)
            return failed ? -1 : 0;
    }
    return error_set(error, ERROR_FAILED,
                     "kernels that compile alone do not compile together; report this with the "
                     "output of 'autotune doctor'");
}

void compiler_dispose(struct compiled_unit *unit)
{
    device_dispose_image(&unit->image);
    unit->count = 0;
}

int compiler_compile_configs(struct compiled_unit *out, struct device *device,
                             const struct point_context *context,
                             const struct emit_sources *sources, const int64_t *configs,
                             size_t count, struct error *error)
{
    assert(count <= COMPILER_UNIT);
    struct point_variant variants[COMPILER_UNIT];
    size_t numbers[COMPILER_UNIT];
    for (size_t i = 0; i < count; i++) {
        variants[i] = (struct point_variant){i, 1};
        numbers[i] = i;
    }
    const struct points points = {.width = context->space->param_count,
                                  .configs = (int64_t *)(uintptr_t)configs, /* only read */
                                  .count = count,
                                  .variants = variants,
                                  .variant_count = count};
    return compiler_compile(out, device, context, sources, &points, numbers, count, error);
}

void compiler_kernels(const struct compiled_variant *variant,
                      const struct device_kernel *loaded,
                      const struct device_kernel *out[SPACE_PASSES_MAX])
{
    for (size_t pass = 0; pass < SPACE_PASSES_MAX; pass++)
        out[pass] =
            variant->kernel_of_pass[pass] >= 0 ? &loaded[variant->kernel_of_pass[pass]] : NULL;
}

unsigned compiler_registers(const struct device_kernel *const kernels[SPACE_PASSES_MAX])
{
    for (size_t p = 0; p < SPACE_PASSES_MAX; p++)
        if (kernels[p])
            return (unsigned)kernels[p]->registers;
    return 0;
}

uint64_t compiler_hash(const struct compiled_variant *variant, const struct device_image *image)
{
    uint64_t hash = 1;
    for (size_t pass = 0; pass < SPACE_PASSES_MAX; pass++) {
        const int kernel = variant->kernel_of_pass[pass];
        const uint64_t code = kernel >= 0 && image->hashes ? image->hashes[kernel] : 0;
        if (kernel >= 0 && code == 0)
            return 0;
        hash = (hash ^ code) * 0x9e3779b97f4a7c15u + pass;
    }
    return hash;
}
