/* words: walks over CUDA C by words, past comments, strings and characters. */
#include "generator/words.h"

#include "generator/text.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

const char *words_next(const char *at, size_t *length)
{
    while (*at) {
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (*at == '"' || *at == '\'') {
            const char quote = *at;
            for (at++; *at && *at != quote; at++)
                at += at[0] == '\\' && at[1];
            at += *at == quote;
        } else if (text_is_word(*at)) {
            *length = 1;
            while (text_is_word(at[*length]))
                ++*length;
            return at;
        } else {
            at++;
        }
    }
    return NULL;
}

bool words_is(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

bool words_has(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if (at > list && at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

/* Walks over the words once, however many names there are: names with the same first letter are
 * chained. */
void words_find(const char *code, const char *const *names, size_t count, bool *out)
{
    unsigned short first[UCHAR_MAX + 1] = {0}, next[WORDS_MOST]; /* from 1; 0: no more */
    size_t length;
    assert(count <= WORDS_MOST);
    memset(out, 0, count * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        const unsigned char letter = (unsigned char)names[i][0];
        next[i] = first[letter];
        first[letter] = (unsigned short)(i + 1);
    }
    for (const char *word = code; (word = words_next(word, &length)); word += length)
        for (size_t i = first[(unsigned char)*word]; i; i = next[i - 1])
            if (!out[i - 1] && words_is(names[i - 1], word, length))
                out[i - 1] = true;
}
