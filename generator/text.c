/* text: grows a string by doubling. Failure to grow is remembered, so callers append freely and
 * check once. Hides growth, the C locale for formatting, JSON's escapes and how an unknown path
 * is read safely. */
#include "generator/text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 256, READ_CHUNK = 1 << 16 };
enum { NEAREST_MAX = 63, EDIT_COST = 4, CASE_COST = 1, PART_MIN = 3 };

/* What was added lies in memory that has room for the terminator too. */
static bool is_sound(const struct text *text)
{
    return text->at ? text->length < text->capacity : text->length == 0;
}

void text_dispose(struct text *text)
{
    assert(is_sound(text));
    free(text->at);
    *text = (struct text){0};
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->at)
        text->at[0] = '\0';
}

/* Makes room for `more` bytes and the terminator. */
static bool reserve(struct text *text, size_t more)
{
    assert(is_sound(text));
    if (text->failed)
        return false;
    if (more < text->capacity - text->length)
        return true;
    size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;
    while (capacity - text->length <= more && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *at = capacity - text->length > more ? realloc(text->at, capacity) : NULL;
    if (!at) {
        text->failed = true;
        return false;
    }
    text->at = at;
    text->capacity = capacity;
    return true;
}

void text_add(struct text *text, const char *bytes, size_t length)
{
    assert(bytes || length == 0);
    if (!reserve(text, length))
        return;
    if (length)
        memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = '\0';
}

void text_adds(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

__attribute__((format(printf, 2, 0))) static void add_formatted(struct text *text,
                                                                const char *format,
                                                                va_list args)
{
    va_list again;

    va_copy(again, args);
    int wanted = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (wanted < 0)
        text->failed = true;
    if (wanted < 0 || !reserve(text, (size_t)wanted))
        return;
    vsnprintf(text->at + text->length, (size_t)wanted + 1, format, args);
    text->length += (size_t)wanted;
}

void text_addf(struct text *text, const char *format, ...)
{
    /* A program that uses the library may have set a locale in which 0.5 is "0,5". */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) {
        text->failed = true;
        return;
    }
    locale_t before = uselocale(c_locale);
    va_list args;
    va_start(args, format);
    add_formatted(text, format, args);
    va_end(args);
    uselocale(before);
    freelocale(c_locale);
}

/* U+FFFD, for a byte that is not UTF-8. */
static const char REPLACEMENT[] = "\xef\xbf\xbd";

/* Bytes of the well-formed UTF-8 sequence at `s`, 0 where it is none (Unicode, table 3-7). */
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high, length;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (s[0] < forms[i].first_low || s[0] > forms[i].first_high)
            continue;
        if (forms[i].length > 1 && (s[1] < forms[i].second_low || s[1] > forms[i].second_high))
            continue;
        for (size_t k = 2; k < forms[i].length; k++)
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

bool text_is_utf8(const char *bytes, size_t length)
{
    enum { LONGEST = 4, ASCII_LAST = 0x7f };
    for (size_t i = 0; i < length;) {
        if ((unsigned char)bytes[i] <= ASCII_LAST) {
            i++;
            continue;
        }
        unsigned char some[LONGEST + 1] = {0}; /* ends where the bytes end */
        memcpy(some, bytes + i, length - i < LONGEST ? length - i : LONGEST);
        const size_t next = utf8_length(some);
        if (!next)
            return false;
        i += next;
    }
    return true;
}

/* C0, DEL, and C1 in UTF-8: bytes of the control character at `s`, 0 when it is none. */
static size_t control_bytes(const char *s)
{
    unsigned char first = (unsigned char)s[0], second = first ? (unsigned char)s[1] : 0;
    if (first == 0xc2 && second >= 0x80 && second < 0xa0)
        return 2;
    return first < 0x20 || first == 0x7f;
}

void text_add_visible(struct text *text, const char *string)
{
    while (*string) {
        const size_t control = control_bytes(string);
        const size_t length = control ? 0 : utf8_length((const unsigned char *)string);
        text_add(text, length ? string : "?", length ? length : 1);
        string += control ? control : length ? length : 1;
    }
}

void text_format_visible(char *out, size_t size, bool has_lines, const char *format,
                         va_list args)
{
    enum { ESCAPED = sizeof "\\xff" - 1 };
    char raw[sizeof((struct error *)0)->text];
    size_t used = 0;
    assert(size > 0);
    if (vsnprintf(raw, sizeof raw, format, args) < 0)
        strcpy(raw, "a sentence that could not be written");
    for (const char *at = raw; *at;) {
        const bool is_kept = has_lines && (*at == '\n' || *at == '\t');
        const size_t control = is_kept ? 0 : control_bytes(at);
        const size_t length = control ? 0 : utf8_length((const unsigned char *)at);
        const size_t taken = length ? length : control ? control : 1;
        if (used + (length ? length : taken * ESCAPED) >= size)
            break;
        for (size_t i = 0; i < taken && !length; i++)
            used += (size_t)snprintf(out + used, ESCAPED + 1, "\\x%02x",
                                     (unsigned)(unsigned char)at[i]);
        memcpy(out + used, at, length);
        used += length;
        at += taken;
    }
    out[used] = '\0';
}

int text_check(const struct text *text, struct error *error)
{
    assert(is_sound(text));
    size_t wanted = text->capacity ? text->capacity : FIRST_CAPACITY;

    return text->failed ? error_memory(error, wanted) : 0;
}

static int too_big(const char *path, size_t limit, struct error *error)
{
    return error_set(error, ERROR_IO,
                     "%s is larger than the %zu bytes allowed for it; "
                     "name a smaller file",
                     path, limit);
}

/* Reads to the end, not to the size fstat gave: the file may grow or lie (as in /proc). */
static int read_all(struct text *text, int file, const char *path, size_t limit,
                    struct error *error)
{
    size_t first = text->length;
    while (reserve(text, READ_CHUNK)) {
        ssize_t got = read(file, text->at + text->length, READ_CHUNK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, ERROR_IO, "cannot read %s: %s", path, strerror(errno));
        text->length += (size_t)got;
        text->at[text->length] = '\0';
        if (text->length - first > limit)
            return too_big(path, limit, error);
        if (got == 0)
            return 0;
    }
    return text_check(text, error);
}

static int read_regular(struct text *text, int file, const char *path, size_t limit,
                        struct error *error)
{
    struct stat status;

    if (fstat(file, &status))
        return error_set(error, ERROR_IO, "cannot examine %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_IO, "%s is not a regular file; name one", path);
    if ((uintmax_t)status.st_size > limit)
        return too_big(path, limit, error);
    return read_all(text, file, path, limit, error);
}

int text_read(struct text *text, const char *path, size_t limit, struct error *error)
{
    size_t first = text->length;
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return error_set(error, ERROR_IO, "cannot open %s: %s", path, strerror(errno));
    int status = read_regular(text, file, path, limit, error);
    close(file);
    if (status && text->at) {
        text->length = first;
        text->at[first] = '\0';
    }
    return status;
}

static bool begins_with(const char *bytes, size_t length, const char *mark)
{
    return length >= strlen(mark) && memcmp(bytes, mark, strlen(mark)) == 0;
}

static int refuse_line(const char *file, const char *bytes, const char *at, const char *fault,
                       struct error *error)
{
    int line = 1;
    for (; bytes < at; bytes++)
        line += *bytes == '\n';
    return error_set(error, ERROR_USAGE, "%.1000s:%d: %s", file, line, fault);
}

int text_check_encoding(const char *file, const char *bytes, size_t length, struct error *error)
{
    if (begins_with(bytes, length, "\xef\xbb\xbf"))
        return refuse_line(file, bytes, bytes,
                           "a byte-order mark; save the file as UTF-8 without one", error);
    if (begins_with(bytes, length, "\xff\xfe") || begins_with(bytes, length, "\xfe\xff"))
        return refuse_line(file, bytes, bytes,
                           "a byte-order mark of UTF-16; save the file as UTF-8 without one",
                           error);
    const char *const zero = length ? memchr(bytes, '\0', length) : NULL;
    return zero ? refuse_line(file, bytes, zero,
                              "a NUL byte; this is no text file, or it is damaged", error)
                : 0;
}

int text_check_lines(const char *file, const char *bytes, size_t length, struct error *error)
{
    const char *const end = length ? memchr(bytes, '\r', length) : NULL;
    if (text_check_encoding(file, bytes, length, error))
        return -1;
    return end ? refuse_line(file, bytes, end,
                             "a carriage return; save the file with Unix line ends", error)
               : 0;
}

/* One character that JSON wants escaped, or that is no character at all. */
static void add_json_escape(struct text *text, unsigned char c)
{
    static const char named[][2] = {{'"', '"'},  {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'},
                                    {'\n', 'n'}, {'\r', 'r'},  {'\t', 't'}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if ((unsigned char)named[i][0] == c) {
            text_add(text, (const char[]){'\\', named[i][1]}, 2);
            return;
        }
    }
    if (c < 0x80)
        text_addf(text, "\\u%04x", c);
    else
        text_adds(text, REPLACEMENT);
}

void text_add_utf8(struct text *text, const char *string)
{
    while (*string) {
        const size_t length = utf8_length((const unsigned char *)string);
        text_add(text, length ? string : REPLACEMENT, length ? length : strlen(REPLACEMENT));
        string += length ? length : 1;
    }
}

void text_add_json(struct text *text, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;

    text_add(text, "\"", 1);
    while (*s) {
        size_t length = utf8_length(s);
        if (length == 0 || *s < 0x20 || *s == '"' || *s == '\\') {
            add_json_escape(text, *s);
            length = 1;
        } else {
            text_add(text, (const char *)s, length);
        }
        s += length;
    }
    text_add(text, "\"", 1);
}

size_t text_next_item(const char **at, char *out, size_t size)
{
    const size_t length = strcspn(*at, ","), kept = length < size ? length : size - 1;
    memcpy(out, *at, kept);
    out[kept] = '\0';
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return length;
}

bool text_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* What it costs to turn one letter into another; a wrong case costs less. */
static int letter_cost(char a, char b)
{
    if (a == b)
        return 0;
    return (a ^ b) == 0x20 && text_is_word(a) && text_is_word(b) ? CASE_COST : EDIT_COST;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '-';
}

/* What it costs to leave a letter out; a separator costs less. */
static int gap_cost(char c)
{
    return is_separator(c) ? CASE_COST : EDIT_COST;
}

/* Edit distance (Levenshtein) with the costs above. */
static int name_distance(const char *a, size_t a_length, const char *b)
{
    int row[NEAREST_MAX + 1];
    size_t b_length = strlen(b);

    if (a_length > NEAREST_MAX || b_length > NEAREST_MAX)
        return INT_MAX;
    row[0] = 0;
    for (size_t k = 0; k < b_length; k++)
        row[k + 1] = row[k] + gap_cost(b[k]);
    for (size_t i = 0; i < a_length; i++) {
        int diagonal = row[0];
        row[0] += gap_cost(a[i]);
        for (size_t k = 0; k < b_length; k++) {
            const int replaced = diagonal + letter_cost(a[i], b[k]);
            const int without_a = row[k + 1] + gap_cost(a[i]);
            const int without_b = row[k] + gap_cost(b[k]);
            const int gap = without_a < without_b ? without_a : without_b;
            diagonal = row[k + 1];
            row[k + 1] = gap < replaced ? gap : replaced;
        }
    }
    return row[b_length];
}

/* Copies letters in lower case, without separators. */
static void squeeze(char out[NEAREST_MAX + 1], const char *string, size_t length)
{
    size_t kept = 0;
    for (size_t i = 0; i < length && kept < NEAREST_MAX; i++)
        if (!is_separator(string[i]))
            out[kept++] = (char)tolower((unsigned char)string[i]);
    out[kept] = '\0';
}

/* Is the word a part of the name, whatever the case and the separators? */
static bool is_part(const char *word, size_t length, const char *name)
{
    char part[NEAREST_MAX + 1], whole[NEAREST_MAX + 1];
    squeeze(part, word, length);
    squeeze(whole, name, strlen(name));
    return strlen(part) >= PART_MIN && strstr(whole, part);
}

const char *text_nearest(const char *word, size_t length, const char *const *names,
                         size_t count)
{
    assert(names || count == 0);
    const char *nearest = NULL;
    bool is_nearest_part = false;
    int smallest = INT_MAX;

    for (size_t i = 0; i < count; i++) {
        const int distance = name_distance(word, length, names[i]);
        const bool is_one = distance < INT_MAX && is_part(word, length, names[i]);
        if (is_one > is_nearest_part || (is_one == is_nearest_part && distance < smallest)) {
            smallest = distance;
            nearest = names[i];
            is_nearest_part = is_one;
        }
    }
    return nearest;
}

/* Two neighbours that changed places are one slip, though two letters differ. */
static int typing_distance(char *word, const char *name)
{
    const size_t length = strlen(word);
    int least = name_distance(word, length, name);
    for (size_t i = 0; i + 1 < length; i++) {
        const char left = word[i], right = word[i + 1];
        word[i] = right;
        word[i + 1] = left;
        const int distance = name_distance(word, length, name) + EDIT_COST;
        least = distance < least ? distance : least;
        word[i] = left;
        word[i + 1] = right;
    }
    return least;
}

const char *text_similar(const char *word, size_t length, const char *const *names,
                         size_t count)
{
    const char *const nearest = text_nearest(word, length, names, count);
    char typed[NEAREST_MAX + 1], name[NEAREST_MAX + 1];
    if (!nearest || length < 2 || length > NEAREST_MAX)
        return NULL;
    if (strncasecmp(word, nearest, length) == 0 || is_part(word, length, nearest))
        return nearest;
    squeeze(typed, word, length);
    squeeze(name, nearest, strlen(nearest));
    const size_t letters = strlen(typed) > strlen(name) ? strlen(typed) : strlen(name);
    const bool is_like =
        *typed == *name && typing_distance(typed, name) <= EDIT_COST * (int)(letters / 3);
    return is_like ? nearest : NULL;
}

char *text_hint(char out[TEXT_HINT_CHARS], const char *word, const char *const *names,
                size_t count)
{
    const char *const similar = text_similar(word, strlen(word), names, count);
    *out = '\0';
    if (similar)
        snprintf(out, TEXT_HINT_CHARS, "did you mean '%.63s'? ", similar);
    return out;
}
