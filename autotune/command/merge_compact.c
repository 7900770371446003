/* merge_compact: sorts records by file and size, finds from where to where each config is one that
 * its space would try, and writes a file for each run of records that belong together. */
#include "autotune/command/merge_compact.h"

#include "autotune/cli/output.h"
#include "autotune/command/merge_choice.h"
#include "autotune/device/gpus.h"
#include "autotune/library/builtin_spaces.h"
#include "cache/code.h"
#include "cache/compact.h"
#include "cache/file.h"
#include "generator/array.h"
#include "generator/dims_text.h"
#include "generator/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_CHARS = COMPACT_NAME_CHARS + 64 };

/* A size that ships. */
struct size {
    struct interval served;
    char file[FILE_CHARS]; /* without folder and ending */
    bool *ships;           /* of its record, for the caller */
};

struct compacting {
    struct size *at;
    size_t count;
    struct builtin_spaces *spaces;
    struct code_memo memo;
};

/* --- What a config serves ----------------------------------------------------------------- */

/* Opens the space of a record, its default settled, and the record's GPU. */
static int find_place(struct point_context *here, struct target *target,
                      const struct builtin_spaces **spaces, struct compacting *all,
                      const struct record *record, struct error *error)
{
    char arch[16];
    const char *name = problem_space(&record->problem);
    snprintf(arch, sizeof arch, "sm_%d", record->cc);
    if (strcmp(name, record->space) != 0)
        return error_set(error, ERROR_USAGE, "it is of the space %s, and %s is used",
                         record->space, name);
    if (gpus_find(target, arch, error) ||
        builtin_spaces_find(&all->spaces, name, spaces, error))
        return -1;
    target->sms = record->sms;
    *here = (struct point_context){(*spaces)->space, &record->problem, target};
    return 0;
}

/* Would the space try the config for so many elements of a result? Where it would not, another size's
 * config does better: what one block held takes a second pass. */
static bool tries(const struct point_context *context, const int64_t *config, uint64_t depth)
{
    struct problem problem = *context->problem;
    const struct point_context here = {context->space, &problem, context->target};
    struct error ignored;
    problem.dims.depth.n = depth;
    return point_prune(&here, config, &ignored) == POINT_VALID;
}

