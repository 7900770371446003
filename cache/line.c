/* line: converts a trial to a line and back. One table holds every column: its name, its form
 * and its place in the struct; writing and reading walk that table. Hides the escapes, the
 * forms of numbers and the buffer that lines are read through. */
#include "cache/line.h"

#include "cache/field.h"
#include "generator/number.h"

#include <xxhash.h>

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum form { HASH, WORDS, STATUS, COUNT, UNSIGNED, TIMES, REAL };

struct column {
    const char *name;
    enum form form;
    size_t offset, bytes; /* of the member */
};

static const struct journal_trial none;

static const struct column columns[] = {
    {"identity", HASH, offsetof(struct journal_trial, identity), 0},
    {"variant", HASH, offsetof(struct journal_trial, variant), 0},
    {"status", STATUS, 0, 0},
    {"params", WORDS, offsetof(struct journal_trial, params), sizeof none.params},
    {"times_ps", TIMES, 0, 0},
    {"reference_ps", COUNT, offsetof(struct journal_trial, trial.reference_ps), 0},
    {"registers", UNSIGNED, offsetof(struct journal_trial, trial.registers), 0},
    {"grid", UNSIGNED, offsetof(struct journal_trial, trial.grid), 0},
    {"block", UNSIGNED, offsetof(struct journal_trial, trial.block), 0},
    {"prior", REAL, offsetof(struct journal_trial, prior), 0},
    {"compile_us", COUNT, offsetof(struct journal_trial, trial.compile_us), 0},
    {"prove_us", COUNT, offsetof(struct journal_trial, trial.prove_us), 0},
    {"measure_us", COUNT, offsetof(struct journal_trial, trial.measure_us), 0},
    {"reason", WORDS, offsetof(struct journal_trial, trial.reason), sizeof none.trial.reason},
};
enum { COLUMNS = sizeof columns / sizeof *columns };
_Static_assert(3 * (sizeof none.params + sizeof none.trial.reason) +
                       (size_t)21 * (COLUMNS + TRIAL_SAMPLES) <
                   LINE_MAX_BYTES,
               "every trial fits a line: three bytes an escape, 20 digits a number");

/* --- Writing ----------------------------------------------------------------------------- */

/* What would end a column or a line, and what a terminal might obey, is written as \xx. */
static void emit_words(struct text *out, const char *words, size_t bytes)
{
    size_t length = strnlen(words, bytes - 1);

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)words[i];
        if (byte < ' ' || byte == 0x7f || byte == '\\')
            text_addf(out, "\\%02x", byte);
        else
            text_add(out, &words[i], 1);
    }
}

static void emit_times(struct text *out, const struct trial *trial)
{
    for (size_t i = 0; i < trial->time_count && i < TRIAL_SAMPLES; i++)
        text_addf(out, "%s%llu", i ? "," : "", (unsigned long long)trial->times_ps[i]);
}

static void emit_column(struct text *out, const struct column *column,
                        const struct journal_trial *trial)
{
    const void *at = (const char *)trial + column->offset;

    switch (column->form) {
    case HASH: text_addf(out, "%016llx", (unsigned long long)*(const uint64_t *)at); break;
    case WORDS: emit_words(out, at, column->bytes); break;
    case STATUS: text_adds(out, trial_statuses[trial->trial.status]); break;
    case COUNT: text_addf(out, "%llu", (unsigned long long)*(const uint64_t *)at); break;
    case UNSIGNED: text_addf(out, "%u", *(const unsigned *)at); break;
    case TIMES: emit_times(out, &trial->trial); break;
    case REAL: text_addf(out, "%.17g", *(const double *)at); break;
    }
}

void line_emit(struct text *out, const struct journal_trial *trial)
{
    size_t start = out->length;

    for (size_t i = 0; i < COLUMNS; i++) {
        emit_column(out, &columns[i], trial);
        if (i + 1 < COLUMNS)
            text_adds(out, "\t");
    }
    if (out->failed)
        return;
    text_addf(out, "\t%016llx\n",
              (unsigned long long)XXH3_64bits(out->at + start, out->length - start));
}

void line_emit_names(struct text *out)
{
    for (size_t i = 0; i < COLUMNS; i++)
        text_addf(out, " %s", columns[i].name);
    text_adds(out, " checksum");
}

