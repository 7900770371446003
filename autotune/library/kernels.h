/* kernels: provides a variant's kernels, ready to be launched: loaded already, or read from
 * disk, or compiled. Calls take turns: the caller holds a lock. */
#ifndef AUTOTUNE_KERNELS_H
#define AUTOTUNE_KERNELS_H

#include "autotune/device/device.h"
#include "generator/emit.h"
#include "include/autotune.h"

/* What is loaded on one device. */
struct kernels {
    struct device *device;   /* outlives it */
    char *folder;            /* of compiled kernels; NULL: none are kept */
    char *nvrtc;             /* path, or NULL */
    struct device *compiler; /* opened when first needed, which takes long */
    struct kernel_set *sets;
};

/* The kernels of one variant; they live as long as the struct kernels. */
struct kernel_set {
    struct text source; /* what they were compiled from */
    char compiler[64];  /* what compiled them: "NVRTC 13.0" */
    struct device_module *module;
    struct device_kernel at[SPACE_PASSES_MAX];
    struct kernel_set *next;
};

/* `compiler` is what the kernels were tuned with, or "": kept kernels of that one are taken
 * without looking for the compiler that is here. `kernel` is the function's name. `warning`
 * receives what was wrong with a kept file, or why none could be written. ERROR_NO_DEVICE: there
 * is no compiler; ERROR_FAILED: it fails. */
int kernels_find(struct kernels *kernels, const struct emit_variant *variant,
                 const char *kernel, const char *compiler, const struct kernel_set **out,
                 enum autotune_kernels *how, struct error *warning, struct error *error);

/* Appends what kept kernels are found by, all that decides what the compiler makes: the function's name and each
 * text, each with a zero byte behind it. */
int kernels_add_source(struct text *out, const struct emit_variant *variant, const char *kernel,
                       struct error *error);

/* Unloads them all when `is_current`, which says that the device can still be used; frees what
 * the host has of them. */
void kernels_dispose(struct kernels *kernels, bool is_current);

#endif
