/* host_compile: compiles emitted kernels to a shared library, by the system's C compiler. Works
 * in a private temporary folder that is gone afterwards, whatever happens. */
#ifndef AUTOTUNE_HOST_COMPILE_H
#define AUTOTUNE_HOST_COMPILE_H

#include "autotune/device/device.h"

struct host_compiler {
    const char *program; /* as looked up in PATH: "cc" */
    char version[64];    /* "gcc 12.2.0" */
    bool is_tracing; /* compile kernels that tell each access to memory; set by the caller */
};

/* The first of cc, gcc and clang that is there. A program built with a sanitizer takes only the
 * compiler it was built by. ERROR_NO_DEVICE says what to install. */
int host_compile_find(struct host_compiler *out, struct error *error);

/* As compile of struct device_ops. The image is the library's bytes, its names those of a
 * struct host_unit each. */
int host_compile_image(const struct host_compiler *compiler,
                       const struct device_source *sources, size_t count,
                       struct device_image *out, struct error *error);

#endif
