/* section: reads the items in their order in the file, and writes the fields in the table's
 * order. So the next field is looked for behind the last one. */
#include "cache/section.h"

#include <xxhash.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char checksum_key[] = "checksum";

/* --- Writing ---------------------------------------------------------------------------- */

static bool is_in(const struct section *section, const struct field *field)
{
    return (field->group & section->groups) != 0;
}

void section_emit(struct text *out, const struct section *section, const void *at)
{
    assert(section->count <= SECTION_FIELDS_MAX);
    for (size_t i = 0; i < section->count; i++) {
        const struct field *field = &section->fields[i];
        if (!is_in(section, field) || !field_stands(field, at))
            continue;
        text_adds(out, field->name);
        text_adds(out, " = ");
        field_write(field, at, out);
        text_adds(out, "\n");
    }
}

/* How many bytes fit in a line: up to a blank where there is one, never nothing. */
static size_t count_fitting(const char *line, size_t length, size_t room)
{
    if (length <= room)
        return length;
    size_t fitting = room;
    while (fitting > 0 && line[fitting] != ' ')
        fitting--;
    return fitting ? fitting : room;
}

static void add_line(struct text *out, const char *line, size_t length)
{
    static const char go_on[] = "+ = ";
    for (size_t room = INI_LINE_MAX, fitting; length; room = INI_LINE_MAX - strlen(go_on)) {
        if (room < INI_LINE_MAX)
            text_adds(out, go_on);
        fitting = count_fitting(line, length, room);
        text_add(out, line, fitting);
        text_adds(out, "\n");
        fitting += fitting < length && line[fitting] == ' ';
        line += fitting;
        length -= fitting;
    }
}

void section_write(struct text *out, const struct text *lines, const struct text *of)
{
    out->failed |= lines->failed || of->failed;
    if (out->failed)
        return;
    for (size_t i = 0, length; i < lines->length; i += length + 1) {
        length = strcspn(lines->at + i, "\n");
        add_line(out, lines->at + i, length);
    }
    text_addf(out, "%s = %016llx\n", checksum_key,
              (unsigned long long)XXH3_64bits(of->at, of->length));
}

/* --- Reading ---------------------------------------------------------------------------- */

struct reading {
    const struct section *section;
    const struct ini *ini;
    void *at;
    struct section_found *found;
    size_t next;   /* the field behind the last one read */
    uint64_t seen; /* a bit for each field; then the checksum's and the list's */
};

int section_refuse(const struct section *section, const struct ini *ini, int line,
                   const char *key, const char *why, struct error *error)
{
    return error_set(error, ERROR_IO, "%s:%d: %s: %s; this %s is left out, tune again",
                     ini->file, line, key, why, section->noun);
}

static int refuse(const struct reading *reading, const struct ini_item *item, const char *key,
                  const char *why, struct error *error)
{
    return section_refuse(reading->section, reading->ini, item->line, key, why, error);
}

/* The index of the key: that of a field, then the checksum's, then the list's; else one more. */
static size_t find_key(struct reading *reading, const char *key)
{
    const struct section *section = reading->section;
    const size_t count = section->count;
    for (size_t i = 0; i < count; i++) {
        const size_t k = (reading->next + i) % count;
        if (strcmp(key, section->fields[k].name) == 0) {
            reading->next = k + 1;
            return is_in(section, &section->fields[k]) ? k : count + 2;
        }
    }
    return strcmp(key, checksum_key) == 0                     ? count
           : section->list && strcmp(key, section->list) == 0 ? count + 1
                                                              : count + 2;
}

static void keep_line(struct text *out, const struct ini_item *item)
{
    text_adds(out, item->key);
    text_adds(out, " = ");
    text_adds(out, item->value);
    text_adds(out, "\n");
}

/* No key is twice in a section: ini_load refuses that. */
static int read_item(struct reading *reading, const struct ini_item *item, struct error *error)
{
    const struct section *section = reading->section;
    const size_t i = find_key(reading, item->key);
    char why[200];
    if (i == section->count + 2)
        return refuse(reading, item, "unknown field", "this version writes no such field",
                      error);
    reading->seen |= UINT64_C(1) << i;
    if (i == section->count) {
        if (field_parse_hash(&reading->found->checksum, item->value))
            return 0;
        snprintf(why, sizeof why, "not %s", field_describe(FIELD_HASH));
        return refuse(reading, item, item->key, why, error);
    }
    keep_line(&reading->found->lines, item);
    if (i > section->count) {
        text_adds(&reading->found->list, item->value);
        return 0;
    }
    if (field_read(&section->fields[i], reading->at, item->value))
        return 0;
    snprintf(why, sizeof why, "not %s", field_describe(section->fields[i].form));
    return refuse(reading, item, item->key, why, error);
}

static int check_complete(const struct reading *reading, struct error *error)
{
    const struct section *section = reading->section;
    for (size_t i = 0; i <= section->count; i++) {
        const bool is_checksum = i == section->count;
        const bool is_needed = is_checksum || (is_in(section, &section->fields[i]) &&
                                               !field_may_lack(section->fields[i].form));
        if (is_needed && !(reading->seen & UINT64_C(1) << i))
            return section_refuse(section, reading->ini, reading->found->line,
                                  is_checksum ? checksum_key : section->fields[i].name,
                                  "missing", error);
    }
    return 0;
}

int section_parse(struct section_found *found, const struct section *section, void *at,
                  const struct ini *ini, const char *name, struct error *error)
{
    assert(section->count <= SECTION_FIELDS_MAX);
    struct reading reading = {.section = section, .ini = ini, .at = at, .found = found};
    const struct ini_item *end = ini->items + ini->count;
    int failed = 0;
    *found = (struct section_found){0};
    for (const struct ini_item *item = ini->items; item < end && !failed; item++) {
        if (strcmp(item->section, name) != 0)
            continue;
        if (!found->line)
            found->line = item->line;
        failed = read_item(&reading, item, error);
    }
    return failed || check_complete(&reading, error) ? -1 : 0;
}

int section_check(const struct section_found *found, const struct section *section,
                  const struct ini *ini, struct error *error)
{
    const struct text *lines = &found->lines;
    if (text_check(lines, error) || text_check(&found->list, error))
        return -1;
    return XXH3_64bits(lines->at ? lines->at : "", lines->length) == found->checksum
               ? 0
               : section_refuse(section, ini, found->line, checksum_key,
                                "does not match the other fields", error);
}

void section_dispose(struct section_found *found)
{
    text_dispose(&found->lines);
    text_dispose(&found->list);
}
