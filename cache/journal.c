/* journal: reads and appends a file of trials: a header, then a line a trial. The lock is on
 * the file itself, so a file that is set aside takes its lock along, and whoever waited for it
 * opens the path again. Hides what becomes of files of another key. */
#include "cache/journal.h"

#include "cache/file.h"
#include "cache/journal_header.h"
#include "cache/line.h"
#include "cache/store.h"
#include "generator/array.h"
#include "generator/dims_text.h"
#include "generator/number.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_TRIES = 20 }; /* while others set aside the same file */

/* --- Paths ------------------------------------------------------------------------------- */

int journal_path(struct text *out, const char *folder, const struct record *key,
                 struct error *error)
{
    static const char ending[] = ".ini";
    const struct problem *problem = &key->problem;
    struct text inner = {0};
    char dims[DIMS_TEXT_CHARS];

    text_addf(&inner, "%s/journal", folder);
    int result = text_check(&inner, error);
    if (result == 0)
        result = store_path(out, inner.at, key->gpu, error);
    text_dispose(&inner);
    if (result != 0)
        return -1;
    out->length -= sizeof ending - 1; /* named as the GPU's record file, with another ending */
    text_addf(out, "-%s-%s-%s", problem->op->word, problem_types[problem->type].name,
              problem_types[problem->acc].name);
    const char *order = problem_orders[problem->order].suffix;
    text_addf(out, "-%s-", dims_text_file_part(dims, &problem->dims));
    if (dims_is_segmented(&problem->dims))
        text_addf(out, "%s-%s-", problem_types[problem->offsets].name,
                  problem_lengths[problem->lengths]);
    for (size_t k = 0; k < PROBLEM_FURTHER_MAX; k++)
        if (problem->further[k].lie != LIES_ALIKE)
            text_addf(out, "%zu%s-", k + 2, problem_lies[problem->further[k].lie]);
    text_addf(out, "%s%s%s.journal", problem_regimes[problem->regime], *order ? "-" : "",
              order);
    return text_check(out, error);
}

/* --- Reading ----------------------------------------------------------------------------- */

static int check_size(uint64_t bytes, const char *path, const char *advice, struct error *error)
{
    if (bytes <= JOURNAL_BYTES_MAX)
        return 0;
    return error_set(error, ERROR_IO, "%s is full: more than the %d MiB it may have; %s", path,
                     JOURNAL_BYTES_MAX >> 20, advice);
}

static const char make_room[] = "move it away or remove it";

static int read_trials(struct journal *journal, struct line_reader *reader, const char *path,
                       const char *advice, struct error *error)
{
    struct stat status;
    size_t length;
    char *line;

    if (fstat(reader->file, &status) != 0) {
        reader->cause = errno;
        return line_check(reader, path, error);
    }
    if (check_size((uint64_t)status.st_size, path, advice, error) != 0)
        return -1;
    while ((line = line_next(reader, &length)) != NULL) {
        if (array_grow(&journal->trials, journal->count, sizeof *journal->trials, error))
            return -1;
        if (line_parse(&journal->trials[journal->count], line, length))
            journal->count++;
        else if (length) /* an empty line holds nothing to lose */
            journal->skipped++;
    }
    journal->is_torn = reader->is_torn;
    return line_check(reader, path, error);
}

/* What to do about a journal that the user named: it is not ours to be removed, and lies in no
 * folder that --cache could change. */
static const char name_another[] = "name a journal (they lie in the cache's folder journal)";

static int open_error(const char *path, struct error *error)
{
    if (errno == ELOOP)
        return error_set(error, ERROR_IO, "%s is a symbolic link; name the journal itself",
                         path);
    if (errno == EPERM)
        return error_set(error, ERROR_IO,
                         "%s is not to be trusted: a journal is a regular "
                         "file of yours that nobody else can write; %s",
                         path, name_another);
    return error_set(error, ERROR_IO, "cannot open %s: %s; %s", path, strerror(errno),
                     name_another);
}

static int load(struct journal *out, struct record *key, const char *path, struct error *error)
{
    struct line_reader reader = {.file = out->file};
    enum journal_header header;

    if (journal_header_read(&header, key, &reader, path, error) != 0 ||
        header == JOURNAL_HEADER_OTHER_SCHEMA)
        return -1;
    if (header != JOURNAL_HEADER_READ)
        return error_set(
            error, ERROR_IO,
            "%.1000s is no journal of autotune, or its head is damaged (%.500s); %s", path,
            header == JOURNAL_HEADER_NONE ? "it is empty" : error->text, name_another);
    return read_trials(out, &reader, path, name_another, error);
}

