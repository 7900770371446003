/* nvrtc: opens the NVRTCs that are here, chooses among them and drives the one chosen. Hides its
 * C interface and how several kernels share one unit: source i is in `namespace v<i>`, its lines
 * numbered as in the source. */
#ifdef HAVE_CUDA

#include "autotune/device/nvrtc.h"

#include "autotune/device/cubin.h"
#include "autotune/device/locate.h"
#include "autotune/device/nvrtc_release.h"
#include "autotune/device/shared_object.h"
#include "generator/text.h"

#include <dlfcn.h>
#include <limits.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- One library -------------------------------------------------------------------------- */

/* Its functions, of the types that nvrtc.h gives them. */
struct api {
    __typeof__(nvrtcVersion) *version;
    __typeof__(nvrtcGetErrorString) *error_string;
    __typeof__(nvrtcGetNumSupportedArchs) *arch_count;
    __typeof__(nvrtcGetSupportedArchs) *archs;
    __typeof__(nvrtcCreateProgram) *create;
    __typeof__(nvrtcDestroyProgram) *destroy;
    __typeof__(nvrtcAddNameExpression) *add_name;
    __typeof__(nvrtcCompileProgram) *compile;
    __typeof__(nvrtcGetProgramLogSize) *log_size;
    __typeof__(nvrtcGetProgramLog) *log;
    __typeof__(nvrtcGetLoweredName) *lowered_name;
    __typeof__(nvrtcGetCUBINSize) *cubin_size;
    __typeof__(nvrtcGetCUBIN) *cubin;
    __typeof__(nvrtcGetPTXSize) *ptx_size;
    __typeof__(nvrtcGetPTX) *ptx;
};

enum { ARCHS_MAX = 64, WHY_CHARS = 300 };

struct nvrtc {
    struct api api;
    void *library, *builtins;
    char path[PATH_MAX], version[24];
    bool has_cache;       /* since 12.9, which costs a look at the driver in each process */
    int archs[ARCHS_MAX]; /* ascending */
    int arch_count;
};

static const struct symbol {
    const char *name;
    size_t offset;
} symbols[] = {
    {"nvrtcVersion", offsetof(struct api, version)},
    {"nvrtcGetErrorString", offsetof(struct api, error_string)},
    {"nvrtcGetNumSupportedArchs", offsetof(struct api, arch_count)},
    {"nvrtcGetSupportedArchs", offsetof(struct api, archs)},
    {"nvrtcCreateProgram", offsetof(struct api, create)},
    {"nvrtcDestroyProgram", offsetof(struct api, destroy)},
    {"nvrtcAddNameExpression", offsetof(struct api, add_name)},
    {"nvrtcCompileProgram", offsetof(struct api, compile)},
    {"nvrtcGetProgramLogSize", offsetof(struct api, log_size)},
    {"nvrtcGetProgramLog", offsetof(struct api, log)},
    {"nvrtcGetLoweredName", offsetof(struct api, lowered_name)},
    {"nvrtcGetCUBINSize", offsetof(struct api, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(struct api, cubin)},
    {"nvrtcGetPTXSize", offsetof(struct api, ptx_size)},
    {"nvrtcGetPTX", offsetof(struct api, ptx)},
};
enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };

static int bind(struct nvrtc *nvrtc, char why[WHY_CHARS])
{
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        void *function = dlsym(nvrtc->library, symbols[i].name);
        if (!function) {
            snprintf(why, WHY_CHARS, "it lacks %s; NVRTC 12.0 or later is needed",
                     symbols[i].name);
            return -1;
        }
        memcpy((char *)&nvrtc->api + symbols[i].offset, &function, sizeof function);
    }
    return 0;
}

