/* store: reads and writes record files. Reading trusts nothing: the file must be ours, plain
 * and strict, and each record is checked by itself. Writing reads again under the lock, merges
 * and replaces the file. Hides the file's first section, the merging and what becomes of
 * damaged files. */
#include "cache/store.h"

#include "cache/file.h"
#include "generator/array.h"
#include "generator/ini.h"
#include "generator/number.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_CHARS = 100 }; /* of a GPU's name in a file name */
static const char first_section[] = "autotune";

/* The outcome of reading a file. */
enum outcome {
    OUTCOME_READ,    /* or there is none; damaged parts are left out and counted */
    OUTCOME_OLD,     /* of an earlier schema */
    OUTCOME_REFUSED, /* not to be trusted or not to be replaced */
};

/* --- Paths ------------------------------------------------------------------------------ */

int store_folder(struct text *out, const char *folder, struct error *error)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (folder)
        text_adds(out, folder);
    else if (xdg && xdg[0] == '/') /* a relative one is invalid by the XDG specification */
        text_addf(out, "%s/autotune", xdg);
    else if (home && home[0] == '/')
        text_addf(out, "%s/.cache/autotune", home);
    else
        return error_set(error, ERROR_IO,
                         "no folder for records: neither XDG_CACHE_HOME nor "
                         "HOME is set to one; name it with --cache FOLDER");
    return text_check(out, error);
}

int store_path(struct text *out, const char *folder, const char *gpu, struct error *error)
{
    char name[NAME_MAX_CHARS + 1];
    size_t length = 0;

    for (; *gpu && length < NAME_MAX_CHARS; gpu++) {
        char c = *gpu >= 'A' && *gpu <= 'Z' ? (char)(*gpu - 'A' + 'a') : *gpu;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            name[length++] = c;
        else if (length && name[length - 1] != '-')
            name[length++] = '-';
    }
    while (length && name[length - 1] == '-')
        length--;
    name[length] = '\0';
    text_addf(out, "%s/%s.ini", folder, length ? name : "unknown");
    return text_check(out, error);
}

/* --- Reading ---------------------------------------------------------------------------- */

/* Counts a damaged part. Want of memory is no damage: a file must not be put aside for it. */
static int skip(struct records *out, const struct error *reason, struct error *error)
{
    if (reason->code == ERROR_FAILED) {
        *error = *reason;
        return -1;
    }
    if (out->skipped++ == 0)
        out->reason = *reason;
    return 0;
}

struct config store_config(const struct record *record)
{
    struct config config = {.code = record->code};
    memcpy(config.params, record->params, sizeof config.params);
    return config;
}

int store_copy(struct records *records, const struct records *from, const struct record *record,
               struct error *error)
{
    assert(from || record->raced_count == 0);
    struct record copy = *record;
    const struct config own = store_config(record);
    if (configs_add(&copy.config, &records->configs, &own, error))
        return -1;
    for (size_t i = 0; i < copy.raced_count; i++) {
        uint64_t *number = &copy.raced[i].config;
        if (configs_add(number, &records->configs, configs_find(&from->configs, *number),
                        error))
            return -1;
    }
    if (array_grow(&records->at, records->count, sizeof *records->at, error))
        return -1;
    records->at[records->count++] = copy;
    return 0;
}

int store_add(struct records *records, const struct record *record, struct error *error)
{
    struct record copy = *record;
    copy.raced_count = 0;
    return store_copy(records, NULL, &copy, error);
}

