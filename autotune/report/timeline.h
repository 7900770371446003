/* timeline: draws what overlaps: a row for each run, its copies above its kernels, as bars over one
 * axis of time. */
#ifndef AUTOTUNE_TIMELINE_H
#define AUTOTUNE_TIMELINE_H

#include "autotune/report/figure.h"

#include <stdbool.h>
#include <stddef.h>

enum timeline_lane { TIMELINE_COPY, TIMELINE_KERNEL, TIMELINE_LANES };

struct timeline_bar {
    enum timeline_lane lane;
    double from, to; /* microseconds */
};

struct timeline_row {
    char label[160];
    struct timeline_bar *bars;
    size_t count;
};

/* Initialise with zeros and the title. */
struct timeline {
    struct figure figure;
    struct timeline_row *rows;
    size_t count;
    bool failed;
    struct table_column columns[5];
};

/* Begins a row, and adds bars to the last one. */
void timeline_begin(struct timeline *timeline, const char *label);
void timeline_add(struct timeline *timeline, struct timeline_bar bar);

/* How much of the kernels' time in a row a copy ran too, 0 to 1. */
double timeline_overlap(const struct timeline_row *row);

/* HTML: one drawing; tables: the sums of each row; text: two lines of marks for each row. */
extern const struct figure_kind timeline_kind;

#endif
