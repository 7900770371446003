/* host_module: loads instances of an image, each a file in memory that the loader takes for
 * another library. They are loaded when first asked for. */
#include "autotune/device/host_module.h"

#include "autotune/device/host_run.h"
#include "cache/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_CHARS = 64 };

/* One copy of an image in memory. The file stays open: who debugs reads its names there. */
struct instance {
    int file;
    dev_t device; /* with inode: which file that is, whoever has its number by now */
    ino_t inode;
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

/* A file in memory with the bytes that nobody changes any more: a program that has closed its
 * streams may write to the number of any file. */
static int make_file(const char *bytes, size_t size)
{
    const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    const int file = memfd_create("kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return -1;
    if (file_write(file, bytes, size) == 0 && fcntl(file, F_ADD_SEALS, seals) == 0)
        return file;
    const int reason = errno;
    close(file);
    errno = reason;
    return -1;
}

static bool is_loaded(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return library != NULL;
}

/* The loader knows a library by its name, which has the number of the file in it. Where one of that
 * name was not unloaded, for good or because its file was closed by the program, another number is
 * taken; and none of a stream. Takes the file over; -1 with errno. */
static int name_file(char path[PATH_CHARS], int file)
{
    int number = STDERR_FILENO;
    while (file >= 0) {
        const int moved = fcntl(file, F_DUPFD_CLOEXEC, number + 1);
        const int reason = errno;
        close(file);
        number = file = moved;
        snprintf(path, PATH_CHARS, "/proc/%ld/fd/%d", (long)getpid(), file);
        errno = reason;
        if (file >= 0 && !is_loaded(path))
            break;
    }
    return file;
}

/* What is opened may lie where another thread closed something: the loader's own lock orders the two, but
 * no checker of threads sees it. */
static atomic_uint turns_of_loader;

static int open_instance(struct instance *out, const char *bytes, size_t size,
                         struct error *error)
{
    char path[PATH_CHARS];
    struct stat status;
    const int file = name_file(path, make_file(bytes, size));
    if (file < 0 || fstat(file, &status)) {
        error_set(error, ERROR_IO, "cannot lay a kernel of %zu bytes in memory: %s%s", size,
                  strerror(errno),
                  errno == EMFILE ? "; raise what `ulimit -n` shows: each block under way "
                                    "takes a file"
                                  : "");
        if (file >= 0)
            close(file);
        return -1;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        error_set(error, ERROR_FAILED, "cannot load a kernel: %s", dlerror());
        close(file);
        return -1;
    }
    atomic_fetch_add(&turns_of_loader, 1);
    *out = (struct instance){file, status.st_dev, status.st_ino, library};
    return 0;
}

/* A program may have closed all that was open, and its own have the numbers. */
static void close_instance(const struct instance *instance)
{
    struct stat status;
    atomic_fetch_add(&turns_of_loader, 1);
    dlclose(instance->library);
    if (fstat(instance->file, &status) == 0 && status.st_dev == instance->device &&
        status.st_ino == instance->inode)
        close(instance->file);
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
    for (unsigned i = 0; i < module->instance_count; i++)
        close_instance(&module->instances[i]);
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
