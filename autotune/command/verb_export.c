/* verb_export: writes the records of a problem as files for another program: tables, kernels,
 * machine code, variables of build tools. Needs no device. */
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/export_records.h"
#include "autotune/device/gpus.h"
#include "autotune/export/export.h"
#include "generator/command.h"
#include "generator/dims_text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMATS_MAX = 32, PATH_CHARS = 4096 };

/* What export alone has options for. */
struct export_request {
    const char *format, *prefix; /* NULL = the usual */
};

struct task {
    struct request request;
    struct export_request own;
    struct setup setup;
    struct export_records records;
    const struct export_format *formats[FORMATS_MAX];
    size_t format_count;
    int archs[EXPORT_ARCHS_MAX];
    size_t arch_count;
    char prefix[EXPORT_PREFIX_CHARS];
    struct export export;
    struct export_files files[FORMATS_MAX]; /* of each format */
};

/* --- The request -------------------------------------------------------------------------- */

static int refuse_no_format(struct error *error)
{
    struct text known = {0};
    export_add_formats(&known, false);
    error_set(error, ERROR_USAGE,
              "no format: write --format %s, or several separated by commas",
              known.at ? known.at : "NAME");
    text_dispose(&known);
    return -1;
}

static int parse_formats(struct task *task, struct error *error)
{
    char word[40];
    const char *at = task->own.format;
    if (!at)
        return refuse_no_format(error);
    while (at && *at) {
        text_next_item(&at, word, sizeof word);
        const struct export_format *format;
        if (export_find_format(&format, word, error))
            return -1;
        for (size_t i = 0; i < task->format_count; i++)
            if (task->formats[i] == format)
                return error_set(error, ERROR_USAGE, "--format names %s twice: keep one", word);
        assert(task->format_count < FORMATS_MAX);
        task->formats[task->format_count++] = format;
    }
    return 0;
}

static int by_arch(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int parse_archs(struct task *task, struct error *error)
{
    char word[40];
    const char *at = task->request.arch;
    while (at && *at) {
        text_next_item(&at, word, sizeof word);
        struct target target;
        size_t known = 0;
        if (gpus_find(&target, word, error))
            return -1;
        while (known < task->arch_count && task->archs[known] != target.cc)
            known++;
        if (known == EXPORT_ARCHS_MAX)
            return error_set(error, ERROR_USAGE, "--arch names more than %d: give fewer",
                             EXPORT_ARCHS_MAX);
        task->archs[known] = target.cc;
        task->arch_count += known == task->arch_count;
    }
    qsort(task->archs, task->arch_count, sizeof *task->archs, by_arch);
    return 0;
}

static int open_setup(struct task *task, struct error *error)
{
    struct request plain = task->request;
    struct target oldest;
    struct problem any;
    plain.arch = NULL; /* there it selects the kernel; here it says what to compile for */
    if (setup_open(&task->setup, &plain, false, error))
        return -1;
    any = task->setup.problem;
    if (dims_is_middle(&any.dims) || dims_is_strided(&any.dims) ||
        dims_is_segmented(&any.dims)) {
        setup_close(&task->setup);
        return error_set(
            error, ERROR_USAGE,
            "an export has no functions for %s yet: a program has these by a plan of "
            "the library, or a kernel with its launcher by 'autotune emit'",
            dims_text_gives(&any.dims));
    }
    any.dims.outer.stride |= 1; /* the default serves results that begin anywhere ... */
    if (dims_kept(&any.dims) <= 1)
        any.dims.depth.n = setup_usual_n(false); /* ... and one value of any size */
    if (gpus_find(&oldest, "sm_70", error) ||
        space_settle_default(task->setup.space, &any, &oldest, error)) {
        setup_close(&task->setup);
        return -1;
    }
    return 0;
}

/* The formats that write the files of this one: what describes them is one file for all. */
static void add_format_names(struct text *out, const struct task *task,
                             const struct export_format *format)
{
    const char *between = "";
    for (size_t i = 0; i < task->format_count; i++) {
        const struct export_format *other = task->formats[i];
        if (other != format && !(format->is_described && other->is_described))
            continue;
        text_addf(out, "%s%s", between, other->name);
        between = ",";
    }
}

/* The command that makes the file again, but for where records are and files go. */
static void add_command(struct text *out, const struct task *task,
                        const struct export_format *format)
{
    const struct request *request = &task->request;
    struct problem problem = task->setup.problem;
    if (request->size_count)
        problem.dims = request->sizes[0];
    text_adds(out, "autotune export --format ");
    add_format_names(out, task, format);
    command_add_problem(out, &problem,
                        COMMAND_REGIME | (request->size_count ? COMMAND_SIZE : 0));
    for (size_t i = 1; i < request->size_count; i++)
        text_addf(out, ",%" PRIu64, dims_n(&request->sizes[i]));
    command_add_option(out, "--space", request->space);
    command_add_option(out, "--template", request->template);
    command_add_option(out, "--gpu", request->gpu);
    command_add_option(out, "--arch", request->arch);
    command_add_option(out, "--prefix", task->prefix);
}

static int set_up(void *shared, struct error *error)
{
    struct task *task = shared;
    const char *prefix = task->own.prefix;
    if (parse_formats(task, error) || parse_archs(task, error) ||
        (prefix && export_check_prefix(prefix, error)) || open_setup(task, error))
        return -1;
    export_default_prefix(task->prefix, &task->setup.problem);
    if (prefix)
        snprintf(task->prefix, sizeof task->prefix, "%s", prefix);
    return 0;
}

/* --- Gathering ---------------------------------------------------------------------------- */

static void note_export(const struct task *task)
{
    const struct export *const export = &task->export;
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *const gpu = &export->gpus[i];
        output_note(&task->request.out, "device    %s (sm_%d, %d SMs): %zu %s\n", gpu->name,
                    gpu->cc, gpu->sms, gpu->count, gpu->count == 1 ? "row" : "rows");
        if (export->rows[gpu->first].record->source == RECORD_EMULATED)
            output_warn(
                "the emulator's records are no model of a GPU's speed, and a GPU of sm_%d "
                "without records of its own takes them: for tests only",
                gpu->cc);
    }
    if (export->not_compiled.length)
        output_warn(
            "no NVRTC here compiles machine code for %s, whose rows serve by PTX alone, or not "
            "at all: 'autotune doctor' lists what is here, and --nvrtc names another",
            export->not_compiled.at);
}

