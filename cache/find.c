/* find: ranks records by the numbers of their keys, then checks the best: its config must be a
 * point of the space that the rules allow, and give the kernels that were measured. Where it
 * does not, the next one is checked. So the costly check is made for few records, however many
 * there are. */
#include "cache/find.h"

#include "generator/cost_class.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const find_grades[SELECTOR_GRADES] = {
    [SELECTOR_EXACT] = "exact",
    [SELECTOR_STALE] = "exact but for driver or compiler",
    [SELECTOR_OTHER_SIZE] = "same GPU, other size",
    [SELECTOR_SAME_CC] = "same compute capability, other GPU",
    [SELECTOR_SHIPPED] = "shipped",
    [SELECTOR_CLASS] = "shipped, of a problem that costs the same",
    [SELECTOR_NONE] = "default",
};

enum {
    MUST_MATCH = RECORD_PROBLEM | RECORD_SPACE | RECORD_TIMING,
    SAME_DEVICE = RECORD_CC | RECORD_GPU,
    MUST_MATCH_WEIGHT = 8, /* of a group, before all others together */
};

/* --- Ranks -------------------------------------------------------------------------------- */

/* A record that may serve, for its own depth or for an interval around it. */
struct candidate {
    const struct record *record;
    uint64_t from, to;
    size_t index;       /* among all records given */
    unsigned differing; /* groups of the key */
    bool is_class;      /* of another problem that costs the same, where that will do */
    struct selector_place place;
};

/* The records, then the intervals. */
static struct candidate candidate_at(const struct records *records, size_t i)
{
    if (i < records->count) {
        const uint64_t depth = records->at[i].problem.dims.depth.n;
        return (struct candidate){&records->at[i], depth, depth, .index = i};
    }
    const struct interval *interval = &records->intervals[i - records->count];
    return (struct candidate){&interval->record, interval->from, interval->to, .index = i};
}

static size_t count_candidates(const struct records *records)
{
    return records->count + records->interval_count;
}

static struct selector_key key_of(const struct record *record, bool is_here)
{
    return (struct selector_key){.dims = record->problem.dims,
                                 .regime = (int)record->problem.regime,
                                 .cc = record->cc,
                                 .sms = record->sms,
                                 .gpu = is_here};
}

static struct selector_entry entry_of(const struct candidate *candidate, bool is_shipped)
{
    return (struct selector_entry){.key = key_of(candidate->record,
                                                 !(candidate->differing & SAME_DEVICE)),
                                   .from = candidate->from,
                                   .to = candidate->to,
                                   .is_stale = (candidate->differing & RECORD_TOOLS) != 0,
                                   .is_shipped = is_shipped,
                                   .is_class = candidate->is_class};
}

/* What is tuned for data on the host is how it gets to the GPU, which nothing else asks for. */
static bool can_serve(const struct candidate *candidate, const struct record *want)
{
    const struct record *record = candidate->record;
    return record->source != RECORD_PUBLISHED && !(candidate->differing & MUST_MATCH) &&
           problem_is_on_host(&record->problem) == problem_is_on_host(&want->problem) &&
           (record->source != RECORD_EMULATED || !(candidate->differing & SAME_DEVICE));
}

/* Rules say whether a config keeps the order that is asked for. */
static bool costs_the_same(const struct problem *a, const struct problem *b)
{
    const struct cost_class x = cost_class_of(a), y = cost_class_of(b);
    return cost_class_is_same(&x, &y) && a->dims.scan == b->dims.scan &&
           problem_has_same_segments(a, b);
}

/* What ships serves its whole cost class. */
static void compare(struct candidate *candidate, const struct find *find, bool is_shipped)
{
    const unsigned deciding = is_shipped ? MUST_MATCH & ~RECORD_PROBLEM : MUST_MATCH;
    candidate->differing = record_differing_groups(&find->want, candidate->record, deciding);
    candidate->is_class = is_shipped && candidate->differing & RECORD_PROBLEM &&
                          costs_the_same(&find->want.problem, &candidate->record->problem);
    if (candidate->is_class)
        candidate->differing &= ~(unsigned)RECORD_PROBLEM;
}

