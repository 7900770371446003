/* host_trace: puts lanes' accesses together to accesses of a warp, listed in the order of the
 * first lane of each; lanes come in any order. */
#include "autotune/device/host_trace.h"

#include "autotune/device/fiber.h"

#include <stdlib.h>

int host_trace_init(struct host_trace *out, struct error *error)
{
    *out = (struct host_trace){.accesses = calloc(HOST_TRACE_MAX, sizeof *out->accesses)};
    return out->accesses ? 0 : error_memory(error, HOST_TRACE_MAX * sizeof *out->accesses);
}

void host_trace_dispose(struct host_trace *trace)
{
    free(trace->accesses);
    *trace = (struct host_trace){.count = 0};
}

FIBER_UNWATCHED static bool is_same(const struct host_place *a, const struct host_place *b)
{
    return a->site == b->site && a->warp == b->warp && a->step == b->step &&
           a->touch == b->touch;
}

FIBER_UNWATCHED bool host_trace_is_load(const struct host_trace *trace, enum host_touch touch,
                                        uintptr_t at)
{
    return touch == HOST_READ && at >= trace->input_from && at < trace->input_end;
}

FIBER_UNWATCHED void host_trace_note(struct host_trace *trace, const struct host_place *place,
                                     unsigned lane, uint64_t at)
{
    const uint32_t bit = UINT32_C(1) << lane;
    size_t i = 0;
    while (i < trace->count &&
           (!is_same(&trace->accesses[i].place, place) || (trace->accesses[i].lanes & bit)))
        i++;
    const bool is_load = !place->is_shared && place->touch == HOST_READ;
    if (i == trace->count && is_load && trace->loads == HOST_TRACE_LOADS_MAX)
        return;
    if (i == HOST_TRACE_MAX) {
        trace->is_full = true;
        return;
    }
    if (i == trace->count) {
        trace->accesses[trace->count++].place = *place;
        trace->loads += is_load;
    }
    trace->accesses[i].lanes |= bit;
    trace->accesses[i].at[lane] = at;
}
