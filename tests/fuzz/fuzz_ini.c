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

/* The line of this number and its length without the line end. */
static const char *find_line(const char *bytes, size_t size, int number, size_t *length)
{
    const char *end = bytes + size;

    for (int line = 1; line < number; line++) {
        bytes = memchr(bytes, '\n', (size_t)(end - bytes));
        demand(bytes++ != NULL);
    }
    const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
    demand(newline != NULL);
    *length = (size_t)(newline - bytes);
    return bytes;
}

static void check_item(const struct ini *ini, const struct ini_item *item, const char *bytes,
                       size_t size)
{
    size_t key = strlen(item->key), value = strlen(item->value), length;
    const char *line = find_line(bytes, size, item->line, &length);

    demand(length >= key + 1 + value && length <= INI_LINE_MAX);
    demand(memcmp(line, item->key, key) == 0);
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    demand(memcmp(line + length - value, item->value, value) == 0);
    line = find_line(bytes, size, item->section_line, &length);
    demand(line[0] == '[' && memcmp(line + 1, item->section, strlen(item->section)) == 0);
    demand(ini_find(ini, item->section, item->key) == item);
}

static void write_again(struct text *out, const struct ini *ini)
{
    for (size_t i = 0; i < ini->count; i++) {
        const struct ini_item *item = &ini->items[i];
        if (i == 0 || item->section != item[-1].section)
            text_addf(out, "[%s]\n", item->section);
        text_addf(out, "%s=%s\n", item->key, item->value);
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