static void rank(struct candidate *candidate, const struct find *find,
                 const struct selector_key *want, bool is_shipped)
{
    compare(candidate, find, is_shipped);
    candidate->place = (struct selector_place){.grade = SELECTOR_NONE};
    if (can_serve(candidate, &find->want)) {
        const struct selector_entry entry = entry_of(candidate, is_shipped);
        candidate->place = selector_rank(want, &entry);
    }
}

/* --- Which records count ------------------------------------------------------------------ */

/* Checks a record: its config must be a point of the space that the rules allow here, and must
 * still give the kernels that were measured. */
static bool judge(int64_t *config, const struct find *find, const struct record *record,
                  struct error *why)
{
    const struct point_context *here = find->here;
    if (problem_is_on_host(&record->problem)) { /* its kernel is another record's */
        memcpy(config, here->space->default_config, here->space->param_count * sizeof *config);
        return true;
    }
    for (size_t i = 0; i < find->refused_count; i++)
        if (find->refused[i] == record->code) {
            error_set(why, ERROR_IO, "its kernels need what the device does not grant");
            return false;
        }
    if (point_parse_record(here->space, record->params, config, why))
        return false;
    const int broken = point_reject(here, config, why);
    if (broken >= 0)
        error_set(why, ERROR_IO, "the rule '%s' refuses it", here->space->rules[broken].reason);
    return broken == POINT_VALID &&
           code_is_current(find->memo, record, config, here, find->sources, why);
}

static bool is_same_dim(const struct dim *a, const struct dim *b)
{
    return a->n == b->n && a->stride == b->stride;
}

/* From so many times the elements on, or so few, what was tuned says less than the default: an
 * argmin's of 64Ki took 1.78 times as long as that at 1Mi, and 1.09 times at 16Mi. */
static const double FAR = SELECTOR_FAR;

/* The same of several results, whose shape decides more: what was tuned for the nearest took 1.8 and
 * 2.0 times as long as the winner at columns of 300K x 40, 2.2 and 2.8 at 8Ki x 8Ki and 14 at 16Ki x
 * 64, the default 1.0 to 1.1. */
static const double FAR_SHAPE = 2;

/* Is a record near enough, and would the space try it here? A config tuned for fewer elements, that
 * one block held, takes a second pass for more: a farther size's may do better. What was measured
 * here for a value needs no such guess, and for these very dims none. */
static bool is_near(const struct find *find, const struct candidate *candidate, bool is_shipped)
{
    const struct dims *want = &find->want.problem.dims;
    const bool is_shape = dims_kept(want) > 1;
    const double far = is_shape ? FAR_SHAPE : FAR;
    int64_t config[SPACE_NAMES_MAX];
    struct error ignored;
    if (candidate->place.size <= 1 ||
        (!is_shipped && (!is_shape || dims_is_same(want, &candidate->record->problem.dims))))
        return true;
    const double depth =
        selector_factor((double)want->depth.n, (double)candidate->record->problem.dims.depth.n);
    return candidate->place.size < selector_weigh(far, far) &&
           (is_shipped || 100 * depth <= 100 + FIND_LENGTH_PERCENT) &&
           point_parse_record(find->here->space, candidate->record->params, config, &ignored) ==
               0 &&
           point_prune(find->here, config, &ignored) == POINT_VALID;
}

/* Passing over a record of another GPU, of another problem that costs the same, or of results that
 * lie otherwise, is usual and not worth a warning. */
static bool is_worth_telling(const struct find *find, const struct candidate *candidate)
{
    const struct dims *want = &find->want.problem.dims,
                      *dims = &candidate->record->problem.dims;
    return !(candidate->differing & SAME_DEVICE) && !candidate->is_class &&
           is_same_dim(&want->outer, &dims->outer) && is_same_dim(&want->inner, &dims->inner);
}

