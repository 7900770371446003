/* report_open: opens the subject of a report: the GPU and the record that are named, else the
 * newest records here. Opens the GPUs to compare with too. */
#include "autotune/report/report_sections.h"

#include "autotune/cli/setup.h"
#include "autotune/embedded.h"
#include "cache/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_CHARS = 4096 };

/* --- The subject -------------------------------------------------------------------------- */

/* The newest of the file's records, if it is newer than `newest`, else NULL. A GPU's go before the
 * emulator's. */
static const struct record *find_newer(const struct records *records,
                                       const struct record *newest)
{
    const struct record *found = NULL;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *record = &records->at[i];
        const bool is_gpu = record->source != RECORD_EMULATED;
        const bool was_gpu = newest->source != RECORD_EMULATED;
        if (!*newest->tuned || (is_gpu && !was_gpu) ||
            (is_gpu == was_gpu && strcmp(record->tuned, newest->tuned) > 0))
            newest = found = record;
    }
    return found;
}

/* The newest records so far, and their file; "" when there are none. */
struct newest {
    struct record record;
    char *path;
};

static int take_newer(void *context, const char *path, const struct records *records,
                      struct error *error)
{
    struct newest *newest = context;
    const struct record *newer = find_newer(records, &newest->record);
    (void)error;
    if (newer) {
        newest->record = *newer;
        snprintf(newest->path, PATH_CHARS, "%s", path);
    }
    return 0;
}

/* Skips files that cannot be read. */
static int find_newest(char path[PATH_CHARS], const struct request *request,
                       struct error *error)
{
    struct text folder = {0};
    struct newest newest = {.record = {.source = RECORD_EMULATED}, .path = path};
    *path = '\0';
    const int failed = store_folder(&folder, request->cache, error) == 0 &&
                       store_load_each(folder.at, NULL, take_newer, &newest, error) &&
                       error->code != ERROR_IO;
    text_dispose(&folder);
    return failed ? -1 : 0;
}

/* --- The GPUs to compare with ------------------------------------------------------------- */

static bool is_listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* The table's GPU for a name or a record file; "" where it is unknown. */
static void find_model(char out[64], const char *name)
{
    struct gpus_model model = {.name = ""};
    struct records records = {0};
    struct error ignored;
    if (gpus_knows_model(name))
        gpus_find_model(&model, name, &ignored);
    else if (store_load(&records, name, &ignored) == 0 && records.count)
        gpus_find_model(&model, records.at[0].gpu, &ignored);
    store_dispose(&records);
    snprintf(out, 64, "%s", model.name);
}

/* The name in the table of the GPU that a document of configs/published/ has; "" for none. */
static int find_published(char out[64], const struct embedded *file, struct error *error)
{
    struct published *published = malloc(sizeof *published);
    struct error ignored;
    *out = '\0';
    if (!published)
        return error_memory(error, sizeof *published);
    if (published_load(published, file->name, file->bytes, file->length, &ignored) == 0) {
        snprintf(out, 64, "%s", published->gpu ? published->gpu : "");
        published_dispose(published);
    }
    free(published);
    return 0;
}

/* Lists the table's GPUs that documents of configs/published/ have, after the first name, which
 * is the subject's. `room` keeps names. */
static int list_published(const char *names[COMPARE_SIDES_MAX],
                          char room[COMPARE_SIDES_MAX][64], size_t *count, struct error *error)
{
    static const char folder[] = "configs/published/";
    char own[64];
    find_model(own, names[0]);
    const struct embedded *file = NULL;
    while (*count < COMPARE_SIDES_MAX && (file = embedded_next(file, folder))) {
        char *const name = room[*count];
        if (find_published(name, file, error))
            return -1;
        if (*name && strcmp(name, own) != 0 && !is_listed(names, *count, name))
            names[(*count)++] = name;
    }
    return 0;
}

static int open_sides(struct report *report, struct error *error)
{
    const struct request *request = report->request;
    const char *names[COMPARE_SIDES_MAX];
    char newest[PATH_CHARS], room[COMPARE_SIDES_MAX][64];
    size_t count = 0;
    if (request->file_count == 0 && find_newest(newest, request, error))
        return -1;
    if (request->file_count == 0 && !*newest &&
        !((const struct report_request *)request->own)->bench && !request->ladder)
        return error_set(
            error, ERROR_FAILED,
            "there is nothing to report: no records here; 'autotune --n 1K..4G' makes "
            "some, or name a record file or a GPU");
    if (request->file_count > COMPARE_SIDES_MAX)
        return compare_gather_open(&report->comparison, request, names, request->file_count,
                                   error);
    if (request->file_count == 0 && *newest)
        names[count++] = newest;
    for (size_t i = 0; i < request->file_count; i++)
        names[count++] = request->files[i];
    const bool has_subject = count > 0;
    if (request->file_count < 2 && has_subject && list_published(names, room, &count, error))
        return -1;
    if (compare_gather_open(&report->comparison, request, names, count, error))
        return -1;
    report->subject = has_subject ? &report->comparison->inputs[0] : NULL;
    return 0;
}

