/* find: each record gets a grade, and within a grade a distance; those that serve are judged by
 * the space's rules. The best wins, the first of equals. Hides how records are compared. */
#include "cache/find.h"

#include "cache/code.h"
#include "generator/shape.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const find_grades[FIND_GRADES] = {
    [FIND_EXACT] = "exact",
    [FIND_STALE] = "exact but for driver or compiler",
    [FIND_OTHER_N] = "same GPU, other n",
    [FIND_SAME_CC] = "same compute capability, other GPU",
    [FIND_SHIPPED] = "shipped",
    [FIND_NONE] = "default",
};

const char *find_grade_name(enum find_grade grade, const struct problem *problem)
{
    return grade == FIND_OTHER_N && shape_kind(&problem->dims) ? "same GPU, other shape"
                                                        : find_grades[grade];
}

enum {
    MUST_MATCH = RECORD_PROBLEM | RECORD_SPACE | RECORD_TIMING,
    SAME_DEVICE = RECORD_CC | RECORD_GPU,
};

/* What the best of a grade is chosen by. */
static const double regime_distance = 2;   /* in powers of two of n */
static const double depth_weight = 4;
static const double within_interval = -1e-3; /* before one of an n however near */
static const double tier_distance = 1e6;   /* one tier outweighs any distance in n and SMs */
static const double same_cc_tier = 1;      /* of shipped records: 0 is the same GPU */
static const double older_cc_tier = 2;     /* and up, by how much older */
static const double must_match_weight = 8; /* of a group, before all others together */

struct fit {
    enum find_grade grade;
    double distance; /* smaller is better, within the grade */
};

static bool differs(const struct record *a, const struct record *b, unsigned groups)
{
    return record_group_difference(a, b, groups) != NULL;
}

/* How many powers of two apart; 0 counts as 1. */
static double ratio(double a, double b)
{
    return fabs(log2(fmax(a, 1)) - log2(fmax(b, 1)));
}

/* What a record answers for: one n, or those of an interval. */
struct served {
    const struct record *record;
    uint64_t from, to;
};

static bool is_interval(const struct served *served)
{
    return served->from < served->to;
}

/* From an n to the nearest that is served: none within an interval. */
static double n_distance(const struct record *want, const struct served *served)
{
    const uint64_t n = dims_n(&want->problem.dims);
    const uint64_t nearest =
        n < served->from ? served->from : n > served->to ? served->to : n;
    return is_interval(served) && nearest == n ? within_interval
                                               : ratio((double)n, (double)nearest);
}

static double size_distance(const struct record *want, const struct served *served)
{
    const struct record *record = served->record;
    double distance = n_distance(want, served);
    if (shape_kind(&want->problem.dims)) /* what a row is like decides more than how many there are */
        distance += depth_weight * ratio((double)want->problem.dims.depth.n,
                                         (double)record->problem.dims.depth.n);
    return want->problem.regime == record->problem.regime ? distance
                                                          : distance + regime_distance;
}

/* In n first; SMs decide between records equally near. */
static double device_distance(const struct record *want, const struct served *served)
{
    return size_distance(want, served) + ratio(want->sms, served->record->sms) / 1024;
}

/* Serves for nothing; the groups of the key that differ are counted to name the nearest, which is
 * of the same problem and code where one is. */
static struct fit no_fit(const struct record *want, const struct record *record)
{
    struct fit fit = {FIND_NONE, 0};
    for (unsigned group = 1; group < RECORD_KEY; group <<= 1)
        if (differs(want, record, group))
            fit.distance += group & MUST_MATCH ? must_match_weight : 1;
    return fit;
}

static bool can_serve(const struct record *want, const struct record *record)
{
    if (record->source == RECORD_PUBLISHED || differs(want, record, MUST_MATCH))
        return false;
    return record->source != RECORD_EMULATED || !differs(want, record, SAME_DEVICE);
}

static struct fit fit_own(const struct record *want, const struct served *served)
{
    const struct record *record = served->record;
    if (!can_serve(want, record) || differs(want, record, RECORD_CC))
        return no_fit(want, record);
    if (differs(want, record, RECORD_GPU))
        return (struct fit){FIND_SAME_CC, device_distance(want, served)};
    if (is_interval(served) || differs(want, record, RECORD_SIZE))
        return (struct fit){FIND_OTHER_N, size_distance(want, served)};
    if (differs(want, record, RECORD_TOOLS))
        return (struct fit){FIND_STALE, 0};
    return (struct fit){FIND_EXACT, 0};
}

