/* device: defines one interface for every place a kernel can run: a GPU through the driver API
 * (cuda.c) or the host emulator (host.c). Addresses are the device's; nothing here knows what a
 * reduction is. Calls on one device come from one thread, except compile, which any thread may
 * call, and those on a borrowed device. */
#ifndef AUTOTUNE_DEVICE_H
#define AUTOTUNE_DEVICE_H

#include "generator/error.h"
#include "generator/problem.h"
#include "generator/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_options {
    const char *spec;  /* "auto" (first GPU, else host), "host" or a GPU's number */
    const char *nvrtc; /* path of the NVRTC to use, or NULL to look for one */
    uint64_t seed;     /* of the host's adversarial schedule */
};

struct device_info {
    char name[128]; /* "NVIDIA H200"; "host" for the emulator */
    char spec[16];  /* "0"; "host" */
    struct target target;
    uint64_t memory_bytes;
    int clock_khz, memory_clock_khz, bus_bits; /* 0 where unknown */
    char bus_id[24];                           /* of PCI, "00000000:1b:00.0"; "" on the host */
    char uuid
        [48]; /* "GPU-1b9c...", also where CUDA_VISIBLE_DEVICES numbers anew; "" on the host */
    char driver[64];   /* "580.159.04 (CUDA 13.0)"; "none" on the host */
    char compiler[64]; /* "NVRTC 13.0"; "gcc 12.2.0" */
    bool is_fallback;  /* "auto" found no GPU: fallback_reason says why */
    char fallback_reason[400];
};

/* One kernel to compile: CUDA C as emitted, and the name of its __global__ function. */
struct device_source {
    const char *text;
    const char *kernel;
};

/* What a compile gave: several kernels in one loadable image. Owned by the caller. */
struct device_image {
    void *bytes;
    size_t size;
    bool is_ptx;      /* PTX, for want of machine code for this architecture */
    char **names;     /* by source: the name under which load finds the kernel */
    uint64_t *hashes; /* by source: equal for kernels of the same machine code, which then run
                       * alike; 0 = unknown. NULL = all unknown (PTX, the host) */
    size_t count;
};

struct device_module; /* a loaded image */

struct device_kernel {
    struct device_module *module;
    void *function;
    int registers;                     /* per thread; 0 where unknown */
    int64_t shared_bytes, local_bytes; /* static shared per block; spills per thread */
    int threads_max;                   /* block size the kernel can be launched with */
};

/* Those of a pass, then the params of an operation, then its further inputs and their strides. */
enum {
    LAUNCH_ARGS_MAX =
        PASS_ARGS_MAX + PROBLEM_PARAMS_MAX + PROBLEM_FURTHER_MAX * (1 + INPUT_STRIDES)
};

struct device_launch {
    const struct device_kernel *kernel;
    unsigned grid, block;     /* blocks, threads per block */
    unsigned cluster;         /* blocks per cluster; 0 or 1: none */
    unsigned shared_bytes;    /* dynamic shared memory of a block */
    bool is_cooperative;      /* all blocks are resident at once, or the launch is refused */
    bool starts_in_any_order; /* its blocks wait for none that has not started */
    uint64_t args[LAUNCH_ARGS_MAX]; /* each of 8 bytes: a device address or an integer */
    size_t arg_count;
};

struct device_graph; /* launches made ready to be run again and again, in order */

/* Queues work of other code on `stream`: a CUstream; NULL on the host, where the work is done
 * before it returns. */
typedef int device_enqueue(void *context, void *stream, struct error *error);

struct device;
struct host_trace;

/* Memory at an address of the host: ordinary, page-locked, or the device's. */
enum device_memory { DEVICE_PAGEABLE, DEVICE_PINNED, DEVICE_OWN };

struct device_ops {
    void (*close)(struct device *device);

    /* Can this thread use the device? NULL where any can; else device_check. */
    int (*check)(const struct device *device, struct error *error);

    /* Compiles `count` sources as one unit for target.cc. A kernel that does not compile is
     * ERROR_FAILED with the compiler's first lines in the text; any other code is what the
     * compiler lacks, and tells nothing of the kernel. Thread-safe. NVRTC's first call
     * in a process takes longer: a kernel of one line, early, takes that wait away. NULL where
     * the device is a borrowed GPU: device_open_compiler. */
    int (*compile)(struct device *device, const struct device_source *sources, size_t count,
                   struct device_image *out, struct error *error);
    /* Loads an image; `kernels` receives image->count kernels that live until unload. */
    int (*load)(struct device *device, const struct device_image *image,
                struct device_module **out, struct device_kernel *kernels, struct error *error);
    void (*unload)(struct device *device, struct device_module *module);

