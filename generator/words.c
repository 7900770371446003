/* words: walks over CUDA C by words, past comments, strings and characters. */
#include "generator/words.h"

#include "generator/text.h"

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

/* One walk over the words, however many the names. */
void words_find(const char *code, const char *const *names, size_t count, bool *out)
{
    size_t length;
    memset(out, 0, count * sizeof *out);
    for (const char *word = code; (word = words_next(word, &length)); word += length)
        for (size_t i = 0; i < count; i++)
            if (!out[i] && names[i][0] == word[0] && words_is(names[i], word, length))
                out[i] = true;
}
