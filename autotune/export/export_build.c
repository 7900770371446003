/* export_build: writes PREFIX.mk, PREFIX.cmake and a CMakeLists.txt: where the exported source
 * is, what to compile it for, and what was tuned, as variables of Make and of CMake. */
#include "autotune/export/export_text.h"
#include "generator/dims_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One way of setting a variable. */
struct dialect {
    const char *open, *assign, *close;
};
static const struct dialect make = {"", " := ", "\n"}, cmake = {"set(", " ", ")\n"};

static void add_variable(struct text *out, const struct export *export,
                         const struct dialect *dialect, const char *name, const char *value)
{
    text_adds(out, dialect->open);
    text_addf(out, "%s_%s%s%s%s", export->source.prefix, name, dialect->assign, value,
              dialect->close);
}

/* Has the row the n that was tuned? At most one of a record's rows does; the others begin
 * elsewhere. */
static bool has_own_n(const struct export_row *row)
{
    return row->first <= dims_n(&row->problem.dims) && dims_n(&row->problem.dims) <= row->last;
}

/* "_nvidia_h100_pcie". */
static void add_gpu_name(struct text *out, const char *name)
{
    bool is_between = true;
    for (; *name; name++) {
        const char letter = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        const bool is_plain =
            (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        if (is_plain && is_between)
            text_adds(out, "_");
        if (is_plain)
            text_add(out, &letter, 1);
        is_between = !is_plain;
    }
}

/* "sm_90_132_400000000": compute capability, SMs, n; then "_from_700001" where another row
 * serves that very n. For a matrix "sm_90_132_4096x1024", then its gaps as "_pitch1040". Behind the
 * SMs the GPU's name, where another GPU has as many. */
static void add_row_name(struct text *out, const struct export *export, size_t row)
{
    const struct export_row *r = &export->rows[row];
    char size[DIMS_TEXT_CHARS];
    if (!r->record) {
        text_adds(out, "default");
        return;
    }
    text_addf(out, "sm_%d_%d", r->target.cc, r->target.sms);
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        if (row - gpu->first < gpu->count && export_has_twin(export, gpu))
            add_gpu_name(out, gpu->name);
    }
    text_addf(out, "_%s", dims_text_identifier(size, &r->problem.dims));
    if (r->first <= r->last && !has_own_n(r))
        text_addf(out, "_from_%" PRIu64, r->first);
}

/* Adds the variable of a row whose name ends in `word`. */
static void add_of_row(struct text *out, const struct export *export,
                       const struct dialect *dialect, size_t row, const char *word,
                       const struct text *value)
{
    struct text name = {0};
    add_row_name(&name, export, row);
    text_addf(&name, "_%s", word);
    add_variable(out, export, dialect, name.at ? name.at : "", value->at ? value->at : "");
    out->failed |= name.failed || value->failed;
    text_dispose(&name);
}

/* A shell compares no number above INT64_MAX, and no n is that large. */
static void add_bound(struct text *out, const struct export *export,
                      const struct dialect *dialect, size_t row, const char *word, uint64_t n)
{
    struct text value = {0};
    text_addf(&value, "%" PRIu64, n < INT64_MAX ? n : INT64_MAX);
    add_of_row(out, export, dialect, row, word, &value);
    text_dispose(&value);
}

static void add_variables(struct text *out, const struct export *export,
                          const struct dialect *dialect, size_t row)
{
    const struct space *space = export->source.space;
    const struct export_row *r = &export->rows[row];
    if (r->record && r->first <= r->last) {
        add_bound(out, export, dialect, row, "SERVES_FROM", r->first);
        add_bound(out, export, dialect, row, "SERVES_UP_TO", r->last);
    }
    for (size_t i = 0; i < space->param_count; i++) {
        struct text value = {0};
        point_format_value(&value, &space->params[i], r->values[i]);
        add_of_row(out, export, dialect, row, space->params[i].name, &value);
        text_dispose(&value);
    }
}

static void add_rows(struct text *out, const struct export *export,
                     const struct dialect *dialect)
{
    struct text names = {0};
    for (size_t row = 0; row < export->row_count; row++) {
        text_adds(&names, row ? " " : "");
        add_row_name(&names, export, row);
    }
    text_adds(out,
              "\n# What was tuned, by compute capability, SMs and size; then what each row "
              "serves,\n# and its params.\n");
    add_variable(out, export, dialect, "ROWS", names.at ? names.at : "");
    out->failed |= names.failed;
    text_dispose(&names);
    for (size_t row = 0; row < export->row_count; row++)
        add_variables(out, export, dialect, row);
}

