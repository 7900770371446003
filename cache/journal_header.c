/* journal_header: writes and reads the key as a strict INI, up to the line that begins the
 * trials. */
#include "cache/journal_header.h"

#include "generator/ini.h"
#include "generator/number.h"

#include <string.h>

enum {
    JOURNAL_SCHEMA = 1,
    MAX_BYTES = 8192,
    SAME_JOURNAL = RECORD_PROBLEM | RECORD_SIZE | RECORD_CC | RECORD_GPU | RECORD_TOOLS,
};

static const char trials_follow[] = "[trials]";

/* Appends the lines before the trials; false when there are none. */
static bool collect(struct text *out, struct line_reader *reader)
{
    size_t length;
    char *line;

    while (out->length < MAX_BYTES && (line = line_next(reader, &length)) != NULL) {
        if (length == sizeof trials_follow - 1 && strcmp(line, trials_follow) == 0)
            return true;
        text_add(out, line, length);
        text_adds(out, "\n");
    }
    return false;
}

static enum journal_header parse(struct record *key, const struct text *header,
                                 const char *path, struct error *reason)
{
    enum journal_header result = JOURNAL_HEADER_DAMAGED;
    int64_t schema = 0;
    struct ini ini;

    if (ini_load(&ini, path, header->at, header->length, reason) != 0) {
        reason->code = reason->code == ERROR_USAGE ? ERROR_IO : reason->code;
        return JOURNAL_HEADER_DAMAGED;
    }
    const struct ini_item *item = ini_find(&ini, "journal", "schema");
    if (item && number_parse_int(&schema, item->value, "schema", reason) == 0 &&
        schema == JOURNAL_SCHEMA) {
        if (record_parse_key(key, &ini, reason) == 0)
            result = JOURNAL_HEADER_READ;
    } else {
        error_set(reason, ERROR_IO,
                  "%s: schema is %s, this version of autotune reads journals "
                  "of schema %d; use the version that wrote it",
                  path, item ? item->value : "missing", JOURNAL_SCHEMA);
        result = item ? JOURNAL_HEADER_OTHER_SCHEMA : JOURNAL_HEADER_DAMAGED;
    }
    ini_dispose(&ini);
    return result;
}

int journal_header_emit(struct text *out, const struct record *key, const char *path,
                        struct error *error)
{
    struct record back;

    text_adds(out, "; Trials of autotune, one a line. A line that was changed by hand is left "
                   "out.\n;");
    line_emit_names(out);
    text_addf(out, "\n[journal]\nschema = %d\n", JOURNAL_SCHEMA);
    record_emit_key(out, key);
    if (text_check(out, error) != 0 || parse(&back, out, path, error) != JOURNAL_HEADER_READ)
        return -1;
    text_addf(out, "%s\n", trials_follow);
    return text_check(out, error);
}

int journal_header_read(enum journal_header *out, struct record *key,
                        struct line_reader *reader, const char *path, struct error *reason)
{
    struct text text = {0};
    bool is_whole = collect(&text, reader);
    int result = text_check(&text, reason);

    *out = text.length || is_whole ? JOURNAL_HEADER_DAMAGED : JOURNAL_HEADER_NONE;
    if (result == 0)
        result = line_check(reader, path, reason);
    if (result == 0 && !is_whole && text_check_lines(path, text.at, text.length, reason) == 0)
        error_set(reason, ERROR_IO, "%s: there is no line %s", path, trials_follow);
    if (result == 0 && is_whole && text.length) {
        *out = parse(key, &text, path, reason);
        result = *out == JOURNAL_HEADER_DAMAGED && reason->code == ERROR_FAILED ? -1 : 0;
    }
    text_dispose(&text);
    return result;
}

/* Of the method's group only the method counts: trials have the others in their identities. */
const char *journal_header_difference(enum journal_header header, const struct record *a,
                                      const struct record *b)
{
    if (header != JOURNAL_HEADER_READ)
        return header == JOURNAL_HEADER_OTHER_SCHEMA ? "schema" : "header";
    const char *name = record_group_difference(a, b, SAME_JOURNAL);
    return !name && a->method != b->method ? "method" : name;
}
