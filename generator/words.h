/* words: finds which names a piece of CUDA C mentions, outside comments and strings. */
#ifndef AUTOTUNE_WORDS_H
#define AUTOTUNE_WORDS_H

#include <stdbool.h>
#include <stddef.h> /* size_t */

/* The next word at or after `at`, of `length` characters; NULL at the end. */
const char *words_next(const char *at, size_t *length);

/* Is `name` the word of this length? */
bool words_is(const char *name, const char *word, size_t length);

/* Is the word one of a list that has a blank before and behind each word? */
bool words_has(const char *list, const char *word);

enum { WORDS_MOST = 1024 };

/* For each of the names, WORDS_MOST at most: is it mentioned? */
void words_find(const char *code, const char *const *names, size_t count, bool *out);

#endif
