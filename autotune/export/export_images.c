/* export_images: writes PREFIX_images.c and .h with machine code and PTX as arrays of C, one image
 * for each architecture; with PREFIX_table.h, for programs that load kernels through the driver and
 * have no compiler. */
#include "autotune/export/export_text.h"

#include <assert.h>
#include <stdio.h>

static void add_bytes(struct text *out, const struct export_image *image)
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

static void add_image_name(struct text *out, const struct export_image *image)
{
    text_addf(out, "%s_%d", image->kind == EXPORT_PTX ? "ptx" : "sm", image->cc);
}

static void add_arrays(struct text *out, const struct export *export,
                       const struct export_image *image)
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

static void add_entry(struct text *out, const struct export_image *image)
{
    text_addf(out, "    {%d, %d, ", image->cc, image->kind == EXPORT_PTX);
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
static void add_images(struct text *out, const struct export *export)
{
    struct text code = {0};
    text_adds(&code, "#include \"prefix_images.h\"\n\n");
    for (size_t i = 0; i < export->image_count; i++)
        add_arrays(&code, export, &export->images[i]);
    text_adds(&code, "const struct prefix_image prefix_images[] = {\n");
    for (size_t i = 0; i < export->image_count; i++)
        add_entry(&code, &export->images[i]);
    text_addf(&code, "};\nconst int prefix_image_count = %zu;\n\n", export->image_count);
    export_take_code(out, export, &code);
}

static int write(struct export_files *out, const struct export *export, struct error *error)
{
    assert(export->image_count > 0);
    if (export_write_table(out, export, error))
        return -1;
    struct text *text = export_add_file(out, export, "_images.h");
    export_add_provenance(text, export, &export_c_comment, "Machine code for CUDA's driver",
                          NULL);
    export_add_code(text, export,
                    "#ifndef PREFIX_IMAGES_H\n"
                    "#define PREFIX_IMAGES_H\n\n"
                    "#include \"prefix_table.h\"\n\n");
    if (export_add_file_part(text, export, "templates/export/exported_images.h",
                             EXPORT_DECLARED, error))
        return -1;
    text = export_add_file(out, export, "_images.c");
    export_add_provenance(text, export, &export_c_comment, "Machine code for CUDA's driver",
                          NULL);
    text_addf(text, "/* compiled by %s */\n", export->images[export->image_count - 1].compiler);
    add_images(text, export);
    return export_add_file_part(text, export, "templates/export/exported_images.c",
                                EXPORT_LAUNCHED, error);
}

const struct export_format export_images =
    {"images",
     "PREFIX_images.c, PREFIX_images.h, PREFIX_table.h",
     "machine code and PTX as arrays of C, for the driver API; needs no nvcc",
     EXPORT_CUBIN | EXPORT_PTX,
     false,
     write};
