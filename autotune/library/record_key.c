/* record_key: fills in the key fields of a record. */
#include "autotune/library/record_key.h"

#include <stdio.h>

static void add_device(struct record *out, const struct device_info *info)
{
    out->memory_clock_khz = info->memory_clock_khz;
    out->bus_bits = info->bus_bits;
    snprintf(out->gpu, sizeof out->gpu, "%s", info->name);
    snprintf(out->driver, sizeof out->driver, "%s", info->driver);
    snprintf(out->compiler, sizeof out->compiler, "%s", info->compiler);
}

void record_key(struct record *out, const struct problem *problem, const struct space *space,
                const struct target *target, const struct device_info *info)
{
    *out = (struct record){
        .problem = *problem,
        .method = RECORD_METHOD,
        .cc = target->cc,
        .sms = target->sms,
        .source = target->is_host ? RECORD_EMULATED : RECORD_MEASURED,
    };
    snprintf(out->space, sizeof out->space, "%s", space->name);
    if (info)
        add_device(out, info);
}
