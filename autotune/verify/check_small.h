/* check_small: proves a compiled variant correct before any time counts: every size, misalignment and
 * position at small n, batched; and special values for the finalists. Hides buffers, poison and
 * guard zones. docs/correctness.md explains which faults are found and why. */
#ifndef AUTOTUNE_CHECK_SMALL_H
#define AUTOTUNE_CHECK_SMALL_H

#include "autotune/device/device.h"
#include "autotune/verify/compiler.h"
#include "autotune/verify/oracle.h"
#include "generator/call.h"
#include "generator/emit.h"
#include "generator/point.h"

struct check;

/* `positions_max` bounds the positions tried one by one (see oracle_shape). `sources` emit the shadow, and
 * outlive the check. */
int check_open(struct check **out, struct device *device, const struct problem *problem,
               const struct emit_sources *sources, uint64_t positions_max, uint64_t seed,
               struct error *error);
void check_close(struct check *check);

/* From now on `begin` is called before launches and `answer` when they have ended: a few at a time on
 * the emulator, all of a geometry's on a GPU. */
void check_tell(struct check *check, void (*begin)(void), void (*answer)(void));

/* From now on a proof ends, between two launches, when it is later than `until` of monotonic_s; 0: when all
 * was run. */
void check_limit(struct check *check, double until);

/* The problem whose kernels, of the same configs, are proven before those of an operation with a text
 * of its own: that of the plain operation of its law, or sums of words where combine is no law. Its exact
 * inputs show each wrong index. False where there is none: where none is needed, or values of a law are not
 * of one kind with the elements. */
bool check_shadow(struct problem *out, const struct problem *problem);

/* Is a config's proof one of the shadow's kernels, too? `out` is the shadow, then. */
bool check_has_shadow(struct problem *out, const struct point_context *context,
                      const int64_t *config);

/* From now on the shadow's kernels are made of these sources, which live as long. */
void check_use(struct check *check, const struct emit_sources *sources);

/* Shadow's kernels that were compiled already, which the next proofs take where they are of the very text:
 * others are compiled on the way. NULL: there are none. They live until the next call. */
void check_offer_shadow(struct check *check, const struct device_image *image,
                        const struct compiled_variant *variant);

enum { CHECK_METHOD_CHARS = 160, CHECK_WORDS_CHARS = 64 };

/* How kernels of the problem are proven, in words that records keep: "bits" (results are known to the bit),
 * "bounds" (of random floats within that of rounding), "laws" (combine and identity were tried), "sums of words", "plain sum"
 * (with that operation in its place), "text" (beside the host's evaluation of the text). */
char *check_words(char out[CHECK_WORDS_CHARS], const struct problem *problem);

/* How such an operation is proven, in words behind a comma; "" of others. */
char *check_method(char out[CHECK_METHOD_CHARS], const struct problem *problem);

/* What is wrong with a case: its dims, where its elements begin, and of a wrong result which one it is. */
struct check_fault {
    struct dims dims;
    uint64_t start;  /* elements past an address aligned to 16 bytes */
    uint64_t result; /* of a wrong result: its index; `expected` and `got` are its bits */
    unsigned
        launch; /* 0: of the first; 1: of the same launch again, with its scratch as the first left it */
    const char *what;
    bool is_of_output;  /* a result is wrong or missing ... */
    bool wants_zeros;   /* ... and right where zeros stood in its place before */
    bool wants_scratch; /* ... and right where its scratch memory was zero before */
    bool is_unsteady;   /* ... and another one, or right, in the same launch again */
    bool has_bits;
    oracle_bits expected, got;
    const void *elements; /* the case's; those around them are there, too */
};

/* Sees each case by itself, in place of the first fault of many. */
struct check_observer {
    void *context;
    bool is_packed;        /* cases whose elements do not lie one behind another are left out */
    bool leaves_out_empty; /* so are those of no elements */
    void (*begin)(void *context, const struct dims *dims, uint64_t start); /* is launched now */
    void (*end)(void *context, const struct check_fault *fault);           /* NULL: is right */
};

/* From now on each case is launched twice by itself, with its elements compared afterwards, none is the end
 * of a proof, and results take the place of no elements. `observer` outlives the check. */
void check_observe(struct check *check, const struct check_observer *observer);

struct check_outcome {
    bool is_right;
    bool is_cut;    /* the time was over (check_limit): nothing is known, and it is not right */
    uint64_t cases; /* runs compared */
    char reason[240]; /* the first wrong one: n, offset, expected, got */
};

/* Two candidates of one variant: `wide` runs with its own grid, `narrow` as on a device of one
 * SM, so that each block processes several tiles. They may be the same config. */
struct check_configs {
    const int64_t *wide, *narrow;
};

/* Chooses the two among the `count` candidates of a variant, which lie one after the other: the
 * first, and the one with the fewest blocks on one SM, whose blocks process the most tiles. */
int check_choose(struct check_configs *out, const struct point_context *context,
                 const int64_t *configs, size_t count, struct error *error);

/* Proves a variant at small sizes. Of the positions that are tried one by one `draw` chooses some, about
 * as many as a block has threads (oracle_is_drawn), other ones by each number; CHECK_ALL: all are
 * tried. -1 only when the device fails. */
#define CHECK_ALL UINT64_MAX
int check_small(struct check *check, const struct point_context *context,
                struct check_configs configs,
                const struct device_kernel *const kernels[SPACE_PASSES_MAX], uint64_t draw,
                struct check_outcome *out, struct error *error);

/* Proves what a draw may leave out, all of it; right, of no cases, where it leaves out nothing. */
int check_positions(struct check *check, const struct point_context *context,
                    struct check_configs configs,
                    const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                    struct check_outcome *out, struct error *error);

/* Proves special values (NaN, Inf, -0, denormals) of floats; right for other types. */
int check_specials(struct check *check, const struct point_context *context,
                   struct check_configs configs,
                   const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                   struct check_outcome *out, struct error *error);

#endif
