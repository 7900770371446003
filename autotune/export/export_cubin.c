/* export_cubin: writes PREFIX.sm_90.cubin and PREFIX.compute_90.ptx, an image for each architecture as
 * a file of its own, with PREFIX.json, for programs of any language that launch by themselves. */
#include "autotune/export/export_text.h"

#include <stdio.h>
#include <string.h>

void export_image_name(char out[EXPORT_PREFIX_CHARS + 24], const struct export *export,
                       const struct export_image *image)
{
    snprintf(out, EXPORT_PREFIX_CHARS + 24,
             image->kind == EXPORT_PTX ? "%s.compute_%d.ptx" : "%s.sm_%d.cubin",
             export->source.prefix, image->cc);
}

/* Comments may stand before what PTX begins with; machine code has no place for any. */
static void add_image(struct export_files *out, const struct export *export,
                      const struct export_image *image)
{
    const bool is_ptx = image->kind == EXPORT_PTX;
    struct text *text = export_add_file(out, export, "");
    export_image_name(out->at[out->count - 1].name, export, image);
    if (is_ptx)
        export_add_provenance(text, export, &export_cc_comment, "Kernels as PTX", NULL);
    text_add(text, image->code.bytes,
             is_ptx ? strnlen(image->code.bytes, image->code.size) : image->code.size);
}

static int write(struct export_files *out, const struct export *export, enum export_code kind,
                 struct error *error)
{
    if (export_write_description(out, export, error))
        return -1;
    for (size_t i = 0; i < export->image_count; i++)
        if (export->images[i].kind == kind)
            add_image(out, export, &export->images[i]);
    return 0;
}

static int write_cubin(struct export_files *out, const struct export *export,
                       struct error *error)
{
    return write(out, export, EXPORT_CUBIN, error);
}

static int write_ptx(struct export_files *out, const struct export *export, struct error *error)
{
    return write(out, export, EXPORT_PTX, error);
}

const struct export_format export_cubin =
    {"cubin",
     "PREFIX.sm_90.cubin, ..., PREFIX.json",
     "machine code, and how to launch it from any language",
     EXPORT_CUBIN,
     true,
     write_cubin};
const struct export_format export_ptx =
    {"ptx",
     "PREFIX.compute_75.ptx, ..., PREFIX.json",
     "PTX for these and all newer GPUs, and how to launch it",
     EXPORT_PTX,
     true,
     write_ptx};
