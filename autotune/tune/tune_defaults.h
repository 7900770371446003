/* tune_defaults: sets the default options of a tuning: device, strategy, number of compile
 * workers. */
#ifndef AUTOTUNE_TUNE_DEFAULTS_H
#define AUTOTUNE_TUNE_DEFAULTS_H

#include "autotune/cli/device_set.h"
#include "autotune/cli/setup.h"
#include "autotune/search/tune.h"

/* The strategy that was asked for, else the device's usual one. */
enum strategy tune_defaults_strategy(const struct request *request, const struct setup *setup);

/* Fills the job of a setup on the first device of `kind`, one of `kinds` tuned at the same
 * time. */
void tune_defaults_job(struct tune_job *out, const struct request *request,
                       const struct setup *setup, const struct device_set_kind *kind,
                       size_t kinds);

#endif
