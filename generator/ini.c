/* ini: reads strict INI files. Each line is checked against what inih would change in silence;
 * then inih parses, one whole line a call, and its output is compared with the line once more.
 * Hides inih, the storage of the strings and the sorted index. */
#include "generator/ini.h"

#include "generator/text.h"

#include <ini.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(INI_LINE_MAX < INI_MAX_LINE, "inih has no room for a line and its terminator");

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* --- The strict check: a fault is what is wrong and what to do, or NULL ------------------- */

static const char *byte_fault(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return "a control character; remove it";
    }
    return NULL;
}

/* A blank before ';' starts a comment for inih, anywhere in a line. */
static bool has_inline_comment(const char *line, size_t length)
{
    for (size_t i = 1; i < length; i++)
        if (line[i] == ';' && is_blank(line[i - 1]))
            return true;
    return false;
}

static size_t trimmed(const char *line, size_t length)
{
    while (length > 0 && is_blank(line[length - 1]))
        length--;
    return length;
}

static const char *section_fault(const char *line, size_t length)
{
    const char *close = memchr(line, ']', length);

    if (!close)
        return "a section header without ']'; write [name]";
    if (close + 1 != line + trimmed(line, length))
        return "text after the ']' of a section header; put it on a line of its own";
    if (close == line + 1)
        return "a section without a name; write [name]";
    if (is_blank(line[1]) || is_blank(close[-1]))
        return "a blank at the start or end of a section's name; remove it";
    if (close - line - 1 > INI_SECTION_MAX)
        return "a section name of more than 49 bytes; shorten it";
    if (has_inline_comment(line, length))
        return "a blank before ';' in a section's name; remove it";
    return NULL;
}
_Static_assert(INI_SECTION_MAX == 49, "section_fault says so");

static const char *item_fault(const char *line, size_t length)
{
    const char *equals = memchr(line, '=', length);

    if (!equals)
        return "neither a comment, [section] nor key = value; correct or remove the line";
    if (memchr(line, ':', (size_t)(equals - line)))
        return "':' before '='; a key may not hold ':'";
    if (equals == line)
        return "'=' without a key before it; write key = value";
    if (has_inline_comment(line, length))
        return "a blank before ';'; remove it, or put the comment on a line of its own";
    return NULL;
}

enum line_kind { LINE_EMPTY, LINE_SECTION, LINE_ITEM, LINE_MORE };

/* "+ = MORE": more of the value above. */
static bool is_more(const char *line, size_t length)
{
    const char *equals = memchr(line, '=', length);
    return *line == '+' && equals && trimmed(line, (size_t)(equals - line)) == 1;
}

static enum line_kind line_kind(const char *line, size_t length)
{
    if (trimmed(line, length) == 0 || *line == ';' || *line == '#')
        return LINE_EMPTY;
    return *line == '[' ? LINE_SECTION : is_more(line, length) ? LINE_MORE : LINE_ITEM;
}

static const char *line_fault(const char *line, size_t length)
{
    const char *fault = byte_fault(line, length);

    if (fault)
        return fault;
    if (length > INI_LINE_MAX)
        return "a line of more than 199 bytes; shorten it";
    if (line_kind(line, length) != LINE_EMPTY && !text_is_utf8(line, length))
        return "bytes that are not UTF-8; save the file as UTF-8";
    switch (line_kind(line, length)) {
    case LINE_SECTION: return section_fault(line, length);
    case LINE_ITEM:
    case LINE_MORE:
        return is_blank(*line) ? "an indented line; start it in the first column"
                               : item_fault(line, length);
    case LINE_EMPTY: break;
    }
    return NULL;
}
_Static_assert(INI_LINE_MAX == 199, "line_fault says so");

/* What the check has found so far. */
struct check {
    const char *file;
    size_t items;         /* in the file */
    size_t section_items; /* in the current section */
    int line, section_line;
};

static int line_error(const char *file, int line, const char *fault, struct error *error)
{
    return error_set(error, ERROR_USAGE, "%s:%d: %s", file, line, fault);
}

/* inih says nothing of a section without items, so it would be lost. */
static int check_section_end(const struct check *check, struct error *error)
{
    if (check->section_line == 0 || check->section_items > 0)
        return 0;
    return line_error(check->file, check->section_line,
                      "a section without keys; give it one or remove it", error);
}

static int check_order(struct check *check, enum line_kind kind, struct error *error)
{
    if (kind == LINE_ITEM && check->section_line == 0)
        return line_error(check->file, check->line,
                          "a key before the first [section]; put a section header above it",
                          error);
    if (kind == LINE_MORE && check->section_items == 0)
        return line_error(
            check->file, check->line,
            "'+' continues the value above it, and there is none; write key = value", error);
    if (kind == LINE_ITEM) {
        check->items++;
        check->section_items++;
    }
    if (kind == LINE_SECTION) {
        if (check_section_end(check, error))
            return -1;
        check->section_line = check->line;
        check->section_items = 0;
    }
    return 0;
}

