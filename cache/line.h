/* line: writes and reads a trial as a line of a journal (columns between tabs, texts with
 * escapes, a checksum last), and reads files line by line when nothing about them can be relied
 * on. */
#ifndef AUTOTUNE_LINE_H
#define AUTOTUNE_LINE_H

#include "cache/journal.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    LINE_MAX_BYTES = 4096, /* twice what the longest trial takes */
    LINE_BUFFER = 1 << 14,
};

/* A file being read. Initialise with `struct line_reader r = {.file = file};`. */
struct line_reader {
    int file;
    int cause;          /* errno of a read that failed; 0 */
    bool is_torn;       /* the last line had no newline */
    size_t first, last; /* of the bytes not handed out yet */
    char at[LINE_BUFFER + 1];
};

/* The next line, valid until the next call, zero-terminated instead of its newline; NULL at the
 * end or when reading failed. One too long is cut, but stays longer than LINE_MAX_BYTES. */
char *line_next(struct line_reader *reader, size_t *length);

/* ERROR_IO, naming the file, when reading failed. */
int line_check(const struct line_reader *reader, const char *path, struct error *error);

/* Appends the trial as a line, newline included. */
void line_emit(struct text *out, const struct journal_trial *trial);

/* Reads such a line (changing it); false when anything about it is wrong. */
bool line_parse(struct journal_trial *out, char *line, size_t length);

/* Appends the names of the columns, with a blank before each. */
void line_emit_names(struct text *out);

#endif
