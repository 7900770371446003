/* file: reads only files that may be trusted; writes a temporary file in the same folder, under
 * a lock file, and renames it. A reader sees the old file or the new one; the lock of a writer
 * that dies ends with it, and its temporary file is removed by the next writer. Hides the
 * system calls. */
#include "cache/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LOCK_WAIT_MS = 10000, /* without any other writer getting on */
    LOCK_STEP_MS = 5,
    BACKUPS_MAX = 1000, /* of one file */
};

int file_error(const char *verb, const char *path, struct error *error)
{
    return error_set(error, ERROR_IO,
                     "cannot %s %s: %s; check the folder or name "
                     "another with --cache FOLDER",
                     verb, path, strerror(errno));
}

/* --- Reading ---------------------------------------------------------------------------- */

/* Why a file must not be trusted, or NULL. */
static const char *distrust(const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return "is not a regular file; move it away or name another";
    if (status->st_uid != geteuid() && status->st_uid != 0)
        return "is owned by another user; make a copy of your own, or name another folder with "
               "--cache";
    if (status->st_mode & (S_IWGRP | S_IWOTH))
        return "can be written by others; chmod go-w it if its records are yours";
    return NULL;
}

int file_open(const char *path, int flags, struct error *error)
{
    int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    struct stat status;
    const char *why = NULL;

    if (file < 0) {
        int cause = errno;
        if (cause == ELOOP)
            error_set(error, ERROR_IO,
                      "%s is a symbolic link; name the file itself, or remove "
                      "the link",
                      path);
        else
            file_error("open", path, error);
        errno = cause;
        return -1;
    }
    if (fstat(file, &status) != 0)
        file_error("examine", path, error);
    else if ((why = distrust(&status)) != NULL)
        error_set(error, ERROR_IO, "%s %s", path, why);
    else
        return file;
    close(file);
    errno = EPERM;
    return -1;
}

static int read_all(struct text *out, int file, const char *path, size_t limit,
                    struct error *error)
{
    char chunk[1 << 14];
    size_t first = out->length;

    for (;;) {
        ssize_t got = read(file, chunk, sizeof chunk);
        if (got == 0 || out->failed)
            return text_check(out, error);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_error("read", path, error);
        text_add(out, chunk, (size_t)got);
        if (out->length - first > limit)
            return error_set(error, ERROR_IO,
                             "%s is larger than the %zu bytes it may have; "
                             "remove it",
                             path, limit);
    }
}

enum file_state file_read(struct text *out, const char *path, size_t limit,
                          struct error *reason)
{
    int file = file_open(path, O_RDONLY, reason);

    if (file < 0)
        return errno == ENOENT ? FILE_MISSING : FILE_REFUSED;
    int result = read_all(out, file, path, limit, reason);
    close(file);
    return result == 0 ? FILE_READ : FILE_REFUSED;
}

int file_read_named(struct text *out, const char *path, size_t limit, const char *instead,
                    struct error *error)
{
    const enum file_state state = file_read(out, path, limit, error);
    if (state == FILE_MISSING)
        return error_set(error, ERROR_IO, "%s: there is no such file: name %s", path, instead);
    return state == FILE_READ ? 0 : -1;
}

/* --- Locking ---------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A file that was removed or moved after it was opened is not the one others will lock. */
static bool is_at(const char *path, int file)
{
    struct stat here, there;

    return fstat(file, &here) == 0 && lstat(path, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

int file_open_locked(const char *path, struct error *error)
{
    int file = file_open(path, O_RDWR | O_CREAT | O_APPEND, error);

    if (file < 0) {
        errno = EPERM;
        return -1;
    }
    int cause = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (cause == ENOLCK || cause == EOPNOTSUPP || cause == ENOSYS)
        cause = 0; /* a file system without locks, as of another machine */
    if (cause == 0 && is_at(path, file))
        return file;
    cause = cause == 0 ? ESTALE : cause == EINTR ? EWOULDBLOCK : cause;
    close(file);
    errno = cause;
    file_error("lock", path, error);
    errno = cause;
    return -1;
}

/* Each save puts a new file in place, so another inode means that others get on. */
static bool has_changed(const char *path, ino_t *inode)
{
    struct stat status;

    if (lstat(path, &status) != 0 || status.st_ino == *inode)
        return false;
    *inode = status.st_ino;
    return true;
}

static int wait_lock(const char *path, const char *lock_path, struct error *error)
{
    const struct timespec step = {.tv_nsec = LOCK_STEP_MS * 1000000L};
    int64_t end = now_ms() + LOCK_WAIT_MS;
    ino_t inode = 0;
    int lock;

    while ((lock = file_open_locked(lock_path, error)) < 0) {
        if (errno != EWOULDBLOCK && errno != ESTALE)
            return -1;
        if (has_changed(path, &inode))
            end = now_ms() + LOCK_WAIT_MS;
        if (now_ms() >= end)
            return error_set(error, ERROR_IO,
                             "cannot lock %s: another process has held it for "
                             "%d seconds; end that process or name another folder with --cache",
                             lock_path, LOCK_WAIT_MS / 1000);
        nanosleep(&step, NULL);
    }
    return lock;
}

int file_lock(const char *path, struct error *error)
{
    struct text lock_path = {0};
    int lock = -1;

    text_addf(&lock_path, "%s.lock", path);
    if (text_check(&lock_path, error) == 0)
        lock = wait_lock(path, lock_path.at, error);
    text_dispose(&lock_path);
    return lock;
}

void file_unlock(int lock)
{
    assert(lock >= 0);
    close(lock);
}

/* --- Writing ---------------------------------------------------------------------------- */

int file_make_folder(const char *folder, struct error *error)
{
    struct text path = {0};
    int result = 0;

    text_adds(&path, folder);
    result = text_check(&path, error);
    for (size_t i = 1; result == 0 && i <= path.length; i++) {
        if (path.at[i] != '/' && path.at[i] != '\0')
            continue;
        char end = path.at[i];
        path.at[i] = '\0';
        if (mkdir(path.at, 0700) != 0 && errno != EEXIST)
            result = file_error("make the folder", path.at, error);
        path.at[i] = end;
    }
    text_dispose(&path);
    return result;
}

void file_add_folder_of(struct text *out, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash)
        text_add(out, path, slash == path ? 1 : (size_t)(slash - path));
    else
        text_adds(out, ".");
}

int file_make_folder_of(const char *path, struct error *error)
{
    struct text folder = {0};
    int result;

    file_add_folder_of(&folder, path);
    result = text_check(&folder, error);
    if (result == 0)
        result = file_make_folder(folder.at, error);
    text_dispose(&folder);
    return result;
}

int file_write(int file, const void *bytes, size_t size)
{
    const char *const from = bytes;
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = write(file, from + done, size - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote == 0)
            errno = ENOSPC;
        if (wrote <= 0)
            return -1;
        done += (size_t)wrote;
    }
    return 0;
}

