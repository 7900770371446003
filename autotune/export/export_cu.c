/* export_cu: writes PREFIX.h and PREFIX.cu, kernels and a launcher that need only nvcc; NVRTC
 * compiles the .cu too, and sees only the kernels. Guards kernels for newer architectures in a
 * file that is compiled for older ones. */
#include "autotune/export/export_text.h"

#include <string.h>

enum { OLDEST_CC = 70 }; /* the default runs from here on, and needs no guard */

/* --- Kernels ------------------------------------------------------------------------------ */

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* The length of the lines from `at` on up to and with the line `last`; 0 = there is none. */
static size_t find_line(const char *at, const char *last)
{
    const size_t length = strlen(last);
    for (const char *line = at; *line; line += strcspn(line, "\n") + 1)
        if (begins(line, last) && (line[length] == '\n' || !line[length]))
            return (size_t)(line - at) + length + (line[length] == '\n');
    return 0;
}

static void open_guard(struct text *out, int cc)
{
    text_addf(out, "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= %d\n", 10 * cc);
}

/* Adds a kernel's head. What says the size of a cluster has no meaning for an older compiler. */
static void add_head(struct text *out, const char *at, size_t length, int cc)
{
    for (size_t done = 0, line; done < length; done += line) {
        line = strcspn(at + done, "\n") + 1;
        const bool is_guarded = begins(at + done, "__cluster_dims__");
        if (is_guarded)
            open_guard(out, cc);
        text_add(out, at + done, line);
        if (is_guarded)
            text_adds(out, "#endif\n");
    }
}

/* Adds a kernel. Its arguments must not depend on the architecture, its body may. */
static size_t add_kernel(struct text *out, const char *at, int cc)
{
    const size_t head = find_line(at, "{"), whole = find_line(at, "}");
    if (head == 0 || whole < head + 2)
        return 0;
    add_head(out, at, head, cc);
    open_guard(out, cc);
    text_add(out, at + head, whole - head - 2);
    text_adds(out, "#endif\n}\n");
    return whole;
}

/* Adds the kernel's text with guards around functions, and the kernel's body, that an older
 * architecture's compiler lacks features for. */
static int add_guarded(struct text *out, const struct export *export,
                       const struct export_kernel *kernel, struct error *error)
{
    bool is_open = false, has_kernel = false;
    const char *comment = kernel->text.at; /* above what comes next */
    for (const char *at = comment; *at;) {
        size_t length = strcspn(at, "\n") + 1;
        const bool is_function = begins(at, "__device__"), is_kernel = begins(at, "__global__");
        if (*at == '\n' || begins(at, "//")) {
            at += length;
            continue;
        }
        if (is_function && !is_open)
            open_guard(out, kernel->cc);
        else if (!is_function && is_open)
            text_adds(out, "#endif\n\n");
        is_open = is_function;
        text_add(out, comment, (size_t)(at - comment));
        length = is_kernel     ? add_kernel(out, at, kernel->cc)
                 : is_function ? find_line(at, "}")
                               : length;
        if (length == 0)
            break;
        if (!is_kernel)
            text_add(out, at, length);
        has_kernel |= is_kernel;
        comment = at += length;
    }
    if (has_kernel && !is_open)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "%s: an export needs the template's functions to begin with __device__ or "
                     "__global__ on a line, and their '{' and '}' on lines of their own",
                     export->source.sources->template.name);
}

/* Each in a namespace of its own: PREFIX_kernels::v0 and up. */
static int add_kernels(struct text *out, const struct export *export, struct error *error)
{
    export_add_code(out, export, "namespace prefix_kernels {\n\n");
    for (size_t k = 0; k < export->kernel_count; k++) {
        const struct export_kernel *kernel = &export->kernels[k];
        text_addf(out, "namespace v%zu {\n\n", k);
        if (kernel->cc <= OLDEST_CC)
            text_add(out, kernel->text.at, kernel->text.length);
        else if (add_guarded(out, export, kernel, error))
            return -1;
        text_addf(out, "\n} // namespace v%zu\n\n", k);
    }
    export_add_code(out, export, "} // namespace prefix_kernels\n");
    return 0;
}