    /* Plain device memory, 256-byte aligned. No room is ERROR_NO_MEMORY with wanted and free
     * bytes. */
    int (*alloc)(struct device *device, uint64_t bytes, uint64_t *out, struct error *error);
    void (*free)(struct device *device, uint64_t address);
    int (*write)(struct device *device, uint64_t to, const void *from, uint64_t bytes,
                 struct error *error);
    int (*read)(struct device *device, void *to, uint64_t from, uint64_t bytes,
                struct error *error); /* after all launches before it */
    int (*copy)(struct device *device, uint64_t to, uint64_t from, uint64_t bytes,
                struct error *error);
    int (*fill)(struct device *device, uint64_t to, uint8_t byte, uint64_t bytes, void *stream,
                struct error *error);
    /* The first byte at which two pieces of memory differ, `bytes` where none does; after all
     * launches before it. Nothing is read back but the answer. */
    int (*differ)(struct device *device, uint64_t a, uint64_t b, uint64_t bytes,
                  uint64_t *first, struct error *error);
    int (*free_bytes)(struct device *device, uint64_t *out, struct error *error);

    /* Permits what launches ask for. NULL where nothing needs it; else device_allow. */
    int (*allow)(struct device *device, const struct device_launch *launches, size_t count,
                 struct error *error);

    /* Queues launches, in order; sync waits for them and reports what went wrong.
     * After any operation that failed, sync tells what is left: 0 = the device works on, and
     * what was allocated and loaded before is still there (no room, a launch refused); -1 = a
     * kernel broke the device, and every call from now on fails in this process. */
    int (*launch)(struct device *device, const struct device_launch *launches, size_t count,
                  void *stream, struct error *error);
    int (*sync)(struct device *device, void *stream, struct error *error);

    /* A graph of `launches`; the kernels and memory must outlive it. */
    int (*prepare)(struct device *device, const struct device_launch *launches, size_t count,
                   struct device_graph **out, struct error *error);
    /* Runs `before`, untimed, or the graph itself where there are no such launches: so the GPU
     * is busy while the host launches. Then runs the graph once between two events, and gives
     * the graph's picoseconds. On the host: wall clock, no model of a GPU's speed. */
    int (*time)(struct device *device, struct device_graph *graph,
                const struct device_launch *before, size_t before_count, uint64_t *out_ps,
                struct error *error);
    void (*release)(struct device *device, struct device_graph *graph);

    /* A graph of what `enqueue` queues, for time and release. On the host it is called whenever
     * the graph runs: the context must outlive the graph. */
    int (*capture)(struct device *device, device_enqueue *enqueue, void *context,
                   struct device_graph **out, struct error *error);
    /* As time, for work queued in plain stream order, instead of a graph. */
    int (*time_queued)(struct device *device, device_enqueue *enqueue, void *context,
                       const struct device_launch *before, size_t before_count,
                       uint64_t *out_ps, struct error *error);

    /* --- Data on the host: streams, events, pinned memory. The work of a stream is done in order;
     * between streams only `follow` gives an order. The emulator does such work late, when
     * somebody waits for it, and in a random order of streams. */

    /* `joins_default`: it waits for the default stream's work, and that for its. */
    int (*stream_open)(struct device *device, bool joins_default, void **out,
                       struct error *error);
    void (*stream_close)(struct device *device, void *stream); /* when its work is done */
    int (*event_open)(struct device *device, void **out, struct error *error);
    void (*event_close)(struct device *device, void *event);
    /* The event is reached when all that the stream has got so far is done. */
    int (*record)(struct device *device, void *event, void *stream, struct error *error);
    /* What the stream gets from now on waits for the event, as it was recorded last. */
    int (*follow)(struct device *device, void *stream, void *event, struct error *error);
    int (*await)(struct device *device, void *event, struct error *error);
    /* Nanoseconds between two events that were reached. */
    int (*elapsed)(struct device *device, void *from, void *to, double *out_ns,
                   struct error *error);
    /* Host memory that the device can copy by itself, and what memory is at an address. */
    int (*pin)(struct device *device, uint64_t bytes, void **out, struct error *error);
    void (*unpin)(struct device *device, void *at);
    enum device_memory (*kind_of)(struct device *device, const void *at);
    /* Queue a copy to the device, from it, and within it: `from` and `to` stay as they are until
     * it is done, but where they are pageable it may wait for that itself. */
    int (*write_async)(struct device *device, uint64_t to, const void *from, uint64_t bytes,
                       void *stream, struct error *error);
    int (*read_async)(struct device *device, void *to, uint64_t from, uint64_t bytes,
                      void *stream, struct error *error);
    int (*copy_async)(struct device *device, uint64_t to, uint64_t from, uint64_t bytes,
                      void *stream, struct error *error);
    /* What part of an SM's memory shared memory is to have. NULL where there is no such choice;
     * else device_prefer_shared. */
    int (*prefer_shared)(struct device *device, const struct device_kernel *kernel, int percent,
                         struct error *error);

