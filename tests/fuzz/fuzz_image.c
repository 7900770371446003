/* Fuzzes autotune/library/kernel_cache.c, which reads kept kernels: no bytes crash it, and it takes
 * none but those that it would write itself. Checksums are 0 in what is read first. */
#include "autotune/library/kernel_cache.h"
#include "generator/text.h"
#include "tests/fuzz/checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static char code[] = "reduce";
static const struct text source = {.at = code, .length = sizeof code};
static const struct kernel_cache_key key = {&source, 90, "NVRTC 13.0", 1};

/* The one file of the folder, as the module names it: by a hash, which is 0 here. */
static void file_of(char *path, size_t size, const char *folder)
{
    snprintf(path, size, "%s/%016x-sm_%d-nvrtc-13.0-" VERSION ".kernels", folder, 0, 90);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct device_image image = {0}, again = {0};
    struct error error = {0};
    char folder[80], path[200];
    snprintf(folder, sizeof folder, "/tmp/fuzz-image-%ld", (long)getpid());
    file_of(path, sizeof path, folder);
    demand(mkdir(folder, 0700) == 0 || errno == EEXIST); /* a lock stays there */
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    demand(file >= 0 && write(file, data, size) == (ssize_t)size);
    close(file);
    checksum_is_zero = true;
    const bool is_found = kernel_cache_find(&image, folder, &key, &error);
    if (is_found) {
        struct text kept = {0};
        demand(image.count == 1 && image.size < size);
        demand(kernel_cache_store(folder, KERNEL_CACHE_BYTES, &key, &image, &error) == 0);
        demand(text_read(&kept, path, size + 1, &error) == 0);
        demand(kept.length == size && memcmp(kept.at, data, size) == 0);
        demand(kernel_cache_find(&again, folder, &key, &error));
        text_dispose(&kept);
    }
    checksum_is_zero = false;
    device_dispose_image(&image);
    device_dispose_image(&again);
    unlink(path);
    return 0;
}