static int check_schema(enum outcome *outcome, const struct ini *ini, struct error *reason)
{
    const struct ini_item *schema = ini_find(ini, first_section, "schema");
    int64_t number;

    if (!schema)
        return error_set(reason, ERROR_IO,
                         "%s: no schema in [autotune]; this is no record "
                         "file or it is damaged, tune again",
                         ini->file);
    if (number_parse_int(&number, schema->value, "schema", reason) != 0 || number < 1)
        return error_set(reason, ERROR_IO,
                         "%s:%d: schema is not a number from 1 on; the file "
                         "is damaged, tune again",
                         ini->file, schema->line);
    if (number == RECORD_SCHEMA)
        return 0;
    *outcome = number < RECORD_SCHEMA ? OUTCOME_OLD : OUTCOME_REFUSED;
    return *outcome == OUTCOME_OLD
               ? error_set(reason, ERROR_IO,
                           "%s:%d: its records are of an earlier version of "
                           "autotune (schema %s, this one reads %d), which does not say what "
                           "kernels they ran: tune again",
                           ini->file, schema->line, schema->value, RECORD_SCHEMA)
               : error_set(reason, ERROR_IO,
                           "%s:%d: written by another version of autotune "
                           "(schema %s, this one reads %d); use that version or name another "
                           "folder with --cache",
                           ini->file, schema->line, schema->value, RECORD_SCHEMA);
}

/* The number of a section of this kind: "record 7"; 0 of another. */
static uint64_t parse_name(const char *section, const char *kind)
{
    const size_t length = strlen(kind);
    struct error ignored;
    int64_t number;
    if (strncmp(section, kind, length) != 0 || section[length] != ' ' ||
        number_parse_int(&number, section + length + 1, kind, &ignored) || number < 0)
        return 0;
    return (uint64_t)number;
}

static int take_config(struct records *out, const struct ini *part, uint64_t number,
                       size_t most, struct error *reason)
{
    struct config config;
    return config_parse(&config, part, part->items->section, reason) ||
           configs_put(&out->configs, number, most, &config, reason);
}

static int take_record(struct records *out, const struct ini *part, struct error *reason)
{
    if (array_grow(&out->at, out->count, sizeof *out->at, reason) ||
        record_parse(&out->at[out->count], &out->configs, part, part->items->section, reason))
        return -1;
    out->count++;
    return 0;
}

/* Takes the section that starts at `first`, whose items are adjacent: only they are looked
 * at, so that a file of many sections is read in time linear in its size. */
static int take_section(struct records *out, const struct ini *ini, size_t first, size_t count,
                        struct error *error)
{
    const char *section = ini->items[first].section;
    const uint64_t config = parse_name(section, "config");
    struct ini part = *ini;
    struct error reason;
    int failed = 0;

    part.items += first;
    part.count = count;
    if (config)
        failed = take_config(out, &part, config, ini->count, &reason);
    else if (parse_name(section, "record"))
        failed = take_record(out, &part, &reason);
    else if (strcmp(section, first_section) != 0)
        failed = error_set(&reason, ERROR_IO,
                           "%s:%d: a section that is neither [autotune], "
                           "[config NUMBER] nor [record NUMBER]; it is left out",
                           ini->file, part.items->line);
    return failed ? skip(out, &reason, error) : 0;
}

/* The first section says how many records follow, but for files that were written before it did;
 * of what else is in it, lines of a record whose own section has lost its name, nothing is known. */
static int check_first_section(const struct ini *ini, uint64_t records, struct error *reason)
{
    int64_t said;
    for (const struct ini_item *item = ini->items; item < ini->items + ini->count; item++) {
        if (strcmp(item->section, first_section) != 0 || strcmp(item->key, "schema") == 0)
            continue;
        if (strcmp(item->key, "records") != 0)
            return error_set(
                reason, ERROR_IO,
                "%s:%d: %s: [%s] has no such field, its section has lost its name; "
                "what it was of is left out, tune again",
                ini->file, item->line, item->key, first_section);
        if (number_parse_int(&said, item->value, item->key, reason) || said < 0 ||
            (uint64_t)said != records)
            return error_set(
                reason, ERROR_IO,
                "%s:%d: it had %s records and has %llu: a part of the file is lost, "
                "tune again",
                ini->file, item->line, item->value, (unsigned long long)records);
    }
    return 0;
}

static int take_sections(struct records *out, const struct ini *ini, struct error *error)
{
    struct error reason;
    uint64_t records = 0;
    for (size_t first = 0, next; first < ini->count; first = next) {
        for (next = first + 1; next < ini->count; next++)
            if (strcmp(ini->items[next].section, ini->items[first].section) != 0)
                break;
        if (take_section(out, ini, first, next - first, error) != 0)
            return -1;
        records += parse_name(ini->items[first].section, "record") > 0;
    }
    return check_first_section(ini, records, &reason) ? skip(out, &reason, error) : 0;
}