static int ask(struct nvrtc *nvrtc, int *major, int *minor, char why[WHY_CHARS])
{
    const struct api *api = &nvrtc->api;
    if (api->version(major, minor) || api->arch_count(&nvrtc->arch_count) ||
        nvrtc->arch_count < 1 || nvrtc->arch_count > ARCHS_MAX || api->archs(nvrtc->archs)) {
        snprintf(why, WHY_CHARS, "it does not tell its version or its architectures");
        return -1;
    }
    snprintf(nvrtc->version, sizeof nvrtc->version, "%d.%d", *major, *minor);
    nvrtc->has_cache = *major > 12 || (*major == 12 && *minor >= 9);
    return 0;
}

/* NVRTC opens its builtins by bare name when it first compiles; one that is loaded already
 * is found wherever it lies. Without them it compiles nothing, and damaged ones, which it
 * would open itself, are a reason not to use it: -1. */
static int open_builtins(struct nvrtc *nvrtc, char why[WHY_CHARS])
{
    const char *slash = strrchr(nvrtc->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - nvrtc->path) : 0;
    struct text path = {0};
    char reason[SHARED_OBJECT_WHY];
    text_add(&path, nvrtc->path, folder);
    text_addf(&path, "libnvrtc-builtins.so.%s", nvrtc->version);
    if (path.failed) {
        snprintf(why, WHY_CHARS, "out of memory");
        return -1;
    }
    const char *const name = access(path.at, F_OK) == 0 ? path.at : path.at + folder;
    nvrtc->builtins = shared_object_open(name, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE, reason);
    const bool is_damaged = !nvrtc->builtins && !shared_object_check(name, reason);
    if (is_damaged)
        snprintf(why, WHY_CHARS, "its libnvrtc-builtins.so.%s: %.220s", nvrtc->version, reason);
    text_dispose(&path);
    return is_damaged ? -1 : 0;
}

/* The library at `path`, for nvrtc_close; or NULL with the reason. */
static struct nvrtc *load(const char *path, char why[WHY_CHARS])
{
    struct nvrtc *nvrtc = calloc(1, sizeof *nvrtc);
    char reason[SHARED_OBJECT_WHY];
    int major, minor;
    if (!nvrtc) {
        snprintf(why, WHY_CHARS, "out of memory");
        return NULL;
    }
    snprintf(nvrtc->path, sizeof nvrtc->path, "%s", path);
    /* Stays mapped: NVRTC loses what it allocated at start when it is unloaded. */
    nvrtc->library = shared_object_open(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE, reason);
    if (!nvrtc->library) {
        snprintf(why, WHY_CHARS, "%s", reason);
        goto fail;
    }
    if (bind(nvrtc, why) || ask(nvrtc, &major, &minor, why) || open_builtins(nvrtc, why))
        goto fail;
    return nvrtc;
fail:
    nvrtc_close(nvrtc);
    return NULL;
}

void nvrtc_close(struct nvrtc *nvrtc)
{
    if (!nvrtc)
        return;
    if (nvrtc->library)
        dlclose(nvrtc->library);
    if (nvrtc->builtins)
        dlclose(nvrtc->builtins);
    free(nvrtc);
}

const char *nvrtc_version(const struct nvrtc *nvrtc)
{
    return nvrtc->version;
}

const char *nvrtc_path(const struct nvrtc *nvrtc)
{
    return nvrtc->path;
}

int nvrtc_arch(const struct nvrtc *nvrtc, int cc)
{
    int arch = 0;
    for (int i = 0; i < nvrtc->arch_count; i++)
        if (nvrtc->archs[i] <= cc && nvrtc->archs[i] > arch)
            arch = nvrtc->archs[i];
    return arch;
}

/* --- Choosing ----------------------------------------------------------------------------- */

enum { ARCHS_CHARS = 120 };

static void format_archs(char out[ARCHS_CHARS], const struct nvrtc *nvrtc)
{
    const int length = snprintf(out, ARCHS_CHARS, "sm_%d .. sm_%d", nvrtc->archs[0],
                                nvrtc->archs[nvrtc->arch_count - 1]);
    if (!nvrtc->builtins)
        snprintf(out + length, ARCHS_CHARS - (size_t)length,
                 ", but compiles nothing: there is no libnvrtc-builtins.so.%.8s beside it",
                 nvrtc->version);
}

