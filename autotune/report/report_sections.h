/* report_sections: declares the sections of `autotune report`, a function for each. Each adds
 * its blocks to the document; for missing figures it adds a sentence that says which command
 * brings them. */
#ifndef AUTOTUNE_REPORT_SECTIONS_H
#define AUTOTUNE_REPORT_SECTIONS_H

#include "autotune/compare/compare_gather.h"
#include "autotune/compare/compare_kernel.h"
#include "autotune/report/document.h"

/* What report alone has options for. */
struct report_request {
    const char *bench, *streams; /* tables; NULL = not given */
    bool markdown;
};

struct report {
    const struct request *request;
    struct comparison *comparison;       /* its first input is the subject, if there is one */
    const struct compare_input *subject; /* the subject of the report; NULL = no GPU */
    const struct record *headline;       /* the record shown in full; NULL = there is none */
    struct document document;
};

static inline const struct report_request *report_own(const struct report *report)
{
    return report->request->own;
}

/* Finds the subject of the report: opens the comparison and sets subject and headline.
 * report_close releases all. */
int report_open(struct report *out, const struct request *request, struct error *error);
void report_close(struct report *report);

/* Each returns -1 only for errors that end the report: a named file that cannot be used, or no
 * memory. */
typedef int report_section(struct report *report, struct error *error);
report_section report_summary, report_bench, report_sizes, report_trials, report_rungs,
    report_streams, report_sides, report_roofline, report_winner, report_method;

/* Adds to the tiles the table of bench's largest speedup over other libraries, and its n;
 * nothing without such a table of the headline's problem. -1: it cannot be used. */
int report_bench_tile(struct table *tiles, const struct report *report, struct error *error);

/* Is the record of the headline's operation, types, order and kind of results? */
bool report_is_alike(const struct report *report, const struct record *record);

/* Opens the kernel of the headline, for its GPU or, where that is the emulator, for sm_90, as
 * compare_kernel_open does. There must be a headline. */
int report_kernel(struct compare_kernel *out, struct target *target,
                  const struct report *report, struct error *error);

/* A peak in GB/s from rounded figures of a table: the subject's own, where no other fits. */
double report_peak(const struct report *report, double gbs);

#endif