/* --- Reading a trial --------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte after a '\'; 0 when there is none. */
static char unescape(const char *at)
{
    int high = hex_digit(at[0]), low = high < 0 ? -1 : hex_digit(at[1]);

    return low < 0 ? '\0' : (char)(high * 16 + low);
}

static bool read_words(char *out, size_t bytes, const char *value)
{
    size_t length = 0;

    for (; *value; value++) {
        char byte = *value;
        if (byte == '\\') {
            byte = unescape(value + 1);
            value += 2;
        }
        if (!byte || length + 1 >= bytes)
            return false;
        out[length++] = byte;
    }
    out[length] = '\0';
    return true;
}

static bool read_count(uint64_t *out, const char *value)
{
    struct error ignored;
    return number_parse_count(out, value, "", &ignored) == 0;
}

static bool read_unsigned(unsigned *out, const char *value)
{
    uint64_t count;

    if (!read_count(&count, value) || count > UINT_MAX)
        return false;
    *out = (unsigned)count;
    return true;
}

static bool read_times(struct trial *out, char *value)
{
    const char *one;

    if (!*value)
        return true;
    while ((one = strsep(&value, ",")) != NULL) {
        if (out->time_count == TRIAL_SAMPLES ||
            !read_count(&out->times_ps[out->time_count], one))
            return false;
        out->time_count++;
    }
    return true;
}

static bool read_real(double *out, const char *value)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* in which 0.5 is "0.5" */
    char *end;

    if (c_locale == (locale_t)0)
        return false;
    *out = strtod_l(value, &end, c_locale);
    freelocale(c_locale);
    return *value > ' ' && end != value && !*end; /* strtod would pass over blanks */
}

static bool read_column(const struct column *column, struct journal_trial *out, char *value)
{
    void *at = (char *)out + column->offset;

    switch (column->form) {
    case HASH: return field_parse_hash(at, value);
    case WORDS: return read_words(at, column->bytes, value);
    case STATUS: out->trial.status = trial_find_status(value); return true;
    case COUNT: return read_count(at, value);
    case UNSIGNED: return read_unsigned(at, value);
    case TIMES: return read_times(&out->trial, value);
    case REAL: return read_real(at, value);
    }
    return false;
}

bool line_parse(struct journal_trial *out, char *line, size_t length)
{
    char *checksum = length <= LINE_MAX_BYTES ? memrchr(line, '\t', length) : NULL;
    uint64_t expected;

    if (!checksum || memchr(line, '\0', length) || !field_parse_hash(&expected, checksum + 1) ||
        expected != XXH3_64bits(line, (size_t)(checksum - line)))
        return false;
    *checksum = '\0';
    *out = none;
    for (size_t i = 0; i < COLUMNS; i++) {
        char *value = strsep(&line, "\t");
        if (!value || !read_column(&columns[i], out, value))
            return false;
    }
    return line == NULL;
}

/* --- Reading lines ----------------------------------------------------------------------- */

/* Brings more of a line that has no end yet; false when there is no more. */
static bool refill(struct line_reader *reader)
{
    size_t held = reader->last - reader->first;
    ssize_t got;

    if (held > LINE_MAX_BYTES + 1)
        held = LINE_MAX_BYTES + 1; /* no trial is so long: its start is enough to say so */
    memmove(reader->at, reader->at + reader->first, held);
    reader->first = 0;
    reader->last = held;
    do {
        got = read(reader->file, reader->at + held, LINE_BUFFER - held);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        reader->cause = errno;
    if (got > 0)
        reader->last += (size_t)got;
    return got > 0;
}

char *line_next(struct line_reader *reader, size_t *length)
{
    char *end;

    do {
        end = memchr(reader->at + reader->first, '\n', reader->last - reader->first);
    } while (!end && refill(reader));
    if (reader->cause || (!end && reader->first == reader->last))
        return NULL;
    reader->is_torn = !end;
    if (!end)
        end = reader->at + reader->last;
    char *line = reader->at + reader->first;
    *length = (size_t)(end - line);
    *end = '\0';
    reader->first += *length + (reader->is_torn ? 0 : 1);
    return line;
}

/* The file was opened, so it is not the folder's fault. */
int line_check(const struct line_reader *reader, const char *path, struct error *error)
{
    return reader->cause
               ? error_set(error, ERROR_IO, "cannot read %s: %s; check the disk it is on", path,
                           strerror(reader->cause))
               : 0;
}