    /* How many blocks of this kernel an SM holds at once, as the driver says. NULL on the
     * host. */
    int (*occupancy)(struct device *device, const struct device_kernel *kernel, unsigned block,
                     unsigned shared_bytes, int *out, struct error *error);
};

struct device {
    const struct device_ops *ops;
    struct device_info info;
};

/* `stream` is a CUstream, or NULL for the device's own, which of a borrowed context is the
 * default stream; the host has those of stream_open, and does what is for any other at once. Of a
 * borrowed device the ops of graphs and times are NULL, and those that move memory to and from the
 * host without a stream. */

/* Opens a device; ERROR_NO_DEVICE says what is missing and what to install. */
int device_open(struct device **out, const struct device_options *options, struct error *error);

/* Opens a device that a caller has: "host", or for NULL the GPU whose CUDA context is current to
 * this thread. That context stays its owner's: nothing waits but what says so, and any thread
 * may call, once the context is current to it. ERROR_NO_CONTEXT, ERROR_NO_DEVICE. */
int device_borrow(struct device **out, const char *spec, struct error *error);
void device_close(struct device *device);

/* Can this thread use the device? Of a borrowed one the context must be current: else
 * ERROR_NO_CONTEXT or ERROR_OTHER_CONTEXT; a fork of the process has none. All ops need it. */
int device_check(const struct device *device, struct error *error);

/* Permits the shared memory and the clusters that launches like these ask for; ERROR_NOT_GRANTED:
 * the device has not so much. Of a borrowed device it is called once, before the first such launch;
 * others permit as they launch. */
int device_allow(struct device *device, const struct device_launch *launches, size_t count,
                 struct error *error);

/* What part of an SM's memory shared memory is to have when the kernel runs, in percent; -1: as
 * the driver likes. */
int device_prefer_shared(struct device *device, const struct device_kernel *kernel, int percent,
                         struct error *error);

/* A device that can only compile, for one that `info` describes: opens neither driver nor GPU
 * (NVRTC may look for its cache through the driver). Gives the very images that the device
 * itself would with the same `nvrtc` (as in device_options). Its info is a copy of `info`, but
 * for the name of the compiler found. Of its ops only close and compile may be called; for a
 * GPU the others are NULL. */
int device_open_compiler(struct device **out, const struct device_info *info, const char *nvrtc,
                         struct error *error);

/* How many GPUs there are: 0 with the reason in `why` when there is no driver or none shows. */
int device_count(char *why, size_t why_size);

/* Theoretical memory bandwidth: memory clock x bus x 2 / 8, bytes per second; 0 = unknown. */
uint64_t device_peak_bytes(const struct device_info *info);
uint64_t device_peak_of(int memory_clock_khz, int bus_bits);

void device_dispose_image(struct device_image *image);

/* Each kind of device; device_open calls them. */
int cuda_open(struct device **out, int number, const struct device_options *options,
              struct error *error);
int cuda_count(char *why, size_t why_size); /* as device_count */
int cuda_open_compiler(struct device **out, const struct device_info *info, const char *nvrtc,
                       struct error *error);
int cuda_borrow(struct device **out, struct error *error);
int host_open(struct device **out, const struct device_options *options, struct error *error);
int host_borrow(struct device **out, struct error *error);

/* The host as a device that compiles kernels to be watched: what the first block of each launch
 * does with shared memory is added to `trace`, which must outlive it. */
int host_open_tracing(struct device **out, struct host_trace *trace, struct error *error);

/* What the info of this GPU would say, without opening it; of the compiler it says nothing. */
int cuda_describe(struct device_info *out, int number, struct error *error);

#endif
