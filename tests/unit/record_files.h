/* Folders and record files for the tests of cache/: made, filled, read and judged. */
#ifndef RECORD_FILES_H
#define RECORD_FILES_H

#include "cache/store.h"

#include "tests/unit/example_record.h"
#include "tests/unit/save_record.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

/* --- Folders and files ------------------------------------------------------------------ */

enum { PATH_CHARS = 300 };
static const char record_file[] = "nvidia-h200.ini";

static inline int make_folder(void **state)
{
    char *folder = strdup("/tmp/autotune-store-XXXXXX");
    *state = folder;
    return folder && mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    char command[PATH_CHARS];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    free(*state);
    return system(command);
}

static inline const char *path_in(char out[PATH_CHARS], void **state, const char *name)
{
    snprintf(out, PATH_CHARS, "%s/%s", (char *)*state, name);
    return out;
}

static inline void put_file(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static inline struct text get_file(const char *path)
{
    struct text text = {0};
    struct error error = {0};
    if (text_read(&text, path, INI_FILE_MAX, &error) != 0)
        fail_msg("%s", error.text);
    return text;
}

static inline bool exists(const char *path, const char *suffix)
{
    char name[PATH_CHARS + 16];
    struct stat status;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return lstat(name, &status) == 0;
}

/* --- Records ---------------------------------------------------------------------------- */

static inline struct record record_of(uint64_t n, uint64_t median_ps)
{
    struct record record = example_record;
    record.problem.dims = dims_value(n);
    record.low_ps = record.median_ps = record.high_ps = median_ps;
    return record;
}

static inline void save(const char *path, const struct record *record)
{
    struct error error = {0};
    if (save_record(path, record, &error) != 0)
        fail_msg("%s", error.text);
}

static inline struct records loaded(const char *path)
{
    struct records records;
    struct error error = {0};
    if (store_load(&records, path, &error) != 0)
        fail_msg("%s", error.text);
    return records;
}

static inline const struct record *find_n(const struct records *records, uint64_t n)
{
    for (size_t i = 0; i < records->count; i++)
        if (dims_n(&records->at[i].problem.dims) == n)
            return &records->at[i];
    return NULL;
}

/* The record as a file of its own. */
static inline struct text file_of(const struct record *record)
{
    struct records one = {0};
    struct text text = {0};
    struct error error;
    assert_int_equal(store_add(&one, record, &error), 0);
    config_emit(&text, one.configs.at, 1);
    record_emit(&text, one.at, &one.configs, 1);
    store_dispose(&one);
    return text;
}

static inline bool is_identical(const struct record *a, const struct record *b)
{
    struct text text_a = file_of(a), text_b = file_of(b);
    bool is = text_a.at && text_b.at && strcmp(text_a.at, text_b.at) == 0;
    text_dispose(&text_a);
    text_dispose(&text_b);
    return is;
}

/* Kills a child that writes, at a moment of the round: in one of two, not before its `done` is
 * another than it was, however long it waits for a processor. */
static inline void kill_writer(pid_t writer, int round, const volatile uint64_t *done,
                               uint64_t before)
{
    siginfo_t ended = {0};
    int status;
    while (round % 2 && *done == before && ended.si_pid == 0) {
        usleep(500);
        assert_int_equal(waitid(P_PID, (id_t)writer, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
    }
    usleep((useconds_t)(1000 + round * 397 % 12000));
    assert_int_equal(kill(writer, SIGKILL), 0);
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_true(WIFSIGNALED(status));
}

static inline void assert_refused(const char *path, const char *why)
{
    struct records records = loaded(path);
    assert_int_equal(records.count, 0);
    assert_int_equal(records.skipped, 1);
    if (!strstr(records.reason.text, why) || !strstr(records.reason.text, path))
        fail_msg("no '%s' in: %s", why, records.reason.text);
    store_dispose(&records);
}

static inline void assert_not_saved(const char *path, const char *why)
{
    struct error error = {0};
    assert_int_equal(save_record(path, &example_record, &error), -1);
    assert_int_equal(error.code, ERROR_IO);
    if (!strstr(error.text, why))
        fail_msg("no '%s' in: %s", why, error.text);
    assert_false(exists(path, ".tmp"));
}

#endif
