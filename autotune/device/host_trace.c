/* host_trace: a list in the order of the first lane to come by; lanes come in any order. */
#include "autotune/device/host_trace.h"

#include "autotune/device/fiber.h"

#include <stdlib.h>

void host_trace_dispose(struct host_trace *trace)
{
    free(trace->accesses);
    *trace = (struct host_trace){.count = 0};
}

FIBER_UNWATCHED static bool is_of(const struct host_access *a, const struct host_access *b)
{
    return a->site == b->site && a->warp == b->warp && a->step == b->step &&
           a->touch == b->touch;
}

/* One more access, of no lane yet; NULL without memory. */
FIBER_UNWATCHED static struct host_access *add(struct host_trace *trace,
                                               const struct host_access *access)
{
    if (trace->count == trace->capacity) {
        const size_t capacity = trace->capacity ? trace->capacity * 2 : 64;
        struct host_access *more =
            realloc(trace->accesses, capacity * sizeof *trace->accesses);
        if (!more) {
            trace->failed = true;
            return NULL;
        }
        trace->accesses = more;
        trace->capacity = capacity;
    }
    struct host_access *added = &trace->accesses[trace->count++];
    *added = *access;
    added->lanes = 0;
    return added;
}

FIBER_UNWATCHED void host_trace_note(struct host_trace *trace,
                                     const struct host_access *access, unsigned lane,
                                     uint64_t at)
{
    const uint32_t bit = UINT32_C(1) << lane;
    struct host_access *found = NULL;
    for (size_t i = 0; i < trace->count && !found; i++)
        if (is_of(&trace->accesses[i], access) && !(trace->accesses[i].lanes & bit))
            found = &trace->accesses[i];
    if (!found)
        found = add(trace, access);
    if (!found)
        return;
    found->lanes |= bit;
    found->at[lane] = at;
}
