/* journal_header: writes and reads the header of a journal: the problem, GPU and tools of its
 * trials. */
#ifndef AUTOTUNE_JOURNAL_HEADER_H
#define AUTOTUNE_JOURNAL_HEADER_H

#include "cache/line.h"
#include "cache/record.h"

enum journal_header {
    JOURNAL_HEADER_NONE, /* the file is empty */
    JOURNAL_HEADER_READ,
    JOURNAL_HEADER_DAMAGED,
    JOURNAL_HEADER_OTHER_SCHEMA,
};

/* Appends the header for the key. -1 where it could not be read back: `path` names the file. */
int journal_header_emit(struct text *out, const struct record *key, const char *path,
                        struct error *error);

/* Reads the header; `key` is set where it was READ, `reason` says what is wrong with another. -1
 * when reading fails or memory is short, which is no damage. */
int journal_header_read(enum journal_header *out, struct record *key,
                        struct line_reader *reader, const char *path, struct error *reason);

/* The key field because of which a file with this header, of key `a`, cannot be continued for
 * key `b`: "schema" for a file of another version, "header" for a damaged one; or NULL. */
const char *journal_header_difference(enum journal_header header, const struct record *a,
                                      const struct record *b);

#endif
