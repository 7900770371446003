/* cubin: reads an image of NVRTC, an ELF file with some sections for each kernel: which kernels
 * the compiler made identical, and what each needs to run. Pure; opens nothing. */
#ifndef AUTOTUNE_CUBIN_H
#define AUTOTUNE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A hash of all that decides how the kernel of this (lowered) name behaves: instructions,
 * constants, registers, shared and local memory, parameters, the block it may be launched with.
 * Equal for equal kernels, whatever their names and whatever else is in the image. 0 = unknown:
 * no such kernel, a damaged image, one with data that kernels share (__constant__, __device__),
 * or code that is only complete once the driver has linked it. */
uint64_t cubin_hash(const void *bytes, size_t size, const char *kernel);

struct cubin_needs {
    int registers;        /* per thread */
    int64_t shared_bytes; /* static shared memory of a block */
    int64_t local_bytes;  /* a thread's frame in local memory: spills, and arrays with it */
};

/* The same as the driver says once it has loaded the image, and ptxas -v. False = unknown: no
 * such kernel, or a damaged image. */
bool cubin_needs(struct cubin_needs *out, const void *bytes, size_t size, const char *kernel);

#endif
