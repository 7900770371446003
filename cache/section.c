/* section: reading walks the items as they stand, writing walks the table. Fields are written in
 * the table's order, so the next one is looked for behind the last. */
#include "cache/section.h"

#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char checksum_key[] = "checksum";

/* --- Writing ---------------------------------------------------------------------------- */

/* How many bytes of the words fit: up to a blank where there is one, never nothing. */
static size_t count_fitting(const char *words, size_t room)
{
    size_t length = strlen(words);
    if (length <= room)
        return length;
    for (length = room; length > 0 && words[length] != ' ';)
        length--;
    return length ? length : room;
}

void section_emit_words(struct text *out, const char *key, const char *words)
{
    char name[40];
    snprintf(name, sizeof name, "%s", key);
    for (int line = 1; line == 1 || *words; line++) {
        if (line > 1)
            snprintf(name, sizeof name, "%s.%d", key, line);
        const size_t length = count_fitting(words, INI_LINE_MAX - strlen(name) - 3);
        text_addf(out, "%s = ", name);
        text_add(out, words, length);
        text_adds(out, "\n");
        words += length;
        words += *words == ' ';
    }
}

static bool is_in(const struct section *section, const struct field *field)
{
    return (field->group & section->groups) != 0;
}

void section_emit(struct text *out, const struct section *section, const void *at)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct field *field = &section->fields[i];
        struct text value = {0};
        if (!is_in(section, field) || !field_stands(field, at))
            continue;
        field_write(field, at, &value);
        section_emit_words(out, field->name, value.at ? value.at : "");
        out->failed |= value.failed;
        text_dispose(&value);
    }
}

void section_emit_checksum(struct text *out, const char *bytes, size_t length)
{
    text_addf(out, "%s = %016llx\n", checksum_key,
              (unsigned long long)XXH3_64bits(bytes, length));
}

/* --- Reading ---------------------------------------------------------------------------- */

struct reading {
    const struct section *section;
    const struct ini *ini;
    void *at;
    struct section_found *found;
    struct text words; /* of the item in hand, and of those that continue it */
    size_t next;       /* the field behind the last one read */
    uint64_t seen;     /* a bit for each field; then the checksum's and the list's */
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

/* Is it the line number `line` of the key? */
static bool continues(const struct ini_item *item, const char *key, int line)
{
    const size_t length = strlen(key);
    char number[16];
    snprintf(number, sizeof number, ".%d", line);
    return strncmp(item->key, key, length) == 0 && strcmp(item->key + length, number) == 0;
}

static void add_line(struct text *out, const struct ini_item *item)
{
    text_adds(out, item->key);
    text_adds(out, " = ");
    text_adds(out, item->value);
    text_adds(out, "\n");
}

/* Takes the item's words and those of the lines that continue it; returns the last of these. */
static const struct ini_item *join(struct reading *reading, const struct ini_item *item,
                                   const struct ini_item *end)
{
    const char *key = item->key;
    text_clear(&reading->words);
    text_adds(&reading->words, item->value);
    add_line(&reading->found->lines, item);
    for (int line = 2; item + 1 < end && continues(item + 1, key, line); line++) {
        item++;
        text_adds(&reading->words, " ");
        text_adds(&reading->words, item->value);
        add_line(&reading->found->lines, item);
    }
    return item;
}

static int read_item(struct reading *reading, const struct ini_item **at,
                     const struct ini_item *end, struct error *error)
{
    const struct section *section = reading->section;
    const struct ini_item *item = *at;
    const size_t i = find_key(reading, item->key);
    char why[200];
    if (i == section->count + 2)
        return refuse(reading, item, "unknown field", "this version writes no such field", error);
    if (reading->seen & UINT64_C(1) << i)
        return refuse(reading, item, item->key, "stands twice", error);
    reading->seen |= UINT64_C(1) << i;
    if (i == section->count) {
        if (field_parse_hash(&reading->found->checksum, item->value))
            return 0;
        snprintf(why, sizeof why, "not %s", field_describe(FIELD_HASH));
        return refuse(reading, item, item->key, why, error);
    }
    *at = join(reading, item, end);
    if (text_check(&reading->words, error))
        return -1;
    if (i > section->count)
        text_adds(&reading->found->list, reading->words.at);
    else if (!field_read(&section->fields[i], reading->at, reading->words.at)) {
        snprintf(why, sizeof why, "not %s", field_describe(section->fields[i].form));
        return refuse(reading, item, item->key, why, error);
    }
    return 0;
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
    struct reading reading = {.section = section, .ini = ini, .at = at, .found = found};
    const struct ini_item *end = ini->items + ini->count;
    int failed = 0;
    *found = (struct section_found){0};
    for (const struct ini_item *item = ini->items; item < end && !failed; item++) {
        if (strcmp(item->section, name) != 0)
            continue;
        if (!found->line)
            found->line = item->line;
        failed = read_item(&reading, &item, end, error);
    }
    text_dispose(&reading.words);
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
