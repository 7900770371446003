/* compare_input: opens one GPU for `autotune compare`: its figures, measured and published, and
 * its hardware data. */
#ifndef AUTOTUNE_COMPARE_INPUT_H
#define AUTOTUNE_COMPARE_INPUT_H

#include "autotune/cli/request.h"
#include "autotune/compare/compare.h"
#include "autotune/compare/published.h"
#include "autotune/device/gpus.h"
#include "cache/store.h"

struct nvrtc;

enum { COMPARE_PUBLISHED_MAX = 16 };

struct compare_input {
    struct compare_side side;
    bool is_emulator;
    bool is_model;   /* named as a GPU, not by a file or a document */
    bool has_target; /* false: no kernel can be analysed for it */
    bool has_l2;     /* is the L2 cache size known for this GPU? */
    struct target target;
    int clock_khz;          /* 0 = unknown */
    struct records records; /* of this GPU only, */
    size_t shipped_count;   /* ... the last of which ship with the program */
    struct error damaged;   /* of a file of records: why a part is left out */
    struct published *published[COMPARE_PUBLISHED_MAX];
    size_t published_count;
    struct nvrtc *nvrtc; /* compiles for this GPU; NULL = not available, no_nvrtc says why */
    struct error no_nvrtc;
};

/* `name`: a file (one with a '/' or that ends in .ini), the name of a file of
 * configs/published/, or a GPU: of the table, with its published figures and its records here
 * and shipped, or one that only a document there has. ERROR_IO: the file cannot be used.
 * ERROR_USAGE: it is none of these; the error lists what there is. Warns of records that are
 * passed over. */
int compare_input_open(struct compare_input *out, const struct request *request,
                       const char *name, struct error *error);
void compare_input_close(struct compare_input *input);

#endif
