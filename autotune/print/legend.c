/* legend: splits lists of params into words and compares them. A list of params is NAME=VALUE
 * throughout. */
#include "autotune/print/legend.h"

#include <stdio.h>
#include <string.h>

size_t legend_add(struct legend *legend, const char *kernel)
{
    size_t place = 0;
    while (place < legend->count && strcmp(legend->kernels[place], kernel) != 0)
        place++;
    if (place == legend->count)
        legend->kernels[legend->count++] = kernel;
    return place;
}

char *legend_name(char out[NUMBER_CHARS], size_t place)
{
    if (place < 26)
        snprintf(out, NUMBER_CHARS, "%c", (char)('A' + (int)place));
    else
        snprintf(out, NUMBER_CHARS, "%zu", place + 1);
    return out;
}

static const char *next_word(const char *word)
{
    const size_t length = strcspn(word, " ");
    return word + length + (word[length] != '\0');
}

static bool is_params(const char *kernel)
{
    for (const char *word = kernel; *word; word = next_word(word))
        if (!memchr(word, '=', strcspn(word, " ")))
            return false;
    return true;
}

static bool has_word(const char *params, const char *word, size_t length)
{
    for (const char *at = params; *at; at = next_word(at))
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
            return true;
    return false;
}

/* A single list shares nothing: all its words are shown. */
static bool is_in_all(const struct legend *legend, const char *word, size_t length)
{
    size_t lists = 0;
    for (size_t i = 0; i < legend->count; i++) {
        if (!is_params(legend->kernels[i]))
            continue;
        if (!has_word(legend->kernels[i], word, length))
            return false;
        lists++;
    }
    return lists > 1;
}

void legend_add_words(struct text *out, const struct legend *legend, const char *kernel,
                      bool is_shared)
{
    const size_t before = out->length;
    if (!is_params(kernel)) {
        text_adds(out, is_shared ? "" : kernel);
        return;
    }
    for (const char *word = kernel; *word; word = next_word(word)) {
        const size_t length = strcspn(word, " ");
        if (is_in_all(legend, word, length) == is_shared)
            text_addf(out, "%s%.*s", out->length > before ? " " : "", (int)length, word);
    }
}
