/* check_code: compiles a record's kernels as the library does, under whose key they are kept, and compares the
 * result with what is kept of the record's compiler. */
#include "autotune/command/check_code.h"

#include "autotune/cli/output.h"
#include "autotune/device/cubin.h"
#include "autotune/library/kernel_cache.h"
#include "autotune/library/kernels.h"

#include <stdlib.h>
#include <string.h>

const char *const check_code_states[CHECK_CODE_STATES] = {
    [CHECK_CODE_UNKNOWN] = "",
    [CHECK_CODE_SAME_TOOL] = "same compiler",
    [CHECK_CODE_UNCHANGED] = "unchanged",
    [CHECK_CODE_CHANGED] = "changed",
    [CHECK_CODE_NOT_KEPT] = "old not kept",
};

/* A look-up: the emitted kernels, and what they are kept under. */
struct lookup {
    const struct setup *setup;
    const char *kernels;
    struct emit_variant variant;
    struct text source;
};

static struct kernel_cache_key key_of(const struct lookup *lookup, const char *compiler)
{
    return (struct kernel_cache_key){&lookup->source, lookup->setup->target.cc, compiler,
                                     lookup->variant.count};
}

static bool find_kept(struct device_image *out, const struct lookup *lookup,
                      const char *compiler)
{
    const struct kernel_cache_key key = key_of(lookup, compiler);
    struct error reason;
    const bool is_found = kernel_cache_find(out, lookup->kernels, &key, &reason);
    if (reason.code != ERROR_NONE)
        output_warn("%s", reason.text);
    return is_found;
}

static int compile(struct device_image *out, const struct lookup *lookup, struct error *error)
{
    struct device_source sources[SPACE_PASSES_MAX];
    struct device *device = lookup->setup->device;
    for (size_t i = 0; i < lookup->variant.count; i++)
        sources[i] =
            (struct device_source){lookup->variant.texts[i].at, lookup->setup->space->kernel};
    return device->ops->compile(device, sources, lookup->variant.count, out, error);
}

/* The emulator's code is of this very build of the program, and never kept. */
static void keep(const struct lookup *lookup, const struct device_image *image)
{
    const struct kernel_cache_key key = key_of(lookup, lookup->setup->device->info.compiler);
    struct error cause;
    if (!lookup->setup->target.is_host &&
        kernel_cache_store(lookup->kernels, KERNEL_CACHE_BYTES, &key, image, &cause))
        output_warn("%s", cause.text);
}

/* Gives what is compiled now, which is kept from then on; what is kept already is not compiled again. */
static int find_now(struct device_image *out, const struct lookup *lookup, struct error *error)
{
    if (!lookup->setup->target.is_host &&
        find_kept(out, lookup, lookup->setup->device->info.compiler))
        return 0;
    *out = (struct device_image){0};
    if (compile(out, lookup, error))
        return -1;
    keep(lookup, out);
    return 0;
}

/* By the hashes of the code where both have them: other parts of an image name its compiler. */
static bool is_same_kernel(const struct device_image *a, const struct device_image *b, size_t i)
{
    const uint64_t hash = cubin_hash(a->bytes, a->size, a->names[i]);
    return hash && hash == cubin_hash(b->bytes, b->size, b->names[i]);
}

static bool is_same_code(const struct device_image *a, const struct device_image *b)
{
    size_t same = 0;
    if (a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0)
        return true;
    if (a->is_ptx || b->is_ptx || a->count != b->count)
        return false;
    while (same < a->count && is_same_kernel(a, b, same))
        same++;
    return same == a->count;
}

/* The places of its kernels: one text each, in the order in which they were emitted. */
static struct compiled_variant places_of(const struct lookup *lookup)
{
    struct compiled_variant places = {.variant = 0};
    for (size_t pass = 0; pass < SPACE_PASSES_MAX; pass++) {
        const bool is_used = pass < lookup->setup->space->pass_count;
        places.kernel_of_pass[pass] = is_used ? lookup->variant.text_of_pass[pass] : -1;
    }
    places.sources_hash = emit_hash_variant(&lookup->variant);
    return places;
}

static int compare(struct check_code *out, const struct lookup *lookup, const char *compiler,
                   struct error *error)
{
    const bool is_host = lookup->setup->target.is_host;
    struct device_image now = {0}, *old = &out->old.image;
    out->state = strcmp(compiler, lookup->setup->device->info.compiler) == 0
                     ? CHECK_CODE_SAME_TOOL
                 : find_kept(old, lookup, compiler) ? CHECK_CODE_CHANGED
                                                    : CHECK_CODE_NOT_KEPT;
    if ((!is_host || old->bytes) && find_now(&now, lookup, error))
        return -1;
    if (old->bytes && is_same_code(&now, old))
        out->state = CHECK_CODE_UNCHANGED;
    out->old.compiled = places_of(lookup);
    device_dispose_image(&now);
    return 0;
}

int check_code_find(struct check_code *out, const struct setup *setup,
                    const struct record *record, const int64_t *config, const char *kernels,
                    struct error *error)
{
    struct lookup lookup = {.setup = setup, .kernels = kernels};
    *out = (struct check_code){.state = CHECK_CODE_UNKNOWN};
    if (emit_variant(&lookup.variant, &setup->context, &setup->sources, config, error))
        return -1;
    const int failed =
        kernels_add_source(&lookup.source, &lookup.variant, setup->space->kernel, error) ||
        compare(out, &lookup, record->compiler, error);
    text_dispose(&lookup.source);
    emit_dispose(&lookup.variant);
    if (failed)
        check_code_dispose(out);
    return failed ? -1 : 0;
}

void check_code_dispose(struct check_code *code)
{
    device_dispose_image(&code->old.image);
    code->old.image = (struct device_image){0};
}