int journal_load(struct journal *out, struct record *key, const char *path, struct error *error)
{
    *out = (struct journal){.file = file_open(path, O_RDONLY, error)};
    if (out->file < 0)
        return open_error(path, error);
    int result = load(out, key, path, error);
    close(out->file);
    out->file = -1;
    if (result != 0)
        journal_close(out);
    return result;
}

/* --- Opening ----------------------------------------------------------------------------- */

static int held(const struct journal *journal, const struct record *key, struct error *error)
{
    char problem[PROBLEM_CHARS];

    return error_set(error, ERROR_BUSY,
                     "another autotune is tuning %s on %s: wait for it, "
                     "or end it (its journal: %s)",
                     problem_format(problem, &key->problem), key->gpu, journal->path);
}

/* All bytes in one call, so that a line is there as a whole or is the last. */
static int write_once(struct journal *journal, const struct text *text, struct error *error)
{
    ssize_t wrote;

    do {
        wrote = write(journal->file, text->at, text->length);
    } while (wrote < 0 && errno == EINTR);
    if (wrote < 0)
        return file_error("write", journal->path, error);
    if (wrote > 0) {
        journal->is_dirty = true;
        journal->is_torn = (size_t)wrote < text->length;
    }
    if ((size_t)wrote == text->length)
        return 0;
    return error_set(error, ERROR_IO,
                     "cannot write %s: there was room for %zd of %zu bytes "
                     "only; make room or name another folder with --cache",
                     journal->path, wrote, text->length);
}

static int write_header(struct journal *journal, const struct text *text, struct error *error)
{
    if (write_once(journal, text, error) != 0)
        return -1;
    if (fsync(journal->file) != 0)
        return file_error("sync", journal->path, error);
    journal->is_dirty = false;
    return file_sync_folder_of(journal->path, error);
}

/* Makes an empty file a journal. A key that could not be read back is not written. */
static int begin(struct journal *journal, const struct record *key, struct error *error)
{
    struct text text = {0};
    const bool is_begun = journal_header_emit(&text, key, journal->path, error) == 0 &&
                          write_header(journal, &text, error) == 0;
    if (!is_begun)
        unlink(journal->path); /* so that no half a header is ever set aside */
    text_dispose(&text);
    return is_begun ? 0 : -1;
}

/* Reads the locked file or begins it; else `why` says why it has to be set aside. */
static int examine(struct journal *journal, const struct record *key, bool start_over,
                   const char **why, struct error *error)
{
    struct line_reader reader = {.file = journal->file};
    struct record found = {0};
    enum journal_header header;

    *why = NULL;
    if (journal_header_read(&header, &found, &reader, journal->path, error) != 0)
        return -1;
    if (header == JOURNAL_HEADER_NONE)
        return begin(journal, key, error);
    *why = start_over ? "" : journal_header_difference(header, &found, key);
    return *why ? 0 : read_trials(journal, &reader, journal->path, make_room, error);
}

/* Of what was begun anew one generation is enough; a damaged one may be all that there is. */
static int set_aside(struct journal *journal, bool is_damaged, struct error *error)
{
    text_clear(&journal->aside);
    text_addf(&journal->aside, is_damaged ? "%s.damaged" : "%s.old", journal->path);
    int result = text_check(&journal->aside, error);
    if (result == 0 && is_damaged)
        result = file_set_aside(journal->path, &journal->aside, error);
    else if (result == 0 && rename(journal->path, journal->aside.at) != 0)
        result = file_error("set aside", journal->path, error);
    close(journal->file);
    journal->file = -1;
    return result;
}

/* Locks the file at the path and reads it: 1 when that is the journal now, 0 when it had to
 * go or is gone, so that there is another to be locked, -1 for errors. */
static int try_open(struct journal *journal, const struct record *key, bool start_over,
                    char changed[32], struct error *error)
{
    const char *why;

    journal->file = file_open_locked(journal->path, error);
    if (journal->file < 0 && errno == ESTALE)
        return 0;
    if (journal->file < 0)
        return errno == EWOULDBLOCK ? held(journal, key, error) : -1;
    if (examine(journal, key, start_over, &why, error) != 0)
        return -1;
    if (!why)
        return 1;
    snprintf(changed, 32, "%s", why);
    return set_aside(journal, strcmp(why, "header") == 0, error);
}