/* The last depth below `end` that the config serves, of those from its own on. */
static uint64_t find_end(const struct point_context *here, const int64_t *config, uint64_t end)
{
    uint64_t low = here->problem->dims.depth.n, high = end;
    if (tries(here, config, end))
        return end;
    while (low + 1 < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (tries(here, config, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_run(const struct record *record)
{
    return dims_kept(&record->problem.dims) == 1;
}

/* Two sizes next to each other meet half way, as a factor, or where the lower one's config ends. */
static int find_border(struct compacting *all, struct interval *low, struct interval *high,
                       struct error *error)
{
    const uint64_t first = low->record.problem.dims.depth.n,
                   last = high->record.problem.dims.depth.n;
    const struct builtin_spaces *spaces;
    struct point_context here;
    struct target target;
    int64_t config[SPACE_NAMES_MAX];
    if (find_place(&here, &target, &spaces, all, &low->record, error) ||
        point_parse_record(here.space, low->record.params, config, error))
        return -1;
    low->to = find_end(&here, config, (uint64_t)sqrt((double)first * (double)last));
    high->from = low->to + 1;
    return 0;
}

static int find_intervals(struct compacting *all, struct error *error)
{
    for (size_t i = 1; i < all->count; i++) {
        struct interval *low = &all->at[i - 1].served, *high = &all->at[i].served;
        if (strcmp(all->at[i - 1].file, all->at[i].file) == 0 && is_run(&low->record) &&
            is_run(&high->record) &&
            low->record.problem.regime == high->record.problem.regime &&
            low->record.problem.dims.depth.n < high->record.problem.dims.depth.n &&
            find_border(all, low, high, error))
            return -1;
    }
    return 0;
}

/* --- Which records ------------------------------------------------------------------------ */

/* The member that is tuned for its class has the class's file; others and other orders have one of
 * their own behind it. */
static void name_file(char out[FILE_CHARS], const struct record *record)
{
    const struct problem *problem = &record->problem;
    const struct cost_class class = cost_class_of(problem);
    char name[COMPACT_NAME_CHARS];
    struct problem tuned = *problem;
    const bool is_tuned = cost_class_tuned(&tuned, &class) && tuned.op == problem->op &&
                          tuned.type == problem->type && problem->order == ORDER_FREE;
    compact_name(name, record->space, problem);
    snprintf(out, FILE_CHARS, "%s", name);
    if (!is_tuned)
        snprintf(out, FILE_CHARS, "%s_%s-%s%s%s", name, problem->op->word,
                 problem_types[problem->type].name, problem->order ? "-" : "",
                 problem->order ? problem_orders[problem->order].suffix : "");
}

static bool is_current(struct compacting *all, const struct record *record, struct error *why)
{
    const struct builtin_spaces *spaces;
    struct point_context here;
    struct target target;
    int64_t config[SPACE_NAMES_MAX];
    if (record->source != RECORD_MEASURED) {
        error_set(why, ERROR_IO, "it is %s, and what was measured ships",
                  record_sources[record->source]);
        return false;
    }
    return find_place(&here, &target, &spaces, all, record, why) == 0 &&
           point_parse_record(here.space, record->params, config, why) == 0 &&
           code_is_current(&all->memo, record, config, &here, &spaces->sources, why);
}

/* The size of the same problem, of another file or before; NULL: there is none. */
static struct size *find_same(const struct compacting *all, const struct record *record)
{
    for (size_t i = 0; i < all->count; i++)
        if (record_is_same_problem(&all->at[i].served.record, record))
            return &all->at[i];
    return NULL;
}

static int add(struct compacting *all, bool *ships, const struct record *record,
               struct error *error)
{
    const uint64_t depth = record->problem.dims.depth.n;
    char problem[PROBLEM_CHARS];
    struct error why;
    *ships = is_current(all, record, &why);
    if (!*ships) {
        output_warn("%s of %s does not ship: %s", problem_format(problem, &record->problem),
                    record->gpu, why.text);
        return 0;
    }
    struct size *size = find_same(all, record);
    if (size && !merge_choice_is_better(record, &size->served.record)) {
        *ships = false;
        return 0;
    }
    if (size)
        *size->ships = false;
    else if (array_grow(&all->at, all->count, sizeof *all->at, error))
        return -1;
    else
        size = &all->at[all->count++];
    *size = (struct size){.served = {depth, depth, *record}, .ships = ships};
    name_file(size->file, record);
    return 0;
}

static int by_file(const void *a, const void *b)
{
    const struct size *x = a, *y = b;
    const struct problem *p = &x->served.record.problem, *q = &y->served.record.problem;
    const int orders[] = {strcmp(x->served.record.gpu, y->served.record.gpu),
                          strcmp(x->file, y->file),
                          number_compare(p->regime, q->regime),
                          number_compare(is_run(&x->served.record), is_run(&y->served.record)),
                          number_compare(p->dims.depth.n, q->dims.depth.n),
                          dims_text_compare_sizes(&p->dims, &q->dims)};
    return number_decide(orders, sizeof orders / sizeof *orders);
}

/* --- Files -------------------------------------------------------------------------------- */

/* The folder of a GPU is called as its file of records is. */
static int write_file(const char *folder, const struct size *first, size_t count, size_t *bytes,
                      struct error *error)
{
    struct interval *served = calloc(count, sizeof *served);
    struct text path = {0}, text = {0};
    int failed = served ? store_path(&path, folder, first->served.record.gpu, error)
                        : error_memory(error, count * sizeof *served);
    for (size_t i = 0; i < count && !failed; i++)
        served[i] = first[i].served;
    if (!failed) {
        path.length -= strlen(".ini");
        text_addf(&path, "/%s.ini", first->file);
        failed = text_check(&path, error) || compact_emit(&text, served, count, error) ||
                 file_make_folder_of(path.at, error) || output_write(path.at, &text, error);
    }
    *bytes += text.length;
    text_dispose(&text);
    text_dispose(&path);
    free(served);
    return failed ? -1 : 0;
}

static int write_files(const struct compacting *all, const char *folder, size_t *bytes,
                       struct error *error)
{
    for (size_t first = 0, end; first < all->count; first = end) {
        for (end = first + 1; end < all->count; end++)
            if (strcmp(all->at[first].file, all->at[end].file) != 0 ||
                strcmp(all->at[first].served.record.gpu, all->at[end].served.record.gpu) != 0)
                break;
        if (write_file(folder, &all->at[first], end - first, bytes, error))
            return -1;
    }
    return 0;
}

int merge_compact(bool *ships, const char *folder, const struct records *files, size_t count,
                  size_t *bytes, struct error *error)
{
    struct compacting all = {.count = 0};
    int failed = 0;
    *bytes = 0;
    for (size_t i = 0; i < count && !failed; i++)
        for (size_t k = 0; k < files[i].count && !failed; k++)
            failed = add(&all, ships++, &files[i].at[k], error);
    if (!failed && all.count)
        qsort(all.at, all.count, sizeof *all.at, by_file);
    failed = failed || find_intervals(&all, error) || write_files(&all, folder, bytes, error);
    code_dispose(&all.memo);
    builtin_spaces_free(all.spaces);
    free(all.at);
    return failed ? -1 : 0;
}