/* --- The best ----------------------------------------------------------------------------- */

/* Names the key field that differs, among the groups that decided the grade. */
static const char *name_difference(const struct record *want, const struct record *record,
                                   enum selector_grade grade)
{
    static const unsigned deciding[SELECTOR_GRADES] = {
        [SELECTOR_EXACT] = RECORD_KEY,
        [SELECTOR_STALE] = RECORD_TOOLS,
        [SELECTOR_OTHER_SIZE] = RECORD_SIZE,
        [SELECTOR_SAME_CC] = RECORD_GPU,
        [SELECTOR_SHIPPED] = RECORD_KEY,
        [SELECTOR_CLASS] = RECORD_PROBLEM,
        [SELECTOR_NONE] = MUST_MATCH | RECORD_CC,
    };
    const char *name = record_group_difference(want, record, deciding[grade]);

    if (!name)
        name = record_key_difference(want, record);
    if (!name && grade == SELECTOR_NONE)
        name = "source"; /* a published record of this very key */
    return name ? name : "";
}

static void set_best(struct find *find, const struct candidate *candidate)
{
    struct find_result *best = &find->best;
    find->place = candidate->place;
    best->record = *candidate->record;
    best->from = candidate->from;
    best->to = candidate->to;
    best->grade = candidate->place.grade;
    snprintf(best->difference, sizeof best->difference, "%s",
             name_difference(&find->want, candidate->record, best->grade));
}

/* Lists the records that serve and are better than the best so far. Returns how many. */
static size_t rank_all(struct candidate *out, const struct find *find,
                       const struct records *records, bool is_shipped)
{
    const struct selector_key want = key_of(&find->want, true);
    size_t count = 0;
    for (size_t i = 0; i < count_candidates(records); i++) {
        out[count] = candidate_at(records, i);
        rank(&out[count], find, &want, is_shipped);
        count += out[count].place.grade != SELECTOR_NONE &&
                 selector_is_better(&out[count].place, &find->place);
    }
    return count;
}

