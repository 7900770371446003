/* verb_merge: merges record files of other machines or people into the folder of records, each
 * record into the file of its own GPU. All files are read before anything is changed. */
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/record_cells.h"
#include "autotune/cli/request.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/merge_choice.h"
#include "autotune/command/merge_compact.h"
#include "autotune/command/merge_folder.h"
#include "autotune/print/figures.h"
#include "cache/file.h"
#include "cache/store.h"
#include "generator/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* For people the problem is one word, for programs a column for each part. */
static const struct table_column columns[] = {
    {"gpu", "gpu", false},   {"problem", NULL, false},
    {NULL, "op", false},     {NULL, "type", false},
    {NULL, "acc", false},    {NULL, "n", true},
    {NULL, "regime", false}, {NULL, "order", false},
    {"us", "us", true},      {"us here", "us_here", true},
    {"from", "file", false}, {"result", "result", false},
    DIMS_TEXT_COLUMNS,
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* What merge alone has options for. */
struct merge_request {
    const char *compact; /* a folder for compact files; NULL = none */
};

struct merge {
    struct request request;
    struct merge_request own;
    struct text folder;
    struct merge_files names;
    struct records *files; /* of each of these */
    struct table table;
    size_t taken, trials;
    struct error error; /* what ended it: records merged before stay merged, and are shown */
};

/* --- Reading ------------------------------------------------------------------------------ */

static int parse_file(struct records *out, const char *path, struct text *text,
                      struct error *error)
{
    text_adds(text, ""); /* an empty file has bytes too */
    if (text_check(text, error) || store_load_bytes(out, path, text->at, text->length, error))
        return -1;
    if (out->is_refused)
        return error_set(error, ERROR_IO, "%s", out->reason.text);
    if (out->skipped > 1)
        output_warn("%s (and %zu more there)", out->reason.text, out->skipped - 1);
    else if (out->skipped)
        output_warn("%s", out->reason.text);
    return 0;
}

static int read_file(struct records *out, const char *path, struct error *error)
{
    struct text text = {0};
    const int failed =
        file_read_named(&text, path, INI_FILE_MAX,
                        "record files, which are what 'autotune show' shows", error) ||
        parse_file(out, path, &text, error);
    text_dispose(&text);
    return failed ? -1 : 0;
}

/* --- Merging ------------------------------------------------------------------------------ */

static void add_merge_row(struct merge *merge, const char *file, const struct record *record,
                          const struct merge_choice *choice)
{
    struct table *table = &merge->table;
    const struct problem *problem = &record->problem;
    const char *op = problem->op->name, *type = problem_types[problem->type].name;
    const char *acc = problem_types[problem->acc].name;
    const char *regime = problem_regimes[problem->regime];
    const bool is_plain = problem->acc == problem_default_acc(problem->type);
    char size[DIMS_TEXT_CHARS], us[NUMBER_CHARS];
    table_add(table, record->gpu);
    table_addf(table, "%s %s%s%s %s %s%s", op, type, is_plain ? "" : " in ",
               is_plain ? "" : acc, dims_text_format(size, &problem->dims), regime,
               problem_orders[problem->order].shown);
    table_add(table, op);
    table_add(table, type);
    table_add(table, acc);
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
    table_add(table, regime);
    table_add(table, problem_orders[problem->order].name);
    table_add(table, figures_us(us, record->median_ps));
    table_add(table, choice->here_ps ? figures_us(us, choice->here_ps) : NULL);
    table_add(table, file);
    table_add(table, choice->result);
    record_cells_add_dims(table, record);
}

/* A GPU's file in the folder, and what is kept there of another file. */
struct merging {
    const char *path;
    struct records here, kept;
    struct merge_choice *choices;
};

static int choose(struct merging *merging, const struct records *records, struct error *error)
{
    store_dispose(&merging->here);
    store_dispose(&merging->kept);
    return store_load(&merging->here, merging->path, error) ||
                   merge_choose(&merging->kept, merging->choices, &merging->here, records,
                                error)
               ? -1
               : 0;
}

/* What was chosen is chosen again under the lock: another process may have kept better there. */
static int keep(struct merging *merging, const struct records *records, struct error *error)
{
    if (!merging->kept.count)
        return 0;
    if (file_make_folder_of(merging->path, error))
        return -1;
    const int lock = file_lock(merging->path, error);
    if (lock < 0)
        return -1;
    struct error moved = {.code = ERROR_NONE};
    const int failed = choose(merging, records, error) ||
                       (merging->kept.count &&
                        store_save_locked(merging->path, &merging->kept, &moved, error));
    file_unlock(lock);
    if (!failed && (moved.code != ERROR_NONE || merging->here.skipped))
        output_warn("%s", moved.code != ERROR_NONE ? moved.text : merging->here.reason.text);
    return failed ? -1 : 0;
}

static int merge_gpu(struct merge *merge, const char *file, const struct records *records,
                     const char *path, struct merge_choice *choices, struct error *error)
{
    struct merging merging = {.path = path, .choices = choices};
    const int failed = choose(&merging, records, error) || keep(&merging, records, error);
    for (size_t i = 0; i < records->count && !failed; i++) {
        add_merge_row(merge, file, &records->at[i], &choices[i]);
        merge->taken += choices[i].is_taken;
    }
    store_dispose(&merging.kept);
    store_dispose(&merging.here);
    return failed ? -1 : 0;
}

/* Moves the records of the first one's GPU to `out`; the others stay, in order. */
static int split_gpu(struct records *out, struct records *rest, struct error *error)
{
    char gpu[sizeof rest->at->gpu];
    size_t kept = 0;
    memcpy(gpu, rest->at->gpu, sizeof gpu);
    for (size_t i = 0; i < rest->count; i++)
        if (strcmp(rest->at[i].gpu, gpu) != 0)
            rest->at[kept++] = rest->at[i];
        else if (store_copy(out, rest, &rest->at[i], error))
            return -1;
    rest->count = kept;
    return 0;
}

static int merge_file(struct merge *merge, const char *file, struct records *records,
                      struct error *error)
{
    int failed = 0;
    while (records->count && !failed) {
        struct records own = {0};
        struct text path = {0};
        struct merge_choice *choices = calloc(records->count, sizeof *choices);
        failed = !choices ? error_memory(error, records->count * sizeof *choices)
                          : split_gpu(&own, records, error) ||
                                store_path(&path, merge->folder.at, own.at->gpu, error) ||
                                merge_gpu(merge, file, &own, path.at, choices, error);
        text_dispose(&path);
        store_dispose(&own);
        free(choices);
    }
    return failed ? -1 : 0;
}

/* A row for each record, as of a merge. */
static void add_compact_rows(struct merge *merge, const bool *ships)
{
    for (size_t i = 0; i < merge->names.count; i++)
        for (size_t k = 0; k < merge->files[i].count; k++, ships++) {
            const struct merge_choice choice = {.result = *ships ? "ships" : "passed over"};
            add_merge_row(merge, merge->names.at[i], &merge->files[i].at[k], &choice);
            merge->taken += *ships;
        }
}

static int write_compact(struct merge *merge, struct error *error)
{
    size_t count = 1, bytes;
    for (size_t i = 0; i < merge->names.count; i++)
        count += merge->files[i].count;
    bool *ships = calloc(count, sizeof *ships);
    if (!ships)
        return error_memory(error, count * sizeof *ships);
    const int failed = merge_compact(ships, merge->own.compact, merge->files,
                                     merge->names.count, &bytes, error);
    if (!failed) {
        add_compact_rows(merge, ships);
        output_note(&merge->request.out, "compact   %zu bytes\n", bytes);
    }
    free(ships);
    return failed;
}

static int merge_all(struct merge *merge, struct error *error)
{
    const struct request *request = &merge->request;
    for (size_t i = 0; i < merge->names.count; i++)
        if (read_file(&merge->files[i], merge->names.at[i], error))
            return -1;
    if (merge->own.compact)
        return write_compact(merge, error);
    for (size_t i = 0; i < merge->names.count; i++)
        if (merge_file(merge, merge->names.at[i], &merge->files[i], error))
            return -1;
    for (size_t i = 0; i < request->file_count; i++)
        if (merge_folder_journals(request->files[i], merge->folder.at, &merge->trials, error))
            return -1;
    return 0;
}

/* --- The verb ----------------------------------------------------------------------------- */

static int set_up(void *shared, struct error *error)
{
    struct merge *merge = shared;
    merge->table = (struct table){.columns = columns, .column_count = COLUMNS};
    if (store_folder(&merge->folder, merge->request.cache, error) ||
        merge_folder_list(&merge->names, merge->request.files, merge->request.file_count,
                          error))
        return -1;
    merge->files = calloc(merge->names.count + 1, sizeof *merge->files);
    return merge->files ? 0
                        : error_memory(error, (merge->names.count + 1) * sizeof *merge->files);
}

static int gather(void *shared, struct error *error)
{
    struct merge *merge = shared;
    if (merge_all(merge, error) == 0)
        return 0;
    merge->error = *error;
    return merge->table.row_count ? 0 : -1;
}

static int print(const struct merge *merge, struct error *error)
{
    const struct request *request = &merge->request;
    const char *compact = merge->own.compact;
    const size_t count = merge->table.row_count;
    output_note(&request->out, "%s %zu of %zu records into %s\n",
                compact ? "written  " : "merged   ", merge->taken, count,
                compact ? compact : merge->folder.at);
    if (merge->trials)
        output_note(&request->out, "journals  %zu trials added\n", merge->trials);
    return count || request->out.json || request->out.csv
               ? output_table(&request->out, &merge->table, NULL, error)
               : 0;
}

static int show(void *shared, struct error *error)
{
    const struct merge *merge = shared;
    const int failed = print(merge, error);
    if (merge->error.code == ERROR_NONE)
        return failed;
    *error = merge->error;
    return -1;
}

static void clean_up(void *shared)
{
    struct merge *merge = shared;
    for (size_t i = 0; merge->files && i < merge->names.count; i++)
        store_dispose(&merge->files[i]);
    free(merge->files);
    merge_folder_dispose(&merge->names);
    table_dispose(&merge->table);
    text_dispose(&merge->folder);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_MERGE, "compact", "FOLDER", "merge nothing; write the files' records as the program ships them: FOLDER/GPU/NAME.ini for each space and cost class ('autotune list classes')", .text = offsetof(struct merge_request, compact), .group = 3, .more = "Each size's winner serves the sizes around it, as far as its space would try it there. Records whose kernels are others now are left out and named; of two for the same problem the better ships, as of a merge."},
    {.verbs = 0},
};

const struct verb_row verb_merge = {
    .verb = VERB_MERGE,
    .name = "merge",
    .summary = "merge record files of other machines into the records here",
    .arguments = "FILE...",
    .help =
        "Merges record files of other machines into the folder of records, each record into its "
        "GPU's file; of a FILE that is a folder of records all of them, and its journals. Of two for the same problem on the same GPU the faster is kept, or, where "
        "driver, compiler, sources or method differ, the newer. Of intervals that overlap the newer "
        "takes its range, and the older keeps what is left of it on both sides.\v"
        "Examples:\n"
        "  autotune merge nvidia-h200.ini\n"
        "  autotune merge ~/.cache/autotune/parts/*\n"
        "  autotune merge --cache shared a/nvidia-h200.ini b/nvidia-h200.ini\n"
        "  autotune merge --compact configs/tuned state/nvidia-h200.ini\n\n" VERBS_EXIT_READ,
    .options = options,
    .bytes = sizeof(struct merge),
    .own = offsetof(struct merge, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
