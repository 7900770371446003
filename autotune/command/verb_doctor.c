/* verb_doctor: checks what is installed, and says what is missing and what to install. Changes
 * nothing. */
#include "autotune/cli/outdated.h"
#include "autotune/cli/output.h"
#include "autotune/cli/request.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/verbs.h"
#include "autotune/device/device.h"
#include "autotune/device/locate.h"
#include "autotune/device/nvrtc.h"
#include "autotune/library/advice.h"
#include "autotune/measure/nvml.h"
#include "cache/store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Clocks, temperature and power now. */
static void report_reading(struct text *out, const struct device_info *info, int number)
{
    struct nvml_reading reading;
    struct error error;
    text_addf(out, "nvml %d    ", number);
    if (nvml_read(&reading, info, &error))
        text_adds(out, error.text);
    else
        nvml_format(out, &reading);
    text_adds(out, "\n");
}

/* What serves the problem that is tuned where none is named, on this device. */
static void report_serving(struct text *out, const struct request *request, const char *device,
                           const char *label)
{
    struct request own = *request;
    struct find_result found;
    struct error error, warning;
    struct setup setup;
    char problem[PROBLEM_CHARS];
    own.device = device;
    if (setup_open(&setup, &own, true, &error))
        return; /* why is said elsewhere */
    text_addf(out, "%-10s%s: ", label, problem_format(problem, &setup.problem));
    if (setup_find(&found, &setup, &own, &warning, &error)) {
        text_adds(out, error.text);
    } else {
        const struct advice advice = {found.grade, &found.record, &setup.problem,
                                      setup.device->info.name};
        advice_add(out, &advice);
    }
    text_adds(out, "\n");
    setup_close(&setup);
}

/* The records of a device that were made with another driver or compiler. */
static void report_outdated(struct text *out, const struct request *request,
                            const struct device_info *info, const char *label)
{
    struct collection records = setup_collection(request);
    struct outdated outdated = {.count = 0};
    struct error ignored;
    if (collection_load(&records, info->name, &ignored, &ignored) == 0)
        for (size_t i = 0; i < records.own.count; i++)
            outdated_add(&outdated, &records.own.at[i], info);
    if (outdated.count) {
        text_addf(out, "%-10s", label);
        outdated_say(out, &outdated);
        text_adds(out, "\n");
    }
    collection_dispose(&records);
}

static void report_gpus(struct text *out, const struct request *request)
{
    char why[400];
    int count = device_count(why, sizeof why);
    if (count == 0)
        text_addf(out, "gpu       none: %s\n", why);
    for (int i = 0; i < count; i++) {
        char spec[16];
        struct device *device;
        struct error error;
        snprintf(spec, sizeof spec, "%d", i);
        const struct device_options options = {spec, request->nvrtc, 1};
        if (device_open(&device, &options, &error)) {
            text_addf(out, "gpu %d     cannot be used: %s\n", i, error.text);
            continue;
        }
        text_addf(out, "gpu %d     %s, cc %d.%d, driver %s, %s\n", i, device->info.name,
                  device->info.target.cc / 10, device->info.target.cc % 10, device->info.driver,
                  device->info.compiler);
        report_reading(out, &device->info, i);
        char label[24];
        snprintf(label, sizeof label, "records %d", i);
        report_outdated(out, request, &device->info, label);
        device_close(device);
        snprintf(label, sizeof label, "serves %d", i);
        report_serving(out, request, spec, label);
    }
}

static void report_nvrtc(void *context, const char *path, const char *version,
                         const char *archs)
{
    if (*version)
        text_addf(context, "nvrtc     %s  %s  %s\n", version, archs, path);
    else
        text_addf(context, "nvrtc     cannot be used: %s: %s\n", path, archs);
}

/* Whether it compiles is tried: it needs room, descriptors and a folder. */
static int try_compile(struct device *device, struct error *error)
{
    const struct device_source source = {"__global__ void nothing(int *x) { *x = 0; }",
                                         "nothing"};
    struct device_image image = {0};
    const int failed = device->ops->compile(device, &source, 1, &image, error);
    device_dispose_image(&image);
    return failed;
}

static void report_host(struct text *out, const struct request *request)
{
    const struct device_options options = {"host", NULL, 1};
    struct device *device;
    struct error error;
    if (device_open(&device, &options, &error)) {
        text_addf(out, "host      cannot be used: %s\n", error.text);
        return;
    }
    if (try_compile(device, &error))
        text_addf(out, "host      cannot be used: %.*s\n", (int)strcspn(error.text, "\n"),
                  error.text);
    else
        text_addf(out,
                  "host      emulator, compiles with %s; has no clocks and no power to read\n",
                  device->info.compiler);
    report_outdated(out, request, &device->info, "records");
    device_close(device);
    report_serving(out, request, "host", "serves");
}