static void describe(struct text *found, const char *path, const struct nvrtc *nvrtc,
                     const char *why)
{
    char archs[ARCHS_CHARS];
    text_adds(found, found->length ? "; " : "");
    if (nvrtc) {
        format_archs(archs, nvrtc);
        text_addf(found, "%s (NVRTC %s, %s)", path, nvrtc->version, archs);
    } else {
        text_addf(found, "%s (cannot be used: %s)", path, why);
    }
}

struct choice {
    int cc;
    bool is_exact;      /* only a library that has cc will do */
    struct nvrtc *best; /* the one with the newest architecture not above cc */
    struct text found;  /* what there was to choose from */
};

/* Of two libraries the greater: one that can compile, with the newer architecture. 0:
 * neither. */
static int rank(const struct nvrtc *nvrtc, int cc)
{
    enum { WHOLE = 10000 };
    const int arch = nvrtc ? nvrtc_arch(nvrtc, cc) : 0;
    return arch && nvrtc->builtins ? WHOLE + arch : arch;
}

/* Looks at one library. No other is looked at once there is one that has cc itself. */
static bool consider(void *context, const char *path)
{
    struct choice *choice = context;
    char why[WHY_CHARS] = "";
    struct nvrtc *next = load(path, why);
    describe(&choice->found, path, next, why);
    if (!next)
        return true;
    const int arch = nvrtc_arch(next, choice->cc);
    const bool is_enough = arch == choice->cc && next->builtins;
    if (rank(next, choice->cc) > rank(choice->best, choice->cc) &&
        (arch == choice->cc || !choice->is_exact)) {
        nvrtc_close(choice->best);
        choice->best = next;
    } else {
        nvrtc_close(next);
    }
    return !is_enough;
}

static int report_none(const char *path, int cc, const struct text *found, struct error *error)
{
    const char *list = found->length && !found->failed ? found->at : path ? path : "none";
    return error_set(error, ERROR_NO_DEVICE,
                     "no NVRTC that compiles for sm_%d; found: %.1200s. sm_%d needs NVRTC %s: "
                     "run `pip install %s` or name a library with --nvrtc FILE",
                     cc, list, cc, nvrtc_needed(cc), nvrtc_package(cc));
}

static int refuse_path(const char *path, const char *why, struct error *error)
{
    return error_set(error, ERROR_NO_DEVICE,
                     "--nvrtc %.1000s: %.300s; give the path of a libnvrtc.so", path, why);
}

static const char missing[] = "no such file, or it cannot be read";

static int open_best(struct nvrtc **out, const char *path, int cc, bool is_exact,
                     struct error *error)
{
    struct choice choice = {.cc = cc, .is_exact = is_exact};
    *out = NULL;
    if (path && access(path, R_OK) != 0)
        return refuse_path(path, missing, error);
    locate_nvrtc(path, consider, &choice);
    *out = choice.best;
    const int status = *out ? 0 : report_none(path, cc, &choice.found, error);
    text_dispose(&choice.found);
    return status;
}

int nvrtc_open(struct nvrtc **out, const char *path, int cc, struct error *error)
{
    return open_best(out, path, cc, true, error);
}

int nvrtc_open_older(struct nvrtc **out, const char *path, int cc, struct error *error)
{
    return open_best(out, path, cc, false, error);
}

static bool try_one(void *context, const char *path)
{
    struct nvrtc *nvrtc = load(path, context);
    if (nvrtc)
        *(char *)context = '\0';
    nvrtc_close(nvrtc);
    return false;
}

int nvrtc_check(const char *path, struct error *error)
{
    char why[WHY_CHARS];
    snprintf(why, sizeof why, "%s", missing);
    if (access(path, R_OK) == 0)
        locate_nvrtc(path, try_one, why);
    return *why ? refuse_path(path, why, error) : 0;
}

struct listing {
    nvrtc_visit *each;
    void *context;
};

