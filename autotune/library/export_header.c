/* export_header: PREFIX_table.h, for programs that have or compile the kernels themselves: the
 * tuned constants, the selector and the launches. */
#include "autotune/library/export_text.h"

static void add_kernel_names(struct text *out, const struct export *export)
{
    export_add_form(
        out, export,
        "\n/* Of the kernels, as nvrtcAddNameExpression knows them in $.cu, which NVRTC\n"
        " * compiles as it stands. */\n"
        "static const char *const $_kernel_names[] = {\n");
    for (size_t k = 0; k < export->kernel_count; k++) {
        export_add_form(out, export, "    \"$_kernels::");
        text_addf(out, "v%zu::%s\",\n", k, export->source.space->kernel);
    }
    text_adds(out, "};\n");
}

int export_write_table(struct export_files *out, const struct export *export, struct error *error)
{
    struct text *text = export_add_file(out, export, "_table.h");
    export_add_provenance(text, export, &export_c_comment,
                          export_is_matrix(export)
                              ? "What is launched for a matrix on a device"
                              : "What is launched for n elements on a device");
    export_add_form(text, export,
                    "#ifndef @_TABLE_H\n"
                    "#define @_TABLE_H\n\n"
                    "#include <stdint.h>\n\n");
    if (export_add_table(text, export, error))
        return -1;
    add_kernel_names(text, export);
    text_adds(text, "\n#endif\n");
    return 0;
}

const struct export_format export_header = {
    "header", "PREFIX_table.h", "what to launch, as tables and functions of C99 and C++",
    export_write_table};
