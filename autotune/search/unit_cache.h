/* unit_cache: keeps compiled units from one search to the next, so that no variant is compiled twice in
 * a run. It finds them by the whole code of a variant and by what compiles it: the sources mostly do not
 * depend on the problem's size. */
#ifndef AUTOTUNE_UNIT_CACHE_H
#define AUTOTUNE_UNIT_CACHE_H

#include "autotune/search/queued_unit.h"
#include "autotune/search/tune_job.h"

enum { UNIT_CACHE_BYTES = 128 << 20 }; /* what is usually kept at most */

struct unit_cache;

/* `most_bytes` of code and images are kept. */
int unit_cache_open(struct unit_cache **out, size_t most_bytes, struct error *error);
void unit_cache_close(struct unit_cache *cache);

/* A new search begins: what is full is emptied. No unit that was found before is used any more. */
void unit_cache_begin(struct unit_cache *cache);
bool unit_cache_is_empty(const struct unit_cache *cache);

/* Where a variant was compiled. */
struct unit_place {
    const struct queued_unit *unit; /* of the cache; NULL: nowhere */
    size_t at;                      /* of the unit's variants */
};

/* Looks for the variant of a config of the job. */
int unit_cache_find(struct unit_place *out, const struct unit_cache *cache,
                    const struct tune_job *job, const int64_t *config, struct error *error);

/* Keeps a copy of a unit as a worker compiled it, before anything was taken of it, without its shadows: `configs`
 * has one config of each of its variants. A later one replaces an earlier one. What a compiler could not do for
 * want of something is not kept, and nothing is where there is no room. */
int unit_cache_add(struct unit_cache *cache, const struct tune_job *job,
                   const struct queued_unit *unit, const int64_t *const *configs,
                   struct error *error);

#endif
