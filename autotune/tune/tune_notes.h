/* tune_notes: the context of a tuning, on stderr: where, what, how much there is to try, what
 * was rejected and why. */
#ifndef AUTOTUNE_TUNE_NOTES_H
#define AUTOTUNE_TUNE_NOTES_H

#include "autotune/cli/setup.h"
#include "autotune/print/terminal.h"
#include "autotune/search/tune.h"

/* The device, of which there are `count`. */
void tune_notes_device(const struct request *request, const struct device_info *info,
                       size_t count);

/* That, and the problem. */
void tune_notes_setup(const struct request *request, const struct setup *setup, size_t count);

/* The points of the space, those each rule rejects, and those to be tried. */
void tune_notes_space(const struct request *request, const struct setup *setup,
                      const struct points *points, enum strategy strategy);

/* Clocks, temperature and power as the measuring ended; nothing where they are not known. */
void tune_notes_reading(const struct request *request, const struct nvml_reading *reading);
/* The same, asked for now. */
void tune_notes_reading_now(const struct request *request, const struct device_info *info);

/* What became of the candidates. */
void tune_notes_trials(const struct request *request, const struct setup *setup,
                       const struct tune_result *result);

/* The progress line: `context` is a struct tune_notes_watch. */
struct tune_notes_watch {
    const struct problem *problem;
    char before[40]; /* "size 4 of 10, " in a sweep */
    struct terminal_progress progress;
};
void tune_notes_progress(void *context, uint64_t done, uint64_t total, uint64_t best_ps);

#endif
