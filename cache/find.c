/* find: one pass over all records; each gets a grade, and within a grade a distance. The best
 * wins, the first of equals. Hides how records are compared. */
#include "cache/find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const find_grades[FIND_GRADES] = {
    [FIND_EXACT] = "exact",
    [FIND_STALE] = "exact but for driver or compiler",
    [FIND_OTHER_N] = "same GPU, other n",
    [FIND_SAME_CC] = "same compute capability, other GPU",
    [FIND_SHIPPED] = "shipped",
    [FIND_NONE] = "default",
};

enum {
    MUST_MATCH = RECORD_PROBLEM | RECORD_SPACE | RECORD_CODE,
    SAME_DEVICE = RECORD_CC | RECORD_GPU,
};

/* What the best of a grade is chosen by. */
static const double regime_distance = 2;   /* in powers of two of n */
static const double within_interval = -1e-3; /* before one of an n however near */
static const double tier_distance = 1e6;   /* one tier outweighs any distance in n and SMs */
static const double same_cc_tier = 1;      /* of shipped records: 0 is the same GPU */
static const double older_cc_tier = 2;     /* and up, by how much older */

struct fit {
    const struct record *record;
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

/* From an n to the nearest that the record answers for: none within its interval. */
static double n_distance(const struct record *want, const struct record *record)
{
    const uint64_t n = want->problem.n;
    if (record->n_to && record->n_from <= n && n <= record->n_to)
        return within_interval;
    const uint64_t nearest = !record->n_to       ? record->problem.n
                             : n < record->n_from ? record->n_from
                                                  : record->n_to;
    return ratio((double)n, (double)nearest);
}

static double size_distance(const struct record *want, const struct record *record)
{
    const double distance = n_distance(want, record);
    return want->problem.regime == record->problem.regime ? distance
                                                          : distance + regime_distance;
}

/* In n first; SMs decide between records equally near. */
static double device_distance(const struct record *want, const struct record *record)
{
    return size_distance(want, record) + ratio(want->sms, record->sms) / 1024;
}

/* Serves for nothing; the groups of the key that differ are counted to name the nearest. */
static struct fit no_fit(const struct record *want, const struct record *record)
{
    struct fit fit = {record, FIND_NONE, 0};
    for (unsigned group = 1; group < RECORD_KEY; group <<= 1)
        fit.distance += differs(want, record, group);
    return fit;
}

static bool can_serve(const struct record *want, const struct record *record)
{
    if (record->source == RECORD_PUBLISHED || differs(want, record, MUST_MATCH))
        return false;
    return record->source != RECORD_EMULATED || !differs(want, record, SAME_DEVICE);
}

static struct fit fit_own(const struct record *want, const struct record *record)
{
    if (!can_serve(want, record) || differs(want, record, RECORD_CC))
        return no_fit(want, record);
    if (differs(want, record, RECORD_GPU))
        return (struct fit){record, FIND_SAME_CC, device_distance(want, record)};
    if (differs(want, record, RECORD_SIZE))
        return (struct fit){record, FIND_OTHER_N, size_distance(want, record)};
    if (differs(want, record, RECORD_TOOLS))
        return (struct fit){record, FIND_STALE, 0};
    return (struct fit){record, FIND_EXACT, 0};
}

/* What was tuned for a newer architecture may not run on an older one; the reverse does. */
static struct fit fit_shipped(const struct record *want, const struct record *record)
{
    double tier = older_cc_tier + want->cc - record->cc;

    if (!can_serve(want, record) || record->cc > want->cc)
        return no_fit(want, record);
    if (!differs(want, record, SAME_DEVICE))
        tier = 0;
    else if (record->cc == want->cc)
        tier = same_cc_tier;
    return (struct fit){record, FIND_SHIPPED,
                        tier * tier_distance + device_distance(want, record)};
}

static void take_better(struct fit *best, struct fit fit)
{
    if (best->record && (fit.grade > best->grade ||
                         (fit.grade == best->grade && fit.distance >= best->distance)))
        return;
    *best = fit;
}

/* Which groups of the key to name a difference in: those that decided the grade. */
static const char *name_difference(const struct record *want, const struct fit *fit)
{
    static const unsigned deciding[FIND_GRADES] = {
        [FIND_EXACT] = RECORD_KEY,
        [FIND_STALE] = RECORD_TOOLS,
        [FIND_OTHER_N] = RECORD_SIZE,
        [FIND_SAME_CC] = RECORD_GPU,
        [FIND_SHIPPED] = RECORD_KEY,
        [FIND_NONE] = MUST_MATCH | RECORD_CC,
    };
    const char *name = record_group_difference(want, fit->record, deciding[fit->grade]);

    if (!name)
        name = record_key_difference(want, fit->record);
    if (!name && fit->grade == FIND_NONE)
        name = "source"; /* a published record of this very key */
    return name ? name : "";
}

void find_record(struct find_result *out, const struct record *want, const struct records *all,
                 size_t set_count, const struct records *shipped)
{
    struct fit best = {NULL, FIND_NONE, 0};

    *out = (struct find_result){.grade = FIND_NONE};
    for (size_t set = 0; set < set_count; set++)
        for (size_t i = 0; i < all[set].count; i++)
            take_better(&best, fit_own(want, &all[set].at[i]));
    for (size_t i = 0; shipped && i < shipped->count; i++)
        take_better(&best, fit_shipped(want, &shipped->at[i]));
    if (!best.record)
        return;
    out->grade = best.grade;
    if (best.grade != FIND_NONE)
        out->record = *best.record;
    snprintf(out->difference, sizeof out->difference, "%s", name_difference(want, &best));
}
