/* number: converts counts, ranges and integers to and from text. It has its own digits and
 * suffixes, so that no locale and no leniency of strtol (spaces, signs, wrap-around) gets
 * in. */
#include "generator/number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct suffix {
    const char *name;
    uint64_t factor;
} suffixes[] = {
    {"", 1},
    {"K", 1000},
    {"M", 1000000},
    {"G", 1000000000},
    {"T", 1000000000000},
    {"Ki", 1ull << 10},
    {"Mi", 1ull << 20},
    {"Gi", 1ull << 30},
    {"Ti", 1ull << 40},
};
enum { SUFFIX_COUNT = sizeof suffixes / sizeof suffixes[0] };

enum outcome { GOOD, MALFORMED, TOO_LARGE };

/* Reads digits from `*at` and moves it past them. */
static enum outcome read_digits(uint64_t *out, const char **at, const char *end)
{
    const char *first = *at;
    bool overflow = false;

    *out = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        overflow |= __builtin_mul_overflow(*out, 10u, out);
        overflow |= __builtin_add_overflow(*out, (uint64_t)(**at - '0'), out);
    }
    return *at == first ? MALFORMED : overflow ? TOO_LARGE : GOOD;
}

/* "1e6": so many zeros behind the digits. */
static enum outcome read_exponent(uint64_t *out, uint64_t digits, const char *at,
                                  const char *end)
{
    uint64_t zeros;
    bool overflow = false;
    const enum outcome outcome = read_digits(&zeros, &at, end);
    if (outcome == MALFORMED || at != end)
        return MALFORMED;
    for (*out = digits; zeros > 0 && digits && !overflow; zeros--)
        overflow = __builtin_mul_overflow(*out, 10u, out);
    return overflow || outcome == TOO_LARGE ? TOO_LARGE : GOOD;
}

static enum outcome read_count(uint64_t *out, const char *at, const char *end)
{
    uint64_t digits;
    enum outcome outcome = read_digits(&digits, &at, end);
    size_t rest = (size_t)(end - at);

    if (outcome == MALFORMED)
        return MALFORMED;
    if (rest > 1 && *at == 'e')
        return read_exponent(out, digits, at + 1, end);
    for (size_t i = 0; i < SUFFIX_COUNT; i++) {
        if (strlen(suffixes[i].name) != rest || memcmp(suffixes[i].name, at, rest) != 0)
            continue;
        bool overflow = __builtin_mul_overflow(digits, suffixes[i].factor, out);
        return overflow ? TOO_LARGE : outcome;
    }
    return MALFORMED;
}

/* Turns an outcome into the error for the text from `at` to `end`. */
static int report(enum outcome outcome, const char *at, const char *end, const char *what,
                  const char *form, struct error *error)
{
    int shown = end - at < 60 ? (int)(end - at) : 60;

    if (outcome == GOOD)
        return 0;
    if (outcome == TOO_LARGE)
        return error_set(error, ERROR_USAGE,
                         "%s is '%.*s', which does not fit in 64 bits; "
                         "give a smaller number",
                         what, shown, at);
    return error_set(error, ERROR_USAGE, "%s is '%.*s'; give %s", what, shown, at, form);
}

/* The count that a malformed text may mean: the suffix in another case, a B behind it, '_' or
 * ',' between digits, or a point, as "1.5M". */
static bool guess(uint64_t *out, const char *at, const char *end)
{
    char plain[NUMBER_CHARS] = "";
    size_t length = 0, after_point = 0;
    bool has_point = false;
    for (; at < end && length + 1 < sizeof plain; at++) {
        const bool is_digit = *at >= '0' && *at <= '9';
        const bool is_last = at + 1 == end, has_suffix = length && plain[length - 1] > '9';
        if (*at == '_' || *at == ',' || (is_last && (*at == 'B' || *at == 'b')))
            continue;
        if (*at == '.' && !has_point) {
            has_point = true;
            continue;
        }
        after_point += has_point && is_digit;
        plain[length++] = is_digit || has_suffix ? *at : (char)(*at & ~0x20);
        if (has_suffix)
            plain[length - 1] = (char)(*at | 0x20);
    }
    if (at < end || read_count(out, plain, plain + length) != GOOD)
        return false;
    for (; after_point > 0; after_point--, *out /= 10)
        if (*out % 10)
            return false;
    return true;
}

static int parse_count(uint64_t *out, const char *at, const char *end, const char *what,
                       struct error *error)
{
    char form[NUMBER_CHARS];
    uint64_t meant;
    const enum outcome outcome = read_count(out, at, end);
    if (outcome == MALFORMED && guess(&meant, at, end))
        return error_set(
            error, ERROR_USAGE,
            "%s is '%.*s'; if %" PRIu64 " is meant write %s: digits with at most one "
            "of K M G T (powers of 1000) or Ki Mi Gi Ti (powers of 1024) after them",
            what, end - at < 60 ? (int)(end - at) : 60, at, meant,
            number_format_count(form, meant));
    return report(outcome, at, end, what,
                  "digits with at most one of K M G T (powers of 1000) or Ki Mi Gi Ti (powers "
                  "of 1024) after them, such as 400M",
                  error);
}

