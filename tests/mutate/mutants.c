/* mutants: reads a line as tokens, as far as an operator needs it. Binary operators have a blank
 * at both sides, as the style of the templates has it, which tells them from pointers and signs. */
#include "tests/mutate/mutants.h"

#include "generator/random.h"
#include "generator/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Lines -------------------------------------------------------------------------------- */

const char *mutants_line(const char *text, size_t line, size_t *length)
{
    while (--line > 0)
        text += strcspn(text, "\n") + 1;
    *length = strcspn(text, "\n");
    return text;
}

static bool begins(const char *at, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* How much of the line is code: all but a comment at its end. */
static size_t code_length(const char *at, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (at[i] == '/' && (at[i + 1] == '/' || at[i + 1] == '*'))
            length = i;
    while (length > 0 && isspace((unsigned char)at[length - 1]))
        length--;
    return length;
}

static bool is_code(const char *at, size_t length)
{
    const size_t blanks = strspn(at, " \t"), code = code_length(at, length);
    return code > blanks && at[blanks] != '#' && at[blanks] != '*' && at[blanks] != '}' &&
           at[blanks] != '{' && !memchr(at, '"', code) &&
           !begins(at + blanks, code - blanks, "assert(");
}

bool mutants_is_code(const char *text, size_t line)
{
    size_t length;
    const char *at = mutants_line(text, line, &length);
    return is_code(at, length);
}

char *mutants_apply(const char *text, const struct mutant *mutant)
{
    size_t length;
    const char *at = mutants_line(text, mutant->line, &length);
    struct text out = {0};
    text_add(&out, text, (size_t)(at - text));
    text_adds(&out, mutant->changed);
    text_adds(&out, at + length);
    if (!out.at)
        abort();
    return out.at;
}

uint64_t mutants_hash(const char *text, const struct mutant *mutant)
{
    uint64_t state = 27;
    size_t length;
    const char *at = mutants_line(text, mutant->line, &length);
    for (size_t i = 0; i < length; i++)
        state = random_next(&state) ^ (unsigned char)at[i];
    for (at = mutant->changed; *at; at++)
        state = random_next(&state) ^ (unsigned char)*at;
    return random_next(&state);
}

/* --- Changes of one line ------------------------------------------------------------------ */

struct line {
    struct mutants *out;
    size_t number, length; /* of the code; what is behind it stays */
    const char *at;
    size_t all; /* with the comment */
};

/* Adds a mutant: `length` characters at `from` become `to`. */
static void add(const struct line *line, size_t from, size_t length, const char *kind,
                const char *to)
{
    struct mutants *out = line->out;
    struct text text = {0};
    text_add(&text, line->at, from);
    text_adds(&text, to);
    text_add(&text, line->at + from + length, line->all - from - length);
    out->list = realloc(out->list, (out->count + 1) * sizeof *out->list);
    if (!out->list || !text.at)
        abort();
    out->list[out->count++] = (struct mutant){line->number, kind, text.at};
}

/* Adds one whose new text has the old one inside: each of both parts may be empty. */
static void wrap(const struct line *line, size_t from, size_t length, const char *kind,
                 const char *before, const char *behind)
{
    struct text text = {0};
    text_adds(&text, before);
    text_add(&text, line->at + from, length);
    text_adds(&text, behind);
    add(line, from, length, kind, text.at);
    text_dispose(&text);
}

static bool has(const struct line *line, size_t at, const char *word)
{
    const size_t length = strlen(word);
    return at + length <= line->length && memcmp(line->at + at, word, length) == 0;
}

static const struct {
    const char *from, *to, *kind;
} swaps[] = {
    {" < ", " <= ", "comparison"},
    {" <= ", " < ", "comparison"},
    {" < ", " > ", "comparison"},
    {" > ", " >= ", "comparison"},
    {" >= ", " > ", "comparison"},
    {" > ", " < ", "comparison"},
    {" == ", " != ", "comparison"},
    {" != ", " == ", "comparison"},
    {" + ", " - ", "operator"},
    {" - ", " + ", "operator"},
    {" * ", " + ", "operator"},
    {" / ", " * ", "operator"},
    {" % ", " / ", "operator"},
    {" && ", " || ", "operator"},
    {" || ", " && ", "operator"},
    {" & ", " | ", "operator"},
    {" | ", " & ", "operator"},
    {" ^ ", " | ", "operator"},
    {" << ", " >> ", "operator"},
    {" >> ", " << ", "operator"},
    {" += ", " -= ", "operator"},
    {" -= ", " += ", "operator"},
    {" *= ", " /= ", "operator"},
    {" /= ", " *= ", "operator"},
    {" |= ", " &= ", "operator"},
    {" &= ", " |= ", "operator"},
    {"++)", " += 2)", "step"},
    {"(!", "(", "negation"},
    {"threadIdx.x", "(threadIdx.x ^ 1)", "thread"},
    {"threadIdx.x", "0", "thread"},
    {"blockIdx.x", "(blockIdx.x ^ 1)", "block"},
    {"blockIdx.x", "0", "block"},
    {"gridDim.x", "(gridDim.x + 1)", "grid"},
    {"gridDim.x", "1", "grid"},
    {"identity()", "(identity() + 1)", "identity"},
    {"_down_sync", "_up_sync", "shuffle"},
    {"_up_sync", "_down_sync", "shuffle"},
    {"break;", "continue;", "flow"},
    {"continue;", "break;", "flow"},
    {"true", "false", "constant"},
    {"false", "true", "constant"},
};

static void add_swaps(const struct line *line)
{
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++)
        for (size_t at = 0; at < line->length; at++)
            if (has(line, at, swaps[i].from))
                add(line, at, strlen(swaps[i].from), swaps[i].kind, swaps[i].to);
}