static int load_bytes(struct records *out, enum outcome *outcome, const char *name,
                      const char *bytes, size_t length, struct error *error)
{
    struct error reason;
    struct ini ini;
    int result = 0;

    *out = (struct records){0};
    *outcome = OUTCOME_READ;
    out->is_refused = true;
    if (ini_load(&ini, name, bytes, length, &reason) != 0)
        return skip(out, &reason, error);
    out->is_refused = check_schema(outcome, &ini, &reason) != 0;
    if (out->is_refused)
        result = skip(out, &reason, error);
    else
        result = take_sections(out, &ini, error);
    ini_dispose(&ini);
    if (result == 0)
        result = interval_compute(out, error);
    if (result != 0)
        store_dispose(out);
    return result;
}

static int load(struct records *out, enum outcome *outcome, const char *path,
                struct error *error)
{
    struct text text = {0};
    struct error reason;
    enum file_state state = file_read(&text, path, INI_FILE_MAX, &reason);
    int result = 0;

    *out = (struct records){0};
    *outcome = OUTCOME_READ;
    if (state == FILE_REFUSED) {
        *outcome = OUTCOME_REFUSED;
        out->is_refused = true;
        result = skip(out, &reason, error);
    } else if (state == FILE_READ) {
        result = load_bytes(out, outcome, path, text.at ? text.at : "", text.length, error);
    }
    text_dispose(&text);
    return result;
}

int store_load(struct records *out, const char *path, struct error *error)
{
    enum outcome ignored;
    return load(out, &ignored, path, error);
}

int store_load_bytes(struct records *out, const char *name, const char *bytes, size_t length,
                     struct error *error)
{
    enum outcome ignored;
    return load_bytes(out, &ignored, name, bytes, length, error);
}

static int is_record_file(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && entry->d_name[0] != '.' &&
           strcmp(entry->d_name + length - 4, ".ini") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int load_and_take(const char *path, store_take *take, void *context, struct error *error)
{
    struct records records;
    if (store_load(&records, path, error))
        return -1;
    const int failed = take(context, path, &records, error);
    store_dispose(&records);
    return failed;
}

int store_load_each(const char *folder, const char *but, store_take *take, void *context,
                    struct error *error)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, is_record_file, by_name);
    int failed = 0;
    if (count < 0 && errno != ENOENT)
        return error_set(error, ERROR_IO,
                         "%s: cannot be read: %s: name another folder with --cache", folder,
                         strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        free(names[i]);
        if (!failed && (!but || strcmp(path, but) != 0))
            failed = load_and_take(path, take, context, error);
    }
    free(names);
    return failed ? -1 : 0;
}

void store_dispose(struct records *records)
{
    free(records->at);
    free(records->intervals);
    configs_dispose(&records->configs);
    *records = (struct records){0};
}

/* --- Writing ---------------------------------------------------------------------------- */

static void mark_used(bool *is_used, const struct record *record)
{
    is_used[record->config - 1] = true;
    for (size_t i = 0; i < record->raced_count; i++)
        is_used[record->raced[i].config - 1] = true;
}

static int by_config(const void *a, const void *b)
{
    const struct raced *x = a, *y = b;
    return number_compare(x->config, y->config);
}

static void renumber(struct record *record, const uint64_t *numbers)
{
    record->config = numbers[record->config - 1];
    for (size_t i = 0; i < record->raced_count; i++)
        record->raced[i].config = numbers[record->raced[i].config - 1];
    qsort(record->raced, record->raced_count, sizeof *record->raced, by_config);
}

int store_tidy(struct records *records, struct error *error)
{
    const size_t room = records->configs.count + 1;
    bool *is_used = calloc(room, sizeof *is_used);
    uint64_t *numbers = calloc(room, sizeof *numbers);
    const bool has_room = is_used && numbers;
    for (size_t i = 0; i < records->count && has_room; i++)
        mark_used(is_used, &records->at[i]);
    if (has_room)
        configs_sort(&records->configs, is_used, numbers);
    for (size_t i = 0; i < records->count && has_room; i++)
        renumber(&records->at[i], numbers);
    free(is_used);
    free(numbers);
    return has_room ? 0 : error_memory(error, room * sizeof *numbers);
}

