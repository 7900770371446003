/* session: takes kernels for one problem on one device through the steps that come before a
 * time counts, in this order: prove at small sizes, prove at n, time. A kernel that skips a
 * step is a fault of ours, and ends the program. The search, the ladder and the comparison with
 * other libraries are its users. */
#ifndef AUTOTUNE_SESSION_H
#define AUTOTUNE_SESSION_H

#include "autotune/measure/bench.h"
#include "autotune/verify/check_small.h"
#include "autotune/verify/loaded.h"

/* A kernel on its way. */
struct session_kernel {
    const struct point_context *context; /* of its space: not always the session's */
    const int64_t *config;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    bool is_right_small; /* proven at small sizes; set where that very code was proven before */
    bool is_right;       /* proven at n: it may be timed */
    struct bench_entry entry;
};

struct session {
    struct device *device;
    const struct point_context *context; /* whose space's default flushes the L2 */
    uint64_t seed;
    struct check *check;
    struct input input;
    struct bench bench;
};

struct session_options {
    const struct emit_sources *sources; /* outlive the session */
    uint64_t seed;
    uint64_t offset;    /* bytes that inputs start past a 256-byte boundary */
    uint64_t positions; /* tried one by one on the emulator */
};

/* Makes the inputs, and what small proofs need. Close after a failure too. */
int session_open(struct session *out, struct device *device,
                 const struct point_context *context, const struct session_options *options,
                 struct error *error);
/* Makes what measurements need. `flush`, which is right at small sizes, reads the data that
 * flushes the L2; its kernels outlive the session. */
int session_open_bench(struct session *session, const struct session_kernel *flush,
                       struct error *error);
void session_close(struct session *session);

/* Proves a variant at small sizes by `count` of its candidates' configs: at positions that `draw`
 * chooses, or at all, CHECK_ALL. -1 only when the device fails. */
int session_prove_small(struct session *session, struct session_kernel *kernel,
                        const int64_t *configs, size_t count, uint64_t draw,
                        struct check_outcome *out, struct error *error);

/* Makes the kernel's entry in the bench, of so many calls a measurement at least; one that is
 * there and has not moved is kept. */
int session_prepare(struct session *session, struct session_kernel *kernel, size_t calls,
                    struct error *error);
void session_release(struct session *session, struct session_kernel *kernel);

/* Proves the prepared kernel at n; the run is its first measurement. Where one element decides,
 * more runs follow with that element at the other edge and at places drawn by `draw`. */
int session_prove(struct session *session, struct session_kernel *kernel, uint64_t draw,
                  uint64_t *out_ps, struct bench_outcome *out, struct error *error);

/* The same in the first run alone, in which the element that decides is at a place that `draw`
 * chooses: enough to be timed, not to be kept. */
int session_prove_once(struct session *session, struct session_kernel *kernel, uint64_t draw,
                       uint64_t *out_ps, struct bench_outcome *out, struct error *error);

/* Takes one measurement, of calls in a graph or queued one by one. */
int session_time(struct session *session, const struct session_kernel *kernel, bool is_queued,
                 uint64_t *out_ps, struct error *error);

#endif
