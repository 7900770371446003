/* tool: runs another program to its end, and keeps its output. */
#ifndef AUTOTUNE_TOOL_H
#define AUTOTUNE_TOOL_H

#include "generator/text.h"

enum { TOOL_MISSING = 127 };

/* Runs `command` (NULL-terminated; the first is looked for on the PATH) with empty input, and
 * appends its output to `out`, its standard error to `errors` (NULL = nowhere). The program
 * ends when ours is killed. Returns its exit status, TOOL_MISSING when it cannot be started, -1
 * when it did not end by itself. */
int tool_run(struct text *out, struct text *errors, const char *const *command);

#endif
