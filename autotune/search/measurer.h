/* measurer: is the measuring worker: opens the device's inputs and bench once, proves and times
 * the units it is sent, and reports each step to the coordinator. Hides inputs, warming up and
 * the reference kernel. */
#ifndef AUTOTUNE_MEASURER_H
#define AUTOTUNE_MEASURER_H

#include "autotune/measure/session.h"
#include "autotune/search/job.h"
#include "autotune/search/proven.h"

struct measurer {
    struct session session;
    int socket; /* to the coordinator */
    /* the space's default: the reference of times; its kernels also flush the L2 */
    struct loaded loaded;
    struct compiled_unit shadow; /* of the default; of no variants where it has none */
    struct session_kernel reference;
    uint64_t reference_ps; /* its last time */
    struct proven *proven; /* of the ones before too */
    double until;     /* of monotonic_s: the unit's time is over, in a proof too; 0 = never */
    bool owes_result; /* nothing was measured yet: its time does not count */
    bool is_cut;      /* the time was over before all of the unit was tried */
    double worked_s;  /* of monotonic_s: its user says when the device last worked */
};

/* A default's kernels, and its shadow's. */
struct measurer_default {
    struct loaded loaded;
    struct compiled_unit shadow; /* of no variants where it has none */
};

/* What measurers leave to the next on the same device. */
struct measurer_rest {
    struct measurer_default
        *defaults; /* theirs, the last one's at the end, in use again where they
                                        * are the next one's */
    size_t count;
    double until;         /* the device's clocks are up until then, of monotonic_s */
    struct proven proven; /* on this device */
};

/* `ready` gets the reference's time and the numbers of inputs and calls. Takes over `rest`, which is
 * zeros at first, and outlives the measurer. The default must be right: ERROR_WRONG. Close after a failure too. */
int measurer_open(struct measurer *out, struct device *device,
                  const struct point_context *context, const struct emit_sources *sources,
                  uint64_t seed, int socket, struct measurer_rest *rest,
                  struct job_ready *ready, struct error *error);
void measurer_close(struct measurer *measurer, struct measurer_rest *rest);
void measurer_drop(struct measurer_rest *rest);

/* Tries a unit, and reports everything but JOB_TRIED. A candidate that is wrong or cannot run
 * is no error; -1: the device or the coordinator is lost. */
int measurer_unit(struct measurer *measurer, const struct job_unit *unit, bool *is_cut,
                  struct error *error);

/* Another measurement of the reference. */
int measurer_reference(struct measurer *measurer, uint64_t *out_ps, struct error *error);

/* Offers the proofs that follow the default's shadow, or that of a unit's variant, which live until the next
 * call. */
void measurer_offer_default(const struct measurer *measurer);
void measurer_offer(const struct measurer *measurer, const struct job_unit *unit,
                    const struct job_variant *variant);

/* Sets ERROR_WRONG for the default, which is the reference of all times. */
int measurer_fault_default(const struct measurer *measurer, const char *reason,
                           struct error *error);

/* The steps of measurer_unit, for other modules that prove and time: announces the next step;
 * runs and reports the small proofs of a variant by `count` of its configs, of positions that `draw`
 * chooses or CHECK_ALL. `has_run` becomes false where the device fails to run them, which says nothing
 * of the kernel's results. Of proofs that were cut nothing is reported. */
int measurer_announce(const struct measurer *measurer, enum job_phase phase, uint64_t variant,
                      uint64_t candidate, struct error *error);
int measurer_variant(struct measurer *measurer, struct session_kernel *kernel, uint64_t variant,
                     const int64_t *configs, size_t count, uint64_t draw, bool *has_run,
                     struct error *error);
/* Chooses other positions for each variant, so that all together try many more than one. */
uint64_t measurer_draw(const struct measurer *measurer, uint64_t variant);

/* How session_prove and session_prove_once prove at full n. */
typedef int measurer_proof(struct session *session, struct session_kernel *kernel,
                           uint64_t draw, uint64_t *out_ps, struct bench_outcome *out,
                           struct error *error);
/* Runs the proof at full n, whose first run is the first timing: fills times, launch, status and
 * reason of the candidate's trial. */
int measurer_first(struct measurer *measurer, struct session_kernel *kernel,
                   measurer_proof *prove, uint64_t candidate, struct trial *trial,
                   struct error *error);
/* After a failure: was the candidate at fault? Not where the device works no more, nor where
 * this process lacks something, as descriptors: ERROR_IO. */
bool measurer_is_at_fault(const struct measurer *measurer, const struct error *cause);

/* A variant's compiled code, with a config that launches it. */
struct measurer_code {
    const struct device_image *image;
    const struct compiled_variant *compiled;
    const int64_t *config;
};

/* Was this proven of the code on this device, at whatever n? And: now it is. */
bool measurer_has_proven(const struct measurer *measurer, const struct measurer_code *code,
                         enum proven_what what);
int measurer_add_proven(const struct measurer *measurer, const struct measurer_code *code,
                        enum proven_what what, struct error *error);

/* Reports a candidate that is wrong or failed. */
int measurer_reject(const struct measurer *measurer, uint64_t candidate,
                    enum trial_status status, const char *reason, struct error *error);

#endif