/* Checks every line and counts the items. */
static int check_lines(size_t *items, const char *file, const char *bytes, size_t length,
                       struct error *error)
{
    const char *end = bytes + length;
    struct check check = {.file = file};

    if (text_check_lines(file, bytes, length, error))
        return -1;
    for (const char *at = bytes; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line_length = (size_t)((newline ? newline : end) - at);
        check.line++;
        const char *fault = line_fault(at, line_length);
        if (!fault && !newline)
            fault = "the last line has no line end; the file may be cut off, or add one";
        if (fault)
            return line_error(file, check.line, fault, error);
        if (check_order(&check, line_kind(at, line_length), error))
            return -1;
        at = newline + 1;
    }
    *items = check.items;
    return check_section_end(&check, error);
}

/* --- Parsing: inih between a counting reader and a handler that trusts nothing ------------ */

struct reading {
    struct ini *ini;
    size_t expected;      /* items counted by the check */
    const char *at, *end; /* what is still to be read */
    const char *line;     /* the line inih has in hand */
    size_t line_length;
    int line_number;
    const char *header;   /* the current section's line */
    size_t header_length; /* without blanks at its end */
    int header_number;
    const char *section; /* its name as stored; NULL until its first item */
    char *strings;       /* room for the next string */
    int altered;         /* the first line inih read otherwise; 0 = none */
};

static void note_altered(struct reading *reading)
{
    if (reading->altered == 0)
        reading->altered = reading->line_number;
}

/* Without the line end, so that a line of INI_LINE_MAX bytes fits into inih's buffer. */
static char *read_line(char *out, int size, void *stream)
{
    struct reading *reading = stream;
    if (reading->at == reading->end)
        return NULL;
    const char *newline = memchr(reading->at, '\n', (size_t)(reading->end - reading->at));
    reading->line = reading->at;
    reading->line_length = (size_t)(newline - reading->at);
    reading->line_number++;
    reading->at = newline + 1;
    if (size < 1 || reading->line_length >= (size_t)size) {
        note_altered(reading);
        return NULL;
    }
    if (line_kind(reading->line, reading->line_length) == LINE_SECTION) {
        reading->header = reading->line;
        reading->header_length = trimmed(reading->line, reading->line_length);
        reading->header_number = reading->line_number;
        reading->section = NULL;
    }
    memcpy(out, reading->line, reading->line_length);
    out[reading->line_length] = '\0';
    return out;
}

/* Is the header this name in brackets? */
static bool is_header_of(const struct reading *reading, const char *name)
{
    size_t length = strlen(name);

    return reading->header && reading->header_length == length + 2 &&
           memcmp(reading->header + 1, name, length) == 0;
}

/* Moves past `string` if it is at `*at`. */
static bool skip_string(const char **at, const char *end, const char *string)
{
    size_t length = strlen(string);

    if ((size_t)(end - *at) < length || memcmp(*at, string, length) != 0)
        return false;
    *at += length;
    return true;
}

static void skip_blanks(const char **at, const char *end)
{
    while (*at < end && is_blank(**at))
        ++*at;
}

/* Is the line this key, '=', this value, and nothing else but blanks? */
static bool is_line_of(const struct reading *reading, const char *key, const char *value)
{
    const char *at = reading->line;
    const char *end = at + reading->line_length;

    if (!skip_string(&at, end, key))
        return false;
    skip_blanks(&at, end);
    if (!skip_string(&at, end, "="))
        return false;
    skip_blanks(&at, end);
    if (!skip_string(&at, end, value))
        return false;
    skip_blanks(&at, end);
    return at == end;
}

/* All strings together need no more bytes than the file has: each one's terminator takes the
 * place of a ']', '=' or line end. */
static const char *keep_string(struct reading *reading, const char *string)
{
    size_t size = strlen(string) + 1;
    char *kept = reading->strings;

    memcpy(kept, string, size);
    reading->strings += size;
    return kept;
}

/* The value above was the last string kept: it grows in its place. */
static int take_more(struct reading *reading, const char *value)
{
    if (reading->ini->count == 0 || !is_line_of(reading, "+", value)) {
        note_altered(reading);
        return 0;
    }
    reading->strings[-1] = ' ';
    keep_string(reading, value);
    return 1;
}

