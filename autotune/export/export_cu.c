/* export_cu: writes PREFIX.h and PREFIX.cu, kernels and a launcher that need only nvcc; NVRTC
 * compiles the .cu too, and sees only the kernels. Guards kernels for newer architectures in a
 * file that is compiled for older ones. */
#include "autotune/export/export_text.h"
#include "generator/operation_file.h"
#include "generator/operation_param.h"

#include <stdlib.h>
#include <string.h>

enum {
    OLDEST_CC = 70, /* the default runs from here on, and needs no guard */
    ARCHS_MAX = 32
};

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

static void open_guard(struct text *out, int needs)
{
    text_addf(out, "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= %d\n", 10 * needs);
}

/* Adds a kernel's head. What says the size of a cluster has no meaning for an older compiler. */
static void add_kernel_head(struct text *out, const char *at, size_t length, int needs)
{
    for (size_t done = 0, line; done < length; done += line) {
        line = strcspn(at + done, "\n") + 1;
        const bool is_guarded = begins(at + done, "__cluster_dims__");
        if (is_guarded)
            open_guard(out, needs);
        text_add(out, at + done, line);
        if (is_guarded)
            text_adds(out, "#endif\n");
    }
}

/* Adds a kernel. Its arguments must not depend on the architecture, its body may. */
static size_t add_kernel(struct text *out, const char *at, int needs)
{
    const size_t head = find_line(at, "{"), whole = find_line(at, "}");
    if (head == 0 || whole < head + 2)
        return 0;
    add_kernel_head(out, at, head, needs);
    open_guard(out, needs);
    text_add(out, at + head, whole - head - 2);
    text_adds(out, "#endif\n}\n");
    return whole;
}

/* Adds the kernel's text with guards around functions, and the kernel's body, that an older
 * architecture's compiler lacks features for. */
