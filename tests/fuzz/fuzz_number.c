/* Fuzzes generator/number.c: no text crashes it, what it reads it writes so that it reads back
 * the same, and its integers agree with strtoll where both accept the text. */
#include "generator/number.h"
#include "generator/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void check_count(uint64_t count)
{
    char form[NUMBER_CHARS], plain[NUMBER_CHARS];
    uint64_t back = ~count;
    struct error error = {0};

    number_format_count(form, count);
    snprintf(plain, sizeof plain, "%" PRIu64, count);
    demand(strlen(form) <= strlen(plain));
    demand(number_parse_count(&back, form, "it", &error) == 0 && back == count);
}

static void check_fixed(uint64_t value, int digits)
{
    char form[NUMBER_CHARS], *point;

    number_format_fixed(form, value, digits);
    point = strchr(form, '.');
    demand(digits > 0 ? point && strlen(point + 1) == (size_t)digits : !point);
    if (point)
        memmove(point, point + 1, strlen(point));
    demand(strtoull(form, NULL, 10) == value);
}

static void check_int(const char *string)
{
    int64_t value;
    struct error error = {0};
    char *end;

    if (number_parse_int(&value, string, "it", &error))
        return;
    errno = 0;
    demand(strtoll(string, &end, 10) == value && *end == '\0' && errno == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text string = {0};
    struct error error = {0};
    uint64_t low, high, raw = 0;

    text_add(&string, (const char *)data, size);
    if (number_parse_count(&low, string.at, "it", &error) == 0)
        check_count(low);
    if (number_parse_range(&low, &high, string.at, "it", &error) == 0) {
        demand(low <= high);
        check_count(high);
    }
    check_int(string.at);
    if (size > 0)
        memcpy(&raw, data, size < sizeof raw ? size : sizeof raw);
    check_count(raw);
    check_fixed(raw, (int)(size % 20));
    text_dispose(&string);
    return 0;
}
