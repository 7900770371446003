/* proven: remembers what a worker has proven of which kernels, so that at the next size of a sweep it need not
 * repeat the very same runs: these do not depend on n. It compares no texts but hashes of 128 bits, of all
 * that such a proof depends on. */
#ifndef AUTOTUNE_PROVEN_H
#define AUTOTUNE_PROVEN_H

#include "autotune/verify/check_small.h"
#include "autotune/verify/compiler.h"

struct proven_key {
    uint64_t low, high;
};

/* The proofs that do not depend on n. */
enum proven_what {
    PROVEN_SMALL,     /* small sizes, of all positions or of drawn ones */
    PROVEN_POSITIONS, /* the positions that draws leave out */
    PROVEN_SPECIALS,  /* special values */
    PROVEN_PAST       /* n past 2^31 */
};

/* On one device, with one seed. Initialise with zeros. */
struct proven {
    struct proven_key *keys;
    size_t count;
};
void proven_dispose(struct proven *proven);

/* Of a variant's kernels in their image, by these two configs, for the problem of the context: of a run
 * of elements its n does not count, of other dims all does. */
struct proven_key proven_key(const struct point_context *context,
                             const struct device_image *image,
                             const struct compiled_variant *compiled,
                             const struct check_configs *configs, enum proven_what what);

bool proven_has(const struct proven *proven, const struct proven_key *key);
int proven_add(struct proven *proven, const struct proven_key *key, struct error *error);

#endif