static bool list_one(void *context, const char *path)
{
    const struct listing *listing = context;
    char why[WHY_CHARS] = "", archs[ARCHS_CHARS];
    struct nvrtc *nvrtc = load(path, why);
    if (nvrtc)
        format_archs(archs, nvrtc);
    listing->each(listing->context, path, nvrtc ? nvrtc->version : "", nvrtc ? archs : why);
    nvrtc_close(nvrtc);
    return true;
}

void nvrtc_list(const char *path, nvrtc_visit *each, void *context)
{
    struct listing listing = {each, context};
    locate_nvrtc(path, list_one, &listing);
}

/* --- Compiling ---------------------------------------------------------------------------- */

static void write_unit(struct text *unit, const struct device_source *sources, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_addf(unit, "namespace v%zu {\n#line 1 \"<kernel %zu>\"\n%s\n}\n", i, i,
                  sources[i].text);
}

static int report_call(const struct nvrtc *nvrtc, nvrtcResult result, const char *doing,
                       struct error *error)
{
    return error_set(error, ERROR_FAILED, "NVRTC %s failed %s: %s; `autotune doctor` checks it",
                     nvrtc->version, doing, nvrtc->api.error_string(result));
}

static int report_builtins(const struct nvrtc *nvrtc, struct error *error)
{
    return error_set(
        error, ERROR_NO_DEVICE,
        "NVRTC %s compiles nothing without libnvrtc-builtins.so.%s: %.1000s has none "
        "beside it; install NVRTC anew, or name a whole one with --nvrtc FILE",
        nvrtc->version, nvrtc->version, nvrtc->path);
}

/* The first lines only: what follows the first errors is mostly their echo. */
static int report_log(const struct nvrtc *nvrtc, nvrtcProgram program, nvrtcResult result,
                      struct error *error)
{
    enum { LOG_LINES = 8 };
    size_t size = 0;
    char *log = nvrtc->api.log_size(program, &size) ? NULL : calloc(1, size + 1);
    if (!log || nvrtc->api.log(program, log) || !*log) {
        free(log);
        return report_call(nvrtc, result, "to compile, without a log", error);
    }
    char *end = log;
    for (int line = 0; line < LOG_LINES && *end; line++)
        end += strcspn(end, "\n") + (line < LOG_LINES - 1 && strchr(end, '\n') != NULL);
    while (end > log && (end[-1] == '\n' || end[-1] == ' '))
        end--;
    *end = '\0';
    error_set_lines(error, ERROR_FAILED, "the kernel does not compile (NVRTC %s, %s): %s",
                    nvrtc->version, nvrtc->api.error_string(result), log);
    free(log);
    return -1;
}

static int add_names(const struct nvrtc *nvrtc, nvrtcProgram program, char **names,
                     size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        nvrtcResult result = nvrtc->api.add_name(program, names[i]);
        if (result)
            return report_call(nvrtc, result, "to take a kernel's name", error);
    }
    return 0;
}

static int run_compiler(const struct nvrtc *nvrtc, nvrtcProgram program, int cc,
                        enum nvrtc_output output, struct error *error)
{
    char arch[48];
    const char *options[] = {arch, NVRTC_OPTIONS, "--no-cache"};
    const int count = nvrtc->has_cache ? 3 : 2;
    snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d",
             output == NVRTC_PTX ? "compute" : "sm", cc);
    nvrtcResult result = nvrtc->api.compile(program, count, options);
    if (result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
        return report_builtins(nvrtc, error);
    return result ? report_log(nvrtc, program, result, error) : 0;
}

/* Replaces each name expression by the name the kernel has in the image. */
static int lower_names(const struct nvrtc *nvrtc, nvrtcProgram program, char **names,
                       size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *lowered = NULL;
        nvrtcResult result = nvrtc->api.lowered_name(program, names[i], &lowered);
        if (result)
            return error_set(error, ERROR_FAILED, "no kernel %.200s in the source: %s",
                             names[i], nvrtc->api.error_string(result));
        free(names[i]);
        names[i] = strdup(lowered);
        if (!names[i])
            return error_memory(error, strlen(lowered) + 1);
    }
    return 0;
}

