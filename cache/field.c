/* field: converts values to text and back, strictly: it reads only what it would have written.
 * One table of forms serves reading, writing and comparing. The sets of characters are narrow:
 * no value can hold a quote, a slash, a semicolon or anything else with a special meaning,
 * neither in the file nor where it is shown later (a comment of an emitted kernel, a path,
 * JSON). */
#include "cache/field.h"

#include "cache/record.h"
#include "generator/dims_text.h"
#include "generator/number.h"
#include "generator/problem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

enum { HASH_DIGITS = 16 };

/* Choices have `name_at`, texts `allowed`. */
struct form {
    const char *describe;
    bool (*read)(const struct field *field, void *at, const char *value);
    void (*write)(const struct field *field, const void *at, struct text *out);
    size_t bytes;                   /* of a member that is no text */
    const char *(*name_at)(size_t); /* the i-th choice's name, NULL past the last */
    const char *allowed;            /* characters */
    bool (*shape)(const char *);    /* what else a text that is not empty must be, or NULL */
    bool (*is_none)(const void *);  /* is it left out? NULL: it never is */
};

static const struct form forms[FIELD_FORMS];

/* --- Choices --------------------------------------------------------------------------- */

static const char *type_at(size_t i)
{
    return i < TYPE_COUNT ? problem_types[i].name : NULL;
}

static const char *regime_at(size_t i)
{
    return i < REGIME_COUNT ? problem_regimes[i] : NULL;
}

static const char *order_at(size_t i)
{
    return i < ORDER_COUNT ? problem_orders[i].name : NULL;
}

static const char *scan_at(size_t i)
{
    return i < DIMS_SCANS ? dims_text_scans[i] : NULL;
}

static const char *lengths_at(size_t i)
{
    return i < LENGTHS_COUNT ? problem_lengths[i] : NULL;
}

static const char *lie_at(size_t i)
{
    return i < LIES_APART ? problem_lies[i] : NULL;
}

static const char *source_at(size_t i)
{
    return i < RECORD_SOURCES ? record_sources[i] : NULL;
}

static bool read_choice(const struct field *field, void *at, const char *value)
{
    const char *name;
    unsigned i = (unsigned)field->low;
    for (; (name = forms[field->form].name_at(i)) != NULL; i++) {
        if (strcmp(value, name) == 0) {
            memcpy(at, &i, sizeof i);
            return true;
        }
    }
    return false;
}

static void write_choice(const struct field *field, const void *at, struct text *out)
{
    unsigned i;
    memcpy(&i, at, sizeof i);
    const char *name = forms[field->form].name_at(i);
    if (name)
        text_adds(out, name);
}

static bool read_operation(const struct field *field, void *at, const char *value)
{
    struct error ignored;
    (void)field;
    return operation_find_key(at, value, &ignored) == 0;
}

static void write_operation(const struct field *field, const void *at, struct text *out)
{
    const struct operation *op = *(const struct operation *const *)at;
    (void)field;
    text_adds(out, op->key);
}

/* --- Numbers --------------------------------------------------------------------------- */

static bool read_from(const struct field *field, int64_t low, int64_t *out, const char *value)
{
    struct error ignored;
    return number_parse_int(out, value, field->name, &ignored) == 0 && *out >= low &&
           *out <= field->high;
}

static bool read_in_range(const struct field *field, int64_t *out, const char *value)
{
    return read_from(field, field->low, out, value);
}

static bool read_int(const struct field *field, void *at, const char *value)
{
    int64_t number;
    if (!read_in_range(field, &number, value))
        return false;
    *(int *)at = (int)number;
    return true;
}

static void write_int(const struct field *field, const void *at, struct text *out)
{
    (void)field;
    text_addf(out, "%d", *(const int *)at);
}

static bool read_count(const struct field *field, void *at, const char *value)
{
    int64_t number;
    if (!read_in_range(field, &number, value))
        return false;
    *(uint64_t *)at = (uint64_t)number;
    return true;
}

