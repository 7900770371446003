/* export_records: reads all record files and keeps the records that an export can use. Counts
 * why the others were passed over, for the error when none is left. */
#include "autotune/command/export_records.h"

#include "autotune/cli/output.h"
#include "autotune/device/gpus.h"
#include "autotune/library/shipped.h"
#include "cache/code.h"
#include "generator/array.h"
#include "generator/command.h"
#include "generator/cost_class.h"
#include "generator/dims_text.h"
#include "generator/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME_CHARS = 160, GPUS_CHARS = 600 };

struct gathering {
    struct export_records *out;
    const struct setup *setup;
    const struct request *request;
    struct record want;
    struct filter filter; /* by this */
    struct code_memo memo;
    /* of the problem, but passed over: */
    struct dims unlike; /* with results of another kind; n = 0: none */
    /* n of the one of another size that is nearest to the first --n; 0: none. */
    uint64_t nearest;
    size_t other_code, other_regime, other_size, other_gpu, of_host;
    struct text gpus; /* of the problem, wanted or not, each on a line */
};

/* --- One record --------------------------------------------------------------------------- */

/* What --gpu calls it. */
static const char *gpu_of(const struct record *record)
{
    return record->source == RECORD_EMULATED ? "host" : record->gpu;
}

/* Copies the next of the names at *at, which commas separate, and moves behind it; false: there is
 * none. */
static bool next_name(const char **at, char out[NAME_CHARS])
{
    if (!*at)
        return false;
    text_next_item(at, out, NAME_CHARS);
    return true;
}

static bool is_named(const struct record *record, const char *name)
{
    return record->source == RECORD_EMULATED ? strcasecmp(name, "host") == 0
                                             : gpus_is_named(record->gpu, name);
}

static bool is_wanted_gpu(void *context, const struct record *record)
{
    const struct gathering *all = context;
    const char *names = all->request->gpu;
    char name[NAME_CHARS];
    if (!names)
        return record->source != RECORD_EMULATED;
    while (next_name(&names, name))
        if (is_named(record, name))
            return true;
    return false;
}

/* Adds a line to a list of lines, once. */
static void add_once(struct text *list, const char *line)
{
    const size_t length = strlen(line);
    for (const char *at = list->at; at && *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, line, length) == 0 && at[length] == '\n')
            return;
    text_addf(list, "%s\n", line);
}

static bool serves(const struct interval *served, uint64_t n)
{
    return served->from <= n && n <= served->to;
}

/* One shape, some n, or all. */
static unsigned sizes_asked(const struct request *request)
{
    return request_dims_are_given(request) ? FILTER_DIMS
           : request->size_count           ? FILTER_SIZES
                                           : 0;
}

static void set_filter(struct gathering *all)
{
    all->filter = (struct filter){.asked = FILTER_USE | FILTER_DEVICE | FILTER_PROBLEM |
                                           FILTER_SPACE | FILTER_METHOD | FILTER_REGIME |
                                           FILTER_GPU | sizes_asked(all->request),
                                  .problem = all->want.problem,
                                  .space = all->want.space,
                                  .sizes = all->request->sizes,
                                  .size_count = all->request->size_count,
                                  .is_gpu = is_wanted_gpu,
                                  .gpu = all};
}

/* The same share more as less. */
static double distance(uint64_t n, uint64_t wanted)
{
    return fabs(log2((double)n + 1) - log2((double)wanted + 1));
}

static void note_nearest(struct gathering *all, const struct interval *served)
{
    const struct request *request = all->request;
    const uint64_t n = dims_n(&served->record.problem.dims);
    const uint64_t wanted = request->size_count ? dims_n(&request->sizes[0]) : 0;
    if (!all->nearest || distance(n, wanted) < distance(all->nearest, wanted))
        all->nearest = n;
}