/* The better first; of equals the first of the file. */
static int by_rank(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (selector_is_better(&a->place, &b->place))
        return -1;
    if (selector_is_better(&b->place, &a->place))
        return 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Brings the i-th best to its place, after those before it. Mostly one is enough: the others are
 * sorted when a second is asked for. */
static void bring(struct candidate *candidates, size_t count, size_t i)
{
    if (i == 1)
        qsort(candidates + 1, count - 1, sizeof *candidates, by_rank);
    for (size_t k = 1; i == 0 && k < count; k++)
        if (by_rank(&candidates[k], &candidates[0]) < 0) {
            const struct candidate better = candidates[k];
            candidates[k] = candidates[0];
            candidates[0] = better;
        }
}

/* Takes the best candidate that passes the check, and keeps why a better one did not. */
static void take_best(struct find *find, struct candidate *candidates, size_t count,
                      bool is_shipped)
{
    const struct candidate *told = NULL;
    int64_t config[SPACE_NAMES_MAX];
    struct error why, first;
    size_t i = 0;
    for (; i < count; i++) {
        bring(candidates, count, i);
        if (!is_near(find, &candidates[i], is_shipped))
            continue; /* the default, which follows the problem, is better there */
        if (judge(config, find, candidates[i].record, &why))
            break;
        if (!told && is_worth_telling(find, &candidates[i])) {
            told = &candidates[i];
            first = why;
        }
    }
    if (i < count) {
        set_best(find, &candidates[i]);
        memcpy(find->best.config, config, find->here->space->param_count * sizeof *config);
    }
    if (told && find->best.rejected.code == ERROR_NONE &&
        selector_is_better(&told->place, &find->place))
        error_set(&find->best.rejected, ERROR_IO, "a record of %s is passed over: %s",
                  told->record->gpu, first.text);
}

/* Where no record serves, names the one with the fewest groups of the key that differ, of the
 * same problem where there is one. */
static void name_nearest(struct find *find, const struct records *records, bool is_shipped)
{
    const struct selector_key want = key_of(&find->want, true);
    for (size_t i = 0; i < records->count; i++) {
        struct candidate candidate = candidate_at(records, i);
        rank(&candidate, find, &want, is_shipped);
        if (candidate.place.grade != SELECTOR_NONE)
            continue;
        const unsigned differing = record_differing_groups(&find->want, candidate.record, 0);
        candidate.place = (struct selector_place){.grade = SELECTOR_NONE};
        for (unsigned group = 1; group < RECORD_KEY; group <<= 1)
            if (differing & group)
                candidate.place.size += group & MUST_MATCH ? MUST_MATCH_WEIGHT : 1;
        if (selector_is_better(&candidate.place, &find->place))
            set_best(find, &candidate);
    }
}

/* For those that are measured again: what makes a record of the same problem no answer. */
static void name_other(struct find *find, const struct records *records)
{
    struct find_result *best = &find->best;
    for (size_t i = 0; i < records->count && !*best->other; i++)
        if (!record_group_difference(&find->want, &records->at[i],
                                     RECORD_PROBLEM | RECORD_SIZE)) {
            const char *name = record_key_difference(&find->want, &records->at[i]);
            snprintf(best->other, sizeof best->other, "%s", name ? name : "");
        }
    if (best->grade <= SELECTOR_STALE)
        best->other[0] = '\0';
}

static int look(struct find *find, const struct records *records, bool is_shipped,
                struct error *error)
{
    const size_t bytes = (count_candidates(records) + 1) * sizeof(struct candidate);
    struct candidate *candidates = malloc(bytes);
    if (!candidates)
        return error_memory(error, bytes);
    take_best(find, candidates, rank_all(candidates, find, records, is_shipped), is_shipped);
    if (find->names_nearest && find->best.grade == SELECTOR_NONE)
        name_nearest(find, records, is_shipped);
    free(candidates);
    return 0;
}

/* --- The search --------------------------------------------------------------------------- */

void find_begin(struct find *out, const struct record *want, const struct point_context *here,
                const struct emit_sources *sources, struct code_memo *memo)
{
    assert(want && here && sources && memo);
    *out = (struct find){.want = *want,
                         .here = here,
                         .sources = sources,
                         .memo = memo,
                         .best.grade = SELECTOR_NONE,
                         .place = {.grade = SELECTOR_NONE, .size = HUGE_VAL}};
}

int find_among(struct find *find, const struct records *records, struct error *error)
{
    const bool is_first = !find->is_begun;
    find->is_begun = true;
    if (look(find, records, false, error))
        return -1;
    if (is_first)
        name_other(find, records);
    return 0;
}

int find_shipped(struct find *find, const struct records *records, struct error *error)
{
    return look(find, records, true, error);
}

/* The files of other GPUs. */
struct others {
    struct find *find;
    struct error damaged; /* the first */
};

static int find_in_file(void *context, const char *path, const struct records *records,
                        struct error *error)
{
    struct others *others = context;
    (void)path;
    if (others->damaged.code == ERROR_NONE)
        others->damaged = records->reason;
    return find_among(others->find, records, error);
}

int find_in_folder(struct find *find, const char *folder, const char *own, struct error *error)
{
    struct others others = {.find = find};
    struct error cause;
    if (store_load_each(folder, own, find_in_file, &others, &cause) && cause.code != ERROR_IO) {
        *error = cause;
        return -1;
    }
    if (find->best.damaged.code == ERROR_NONE && find->best.grade > SELECTOR_STALE)
        find->best.damaged = others.damaged; /* else nothing better was in it */
    return 0;
}
