/* kernel_cache: keeps compiled kernels on disk, one file for each variant, private to the user. What is
 * read is what was written, for the very key, or nothing: machine code is never taken from a file that
 * others could have written, that changed by a single bit, or that was compiled from another source. */
#ifndef AUTOTUNE_KERNEL_CACHE_H
#define AUTOTUNE_KERNEL_CACHE_H

#include "autotune/device/device.h"
#include "generator/text.h"

/* What decides the machine code, beside this version of the program. */
struct kernel_cache_key {
    const struct text *source; /* what it was compiled from; compared as a whole */
    int cc;                    /* compute capability it was compiled for, 90 for 9.0 */
    const char *compiler;      /* "NVRTC 13.0" */
    size_t kernels;            /* in the image, at least 1 */
};

enum { IMAGE_BYTES_MAX = 64 << 20 }; /* of a file; a larger one is refused */

/* Reads the image of this key. False when there is none; `reason` then says what was wrong with
 * a file that is there, and is ERROR_NONE where there is no file. */
bool kernel_cache_find(struct device_image *out, const char *folder,
                       const struct kernel_cache_key *key, struct error *reason);

/* Keeps an image under its key. Makes the folder (mode 0700); replaces the file as a whole,
 * mode 0600. ERROR_IO says why it is not kept. */
int kernel_cache_store(const char *folder, const struct kernel_cache_key *key,
                       const struct device_image *image, struct error *error);

#endif
