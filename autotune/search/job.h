/* job: defines the messages between the coordinator and its workers: one struct a message, and
 * one description of each for both writing and reading. enum job_kind says which message
 * answers which. */
#ifndef AUTOTUNE_JOB_H
#define AUTOTUNE_JOB_H

#include "autotune/device/device.h"
#include "autotune/measure/nvml.h"
#include "autotune/measure/race.h"
#include "autotune/search/frame.h"
#include "autotune/verify/compiler.h"
#include "cache/trial.h"

enum job_kind {
    JOB_SETUP =
        1,       /* to every worker, before each job: struct job_setup; answered by JOB_READY */
    JOB_READY,   /* struct job_ready */
    JOB_FATAL,   /* the worker cannot serve at all, and ends: struct job_fatal */
    JOB_COMPILE, /* struct job_configs; answered by JOB_COMPILED */
    JOB_COMPILED, /* struct job_unit without candidates, or JOB_FATAL */
    JOB_TRY,    /* struct job_unit; JOB_AT, JOB_PROVEN, JOB_TRIAL follow; JOB_TRIED ends them */
    JOB_AT,     /* struct job_at: the worker's next step, at fault if the worker ends in it */
    JOB_PROVEN, /* struct job_proven: a variant's small proofs */
    JOB_TRIAL,  /* struct job_trial: a candidate's */
    JOB_TRIED,  /* struct job_tried */
    JOB_RACE,   /* struct job_race; JOB_AT, JOB_PROVEN, JOB_TRIAL follow; JOB_RACED ends them */
    JOB_RACED,  /* struct job_raced */
    JOB_OTHER_SPACE, /* struct job_other_space, to a measuring worker; JOB_AT, JOB_PROVEN and
                      * JOB_TRIAL of candidate 0 follow; JOB_TRIED ends them */
    JOB_START,       /* nothing, to a measuring worker; answered by JOB_STARTED */
    JOB_STARTED,     /* struct job_started */
};

/* What a worker must know. After reading, its texts lie in the frame. */
struct job_setup {
    bool measures; /* on the device of info.spec; otherwise it compiles for it */
    const char *nvrtc;
    uint64_t seed;
    struct device_info info;
    struct problem problem;
    struct emit_file space;
    const int64_t *default_config; /* in place of the space's own */
    uint64_t width;                /* params of the space */
    struct emit_sources sources;
};

struct job_ready {
    uint64_t reference_ps;  /* the default's time, once the clocks have settled */
    uint64_t inputs, calls; /* distinct inputs; calls in a measurement of the race */
    double prove_s;         /* of the default's small proofs */
    double prove_n_s;       /* of its proof at n */
};

struct job_fatal {
    enum error_code code;
    char text[sizeof((struct error *)0)->text];
};

/* The variants to compile as one unit: a config of each. */
struct job_configs {
    uint64_t count;
    const int64_t *configs;           /* count x params of the space */
    bool wants_shadow[COMPILER_UNIT]; /* and its shadow's kernels (check_has_shadow) */
};

/* A variant of a unit, and its candidates that are to be tried. */
struct job_variant {
    struct compiled_variant compiled; /* `variant` is the coordinator's index */
    double limit; /* its first candidate may take this many times the best, or the rest is left
                   * out; 0 = all are tried */
    bool is_proven; /* this very machine code is proven at small sizes already */
    uint64_t count; /* candidates */
    const uint64_t *ids;
    const int64_t *configs; /* count x params */
    uint64_t shadow_image; /* the place of its shadow's kernels in `shadows`, from 1; 0: none */
    struct compiled_variant shadow;
};
struct job_unit {
    struct device_image image; /* read, it lies in the frame, its names in `names` */
    struct device_image shadows[COMPILER_UNIT]; /* likewise, in `shadow_names` */
    uint64_t shadow_count;
    struct job_variant variants[COMPILER_UNIT];
    uint64_t count;
    uint64_t compile_us;
    uint64_t best_ps; /* of all so far; 0 = none */
    uint64_t samples; /* measurements of a candidate that is not hopeless */
    double seconds;   /* no candidate is begun after so many; 0 = no such limit */
    bool owes_result; /* nothing was measured yet: one candidate is, whatever the seconds */
    char *names[COMPILER_KERNELS], *shadow_names[COMPILER_UNIT][COMPILER_KERNELS];
};

