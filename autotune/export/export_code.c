/* export_code: compiles the kernels of a model to machine code and PTX. An image has every kernel that
 * its architecture can have, so that one image serves a device; a kernel has the same name in all. */
#include "autotune/export/export_text.h"

#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In C++ it is PREFIX_kernels::v0::KERNEL; the length stands before each part of a symbol. */
bool export_has_symbols(const char *bytes, size_t length, const char *prefix)
{
    char mark[EXPORT_PREFIX_CHARS + 16];
    const size_t own =
        (size_t)snprintf(mark, sizeof mark, "N%zu%s_kernels", strlen(prefix) + 8, prefix);
    for (size_t i = 0; i + own <= length; i++)
        if (bytes[i] == 'N' && memcmp(bytes + i, mark, own) == 0)
            return true;
    return false;
}

/* --- One image ---------------------------------------------------------------------------- */

static bool is_in(const struct export_image *image, const struct export_kernel *kernel)
{
    return export_kernel_needs(kernel) <= image->cc;
}

/* The text of the image's kernels, and their names in C++. Returns how many. */
static size_t add_unit(struct text *out, struct text *names, const struct export *export,
                       const struct export_image *image)
{
    size_t count = 0;
    for (size_t k = 0; k < export->kernel_count; k++) {
        const char *prefix = export->source.prefix;
        if (!is_in(image, &export->kernels[k]))
            continue;
        text_addf(out, "namespace %s_kernels {\nnamespace v%zu {\n#line 1 \"<kernel %zu>\"\n",
                  prefix, k, k);
        const struct text *own = export_kernel_text(&export->kernels[k], image->cc);
        text_add(out, own->at, own->length);
        text_adds(out, "\n}\n}\n");
        text_addf(&names[count++], "%s_kernels::v%zu::%s", prefix, k,
                  export->source.space->kernel);
    }
    return count;
}

static int compile(struct export_image *out, struct nvrtc *nvrtc, const struct export *export,
                   struct error *error)
{
    struct text unit = {0}, *names = calloc(export->kernel_count, sizeof *names);
    const char **list = calloc(export->kernel_count, sizeof *list);
    int failed = names && list ? 0 : error_memory(error, export->kernel_count * sizeof *names);
    const size_t count = failed ? 0 : add_unit(&unit, names, export, out);
    for (size_t i = 0; !failed && i < count; i++) {
        failed = text_check(&names[i], error);
        list[i] = names[i].at;
    }
    failed =
        failed || text_check(&unit, error) ||
        nvrtc_compile_unit(nvrtc, out->cc, out->kind == EXPORT_PTX ? NVRTC_PTX : NVRTC_CUBIN,
                           unit.at, list, count, &out->code, error);
    for (size_t i = 0; i < count; i++)
        text_dispose(&names[i]);
    free(names);
    free(list);
    text_dispose(&unit);
    return failed ? -1 : 0;
}

/* Takes the names that the kernels have in the image. */
static int take_symbols(struct export *out, const struct export_image *image,
                        struct error *error)
{
    size_t next = 0;
    for (size_t k = 0; k < out->kernel_count; k++) {
        struct export_kernel *kernel = &out->kernels[k];
        if (!is_in(image, kernel))
            continue;
        const char *name = image->code.names[next++];
        assert(!kernel->symbol || strcmp(kernel->symbol, name) == 0);
        if (!kernel->symbol && !(kernel->symbol = strdup(name)))
            return error_memory(error, strlen(name) + 1);
    }
    return 0;
}

static int add_image(struct export *out, int cc, enum export_code kind, struct error *error)
{
    struct export_image *image = &out->images[out->image_count];
    struct nvrtc *nvrtc;
    *image = (struct export_image){.cc = cc, .kind = kind};
    if (nvrtc_open(&nvrtc, out->source.nvrtc, cc, error))
        return -1;
    snprintf(image->compiler, sizeof image->compiler, "NVRTC %s", nvrtc_version(nvrtc));
    const int failed = compile(image, nvrtc, out, error);
    nvrtc_close(nvrtc);
    if (failed)
        return -1;
    out->image_count++;
    return take_symbols(out, image, error);
}

/* --- Which ones --------------------------------------------------------------------------- */

/* The oldest architecture from cc on that a compiler here knows. */
static int find_arch(int *out, const struct export *export, int cc, struct error *error)
{
    for (const char *const *name = gpus_names(); *name; name++) {
        struct nvrtc *nvrtc;
        *out = atoi(*name + sizeof "sm_" - 1);
        if (*out < cc || nvrtc_open(&nvrtc, export->source.nvrtc, *out, error))
            continue;
        nvrtc_close(nvrtc);
        return 0;
    }
    return nvrtc_check(export->source.nvrtc, error) ? -1
                                                    : error_set(error, ERROR_NO_DEVICE,
                                                                "no NVRTC here compiles for "
                                                                "sm_%d or a newer one",
                                                                cc);
}

/* PTX is for the architectures that are named, or else for the oldest that each kernel can run on:
 * a driver compiles it for all newer ones. */
static int find_ptx_archs(size_t *count, int archs[EXPORT_ARCHS_MAX],
                          const struct export *export, struct error *error)
{
    *count = 0;
    if (export->source.arch_count) {
        *count = export_archs(export, archs, EXPORT_ARCHS_MAX);
        return 0;
    }
    for (int last = 0;;) { /* what some kernels need, and none of those before */
        int next = 0, arch = 0;
        for (size_t k = 0; k < export->kernel_count; k++) {
            const int cc = export_kernel_needs(&export->kernels[k]);
            if (cc > last && (next == 0 || cc < next))
                next = cc;
        }
        if (next == 0 || *count == EXPORT_ARCHS_MAX)
            return 0;
        if (find_arch(&arch, export, next, error))
            return -1;
        archs[(*count)++] = arch;
        last = arch;
    }
}

/* One image for each architecture. Of those of the records some may be too old or too new for the
 * compilers here: they are left out while there are others. */
static int add_images(struct export *out, const int *archs, size_t count, enum export_code kind,
                      struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (add_image(out, archs[i], kind, error) == 0)
            continue;
        if (error->code != ERROR_NO_DEVICE || out->source.arch_count)
            return -1;
        text_addf(&out->not_compiled, "%ssm_%d", out->not_compiled.length ? ", " : "",
                  archs[i]);
    }
    return out->image_count > 0 ? text_check(&out->not_compiled, error) : -1;
}

int export_make_images(struct export *out, struct error *error)
{
    const struct export_source *source = &out->source;
    int archs[EXPORT_ARCHS_MAX];
    size_t count = 0;
    unsigned code = 0;
    for (size_t i = 0; i < source->format_count; i++)
        code |= source->formats[i]->code;
    if (!code)
        return 0;
    out->images = calloc((size_t)2 * EXPORT_ARCHS_MAX, sizeof *out->images);
    if (!out->images)
        return error_memory(error, (size_t)2 * EXPORT_ARCHS_MAX * sizeof *out->images);
    count = export_archs(out, archs, EXPORT_ARCHS_MAX);
    if ((code & EXPORT_CUBIN) && add_images(out, archs, count, EXPORT_CUBIN, error))
        return -1;
    if ((code & EXPORT_PTX) && (find_ptx_archs(&count, archs, out, error) ||
                                add_images(out, archs, count, EXPORT_PTX, error)))
        return -1;
    return 0;
}