static int add_guarded(struct text *out, const struct export *export,
                       const struct export_version *version, struct error *error)
{
    bool is_open = false, has_kernel = false;
    const char *comment = version->text.at; /* above what comes next */
    for (const char *at = comment; *at;) {
        size_t length = strcspn(at, "\n") + 1;
        const bool is_function = begins(at, "__device__"), is_kernel = begins(at, "__global__");
        if (*at == '\n' || begins(at, "//")) {
            at += length;
            continue;
        }
        if (is_function && !is_open)
            open_guard(out, version->needs);
        else if (!is_function && is_open)
            text_adds(out, "#endif\n\n");
        is_open = is_function;
        text_add(out, comment, (size_t)(at - comment));
        length = is_kernel     ? add_kernel(out, at, version->needs)
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

/* Adds all versions of a kernel; the host's pass sees the first. */
static int add_versions(struct text *out, const struct export *export,
                        const struct export_kernel *kernel, struct error *error)
{
    const struct export_version *last = &kernel->versions[kernel->count - 1];
    for (const struct export_version *version = kernel->versions; version < last; version++) {
        if (version == kernel->versions)
            open_guard(out, version->needs);
        else
            text_addf(out, "#elif __CUDA_ARCH__ >= %d\n", 10 * version->needs);
        text_add(out, version->text.at, version->text.length);
    }
    if (kernel->count > 1)
        text_adds(out, "#else\n");
    if (last->needs <= OLDEST_CC)
        text_add(out, last->text.at, last->text.length);
    else if (add_guarded(out, export, last, error))
        return -1;
    if (kernel->count > 1)
        text_adds(out, "#endif\n");
    return 0;
}

/* Each in a namespace of its own: PREFIX_kernels::v0 and up. */
static int add_kernels(struct text *out, const struct export *export, struct error *error)
{
    export_add_code(out, export, "namespace prefix_kernels {\n\n");
    for (size_t k = 0; k < export->kernel_count; k++) {
        text_addf(out, "namespace v%zu {\n\n", k);
        if (add_versions(out, export, &export->kernels[k], error))
            return -1;
        text_addf(out, "\n} // namespace v%zu\n\n", k);
    }
    export_add_code(out, export, "} // namespace prefix_kernels\n");
    return 0;
}

/* --- What to compile for ------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Writes what the rows need beyond what all code has, ascending, each once. Returns how many. */
static size_t list_needs(int out[ARCHS_MAX], const struct export *export)
{
    size_t count = 0;
    for (size_t r = 0; r < export->row_count; r++) {
        const int needs = export_row_needs(export, &export->rows[r]);
        size_t i = 0;
        while (i < count && out[i] != needs)
            i++;
        if (needs > OLDEST_CC && i == count && count < ARCHS_MAX)
            out[count++] = needs;
    }
    qsort(out, count, sizeof *out, by_number);
    return count;
}

/* How many of these rows code for architectures older than `needs` lacks. */
static size_t count_lacking(const struct export *export, size_t first, size_t count, int needs)
{
    size_t lacking = 0;
    for (size_t r = first; r < first + count; r++)
        lacking += export_row_needs(export, &export->rows[r]) >= needs;
    return lacking;
}

/* "-arch=sm_90"; for several "-gencode arch=compute_80,code=sm_80 -gencode ...". */
static void add_flags(struct text *out, const int *archs, size_t count)
{
    if (count == 1)
        text_addf(out, "-arch=sm_%d", archs[0]);
    for (size_t i = 0; i < count && count > 1; i++)
        text_addf(out, "%s-gencode arch=compute_%d,code=sm_%d", i ? " " : "", archs[i],
                  archs[i]);
}

/* The sentence for a build whose architectures are all older than `needs`. */
static void add_sentence(struct text *out, const struct export *export, int needs)
{
    int archs[ARCHS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        if (count_lacking(export, gpu->first, gpu->count, needs) && count < ARCHS_MAX &&
            (count == 0 || archs[count - 1] != gpu->cc))
            archs[count++] = gpu->cc;
    }
    text_addf(out, "#warning \"prefix: %zu of %zu tuned rows need sm_%d or newer, which this ",
              count_lacking(export, 0, export->row_count - 1, needs), export->row_count - 1,
              needs);
    text_adds(out,
              "build is not for, and others run in their place: for such a GPU compile with ");
    add_flags(out, archs, count);
    text_adds(out, "; PREFIX_NO_ARCH_WARNING silences this\"\n");
}

/* Adds what only the host's pass sees. It warns once: of the oldest architecture that is lacking,
 * and so of all. */
static int add_warning(struct text *out, const struct export *export, struct error *error)
{
    static const char file[] = "templates/export/exported_archs.h";
    int needs[ARCHS_MAX];
    struct text code = {0};
    const size_t count = list_needs(needs, export);
    if (count == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        text_addf(&code, "#%sif !PREFIX_COMPILES_FOR(%d)\n", i ? "el" : "", 10 * needs[i]);
        add_sentence(&code, export, needs[i]);
    }
    text_adds(&code, "#endif\n");
    if (export_add_file_part(out, export, file, EXPORT_OPENED, error)) {
        text_dispose(&code);
        return -1;
    }
    export_take_code(out, export, &code);
    return export_add_file_part(out, export, file, EXPORT_CLOSED, error);
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
    if (operation_param_count(problem->op)) {
        text_adds(&code, "/* What a call gives the operation itself. */\ntypedef struct {\n");
        for (size_t k = 0; k < operation_param_count(problem->op); k++) {
            text_addf(&code, "    %s ", problem_types[problem_param_type(problem, k)].c_name);
            export_add_param_name(&code, problem->op, k);
            text_adds(&code, ";\n");
        }
        text_adds(&code, "} prefix_op_params;\n\n");
    }
    export_take_code(out, export, &code);
}

/* With the architectures to compile for, without which nvcc leaves tuned kernels out. */
static void add_head(struct text *out, const struct export *export,
                     const struct export_comment *comment, const char *what, const char *more)
{
    struct text lines = {0};
    text_addf(&lines, "Compile it by nvcc -std=c++17 -O3 ");
    export_add_archs(&lines, export);
    text_addf(&lines,
              " -c %s.cu; a build for other architectures leaves out the\n"
              "kernels that need a newer one, and others serve.\n%s",
              export->source.prefix, more);
    export_add_provenance(out, export, comment, what, lines.at);
    out->failed |= lines.failed;
    text_dispose(&lines);
}

/* What a result is: by the laws, or as the operation's own file says. */
static int add_result(struct text *out, const struct export *export, struct error *error)
{
    const struct problem *const problem = &export->source.problem;
    if (problem_map(problem) != MAP_MAPPED && !problem_has_finish(problem))
        return export_add_file_part(out, export, "templates/export/exported_result.h",
                                    EXPORT_DECLARED, error);
    text_adds(out, "/* A result is what '");
    export_add_words(out, problem->op->name);
    text_adds(out, "' gives: ");
    export_add_words(out, operation_meaning(problem->op->text));
    text_adds(out, ". */\n");
    return 0;
}

static int write_declarations(struct text *out, const struct export *export,
                              struct error *error)
{
    add_head(out, export, &export_c_comment, "A tuned reduction for CUDA's runtime",
             "What was tuned is at the end of this file.\n");
    if (export_add_file_part(out, export, "templates/export/exported_api.h", EXPORT_OPENED,
                             error))
        return -1;
    add_types(out, export);
    if (add_result(out, export, error))
        return -1;
    text_adds(out, "\n");
    if (export_add_file_part(out, export, "templates/export/exported_match.h", EXPORT_DECLARED,
                             error))
        return -1;
    text_adds(out, "\n");
    if (export_add_sizes(out, export, EXPORT_DECLARED, error))
        return -1;
    text_adds(out, "\n");
    if (export_add_file_part(out, export, "templates/export/exported_api.h", EXPORT_CLOSED,
                             error))
        return -1;
    text_adds(out, "\n");
    export_add_tuned(out, export);
    return 0;
}

static void add_entries(struct text *out, const struct export *export)
{
    struct text code = {0};
    text_adds(&code, "static const prefix_kernel prefix_entries[] = {\n");
    for (size_t k = 0; k < export->kernel_count; k++)
        text_addf(&code, "    {(const void *)prefix_kernels::v%zu::%s, %d},\n", k,
                  export->source.space->kernel, (int)export->kernels[k].shared_bytes);
    text_adds(&code, "};\n\n");
    export_take_code(out, export, &code);
}

/* A kernel takes the params one by one. */
static void add_param_pointers(struct text *out, const struct export *export)
{
    const struct operation *op = export->source.problem.op;
    struct text code = {0};
    if (operation_param_count(op) == 0)
        return;
    text_adds(&code, "static void prefix_point_params(void **args, prefix_op_params *params)\n"
                     "{\n");
    for (size_t k = 0; k < operation_param_count(op); k++) {
        text_addf(&code, "    args[%zu] = &params->", k);
        export_add_param_name(&code, op, k);
        text_adds(&code, ";\n");
    }
    text_adds(&code, "}\n\n");
    export_take_code(out, export, &code);
}

static int write(struct export_files *out, const struct export *export, struct error *error)
{
    static const char launcher[] = "templates/export/exported_launcher.cu";
    if (write_declarations(export_add_file(out, export, ".h"), export, error))
        return -1;
    struct text *text = export_add_file(out, export, ".cu");
    add_head(text, export, &export_cc_comment, "A tuned reduction: kernels and launcher", "");
    export_add_code(text, export,
                    "#ifndef __CUDACC_RTC__ // NVRTC sees the kernels alone\n"
                    "#include \"prefix.h\"\n\n");
    if (add_warning(text, export, error))
        return -1;
    text_adds(text, "#endif\n\n");
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
    add_param_pointers(text, export);
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

const struct export_format export_cu =
    {"cu", "PREFIX.cu, PREFIX.h", "kernels and launcher", 0, false, write};
