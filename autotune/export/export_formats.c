/* export_formats: lists the formats. Each export file that writes one defines its entry. */
#include "autotune/export/export_text.h"

#include <assert.h>
#include <string.h>

extern const struct export_format export_header, export_cu, export_images, export_cmake,
    export_make, export_json;

const struct export_format *const export_formats[] = {
    &export_header, &export_cu,   &export_cubin, &export_ptx, &export_json,
    &export_images, &export_make, &export_cmake, NULL,
};

void export_add_formats(struct text *out, bool has_purpose)
{
    for (size_t i = 0; export_formats[i]; i++) {
        const struct export_format *format = export_formats[i];
        text_adds(out, i == 0 ? "" : export_formats[i + 1] ? ", " : " or ");
        text_addf(out, has_purpose ? "%s (%s)" : "%s", format->name, format->purpose);
    }
}

int export_find_format(const struct export_format **out, const char *name, struct error *error)
{
    struct text known = {0};
    for (size_t i = 0; export_formats[i]; i++)
        if (strcmp(name, export_formats[i]->name) == 0) {
            *out = export_formats[i];
            return 0;
        }
    export_add_formats(&known, false);
    error_set(error, ERROR_USAGE, "--format '%.100s' is none: choose %s", name,
              known.at ? known.at : "another");
    text_dispose(&known);
    return -1;
}

bool export_has_format(const struct export *export, const struct export_format *format)
{
    for (size_t i = 0; i < export->source.format_count; i++)
        if (export->source.formats[i] == format)
            return true;
    return false;
}

int export_write(struct export_files *out, const struct export *export,
                 const struct export_format *format, struct error *error)
{
    assert(!format->code || export_has_format(export, format));
    *out = (struct export_files){.count = 0};
    int failed = format->write(out, export, error);
    for (size_t i = 0; !failed && i < out->count; i++)
        failed = text_check(&out->at[i].text, error);
    if (failed)
        export_dispose_files(out);
    return failed;
}
