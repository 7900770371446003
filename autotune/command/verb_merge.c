/* verb_merge: record files of other machines or people into the folder of records, each record
 * into the file of its own GPU. All files are read before anything is changed. Hides which of
 * two records of one problem is the better. */
#include "autotune/command/output.h"
#include "autotune/command/record_size.h"
#include "autotune/command/request.h"
#include "autotune/command/verbs.h"
#include "autotune/report/figures.h"
#include "cache/file.h"
#include "cache/store.h"
#include "generator/number.h"

#include <stdlib.h>
#include <string.h>

/* People read the problem in a word, programs each part of it. */
static const struct table_column columns[] = {
    {"gpu", "gpu", false},   {"problem", NULL, false}, {NULL, "op", false},
    {NULL, "type", false},   {NULL, "acc", false},     {NULL, "n", true},
    {NULL, "n_from", true},  {NULL, "n_to", true},     {NULL, "regime", false},
    {NULL, "deterministic", false},                    {"us", "us", true},
    {"us here", "us_here", true},                      {"from", "file", false},
    {"result", "result", false},                       {NULL, "shape", false},
    {NULL, "rows", true},    {NULL, "len", true},      {NULL, "pitch", true},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

enum { MADE_WITH = RECORD_CODE | RECORD_TOOLS };

struct merge {
    const struct request *request;
    const char *folder;
    struct records *files; /* one of each file of the request */
    struct table table;
    size_t taken;
};

/* --- Reading ---------------------------------------------------------------------------- */

/* Else the whole file is at fault, not a record of it: it is no strict INI file, no record
 * file, or one of another version. */
static bool is_record_file(const char *path, const struct text *text)
{
    struct ini ini;
    struct error ignored;
    int64_t number;
    if (ini_load(&ini, path, text->at, text->length, &ignored))
        return false;
    const struct ini_item *schema = ini_find(&ini, "autotune", "schema");
    const bool is_one = schema &&
                        number_parse_int(&number, schema->value, "schema", &ignored) == 0 &&
                        number == RECORD_SCHEMA;
    ini_dispose(&ini);
    return is_one;
}

static int parse_file(struct records *out, const char *path, struct text *text,
                      struct error *error)
{
    text_adds(text, ""); /* an empty file has bytes too */
    if (text_check(text, error) || store_load_bytes(out, path, text->at, text->length, error))
        return -1;
    if (out->skipped && !is_record_file(path, text))
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

/* --- Which is the better ---------------------------------------------------------------- */

/* A measured record answers look-ups where a published one only compares, so it goes first,
 * whatever their times. Times made with different tools say nothing of each other: there the
 * newer counts, and so among intervals, which were measured at different n. What is equal in all
 * stays. */
static bool is_better(const struct record *new, const struct record *old)
{
    const bool is_alike = !record_group_difference(new, old, MADE_WITH);
    const int age = strcmp(new->tuned, old->tuned); /* UTC in one form: sorts as text */
    if (new->source != old->source)
        return new->source == RECORD_MEASURED ||
               (new->source == RECORD_EMULATED && old->source == RECORD_PUBLISHED);
    if ((!is_alike && age) || new->n_to)
        return age > 0;
    return new->median_ps != old->median_ps ? new->median_ps < old->median_ps : age > 0;
}

static const struct record *find_same(const struct records *records,
                                      const struct record *record)
{
    for (size_t i = 0; i < records->count; i++)
        if (record_is_same_problem(&records->at[i], record))
            return &records->at[i];
    return NULL;
}

/* --- Merging ---------------------------------------------------------------------------- */

static void add_row(struct merge *merge, const char *file, const struct record *record,
                    const struct record *here, const char *result)
{
    struct table *table = &merge->table;
    const struct problem *problem = &record->problem;
    const char *op = problem_ops[problem->op].name, *type = problem_types[problem->type].name;
    const char *acc = problem_types[problem->acc].name;
    const char *regime = problem_regimes[problem->regime];
    const bool is_plain = problem->acc == problem_default_acc(problem->type);
    char size[SHAPE_CHARS], us[NUMBER_CHARS];
    table_add(table, record->gpu);
    table_addf(table, "%s %s%s%s %s %s%s", op, type, is_plain ? "" : " in ",
               is_plain ? "" : acc,
               record_size_format(size, record), regime,
               problem->is_deterministic ? " deterministic" : "");
    table_add(table, op);
    table_add(table, type);
    table_add(table, acc);
    record_size_add_n(table, record);
    table_add(table, regime);
    table_add(table, problem->is_deterministic ? "yes" : "no");
    table_add(table, figures_us(us, record->median_ps));
    table_add(table, here ? figures_us(us, here->median_ps) : NULL);
    table_add(table, file);
    table_add(table, result);
    record_size_add_shape(table, record);
}

/* Reads the folder's file for each record, so that what another process keeps there meanwhile
 * is seen. */
static int merge_record(struct merge *merge, const char *file, const struct record *record,
                        const char *path, struct error *error)
{
    struct records records;
    int failed = 0;
    if (store_load(&records, path, error))
        return -1;
    const struct record *here = find_same(&records, record);
    const bool is_taken = !here || is_better(record, here);
    if (is_taken)
        failed = store_save(path, record, error);
    if (is_taken && !failed && records.skipped)
        output_warn("%s", records.reason.text);
    if (!failed)
        add_row(merge, file, record, here,
                !here      ? "added"
                : is_taken ? "better than the one here"
                           : "kept the one here");
    merge->taken += is_taken && !failed;
    store_dispose(&records);
    return failed;
}

static int merge_file(struct merge *merge, const char *file, const struct records *records,
                      struct error *error)
{
    int failed = 0;
    for (size_t i = 0; i < records->count && !failed; i++) {
        struct text path = {0};
        failed = store_path(&path, merge->folder, records->at[i].gpu, error);
        if (!failed)
            failed = merge_record(merge, file, &records->at[i], path.at, error);
        text_dispose(&path);
    }
    return failed;
}

static int merge_all(struct merge *merge, struct error *error)
{
    const struct request *request = merge->request;
    for (size_t i = 0; i < request->file_count; i++)
        if (read_file(&merge->files[i], request->files[i], error))
            return -1;
    for (size_t i = 0; i < request->file_count; i++)
        if (merge_file(merge, request->files[i], &merge->files[i], error))
            return -1;
    return 0;
}

/* What was merged before a record that could not be kept is merged, and shown. */
static int report(const struct merge *merge, struct error *error)
{
    const struct request *request = merge->request;
    const size_t count = merge->table.row_count;
    output_note(request, "merged    %zu of %zu records into %s\n", merge->taken, count,
                merge->folder);
    return count || request->json || request->csv
               ? output_table(request, &merge->table, NULL, error)
               : 0;
}

int verb_merge(int argc, char **argv, struct error *error)
{
    struct request request;
    struct text folder = {0};
    if (request_parse(&request, VERB_MERGE, argc, argv, error) ||
        store_folder(&folder, request.cache, error))
        return -1;
    struct merge merge = {.request = &request, .folder = folder.at,
                          .table = {.columns = columns, .column_count = COLUMNS}};
    merge.files = calloc(request.file_count, sizeof *merge.files);
    int failed = merge.files ? merge_all(&merge, error)
                             : error_memory(error, request.file_count * sizeof *merge.files);
    struct error ignored;
    if (!failed || merge.table.row_count)
        failed |= report(&merge, failed ? &ignored : error);
    for (size_t i = 0; merge.files && i < request.file_count; i++)
        store_dispose(&merge.files[i]);
    free(merge.files);
    table_dispose(&merge.table);
    text_dispose(&folder);
    return failed ? -1 : 0;
}