/* Writes a new file, whole and to disk. What a writer that died left under this name is removed
 * first: the caller has the lock, so nobody else is writing it. */
static int write_new(const char *path, const struct text *contents, struct error *error)
{
    unlink(path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return file_error("make", path, error);
    int result = file_write(file, contents->at, contents->length) || fsync(file) ? -1 : 0;
    int cause = errno;
    if (close(file) != 0 && result == 0) {
        result = -1;
        cause = errno;
    }
    errno = cause;
    return result == 0 ? 0 : file_error("write", path, error);
}

/* Opened before anything is changed, so that afterwards only the sync itself can fail. */
static int open_folder_of(const char *path, struct error *error)
{
    struct text folder = {0};
    int file = -1;

    file_add_folder_of(&folder, path);
    if (text_check(&folder, error) == 0) {
        file = open(folder.at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (file < 0)
            file_error("open the folder", folder.at, error);
    }
    text_dispose(&folder);
    return file;
}

static int sync_folder(int folder, const char *path, struct error *error)
{
    /* EINVAL: the file system cannot sync a folder; the change is as durable as it gets. */
    if (fsync(folder) != 0 && errno != EINVAL)
        return file_error("sync the folder of", path, error);
    return 0;
}

int file_sync_folder_of(const char *path, struct error *error)
{
    int folder = open_folder_of(path, error);

    if (folder < 0)
        return -1;
    int result = sync_folder(folder, path, error);
    close(folder);
    return result;
}

/* Gives a file a second name that nothing has; a rename where there are no links. errno */
static int name_again(const char *path, const char *name)
{
    if (link(path, name) == 0)
        return 0;
    if (errno == EEXIST || errno == ENOENT || errno == ENOSPC || errno == EDQUOT)
        return -1;
    if (renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    struct stat status;
    errno = EEXIST;
    return lstat(name, &status) == 0 ? -1 : rename(path, name);
}

/* Keeps the old file under another name: by a second link, so that it stays in place until the
 * new one takes it. No backup takes another's place. */
static int keep_old(const char *path, struct text *keep, struct error *error)
{
    const size_t length = keep->length;
    for (int number = 2; name_again(path, keep->at); number++) {
        if (errno == ENOENT) { /* somebody has removed it */
            text_clear(keep);
            return 0;
        }
        if (errno != EEXIST)
            return file_error("keep the old file as", keep->at, error);
        if (number > BACKUPS_MAX)
            return error_set(error, ERROR_IO,
                             "%.*s is one of %d files that were kept: remove those that "
                             "nobody needs",
                             (int)length, keep->at, BACKUPS_MAX);
        keep->length = length;
        text_addf(keep, "-%d", number);
        if (text_check(keep, error))
            return -1;
    }
    return 0;
}

/* An error leaves one file, under its old name. */
static void undo_keep(const char *path, const struct text *keep)
{
    if (access(path, F_OK) == 0)
        unlink(keep->at);
    else
        rename(keep->at, path); /* keep_old had to move it */
}

static int put_in_place(const char *path, const char *temporary, struct text *keep, int folder,
                        struct error *error)
{
    if (keep && keep_old(path, keep, error) != 0)
        return -1;
    if (rename(temporary, path) != 0) {
        file_error("replace", path, error);
        if (keep && keep->length)
            undo_keep(path, keep);
        return -1;
    }
    return sync_folder(folder, path, error);
}

static int replace(const char *path, const char *temporary, const struct text *contents,
                   struct text *keep, struct error *error)
{
    int folder = open_folder_of(path, error);

    if (folder < 0)
        return -1;
    int result = write_new(temporary, contents, error);
    if (result == 0)
        result = put_in_place(path, temporary, keep, folder, error);
    if (result != 0)
        unlink(temporary);
    close(folder);
    return result;
}

int file_replace(const char *path, const char *locked, const struct text *contents,
                 struct text *keep, struct error *error)
{
    assert(!contents->failed);
    struct text temporary = {0};
    int result;

    text_addf(&temporary, "%s.tmp", locked);
    result = text_check(&temporary, error);
    if (result == 0)
        result = replace(path, temporary.at, contents, keep, error);
    text_dispose(&temporary);
    return result;
}

int file_set_aside(const char *path, struct text *name, struct error *error)
{
    if (text_check(name, error) || keep_old(path, name, error))
        return -1;
    if (name->length && unlink(path) && errno != ENOENT)
        return file_error("set aside", path, error);
    return 0;
}