/* What was tuned for a newer architecture may not run on an older one; the reverse does. */
static struct fit fit_shipped(const struct record *want, const struct served *served)
{
    const struct record *record = served->record;
    double tier = older_cc_tier + want->cc - record->cc;

    if (!can_serve(want, record) || record->cc > want->cc)
        return no_fit(want, record);
    if (!differs(want, record, SAME_DEVICE))
        tier = 0;
    else if (record->cc == want->cc)
        tier = same_cc_tier;
    return (struct fit){FIND_SHIPPED, tier * tier_distance + device_distance(want, served)};
}

/* --- Which records count ------------------------------------------------------------------ */

/* What is right for some n is right for every smaller one; matrices have no such order. */
static const struct problem *stricter(const struct problem *wanted, const struct problem *won)
{
    return shape_kind(&wanted->dims) || dims_n(&wanted->dims) >= dims_n(&won->dims) ? wanted : won;
}

/* One value both, of whatever n, or the same matrix? */
static bool is_alike(const struct problem *a, const struct problem *b)
{
    return dims_is_same(&a->dims, &b->dims) || (!shape_kind(&a->dims) && !shape_kind(&b->dims));
}

/* Did it run here and was it right, for so many elements or more? */
static bool is_proven(const struct record *want, const struct served *served)
{
    const struct record *record = served->record;
    return !differs(want, record, SAME_DEVICE) &&
           is_alike(&want->problem, &record->problem) &&
           dims_n(&want->problem.dims) <= served->to;
}

/* The first rule that forbids the row where it is to be used, as point_reject has it. */
static int reject(const struct find *find, const struct served *served, const int64_t *row,
                  struct error *reason)
{
    const struct point_context *here = find->here;
    const struct point_context there = {
        here->space, stricter(here->problem, &served->record->problem), here->target};
    const int broken = point_reject(&there, row, reason);
    return broken >= 0 && here->space->rules[broken].is_launch &&
                   is_proven(&find->want, served)
               ? point_reject_order(&there, row, reason)
               : broken;
}

static void pass_over(struct error *first, const struct record *record, const char *why)
{
    if (first->code == ERROR_NONE)
        error_set(first, ERROR_IO, "a record of %s is passed over: %s", record->gpu, why);
}

/* What a file says is believed only as far as it is a point of the space that its rules allow
 * here. That it is not is usual for a record of another GPU, or of another shape; else `why`
 * says so. */
static bool read_row(int64_t *row, struct find *find, const struct served *served,
                     struct error *why)
{
    const struct record *record = served->record;
    const struct space *space = find->here->space;
    struct error reason;
    memcpy(row, space->default_row, space->param_count * sizeof *row);
    const int broken = point_parse(space, record->params, row, &reason)
                           ? POINT_FAILED
                           : reject(find, served, row, &reason);
    if (broken != POINT_VALID && !differs(&find->want, record, SAME_DEVICE) &&
        is_alike(&find->want.problem, &record->problem)) {
        if (broken >= 0)
            error_set(&reason, ERROR_IO, "the rule '%s' refuses it",
                      space->rules[broken].reason);
        pass_over(why, record, reason.text);
    }
    return broken == POINT_VALID;
}

/* Are the kernels that it was measured with those that its params give now? */
static bool is_current(const struct find *find, const struct record *record, const int64_t *row,
                       struct error *why)
{
    struct error reason;
    uint64_t code;
    if (code_hash(&code, record, row, find->here, find->sources, &reason))
        pass_over(why, record, reason.text);
    else if (code != record->code)
        pass_over(why, record, "space or template give other kernels for it now");
    else
        return true;
    return false;
}

/* --- The best ----------------------------------------------------------------------------- */

