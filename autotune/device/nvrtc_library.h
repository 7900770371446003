/* nvrtc_library: opens one NVRTC and asks what it is. Private to nvrtc.c, and only in builds
 * with the CUDA headers; the types of the functions are those of nvrtc.h. */
#ifndef AUTOTUNE_NVRTC_LIBRARY_H
#define AUTOTUNE_NVRTC_LIBRARY_H

#include "autotune/device/nvrtc.h"

#include <limits.h> /* PATH_MAX */
#include <nvrtc.h>

struct nvrtc_api {
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

enum { NVRTC_ARCHS_MAX = 64, NVRTC_WHY_CHARS = 300 };

struct nvrtc {
    struct nvrtc_api api;
    void *library, *builtins;
    char path[PATH_MAX], version[24];
    bool has_cache; /* since 12.9, which costs a look at the driver in each process */
    int archs[NVRTC_ARCHS_MAX]; /* ascending */
    int arch_count;
};

/* The library at `path`, for nvrtc_close; or NULL with the reason. */
struct nvrtc *nvrtc_load(const char *path, char why[NVRTC_WHY_CHARS]);

#endif
