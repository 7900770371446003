/* bench: times candidates. A measurement is a graph of calls between two events, divided by
 * their number; cold ones come after a read-only sweep over three times the L2 and use each
 * input once. Every timed result can be compared with the right one. Hides buffers, poison and
 * the sweep. */
#ifndef AUTOTUNE_BENCH_H
#define AUTOTUNE_BENCH_H

#include "autotune/device/device.h"
#include "autotune/verify/input.h"
#include "generator/call.h"

struct bench {
    struct device *device;
    struct input *input;
    size_t calls; /* in a long measurement: a multiple of the inputs */
    /* Places for the results of calls. Each call has its own; for a matrix, calls that read the
     * same input share one, as the calls of a program do that uses its memory again. */
    size_t slots;
    uint64_t slot_bytes; /* from one to the next */
    /* Where results are many: the right ones for each input, with the guard. */
    uint64_t expected;
    uint64_t outputs, scratch, scratch_bytes;
    uint64_t state, state_bytes; /* zero but while a call runs */
    uint64_t sweep_data, sweep_scratch, sweep_state;
    struct device_launch sweep[PLANNER_LAUNCHES]; /* launches that read the sweep's data */
    size_t sweep_count;                           /* 0: none needed */
    struct device_module *sweep_module;           /* of templates/device/sweep.cu, or NULL */
    struct device_kernel sweep_kernel;
};

/* About how many bytes bench_open allocates on the device for the results of a problem's calls
 * and, where they are many, for the right ones. */
double bench_bytes(const struct problem *problem, const struct device_info *info);

/* `sweep_config` and `sweep_kernels` are a proven variant that reads the sweep's data; its
 * kernels must outlive the bench. */
int bench_open(struct bench *out, struct device *device, struct input *input,
               const struct point_context *context, const int64_t *sweep_config,
               const struct device_kernel *const sweep_kernels[SPACE_PASSES_MAX],
               struct error *error);
void bench_close(struct bench *bench);

/* Makes room for the scratch memory and the state of this config. When it grows, entries made
 * before are lost: reserve for all entries of a race before preparing any. */
int bench_reserve(struct bench *bench, const struct point_context *context,
                  const int64_t *config, struct error *error);

/* A candidate ready to be measured. */
struct bench_entry {
    struct device_graph *graph;
    size_t calls;            /* in a measurement */
    unsigned grid, block;    /* of the first pass */
    uint64_t scratch, state; /* where these were: when they have moved, the entry is lost */
    uint64_t scratch_bytes;  /* of the scratch memory; a guard follows */
    uint64_t state_bytes;
    uint64_t height;   /* of the tree of combinations, for results that have doubts */
    bool leaves_epoch; /* a call leaves the next one an epoch in its state, not zeros */
    /* passes that are not timed: run after the last call, when its result is to be compared */
    struct device_launch after[PLANNER_LAUNCHES];
    size_t after_count;
    struct bench_work *work; /* what the graph was made of */
};

/* `calls`: a multiple of the inputs, at most bench->calls. As many as there are inputs give the
 * shortest measurement that proves the candidate on each. */
int bench_prepare(struct bench_entry *out, struct bench *bench,
                  const struct point_context *context, const int64_t *config,
                  const struct device_kernel *const kernels[SPACE_PASSES_MAX], size_t calls,
                  struct error *error);
void bench_release(struct bench *bench, struct bench_entry *entry);

/* Calls of a measurement in the search: each input once, or as many as in a long measurement
 * where one call alone would differ from many. For a proof: no more than have places for their
 * results. */
size_t bench_search_calls(const struct bench *bench);
size_t bench_proof_calls(const struct bench *bench);

/* One call of another library: queues the reduction of the input to the one value at `output`
 * on `stream`, as device_enqueue says. */
typedef int bench_call(void *context, uint64_t input, uint64_t output, void *stream,
                       struct error *error);

/* Prepares an entry for another library's calls, measured and compared as a candidate is.
 * `call` is called once before its graph is made; the context must outlive the entry. */
int bench_adopt(struct bench_entry *out, struct bench *bench, bench_call *call, void *context,
                size_t calls, struct error *error);

/* Takes one measurement: picoseconds per call. */
int bench_time(struct bench *bench, const struct bench_entry *entry, uint64_t *out_ps,
               struct error *error);

/* Takes one measurement with the calls queued in plain stream order, not as a graph: the times
 * of a caller who launches them one by one, as soon as the host can. */
int bench_time_queued(struct bench *bench, const struct bench_entry *entry, uint64_t *out_ps,
                      struct error *error);

/* Has the bench's memory moved since the entry was prepared? */
bool bench_is_lost(const struct bench *bench, const struct bench_entry *entry);

struct bench_outcome {
    bool is_right;
    char reason[240]; /* what is wrong */
};

/* Takes one measurement and compares every result: outputs and scratch are poisoned and the
 * state is zero before; afterwards each output must be right (of a space with passes that are
 * not timed: the last one), the state zero unless it keeps an epoch, and the guards behind
 * outputs and scratch as they were. -1 only when the device fails. */
int bench_prove(struct bench *bench, const struct bench_entry *entry, uint64_t *out_ps,
                struct bench_outcome *out, struct error *error);

/* The fastest time that memory allows, 0 where caches may help or the peak is unknown. */
uint64_t bench_floor_ps(const struct bench *bench);

#endif
