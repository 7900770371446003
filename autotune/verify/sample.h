/* sample: lists the places that kernels are to be proven for, and draws a sample: a small
 * number of variants in which each pair of values of two params, or of a param and the
 * operation, the type, the accumulator or the target, occurs together. Hides how the points are
 * found. */
#ifndef AUTOTUNE_SAMPLE_H
#define AUTOTUNE_SAMPLE_H

#include "generator/point.h"

struct sample_place {
    struct problem problem;
    size_t target;
};

/* Every operation of the space, type and accumulator that go together, on every target, for a
 * few n from 1Ki to 1Gi: rules judge a space by n, so that each n has other variants. The
 * caller frees them. */
int sample_places(struct sample_place **out, size_t *count, const struct space *space,
                  size_t target_count, struct error *error);

struct sample {
    size_t width, count;
    /* `count`; n is the smallest for which the rules take the config. */
    struct sample_place *places;
    int64_t *configs; /* `count` of `width` */
    uint64_t missed;  /* pairs of values without a point */
};

/* Draws from the points that the rules of the space allow, pruned or not. The same seed gives
 * the same sample. A space that has no points at all is ERROR_USAGE. */
int sample_draw(struct sample *out, const struct space *space, const struct target *targets,
                size_t target_count, uint64_t seed, struct error *error);
void sample_dispose(struct sample *sample);

/* The config's values as a cover takes them: by param their indices among the param's. */
void sample_index_config(const struct space *space, const int64_t *config, unsigned char *out);

#endif