static void add_archs(struct text *out, const struct export *export)
{
    int archs[EXPORT_ARCHS_MAX];
    const size_t count = export_archs(export, archs, EXPORT_ARCHS_MAX);
    for (size_t i = 0; i < count; i++)
        text_addf(out, "%s%d", i ? " " : "", archs[i]);
}

/* What this nvcc knows is asked once for all exports; where it cannot say, it is taken to know
 * all. */
static const char make_flags[] =
    "ifeq ($(origin nvcc_gpu_code),undefined)\n"
    "nvcc_gpu_code := $(shell $(or $(NVCC),nvcc) --list-gpu-code)\n"
    "endif\n"
    "prefix_LEFT_OUT := $(if $(nvcc_gpu_code),$(filter-out $(nvcc_gpu_code:sm_%=%),"
    "$(prefix_ARCHITECTURES)))\n"
    "$(foreach arch,$(prefix_LEFT_OUT),$(info prefix: nothing is compiled for sm_$(arch), on "
    "which it was tuned: $(or $(NVCC),nvcc) does not know it))\n"
    "prefix_GENCODE := $(foreach arch,$(filter-out $(prefix_LEFT_OUT),$(prefix_ARCHITECTURES)),"
    "-gencode arch=compute_$(arch),code=sm_$(arch) "
    "-gencode arch=compute_$(arch),code=compute_$(arch))\n"
    "prefix_NVCCFLAGS := $(prefix_GENCODE) -Xcompiler -fPIC\n";

static int write_make(struct export_files *out, const struct export *export,
                      struct error *error)
{
    struct text *text = export_add_file(out, export, ".mk");
    export_add_provenance(text, export, &export_hash_comment, "What Make needs of an export",
                          NULL);
    export_add_code(
        text, export,
        "#\n"
        "# include prefix.mk, then compile $(prefix_SOURCES) by\n"
        "#     $(NVCC) $(prefix_NVCCFLAGS) -c\n"
        "# with architectures of your own beside these, if you like. Their headers are in\n"
        "# $(prefix_DIR), and the object can go into a shared library.\n");
    (void)error;
    text_adds(text, "\n");
    add_variable(text, export, &make, "DIR",
                 "$(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))");
    text_addf(text, "%s_SOURCES := $(%s_DIR)/%s.cu\n", export->source.prefix,
              export->source.prefix, export->source.prefix);
    text_addf(text, "%s_HEADERS := $(%s_DIR)/%s.h\n", export->source.prefix,
              export->source.prefix, export->source.prefix);
    text_addf(text, "%s_ARCHITECTURES := ", export->source.prefix);
    add_archs(text, export);
    text_adds(text, "\n");
    export_add_code(text, export, make_flags);
    add_rows(text, export, &make);
    return 0;
}

static int write_cmake(struct export_files *out, const struct export *export,
                       struct error *error)
{
    struct text *text = export_add_file(out, export, ".cmake");
    export_add_provenance(text, export, &export_hash_comment, "What CMake needs of an export",
                          NULL);
    text_adds(text, "\n");
    add_variable(text, export, &cmake, "INCLUDE_DIR", "\"${CMAKE_CURRENT_LIST_DIR}\"");
    text_addf(text, "set(%s_SOURCES \"${CMAKE_CURRENT_LIST_DIR}/%s.cu\")\n",
              export->source.prefix, export->source.prefix);
    text_addf(text, "set(%s_HEADERS \"${CMAKE_CURRENT_LIST_DIR}/%s.h\")\n",
              export->source.prefix, export->source.prefix);
    text_addf(text, "set(%s_ARCHITECTURES ", export->source.prefix);
    add_archs(text, export);
    text_adds(text, ")\n");
    add_rows(text, export, &cmake);
    text = export_add_file(out, export, "");
    snprintf(out->at[out->count - 1].name, sizeof out->at->name, "CMakeLists.txt");
    export_add_provenance(text, export, &export_hash_comment, "A tuned reduction as a library",
                          NULL);
    return export_add_file_part(text, export, "templates/export/exported_lists.cmake",
                                EXPORT_DECLARED, error);
}

const struct export_format export_make =
    {"make", "PREFIX.mk", "files, architectures and constants as variables of Make",
     0,      false,       write_make};
const struct export_format export_cmake = {"cmake",
                                           "PREFIX.cmake, CMakeLists.txt",
                                           "variables of CMake, and a library to add",
                                           0,
                                           false,
                                           write_cmake};