/* What it lacks is counted, unless it is of another problem. */
static bool is_wanted(struct gathering *all, const struct interval *served)
{
    const struct record *record = &served->record;
    if (dims_text_compare(&record->problem.dims, &all->want.problem.dims) &&
        !record_group_difference(record, &all->want, RECORD_PROBLEM))
        all->unlike = record->problem.dims;
    const unsigned lacks = filter_lacks(&all->filter, served);
    const bool is_host = record->source == RECORD_EMULATED;
    const bool is_size = lacks == FILTER_DIMS || lacks == FILTER_SIZES;
    all->other_code += lacks == FILTER_METHOD;
    all->other_regime += lacks == FILTER_REGIME;
    all->of_host += lacks == FILTER_GPU && is_host;
    all->other_gpu += lacks == FILTER_GPU && !is_host;
    all->other_size += is_size;
    if (!lacks || is_size || (lacks == FILTER_GPU && !is_host))
        add_once(&all->gpus, gpu_of(record));
    if (is_size)
        note_nearest(all, served);
    return !lacks;
}

/* Is there one for the same n, or an interval that overlaps this one? */
static bool is_known(const struct gathering *all, const struct interval *served)
{
    const bool is_one = served->from == served->to;
    for (size_t i = 0; i < all->out->count; i++) {
        const struct interval *known = &all->out->at[i];
        if ((known->from == known->to) != is_one)
            continue;
        if (is_one ? record_is_same_problem(&known->record, &served->record)
                   : known->from <= served->to && served->from <= known->to &&
                         known->record.problem.regime == served->record.problem.regime &&
                         interval_is_alike(&known->record, &served->record))
            return true;
    }
    return false;
}

static bool is_current(struct gathering *all, const struct record *record, const int64_t *row,
                       const struct point_context *there)
{
    struct error ignored;
    const bool is_same =
        code_is_current(&all->memo, record, row, there, &all->setup->sources, &ignored);
    all->other_code += !is_same;
    return is_same;
}

/* Do the rules allow these params, for some launch at least? */
static bool is_allowed(const struct point_context *context, const int64_t *row,
                       struct error *why)
{
    const struct space *space = context->space;
    const int broken = point_reject(context, row, why);
    if (broken >= 0 && !space->rules[broken].is_launch)
        error_set(why, ERROR_IO, "the rule '%s' refuses it", space->rules[broken].reason);
    return broken == POINT_VALID || (broken >= 0 && space->rules[broken].is_launch);
}

/* Passes over records that would not run, as all readers of records do: params outside the
 * space, params that its rules refuse for that architecture, and kernels whose source has
 * changed. */
static bool is_usable(struct gathering *all, const struct record *record)
{
    const struct space *space = all->setup->space;
    struct target target;
    struct error cause;
    char arch[16];
    int64_t row[SPACE_NAMES_MAX];
    const struct point_context context = {space, &record->problem, &target};
    snprintf(arch, sizeof arch, "sm_%d", record->cc);
    if (gpus_find(&target, arch, &cause) == 0 &&
        point_parse_record(space, record->params, row, &cause) == 0 &&
        is_allowed(&context, row, &cause))
        return is_current(all, record, row, &context);
    output_warn("a record of %s is passed over: %s", record->gpu, cause.text);
    return false;
}

static int add(struct gathering *all, const struct interval *served, struct error *error)
{
    struct export_records *out = all->out;
    if (!is_wanted(all, served) || is_known(all, served) || !is_usable(all, &served->record))
        return 0;
    if (array_grow(&out->at, out->count, sizeof *out->at, error))
        return -1;
    out->at[out->count++] = *served;
    return 0;
}

/* A problem of one's own from what ships for another of its cost class, where that is current, and
 * without its time. False: it is not of the class, not current, or not for this problem. */
