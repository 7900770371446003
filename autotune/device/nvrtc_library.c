/* nvrtc_library: binds the functions of a libnvrtc.so, with the library that it needs beside
 * it, and finds out what its version has. */
#ifdef HAVE_CUDA

#include "autotune/device/nvrtc_library.h"

#include "autotune/device/shared_object.h"
#include "generator/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct symbol {
    const char *name;
    size_t offset;
} symbols[] = {
    {"nvrtcVersion", offsetof(struct nvrtc_api, version)},
    {"nvrtcGetErrorString", offsetof(struct nvrtc_api, error_string)},
    {"nvrtcGetNumSupportedArchs", offsetof(struct nvrtc_api, arch_count)},
    {"nvrtcGetSupportedArchs", offsetof(struct nvrtc_api, archs)},
    {"nvrtcCreateProgram", offsetof(struct nvrtc_api, create)},
    {"nvrtcDestroyProgram", offsetof(struct nvrtc_api, destroy)},
    {"nvrtcAddNameExpression", offsetof(struct nvrtc_api, add_name)},
    {"nvrtcCompileProgram", offsetof(struct nvrtc_api, compile)},
    {"nvrtcGetProgramLogSize", offsetof(struct nvrtc_api, log_size)},
    {"nvrtcGetProgramLog", offsetof(struct nvrtc_api, log)},
    {"nvrtcGetLoweredName", offsetof(struct nvrtc_api, lowered_name)},
    {"nvrtcGetCUBINSize", offsetof(struct nvrtc_api, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(struct nvrtc_api, cubin)},
    {"nvrtcGetPTXSize", offsetof(struct nvrtc_api, ptx_size)},
    {"nvrtcGetPTX", offsetof(struct nvrtc_api, ptx)},
};
enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };

static int bind(struct nvrtc *nvrtc, char why[NVRTC_WHY_CHARS])
{
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        void *function = dlsym(nvrtc->library, symbols[i].name);
        if (!function) {
            snprintf(why, NVRTC_WHY_CHARS, "it lacks %s; NVRTC 12.0 or later is needed",
                     symbols[i].name);
            return -1;
        }
        memcpy((char *)&nvrtc->api + symbols[i].offset, &function, sizeof function);
    }
    return 0;
}

static int ask(struct nvrtc *nvrtc, int *major, int *minor, char why[NVRTC_WHY_CHARS])
{
    const struct nvrtc_api *api = &nvrtc->api;
    if (api->version(major, minor) || api->arch_count(&nvrtc->arch_count) ||
        nvrtc->arch_count < 1 || nvrtc->arch_count > NVRTC_ARCHS_MAX ||
        api->archs(nvrtc->archs)) {
        snprintf(why, NVRTC_WHY_CHARS, "it does not tell its version or its architectures");
        return -1;
    }
    snprintf(nvrtc->version, sizeof nvrtc->version, "%d.%d", *major, *minor);
    nvrtc->has_cache = *major > 12 || (*major == 12 && *minor >= 9);
    return 0;
}

/* NVRTC opens its builtins by bare name when it first compiles; one that is loaded already
 * is found wherever it lies. Without them it compiles nothing, and damaged ones, which it
 * would open itself, are a reason not to use it: -1. */
static int open_builtins(struct nvrtc *nvrtc, char why[NVRTC_WHY_CHARS])
{
    const char *slash = strrchr(nvrtc->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - nvrtc->path) : 0;
    struct text path = {0};
    char reason[SHARED_OBJECT_WHY];
    text_add(&path, nvrtc->path, folder);
    text_addf(&path, "libnvrtc-builtins.so.%s", nvrtc->version);
    if (path.failed) {
        snprintf(why, NVRTC_WHY_CHARS, "out of memory");
        return -1;
    }
    const char *const name = access(path.at, F_OK) == 0 ? path.at : path.at + folder;
    nvrtc->builtins = shared_object_open(name, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE, reason);
    const bool is_damaged = !nvrtc->builtins && !shared_object_check(name, reason);
    if (is_damaged)
        snprintf(why, NVRTC_WHY_CHARS, "its libnvrtc-builtins.so.%s: %.220s", nvrtc->version,
                 reason);
    text_dispose(&path);
    return is_damaged ? -1 : 0;
}

struct nvrtc *nvrtc_load(const char *path, char why[NVRTC_WHY_CHARS])
{
    struct nvrtc *nvrtc = calloc(1, sizeof *nvrtc);
    char reason[SHARED_OBJECT_WHY];
    int major, minor;
    if (!nvrtc) {
        snprintf(why, NVRTC_WHY_CHARS, "out of memory");
        return NULL;
    }
    snprintf(nvrtc->path, sizeof nvrtc->path, "%s", path);
    /* Stays mapped: NVRTC loses what it allocated at start when it is unloaded. */
    nvrtc->library = shared_object_open(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE, reason);
    if (!nvrtc->library) {
        snprintf(why, NVRTC_WHY_CHARS, "%s", reason);
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

#endif
