/* gpu: makes a GPU's primary CUDA context current for a call of the library, and moves bytes there.
 * The driver is opened at run time, by the names that the library uses too: nothing of CUDA is
 * needed to build or to import. */
#ifndef GPU_H
#define GPU_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h>

/* GPUs that the driver shows; 0 without a driver. */
int gpu_count(void);

/* The GPU that an address belongs to; -1 of none. */
int gpu_of(uint64_t address);

/* What the driver answers; 0 is success. The name of another: "CUDA_ERROR_OUT_OF_MEMORY". */
const char *gpu_error(int result);

/* A primary context, which is retained while it is here; of the emulator context is NULL, and then
 * nothing below does anything. */
struct gpu {
    void *context;
    int number;
};
int gpu_open(struct gpu *gpu, int number);
void gpu_close(struct gpu *gpu);

/* Makes it current to this thread, and gives back what was: each enter has its leave. */
void *gpu_enter(const struct gpu *gpu);
void gpu_leave(const struct gpu *gpu, void *before);

/* Within enter and leave. Copies have ended on return, and what `stream` had before them. */
int gpu_alloc(uint64_t *out, size_t bytes);
int gpu_free(uint64_t address);
int gpu_copy_in(uint64_t to, const void *from, size_t bytes, void *stream);
int gpu_copy_out(void *to, uint64_t from, size_t bytes, void *stream);
int gpu_wait(void *stream);

/* For all streams, those of others too, which may be gone. */
int gpu_wait_all(const struct gpu *gpu);

#endif
