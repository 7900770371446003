/* measurer: is the measuring worker: opens the device's inputs and bench once, proves and times
 * the units it is sent, and reports each step to the coordinator. Hides inputs, warming up and
 * the reference kernel. */
#ifndef AUTOTUNE_MEASURER_H
#define AUTOTUNE_MEASURER_H

#include "autotune/measure/bench.h"
#include "autotune/search/job.h"
#include "autotune/verify/check.h"

struct measurer {
    struct device *device;
    const struct point_context *context;
    uint64_t seed;
    int socket; /* to the coordinator */
    struct check *check;
    struct input input;
    struct bench bench;
    /* the space's default: the reference of times; its kernels also flush the L2 */
    struct compiled_unit default_unit;
    struct device_module *default_module;
    struct device_kernel default_loaded[COMPILER_KERNELS];
    const struct device_kernel *default_kernels[SPACE_PASSES_MAX];
    struct bench_entry reference;
    uint64_t reference_ps; /* its last time */
    double until;          /* of monotonic_s: the unit's time is over; 0 = never */
    bool is_cut;           /* the time was over before all of the unit was tried */
};

/* `ready` gets the reference's time and the numbers of inputs and calls. The default must be
 * right: ERROR_WRONG. Close after a failure too. */
int measurer_open(struct measurer *out, struct device *device,
                  const struct point_context *context, const struct emit_sources *sources,
                  uint64_t seed, int socket, struct job_ready *ready, struct error *error);
void measurer_close(struct measurer *measurer);

/* Tries a unit, and reports everything but JOB_TRIED. A candidate that is wrong or cannot run
 * is no error; -1: the device or the coordinator is lost. */
int measurer_unit(struct measurer *measurer, const struct job_unit *unit, bool *is_cut,
                  struct error *error);

/* Another measurement of the reference. */
int measurer_reference(struct measurer *measurer, uint64_t *out_ps, struct error *error);

/* Sets ERROR_WRONG for the default, which is the reference of all times. */
int measurer_fault_default(const struct measurer *measurer, const char *reason,
                           struct error *error);

/* The steps of measurer_unit, for other modules that prove and time: announces the next step;
 * runs and reports the small proofs of a variant (false when it is wrong); proves an entry at
 * full n, which is its first measurement. */
int measurer_announce(const struct measurer *measurer, enum job_phase phase, uint64_t variant,
                      uint64_t candidate, struct error *error);
int measurer_variant(struct measurer *measurer, const struct job_variant *variant,
                     const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                     bool *is_right, struct error *error);
int measurer_proof(struct measurer *measurer, uint64_t candidate,
                   const struct bench_entry *entry, uint64_t *out_ps, struct bench_outcome *out,
                   struct error *error);
/* Runs the proof at full n, which is the first timing: fills times, launch, status and reason
 * of the candidate's trial. */
int measurer_first(struct measurer *measurer, const struct bench_entry *entry,
                   uint64_t candidate, struct trial *trial, struct error *error);
/* After a failure: does the device still work, so that the candidate was at fault? */
bool measurer_is_alive(const struct measurer *measurer);

/* Reports a candidate that is wrong or failed. */
int measurer_reject(const struct measurer *measurer, uint64_t candidate,
                    enum trial_status status, const char *reason, struct error *error);

#endif
