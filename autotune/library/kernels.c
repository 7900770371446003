/* kernels: looks for kernels in memory, then on disk, then compiles them. The compiler is
 * opened only then: opening NVRTC takes as long as many plans. */
#include "autotune/library/kernels.h"

#include "autotune/library/fail.h"
#include "autotune/library/kernel_cache.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_compiler(struct kernels *kernels, struct error *error)
{
    if (kernels->compiler)
        return 0;
    if (kernels->device->ops->compile) {
        kernels->compiler = kernels->device;
        return 0;
    }
    return device_open_compiler(&kernels->compiler, &kernels->device->info, kernels->nvrtc,
                                error);
}

/* The emulator's images are of this very build of the program, and soon compiled: not kept. */
static bool is_kept(const struct kernels *kernels)
{
    return kernels->folder && !kernels->device->info.target.is_host;
}

/* What stands behind the comment at the top, which names a file of the user's and the like, and not
 * what the kernel is: the same operation from another folder has the same kernels. */
static const char *skip_header(const char *at)
{
    while (at[0] == '/' && at[1] == '/') {
        const size_t length = strcspn(at, "\n");
        if (at[length] == '\0' || at[length - 1] == '\\')
            break; /* the next line would belong to it */
        at += length + 1;
    }
    return at;
}

int kernels_add_source(struct text *out, const struct emit_variant *variant, const char *kernel,
                       struct error *error)
{
    text_add(out, kernel, strlen(kernel) + 1);
    for (size_t i = 0; i < variant->count; i++) {
        const char *text = skip_header(variant->texts[i].at);
        text_add(out, text, strlen(text) + 1);
    }
    return text_check(out, error);
}

static bool is_same(const struct text *a, const struct text *b)
{
    return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

static void free_set(struct kernel_set *set)
{
    text_dispose(&set->source);
    free(set);
}

static int load(struct kernels *kernels, const struct kernel_cache_key *key,
                const struct device_image *image, const struct kernel_set **out,
                struct error *error)
{
    struct kernel_set *set = calloc(1, sizeof *set);
    if (!set)
        return fail_memory(error);
    text_add(&set->source, key->source->at, key->source->length);
    if (text_check(&set->source, error) ||
        kernels->device->ops->load(kernels->device, image, &set->module, set->at, error)) {
        free_set(set);
        return -1;
    }
    snprintf(set->compiler, sizeof set->compiler, "%s", key->compiler);
    set->next = kernels->sets;
    *out = kernels->sets = set;
    return 0;
}

/* Finds kernels on disk. One that the driver refuses is as good as none. */
static bool find_kept(struct kernels *kernels, const struct kernel_cache_key *key,
                      const struct kernel_set **out, struct error *warning)
{
    struct device_image image;
    struct error reason;
    if (!is_kept(kernels) || !*key->compiler)
        return false;
    const bool is_found = kernel_cache_find(&image, kernels->folder, key, &reason);
    if (reason.code != ERROR_NONE)
        *warning = reason;
    const bool is_loaded = is_found && load(kernels, key, &image, out, &reason) == 0;
    device_dispose_image(&image);
    return is_loaded;
}

static int compile(struct kernels *kernels, const struct emit_variant *variant,
                   const char *kernel, const struct kernel_cache_key *key,
                   const struct kernel_set **out, struct error *warning, struct error *error)
{
    struct device_source sources[SPACE_PASSES_MAX];
    struct device_image image = {0};
    struct error cause;
    for (size_t i = 0; i < variant->count; i++)
        sources[i] = (struct device_source){variant->texts[i].at, kernel};
    if (kernels->compiler->ops->compile(kernels->compiler, sources, variant->count, &image,
                                        error))
        return -1;
    const int failed = load(kernels, key, &image, out, error);
    if (!failed && is_kept(kernels) &&
        kernel_cache_store(kernels->folder, KERNEL_CACHE_BYTES, key, &image, &cause))
        *warning = cause;
    device_dispose_image(&image);
    return failed;
}

/* First by the compiler that the key names, then by the one that is here. */
static int find(struct kernels *kernels, const struct emit_variant *variant, const char *kernel,
                struct kernel_cache_key *key, const struct kernel_set **out,
                enum autotune_kernels *how, struct error *warning, struct error *error)
{
    const char *named = key->compiler;
    *how = AUTOTUNE_LOADED;
    for (const struct kernel_set *set = kernels->sets; set; set = set->next)
        if (is_same(&set->source, key->source)) {
            *out = set;
            return 0;
        }
    *how = AUTOTUNE_CACHED;
    if (find_kept(kernels, key, out, warning))
        return 0;
    if (open_compiler(kernels, error))
        return -1;
    key->compiler = kernels->compiler->info.compiler;
    if (strcmp(key->compiler, named) != 0 && find_kept(kernels, key, out, warning))
        return 0;
    *how = AUTOTUNE_COMPILED;
    return compile(kernels, variant, kernel, key, out, warning, error);
}

int kernels_find(struct kernels *kernels, const struct emit_variant *variant,
                 const char *kernel, const char *compiler, const struct kernel_set **out,
                 enum autotune_kernels *how, struct error *warning, struct error *error)
{
    assert(variant->count > 0);
    struct text source = {0};
    struct kernel_cache_key key = {&source, kernels->device->info.target.cc, compiler,
                                   variant->count};
    const int failed = kernels_add_source(&source, variant, kernel, error) ||
                       find(kernels, variant, kernel, &key, out, how, warning, error);
    text_dispose(&source);
    return failed ? -1 : 0;
}

void kernels_dispose(struct kernels *kernels, bool is_current)
{
    while (kernels->sets) {
        struct kernel_set *set = kernels->sets;
        kernels->sets = set->next;
        if (is_current)
            kernels->device->ops->unload(kernels->device, set->module);
        free_set(set);
    }
    if (kernels->compiler != kernels->device)
        device_close(kernels->compiler);
    free(kernels->folder);
    free(kernels->nvrtc);
}