static void add_number(const struct line *line, size_t from, size_t length)
{
    char text[40];
    const unsigned long long value = strtoull(line->at + from, NULL, 0);
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)line->at[from + digits]))
        digits++;
    if (digits < length) /* 0x..., 0u, 1.5: as they are */
        return;
    snprintf(text, sizeof text, "%llu", value + 1);
    add(line, from, length, "constant", text);
    if (value > 0) {
        snprintf(text, sizeof text, "%llu", value - 1);
        add(line, from, length, "constant", text);
    }
}

static bool is_keyword(const char *at, size_t length)
{
    static const char *const words[] = {
        "const",    "int",    "unsigned", "long",   "accum",   "elem",
        "vec",      "bool",   "float",    "double", "return",  "if",
        "else",     "for",    "while",    "do",     "break",   "continue",
        "sizeof",   "static", "struct",   "union",  "typedef", "void",
        "char",     "short",  "true",     "false",  "signed",  "volatile",
        "uint64_t", "size_t", "uint32_t", "inline", "enum",    "NULL",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], at, length) == 0)
            return true;
    return false;
}

/* A name that is read: no type before a name, nothing that is called, assigned or declared. */
static void add_name(const struct line *line, size_t from, size_t length)
{
    const char before = from > 0 ? line->at[from - 1] : ' ';
    const char *behind = line->at + from + length, *end = line->at + line->length;
    if (is_keyword(line->at + from, length) || before == '.' || before == '>' ||
        behind >= end || !strchr("([ !*-~", before) || !strchr(")];, ", *behind))
        return;
    if (*behind == ' ' && behind + 2 < end &&
        (isalpha((unsigned char)behind[1]) || behind[1] == '_' || behind[1] == '*' ||
         (behind[1] == '=' && behind[2] == ' ')))
        return;
    bool is_upper = true;
    for (size_t i = 0; i < length; i++)
        is_upper = is_upper && !islower((unsigned char)line->at[from + i]);
    wrap(line, from, length, "operand", "(", " + 1)");
    wrap(line, from, length, "operand", "(", " - 1)");
    if (is_upper)
        wrap(line, from, length, "operand", "(", " / 2)");
}

