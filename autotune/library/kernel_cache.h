/* kernel_cache: keeps compiled kernels on disk, one file for each variant, private to the user. What is
 * read is what was written, for the very key, or nothing: machine code is never taken from a file that
 * others could have written, that changed by a single bit, or that was compiled from another source.
 * Where the folder gets too large, it removes what was used longest ago. */
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

enum {
    IMAGE_BYTES_MAX = 64 << 20,     /* of a file; a larger one is refused */
    KERNEL_CACHE_BYTES = 256 << 20, /* of a folder of the library's */
};

/* Reads the image of this key, and notes in the file's time that it was used. False when there is
 * none; `reason` then says what was wrong with a file that is there, and is ERROR_NONE where there is
 * no file of this key. */
bool kernel_cache_find(struct device_image *out, const char *folder,
                       const struct kernel_cache_key *key, struct error *reason);

/* Keeps an image under its key. Makes the folder (mode 0700); replaces the file as a whole,
 * mode 0600. Then, of all kept kernels there, of whatever version, those go that were used longest ago,
 * until they have `most_bytes` at most; this one stays. By one process at a time: who is reading a
 * file that goes reads it to its end, and who comes later compiles it again. ERROR_IO says why it is
 * not kept, or why others cannot be removed. */
int kernel_cache_store(const char *folder, uint64_t most_bytes,
                       const struct kernel_cache_key *key, const struct device_image *image,
                       struct error *error);

#endif
