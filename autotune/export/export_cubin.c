/* export_cubin: writes PREFIX_cubin.c and .h with machine code as arrays of C, one image for
 * each architecture, and PTX for all newer ones; with PREFIX_table.h, for programs that load
 * kernels through the driver and have no compiler. */
#include "autotune/export/export_text.h"

#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCHS_MAX = 32 };

/* Machine code, or PTX, that contains the kernels for architectures up to cc. */
struct image {
    int cc;
    bool is_ptx;
    struct device_image code;
};

/* --- Compiling ---------------------------------------------------------------------------- */

static int compile(struct image *out, struct nvrtc *nvrtc, const struct export *export, int cc,
                   bool is_ptx, struct error *error)
{
    struct device_source *sources = calloc(export->kernel_count, sizeof *sources);
    size_t count = 0;
    *out = (struct image){.cc = cc, .is_ptx = is_ptx};
    if (!sources)
        return error_memory(error, export->kernel_count * sizeof *sources);
    for (size_t k = 0; k < export->kernel_count; k++) {
        const struct text *text = export_kernel_text(&export->kernels[k], cc);
        if (text)
            sources[count++] = (struct device_source){text->at, export->source.space->kernel};
    }
    const int failed = nvrtc_compile(nvrtc, cc, is_ptx ? NVRTC_PTX : NVRTC_CUBIN, sources,
                                     count, &out->code, error);
    free(sources);
    return failed;
}

/* The oldest architecture that the compiler knows: its PTX serves all others. */
static int oldest_arch(const struct nvrtc *nvrtc)
{
    for (const char *const *name = gpus_names(); *name; name++) {
        const int cc = atoi(*name + sizeof "sm_" - 1);
        if (nvrtc_arch(nvrtc, cc) == cc)
            return cc;
    }
    return 0;
}

/* One image; the PTX is made by the compiler of the last. */
static int make_image(struct image *out, const struct export *export, int cc, bool is_last,
                      struct image *ptx, char *version, size_t version_size,
                      struct error *error)
{
    struct nvrtc *nvrtc;
    if (nvrtc_open(&nvrtc, export->source.nvrtc, cc, error))
        return -1;
    snprintf(version, version_size, "%s", nvrtc_version(nvrtc));
    int failed = compile(out, nvrtc, export, cc, false, error);
    if (!failed && is_last)
        failed = compile(ptx, nvrtc, export, oldest_arch(nvrtc), true, error);
    nvrtc_close(nvrtc);
    return failed;
}

/* --- Arrays ------------------------------------------------------------------------------- */

static void add_bytes(struct text *out, const struct image *image)
{
    const unsigned char *bytes = image->code.bytes;
    char line[128];
    for (size_t i = 0; i < image->code.size;) {
        size_t used = (size_t)snprintf(line, sizeof line, "   ");
        for (size_t k = 0; k < 20 && i < image->code.size; k++, i++)
            used += (size_t)snprintf(line + used, sizeof line - used, "%u,", bytes[i]);
        line[used++] = '\n';
        text_add(out, line, used);
    }
}

static void add_image_name(struct text *out, const struct image *image)
{
    text_addf(out, "%s_%d", image->is_ptx ? "ptx" : "sm", image->cc);
}

static void add_arrays(struct text *out, const struct export *export, const struct image *image)
{
    size_t next = 0;
    assert(image->code.names);
    text_adds(out, "static const unsigned char prefix_");
    add_image_name(out, image);
    text_adds(out, "[] = {\n");
    add_bytes(out, image);
    text_adds(out, "};\n\nstatic const char *const prefix_names_");
    add_image_name(out, image);
    text_adds(out, "[] = {\n");
    for (size_t k = 0; k < export->kernel_count; k++)
        if (export_kernel_needs(&export->kernels[k]) <= image->cc)
            text_addf(out, "    \"%s\",\n", image->code.names[next++]);
        else
            text_adds(out, "    0,\n");
    text_adds(out, "};\n\n");
}

static void add_entry(struct text *out, const struct image *image)
{
    text_addf(out, "    {%d, %d, ", image->cc, image->is_ptx);
    for (int i = 0; i < 2; i++) {
        text_adds(out, i ? "sizeof prefix_" : "prefix_");
        add_image_name(out, image);
        text_adds(out, ", ");
    }
    text_adds(out, "prefix_names_");
    add_image_name(out, image);
    text_adds(out, "},\n");
}

/* Prints the images; the rest is in templates/export/exported_images.c. */
static void add_images(struct text *out, const struct export *export,
                       const struct image *images, size_t count)
{
    struct text code = {0};
    text_adds(&code, "#include \"prefix_cubin.h\"\n\n");
    for (size_t i = 0; i < count; i++)
        add_arrays(&code, export, &images[i]);
    text_adds(&code, "const struct prefix_image prefix_images[] = {\n");
    for (size_t i = 0; i < count; i++)
        add_entry(&code, &images[i]);
    text_addf(&code, "};\nconst int prefix_image_count = %zu;\n\n", count);
    export_take_code(out, export, &code);
}

static int write_arrays(struct export_files *out, const struct export *export,
                        const struct image *images, size_t count, const char *version,
                        struct error *error)
{
    struct text *text = export_add_file(out, export, "_cubin.h");
    export_add_provenance(text, export, &export_c_comment, "Machine code for CUDA's driver");
    export_add_code(text, export,
                    "#ifndef PREFIX_CUBIN_H\n"
                    "#define PREFIX_CUBIN_H\n\n"
                    "#include \"prefix_table.h\"\n\n");
    if (export_add_file_part(text, export, "templates/export/exported_images.h",
                             EXPORT_DECLARED, error))
        return -1;
    text = export_add_file(out, export, "_cubin.c");
    export_add_provenance(text, export, &export_c_comment, "Machine code for CUDA's driver");
    text_addf(text, "/* compiled by NVRTC %s */\n", version);
    add_images(text, export, images, count);
    return export_add_file_part(text, export, "templates/export/exported_images.c",
                                EXPORT_LAUNCHED, error);
}

/* --- The whole ---------------------------------------------------------------------------- */

static int write(struct export_files *out, const struct export *export, struct error *error)
{
    struct image images[ARCHS_MAX + 1] = {{0}};
    int archs[ARCHS_MAX];
    char version[64] = "";
    const size_t count = export_archs(export, archs, ARCHS_MAX);
    int failed = export_write_table(out, export, error);
    for (size_t i = 0; !failed && i < count; i++)
        failed = make_image(&images[i], export, archs[i], i + 1 == count, &images[count],
                            version, sizeof version, error);
    if (!failed)
        failed = write_arrays(out, export, images, count + 1, version, error);
    for (size_t i = 0; i <= ARCHS_MAX; i++)
        device_dispose_image(&images[i].code);
    return failed ? -1 : 0;
}

const struct export_format export_cubin =
    {"cubin", "PREFIX_cubin.c, PREFIX_cubin.h, PREFIX_table.h",
     "machine code and PTX as arrays of C, for the driver API; needs no nvcc", write};
