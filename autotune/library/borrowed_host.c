/* borrowed_host: the emulator as a lent device. Hides that it takes calls from one thread at a
 * time: each takes its turn. */
#include "autotune/library/borrowed.h"

#include <pthread.h>
#include <stdlib.h>

struct host_guest {
    struct lent lent; /* first: a struct lent * is a struct host_guest * */
    struct device *device;
    pthread_mutex_t mutex;
};

static struct device *begin(struct lent *lent)
{
    struct host_guest *guest = (struct host_guest *)lent;
    pthread_mutex_lock(&guest->mutex);
    return guest->device;
}

static void end(struct lent *lent)
{
    pthread_mutex_unlock(&((struct host_guest *)lent)->mutex);
}

static int judge(struct lent *lent, int failed, const struct error *cause,
                 struct autotune_error *error)
{
    end(lent);
    return failed ? fail_for(error, AUTOTUNE_FAILED, cause) : 0;
}

static void host_close(struct lent *lent)
{
    struct host_guest *guest = (struct host_guest *)lent;
    device_close(guest->device);
    pthread_mutex_destroy(&guest->mutex);
    free(guest);
}

static int host_check(const struct lent *lent, struct autotune_error *error)
{
    (void)lent, (void)error;
    return 0;
}

static int host_load(struct lent *lent, const struct device_image *image,
                     struct device_module **out, struct device_kernel *kernels,
                     struct autotune_error *error)
{
    struct device *device = begin(lent);
    struct error cause;
    return judge(lent, device->ops->load(device, image, out, kernels, &cause), &cause, error);
}

static void host_unload(struct lent *lent, struct device_module *module)
{
    struct device *device = begin(lent);
    device->ops->unload(device, module);
    end(lent);
}

static int host_allow(struct lent *lent, const struct device_launch *launches, size_t count,
                      struct autotune_error *error)
{
    (void)lent, (void)launches, (void)count, (void)error;
    return 0;
}

static int host_alloc(struct lent *lent, uint64_t bytes, uint64_t *out,
                      struct autotune_error *error)
{
    struct device *device = begin(lent);
    struct error cause;
    const int failed = device->ops->alloc(device, bytes, out, &cause);
    end(lent);
    return failed ? fail_for(error, AUTOTUNE_NO_MEMORY, &cause) : 0;
}

static void host_free(struct lent *lent, uint64_t address)
{
    struct device *device = begin(lent);
    device->ops->free(device, address);
    end(lent);
}

static int host_clear(struct lent *lent, uint64_t at, uint64_t bytes, void *stream,
                      struct autotune_error *error)
{
    struct device *device = begin(lent);
    struct error cause;
    (void)stream;
    return judge(lent, device->ops->fill(device, at, 0, bytes, &cause), &cause, error);
}

static int host_wait(struct lent *lent, void *stream, struct autotune_error *error)
{
    (void)lent, (void)stream, (void)error;
    return 0;
}

static int host_launch(struct lent *lent, const struct device_launch *launches, size_t count,
                       void *stream, struct autotune_error *error)
{
    struct device *device = begin(lent);
    struct error cause;
    (void)stream;
    return judge(lent, device->ops->launch(device, launches, count, &cause), &cause, error);
}

int lent_open_host(struct lent **out, struct autotune_error *error)
{
    static const struct lent_ops ops = {
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
    struct host_guest *guest = calloc(1, sizeof *guest);
    struct error cause;
    if (!guest)
        return fail_memory(error);
    if (device_open(&guest->device, &options, &cause)) {
        free(guest);
        return fail_for(error, AUTOTUNE_NO_DEVICE, &cause);
    }
    pthread_mutex_init(&guest->mutex, NULL);
    guest->lent = (struct lent){&ops, guest->device->info, guest->device};
    *out = &guest->lent;
    return 0;
}