/* The image that holds a variant's shadow; NULL: none is at hand. */
const struct device_image *job_shadow_image(const struct job_unit *unit,
                                            const struct job_variant *variant);

/* The finalists: units all of whose candidates take part. */
enum { JOB_RACE_UNITS = RACE_ENTRANTS_MAX, JOB_KEPT_MAX = RACE_ENTRANTS_MAX };
struct job_race {
    struct job_unit *units;
    uint64_t count;
    double seconds;
    double check_s; /* no place behind the first is proven after so many; 0 = no such limit */
    bool is_comparison; /* of the first candidate with all others: nobody is dropped */
    bool keeps_all;     /* any entrant may be kept in a record; else the first places ... */
    uint64_t kept_count;
    uint64_t kept[JOB_KEPT_MAX]; /* ... and these candidates, wherever they come in */
};

/* A candidate of a space other than the worker's own, for the same problem. */
struct job_other_space {
    struct emit_file space, template;
    uint64_t width; /* params of its space */
    const int64_t *config;
};

enum job_phase { PHASE_LOAD, PHASE_PROVE, PHASE_MEASURE, PHASE_RACE };
#define JOB_NO_CANDIDATE UINT64_MAX
#define JOB_OLD_CODE                                                                           \
    (UINT64_MAX -                                                                              \
     1) /* a candidate and its variant: other machine code of the first one's kernels */

struct job_at {
    enum job_phase phase;
    uint64_t variant;   /* or JOB_NO_CANDIDATE: none in particular */
    uint64_t candidate; /* or JOB_NO_CANDIDATE: all of the variant */
};

struct job_proven {
    uint64_t variant;
    bool is_right, has_run; /* false: the image does not load, or the device fails to run it */
    uint64_t cases, prove_us;
    char reason[TRIAL_REASON];
};

struct job_trial {
    uint64_t candidate;
    struct trial trial; /* what compiling and proving took is the coordinator's to fill in */
};

struct job_tried {
    uint64_t reference_ps; /* one more measurement of the default */
    bool is_cut; /* the seconds were over: candidates without a trial were not left out */
};

/* How many blocks of a kernel that does nothing the device starts in a second; 0 = not measured. */
struct job_started {
    double blocks;
};

enum { JOB_CHECKED = 10 }; /* places of the race that get the finalist checks */

/* The finalist checks of an entrant. */
struct job_entrant {
    uint64_t candidate; /* JOB_NO_CANDIDATE: the default */
    uint64_t height;
    double error, bound; /* relative to sum|x| on random floats; < 0 = none */
    unsigned registers;
};
struct job_raced {
    struct race_result result;
    struct job_entrant entrants[RACE_ENTRANTS_MAX]; /* as the race numbers them; 0 = default */
    uint64_t count;
    uint64_t past_32_bits; /* elements of the proof past 2^31; 0 = none */
    uint64_t proofs;       /* small runs compared */
    uint64_t checked;      /* right ones of the first places that had the finalist checks */
    struct nvml_reading reading; /* of the GPU as the race ended; zeros where it does not say */
};

/* Each writes `message` to the frame, or with `reads` takes it from there. What is read points
 * into the frame, which must live as long; job_race's units are allocated: free them. -1:
 * memory, or not such a message. */
int job_code_setup(struct frame *frame, struct job_setup *message, bool reads,
                   struct error *error);
int job_code_configs(struct frame *frame, struct job_configs *message, size_t width, bool reads,
                     struct error *error);
int job_code_unit(struct frame *frame, struct job_unit *message, size_t width, bool reads,
                  struct error *error);
int job_code_race(struct frame *frame, struct job_race *message, size_t width, bool reads,
                  struct error *error);
int job_code_other_space(struct frame *frame, struct job_other_space *message, bool reads,
                         struct error *error);

/* All other messages hold no pointers and are sent as they are. */
int job_read(struct frame *frame, void *message, size_t size, struct error *error);

/* Reads any message that a measuring worker sends while it works: -1 for any other message, and
 * for a size that is not the message's. */
union job_told {
    struct job_ready ready;
    struct job_fatal fatal;
    struct job_at at;
    struct job_proven proven;
    struct job_trial trial;
    struct job_tried tried;
    struct job_started started;
};
int job_read_told(struct frame *frame, union job_told *out, struct error *error);

int job_send(int socket, enum job_kind kind, const void *message, size_t size,
             struct error *error);

#endif
