/* highlight: splits source into comments, strings, words and the rest; knows no more of C. */
#include "autotune/report/highlight.h"

#include "autotune/report/markup.h"

#include <string.h>

static const char *const keywords[] = {
    "__device__",   "__forceinline__",
    "__global__",   "__launch_bounds__",
    "__restrict__", "__shared__",
    "__align__",    "asm",
    "bool",         "break",
    "char",         "const",
    "constexpr",    "continue",
    "double",       "else",
    "enum",         "extern",
    "false",        "float",
    "for",          "if",
    "inline",       "int",
    "long",         "return",
    "short",        "signed",
    "sizeof",       "static",
    "struct",       "true",
    "typedef",      "union",
    "unsigned",     "using",
    "void",         "volatile",
    "while",
};

static bool is_keyword(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i]) == length && strncmp(keywords[i], word, length) == 0)
            return true;
    return false;
}

static const struct highlight_word *find_word(const struct highlight_word *words, size_t count,
                                              const char *word, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i].name) == length && strncmp(words[i].name, word, length) == 0)
            return &words[i];
    return NULL;
}

/* Bytes of the comment or the string that begins at `s`; 0 = none does. */
static size_t comment_length(const char *s)
{
    const char *end = NULL;
    if (s[0] == '/' && s[1] == '/')
        return strcspn(s, "\n");
    if (s[0] == '/' && s[1] == '*')
        return (end = strstr(s + 2, "*/")) ? (size_t)(end + 2 - s) : strlen(s);
    return 0;
}

static size_t string_length(const char *s)
{
    size_t length = 1;
    if (*s != '"' && *s != '\'')
        return 0;
    while (s[length] && s[length] != *s && s[length] != '\n')
        length += s[length] == '\\' && s[length + 1] ? 2 : 1;
    return length + (s[length] == *s);
}

static size_t word_length(const char *s)
{
    size_t length = 0;
    while (text_is_word(s[length]))
        length++;
    return length;
}

static void add_piece(struct text *out, const char *tag, const char *at, size_t length)
{
    text_addf(out, "<%s>", tag);
    markup_bytes(out, at, length);
    text_addf(out, "</%s>", tag);
}

static void add_word(struct text *out, const char *at, size_t length,
                     const struct highlight_word *words, size_t count)
{
    const struct highlight_word *word = find_word(words, count, at, length);
    if (word) {
        text_adds(out, "<mark title=\"");
        markup_text(out, word->meaning);
        text_adds(out, "\">");
        markup_bytes(out, at, length);
        text_adds(out, "</mark>");
    } else if (is_keyword(at, length)) {
        add_piece(out, "b", at, length);
    } else {
        markup_bytes(out, at, length);
    }
}

void highlight_html(struct text *out, const char *source, const struct highlight_word *words,
                    size_t count)
{
    for (const char *at = source; *at;) {
        const size_t comment = comment_length(at), string = string_length(at);
        const size_t word = word_length(at);
        if (comment)
            add_piece(out, "i", at, comment);
        else if (word)
            add_word(out, at, word, words, count);
        else
            markup_bytes(out, at, string ? string : 1);
        at += comment ? comment : word ? word : string ? string : 1;
    }
}
