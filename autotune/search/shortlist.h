/* shortlist: chooses the candidates that take part in the final race. */
#ifndef AUTOTUNE_SHORTLIST_H
#define AUTOTUNE_SHORTLIST_H

#include "autotune/search/tune_job.h"
#include "autotune/search/tune_result.h"

enum {
    SHORTLIST_MAX = 31,    /* beside the default: more would leave each too few rounds */
    SHORTLIST_VALUES = 32, /* and so many for their values, which are soon out of the race */
    SHORTLIST_ROOM = SHORTLIST_MAX + SHORTLIST_VALUES
};

/* Lists the measured candidates that race beside the default: configs asked for, then the
 * best, then with races_values the best with each value of each param, the fastest of these. */
int shortlist_choose(const struct tune_result *result, const struct tune_job *job,
                     const struct tune_options *options, size_t out[SHORTLIST_ROOM],
                     size_t *out_count, struct error *error);

/* The candidate that runs in place of a config asked for: the config's own, or the one it is
 * equal to. */
size_t shortlist_asked(const struct tune_result *result, const struct tune_options *options,
                       size_t number);

#endif
