/* text: builds a growing string whose failure is sticky (append freely, check once), and reads
 * whole files. Always zero-terminated once something was added. Locale plays no part. */
#ifndef AUTOTUNE_TEXT_H
#define AUTOTUNE_TEXT_H

#include "generator/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h> /* size_t */

struct text {
    char *at;      /* the bytes, zero-terminated; NULL while empty */
    size_t length; /* without the terminator */
    size_t capacity;
    bool failed; /* an allocation failed; every later call is a no-op */
};

/* Initialise with `struct text t = {0};`. */
void text_dispose(struct text *text);
void text_clear(struct text *text); /* keeps the memory */

void text_add(struct text *text, const char *bytes, size_t length);
void text_adds(struct text *text, const char *string);
void text_addf(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* 0, or -1 with an out-of-memory error when anything failed before. */
int text_check(const struct text *text, struct error *error);

/* Appends the file at `path`, which must be a regular file of at most `limit` bytes. */
int text_read(struct text *text, const char *path, size_t limit, struct error *error);

/* Refuse what editors and other systems make of a text file, before anything is read of it:
 * a byte-order mark, UTF-16, a NUL byte; and _lines a carriage return too, where line ends
 * are Unix's alone. ERROR_USAGE, "FILE:LINE: what; what to do". One of them is for each file
 * that is read as text. */
int text_check_encoding(const char *file, const char *bytes, size_t length,
                        struct error *error);
int text_check_lines(const char *file, const char *bytes, size_t length, struct error *error);

/* Appends `string` with its control characters (C0, DEL, and C1 in UTF-8), and bytes that are not
 * UTF-8, as '?': what comes from a file must not steer a terminal or break a line. */
void text_add_visible(struct text *text, const char *string);

/* Formats as vsnprintf does, cut to `size` and to what an error has room for. Control characters and
 * bytes that are not UTF-8 become "\x1b" and the like: names of files and what a command line or a file
 * says get into sentences as they are. `has_lines`: newlines and tabs stay. */
void text_format_visible(char *out, size_t size, bool has_lines, const char *format,
                         va_list args) __attribute__((format(printf, 4, 0)));

/* Are these bytes, none of which is zero, well-formed UTF-8? */
bool text_is_utf8(const char *bytes, size_t length);

/* Appends `string` with U+FFFD in place of each byte that is not UTF-8. */
void text_add_utf8(struct text *text, const char *string);

/* Appends `string` in JSON's form, quotes included (report and export use it). */
void text_add_json(struct text *text, const char *string);

/* True for letters, digits and '_': the characters of a name in C and in our files. */
bool text_is_word(char c);

/* Copies the next item of a list with commas to `out`, cut to `size`, and moves *at behind it and its
 * comma; *at is NULL behind the last. Returns the length of the item, which may be empty. */
size_t text_next_item(const char **at, char *out, size_t size);

/* The name among `count` that is most like the first `length` bytes of `word` (the first of
 * several; a wrong case, blank or dash counts little), to offer for a misspelt one: one of which the word is
 * a part, before all others. NULL when there is none;
 * names over 63 bytes are passed over. */
const char *text_nearest(const char *word, size_t length, const char *const *names,
                         size_t count);

/* The nearest name where the word may be a slip for it, else NULL: the word is a part of the name, or
 * begins with its letter and differs in one letter of three at most, where two that changed places
 * count once. */
const char *text_similar(const char *word, size_t length, const char *const *names,
                         size_t count);

/* "did you mean 'NAME'? " where text_similar finds one, else "". Returns `out`. */
enum { TEXT_HINT_CHARS = 96 };
char *text_hint(char out[TEXT_HINT_CHARS], const char *word, const char *const *names,
                size_t count);

#endif
