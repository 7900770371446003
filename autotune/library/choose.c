/* choose: chooses the record for a plan, from the kinds that the caller allows; stops at an
 * exact match. */
#include "autotune/library/choose.h"

#include "autotune/library/fail.h"
#include "autotune/library/record_key.h"
#include "autotune/library/shipped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Where they are ----------------------------------------------------------------------- */

void choose_open(struct choose_records *out, char *place)
{
    out->place = place;
    out->at_hand = (struct collection){.place = place, .ship = shipped_load};
}

int choose_folder(struct text *out, const struct choose_records *records, struct error *error)
{
    if (collection_is_file(&records->at_hand))
        return error_set(
            error, ERROR_USAGE,
            "autotune_context_options.records is the file %.500s: give a folder, so "
            "that tuning can keep its record",
            records->place);
    return store_folder(out, records->place, error);
}

/* Keeps the first error as the warning. */
static void note(struct error *warning, const struct error *wrong)
{
    if (warning->code == ERROR_NONE)
        *warning = *wrong;
}

/* --- Choosing ----------------------------------------------------------------------------- */

/* The compiler is not known before it is needed; then the plan looks again. */
static void settle(struct find *find)
{
    struct record alike = find->want;
    if (find->best.grade != SELECTOR_STALE || *alike.compiler)
        return;
    memcpy(alike.compiler, find->best.record.compiler, sizeof alike.compiler);
    if (!record_key_difference(&alike, &find->best.record))
        find->best.grade = find->place.grade = SELECTOR_EXACT;
}

void choose_prepare(struct choose_records *records, const struct device_info *info)
{
    struct error warning = {.code = ERROR_NONE}, ignored;
    collection_load(&records->at_hand, info->name, &warning, &ignored);
}

/* Without a folder there are no records, which is no reason to do without a plan; but one
 * that the caller has named may be misspelt. */
static int search_own(struct find *find, struct choose_records *records, struct error *warning,
                      struct error *error)
{
    struct collection *const at = &records->at_hand;
    if (records->place && access(records->place, F_OK) && errno == ENOENT)
        error_set(warning, ERROR_IO,
                  "autotune_context_options.records: there is no file or folder %.500s",
                  records->place);
    if (collection_find(find, at, COLLECTION_OWN, warning, error))
        return -1;
    settle(find);
    if (find->best.grade == SELECTOR_EXACT)
        return 0;
    if (collection_find(find, at, COLLECTION_OTHERS, warning, error))
        return -1;
    settle(find);
    return 0;
}

static int search(struct find *find, struct choose_records *records, enum autotune_from from,
                  struct error *warning, struct error *error)
{
    if (from == AUTOTUNE_FROM_DEFAULT)
        return 0;
    if (from != AUTOTUNE_FROM_SHIPPED && search_own(find, records, warning, error))
        return -1;
    if ((from == AUTOTUNE_FROM_SHIPPED || from == AUTOTUNE_FROM_BEST) &&
        collection_find(find, &records->at_hand, COLLECTION_SHIPPED, warning, error))
        return -1;
    note(warning, &find->best.damaged);
    note(warning, &find->best.rejected);
    return 0;
}

/* The error where a record of this GPU is asked for and there is none. */
static int refuse(const struct find *find, const struct choose_request *request,
                  const struct error *warning, struct error *error)
{
    const unsigned same_problem = RECORD_PROBLEM | RECORD_SPACE | RECORD_TIMING;
    const struct record *nearest = &find->best.record;
    const bool is_shipped = request->from == AUTOTUNE_FROM_SHIPPED;
    char problem[PROBLEM_CHARS];
    const char *more = warning->code == ERROR_NONE ? "" : "; ";
    problem_format(problem, request->problem);
    if (!is_shipped && !record_group_difference(&find->want, nearest, same_problem) &&
        record_group_difference(&find->want, nearest, RECORD_CC | RECORD_GPU))
        return error_set(
            error, ERROR_OTHER_GPU,
            "no record of %s for %s: there is one for %s (sm_%d), which is not the GPU "
            "here; tune it here, or take AUTOTUNE_FROM_BEST",
            problem, request->info->name, nearest->gpu, nearest->cc);
    return error_set(
        error, ERROR_NO_RECORD,
        "no record of %s for %s%s: tune it first, or take AUTOTUNE_FROM_BEST%s%.900s", problem,
        request->info->name, is_shipped ? " came with the library" : "", more,
        *more ? warning->text : "");
}

static int take_default(struct choice *out, const struct point_context *here,
                        struct error *error)
{
    const struct space *space = here->space;
    memcpy(out->config, space->default_config, space->param_count * sizeof *out->config);
    const int broken = point_reject_order(here, out->config, error);
    if (broken >= 0)
        return error_set(error, ERROR_NO_RECORD,
                         "the default does not keep the order (%s): tune this problem first",
                         space->rules[broken].reason);
    return broken == POINT_VALID ? 0 : -1;
}

static bool is_good_enough(enum autotune_from from, enum selector_grade found)
{
    static const enum selector_grade worst[] = {
        [AUTOTUNE_FROM_BEST] = SELECTOR_NONE,     [AUTOTUNE_FROM_RECORD] = SELECTOR_OTHER_SIZE,
        [AUTOTUNE_FROM_SHIPPED] = SELECTOR_CLASS, [AUTOTUNE_FROM_DEFAULT] = SELECTOR_NONE,
        [AUTOTUNE_FROM_TUNING] = SELECTOR_EXACT,
    };
    return found <= worst[from];
}

int choose_config(struct choice *out, struct choose_records *records,
                  const struct choose_request *request, struct error *error)
{
    const struct point_context here = {request->spaces->space, request->problem,
                                       &request->info->target};
    struct find find;
    struct record want;
    record_key(&want, request->problem, request->spaces->space, &request->info->target,
               request->info);
    records->memo.keeps_last = true; /* for the plan */
    find_begin(&find, &want, &here, &request->spaces->sources, &records->memo);
    find.refused = request->refused;
    find.refused_count = request->refused_count;
    find.names_nearest =
        request->from == AUTOTUNE_FROM_RECORD || request->from == AUTOTUNE_FROM_TUNING;
    *out = (struct choice){.warning.code = ERROR_NONE};
    if (search(&find, records, request->from, &out->warning, error))
        return fail_memory(error);
    out->grade = find.best.grade;
    if (!is_good_enough(request->from, out->grade))
        return refuse(&find, request, &out->warning, error);
    if (out->grade == SELECTOR_NONE)
        return take_default(out, &here, error);
    memcpy(out->config, find.best.config, sizeof out->config);
    out->record = find.best.record;
    return 0;
}

void choose_dispose(struct choose_records *records)
{
    code_dispose(&records->memo);
    collection_dispose(&records->at_hand);
    free(records->place);
}