static int take_code(const struct nvrtc *nvrtc, nvrtcProgram program, struct device_image *out,
                     struct error *error)
{
    const struct api *api = &nvrtc->api;
    nvrtcResult result = (out->is_ptx ? api->ptx_size : api->cubin_size)(program, &out->size);
    if (result || out->size == 0)
        return report_call(nvrtc, result, "to give the size of the code", error);
    out->bytes = malloc(out->size);
    if (!out->bytes)
        return error_memory(error, out->size);
    result = (out->is_ptx ? api->ptx : api->cubin)(program, out->bytes);
    return result ? report_call(nvrtc, result, "to give the code", error) : 0;
}

static int copy_names(struct device_image *out, const char *const *names, size_t count,
                      struct error *error)
{
    out->names = calloc(count, sizeof *out->names);
    if (!out->names)
        return error_memory(error, count * sizeof *out->names);
    out->count = count;
    for (size_t i = 0; i < count; i++) {
        out->names[i] = strdup(names[i]);
        if (!out->names[i])
            return error_memory(error, strlen(names[i]) + 1);
    }
    return 0;
}

static int add_hashes(struct device_image *out, struct error *error)
{
    if (out->is_ptx)
        return 0;
    out->hashes = calloc(out->count, sizeof *out->hashes);
    if (!out->hashes)
        return error_memory(error, out->count * sizeof *out->hashes);
    for (size_t i = 0; i < out->count; i++)
        out->hashes[i] = cubin_hash(out->bytes, out->size, out->names[i]);
    return 0;
}

int nvrtc_compile_unit(struct nvrtc *nvrtc, int cc, enum nvrtc_output output, const char *unit,
                       const char *const *names, size_t count, struct device_image *out,
                       struct error *error)
{
    nvrtcProgram program = NULL;
    int status = -1;
    *out = (struct device_image){.is_ptx = output == NVRTC_PTX};
    if (count == 0)
        return error_set(error, ERROR_FAILED, "no kernel to compile; give one or more sources");
    if (copy_names(out, names, count, error))
        goto out;
    nvrtcResult result = nvrtc->api.create(&program, unit, "unit.cu", 0, NULL, NULL);
    if (result) {
        report_call(nvrtc, result, "to take the source", error);
        goto out;
    }
    if (add_names(nvrtc, program, out->names, count, error) ||
        run_compiler(nvrtc, program, cc, output, error) ||
        lower_names(nvrtc, program, out->names, count, error) ||
        take_code(nvrtc, program, out, error) || add_hashes(out, error))
        goto out;
    status = 0;
out:
    if (program)
        nvrtc->api.destroy(&program);
    if (status)
        device_dispose_image(out);
    return status;
}

int nvrtc_compile(struct nvrtc *nvrtc, int cc, enum nvrtc_output output,
                  const struct device_source *sources, size_t count, struct device_image *out,
                  struct error *error)
{
    struct text unit = {0}, *names = calloc(count + 1, sizeof *names);
    const char **list = calloc(count + 1, sizeof *list);
    int failed = names && list ? 0 : error_memory(error, (count + 1) * sizeof *names);
    *out = (struct device_image){0};
    if (!failed)
        write_unit(&unit, sources, count);
    for (size_t i = 0; !failed && i < count; i++) {
        text_addf(&names[i], "v%zu::%s", i, sources[i].kernel);
        failed = text_check(&names[i], error);
        list[i] = names[i].at;
    }
    failed = failed || text_check(&unit, error) ||
             nvrtc_compile_unit(nvrtc, cc, output, unit.at, list, count, out, error);
    for (size_t i = 0; names && i < count; i++)
        text_dispose(&names[i]);
    free(names);
    free(list);
    text_dispose(&unit);
    return failed ? -1 : 0;
}

#endif
