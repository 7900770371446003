/* advice: says in one sentence what serves a problem, and what tuning would gain. */
#ifndef AUTOTUNE_ADVICE_H
#define AUTOTUNE_ADVICE_H

#include "cache/find.h"

/* What was found, for whom. */
struct advice {
    enum selector_grade grade;
    const struct record *record;   /* that serves; of SELECTOR_NONE none is looked at */
    const struct problem *problem; /* that is asked for */
    const char *gpu;               /* here; "" = none is */
};

/* Appends "what ships for this GPU, tuned at 4Ki: ..."; no newline. */
void advice_add(struct text *out, const struct advice *advice);

#endif
