/* report_summary: writes the title and the figures that matter most. */
#include "autotune/report/report_sections.h"

#include "autotune/print/figures.h"

#include <stdio.h>
#include <string.h>

static void add_tile(struct table *tiles, const char *label, const char *figure,
                     const char *remark)
{
    table_add(tiles, label);
    table_add(tiles, figure);
    table_add(tiles, remark);
}

static void add_speed(struct table *tiles, const struct report *report)
{
    const struct record *record = report->headline;
    const double gbs = figures_gbs(&record->problem, record->median_ps);
    const double percent = figures_peak_percent(&record->problem, record->median_ps,
                                                report->subject->side.peak_bytes);
    char number[NUMBER_CHARS], n[NUMBER_CHARS], figure[80], remark[160], low[NUMBER_CHARS],
        high[NUMBER_CHARS];
    snprintf(figure, sizeof figure, "%s us", figures_us(number, record->median_ps));
    number_format_count(n, dims_n(&record->problem.dims));
    if (record_has_run(record))
        snprintf(remark, sizeof remark, "%s elements, %s; 95 %% interval %s to %s", n,
                 problem_regimes[record->problem.regime], figures_us(low, record->low_ps),
                 figures_us(high, record->high_ps));
    else
        snprintf(remark, sizeof remark, "%s elements, %s; what ships with this program", n,
                 problem_regimes[record->problem.regime]);
    add_tile(tiles, "time", figure, remark);
    snprintf(figure, sizeof figure, "%s GB/s", figures_short(number, gbs, 4));
    add_tile(tiles, "bandwidth", figure, "bytes of the input over the time");
    if (percent < 0)
        return;
    snprintf(figure, sizeof figure, "%.1f %%", percent);
    snprintf(remark, sizeof remark, "of the theoretical %s GB/s",
             figures_short(number, (double)report->subject->side.peak_bytes / 1e9, 4));
    add_tile(tiles, "of peak", figure, remark);
}

/* Adds the number of candidates, and how many tie with the winner. */
static void add_proof(struct table *tiles, const struct record *record)
{
    char figure[80], remark[160];
    snprintf(figure, sizeof figure, "%u", record->candidates);
    if (record->ties)
        snprintf(remark, sizeof remark,
                 "each proven correct; %u more cannot be told apart from the winner",
                 record->ties);
    else
        snprintf(remark, sizeof remark, "each proven correct; one winner");
    add_tile(tiles, "candidates", figure, remark);
}

/* Adds how much faster than the space's default the winner was in the race. */
static void add_default(struct table *tiles, const struct record *record)
{
    struct record_gain gain;
    struct text remark = {0};
    char number[NUMBER_CHARS], n[NUMBER_CHARS], figure[80];
    if (!record_gain(&gain, record))
        return;
    snprintf(figure, sizeof figure, "%s times", figures_short(number, gain.times, 3));
    text_addf(&remark, "than the space's default, by turns, at %s",
              number_format_count(n, dims_n(&record->problem.dims)));
    if (gain.low > 0) {
        text_addf(&remark, "; 95 %% interval %s", figures_short(number, gain.low, 3));
        text_addf(&remark, " to %s", figures_short(number, gain.high, 3));
    }
    add_tile(tiles, "faster than untuned", figure, remark.at ? remark.at : "");
    text_dispose(&remark);
}

static void set_title(struct report *report)
{
    struct document *document = &report->document;
    const struct record *record = report->headline;
    char problem[PROBLEM_CHARS], when[24];
    if (record)
        snprintf(when, sizeof when, "%.10s", record->tuned);
    if (record && !record_has_run(record))
        snprintf(when, sizeof when, "before it was shipped,");
    if (!report->subject) {
        snprintf(document->title, sizeof document->title, "Reductions on a GPU");
        snprintf(document->subtitle, sizeof document->subtitle,
                 "From tables alone: no records of a GPU are here.");
    } else if (!record) {
        snprintf(document->title, sizeof document->title, "Reductions on %.120s",
                 report->subject->side.name);
        snprintf(document->subtitle, sizeof document->subtitle,
                 "No record of this GPU is here: what follows was published or computed.");
    } else {
        snprintf(document->title, sizeof document->title, "%s on %.60s",
                 problem_format(problem, &record->problem),
                 record->source == RECORD_EMULATED ? "the host emulator"
                                                   : report->subject->side.name);
        snprintf(document->subtitle, sizeof document->subtitle,
                 "%.60s, cc %d.%d, %d SMs. Tuned %.24s with %.50s%s%.40s.",
                 record->source == RECORD_EMULATED ? "No model of a GPU's speed: an emulator"
                                                   : record->gpu,
                 record->cc / 10, record->cc % 10, record->sms, when, record->compiler,
                 record->source == RECORD_EMULATED ? "" : ", driver ",
                 record->source == RECORD_EMULATED ? "" : record->driver);
    }
}

int report_summary(struct report *report, struct error *error)
{
    set_title(report);
    if (!report->headline)
        return 0;
    struct table *tiles = document_table(&report->document, DOCUMENT_TILES, NULL, NULL, 0);
    if (!tiles)
        return 0;
    if (report_bench_tile(tiles, report, error))
        return -1;
    add_default(tiles, report->headline);
    add_speed(tiles, report);
    if (record_has_run(report->headline))
        add_proof(tiles, report->headline);
    return 0;
}
