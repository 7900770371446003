/* trial: holds the words for what can happen to a candidate, as they stand in journals and output. */
#include "cache/trial.h"

#include <stdio.h>
#include <string.h>

enum { REASON_KEPT = 230 }; /* characters */

const char *const trial_statuses[TRIAL_STATUSES + 1] = {
    [TRIAL_MEASURED] = "measured", [TRIAL_EQUAL] = "equal",       [TRIAL_LEFT_OUT] = "left-out",
    [TRIAL_WRONG] = "wrong",       [TRIAL_FAILED] = "failed",     [TRIAL_CRASHED] = "crashed",
    [TRIAL_HUNG] = "hung",         [TRIAL_TOO_FAST] = "too-fast", [TRIAL_STATUSES] = "unknown",
};

enum trial_status trial_find_status(const char *word)
{
    int status = 0;
    while (status < TRIAL_STATUSES && strcmp(word, trial_statuses[status]) != 0)
        status++;
    return (enum trial_status)status;
}

void trial_set_reason(char out[TRIAL_REASON], const char *reason)
{
    snprintf(out, TRIAL_REASON, "%.*s", REASON_KEPT, reason);
    for (char *at = out; *at; at++) /* a terminal would obey those of a compiler's message */
        if (((unsigned char)*at < ' ' && *at != '\n' && *at != '\t') || *at == '\x7f')
            *at = '?';
}
