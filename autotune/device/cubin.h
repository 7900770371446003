/* cubin: recognises kernels that the compiler made identical, in an image as NVRTC gives it: an
 * ELF file with some sections for each kernel. Pure; opens nothing. */
#ifndef AUTOTUNE_CUBIN_H
#define AUTOTUNE_CUBIN_H

#include <stddef.h>
#include <stdint.h>

/* A hash of all that decides how the kernel of this (lowered) name behaves: instructions,
 * constants, registers, shared and local memory, parameters, the block it may be launched with.
 * Equal for equal kernels, whatever their names and whatever stands beside them in the image.
 * 0 = unknown: no such kernel, a damaged image, one with data that kernels share (__constant__,
 * __device__), or code that is only complete once the driver has linked it. */
uint64_t cubin_hash(const void *bytes, size_t size, const char *kernel);

#endif