static const char *why_unwritable(const char *folder)
{
    struct stat status;
    if (stat(folder, &status))
        return errno == ENOENT ? NULL : strerror(errno);
    if (!S_ISDIR(status.st_mode))
        return "not a folder";
    return access(folder, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}

/* Old files of records, damaged or of an earlier version. */
static void report_kept(struct text *out, const char *folder)
{
    struct text name = {0};
    const size_t count = store_count_kept(&name, folder);
    if (count && !name.failed)
        text_addf(
            out,
            "kept      %zu old file%s of records, as %s: 'autotune merge FILE' takes what "
            "is sound of one that was damaged; remove what nobody needs\n",
            count, count == 1 ? "" : "s", name.at);
    text_dispose(&name);
}

static void report_cache(struct text *out, const struct request *request)
{
    struct text folder = {0};
    struct error error;
    if (store_folder(&folder, request->cache, &error)) {
        text_addf(out, "cache     none: %s\n", error.text);
    } else {
        const char *why = why_unwritable(folder.at);
        const bool is_there = access(folder.at, F_OK) == 0;
        if (why)
            text_addf(out, "cache     %s cannot be written (%s): use --cache FOLDER\n",
                      folder.at, why);
        else
            text_addf(out, "cache     %s%s\n", folder.at,
                      is_there ? "" : " (made at the first record)");
        report_kept(out, folder.at);
    }
    text_dispose(&folder);
}

/* Tools that some verbs need in addition to a GPU, and which verbs. */
static void report_tools(struct text *out)
{
    static const struct {
        const char *name, *purpose;
        bool (*locate)(struct text *out);
    } tools[] = {{"ncu", "profile", locate_ncu},
                 {"nvdisasm", "emit --sass, and instructions of machine code", NULL},
                 {"nvcc", "exports and bench's CUB", NULL}};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        text_addf(out, "%-9s ", tools[i].name);
        if (!(tools[i].locate ? tools[i].locate(out) : locate_program(out, tools[i].name)))
            text_addf(out, "none: needed for %s; it comes with the CUDA toolkit",
                      tools[i].purpose);
        text_adds(out, "\n");
    }
}

/* Looks for CUB as `bench --against cub` does. */
static void report_cub(struct text *out)
{
    static const char *const names[] = {"cub-toolkit.so", "cub-newest.so"};
    char self[PATH_MAX - 64] = "build", path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    const size_t before = out->length;
    if (length > 0)
        self[length] = '\0';
    char *const slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", self, names[i]);
        if (access(path, F_OK) == 0)
            text_addf(out, "cub       %s\n", path);
    }
    if (out->length == before)
        text_adds(
            out,
            "cub       none: bench/cub/build.sh of autotune's sources builds it, for bench "
            "--against cub\n");
}

/* A line is a label of 9 columns and a text. */
static void fill_table(struct table *table, const struct text *text)
{
    enum { LABEL = 10 };
    for (const char *line = text->at; line && *line;) {
        const int length = (int)strcspn(line, "\n");
        int label = length < LABEL ? length : LABEL;
        while (label > 0 && line[label - 1] == ' ')
            label--;
        table_addf(table, "%.*s", label, line);
        table_addf(table, "%.*s", length > LABEL ? length - LABEL : 0,
                   length > LABEL ? line + LABEL : "");
        line += length + (line[length] == '\n');
    }
}

struct doctor {
    struct request request;
    struct text text;
};

static int gather(void *shared, struct error *error)
{
    struct doctor *doctor = shared;
    const struct request *request = &doctor->request;
    struct text *text = &doctor->text;
    text_adds(text, "autotune  " VERSION "\n");
    report_gpus(text, request);
    size_t before = text->length;
    nvrtc_list(request->nvrtc, report_nvrtc, text);
    if (text->length == before && request->nvrtc)
        text_addf(text, "nvrtc     none: --nvrtc %s: there is no such file\n", request->nvrtc);
    else if (text->length == before)
        text_adds(
            text,
            "nvrtc     none: install the CUDA toolkit's NVRTC, or "
            "'pip install nvidia-cuda-nvrtc-cu12' (12.8 and 12.9 serve sm_70 to sm_120)\n");
    report_host(text, request);
    report_cache(text, request);
    report_tools(text);
    report_cub(text);
    return text_check(text, error);
}

static int show(void *shared, struct error *error)
{
    static const struct table_column columns[] = {{NULL, "what", false}, {NULL, "is", false}};
    const struct doctor *doctor = shared;
    struct table table = {.columns = columns, .column_count = 2};
    fill_table(&table, &doctor->text);
    const int failed = output_forms(&doctor->request.out, &doctor->text, &table, NULL, error);
    table_dispose(&table);
    return failed;
}

static void clean_up(void *shared)
{
    struct doctor *doctor = shared;
    text_dispose(&doctor->text);
}

/* clang-format off */
const struct verb_row verb_doctor = {
    .verb = VERB_DOCTOR,
    .name = "doctor",
    .summary = "say what is here, what is missing and what to install",
    .help =
        "Says what is here, what is missing, and what to install. Changes nothing.\v" VERBS_EXIT,
    .bytes = sizeof(struct doctor),
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
