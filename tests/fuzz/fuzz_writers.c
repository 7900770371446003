/* Fuzzes what is written for other programs: a string of JSON must be one by RFC 8259 that says the
 * same bytes, but for those that are no UTF-8; a cell of CSV must come back as it was. */
#include "autotune/print/csv.h"
#include "autotune/print/table.h"
#include "generator/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

/* The length of the UTF-8 sequence at `at` by RFC 3629; 0 = none. */
static size_t sequence(const unsigned char *at)
{
    const unsigned c = at[0], d = at[1];
    if (c < 0x80)
        return 1;
    if (c >= 0xc2 && c <= 0xdf)
        return (d & 0xc0) == 0x80 ? 2 : 0;
    if (c >= 0xe0 && c <= 0xef)
        return (d & 0xc0) == 0x80 && !(c == 0xe0 && d < 0xa0) && !(c == 0xed && d > 0x9f) &&
                       (at[2] & 0xc0) == 0x80
                   ? 3
                   : 0;
    if (c >= 0xf0 && c <= 0xf4)
        return (d & 0xc0) == 0x80 && !(c == 0xf0 && d < 0x90) && !(c == 0xf4 && d > 0x8f) &&
                       (at[2] & 0xc0) == 0x80 && (at[3] & 0xc0) == 0x80
                   ? 4
                   : 0;
    return 0;
}

/* Takes one character of a JSON string; what it stands for is appended. */
static const unsigned char *take(const unsigned char *at, struct text *out)
{
    static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    demand(*at >= 0x20 && *at != '"');
    if (*at != '\\') {
        const size_t length = sequence(at);
        demand(length > 0);
        text_add(out, (const char *)at, length);
        return at + length;
    }
    const char *letter = at[1] ? strchr(letters, at[1]) : NULL;
    if (letter) {
        text_add(out, &means[letter - letters], 1);
        return at + 2;
    }
    demand(at[1] == 'u');
    char digits[5] = {0}, *end;
    memcpy(digits, at + 2, 4);
    const unsigned long code = strtoul(digits, &end, 16);
    demand(end == digits + 4);
    if (code == 0xfffd)
        text_adds(out, "\xef\xbf\xbd");
    else {
        demand(code < 0x80);
        const char byte = (char)code;
        text_add(out, &byte, 1);
    }
    return at + 6;
}

/* What the string becomes: each byte that begins no sequence is U+FFFD. */
static void add_expected(struct text *out, const char *string)
{
    for (const unsigned char *at = (const unsigned char *)string; *at;) {
        const size_t length = sequence(at);
        if (length)
            text_add(out, (const char *)at, length);
        else
            text_adds(out, "\xef\xbf\xbd");
        at += length ? length : 1;
    }
}

static void check_json(const char *string)
{
    struct text json = {0}, got = {0}, expected = {0};
    text_add_json(&json, string);
    const unsigned char *at = (const unsigned char *)json.at;
    demand(*at++ == '"');
    while (*at && *at != '"')
        at = take(at, &got);
    demand(at[0] == '"' && at[1] == '\0');
    add_expected(&expected, string);
    demand(got.length == expected.length &&
           (!got.length || memcmp(got.at, expected.at, got.length) == 0));
    text_dispose(&json);
    text_dispose(&got);
    text_dispose(&expected);
}

/* A table of one column and the cell, as CSV; a NULL cell and an empty one are the same there. */
static void check_csv(const char *string)
{
    static const struct table_column columns[] = {{"name", "name", false}, {"n", "n", true}};
    struct table table = {.columns = columns, .column_count = 2};
    struct text out = {0}, expected = {0};
    struct csv csv;
    struct error error = {0};
    add_expected(&expected, string);
    const char *const wanted = expected.at ? expected.at : "";
    table_add(&table, string);
    table_add(&table, string);
    table_csv(&out, &table);
    demand(csv_load(&csv, "it", out.at, out.length, &error) == 0);
    demand(csv.rows == 1 && csv.columns == 2 && csv_find(&csv, "n") == 1);
    demand(strcmp(csv_at(&csv, 0, 0), wanted) == 0 && strcmp(csv_at(&csv, 0, 1), wanted) == 0);
    csv_dispose(&csv);
    text_dispose(&expected);
    text_dispose(&out);
    table_dispose(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text string = {0};
    text_add(&string, (const char *)data, size);
    if (!string.at)
        text_adds(&string, "");
    check_json(string.at);
    check_csv(string.at);
    text_dispose(&string);
    return 0;
}