/* --- The files ---------------------------------------------------------------------------- */

/* The types of both, as names that the templates can use. */
static void add_types(struct text *out, const struct export *export)
{
    const struct problem *problem = &export->source.problem;
    struct text code = {0};
    text_addf(&code, "typedef %s prefix_element;\ntypedef %s prefix_result;\n\n",
              problem_types[problem->type].c_name,
              problem_types[problem_result(problem)].c_name);
    export_take_code(out, export, &code);
}

static int write_declarations(struct text *out, const struct export *export,
                              struct error *error)
{
    export_add_provenance(out, export, &export_c_comment,
                          "A tuned reduction for CUDA's runtime");
    if (export_add_file_part(out, export, "templates/export/exported_api.h", EXPORT_OPENED,
                             error))
        return -1;
    add_types(out, export);
    if (export_add_file_part(out, export, "templates/export/exported_match.h", EXPORT_DECLARED,
                             error))
        return -1;
    text_adds(out, "\n");
    if (export_add_sizes(out, export, EXPORT_DECLARED, error))
        return -1;
    text_adds(out, "\n");
    return export_add_file_part(out, export, "templates/export/exported_api.h", EXPORT_CLOSED,
                                error);
}

static void add_entries(struct text *out, const struct export *export)
{
    struct text code = {0};
    text_adds(&code, "static const prefix_kernel prefix_entries[] = {\n");
    for (size_t k = 0; k < export->kernel_count; k++)
        text_addf(&code, "    {(const void *)prefix_kernels::v%zu::%s, %d, %d},\n", k,
                  export->source.space->kernel, export->kernels[k].cc,
                  (int)export->kernels[k].shared_bytes);
    text_adds(&code, "};\n\n");
    export_take_code(out, export, &code);
}

static int write(struct export_files *out, const struct export *export, struct error *error)
{
    static const char launcher[] = "templates/export/exported_launcher.cu";
    if (write_declarations(export_add_file(out, export, ".h"), export, error))
        return -1;
    struct text *text = export_add_file(out, export, ".cu");
    export_add_provenance(text, export, &export_cc_comment,
                          "A tuned reduction: kernels and launcher");
    export_add_code(text, export,
                    "#ifndef __CUDACC_RTC__ // NVRTC sees the kernels alone\n"
                    "#include \"prefix.h\"\n\n"
                    "#include <atomic>\n"
                    "#endif\n\n");
    if (add_kernels(text, export, error))
        return -1;
    text_adds(text,
              "\n#ifndef __CUDACC_RTC__\n\n"
              "#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__\n"
              "#pragma nv_diag_suppress 177 // the launcher does not call all functions below\n"
              "#endif\n"
              "#ifdef __clang__ // of host code\n"
              "#pragma clang diagnostic push\n"
              "#pragma clang diagnostic ignored \"-Wunused-function\"\n"
              "#endif\n\n");
    if (export_add_table(text, export, error))
        return -1;
    text_adds(text, "\n");
    if (export_add_file_part(text, export, launcher, EXPORT_OPENED, error))
        return -1;
    add_entries(text, export);
    if (export_add_file_part(text, export, launcher, EXPORT_LAUNCHED, error))
        return -1;
    text_adds(text, "\n");
    if (export_add_sizes(text, export, EXPORT_LAUNCHED, error))
        return -1;
    text_adds(text, "\n#ifdef __clang__\n"
                    "#pragma clang diagnostic pop\n"
                    "#endif\n"
                    "#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__\n"
                    "#pragma nv_diag_default 177\n"
                    "#endif\n\n"
                    "#endif // !__CUDACC_RTC__\n");
    return 0;
}

const struct export_format export_cu = {"cu", "PREFIX.cu, PREFIX.h", "kernels and launcher",
                                        write};