/* Which groups of the key to name a difference in: those that decided the grade. */
static const char *name_difference(const struct record *want, const struct record *record,
                                   enum find_grade grade)
{
    static const unsigned deciding[FIND_GRADES] = {
        [FIND_EXACT] = RECORD_KEY,
        [FIND_STALE] = RECORD_TOOLS,
        [FIND_OTHER_N] = RECORD_SIZE,
        [FIND_SAME_CC] = RECORD_GPU,
        [FIND_SHIPPED] = RECORD_KEY,
        [FIND_NONE] = MUST_MATCH | RECORD_CC,
    };
    const char *name = record_group_difference(want, record, deciding[grade]);

    if (!name)
        name = record_key_difference(want, record);
    if (!name && grade == FIND_NONE)
        name = "source"; /* a published record of this very key */
    return name ? name : "";
}

static bool is_better(const struct fit *fit, enum find_grade grade, double distance)
{
    return fit->grade != grade ? fit->grade < grade : fit->distance < distance;
}

typedef struct fit fit_fn(const struct record *want, const struct served *served);

/* The records, then the intervals. */
static struct served served_at(const struct records *records, size_t i)
{
    if (i < records->count) {
        const uint64_t n = dims_n(&records->at[i].problem.dims);
        return (struct served){&records->at[i], n, n};
    }
    const struct interval *interval = &records->intervals[i - records->count];
    return (struct served){&interval->record, interval->from, interval->to};
}

/* That a record is passed over is worth telling where it would have served. */
static void look(struct find *find, const struct records *records, fit_fn *fit_of)
{
    struct find_result *best = &find->best;
    struct fit refused = {FIND_NONE, HUGE_VAL};
    struct error rejected = {0};
    int64_t row[SPACE_NAMES_MAX];
    for (size_t i = 0; i < records->count + records->interval_count; i++) {
        const struct served served = served_at(records, i);
        const struct fit fit = fit_of(&find->want, &served);
        struct error why = {0};
        const bool is_near = is_better(&fit, best->grade, find->distance);
        const bool is_read = fit.grade == FIND_NONE ||
                             (read_row(row, find, &served, &why) &&
                              (!is_near || is_current(find, served.record, row, &why)));
        if (why.code != ERROR_NONE && is_better(&fit, refused.grade, refused.distance)) {
            refused = fit;
            rejected = why;
        }
        if (!is_read || !is_near)
            continue;
        best->record = *served.record;
        best->from = served.from;
        best->to = served.to;
        best->grade = fit.grade;
        find->distance = fit.distance;
        if (fit.grade != FIND_NONE)
            memcpy(best->row, row, find->here->space->param_count * sizeof *row);
        snprintf(best->difference, sizeof best->difference, "%s",
                 name_difference(&find->want, served.record, fit.grade));
    }
    if (best->rejected.code == ERROR_NONE && is_better(&refused, best->grade, find->distance))
        best->rejected = rejected;
}

/* --- The search --------------------------------------------------------------------------- */

void find_begin(struct find *out, const struct record *want, const struct point_context *here,
                const struct emit_sources *sources)
{
    *out = (struct find){
        .want = *want, .here = here, .sources = sources, .best.grade = FIND_NONE, .distance = HUGE_VAL};
}

void find_among(struct find *find, const struct records *records)
{
    look(find, records, fit_own);
}

void find_shipped(struct find *find, const struct records *records)
{
    look(find, records, fit_shipped);
}

static int is_record_file(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && entry->d_name[0] != '.' &&
           strcmp(entry->d_name + length - 4, ".ini") == 0;
}

static int find_in_file(struct find *find, const char *path, struct error *damaged,
                        struct error *error)
{
    struct records records;
    if (store_load(&records, path, error))
        return -1;
    if (damaged->code == ERROR_NONE)
        *damaged = records.reason;
    find_among(find, &records);
    store_dispose(&records);
    return 0;
}

int find_in_folder(struct find *find, const char *folder, const char *own, struct error *error)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, is_record_file, alphasort);
    struct error damaged = {0};
    int failed = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        free(names[i]);
        if (!failed && strcmp(path, own) != 0)
            failed = find_in_file(find, path, &damaged, error);
    }
    free(names);
    if (find->best.damaged.code == ERROR_NONE && find->best.grade > FIND_STALE)
        find->best.damaged = damaged; /* else nothing better was in it */
    return failed;
}