static bool take_over(struct gathering *all, struct interval *served)
{
    struct record *record = &served->record;
    const struct space *space = all->setup->space;
    const struct cost_class class = cost_class_of(&record->problem),
                            wanted = cost_class_of(&all->want.problem);
    struct problem own = all->want.problem;
    struct target target;
    struct error ignored;
    char arch[16];
    int64_t row[SPACE_NAMES_MAX];
    const struct point_context there = {space, &record->problem, &target};
    snprintf(arch, sizeof arch, "sm_%d", record->cc);
    if (!cost_class_is_same(&class, &wanted) || strcmp(record->space, space->name) != 0 ||
        gpus_find(&target, arch, &ignored) ||
        point_parse_record(space, record->params, row, &ignored) ||
        !is_current(all, record, row, &there))
        return false;
    own.dims = record->problem.dims;
    own.regime = record->problem.regime;
    record->problem = own;
    record->median_ps = record->low_ps = record->high_ps = 0; /* of the other problem */
    return is_allowed(&there, row, &ignored) &&
           code_hash(&record->code, record, row, &there, &all->setup->sources, &ignored) == 0;
}

/* --- All of them -------------------------------------------------------------------------- */

static int take(void *context, const struct interval *served, const struct records *from,
                struct error *error)
{
    (void)from;
    return add(context, served, error);
}

/* Of the sizes for which nothing ships of the problem itself. */
static int take_class(void *context, const struct interval *served, const struct records *from,
                      struct error *error)
{
    struct interval own = *served;
    (void)from;
    return take_over(context, &own) ? add(context, &own, error) : 0;
}

static void miss(void *context, const struct records *records)
{
    (void)context;
    output_warn("%s", records->reason.text);
}

static int add_kept(struct gathering *all, struct error *error)
{
    const struct collection kept = setup_collection(all->request);
    const struct collection_visitor visitor = {all, NULL, take, miss};
    return collection_visit_files(&kept, &visitor, error);
}

static int add_shipped(struct gathering *all, struct error *error)
{
    const struct collection_visitor of_it = {all, NULL, take, NULL};
    const struct collection_visitor of_class = {all, NULL, take_class, NULL};
    struct records shipped;
    if (shipped_load(&shipped, &all->want, error))
        return -1;
    const int failed = collection_visit(&shipped, &of_it, error) ||
                       collection_visit(&shipped, &of_class, error);
    store_dispose(&shipped);
    return failed ? -1 : 0;
}

/* --- The whole ---------------------------------------------------------------------------- */

/* "NVIDIA H200, Tesla T4" of a list of lines. */
static void join(char *out, size_t size, const struct text *lines)
{
    size_t used = 0;
    *out = '\0';
    for (const char *at = lines->at; at && *at && used < size; at += strcspn(at, "\n") + 1) {
        const int more = snprintf(out + used, size - used, "%s%.*s", used ? ", " : "",
                                  (int)strcspn(at, "\n"), at);
        used += more > 0 ? (size_t)more : 0;
    }
}

enum { ADVICE_CHARS = 400 };

/* How to get a record where there is none at all. What ships is of accumulators as values, mostly. */
static char *advise(char out[ADVICE_CHARS], const struct gathering *all)
{
    const struct problem *problem = &all->want.problem;
    const struct type_row *value = &problem_types[problem_value(problem)];
    const bool has_size = all->request->has_n || request_dims_are_given(all->request);
    struct text options = {0};
    snprintf(out, ADVICE_CHARS, "'autotune' with the same problem makes one");
    command_add_problem(&options, problem,
                        has_size ? COMMAND_REGIME | COMMAND_SIZE : COMMAND_REGIME);
    if (problem_value(problem) != problem->acc && !options.failed)
        snprintf(out, ADVICE_CHARS,
                 "its values are %s, and nothing that ships combines such of %s: run "
                 "'autotune%.200s' on your GPU first",
                 value->name, problem_types[problem->type].name, options.at);
    text_dispose(&options);
    return out;
}

