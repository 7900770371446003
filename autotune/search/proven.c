/* proven: lists the hashes of what was proven right. */
#include "autotune/search/proven.h"

#include "autotune/verify/oracle.h"
#include "generator/array.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void proven_dispose(struct proven *proven)
{
    free(proven->keys);
    *proven = (struct proven){.keys = NULL};
}

static void hash_number(XXH3_state_t *state, uint64_t number)
{
    XXH3_128bits_update(state, &number, sizeof number);
}

/* But for what small cases replace, see oracle_resize, and for where the data is. */
static void hash_problem(XXH3_state_t *state, const struct problem *problem)
{
    const struct dims dims =
        oracle_is_run(&problem->dims) ? oracle_resize(&problem->dims, 1, 1, 0) : problem->dims;
    const struct operation *op = problem->op;
    const uint64_t numbers[] = {problem_combine(problem),
                                problem_map(problem),
                                problem->type,
                                problem->acc,
                                problem->order,
                                problem->offsets,
                                dims.outer.n,
                                dims.depth.n,
                                dims.inner.n,
                                dims.outer.stride,
                                dims.depth.stride,
                                dims.inner.stride,
                                dims.scan,
                                dims_span(&dims),
                                dims_has_spans(&dims) ? dims.span.stride : 0};
    XXH3_128bits_update(state, numbers, sizeof numbers);
    XXH3_128bits_update(state, op->key, strlen(op->key) + 1);
}

struct proven_key proven_key(const struct point_context *context,
                             const struct device_image *image,
                             const struct compiled_variant *compiled,
                             const struct check_configs *configs, enum proven_what what)
{
    const size_t bytes = context->space->param_count * sizeof *configs->wide;
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    hash_number(&state, what);
    hash_number(&state, context->space->hash);
    hash_problem(&state, context->problem);
    XXH3_128bits_update(&state, configs->wide, bytes);
    XXH3_128bits_update(&state, configs->narrow, bytes);
    for (size_t pass = 0; pass < SPACE_PASSES_MAX; pass++)
        hash_number(&state, (uint64_t)compiled->kernel_of_pass[pass]);
    XXH3_128bits_update(&state, image->bytes, image->size);
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    return (struct proven_key){hash.low64, hash.high64};
}

bool proven_has(const struct proven *proven, const struct proven_key *key)
{
    size_t i = 0;
    while (i < proven->count &&
           (proven->keys[i].low != key->low || proven->keys[i].high != key->high))
        i++;
    return i < proven->count;
}

int proven_add(struct proven *proven, const struct proven_key *key, struct error *error)
{
    if (array_grow(&proven->keys, proven->count, sizeof *proven->keys, error))
        return -1;
    proven->keys[proven->count++] = *key;
    return 0;
}
