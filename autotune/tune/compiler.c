/* compiler: a pool of threads over the list of units, with a bounded window ahead of the reader.
 * A unit that fails is compiled again variant by variant, so that only the guilty one is blamed. */
#include "autotune/tune/compiler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64 };

/* --- One unit ---------------------------------------------------------------------------------- */

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

/* Adds the kernels of a variant to the unit and notes where they stand. */
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
            (struct device_source){emitted->texts[i].at, space->kernel};
}

static int emit_unit(struct unit_sources *sources, struct compiled_unit *unit,
                     const struct point_context *context, const struct emit_sources *files,
                     const struct points *points, struct error *error)
{
    for (size_t i = 0; i < unit->count; i++) {
        struct compiled_variant *variant = &unit->variants[i];
        const size_t first = points->variants[variant->variant].first;
        const int64_t *row = points->rows + first * points->width;
        if (variant->is_failed)
            continue;
        if (emit_variant(&sources->emitted[i], context, files, row, error))
            return -1;
        add_sources(sources, &sources->emitted[i], context->space, variant);
    }
    return 0;
}

/* Compiles each variant alone and marks those that do not compile. */
static void find_guilty(struct unit_sources *sources, struct compiled_unit *unit,
                        struct device *device)
{
    for (size_t i = 0; i < unit->count; i++) {
        struct compiled_variant *variant = &unit->variants[i];
        struct device_source alone[SPACE_PASSES_MAX];
        struct device_image image = {0};
        if (variant->is_failed)
            continue;
        for (size_t k = 0; k < sources->emitted[i].count; k++)
            alone[k] = (struct device_source){sources->emitted[i].texts[k].at,
                                              sources->sources[0].kernel};
        variant->is_failed = device->ops->compile(device, alone, sources->emitted[i].count, &image,
                                                  &variant->reason) != 0;
        device_dispose_image(&image);
    }
}

int compiler_compile(struct compiled_unit *out, struct device *device,
                     const struct point_context *context, const struct emit_sources *sources,
                     const struct points *points, const size_t *variants, size_t count,
                     struct error *error)
{
    *out = (struct compiled_unit){.count = count};
    for (size_t i = 0; i < count; i++)
        out->variants[i].variant = variants[i];
    for (int attempt = 0; attempt < 2; attempt++) {
        struct unit_sources unit = {.count = 0};
        if (emit_unit(&unit, out, context, sources, points, error)) {
            dispose_sources(&unit, count);
            return -1;
        }
        struct error reason;
        int failed = unit.count && device->ops->compile(device, unit.sources, unit.count,
                                                        &out->image, &reason);
        if (failed)
            find_guilty(&unit, out, device);
        dispose_sources(&unit, count);
        if (!failed)
            return 0;
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

void compiler_kernels(const struct compiled_variant *variant, const struct device_kernel *loaded,
                      const struct device_kernel *out[SPACE_PASSES_MAX])
{
    for (size_t pass = 0; pass < SPACE_PASSES_MAX; pass++)
        out[pass] =
            variant->kernel_of_pass[pass] >= 0 ? &loaded[variant->kernel_of_pass[pass]] : NULL;
}

/* --- The pool ---------------------------------------------------------------------------------- */

struct slot {
    struct compiled_unit unit;
    bool is_ready, is_failed;
    struct error error;
};

struct compiler {
    struct device *device;
    const struct point_context *context;
    const struct emit_sources *sources;
    const struct points *points;
    size_t unit_count, next_start, next_read; /* units: all, to be started, to be read */
    struct slot slots[WINDOW];                /* unit u is in slot u % WINDOW */
    pthread_t *threads;
    unsigned thread_count;
    bool is_stopping;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void compile_into(struct compiler *compiler, size_t unit, struct slot *slot)
{
    size_t variants[COMPILER_UNIT], count = 0;
    for (size_t i = unit * COMPILER_UNIT;
         i < compiler->points->variant_count && count < COMPILER_UNIT; i++)
        variants[count++] = i;
    slot->is_failed = compiler_compile(&slot->unit, compiler->device, compiler->context,
                                       compiler->sources, compiler->points, variants, count,
                                       &slot->error) != 0;
}

static void *work(void *argument)
{
    struct compiler *compiler = argument;
    pthread_mutex_lock(&compiler->lock);
    while (!compiler->is_stopping && compiler->next_start < compiler->unit_count) {
        if (compiler->next_start >= compiler->next_read + WINDOW) {
            pthread_cond_wait(&compiler->changed, &compiler->lock);
            continue;
        }
        const size_t unit = compiler->next_start++;
        struct slot *slot = &compiler->slots[unit % WINDOW];
        pthread_mutex_unlock(&compiler->lock);
        compile_into(compiler, unit, slot);
        pthread_mutex_lock(&compiler->lock);
        slot->is_ready = true;
        pthread_cond_broadcast(&compiler->changed);
    }
    pthread_mutex_unlock(&compiler->lock);
    return NULL;
}

int compiler_start(struct compiler **out, struct device *device,
                   const struct point_context *context, const struct emit_sources *sources,
                   const struct points *points, unsigned threads, struct error *error)
{
    struct compiler *compiler = calloc(1, sizeof *compiler);
    pthread_t *handles = calloc(threads, sizeof *handles);
    if (!compiler || !handles) {
        free(compiler);
        free(handles);
        return error_memory(error, sizeof *compiler);
    }
    compiler->device = device;
    compiler->context = context;
    compiler->sources = sources;
    compiler->points = points;
    compiler->unit_count = (points->variant_count + COMPILER_UNIT - 1) / COMPILER_UNIT;
    compiler->threads = handles;
    pthread_mutex_init(&compiler->lock, NULL);
    pthread_cond_init(&compiler->changed, NULL);
    while (compiler->thread_count < threads &&
           pthread_create(&handles[compiler->thread_count], NULL, work, compiler) == 0)
        compiler->thread_count++;
    *out = compiler;
    if (compiler->thread_count)
        return 0;
    compiler_stop(compiler);
    return error_set(error, ERROR_FAILED, "no thread could be started to compile: free some memory "
                                          "or raise the process limit (ulimit -u)");
}

int compiler_next(struct compiler *compiler, struct compiled_unit *out, struct error *error)
{
    if (compiler->next_read == compiler->unit_count)
        return 0;
    struct slot *slot = &compiler->slots[compiler->next_read % WINDOW];
    pthread_mutex_lock(&compiler->lock);
    while (!slot->is_ready)
        pthread_cond_wait(&compiler->changed, &compiler->lock);
    slot->is_ready = false;
    *out = slot->unit;
    slot->unit = (struct compiled_unit){.count = 0};
    bool is_failed = slot->is_failed;
    *error = slot->error;
    compiler->next_read++;
    pthread_cond_broadcast(&compiler->changed);
    pthread_mutex_unlock(&compiler->lock);
    return is_failed ? -1 : 1;
}

void compiler_stop(struct compiler *compiler)
{
    pthread_mutex_lock(&compiler->lock);
    compiler->is_stopping = true;
    pthread_cond_broadcast(&compiler->changed);
    pthread_mutex_unlock(&compiler->lock);
    for (unsigned i = 0; i < compiler->thread_count; i++)
        pthread_join(compiler->threads[i], NULL);
    for (size_t i = 0; i < WINDOW; i++)
        compiler_dispose(&compiler->slots[i].unit);
    pthread_mutex_destroy(&compiler->lock);
    pthread_cond_destroy(&compiler->changed);
    free(compiler->threads);
    free(compiler);
}