static int make_files(struct task *task, size_t format, struct error *error)
{
    struct text command = {0};
    add_command(&command, task, task->formats[format]);
    int failed = text_check(&command, error);
    if (!failed) {
        task->export.source.command = command.at;
        failed =
            export_write(&task->files[format], &task->export, task->formats[format], error);
    }
    text_dispose(&command);
    return failed;
}

static int gather(void *shared, struct error *error)
{
    struct task *task = shared;
    if (export_records_find(&task->records, &task->setup, &task->request, error))
        return -1;
    const struct export_source source = {
        .space = task->setup.space,
        .sources = &task->setup.sources,
        .problem = task->setup.problem,
        .records = task->records.at,
        .record_count = task->records.count,
        .prefix = task->prefix,
        .command = "",
        .version = VERSION,
        .archs = task->archs,
        .arch_count = task->arch_count,
        .nvrtc = task->request.nvrtc,
        .formats = task->formats,
        .format_count = task->format_count,
    };
    if (export_init(&task->export, &source, error))
        return -1;
    note_export(task);
    for (size_t i = 0; i < task->format_count; i++)
        if (make_files(task, i, error))
            return -1;
    return 0;
}

/* --- Files -------------------------------------------------------------------------------- */

static int make_folder(const char *folder, struct error *error)
{
    struct stat status;
    if (mkdir(folder, 0777) == 0 || (stat(folder, &status) == 0 && S_ISDIR(status.st_mode)))
        return 0;
    return error_set(error, ERROR_IO,
                     "%.1000s: cannot be made: %s; name a folder with --output", folder,
                     strerror(errno));
}

/* Machine code has no place for our mark; its kernels have names of this prefix. */
static bool is_our_code(const char *path, const char *prefix)
{
    enum { LIMIT = 1 << 28 };
    struct text bytes = {0};
    struct error ignored;
    const bool is_ours = text_read(&bytes, path, LIMIT, &ignored) == 0 &&
                         export_has_symbols(bytes.at, bytes.length, prefix);
    text_dispose(&bytes);
    return is_ours;
}

/* Refuses to replace a file that is not ours: the names are common ones. */
static int check_ours(const char *path, const char *prefix, struct error *error)
{
    char head[2048];
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0; /* there is none, or writing will report the error */
    head[fread(head, 1, sizeof head - 1, file)] = 0;
    fclose(file);
    if (!*head || strstr(head, export_mark) ||
        (strncmp(head, "\177ELF", 4) == 0 && is_our_code(path, prefix)))
        return 0;
    return error_set(
        error, ERROR_IO,
        "%.1000s is there already, and autotune did not write it: move it, or choose "
        "another --output or --prefix",
        path);
}

/* Two formats may have a file in common. */
static void list_once(struct text *written, const char *path)
{
    const size_t length = strlen(path);
    for (const char *line = written->at; line && *line; line = strchr(line, '\n') + 1)
        if (strncmp(line, path, length) == 0 && line[length] == '\n')
            return;
    text_addf(written, "%s\n", path);
}