static int take_item(void *user, const char *section, const char *key, const char *value)
{
    struct reading *reading = user;
    struct ini *ini = reading->ini;

    if (line_kind(reading->line, reading->line_length) == LINE_MORE)
        return take_more(reading, value);
    if (ini->count == reading->expected || !is_header_of(reading, section) ||
        !is_line_of(reading, key, value)) {
        note_altered(reading);
        return 0;
    }
    if (!reading->section)
        reading->section = keep_string(reading, section);
    struct ini_item *item = &ini->items[ini->count];
    item->section = reading->section;
    item->key = keep_string(reading, key);
    item->value = keep_string(reading, value);
    item->file = ini->file;
    item->line = reading->line_number;
    item->section_line = reading->header_number;
    ini->sorted[ini->count++] = item;
    return 1;
}

static int parse(struct ini *ini, size_t items, const char *bytes, size_t length,
                 struct error *error)
{
    struct reading reading = {
        .ini = ini,
        .expected = items,
        .at = bytes,
        .end = bytes + length,
        .strings = ini->strings,
    };
    int status = ini_parse_stream(read_line, &reading, take_item, &reading);

    if (status == 0 && reading.altered == 0 && ini->count == items)
        return 0;
    int line = reading.altered ? reading.altered : status > 0 ? status : reading.line_number;
    return line_error(ini->file, line,
                      "a line that could be read in two ways; write it more "
                      "simply",
                      error);
}

/* --- The index ---------------------------------------------------------------------------- */

static int compare_names(const struct ini_item *item, const char *section, const char *key)
{
    int order = strcmp(item->section, section);

    return order ? order : strcmp(item->key, key);
}

/* Items below one header share its name. */
static int compare_items(const void *left, const void *right)
{
    const struct ini_item *a = *(const struct ini_item *const *)left;
    const struct ini_item *b = *(const struct ini_item *const *)right;
    int order = a->section == b->section ? strcmp(a->key, b->key)
                                         : compare_names(a, b->section, b->key);

    return order ? order : a->line - b->line;
}

/* Two neighbours in the index: the same section from two headers, or the same key twice? */
static int check_neighbours(const struct ini *ini, const struct ini_item *a,
                            const struct ini_item *b, struct error *error)
{
    const struct ini_item *first = a->line < b->line ? a : b;
    const struct ini_item *second = first == a ? b : a;

    if (strcmp(a->section, b->section) != 0)
        return 0;
    if (first->section_line != second->section_line)
        return error_set(error, ERROR_USAGE,
                         "%s:%d: section [%s] appears again, after "
                         "line %d; join the two",
                         ini->file, second->section_line, second->section, first->section_line);
    if (strcmp(a->key, b->key) == 0)
        return error_set(error, ERROR_USAGE,
                         "%s:%d: key '%s' appears again, after line "
                         "%d; remove one",
                         ini->file, second->line, second->key, first->line);
    return 0;
}

static int sort_items(struct ini *ini, struct error *error)
{
    qsort(ini->sorted, ini->count, sizeof *ini->sorted, compare_items);
    for (size_t i = 1; i < ini->count; i++)
        if (check_neighbours(ini, ini->sorted[i - 1], ini->sorted[i], error))
            return -1;
    return 0;
}

const struct ini_item *ini_find(const struct ini *ini, const char *section, const char *key)
{
    size_t low = 0, high = ini->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_names(ini->sorted[middle], section, key);
        if (order == 0)
            return ini->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* --- Loading ------------------------------------------------------------------------------ */

static int allocate(struct ini *ini, const char *file, size_t items, size_t length,
                    struct error *error)
{
    ini->file = strdup(file);
    ini->items = malloc((items + 1) * sizeof *ini->items);
    ini->sorted = malloc((items + 1) * sizeof *ini->sorted);
    ini->strings = malloc(length + 1);
    if (ini->file && ini->items && ini->sorted && ini->strings)
        return 0;
    return error_memory(error, strlen(file) + 2 + length +
                                   (items + 1) * (sizeof *ini->items + sizeof *ini->sorted));
}

int ini_load(struct ini *out, const char *file, const char *bytes, size_t length,
             struct error *error)
{
    size_t items = 0;

    *out = (struct ini){0};
    if (length > INI_FILE_MAX)
        return error_set(error, ERROR_USAGE,
                         "%s: %zu bytes, more than the %d that are read; "
                         "split or shorten the file",
                         file, length, INI_FILE_MAX);
    if (length == 0)
        bytes = ""; /* may be NULL */
    if (check_lines(&items, file, bytes, length, error))
        return -1;
    if (allocate(out, file, items, length, error) || parse(out, items, bytes, length, error) ||
        sort_items(out, error)) {
        ini_dispose(out);
        return -1;
    }
    return 0;
}

void ini_dispose(struct ini *ini)
{
    free(ini->file);
    free(ini->items);
    free(ini->strings);
    free(ini->sorted);
    *ini = (struct ini){0};
}