int number_parse_count(uint64_t *out, const char *string, const char *what, struct error *error)
{
    return parse_count(out, string, string + strlen(string), what, error);
}

int number_parse_range(uint64_t *low, uint64_t *high, const char *string, const char *what,
                       struct error *error)
{
    const char *end = string + strlen(string);
    const char *dots = strstr(string, "..");

    if (dots && (dots == string || dots + 2 == end))
        return error_set(error, ERROR_USAGE,
                         "%s is '%.60s', a range without one of its ends; "
                         "give LOW..HIGH, such as 1K..4G",
                         what, string);
    if (parse_count(low, string, dots ? dots : end, what, error))
        return -1;
    *high = *low;
    if (dots && parse_count(high, dots + 2, end, what, error))
        return -1;
    if (*low > *high)
        return error_set(error, ERROR_USAGE,
                         "%s is '%.60s', which ends below its start; "
                         "give LOW..HIGH, such as 1K..4G",
                         what, string);
    return 0;
}

/* The magnitude of a negative number may be one more than that of a positive one. */
static enum outcome read_int(int64_t *out, const char *at, const char *end)
{
    bool negative = *at == '-';
    uint64_t limit = negative ? (uint64_t)1 << 63 : (uint64_t)INT64_MAX;
    uint64_t digits;

    at += negative;
    enum outcome outcome = read_digits(&digits, &at, end);
    if (at != end)
        return MALFORMED;
    if (outcome == GOOD && digits > limit)
        return TOO_LARGE;
    if (outcome == GOOD)
        *out = negative && digits ? -(int64_t)(digits - 1) - 1 : (int64_t)digits;
    return outcome;
}

int number_parse_int(int64_t *out, const char *string, const char *what, struct error *error)
{
    const char *end = string + strlen(string);

    return report(read_int(out, string, end), string, end, what,
                  "a whole number in digits, with '-' before it if negative", error);
}

/* Without the point, and with what it lacks of `digits`, it is a whole number. */
static enum outcome read_fixed(uint64_t *out, const char *string, int digits)
{
    const char *point = strchr(string, '.'), *end = string + strlen(string);
    const size_t decimals = point ? (size_t)(end - point) - 1 : 0;
    uint64_t part = 0, factor = 1;
    const char *at = string;
    enum outcome outcome = read_digits(out, &at, point ? point : end);
    if (outcome == GOOD && point && at++ == point)
        outcome = read_digits(&part, &at, end);
    if (outcome != GOOD || at != end || decimals > (size_t)digits)
        return outcome == GOOD ? MALFORMED : outcome;
    bool overflow = false;
    for (size_t i = 0; i < (size_t)digits; i++) {
        overflow |= __builtin_mul_overflow(*out, 10u, out);
        factor *= i >= decimals ? 10 : 1;
    }
    overflow |= __builtin_mul_overflow(part, factor, &part);
    overflow |= __builtin_add_overflow(*out, part, out);
    return overflow ? TOO_LARGE : GOOD;
}

int number_parse_fixed(uint64_t *out, const char *string, int digits, const char *what,
                       struct error *error)
{
    assert(0 <= digits && digits < NUMBER_CHARS);
    char wanted[80];
    snprintf(wanted, sizeof wanted,
             "a number in digits, at most %d of them after the point, such as 1 or 0.5",
             digits);
    return report(read_fixed(out, string, digits), string, string + strlen(string), what,
                  wanted, error);
}

char *number_format_count(char out[NUMBER_CHARS], uint64_t count)
{
    size_t shortest = NUMBER_CHARS;

    for (size_t i = 0; i < SUFFIX_COUNT; i++) {
        char form[NUMBER_CHARS];
        if (count % suffixes[i].factor != 0)
            continue;
        int length =
            snprintf(form, sizeof form, "%llu%s",
                     (unsigned long long)(count / suffixes[i].factor), suffixes[i].name);
        if ((size_t)length < shortest) {
            shortest = (size_t)length;
            memcpy(out, form, shortest + 1);
        }
    }
    return out;
}

char *number_format_fixed(char out[NUMBER_CHARS], uint64_t value, int digits)
{
    enum { DIGITS_MAX = NUMBER_CHARS - 3 }; /* a leading digit, the point, the terminator */
    int places = digits < 0 ? 0 : digits > DIGITS_MAX ? DIGITS_MAX : digits;
    int length = snprintf(out, NUMBER_CHARS, "%0*llu", places + 1, (unsigned long long)value);

    if (places > 0) {
        char *point = out + length - places;
        memmove(point + 1, point, (size_t)places + 1);
        *point = '.';
    }
    return out;
}

/* --- Order -------------------------------------------------------------------------------- */

int number_compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int number_decide(const int *orders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (orders[i])
            return orders[i];
    return 0;
}
