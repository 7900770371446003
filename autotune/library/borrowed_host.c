/* borrowed_host: uses the emulator as a borrowed device. It takes calls from one thread at a
 * time, so callers wait for a lock. */
#include "autotune/library/borrowed.h"

#include <pthread.h>
#include <stdlib.h>

struct host_borrowed {
    struct borrowed borrowed; /* first: a struct borrowed * is a struct host_borrowed * */
    struct device *device;
    pthread_mutex_t mutex;
};

static struct device *begin(struct borrowed *borrowed)
{
    struct host_borrowed *host = (struct host_borrowed *)borrowed;
    pthread_mutex_lock(&host->mutex);
    return host->device;
}

static void end(struct borrowed *borrowed)
{
    pthread_mutex_unlock(&((struct host_borrowed *)borrowed)->mutex);
}

static int judge(struct borrowed *borrowed, int failed, const struct error *cause,
                 struct autotune_error *error)
{
    end(borrowed);
    return failed ? fail_for(error, AUTOTUNE_FAILED, cause) : 0;
}

static void host_close(struct borrowed *borrowed)
{
    struct host_borrowed *host = (struct host_borrowed *)borrowed;
    device_close(host->device);
    pthread_mutex_destroy(&host->mutex);
    free(host);
}

static int host_check(const struct borrowed *borrowed, struct autotune_error *error)
{
    (void)borrowed, (void)error;
    return 0;
}

static int host_load(struct borrowed *borrowed, const struct device_image *image,
                     struct device_module **out, struct device_kernel *kernels,
                     struct autotune_error *error)
{
    struct device *device = begin(borrowed);
    struct error cause;
    return judge(borrowed, device->ops->load(device, image, out, kernels, &cause), &cause,
                 error);
}

static void host_unload(struct borrowed *borrowed, struct device_module *module)
{
    struct device *device = begin(borrowed);
    device->ops->unload(device, module);
    end(borrowed);
}

static int host_allow(struct borrowed *borrowed, const struct device_launch *launches,
                      size_t count, struct autotune_error *error)
{
    (void)borrowed, (void)launches, (void)count, (void)error;
    return 0;
}

static int host_alloc(struct borrowed *borrowed, uint64_t bytes, uint64_t *out,
                      struct autotune_error *error)
{
    struct device *device = begin(borrowed);
    struct error cause;
    const int failed = device->ops->alloc(device, bytes, out, &cause);
    end(borrowed);
    return failed ? fail_for(error, AUTOTUNE_NO_MEMORY, &cause) : 0;
}

static void host_free(struct borrowed *borrowed, uint64_t address)
{
    struct device *device = begin(borrowed);
    device->ops->free(device, address);
    end(borrowed);
}

static int host_clear(struct borrowed *borrowed, uint64_t at, uint64_t bytes, void *stream,
                      struct autotune_error *error)
{
    struct device *device = begin(borrowed);
    struct error cause;
    (void)stream;
    return judge(borrowed, device->ops->fill(device, at, 0, bytes, &cause), &cause, error);
}

static int host_wait(struct borrowed *borrowed, void *stream, struct autotune_error *error)
{
    (void)borrowed, (void)stream, (void)error;
    return 0;
}

static int host_launch(struct borrowed *borrowed, const struct device_launch *launches,
                       size_t count, void *stream, struct autotune_error *error)
{
    struct device *device = begin(borrowed);
    struct error cause;
    (void)stream;
    return judge(borrowed, device->ops->launch(device, launches, count, &cause), &cause, error);
}

int borrowed_open_host(struct borrowed **out, struct autotune_error *error)
{
    static const struct borrowed_ops ops = {
        .close = host_close,
        .check = host_check,
        .load = host_load,
        .unload = host_unload,
        .allow = host_allow,
        .alloc = host_alloc,
        .free = host_free,
        .clear = host_clear,
        .wait = host_wait,
        .launch = host_launch,
    };
    const struct device_options options = {.spec = "host"};
    struct host_borrowed *host = calloc(1, sizeof *host);
    struct error cause;
    if (!host)
        return fail_memory(error);
    if (device_open(&host->device, &options, &cause)) {
        free(host);
        return fail_for(error, AUTOTUNE_NO_DEVICE, &cause);
    }
    pthread_mutex_init(&host->mutex, NULL);
    host->borrowed = (struct borrowed){&ops, host->device->info, host->device};
    *out = &host->borrowed;
    return 0;
}