static void write_count(const struct field *field, const void *at, struct text *out)
{
    (void)field;
    text_addf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
}

bool field_parse_hash(uint64_t *out, const char *value)
{
    static const char hex[] = "0123456789abcdef";
    if (strlen(value) != HASH_DIGITS)
        return false;
    *out = 0;
    for (; *value; value++) {
        const char *digit = strchr(hex, *value);
        if (!digit)
            return false;
        *out = *out * 16 + (uint64_t)(digit - hex);
    }
    return true;
}

static bool read_hash(const struct field *field, void *at, const char *value)
{
    (void)field;
    return field_parse_hash(at, value);
}

static void write_hash(const struct field *field, const void *at, struct text *out)
{
    (void)field;
    text_addf(out, "%016llx", (unsigned long long)*(const uint64_t *)at);
}

/* --- An axis ---------------------------------------------------------------------------- */

static const char stride_word[] = " stride ";

static bool read_dim(const struct field *field, void *at, const char *value)
{
    struct dim *dim = at;
    char count[NUMBER_CHARS];
    int64_t n, stride = 1;
    const char *word = strstr(value, stride_word);
    const size_t length = word ? (size_t)(word - value) : strlen(value);
    if (length >= sizeof count)
        return false;
    snprintf(count, sizeof count, "%.*s", (int)length, value);
    if (!read_in_range(field, &n, count) ||
        (word && !read_from(field, 0, &stride, word + sizeof stride_word - 1)))
        return false;
    *dim = (struct dim){(uint64_t)n, (uint64_t)stride};
    return true;
}

static void write_dim(const struct field *field, const void *at, struct text *out)
{
    const struct dim *dim = at;
    (void)field;
    text_addf(out, "%llu", (unsigned long long)dim->n);
    if (dim->stride != 1)
        text_addf(out, "%s%llu", stride_word, (unsigned long long)dim->stride);
}

/* --- Texts ----------------------------------------------------------------------------- */

static bool read_text(const struct field *field, void *at, const char *value)
{
    const struct form *form = &forms[field->form];
    size_t length = strlen(value);
    if (length < (size_t)field->low || length > (size_t)field->high)
        return false;
    if (strspn(value, form->allowed) != length)
        return false;
    if (length && (value[0] == ' ' || value[length - 1] == ' '))
        return false;
    if (length && form->shape && !form->shape(value))
        return false;
    memcpy(at, value, length + 1);
    return true;
}