static int first_difference(const int *by, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && by[i] == 0)
        i++;
    return by[i];
}

static int compare_dim(const struct dim *a, const struct dim *b)
{
    const int by_n = number_compare(a->n, b->n);
    return by_n ? by_n : number_compare(a->stride, b->stride);
}

static int compare_dims(const struct dim *a, const struct dim *b, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && compare_dim(a + i, b + i) == 0)
        i++;
    return compare_dim(a + i, b + i);
}

static int compare_lies(const struct problem *a, const struct problem *b)
{
    size_t k = 0;
    while (k + 1 < PROBLEM_FURTHER_MAX && a->further[k].lie == b->further[k].lie)
        k++;
    return (int)a->further[k].lie - (int)b->further[k].lie;
}

static int compare_problems(const struct problem *a, const struct problem *b)
{
    const int by[] = {
        operation_compare(a->op, b->op),
        (int)a->type - (int)b->type,
        (int)a->acc - (int)b->acc,
        (int)a->order - (int)b->order,
        number_compare(dims_n(&a->dims), dims_n(&b->dims)),
        compare_dim(&a->dims.outer, &b->dims.outer),
        compare_dim(&a->dims.depth, &b->dims.depth),
        compare_dim(&a->dims.inner, &b->dims.inner),
        compare_dims(a->dims.spans, b->dims.spans, DIMS_SPANS),
        compare_dims(a->dims.slices, b->dims.slices, DIMS_SLICES),
        (int)a->dims.scan - (int)b->dims.scan,
        (int)a->offsets - (int)b->offsets,
        (int)a->lengths - (int)b->lengths,
        compare_lies(a, b),
        (int)a->regime - (int)b->regime,
    };
    return first_difference(by, sizeof by / sizeof *by);
}

static int by_key(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    const int by[] = {
        compare_problems(&x->problem, &y->problem),
        strcmp(x->space, y->space),
        strcmp(x->gpu, y->gpu), /* names may have one file where punctuation alone differs */
        x->cc - y->cc,
        x->sms - y->sms,
        x->memory_clock_khz - y->memory_clock_khz,
        x->bus_bits - y->bus_bits,
    };
    return first_difference(by, sizeof by / sizeof *by);
}

/* In an order of its own: the same records give the same file, whoever found which first. */
static int emit_file(struct text *out, struct records *records, struct error *error)
{
    if (store_tidy(records, error))
        return -1;
    if (records->count)
        qsort(records->at, records->count, sizeof *records->at, by_key);
    text_addf(out,
              "; Records of autotune. A record that was changed by hand is left out.\n\n"
              "[%s]\nrecords = %zu\nschema = %d\n",
              first_section, records->count, RECORD_SCHEMA);
    for (size_t i = 0; i < records->configs.count; i++) {
        text_adds(out, "\n");
        config_emit(out, &records->configs.at[i], i + 1);
    }
    for (size_t i = 0; i < records->count; i++) {
        text_adds(out, "\n");
        record_emit(out, &records->at[i], &records->configs, (unsigned)i + 1);
    }
    return text_check(out, error);
}

/* A record that could not be read back is not written. */
static int check_records(const struct records *records, struct error *error)
{
    struct records copy = {0}, back = {0};
    struct text text = {0};
    int failed = 0;
    for (size_t i = 0; i < records->count && !failed; i++)
        failed = store_copy(&copy, records, &records->at[i], error);
    failed = failed || emit_file(&text, &copy, error) ||
             store_load_bytes(&back, "new record", text.at, text.length, error);
    if (!failed && back.skipped)
        failed =
            error_set(error, ERROR_FAILED, "the record cannot be kept: %s", back.reason.text);
    store_dispose(&copy);
    store_dispose(&back);
    text_dispose(&text);
    return failed;
}

/* The last record is new: it inherits what was raced there (interval_inherit) and takes the
 * place of the old one. */
