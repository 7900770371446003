/* journal: keeps what was tried so far for one problem on one kind of GPU: an append-only file
 * of trials, so that a run cut short at any moment goes on where it was, and a changed space
 * measures only what is new. One line a trial with its own checksum: a torn or damaged line is
 * left out and counted, the others hold. */
#ifndef AUTOTUNE_JOURNAL_H
#define AUTOTUNE_JOURNAL_H

#include "cache/record.h"
#include "cache/trial.h"

enum { JOURNAL_BYTES_MAX = 256 << 20 }; /* of the file; a larger one is refused */

/* What became of one candidate. */
struct journal_trial {
    uint64_t identity; /* of its kernels' sources and launches: equal ones are equal work,
                        * whatever the space calls it */
    uint64_t variant;  /* of its kernels' sources alone: one for all of a variant */
    char params[CONFIG_PARAMS_MAX + 1]; /* "BLOCK=256 ITEMS=16 ...", for people and replays */
    double prior;                       /* the model's prior; 0 = none */
    struct trial trial;
};

struct journal {
    struct journal_trial *trials; /* as in the file, the last of an identity counts */
    size_t count, skipped;        /* skipped: lines that are no valid trial */
    int file;                     /* -1: not open for appending */
    struct text aside;            /* what a file that was there is called now; "" for none */
    /* more, private */
    char *path;
    bool is_dirty;     /* not yet synced */
    bool is_torn;      /* the last line has no newline */
    bool is_forgetful; /* appends only */
};

/* Appends the journal's path for a key: FOLDER/journal/<gpu>-<op>-<type>-<acc>-<n>-<regime>
 * .journal; the name has [a-z0-9-.] only. Different problems have different names, and so
 * have GPUs unless only their punctuation differs. */
int journal_path(struct text *out, const char *folder, const struct record *key,
                 struct error *error);

/* Opens for appending, makes what is missing (folders mode 0700, file 0600), locks it, and
 * reads what is there. A file that is not for this key (driver, compiler, method, ... all but
 * the space and the code: those are in the identities), or any with `start_over`, is set aside
 * as PATH.old (one generation), a damaged one as PATH.damaged or PATH.damaged-2 and so on, and a new
 * one begun; `changed` (may be NULL) then names the key
 * field that differs, "schema" for a file of another version, "header" for a damaged one, ""
 * when nothing does. Refused as record files are: links, other owners, writable by others, no
 * regular file, more than JOURNAL_BYTES_MAX. ERROR_IO: cannot be used, the caller may go on
 * without. ERROR_BUSY: another process holds the lock (the sentence says which file). ERROR_FAILED: no
 * memory. On -1 `out` is closed. */
int journal_open(struct journal *out, const char *path, const struct record *key,
                 bool start_over, char changed[32], struct error *error);

/* Appends one line in one write, and to `trials` what will be read back. On -1 (ERROR_IO: no
 * room) the trial is not in `trials`, the file stays readable, and a later call may succeed. */
int journal_append(struct journal *journal, const struct journal_trial *trial,
                   struct error *error);
/* Frees `trials`, for a caller that only appends from now on: what follows is written, not kept
 * here. */
void journal_forget(struct journal *journal);

/* Appends the trials of another journal, at a path where there need be none, whose identities this
 * one lacks; `adopted` (may be NULL) is how many. What is there for another key, damaged or not to be
 * trusted counts as none. Errors are those of journal_append. */
int journal_adopt(struct journal *journal, const struct record *key, const char *path,
                  size_t *adopted, struct error *error);

/* What was appended so far survives a power failure. */
int journal_sync(struct journal *journal, struct error *error);
void journal_close(struct journal *journal);

/* Reads without locking or writing; `key` gets the file's key (problem, GPU, tools; the hashes
 * are those of the run that began it). A missing, refused or damaged file is ERROR_IO. */
int journal_load(struct journal *out, struct record *key, const char *path,
                 struct error *error);

#endif