static int refuse_nothing(const struct gathering *all, const char *folder, struct error *error)
{
    char n[NUMBER_CHARS], other_n[200], gpus[GPUS_CHARS], other_gpu[GPUS_CHARS + 100];
    char advice[ADVICE_CHARS];
    join(gpus, sizeof gpus, &all->gpus);
    snprintf(other_gpu, sizeof other_gpu,
             "there are records of %s: leave --gpu out, or name one of these", gpus);
    snprintf(
        other_n, sizeof other_n,
        "there are records of other n, the nearest of %s: leave --n out, as each serves the n "
        "that it is nearest to, or name that one",
        number_format_count(n, all->nearest));
    const struct {
        size_t count;
        const char *text;
    } causes[] = {
        {all->other_size,
         request_dims_are_given(all->request) ? DIMS_TEXT_OTHER_SIZES : other_n},
        {all->other_gpu, other_gpu},
        {all->of_host, "there are records of the emulator: --gpu host takes them"},
        {all->other_regime, all->request->warm
                                ? "there are records for cold data: leave --warm out"
                                : "there are records for warm data: add --warm"},
        {dims_n(&all->unlike) > 0, dims_text_others(&all->unlike)},
        {all->other_code, "its records are of other kernels or another method: tune again"},
    };
    const struct problem *problem = &all->want.problem;
    const char *cause = advise(advice, all);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].count) {
            cause = causes[i].text;
            break;
        }
    return error_set(
        error, ERROR_FAILED,
        "nothing to export: no record serves %s of %s%s%s accumulated in %s%s, neither in %.1000s nor "
        "among those that ship; %s",
        problem->op->name, dims_text_each(&problem->dims),
        *dims_text_each(&problem->dims) ? " of " : "", problem_types[problem->type].name,
        problem_types[problem->acc].name, problem_orders[problem->order].shown, folder, cause);
}

/* Is there a record of a GPU of this name, among those that are exported? */
static bool has_gpu(const struct export_records *records, const char *name)
{
    for (size_t i = 0; i < records->count; i++)
        if (is_named(&records->at[i].record, name))
            return true;
    return false;
}

/* A GPU that was asked for by name is not left out in silence. */
static int check_gpus(const struct gathering *all, struct error *error)
{
    struct text missing = {0};
    char name[NAME_CHARS], names[GPUS_CHARS], gpus[GPUS_CHARS];
    const char *at = all->request->gpu;
    while (next_name(&at, name))
        if (!has_gpu(all->out, name))
            add_once(&missing, name);
    join(names, sizeof names, &missing);
    join(gpus, sizeof gpus, &all->gpus);
    int failed = text_check(&missing, error) || text_check(&all->gpus, error);
    if (!failed && missing.length)
        failed =
            error_set(error, ERROR_FAILED,
                      "nothing to export for --gpu %s: no record %s is of a GPU of that "
                      "name; there are records of %s: leave the others out, or tune there",
                      names,
                      all->request->size_count ? "of this problem and size" : "of this problem",
                      gpus);
    text_dispose(&missing);
    return failed;
}

/* A size that was asked for by name is not left out in silence. */
static int check_sizes(const struct export_records *records, const struct request *request,
                       struct error *error)
{
    char n[NUMBER_CHARS];
    for (size_t i = 0; i < request->size_count; i++) {
        size_t at = 0;
        while (at < records->count && !serves(&records->at[at], dims_n(&request->sizes[i])))
            at++;
        if (at == records->count)
            return error_set(error, ERROR_FAILED,
                             "nothing to export for n = %s: of the sizes that --n names, no "
                             "record serves that one; tune it, or leave it out",
                             number_format_count(n, dims_n(&request->sizes[i])));
    }
    return 0;
}

int export_records_find(struct export_records *out, const struct setup *setup,
                        const struct request *request, struct error *error)
{
    struct gathering all = {.out = out, .setup = setup, .request = request};
    struct text folder = {0};
    *out = (struct export_records){0};
    setup_record(&all.want, setup);
    set_filter(&all);
    int failed = store_folder(&folder, request->cache, error) || add_kept(&all, error) ||
                 add_shipped(&all, error);
    if (!failed && out->count == 0)
        failed = refuse_nothing(&all, folder.at, error);
    failed = failed || check_gpus(&all, error);
    if (!failed && !request_dims_are_given(request))
        failed = check_sizes(out, request, error);
    text_dispose(&folder);
    text_dispose(&all.gpus);
    if (failed)
        export_records_dispose(out);
    return failed ? -1 : 0;
}

void export_records_dispose(struct export_records *records)
{
    free(records->at);
    *records = (struct export_records){0};
}
