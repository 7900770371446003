/* host_module: loads instances of an image, each a file in memory that the loader takes for
 * another library. They are loaded when first asked for. */
#include "autotune/device/host_module.h"

#include "autotune/device/host_run.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One copy of an image in memory. The file stays open: the loader knows a library by its name,
 * which has the number of the file in it. */
struct instance {
    int file;
    void *library;
};

struct device_module {
    char *bytes; /* of the image, for more instances */
    size_t size;
    struct instance instances[HOST_SLOTS_MAX];
    unsigned instance_count;
    struct entry *entries; /* by kernel */
    size_t entry_count;
};

/* A kernel in each instance; what device_kernel.function points to. */
struct entry {
    struct device_module *module;
    char *symbol;
    const struct host_unit *units[HOST_SLOTS_MAX];
};

static int write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(file, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

static int open_instance(struct instance *out, const char *bytes, size_t size,
                         struct error *error)
{
    const int file = memfd_create("kernel", MFD_CLOEXEC);
    if (file < 0 || write_all(file, bytes, size) != 0) {
        error_set(error, ERROR_FAILED, "cannot lay a kernel of %zu bytes in memory: %s", size,
                  strerror(errno));
        if (file >= 0)
            close(file);
        return -1;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        error_set(error, ERROR_FAILED, "cannot load a kernel: %s", dlerror());
        close(file);
        return -1;
    }
    *out = (struct instance){file, library};
    return 0;
}

/* Instances are loaded when first asked for. */
const struct host_unit *host_module_unit(void *function, unsigned slot, struct error *error)
{
    struct entry *entry = function;
    struct device_module *module = entry->module;
    while (module->instance_count <= slot) {
        if (open_instance(&module->instances[module->instance_count], module->bytes,
                          module->size, error) != 0)
            return NULL;
        module->instance_count++;
    }
    if (!entry->units[slot])
        entry->units[slot] = dlsym(module->instances[slot].library, entry->symbol);
    if (!entry->units[slot])
        error_set(error, ERROR_FAILED, "the image has no kernel '%s': compile it again",
                  entry->symbol);
    return entry->units[slot];
}

void host_module_unload(struct device *device, struct device_module *module)
{
    (void)device;
    if (!module)
        return;
    for (unsigned i = 0; i < module->instance_count; i++) {
        dlclose(module->instances[i].library);
        close(module->instances[i].file);
    }
    for (size_t i = 0; i < module->entry_count; i++)
        free(module->entries[i].symbol);
    free(module->entries);
    free(module->bytes);
    free(module);
}

static int copy_image(struct device_module *module, const struct device_image *image,
                      struct error *error)
{
    module->bytes = malloc(image->size ? image->size : 1);
    module->entries = calloc(image->count ? image->count : 1, sizeof *module->entries);
    if (!module->bytes || !module->entries)
        return error_memory(error, image->size + image->count * sizeof *module->entries);
    if (image->size)
        memcpy(module->bytes, image->bytes, image->size);
    module->size = image->size;
    for (size_t i = 0; i < image->count; i++) {
        struct entry *entry = &module->entries[i];
        entry->module = module;
        entry->symbol = strdup(image->names[i]);
        if (!entry->symbol)
            return error_memory(error, strlen(image->names[i]) + 1);
        module->entry_count++;
    }
    return 0;
}

int host_module_load(struct device *device, const struct device_image *image,
                     struct device_module **out, struct device_kernel *kernels,
                     struct error *error)
{
    struct device_module *module = calloc(1, sizeof *module);
    if (!module)
        return error_memory(error, sizeof *module);
    int status = copy_image(module, image, error);
    for (size_t i = 0; i < image->count && status == 0; i++) {
        const struct host_unit *unit = host_module_unit(&module->entries[i], 0, error);
        if (!unit) {
            status = -1;
            break;
        }
        kernels[i] = (struct device_kernel){.module = module,
                                            .function = &module->entries[i],
                                            .shared_bytes = unit->shared_end - unit->shared,
                                            .threads_max = HOST_THREADS_MAX};
    }
    if (status != 0) {
        host_module_unload(device, module);
        return -1;
    }
    *out = module;
    return 0;
}