/* Each file of the export in turn: checked, or written and listed. */
static int write_files(const struct task *task, const struct export_files *files, bool is_write,
                       struct text *written, struct error *error)
{
    const char *folder = task->request.output;
    char path[PATH_CHARS];
    for (size_t i = 0; i < files->count; i++) {
        const int used = snprintf(path, sizeof path, "%s%s%s", folder ? folder : "",
                                  folder ? "/" : "", files->at[i].name);
        if (used < 0 || (size_t)used >= sizeof path)
            return error_set(error, ERROR_USAGE, "--output is too long: give a shorter one");
        if (is_write ? output_write(path, &files->at[i].text, error)
                     : check_ours(path, task->prefix, error))
            return -1;
        if (is_write)
            list_once(written, path);
    }
    return 0;
}

/* All formats are made and all their files checked before any is written. */
static int write_all(const struct task *task, struct text *written, struct error *error)
{
    const char *folder = task->request.output;
    if (folder && strcmp(folder, "-") == 0)
        return task->files->count == 1 && task->format_count == 1
                   ? output_write("-", &task->files->at[0].text, error)
                   : error_set(
                         error, ERROR_USAGE,
                         "--output - is for one file, and these are several: name a folder");
    if (folder && make_folder(folder, error))
        return -1;
    for (int is_write = 0; is_write < 2; is_write++)
        for (size_t i = 0; i < task->format_count; i++)
            if (write_files(task, &task->files[i], is_write, written, error))
                return -1;
    return 0;
}

static bool has_format(const struct task *task, const char *name)
{
    for (size_t i = 0; i < task->format_count; i++)
        if (strcmp(task->formats[i]->name, name) == 0)
            return true;
    return false;
}

/* Names the file that a build file of this export needs and no format of this command
 * writes. */
static void note_source(const struct task *task)
{
    const char *folder = task->request.output;
    char path[PATH_CHARS];
    const bool has_build = has_format(task, "make") || has_format(task, "cmake");
    snprintf(path, sizeof path, "%.3900s/%s.cu", folder ? folder : ".", task->prefix);
    if (has_build && !has_format(task, "cu") && access(path, F_OK) != 0)
        output_note(&task->request.out,
                    "note      %s.cu, which they build, is not there: --format cu writes it\n",
                    task->prefix);
}

/* The command that compiles the source for all GPUs of the records. */
static void note_next(const struct task *task)
{
    struct text archs = {0};
    const char *folder = task->request.output;
    if (!has_format(task, "cu"))
        return;
    export_add_archs(&archs, &task->export);
    if (!archs.failed)
        output_note(&task->request.out, "next      nvcc %s -c %s%s%s.cu\n", archs.at,
                    folder ? folder : "", folder ? "/" : "", task->prefix);
    text_dispose(&archs);
}

static int show(void *shared, struct error *error)
{
    const struct task *task = shared;
    struct text written = {0};
    int failed = write_all(task, &written, error);
    if (!failed && written.length) {
        note_source(task);
        note_next(task);
        failed = output_text(&written, error);
    }
    text_dispose(&written);
    return failed;
}

static void clean_up(void *shared)
{
    struct task *task = shared;
    for (size_t i = 0; i < task->format_count; i++)
        export_dispose_files(&task->files[i]);
    export_dispose(&task->export);
    export_records_dispose(&task->records);
    setup_close(&task->setup);
}

static void add_formats(struct text *out)
{
    export_add_formats(out, true);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_EXPORT, "format", "FORMATS", "one or more, separated by commas: @", .text = offsetof(struct export_request, format), .add_names = add_formats, .group = 3},
    {VERB_EXPORT, "prefix", "NAME", "what every name in the files begins with (default: the problem, as sum_i32)", .text = offsetof(struct export_request, prefix), .group = 3},
    {.verbs = 0},
};

const struct verb_row verb_export = {
    .verb = VERB_EXPORT,
    .name = "export",
    .summary = "write tuned kernels for other programs: CUDA, cubins, PTX, CMake, Make, JSON",
    .help =
        "Writes the records of a problem, all n and all GPUs in one, for programs that know nothing of "
        "autotune: which kernel serves a device and n is chosen when they run. " DIMS_TEXT_EXPORTS "\v"
        "Examples:\n"
        "  autotune export --format cu --op sum --type f32\n"
        "  autotune export --format cu,cmake --output sums --prefix total\n"
        "  autotune export --format json --gpu H200 --n 400M --output -\n"
        "  autotune export --format cu " DIMS_TEXT_SPACE " --type f32\n\n" VERBS_EXIT,
    .options = options,
    .bytes = sizeof(struct task),
    .own = offsetof(struct task, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
