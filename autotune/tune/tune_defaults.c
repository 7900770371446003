/* tune_defaults: chooses the strategy, the limits and the number of compile workers. */
#include "autotune/tune/tune_defaults.h"

#include "autotune/device/cores.h"

enum strategy tune_defaults_strategy(const struct request *request, const struct setup *setup)
{
    if (request->has_strategy)
        return request->strategy;
    return setup->target.is_host ? STRATEGY_COVER : STRATEGY_RACE;
}

/* Every core of this process compiles except one for each GPU; on the host the emulator runs at the same
 * time. */
static unsigned count_compilers(const struct setup *setup, const struct device_set_kind *kind,
                                size_t kinds)
{
    const long cores = cores_own();
    const long busy = setup->target.is_host ? 0 : (long)kind->count;
    const long mine = cores / (long)kinds - busy;
    return mine < 1 ? 1 : (unsigned)mine;
}

void tune_defaults_job(struct tune_job *out, const struct request *request,
                       const struct setup *setup, const struct device_set_kind *kind,
                       size_t kinds)
{
    *out = (struct tune_job){.context = &setup->context,
                             .sources = &setup->sources,
                             .space = setup->space_file,
                             .info = &setup->device->info,
                             .specs = kind->list,
                             .spec_count = kind->count,
                             .nvrtc = request->nvrtc,
                             .compilers = count_compilers(setup, kind, kinds)};
}
