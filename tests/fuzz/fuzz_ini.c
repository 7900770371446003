/* Fuzzes generator/ini.c: no bytes crash it, and what it accepts is what the file says: each
 * item stands on its line as reported, is found by name, and survives being written again. */
#include "generator/ini.h"
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

struct line {
    const char *at;
    size_t length; /* without the line end */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The line of this number; at = NULL behind the last. */
static struct line find_line(const char *bytes, size_t size, int number)
{
    const char *end = bytes + size;

    for (int line = 1; bytes < end; line++) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        demand(newline != NULL);
        if (line == number)
            return (struct line){bytes, (size_t)(newline - bytes)};
        bytes = newline + 1;
    }
    return (struct line){0};
}

/* What stands behind the first '=' without the blanks around it. */
static struct line value_of(struct line line)
{
    const char *equals = memchr(line.at, '=', line.length);
    const char *end = line.at + line.length;

    demand(equals != NULL);
    for (line.at = equals + 1; line.at < end && is_blank(*line.at);)
        line.at++;
    while (end > line.at && is_blank(end[-1]))
        end--;
    return (struct line){line.at, (size_t)(end - line.at)};
}

static bool is_comment(struct line line)
{
    size_t blanks = 0;

    while (blanks < line.length && is_blank(line.at[blanks]))
        blanks++;
    return blanks == line.length || *line.at == ';' || *line.at == '#';
}

/* "+ = MORE" */
static bool is_more(struct line line)
{
    size_t i = 1;

    while (i < line.length && is_blank(line.at[i]))
        i++;
    return *line.at == '+' && i < line.length && line.at[i] == '=';
}

/* The value is the one of its own line and, each behind a blank, of the "+" lines below. */
static void check_value(const struct ini_item *item, const char *bytes, size_t size)
{
    const char *value = item->value;
    struct line line = find_line(bytes, size, item->line);

    for (int number = item->line; line.at; line = find_line(bytes, size, ++number)) {
        if (number > item->line && is_comment(line))
            continue;
        if (number > item->line && !is_more(line))
            break;
        demand(line.length <= INI_LINE_MAX);
        demand(number == item->line || *value++ == ' ');
        struct line part = value_of(line);
        demand(strncmp(value, part.at, part.length) == 0);
        value += part.length;
    }
    demand(*value == '\0');
}

static void check_item(const struct ini *ini, const struct ini_item *item, const char *bytes,
                       size_t size)
{
    struct line line = find_line(bytes, size, item->line);
    size_t key = strlen(item->key);

    demand(line.at && line.length > key && memcmp(line.at, item->key, key) == 0);
    check_value(item, bytes, size);
    line = find_line(bytes, size, item->section_line);
    demand(line.at[0] == '[' && memcmp(line.at + 1, item->section, strlen(item->section)) == 0);
    demand(ini_find(ini, item->section, item->key) == item);
}

/* A line of its own for each word, as a whole value may be longer than a line. Blanks among
 * which there is a tab stay inside one line, where they came from. */
static void write_value(struct text *out, const char *value)
{
    while (*value) {
        size_t word = strcspn(value, " \t"), blanks = strspn(value + word, " \t");
        text_addf(out, "%.*s", (int)word, value);
        value += word;
        for (bool tab = memchr(value, '\t', blanks); blanks > 0; blanks--, value++)
            if (tab)
                text_addf(out, "%c", *value);
            else
                text_addf(out, "\n+=");
    }
    text_addf(out, "\n");
}

static void write_again(struct text *out, const struct ini *ini)
{
    for (size_t i = 0; i < ini->count; i++) {
        const struct ini_item *item = &ini->items[i];
        if (i == 0 || item->section != item[-1].section)
            text_addf(out, "[%s]\n", item->section);
        text_addf(out, "%s=", item->key);
        write_value(out, item->value);
    }
}

static void check_same(const struct ini *a, const struct ini *b)
{
    demand(a->count == b->count);
    for (size_t i = 0; i < a->count; i++) {
        demand(strcmp(a->items[i].section, b->items[i].section) == 0);
        demand(strcmp(a->items[i].key, b->items[i].key) == 0);
        demand(strcmp(a->items[i].value, b->items[i].value) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    struct ini ini, again;
    struct error error = {0};
    struct text text = {0};

    if (ini_load(&ini, "fuzz", bytes, size, &error)) {
        demand(strncmp(error.text, "fuzz:", 5) == 0 && error.code == ERROR_USAGE);
        return 0;
    }
    for (size_t i = 0; i < ini.count; i++)
        check_item(&ini, &ini.items[i], bytes, size);
    write_again(&text, &ini);
    demand(ini_load(&again, "again", text.at, text.length, &error) == 0);
    check_same(&ini, &again);
    text_dispose(&text);
    ini_dispose(&again);
    ini_dispose(&ini);
    return 0;
}
