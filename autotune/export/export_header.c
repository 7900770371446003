/* export_header: writes PREFIX_table.h, for programs that have or compile the kernels
 * themselves: the tuned constants, the selector and the launches. */
#include "autotune/export/export_text.h"

static void add_kernel_names(struct text *out, const struct export *export)
{
    struct text code = {0};
    text_adds(
        &code,
        "\n/* Of the kernels, as nvrtcAddNameExpression knows them in prefix.cu, which NVRTC\n"
        " * compiles as it stands. */\n"
        "static const char *const prefix_kernel_names[] = {\n");
    for (size_t k = 0; k < export->kernel_count; k++)
        text_addf(&code, "    \"prefix_kernels::v%zu::%s\",\n", k,
                  export->source.space->kernel);
    text_adds(&code, "};\n");
    export_take_code(out, export, &code);
}

int export_write_table(struct export_files *out, const struct export *export,
                       struct error *error)
{
    struct text *text = export_add_file(out, export, "_table.h");
    export_add_provenance(text, export, &export_c_comment, "What is launched on a device",
                          NULL);
    text_adds(text, "\n");
    export_add_tuned(text, export);
    text_adds(text, "\n");
    export_add_code(text, export,
                    "#ifndef PREFIX_TABLE_H\n"
                    "#define PREFIX_TABLE_H\n\n");
    if (export_add_table(text, export, error))
        return -1;
    add_kernel_names(text, export);
    text_adds(text, "\n#endif\n");
    return 0;
}

const struct export_format export_header =
    {"header", "PREFIX_table.h",  "what to launch, as tables and functions of C99 and C++", 0,
     false,    export_write_table};