/* The text as a file holds it: other characters become '_', spaces at the ends go. */
static void clean_text(const struct field *field, char out[FIELD_CHARS], const char *text)
{
    size_t length = strnlen(text, (size_t)field->high);
    while (length && text[0] == ' ')
        text++, length--;
    while (length && text[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < length; i++) {
        out[i] = text[i];
        if (!strchr(forms[field->form].allowed, text[i]))
            out[i] = '_';
    }
    out[length] = 0;
}

static void write_text(const struct field *field, const void *at, struct text *out)
{
    char clean[FIELD_CHARS];
    clean_text(field, clean, at);
    text_adds(out, clean);
}

/* The end of the NAME (or VALUE) that starts here, or NULL when none does. */
static const char *skip_name(const char *at)
{
    if (!*at || !strchr(CAPITALS, *at))
        return NULL;
    return at + strspn(at, CAPITALS DIGITS "_");
}

static const char *skip_value(const char *at)
{
    char number[NUMBER_CHARS];
    size_t length = strspn(at, "-" DIGITS);
    struct error ignored;
    int64_t unused;
    if (length == 0)
        return skip_name(at);
    if (length >= sizeof number)
        return NULL;
    snprintf(number, sizeof number, "%.*s", (int)length, at);
    return number_parse_int(&unused, number, "a param", &ignored) == 0 ? at + length : NULL;
}

static bool is_params(const char *at)
{
    for (;;) {
        at = skip_name(at);
        if (!at || *at != '=')
            return false;
        at = skip_value(at + 1);
        if (!at)
            return false;
        if (!*at)
            return true;
        if (*at++ != ' ')
            return false;
    }
}

static bool skip_digits(const char **at)
{
    size_t length = strspn(*at, DIGITS);
    *at += length;
    return length > 0;
}

static bool is_decimal(const char *at)
{
    if (!skip_digits(&at))
        return false;
    if (*at == '.') {
        at++;
        if (!skip_digits(&at))
            return false;
    }
    if (*at == 'e') {
        at++;
        if (*at == '+' || *at == '-')
            at++;
        if (!skip_digits(&at))
            return false;
    }
    return !*at;
}

static int two_digits(const char *at)
{
    return (at[0] - '0') * 10 + (at[1] - '0');
}

static bool is_utc(const char *at)
{
    static const char pattern[] = "dddd-dd-ddTdd:dd:ddZ";
    if (strlen(at) != sizeof pattern - 1)
        return false;
    for (size_t i = 0; pattern[i]; i++) {
        bool is_digit = at[i] >= '0' && at[i] <= '9';
        if (pattern[i] == 'd' ? !is_digit : at[i] != pattern[i])
            return false;
    }
    int month = two_digits(at + 5), day = two_digits(at + 8);
    return month >= 1 && month <= 12 && day >= 1 && day <= 31 && two_digits(at + 11) <= 23 &&
           two_digits(at + 14) <= 59 && two_digits(at + 17) <= 60;
}

/* --- What is left out ------------------------------------------------------------------ */

_Static_assert(ORDER_FREE == 0 && DIMS_ALL == 0 && I8 == 0 && LENGTHS_ANY == 0 &&
                   LIES_ALIKE == 0,
               "the first choice is left out");

static bool is_first(const void *at)
{
    return *(const unsigned *)at == 0;
}

static bool is_zero(const void *at)
{
    return *(const uint64_t *)at == 0;
}

static bool is_empty(const void *at)
{
    return *(const char *)at == '\0';
}

static bool is_one(const void *at)
{
    const struct dim *dim = at;
    return dim->n == 1 && dim->stride == 1;
}

/* --- Forms ----------------------------------------------------------------------------- */

_Static_assert(sizeof(enum type) == sizeof(unsigned) &&
                   sizeof(enum regime) == sizeof(unsigned) &&
                   sizeof(enum order) == sizeof(unsigned) &&
                   sizeof(enum dims_scan) == sizeof(unsigned) &&
                   sizeof(enum lengths) == sizeof(unsigned) &&
                   sizeof(enum problem_lie) == sizeof(unsigned) &&
                   sizeof(enum record_source) == sizeof(unsigned),
               "choices are copied as unsigned");
enum { CHOICE = sizeof(unsigned), WORD = sizeof(uint64_t) };

static const struct form forms[FIELD_FORMS] = {
    [FIELD_OP] = {"an operation", read_operation, write_operation,
                  .bytes = sizeof(const struct operation *)},
    [FIELD_TYPE] = {"a type", read_choice, write_choice, CHOICE, .name_at = type_at},
    [FIELD_REGIME] = {"cold, warm, pinned or pageable", read_choice, write_choice, CHOICE,
                      .name_at = regime_at},
    [FIELD_ORDER] = {"run, n or any", read_choice, write_choice, CHOICE, .name_at = order_at,
                     .is_none = is_first},
    [FIELD_SCAN] = {"inclusive or exclusive", read_choice, write_choice, CHOICE,
                    .name_at = scan_at, .is_none = is_first},
    [FIELD_OFFSETS] = {"i32, u32, i64 or u64", read_choice, write_choice, CHOICE,
                       .name_at = type_at, .is_none = is_first},
    [FIELD_LENGTHS] = {"equal, uniform or skewed", read_choice, write_choice, CHOICE,
                       .name_at = lengths_at, .is_none = is_first},
    [FIELD_LIE] = {"result, element or one", read_choice, write_choice, CHOICE,
                   .name_at = lie_at, .is_none = is_first},
    [FIELD_SOURCE] = {"measured, emulated or published", read_choice, write_choice, CHOICE,
                      .name_at = source_at},
    [FIELD_DIM] = {"a count, or a count and a stride such as 4096 stride 1000", read_dim,
                   write_dim, .bytes = sizeof(struct dim)},
    [FIELD_KEPT] = {"a count, or a count and a stride such as 4096 stride 1000", read_dim,
                    write_dim, .bytes = sizeof(struct dim), .is_none = is_one},
    [FIELD_INT] = {"an integer in range", read_int, write_int, .bytes = sizeof(int)},
    [FIELD_COUNT] = {"an integer in range", read_count, write_count, .bytes = WORD},
    [FIELD_HASH] = {"16 digits of 0-9 a-f", read_hash, write_hash, .bytes = WORD},
    [FIELD_NAME] = {"letters, digits, '_' and '-'", read_text, write_text,
                    .allowed = LETTERS CAPITALS DIGITS "_-"},
    [FIELD_LABEL] = {"letters, digits, spaces and . _ ( ) + , : ~ @ -", read_text, write_text,
                     .allowed = LETTERS CAPITALS DIGITS " ._()+,:~@-"},
    [FIELD_ANY_LABEL] = {"letters, digits, spaces and . _ ( ) + , : ~ @ -", read_text,
                         write_text, .allowed = LETTERS CAPITALS DIGITS " ._()+,:~@-",
                         .is_none = is_empty},
    [FIELD_PARAMS] = {"NAME=VALUE words", read_text, write_text,
                      .allowed = CAPITALS DIGITS "_=- ", .shape = is_params},
    [FIELD_DECIMAL] = {"a number such as 3.1e-08, or nothing", read_text, write_text,
                       .allowed = DIGITS ".e+-", .shape = is_decimal},
    [FIELD_UTC] = {"a time such as 2026-11-21T01:25:00Z", read_text, write_text,
                   .allowed = DIGITS "TZ:-", .shape = is_utc},
    [FIELD_ANY_UTC] = {"a time such as 2026-11-21T01:25:00Z", read_text, write_text,
                       .allowed = DIGITS "TZ:-", .shape = is_utc, .is_none = is_empty},
    [FIELD_GIVEN] = {"words such as delta=0.5", read_text, write_text,
                     .allowed = LETTERS DIGITS "_=.+- ", .is_none = is_empty},
    [FIELD_ANY] = {"an integer in range", read_count, write_count, .bytes = WORD,
                   .is_none = is_zero},
};

bool field_read(const struct field *field, void *record, const char *value)
{
    assert(field->form < FIELD_FORMS);
    return forms[field->form].read(field, (char *)record + field->offset, value);
}

void field_write(const struct field *field, const void *record, struct text *out)
{
    assert(field->form < FIELD_FORMS);
    forms[field->form].write(field, (const char *)record + field->offset, out);
}

bool field_stands(const struct field *field, const void *record)
{
    bool (*is_none)(const void *) = forms[field->form].is_none;
    return !is_none || !is_none((const char *)record + field->offset);
}

bool field_may_lack(enum field_form form)
{
    return forms[form].is_none != NULL;
}

bool field_is_same(const struct field *field, const void *a, const void *b)
{
    assert(field->form < FIELD_FORMS);
    const char *at_a = (const char *)a + field->offset, *at_b = (const char *)b + field->offset;
    char clean_a[FIELD_CHARS], clean_b[FIELD_CHARS];
    if (!forms[field->form].allowed)
        return memcmp(at_a, at_b, forms[field->form].bytes) == 0;
    if (strncmp(at_a, at_b, (size_t)field->high) == 0)
        return true;
    clean_text(field, clean_a, at_a);
    clean_text(field, clean_b, at_b);
    return strcmp(clean_a, clean_b) == 0;
}

const char *field_describe(enum field_form form)
{
    assert(form < FIELD_FORMS);
    return forms[form].describe;
}
