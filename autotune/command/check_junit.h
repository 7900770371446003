/* check_junit: writes what checks found as JUnit XML, which CI servers show: a record is a test case. */
#ifndef AUTOTUNE_CHECK_JUNIT_H
#define AUTOTUNE_CHECK_JUNIT_H

#include "autotune/command/check_record.h"

/* Appends the document: slower and wrong ones are failures; of those that cannot be told, are stale or were left
 * out the test is skipped, with the reason. `info` is the device's, `now` the time as records have it. */
void check_junit(struct text *out, const struct check_row *rows, size_t count,
                 const struct device_info *info, const char *now);

#endif
