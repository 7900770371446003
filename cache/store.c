/* store: record files. Reading trusts nothing: the file must be ours, plain and strict, and
 * each record stands for itself. Writing reads again under the lock, merges and replaces the
 * file. Hides the file's first section, the merging and what becomes of damaged files. */
#include "cache/store.h"

#include "cache/file.h"
#include "cache/interval.h"
#include "generator/ini.h"
#include "generator/number.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_CHARS = 100 }; /* of a GPU's name in a file name */

/* What came of reading a file. */
enum outcome {
    OUTCOME_READ,    /* or there is none; damaged parts are left out and counted */
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
        return error_set(error, ERROR_IO, "no folder for records: neither XDG_CACHE_HOME nor "
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

/* Makes room for one more record. */
static int reserve(struct records *records, struct error *error)
{
    size_t count = records->count;

    if (count & (count - 1))
        return 0; /* the room is the next power of two */
    size_t bytes = (count ? count * 2 : 1) * sizeof *records->at;
    struct record *at = realloc(records->at, bytes);
    if (!at)
        return error_memory(error, bytes);
    records->at = at;
    return 0;
}

int store_add(struct records *records, const struct record *record, struct error *error)
{
    if (reserve(records, error) != 0)
        return -1;
    records->at[records->count++] = *record;
    return 0;
}

static int check_schema(enum outcome *outcome, const struct ini *ini, struct error *reason)
{
    const struct ini_item *schema = ini_find(ini, "autotune", "schema");
    int64_t number;

    if (!schema)
        return error_set(reason, ERROR_IO, "%s: no schema in [autotune]; this is no record "
                         "file or it is damaged, tune again", ini->file);
    if (number_parse_int(&number, schema->value, "schema", reason) != 0 || number < 1)
        return error_set(reason, ERROR_IO, "%s:%d: schema is not a number from 1 on; the file "
                         "is damaged, tune again", ini->file, schema->line);
    if (number == RECORD_SCHEMA)
        return 0;
    *outcome = OUTCOME_REFUSED;
    return error_set(reason, ERROR_IO, "%s:%d: written by another version of autotune (schema "
                     "%s, this one reads %d); use that version or name another folder with "
                     "--cache", ini->file, schema->line, schema->value, RECORD_SCHEMA);
}

static bool is_record_name(const char *section)
{
    static const char prefix[] = "record ";
    size_t digits;

    if (strncmp(section, prefix, sizeof prefix - 1) != 0)
        return false;
    digits = strspn(section + sizeof prefix - 1, "0123456789");
    return digits > 0 && section[sizeof prefix - 1 + digits] == '\0';
}

/* Takes the section that starts at `first`, whose items stand together: only they are looked
 * at, so that a file of many sections is read in time linear in its size. */
static int take_section(struct records *out, const struct ini *ini, size_t first, size_t count,
                        struct error *error)
{
    const char *section = ini->items[first].section;
    struct ini part = *ini;
    struct error reason;

    part.items += first;
    part.count = count;
    if (reserve(out, error) != 0)
        return -1;
    if (is_record_name(section)) {
        if (record_parse(&out->at[out->count], &part, section, &reason) != 0)
            return skip(out, &reason, error);
        out->count++;
    } else if (strcmp(section, "autotune") != 0) {
        error_set(&reason, ERROR_IO, "%s:%d: a section that is neither [autotune] nor [record "
                  "NUMBER]; it is left out", ini->file, part.items->line);
        return skip(out, &reason, error);
    }
    return 0;
}

static int take_sections(struct records *out, const struct ini *ini, struct error *error)
{
    for (size_t first = 0, next; first < ini->count; first = next) {
        for (next = first + 1; next < ini->count; next++)
            if (strcmp(ini->items[next].section, ini->items[first].section) != 0)
                break;
        if (take_section(out, ini, first, next - first, error) != 0)
            return -1;
    }
    return 0;
}

static int load_bytes(struct records *out, enum outcome *outcome, const char *name,
                      const char *bytes, size_t length, struct error *error)
{
    struct error reason;
    struct ini ini;
    int result = 0;

    *out = (struct records){0};
    *outcome = OUTCOME_READ;
    if (ini_load(&ini, name, bytes, length, &reason) != 0)
        return skip(out, &reason, error);
    if (check_schema(outcome, &ini, &reason) != 0)
        result = skip(out, &reason, error);
    else
        result = take_sections(out, &ini, error);
    ini_dispose(&ini);
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

void store_dispose(struct records *records)
{
    free(records->at);
    *records = (struct records){0};
}

/* --- Writing ---------------------------------------------------------------------------- */

static int emit_file(struct text *out, const struct records *records, struct error *error)
{
    text_addf(out, "; Records of autotune. A record that was changed by hand is left out.\n\n"
              "[autotune]\nschema = %d\n", RECORD_SCHEMA);
    for (size_t i = 0; i < records->count; i++) {
        text_adds(out, "\n");
        record_emit(out, &records->at[i], (unsigned)i + 1);
    }
    return text_check(out, error);
}

/* A record that could not be read back is not written. */
static int check_record(const struct record *record, struct error *error)
{
    struct record copy = *record;
    struct records one = {.at = &copy, .count = 1}, back = {0};
    struct text text = {0};
    int result = emit_file(&text, &one, error);

    if (result == 0)
        result = store_load_bytes(&back, "new record", text.at, text.length, error);
    if (result == 0 && back.skipped)
        result = error_set(error, ERROR_FAILED, "the record cannot be kept: %s",
                           back.reason.text);
    store_dispose(&back);
    text_dispose(&text);
    return result;
}

/* The new record stands in the place of the old, or last. */
static int merge(struct records *records, const struct record *record, struct error *error)
{
    size_t kept = 0;
    bool is_placed = false;

    for (size_t i = 0; i < records->count; i++) {
        bool is_old = record_is_same_problem(&records->at[i], record);
        if (is_old && is_placed)
            continue;
        records->at[kept++] = is_old ? *record : records->at[i];
        is_placed |= is_old;
    }
    records->count = kept;
    return is_placed ? 0 : store_add(records, record, error);
}

/* Before any of the old intervals goes: they tell whose times the sizes have. */
static void settle_sizes(const struct records *records, const struct record *added,
                         size_t count)
{
    for (size_t i = 0; i < records->count; i++)
        interval_settle(&records->at[i], records,
                        interval_find(added, count, &records->at[i]));
}

static int write_records(const char *path, const struct records *records, bool is_damaged,
                         struct error *error)
{
    struct text text = {0}, keep = {0};
    int result = emit_file(&text, records, error);

    text_addf(&keep, "%s.damaged", path);
    if (result == 0)
        result = text_check(&keep, error);
    if (result == 0 && text.length > INI_FILE_MAX)
        result = error_set(error, ERROR_IO, "%s is full: %zu records; move it away or name "
                           "another folder with --cache", path, records->count);
    if (result == 0)
        result = file_replace(path, &text, is_damaged ? keep.at : NULL, error);
    text_dispose(&keep);
    text_dispose(&text);
    return result;
}

static int save_locked(const char *path, const struct record *added, size_t count,
                       struct error *error)
{
    struct records records;
    enum outcome outcome;

    if (load(&records, &outcome, path, error) != 0)
        return -1;
    bool is_damaged = records.skipped > 0;
    int result = 0;
    if (outcome == OUTCOME_REFUSED)
        result = error_set(error, ERROR_IO, "%s", records.reason.text);
    settle_sizes(&records, added, count);
    for (size_t i = 0; i < count && result == 0; i++)
        result = merge(&records, &added[i], error);
    if (result == 0)
        result = write_records(path, &records, is_damaged, error);
    store_dispose(&records);
    return result;
}

int store_save(const char *path, const struct record *record, struct error *error)
{
    return store_save_all(path, record, 1, error);
}

int store_save_all(const char *path, const struct record *records, size_t count,
                   struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (check_record(&records[i], error) != 0)
            return -1;
    if (file_make_folder_of(path, error) != 0)
        return -1;
    int lock = file_lock(path, error);
    if (lock < 0)
        return -1;
    int result = save_locked(path, records, count, error);
    file_unlock(lock);
    return result;
}