static void add_words(const struct line *line)
{
    for (size_t at = 0; at < line->length;) {
        size_t length = 1;
        if (text_is_word(line->at[at])) {
            while (at + length < line->length && text_is_word(line->at[at + length]))
                length++;
            if (isdigit((unsigned char)line->at[at]))
                add_number(line, at, length);
            else
                add_name(line, at, length);
        }
        at += length;
    }
}

/* The parenthesis that closes the one at `open`; 0: not in this line. */
static size_t find_close(const struct line *line, size_t open)
{
    int depth = 0;
    for (size_t at = open; at < line->length; at++) {
        depth += line->at[at] == '(';
        depth -= line->at[at] == ')';
        if (depth == 0)
            return at;
    }
    return 0;
}

/* combine(a, b) becomes a, or b; so does every call of two arguments. */
static void add_arguments(const struct line *line)
{
    static const char *const calls[] = {"combine(", "fold(", "min(", "max(", "lower("};
    for (size_t at = 0; at < line->length; at++)
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            const size_t open = at + strlen(calls[i]) - 1;
            size_t close, comma;
            int depth = 0;
            if (!has(line, at, calls[i]) || (at > 0 && text_is_word(line->at[at - 1])) ||
                !(close = find_close(line, open)))
                continue;
            for (comma = open + 1; comma < close; comma++) {
                depth += line->at[comma] == '(';
                depth -= line->at[comma] == ')';
                if (depth == 0 && line->at[comma] == ',')
                    break;
            }
            if (comma == close)
                continue;
            char *first = strndup(line->at + open + 1, comma - open - 1);
            char *second = strndup(line->at + comma + 2, close - comma - 2);
            add(line, at, close + 1 - at, "call", first);
            add(line, at, close + 1 - at, "call", second);
            free(first);
            free(second);
        }
}

/* if (A) becomes if (!(A)), if (true), if (false). */
static void add_conditions(const struct line *line, size_t blanks)
{
    static const char *const heads[] = {"if (", "while (", "else if ("};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const size_t open = blanks + strlen(heads[i]) - 1;
        const size_t close = has(line, blanks, heads[i]) ? find_close(line, open) : 0;
        if (!close)
            continue;
        wrap(line, open + 1, close - open - 1, "condition", "!(", ")");
        add(line, open + 1, close - open - 1, "condition", "1");
        add(line, open + 1, close - open - 1, "condition", "0");
    }
}

/* Leaves the statement out; not a declaration, whose name would be missed. */
static void add_removal(const struct line *line, size_t blanks)
{
    int depth = 0;
    size_t word = blanks;
    for (size_t at = 0; at < line->length; at++)
        depth += (line->at[at] == '(') - (line->at[at] == ')');
    while (word < line->length && text_is_word(line->at[word]))
        word++;
    if (depth != 0 || line->at[line->length - 1] != ';' ||
        (is_keyword(line->at + blanks, word - blanks) && !has(line, blanks, "return;") &&
         !has(line, blanks, "break;") && !has(line, blanks, "continue;") &&
         !has(line, blanks, "if (")) ||
        has(line, blanks, "__shared__") || has(line, blanks, "extern "))
        return;
    if (word < line->length && line->at[word] == ' ' && text_is_word(line->at[word + 1]) &&
        !has(line, blanks, "if ("))
        return; /* a type of the template's own and a name */
    add(line, blanks, line->length - blanks,
        has(line, blanks, "__sync") || has(line, blanks, "barrier") ? "barrier" : "removal",
        ";");
}

void mutants_list(struct mutants *out, const char *text)
{
    size_t number = 0;
    *out = (struct mutants){0};
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const size_t all = strcspn(at, "\n"), blanks = strspn(at, " \t");
        const struct line line = {out, ++number, code_length(at, all), at, all};
        if (!is_code(at, all))
            continue;
        add_swaps(&line);
        add_words(&line);
        add_arguments(&line);
        add_conditions(&line, blanks);
        add_removal(&line, blanks);
    }
}

void mutants_dispose(struct mutants *mutants)
{
    for (size_t i = 0; i < mutants->count; i++)
        free(mutants->list[i].changed);
    free(mutants->list);
    *mutants = (struct mutants){0};
}