/* --- The headline ------------------------------------------------------------------------- */

static bool is_kept(const struct report *report, const struct record *record)
{
    const char *const space = report->request->space;
    struct filter filter;
    request_filter(&filter, report->request);
    filter.asked |= FILTER_DEVICE;
    return record->source != RECORD_PUBLISHED && dims_n(&record->problem.dims) > 0 &&
           record->median_ps && filter_wants(&filter, &record->problem) &&
           (!space || strcmp(record->space, space) == 0);
}

static bool is_alike(const struct problem *a, const struct problem *b)
{
    return operation_compare(a->op, b->op) == 0 && a->type == b->type && a->acc == b->acc &&
           a->order == b->order && dims_is_alike(&a->dims, &b->dims) &&
           problem_has_same_segments(a, b);
}

bool report_is_alike(const struct report *report, const struct record *record)
{
    return report->headline && is_alike(&record->problem, &report->headline->problem) &&
           record->source == report->headline->source;
}

static size_t count_alike(const struct report *report, const struct record *record)
{
    const struct records *records = &report->subject->records;
    size_t count = 0;
    for (size_t i = 0; i < records->count; i++)
        count += is_kept(report, &records->at[i]) &&
                 is_alike(&records->at[i].problem, &record->problem);
    return count;
}

/* The distance of n from the usual one, in doublings; warm counts as farther than any cold
 * one. */
static double distance(const struct record *record)
{
    const bool is_host = record->source == RECORD_EMULATED;
    const double usual = (double)setup_usual_n(is_host);
    return fabs(log2((double)dims_n(&record->problem.dims) / usual)) +
           (record->problem.regime == WARM ? 1000 : 0);
}

/* A reduction to one value goes before others, then the problem with most records, and of it the record
 * nearest to the usual size. */
static bool is_better(const struct report *report, const struct record *record,
                      const struct record *best)
{
    const bool is_value = !published_row(&record->problem);
    const bool was_value = !published_row(&best->problem);
    const size_t mine = count_alike(report, record), most = count_alike(report, best);
    if (is_value != was_value)
        return is_value;
    return mine != most ? mine > most : distance(record) < distance(best);
}

static int find_headline(struct report *report, struct error *error)
{
    const struct records *records = &report->subject->records;
    const struct request *request = report->request;
    const struct record *best = NULL;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *record = &records->at[i];
        if (!is_kept(report, record))
            continue;
        if (!best || is_better(report, record, best))
            best = record;
    }
    report->headline = best;
    if (best || !(request->has_n || request->has_op || request->has_type ||
                  request->has_order || request->space))
        return 0;
    return error_set(
        error, ERROR_FAILED,
        "%s has no record of that --op, --type, --order, --space and --n: leave --n out, which takes the "
        "nearest to the usual size, or another of them; 'autotune show' lists those tuned here",
        report->subject->side.name);
}

/* --- The whole ---------------------------------------------------------------------------- */

int report_open(struct report *out, const struct request *request, struct error *error)
{
    *out = (struct report){.request = request};
    if (open_sides(out, error) || (out->subject && find_headline(out, error))) {
        report_close(out);
        return -1;
    }
    return 0;
}

void report_close(struct report *report)
{
    compare_gather_close(report->comparison);
    document_dispose(&report->document);
    report->comparison = NULL;
}

int report_kernel(struct compare_kernel *out, struct target *target,
                  const struct report *report, struct error *error)
{
    const struct compare_winner winner = {.record = report->headline};
    *target = report->subject->target;
    if (!report->subject->has_target) {
        const int sms = report->headline->sms;
        if (gpus_find(target, "sm_90", error))
            return -1;
        target->sms = sms;
    }
    return compare_kernel_open(out, &winner, NULL, &report->headline->problem, target, error);
}

double report_peak(const struct report *report, double gbs)
{
    const double own = report->subject ? (double)report->subject->side.peak_bytes / 1e9 : 0;
    return fabs(own - gbs) < 0.01 * gbs ? own : gbs;
}
