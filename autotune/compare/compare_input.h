/* compare_input: what `autotune compare` is given for one GPU: its figures, measured and
 * published, and what is known of the GPU itself. */
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
    bool has_target; /* else nothing can be analysed for it */
    bool has_l2;     /* is the L2 cache its own? */
    struct target target;
    int clock_khz;          /* 0 = unknown */
    struct records records; /* of this GPU alone */
    struct error damaged;   /* of a file of records: why a part is left out */
    struct published *published[COMPARE_PUBLISHED_MAX];
    size_t published_count;
    struct nvrtc *nvrtc; /* compiles for it; NULL = none does, as no_nvrtc says */
    struct error no_nvrtc;
};

/* `name`: a file (one with a '/' or that ends in .ini), the name of a file of
 * configs/published/, or a GPU of the table, with what is published of it and the records that
 * are kept here and shipped, or a GPU that a document there alone has. ERROR_IO: the file
 * cannot be used. ERROR_USAGE: it is none of these, with what there is. Warns of records that
 * are passed over. */
int compare_input_open(struct compare_input *out, const struct request *request,
                       const char *name, struct error *error);
void compare_input_close(struct compare_input *input);

#endif
