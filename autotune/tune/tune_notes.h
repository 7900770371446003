/* tune_notes: prints the context of a tuning on stderr: device, problem, number of candidates,
 * and which were rejected and why. */
#ifndef AUTOTUNE_TUNE_NOTES_H
#define AUTOTUNE_TUNE_NOTES_H

#include "autotune/cli/setup.h"
#include "autotune/print/terminal.h"
#include "autotune/search/tune.h"

/* Notes the device, of `count` of its kind. */
void tune_notes_device(const struct request *request, const struct device_info *info,
                       size_t count);

/* Notes the device and the problem. */
void tune_notes_setup(const struct request *request, const struct setup *setup, size_t count);

/* Notes the points of the space, how many each rule rejects, and the number of candidates. */
void tune_notes_space(const struct request *request, const struct setup *setup,
                      const struct points *points, enum strategy strategy);

/* Clocks, temperature and power at the end of measuring; prints nothing where they are
 * unknown. */
void tune_notes_reading(const struct request *request, const struct nvml_reading *reading);
/* The same with values read now. */
void tune_notes_reading_now(const struct request *request, const struct device_info *info);

/* Notes how many candidates had each outcome. */
void tune_notes_trials(const struct request *request, const struct setup *setup,
                       const struct tune_result *result);

/* The progress line: `context` is a struct tune_notes_watch. */
struct tune_notes_watch {
    const struct problem *problem;
    struct terminal_progress progress;
};
void tune_notes_progress(void *context, uint64_t done, uint64_t total, uint64_t best_ps);

#endif
