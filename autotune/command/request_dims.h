/* request_dims: the sizes that --n, or --rows, --len, --pitch, --axis and --shape, ask for, as
 * dims. */
#ifndef AUTOTUNE_REQUEST_DIMS_H
#define AUTOTUNE_REQUEST_DIMS_H

#include "generator/dims_text.h"

struct request;

/* What the options of a matrix say. */
struct request_dims {
    struct matrix low;            /* 0 = not given; of ranges the least */
    uint64_t rows_high, len_high; /* of ranges, else 0 */
    bool has_axis;
    const char *shape; /* a name of dims_text; NULL = not given */
};

/* Takes the value of one of these options; REQUEST_NO_OPTION for another. */
int request_dims_value(struct request *request, int key, const char *value,
                       struct error *error);

/* What cannot be meant together. */
int request_dims_check(const struct request *request, struct error *error);

/* Gives the problem the dims of the matrix that is asked for, if any is. */
int request_dims_settle(struct request *request, struct error *error);

/* Does any option say more of the dims than --n? Of show none does: --shape says which records. */
bool request_dims_are_given(const struct request *request);

/* Is a range of such sizes asked for? */
bool request_dims_is_sweep(const struct request *request);

#endif
