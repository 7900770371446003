/* tune_candidates: chooses among the records of a file by the distance of their sizes, and asks the
 * rules of the space which of the winners may run here. */
#include "autotune/tune/tune_candidates.h"

#include "autotune/cli/output.h"
#include "autotune/search/trials.h"
#include "cache/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A file's records of the problem, and what the rules say of them. */
struct choice {
    struct sweep_configs list; /* at most TUNE_CANDIDATES_MAX */
    size_t of_problem;         /* records */
    size_t refused;            /* winners that the rules refuse here, */
    const char *reason;        /* ... the first for this */
    const char *gpu;           /* of the first record */
};

/* But for its size. */
static bool is_of_problem(const struct record *record, const struct setup *setup)
{
    const struct problem *a = &record->problem, *b = &setup->problem;
    return record->source != RECORD_PUBLISHED && a->op == b->op && a->type == b->type &&
           a->acc == b->acc && a->order == b->order && a->regime == b->regime &&
           dims_is_alike(&a->dims, &b->dims) && problem_has_same_segments(a, b) &&
           strcmp(record->space, setup->space->name) == 0;
}

/* In doublings. */
static double distance(const struct record *record, const struct setup *setup)
{
    return fabs(log2((double)dims_n(&record->problem.dims) + 1) -
                log2((double)dims_n(&setup->problem.dims) + 1));
}

/* The nearest of those that are farther than `past`, or as far and behind `last`; NULL = none. */
static const struct record *find_next(const struct records *records, const struct setup *setup,
                                      double past, const struct record *last)
{
    const struct record *next = NULL;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *record = &records->at[i];
        const double far = distance(record, setup);
        if (is_of_problem(record, setup) && (far > past || (far >= past && record > last)) &&
            (!next || far < distance(next, setup)))
            next = record;
    }
    return next;
}

static int take(struct choice *out, const struct record *record, const struct setup *setup,
                struct error *error)
{
    int64_t config[SPACE_NAMES_MAX];
    struct error ignored;
    if (point_parse_record(setup->space, record->params, config, &ignored))
        return 0; /* of a space that has changed */
    const int broken = point_reject(&setup->context, config, error);
    if (broken == POINT_FAILED)
        return -1;
    if (broken == POINT_VALID)
        sweep_configs_add(&out->list, config);
    else if (!out->refused++)
        out->reason = setup->space->rules[broken].reason;
    return 0;
}

/* A file that was named must be there, and be one of records. */
static int load(struct records *out, const char *path, struct error *error)
{
    struct text text = {0};
    const int failed = file_read_named(&text, path, INI_FILE_MAX, "a record file", error) ||
                       store_load_bytes(out, path, text.at ? text.at : "", text.length, error);
    text_dispose(&text);
    if (failed)
        return -1;
    if (out->count)
        return 0;
    error_set(error, ERROR_IO, "--candidates %s: it has no record%s%s", path,
              out->skipped ? ": " : "", out->skipped ? out->reason.text : "");
    store_dispose(out);
    return -1;
}

static int choose(struct choice *out, struct tune_candidates *from,
                  const struct request *request, const struct setup *setup, struct error *error)
{
    const struct record *last = NULL;
    double past = -1;
    *out = (struct choice){.list = {.setup = setup, .most = TUNE_CANDIDATES_MAX}};
    if (!request->candidates)
        return 0;
    if (!from->records.count && load(&from->records, request->candidates, error))
        return -1;
    int failed = 0;
    out->gpu = from->records.at[0].gpu;
    while (!failed && out->list.count < out->list.most &&
           (last = find_next(&from->records, setup, past, last))) {
        past = distance(last, setup);
        out->of_problem++;
        failed = take(out, last, setup, error);
    }
    return failed;
}

void tune_candidates_dispose(struct tune_candidates *candidates)
{
    store_dispose(&candidates->records);
}

int tune_candidates_add(struct sweep_configs *out, struct tune_candidates *from,
                        const struct request *request, struct error *error)
{
    struct choice choice;
    const size_t width = out->setup->space->param_count;
    if (choose(&choice, from, request, out->setup, error))
        return -1;
    for (size_t i = 0; i < choice.list.count; i++)
        sweep_configs_add(out, choice.list.configs + i * width);
    return 0;
}

/* Of the config, or of another with the same kernels and launches. */
static bool has_trial(const struct journal *journal, const struct setup *setup,
                      const int64_t *config)
{
    struct error ignored;
    uint64_t hash, identity;
    if (emit_hash_config(&hash, &setup->context, &setup->sources, config, &ignored) ||
        trials_identity(&identity, &setup->context, config, hash, &ignored))
        return false;
    for (size_t i = 0; i < journal->count; i++)
        if (journal->trials[i].identity == identity)
            return true;
    return false;
}

/* Without a journal none was measured. */
static bool has_all(const struct request *request, const struct choice *choice)
{
    const struct setup *setup = choice->list.setup;
    struct text folder = {0}, path = {0};
    struct journal journal;
    struct record key, was;
    struct error ignored;
    setup_record(&key, setup);
    bool has = store_folder(&folder, request->cache, &ignored) == 0 &&
               journal_path(&path, folder.at, &key, &ignored) == 0 &&
               journal_load(&journal, &was, path.at, &ignored) == 0;
    const bool is_open = has;
    for (size_t i = 0; i < choice->list.count && has; i++)
        has = has_trial(&journal, setup, choice->list.configs + i * setup->space->param_count);
    if (is_open)
        journal_close(&journal);
    text_dispose(&path);
    text_dispose(&folder);
    return has;
}

int tune_candidates_are_new(bool *are_new, struct tune_candidates *from,
                            const struct request *request, const struct setup *setup,
                            struct error *error)
{
    struct choice choice;
    *are_new = false;
    if (choose(&choice, from, request, setup, error))
        return -1;
    *are_new = choice.list.count && !has_all(request, &choice);
    return 0;
}

int tune_candidates_note(struct tune_candidates *from, const struct request *request,
                         const struct setup *setup, struct error *error)
{
    struct choice choice;
    struct text line = {0};
    if (!request->candidates)
        return 0;
    if (choose(&choice, from, request, setup, error))
        return -1;
    if (!choice.of_problem) {
        output_warn("--candidates %s: no record of this problem, of any size, by the space %s",
                    request->candidates, setup->space->name);
        return 0;
    }
    text_addf(&line, "winners   of %s: %zu measured first", choice.gpu, choice.list.count);
    if (choice.refused)
        text_addf(&line, "; %zu cannot run here: %s", choice.refused, choice.reason);
    output_line(&request->out, &line);
    return 0;
}
