/* setup_records: answers from the record files for a setup: its record key, the record that
 * fits best, the config to begin with. */
#include "autotune/cli/setup.h"

#include "autotune/cli/output.h"
#include "autotune/library/record_key.h"
#include "autotune/library/shipped.h"
#include "cache/code.h"
#include "generator/number.h"

#include <string.h>

/* --- The record --------------------------------------------------------------------------- */

void setup_record(struct record *out, const struct setup *setup)
{
    record_key(out, &setup->problem, setup->space, &setup->target,
               setup->device ? &setup->device->info : NULL);
}

bool setup_is_current(const struct setup *setup, const struct record *record,
                      struct code_memo *memo)
{
    int64_t config[SPACE_NAMES_MAX];
    struct error ignored;
    return point_parse_record(setup->space, record->params, config, &ignored) == 0 &&
           code_is_current(memo, record, config, &setup->context, &setup->sources, &ignored);
}

/* setup_find_in, with a memo of the caller's. */
static int find_by(struct find_result *out, struct code_memo *memo, const struct setup *setup,
                   struct collection *records, unsigned sources, struct error *warning,
                   struct error *error)
{
    struct record want;
    struct find find;
    setup_record(&want, setup);
    find_begin(&find, &want, &setup->context, &setup->sources, memo);
    const int failed = collection_find(&find, records, sources, warning, error);
    *out = find.best;
    return failed;
}

int setup_find_in(struct find_result *out, const struct setup *setup,
                  struct collection *records, unsigned sources, struct error *warning,
                  struct error *error)
{
    struct code_memo memo = {.next = 0};
    *warning = (struct error){.code = ERROR_NONE};
    return find_by(out, &memo, setup, records, sources, warning, error);
}

/* What is changed by hand must not depend on what ships: of a template with a fault those would be
 * left whose code does not have it. */
unsigned setup_sources(const struct request *request)
{
    return request->variant || request->template ? COLLECTION_OWN | COLLECTION_OTHERS
                                                 : COLLECTION_ALL;
}

struct collection setup_collection(const struct request *request)
{
    return (struct collection){.place = request->cache, .ship = shipped_load};
}

/* setup_find, with a memo of the caller's. */
static int find_all(struct find_result *out, struct code_memo *memo, const struct setup *setup,
                    const struct request *request, struct error *warning, struct error *error)
{
    struct collection records = setup_collection(request);
    *warning = (struct error){.code = ERROR_NONE};
    const int failed =
        find_by(out, memo, setup, &records, setup_sources(request), warning, error);
    if (warning->code == ERROR_NONE)
        *warning = out->damaged;
    collection_dispose(&records);
    return failed;
}

int setup_find(struct find_result *out, const struct setup *setup,
               const struct request *request, struct error *warning, struct error *error)
{
    struct code_memo memo = {.next = 0};
    return find_all(out, &memo, setup, request, warning, error);
}

/* --- The config --------------------------------------------------------------------------- */

/* Where a variant is from: "of NVIDIA H200's record of sum i32 400M cold (exact)". */
static void note_origin(const struct request *request, const struct find_result *found)
{
    char problem[PROBLEM_CHARS], from[NUMBER_CHARS], to[NUMBER_CHARS];
    if (found->grade == SELECTOR_NONE)
        output_note(&request->out, "variant   the space's default%s\n",
                    request->variant    ? ", changed by --variant"
                    : request->template ? ": what ships is of another template"
                                        : ": no record fits");
    else
        output_note(&request->out, "variant   of %s's record of %s (%s)%s\n", found->record.gpu,
                    problem_format(problem, &found->record.problem), find_grades[found->grade],
                    request->variant ? "; changed by --variant" : "");
    if (found->grade != SELECTOR_NONE && found->from < found->to)
        output_note(&request->out, "          which serves n from %s to %s\n",
                    number_format_count(from, found->from), number_format_count(to, found->to));
    if (found->grade == SELECTOR_STALE)
        output_note(&request->out,
                    "          %s has changed since: 'autotune verify' proves it again\n",
                    found->difference);
}

/* Reports a config without values here: given by hand it is the user's mistake, else the
 * space's. */
static int fault_variant(const struct request *request, struct error *error)
{
    return request->variant ? error_set(error, ERROR_USAGE,
                                        "--variant: %s: choose other values", error->text)
                            : -1;
}

/* A variant that breaks another rule can still be shown; the order is a promise, so breaking it
 * is refused, as far as it is known without a device, for no certain size. */
static int check_order(const struct request *request, const struct setup *setup,
                       const int64_t *config, struct error *error)
{
    const int broken = point_reject_order(&setup->context, config, error);
    if (broken < 0)
        return broken == POINT_VALID ? 0 : fault_variant(request, error);
    if (setup->space->rules[broken].is_launch && !setup->device)
        return 0;
    const char *option = problem_orders[setup->problem.order].option;
    return error_set(
        error, ERROR_USAGE,
        "this variant does not keep the order (%s): choose another --variant, or %s%s%s",
        setup->space->rules[broken].reason, *option ? "leave" : "another --order", option,
        *option ? " out" : "");
}

/* The variant is used all the same: a wrong one can be shown. Launch rules are left to a
 * device. */
static int note_rule(const struct request *request, const struct setup *setup,
                     const int64_t *config, struct error *error)
{
    const int broken = point_prune(&setup->context, config, error);
    const struct rule *rule = broken >= 0 ? &setup->space->rules[broken] : NULL;
    if (rule && (setup->device || !rule->is_launch))
        output_note(&request->out, "note      the space would not try this variant, %s: %s\n",
                    rule->is_prune ? "right as it may be" : "by the rule", rule->reason);
    return broken == POINT_FAILED ? fault_variant(request, error) : 0;
}

static int choose(int64_t *config, struct find_result *found, struct code_memo *memo,
                  const struct setup *setup, const struct request *request, struct error *error)
{
    struct error warning;
    if (find_all(found, memo, setup, request, &warning, error))
        return -1;
    if (warning.code != ERROR_NONE)
        output_warn("%s", warning.text);
    if (request->variant && found->grade > SELECTOR_OTHER_SIZE)
        found->grade = SELECTOR_NONE; /* a variant by hand must not depend on shipped records */
    memcpy(config, found->grade == SELECTOR_NONE ? setup->space->default_config : found->config,
           setup->space->param_count * sizeof *config);
    if (request->variant && found->grade == SELECTOR_NONE &&
        space_default_of_many(config, setup->space, &setup->problem, &setup->target, error))
        return -1;
    if (request->variant && point_parse(setup->space, request->variant, config, error))
        return -1;
    note_origin(request, found);
    return check_order(request, setup, config, error) ||
                   note_rule(request, setup, config, error)
               ? -1
               : 0;
}

int setup_config(int64_t *config, const struct setup *setup, const struct request *request,
                 struct error *error)
{
    struct code_memo memo = {.next = 0};
    struct find_result found;
    return choose(config, &found, &memo, setup, request, error);
}

int setup_variant(struct emit_variant *out, int64_t *config, const struct setup *setup,
                  const struct request *request, struct error *error)
{
    struct code_memo memo = {.keeps_last = true};
    struct find_result found;
    int failed = choose(config, &found, &memo, setup, request, error);
    const bool is_records = found.grade != SELECTOR_NONE && !request->variant;
    if (!failed && !(is_records && code_take(&memo, out, &found.record, &setup->context)))
        failed = emit_variant(out, &setup->context, &setup->sources, config, error);
    code_dispose(&memo);
    return failed ? -1 : 0;
}
