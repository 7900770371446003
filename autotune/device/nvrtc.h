/* nvrtc: compiles by NVIDIA's run-time compiler, opened at run time. Works without a GPU and
 * without a driver. Chooses among the libraries it finds one that supports the architecture. */
#ifndef AUTOTUNE_NVRTC_H
#define AUTOTUNE_NVRTC_H

#include "autotune/device/device.h"

struct nvrtc;

/* The options beside the architecture that decide the machine code. */
#define NVRTC_OPTIONS "--std=c++17"

/* A library that compiles for compute capability `cc` (90 for 9.0). `path` (or NULL) names one
 * by hand; otherwise: the loader's path, $CUDA_HOME, the toolkit's usual place, and pip's
 * nvidia packages. ERROR_NO_DEVICE names what was found, with each one's version and
 * architectures, and what to install (sm_70 needs 12.x, sm_120 needs 12.8 or later). */
int nvrtc_open(struct nvrtc **out, const char *path, int cc, struct error *error);
void nvrtc_close(struct nvrtc *nvrtc);

/* The same for want of one that has `cc`: the library with the newest architecture below it,
 * for PTX that the driver compiles further. */
int nvrtc_open_older(struct nvrtc **out, const char *path, int cc, struct error *error);

/* Can the library at `path` be used, whatever it compiles for? ERROR_NO_DEVICE says why not. */
int nvrtc_check(const char *path, struct error *error);

/* The newest architecture not above `cc` that it compiles for: 90; 0 = none. */
int nvrtc_arch(const struct nvrtc *nvrtc, int cc);

const char *nvrtc_version(const struct nvrtc *nvrtc); /* "13.0" */
const char *nvrtc_path(const struct nvrtc *nvrtc);

enum nvrtc_output { NVRTC_CUBIN, NVRTC_PTX };

/* Compiles sources as one unit, each in a namespace of its own, to machine code or PTX for
 * `cc`. out->names are the lowered names. Thread-safe. A failure is ERROR_FAILED with the first
 * lines of the log. */
int nvrtc_compile(struct nvrtc *nvrtc, int cc, enum nvrtc_output output,
                  const struct device_source *sources, size_t count, struct device_image *out,
                  struct error *error);

/* The same of one text, whose kernels are named as C++ names them ("my::v0::reduce"). */
int nvrtc_compile_unit(struct nvrtc *nvrtc, int cc, enum nvrtc_output output, const char *unit,
                       const char *const *names, size_t count, struct device_image *out,
                       struct error *error);

/* Every NVRTC found, best first, for doctor: calls `each` with path, version, architectures
 * ("sm_75 .. sm_121") or the reason it cannot be used. */
typedef void nvrtc_visit(void *context, const char *path, const char *version,
                         const char *archs);
void nvrtc_list(const char *path, nvrtc_visit *each, void *context);

#endif
