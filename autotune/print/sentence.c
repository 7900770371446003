/* sentence: breaks lines and writes numbers. */
#include "autotune/print/sentence.h"

#include "autotune/print/terminal.h"
#include "generator/number.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 110, LABEL = 10, INDENT = 2 };

void sentence_wrap(struct text *out, const char *words, size_t indent, size_t width)
{
    size_t column = indent;
    for (const char *word = words; *word;) {
        const size_t length = strcspn(word, " \n");
        if (column > indent && column + 1 + length > width) {
            text_addf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        text_addf(out, "%s%.*s", column > indent ? " " : "", (int)length, word);
        column += length + (column > indent);
        word += length + (word[length] != '\0');
    }
    text_adds(out, "\n");
}

/* Where the words of a line begin: behind its indent, and behind a label that two spaces, or those up to
 * the tenth column, part from them. */
static size_t find_indent(const char *line, size_t length, size_t width)
{
    size_t at = 0;
    while (at < length && line[at] == ' ')
        at++;
    const size_t indent = at;
    for (; at + 2 < length && at < width / 2; at++)
        if (line[at] == ' ' && (line[at + 1] == ' ' || at + 1 == LABEL)) {
            while (at < length && line[at] == ' ')
                at++;
            return at < width / 2 ? at : indent;
        }
    return indent < width / 2 ? indent : 0;
}

/* As terminal_columns, of so many bytes, without what steers colours. */
static size_t columns_of(const char *bytes, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '\033')
            while (i < length && bytes[i] != 'm')
                i++;
        else
            columns += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    return columns;
}

static void fold_line(struct text *out, const char *line, size_t length, size_t width)
{
    const size_t indent = find_indent(line, length, width);
    size_t column = indent, at = indent;
    text_add(out, line, indent);
    while (at < length) {
        size_t gap = 0, end;
        while (at + gap < length && line[at + gap] == ' ')
            gap++;
        for (end = at + gap; end < length && line[end] != ' ';)
            end++;
        const size_t columns = columns_of(line + at + gap, end - at - gap);
        if (column > indent && column + gap + columns > width) {
            text_addf(out, "\n%*s", (int)indent, "");
            column = indent;
            at += gap;
            gap = 0;
        }
        text_add(out, line + at, end - at);
        column += gap + columns;
        at = end;
    }
}

void sentence_fold(struct text *out, const char *lines, size_t width)
{
    while (*lines) {
        const size_t length = strcspn(lines, "\n"), whole = length + (lines[length] == '\n');
        if (columns_of(lines, length) <= width)
            text_add(out, lines, length);
        else
            fold_line(out, lines, length, width);
        text_add(out, lines + length, whole - length);
        lines += whole;
    }
}

size_t sentence_width(void)
{
    return (size_t)terminal_output_room(WIDTH);
}

void sentence_fit(struct text *out, struct text *words)
{
    sentence_wrap(out, words->at ? words->at : "", INDENT, (size_t)terminal_output_width());
    out->failed |= words->failed;
    text_dispose(words);
}

void sentence_end(struct text *out, const char *label, struct text *sentence)
{
    text_addf(out, "%-*s", LABEL, label);
    sentence_wrap(out, sentence->at ? sentence->at : "", LABEL, sentence_width());
    out->failed |= sentence->failed;
    text_dispose(sentence);
}

void sentence_add_n(struct text *out, uint64_t n)
{
    char number[NUMBER_CHARS];
    text_adds(out, number_format_count(number, n));
}

void sentence_add_about(struct text *out, uint64_t n)
{
    uint64_t unit = 1;
    while (n / unit >= 1000)
        unit *= 10;
    sentence_add_n(out, (n + unit - 1) / unit * unit);
}

void sentence_add_fixed(struct text *out, double value, int digits)
{
    char number[NUMBER_CHARS];
    const double scaled = round(fabs(value) * pow(10, digits));
    text_adds(out, value < 0 && scaled > 0 ? "-" : "");
    text_adds(out, number_format_fixed(number, (uint64_t)scaled, digits));
}

void sentence_extend(struct sentence_range *range, double value)
{
    range->low = range->count ? fmin(range->low, value) : value;
    range->high = range->count ? fmax(range->high, value) : value;
    range->count++;
}

void sentence_add_range(struct text *out, const struct sentence_range *range, int digits)
{
    struct text high = {0};
    const size_t low = out->length;
    sentence_add_fixed(out, range->low, digits);
    sentence_add_fixed(&high, range->high, digits);
    if (!out->failed && high.at && strcmp(out->at + low, high.at) != 0)
        text_addf(out, " to %s", high.at);
    text_dispose(&high);
}

void sentence_add_longer(struct text *out, const struct sentence_range *range, int digits)
{
    const struct sentence_range less = {-range->high, -range->low, range->count};
    if (range->low < 0 && range->high > 0) {
        text_adds(out, "from ");
        sentence_add_fixed(out, -range->low, digits);
        text_adds(out, " % less to ");
        sentence_add_fixed(out, range->high, digits);
    } else {
        sentence_add_range(out, range->low < 0 ? &less : range, digits);
    }
    text_adds(out, range->low < 0 && range->high <= 0 ? " % less" : " % longer");
}

void sentence_add_sizes(struct text *out, const struct sentence_range *sizes)
{
    sentence_add_n(out, (uint64_t)sizes->low);
    if (sizes->high <= sizes->low)
        return;
    text_adds(out, " to ");
    sentence_add_n(out, (uint64_t)sizes->high);
}
