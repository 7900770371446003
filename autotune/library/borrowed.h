/* borrowed: uses a device that its owner keeps: kernels are loaded into the CUDA context that
 * the caller has made current, and launched on the streams it names. Nothing waits but what
 * says so. Any thread may call, once the context is current to it. */
#ifndef AUTOTUNE_BORROWED_H
#define AUTOTUNE_BORROWED_H

#include "autotune/device/device.h"
#include "autotune/library/fail.h"

struct borrowed;

struct borrowed_ops {
    void (*close)(struct borrowed *borrowed);

    /* Is the borrowed context the one current to this thread? NO_CONTEXT,
     * OTHER_CONTEXT. Everything below needs it. */
    int (*check)(const struct borrowed *borrowed, struct autotune_error *error);

    /* Loads an image; `kernels` receives image->count kernels that live until unload. */
    int (*load)(struct borrowed *borrowed, const struct device_image *image,
                struct device_module **out, struct device_kernel *kernels,
                struct autotune_error *error);
    void (*unload)(struct borrowed *borrowed, struct device_module *module);

    /* Once for launches like these, before the first: permits the shared memory and cluster
     * that they ask for. */
    int (*allow)(struct borrowed *borrowed, const struct device_launch *launches, size_t count,
                 struct autotune_error *error);

    int (*alloc)(struct borrowed *borrowed, uint64_t bytes, uint64_t *out,
                 struct autotune_error *error);
    void (*free)(struct borrowed *borrowed, uint64_t address);
    int (*clear)(struct borrowed *borrowed, uint64_t at, uint64_t bytes, void *stream,
                 struct autotune_error *error); /* in the order of the stream */
    int (*wait)(struct borrowed *borrowed, void *stream, struct autotune_error *error);

    /* Checks as `check` does and queues the launches. No allocation, and no lock on a GPU. */
    int (*launch)(struct borrowed *borrowed, const struct device_launch *launches, size_t count,
                  void *stream, struct autotune_error *error);
};

struct borrowed {
    const struct borrowed_ops *ops;
    struct device_info info; /* the compiler's name is not known on a GPU: "" */
    struct device
        *compiler; /* on the host what compiles; NULL on a GPU: device_open_compiler */
};

/* `device`: NULL for the context that is current, or "host". */
int borrowed_open(struct borrowed **out, const char *device, struct autotune_error *error);
void borrowed_close(struct borrowed *borrowed);

/* Each kind; borrowed_open calls them. */
int borrowed_open_cuda(struct borrowed **out, struct autotune_error *error);
int borrowed_open_host(struct borrowed **out, struct autotune_error *error);

#endif