int journal_open(struct journal *out, const char *path, const struct record *key,
                 bool start_over, char changed[32], struct error *error)
{
    char ignored[32];
    int state = 0;

    if (!changed)
        changed = ignored;
    changed[0] = '\0';
    *out = (struct journal){.file = -1, .path = strdup(path)};
    if (!out->path)
        state = error_memory(error, strlen(path) + 1);
    else if (file_make_folder_of(path, error) != 0)
        state = -1;
    for (int tries = 0; state == 0 && tries < OPEN_TRIES; tries++)
        state = try_open(out, key, start_over && tries == 0, changed, error);
    if (state == 0)
        error_set(error, ERROR_IO,
                  "%s is replaced again and again by another process; end "
                  "that process or name another folder with --cache",
                  path);
    if (state == 1)
        return 0;
    journal_close(out);
    return -1;
}

/* --- Appending --------------------------------------------------------------------------- */

/* The trial is kept as it will be read back. */
static int keep(struct journal *journal, const char *line, size_t length, struct error *error)
{
    char copy[LINE_MAX_BYTES + 1];

    if (array_grow(&journal->trials, journal->count, sizeof *journal->trials, error))
        return -1;
    memcpy(copy, line, length);
    copy[length] = '\0';
    if (!line_parse(&journal->trials[journal->count], copy, length))
        return error_set(error, ERROR_FAILED,
                         "a trial cannot be kept in %s: it would not be "
                         "read back; report this line: %.*s",
                         journal->path, (int)length, line);
    return 0;
}

int journal_append(struct journal *journal, const struct journal_trial *trial,
                   struct error *error)
{
    struct text text = {0};

    if (journal->is_torn)
        text_adds(&text, "\n"); /* what was torn stays a line of its own */
    size_t start = text.length;
    line_emit(&text, trial);
    int result = text_check(&text, error);
    if (result == 0)
        result = keep(journal, text.at + start, text.length - start - 1, error);
    if (result == 0)
        result = check_size((uint64_t)lseek(journal->file, 0, SEEK_END) + text.length,
                            journal->path, make_room, error);
    if (result == 0)
        result = write_once(journal, &text, error);
    if (result == 0 && !journal->is_forgetful)
        journal->count++;
    text_dispose(&text);
    return result;
}

static int by_identity(const void *a, const void *b)
{
    return number_compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int adopt_new(struct journal *journal, const struct journal *other, size_t *adopted,
                     struct error *error)
{
    const size_t count = journal->count;
    uint64_t *own = malloc((count + 1) * sizeof *own);
    int failed = own ? 0 : error_memory(error, (count + 1) * sizeof *own);

    for (size_t i = 0; own && i < count; i++)
        own[i] = journal->trials[i].identity;
    if (own)
        qsort(own, count, sizeof *own, by_identity);
    for (size_t i = 0; i < other->count && !failed; i++)
        if (!bsearch(&other->trials[i].identity, own, count, sizeof *own, by_identity)) {
            failed = journal_append(journal, &other->trials[i], error);
            *adopted += !failed;
        }
    free(own);
    return failed;
}

int journal_adopt(struct journal *journal, const struct record *key, const char *path,
                  size_t *adopted, struct error *error)
{
    struct journal other;
    struct record found;
    struct error ignored;
    size_t count = 0;
    int failed = 0;

    if (journal_load(&other, &found, path, &ignored) == 0) {
        if (!journal_header_difference(JOURNAL_HEADER_READ, &found, key))
            failed = adopt_new(journal, &other, &count, error);
        journal_close(&other);
    }
    if (adopted)
        *adopted = count;
    return failed;
}

void journal_forget(struct journal *journal)
{
    free(journal->trials);
    journal->trials = NULL;
    journal->count = 0;
    journal->is_forgetful = true;
}

int journal_sync(struct journal *journal, struct error *error)
{
    assert(journal->file >= 0 || !journal->is_dirty);
    if (!journal->is_dirty)
        return 0;
    if (fdatasync(journal->file) != 0)
        return file_error("sync", journal->path, error);
    journal->is_dirty = false;
    return 0;
}

void journal_close(struct journal *journal)
{
    if (journal->file >= 0)
        close(journal->file);
    free(journal->trials);
    free(journal->path);
    text_dispose(&journal->aside);
    *journal = (struct journal){.file = -1};
}