static void merge_last(struct records *records)
{
    const size_t last = records->count - 1;
    struct record new = records->at[last];
    size_t kept = 0, place = last;
    for (size_t i = 0; i < last; i++) {
        const bool is_old = record_is_same_problem(&records->at[i], &new);
        if (is_old)
            interval_inherit(&new, &records->at[i]);
        if (is_old && place < last)
            continue;
        place = is_old ? kept : place;
        records->at[kept++] = records->at[i];
    }
    place = place < last ? place : kept++;
    records->at[place] = new;
    records->count = kept;
}

static int merge(struct records *records, const struct records *added, struct error *error)
{
    for (size_t i = 0; i < added->count; i++) {
        if (store_copy(records, added, &added->at[i], error))
            return -1;
        merge_last(records);
    }
    return 0;
}

/* The old file is kept as `keep`, unless that is empty. */
static int write_records(const char *path, struct records *records, struct text *keep,
                         struct error *error)
{
    struct text text = {0};
    int result = emit_file(&text, records, error);

    if (result == 0)
        result = text_check(keep, error);
    if (result == 0 && text.length > INI_FILE_MAX)
        result = error_set(error, ERROR_IO,
                           "%s is full: %zu records; move it away or name "
                           "another folder with --cache",
                           path, records->count);
    if (result == 0)
        result = file_replace(path, path, &text, keep->length ? keep : NULL, error);
    text_dispose(&text);
    return result;
}

static const char old_ending[] = ".ini.schema-1", damaged_ending[] = ".ini.damaged";

/* Replaces the file that `records` were read from. */
static int replace_file(const char *path, enum outcome outcome, struct records *records,
                        struct error *moved, struct error *error)
{
    const char *ending = outcome == OUTCOME_OLD ? old_ending
                         : records->skipped     ? damaged_ending
                                                : NULL;
    struct text keep = {0};
    if (ending)
        text_addf(&keep, "%s%s", path, ending + strlen(".ini"));
    const int failed = write_records(path, records, &keep, error);
    if (!failed && keep.length && moved)
        error_set(moved, ERROR_IO, "%.1000s; the old file is kept as %.900s",
                  records->reason.text, keep.at);
    text_dispose(&keep);
    return failed;
}

int store_save_locked(const char *path, const struct records *added, struct error *moved,
                      struct error *error)
{
    struct records records;
    enum outcome outcome;

    if (moved)
        moved->code = ERROR_NONE;
    if (check_records(added, error) || load(&records, &outcome, path, error) != 0)
        return -1;
    int result = outcome == OUTCOME_REFUSED
                     ? error_set(error, ERROR_IO, "%s", records.reason.text)
                     : merge(&records, added, error);
    if (result == 0)
        result = replace_file(path, outcome, &records, moved, error);
    store_dispose(&records);
    return result;
}

int store_save(const char *path, const struct records *records, struct error *moved,
               struct error *error)
{
    if (moved)
        moved->code = ERROR_NONE;
    if (file_make_folder_of(path, error))
        return -1;
    int lock = file_lock(path, error);
    if (lock < 0)
        return -1;
    int result = store_save_locked(path, records, moved, error);
    file_unlock(lock);
    return result;
}

static int is_kept(const struct dirent *entry)
{
    return entry->d_name[0] != '.' &&
           (strstr(entry->d_name, old_ending) || strstr(entry->d_name, damaged_ending));
}

size_t store_count_kept(struct text *name, const char *folder)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, is_kept, by_name);
    if (count > 0)
        text_adds(name, names[0]->d_name);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return count > 0 ? (size_t)count : 0;
}

/* Opens a file and closes it again. */
static int try_open(const char *path, int flags, struct error *error)
{
    const int file = file_open(path, flags, error);
    return file < 0 ? -1 : close(file);
}

int store_check(const char *path, struct error *error)
{
    struct text lock = {0};
    struct stat status;
    text_addf(&lock, "%s.lock", path);
    const int failed = text_check(&lock, error) || file_make_folder_of(path, error) ||
                       try_open(lock.at, O_RDWR | O_CREAT, error) ||
                       (lstat(path, &status) == 0 && try_open(path, O_RDONLY, error));
    text_dispose(&lock);
    return failed ? -1 : 0;
}
