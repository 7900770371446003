/* many_files: journals are locked for each append, as whoever tunes alone locks them. */
#include "autotune/many/many_files.h"

#include "cache/file.h"
#include "cache/journal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Begin and end ------------------------------------------------------------------------ */

static int lock_folder(struct many_files *files, struct error *error)
{
    struct text path = {0};
    text_addf(&path, "%s/shared", files->folder.at);
    int failed = text_check(&path, error) || file_make_folder_of(path.at, error);
    if (!failed) {
        files->lock = file_open_locked(path.at, error);
        failed = files->lock < 0;
        if (failed && errno == EWOULDBLOCK)
            error_set(error, ERROR_FAILED,
                      "another autotune-mpi shares a list with %s: wait for it, or name "
                      "another folder with --cache",
                      files->folder.at);
    }
    text_dispose(&path);
    return failed ? -1 : 0;
}

int many_files_open(struct many_files *out, const char *cache, const char *replay,
                    struct error *error)
{
    *out = (struct many_files){.lock = -1};
    if (store_folder(&out->folder, cache, error))
        return -1;
    text_adds(&out->read_from, replay ? replay : out->folder.at);
    return text_check(&out->read_from, error) || lock_folder(out, error) ? -1 : 0;
}

void many_files_close(struct many_files *files)
{
    if (files->lock >= 0)
        close(files->lock);
    text_dispose(&files->folder);
    text_dispose(&files->read_from);
}

/* --- Journals ----------------------------------------------------------------------------- */

/* A name that leads to no other folder, and hides nothing. */
static int add_journal(struct text *out, const struct text *folder, const char *name,
                       struct error *error)
{
    if (!*name || *name == '.' || strchr(name, '/'))
        return error_set(error, ERROR_FAILED, "a rank named '%.100s' as its journal", name);
    text_addf(out, "%s/journal/%s", folder->at, name);
    return text_check(out, error);
}

int many_files_read_journal(struct text *out, uint64_t *time, const struct many_files *files,
                            const char *name, struct error *error)
{
    struct text path = {0};
    struct stat status = {.st_mtime = 0};
    const int failed = add_journal(&path, &files->read_from, name, error) ||
                       file_read(out, path.at, JOURNAL_BYTES_MAX, error) == FILE_REFUSED;
    if (!failed && stat(path.at, &status))
        status.st_mtime = 0;
    *time = (uint64_t)status.st_mtime;
    text_dispose(&path);
    return failed ? -1 : 0;
}

static int set_aside(const char *path, struct error *error)
{
    struct text old = {0};
    text_addf(&old, "%s.old", path);
    int failed = text_check(&old, error);
    if (!failed && rename(path, old.at) && errno != ENOENT)
        failed = file_error("set aside", path, error);
    text_dispose(&old);
    return failed;
}

static int append(const char *path, const char *bytes, size_t length, uint64_t from,
                  uint64_t time, struct error *error)
{
    const struct timespec times[2] = {{.tv_sec = (time_t)time}, {.tv_sec = (time_t)time}};
    const int file = file_open_locked(path, error);
    if (file < 0)
        return errno == EWOULDBLOCK
                   ? error_set(error, ERROR_FAILED,
                               "another autotune tunes with %s: wait for it, or end it", path)
                   : -1;
    int failed =
        (uint64_t)lseek(file, 0, SEEK_END) != from
            ? error_set(error, ERROR_FAILED,
                        "%s is another's now: ranks of one GPU's name and unlike tools "
                        "have the same journals",
                        path)
            : 0;
    if (!failed && (file_write(file, bytes, length) || futimens(file, times)))
        failed = file_error("write", path, error);
    close(file);
    return failed ? -1 : 0;
}

int many_files_append(const struct many_files *files, const char *name, const char *bytes,
                      size_t length, uint64_t from, uint64_t time, struct error *error)
{
    struct text path = {0};
    const int failed = add_journal(&path, &files->folder, name, error) ||
                       file_make_folder_of(path.at, error) ||
                       (from == 0 && set_aside(path.at, error)) ||
                       append(path.at, bytes, length, from, time, error);
    text_dispose(&path);
    return failed ? -1 : 0;
}

/* --- Records ------------------------------------------------------------------------------ */

int many_files_path(struct text *path, const struct many_files *files, const char *gpu,
                    struct error *error)
{
    return store_path(path, files->folder.at, gpu, error);
}
